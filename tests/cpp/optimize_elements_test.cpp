// Stores into elements of adjoints in loops: which go, and which are first; optimize_support.h runs
// one pass alone.
#include "optimize_support.h"

namespace tangent::lower_tests {
namespace {

const std::string kLoop =
    "bv = np.zeros_like(v)\n"
    "for i in reversed(range(1, 9)):\n";

const std::string kOfValues =
    "bv = np.full_like(v, by)\n"
    "for i in reversed(range(1, 9)):\n";

TEST_F(Passes, AnElementThatNothingReadsAgainIsNotCleared) {
  EXPECT_EQ(run(remove_dead_elements, kOfValues + "    bnew = bv[i]\n"
                                                  "    bv[i] = 0.0\n"
                                                  "    bv[i - 1] += bnew * x\n"
                                                  "bx = bv[0]\n"),
            kOfValues +
                "    bnew = bv[i]\n"
                "    bv[i - 1] += bnew * x\n"
                "bx = bv[0]\n");
}

TEST_F(Passes, AnElementThatMayBeReadAgainIsCleared) {
  for (const std::string read : {"bx = bv[8]\n", "bx = bv[j]\n", "bx = np.sum(bv)\n"}) {
    const std::string text = kOfValues +
                             "    bnew = bv[i]\n"
                             "    bv[i] = 0.0\n"
                             "    bv[i - 1] += bnew * x\n" +
                             read;
    EXPECT_EQ(run(remove_dead_elements, text), text);
  }
  // bv[-1] is the last one, and bv[i + 1] was read before.
  for (const std::string place : {"bv[i - 2]", "bv[i]"}) {
    const std::string text = kOfValues +
                             "    bnew = bv[i]\n"
                             "    bv[i] = 0.0\n"
                             "    " +
                             place + " += bnew * x\n";
    EXPECT_EQ(run(remove_dead_elements, text), text);
  }
}

TEST_F(Passes, TheFirstContributionToEachElementIsStored) {
  EXPECT_EQ(run(remove_dead_elements, kLoop + "    bv[i] -= a * bx\n"
                                              "    bx = a\n"),
            kLoop +
                "    bv[i] = -a * bx\n"
                "    bx = a\n");
}

TEST_F(Passes, AFurtherContributionToAnElementIsAdded) {
  // Backwards bv[i - 1] is reached before it is bv[i].
  EXPECT_EQ(run(remove_dead_elements, kLoop + "    bv[i] += a * bx\n"
                                              "    bv[i - 1] += a\n"),
            kLoop +
                "    bv[i] += a * bx\n"
                "    bv[i - 1] = a\n");
  const std::string unknown = kLoop +
                              "    bv[i] += a * bx\n"
                              "    bv[j] += a\n";
  EXPECT_EQ(run(remove_dead_elements, unknown), unknown);
  const std::string again =
      "bv = np.zeros_like(v)\n"
      "for j in range(3):\n"
      "    for i in range(1, 9):\n"
      "        bv[i] += a * bx\n";
  EXPECT_EQ(run(remove_dead_elements, again), again);
}

TEST_F(Passes, AnArrayThatALoopKnowsFromBeforeIsLeftAlone) {
  const std::string text =
      "for j in range(3):\n"
      "    bx = bv[1]\n"
      "    bv = np.zeros_like(v)\n"
      "    for i in range(1, 9):\n"
      "        bv[i] = 0.0\n";
  EXPECT_EQ(run(remove_dead_elements, text), text);
}

// ------------------------------------------------------------------------------ what may raise

TEST_F(Passes, OfASumThatNobodyReadsWhatMayRaiseIsLeft) {
  EXPECT_EQ(run(remove_dead_code,
                "a = 0.0\n"
                "for i in range(n):\n"
                "    a += 0.5 * (v[i] + x * x)\n",
                "bx = 1.0\n"
                "return bx\n"),
            "for i in range(n):\n"
            "    v[i]\n"
            "bx = 1.0\n"
            "return bx\n");
}

// ------------------------------------------------------------------------- carried values

const std::string kForward =
    "for i in range(n):\n"
    "    x_tape.append(x)\n"
    "    x = x * x\n";

TEST_F(Passes, WhatALoopSavesAtBothEndsOfAnIterationIsSavedOnce) {
  EXPECT_EQ(
      run(remove_carried_values, "x_last_tape = a\n" + kForward + "    x_last_tape.append(x)\n",
          "for i in reversed(range(n)):\n"
          "    x = x_last_tape.pop()\n"
          "    by += x\n"
          "    x = x_tape.pop()\n"
          "    by *= x\n"),
      kForward +
          "for i in reversed(range(n)):\n"
          "    by += x\n"
          "    x = x_tape.pop()\n"
          "    by *= x\n");
}

TEST_F(Passes, WhatChangesBehindTheLoopIsSavedTwice) {
  const std::string forward = "x_last_tape = a\n" + kForward + "    x_last_tape.append(x)\nx = a\n";
  const std::string backward =
      "for i in reversed(range(n)):\n"
      "    x = x_last_tape.pop()\n"
      "    by += x\n"
      "    x = x_tape.pop()\n"
      "    by *= x\n";
  EXPECT_EQ(run(remove_carried_values, forward, backward), forward + backward);
}

}  // namespace
}  // namespace tangent::lower_tests
