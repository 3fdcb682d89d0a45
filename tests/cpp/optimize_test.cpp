// The passes over the adjoint program that run by default; optimize_support.h runs one alone.
#include "optimize_support.h"

namespace tangent::lower_tests {
namespace {

// ------------------------------------------------------------------------- restores

TEST_F(Passes, ARestoreOfWhatDidNotChangeGoesWithItsSave) {
  EXPECT_EQ(run(remove_restores,
                "old_x = x\n"
                "a = math.sqrt(x)\n"
                "x = old_x\n"
                "bx = x * a\n"),
            "a = math.sqrt(x)\n"
            "bx = x * a\n");
  // What reads the save keeps it.
  EXPECT_EQ(run(remove_restores,
                "old_x = x\n"
                "x = old_x\n"
                "bx = old_x\n"),
            "old_x = x\n"
            "bx = old_x\n");
}

TEST_F(Passes, ARestoreOfWhatMayHaveChangedStays) {
  for (const std::string between : {"x = x + 1.0\n", "x += 1.0\n", "if a > 0.0:\n    x = a\n",
                                    "for x in range(3):\n    a = x\n", "old_x = a\n"}) {
    const std::string text = "old_x = x\n" + between + "x = old_x\nbx = x\n";
    EXPECT_EQ(run(remove_restores, text), text);
  }
}

// ---------------------------------------------------------------------------- recompute

TEST_F(Passes, WhatFollowsFromTheLoopsVariableIsComputedAgain) {
  EXPECT_EQ(run_turned(recompute,
                       "for i in range(n):\n"
                       "    c = x * i\n"
                       "    y_tape.append(y)\n"
                       "    y = y * c\n"
                       "    c_tape.append(c)\n",
                       "for i in reversed(range(n)):\n"
                       "    c = c_tape.pop()\n"
                       "    y = y_tape.pop()\n"
                       "    bx += by * y * i\n"
                       "    by *= c\n"),
            "for i in range(n):\n"
            "    c = x * i\n"
            "    y_tape.append(y)\n"
            "    y = y * c\n"
            "\n"
            "for i in reversed(range(n)):\n"
            "    c = x * i\n"
            "    y = y_tape.pop()\n"
            "    bx += by * y * i\n"
            "    by *= c\n");
}

TEST_F(Passes, WhatIsTakenFromATapeMovesUpToWhereItIsNeeded) {
  EXPECT_EQ(run_turned(recompute,
                       "for i in range(n):\n"
                       "    c = x * y\n"
                       "    y_tape.append(y)\n"
                       "    y = y + c\n"
                       "    c_tape.append(c)\n",
                       "for i in reversed(range(n)):\n"
                       "    c = c_tape.pop()\n"
                       "    bt = by * c\n"
                       "    y = y_tape.pop()\n"
                       "    bx += by * y\n"),
            "for i in range(n):\n"
            "    c = x * y\n"
            "    y_tape.append(y)\n"
            "    y = y + c\n"
            "\n"
            "for i in reversed(range(n)):\n"
            "    y = y_tape.pop()\n"
            "    c = x * y\n"
            "    bt = by * c\n"
            "    bx += by * y\n");
}

TEST_F(Passes, ValuesInBetweenComeAlong) {
  EXPECT_EQ(run_turned(recompute,
                       "for i in range(n):\n"
                       "    s = x * i\n"
                       "    c = s + 1.0\n"
                       "    y = y * c\n"
                       "    c_tape.append(c)\n",
                       "for i in reversed(range(n)):\n"
                       "    c = c_tape.pop()\n"
                       "    by *= c\n"),
            "for i in range(n):\n"
            "    s = x * i\n"
            "    c = s + 1.0\n"
            "    y = y * c\n"
            "\n"
            "for i in reversed(range(n)):\n"
            "    s = x * i\n"
            "    c = s + 1.0\n"
            "    by *= c\n");
}

TEST_F(Passes, WhatCannotBeComputedAgainIsKept) {
  const auto unchanged = [&](std::string_view forward, std::string_view backward) {
    EXPECT_EQ(run_turned(recompute, forward, backward),
              std::string(forward) + "\n" + std::string(backward));
  };
  constexpr std::string_view kBackward =
      "for i in reversed(range(n)):\n"
      "    c = c_tape.pop()\n"
      "    by *= c\n";
  // It reads what the loop changes, and nobody keeps that.
  unchanged(
      "for i in range(n):\n"
      "    c = x * y\n"
      "    y = y + c\n"
      "    c_tape.append(c)\n",
      kBackward);
  // An argument that is bound anew behind the loop.
  unchanged(
      "for i in range(n):\n"
      "    c = x * i\n"
      "    c_tape.append(c)\n"
      "x = 2.0\n",
      kBackward);
  // Two values of one name in an iteration.
  unchanged(
      "for i in range(n):\n"
      "    c = x * i\n"
      "    c = c + 1.0\n"
      "    c_tape.append(c)\n",
      kBackward);
  // The variable of the loop is not that of the loop backwards.
  unchanged(
      "for i in range(n):\n"
      "    c = x * i\n"
      "    c_tape.append(c)\n",
      "for j in reversed(range(n)):\n"
      "    c = c_tape.pop()\n"
      "    by *= c\n");
  // The value before is that of the iteration before.
  unchanged(
      "for i in range(n):\n"
      "    c = 0.5 * c + i\n"
      "    c_tape.append(c)\n",
      kBackward);
  // Arrays, calls, and long expressions.
  unchanged(
      "for i in range(n):\n"
      "    w = v * i\n"
      "    w_tape.append(w)\n",
      "for i in reversed(range(n)):\n"
      "    w = w_tape.pop()\n"
      "    bv += bw * w\n");
  unchanged(
      "for i in range(n):\n"
      "    c = np.exp(x * i)\n"
      "    c_tape.append(c)\n",
      kBackward);
  unchanged(
      "for i in range(n):\n"
      "    c = x * i + x * x - x / x + 2.0 * x\n"
      "    c_tape.append(c)\n",
      kBackward);
}

TEST_F(Passes, APopThatIsReadInBetweenStaysWhereItIs) {
  constexpr std::string_view kForward =
      "for i in range(n):\n"
      "    c = x * y\n"
      "    y_tape.append(y)\n"
      "    y = y + c\n"
      "    c_tape.append(c)\n";
  // In between, `y` is still the value of the iteration behind.
  constexpr std::string_view kBackward =
      "for i in reversed(range(n)):\n"
      "    c = c_tape.pop()\n"
      "    bt = y * c\n"
      "    y = y_tape.pop()\n"
      "    bx += by * y\n";
  EXPECT_EQ(run_turned(recompute, kForward, kBackward),
            std::string(kForward) + "\n" + std::string(kBackward));
}

// ------------------------------------------------------------------------- join elements

TEST_F(Passes, AContributionJoinsTheStoreThatClears) {
  EXPECT_EQ(run(join_elements,
                "bnew = bv[i]\n"
                "bv[i] = 0.0\n"
                "bv[i] += 2.0 * bnew\n"),
            "bnew = bv[i]\n"
            "bv[i] = 2.0 * bnew\n");
  EXPECT_EQ(run(join_elements,
                "bnew = bv[i]\n"
                "bv[i] = 0.0\n"
                "bv[i] -= a * bnew\n"),
            "bnew = bv[i]\n"
            "bv[i] = -a * bnew\n");
}

TEST_F(Passes, AContributionJoinsTheStoreThatClearsAPart) {
  EXPECT_EQ(run(join_elements,
                "bw = bv[:].copy()\n"
                "bv[:] = 0.0\n"
                "bv[:] += 2 * bw * v\n"),
            "bw = bv[:].copy()\n"
            "bv[:] = 2 * bw * v\n");
  // A view of what is cleared reads zeros; so may an adjoint that this block did not make.
  for (const std::string view : {"bw = bv[:]\n", "bw = bv\n", ""}) {
    const std::string text = view + "bv[:] = 0.0\nbv[:] += 2 * bw * v\n";
    EXPECT_EQ(run(join_elements, text), text);
  }
}

TEST_F(Passes, ContributionsToOneElementBecomeOne) {
  EXPECT_EQ(run(join_elements,
                "bv[i] += a\n"
                "bv[j] += b\n"
                "bv[i] -= c\n"),
            "bv[i] += a - c\n"
            "bv[j] += b\n");
  EXPECT_EQ(run(join_elements,
                "bv[i] -= a\n"
                "bv[i] -= c\n"),
            "bv[i] -= a + c\n");
  EXPECT_EQ(run(join_elements,
                "bv[i] -= a\n"
                "bv[i] += c\n"),
            "bv[i] += c - a\n");
  EXPECT_EQ(run(join_elements,
                "bv[i] += a\n"
                "bv[i] += c\n"
                "bv[i] += d\n"),
            "bv[i] += a + c + d\n");
}

TEST_F(Passes, NothingJoinsAcrossAReadOrAWriteOfTheArray) {
  for (const std::string between :
       {"x = bv[j]\n", "x = np.sum(bv)\n", "bv[j] = 0.0\n", "bv *= 2.0\n", "i = i - 1\n"}) {
    const std::string text = "bv[i] += a\n" + between + "bv[i] += c\n";
    EXPECT_EQ(run(join_elements, text), text);
  }
}

// bv[j] may be bv[i]: what it gets after the clearing store is not lost.
TEST_F(Passes, AClearingStoreStaysBeforeWhatMayBeTheSameElement) {
  const std::string_view moving =
      "bnew = bv[i]\n"
      "bv[i] = 0.0\n"
      "bv[j] += bnew\n"
      "a = 2.0 * bnew\n"
      "bv[i] += a\n";
  EXPECT_EQ(run(join_elements, moving), moving);
  // Constant indices that differ are two elements, unless one counts from the end.
  EXPECT_EQ(run(join_elements,
                "bv[0] = 0.0\n"
                "bv[1] += d\n"
                "a = 2.0 * d\n"
                "bv[0] += a\n"),
            "bv[1] += d\n"
            "a = 2.0 * d\n"
            "bv[0] = a\n");
}

TEST_F(Passes, WhatIsTakenFromATapeStaysWhereItIs) {
  EXPECT_EQ(run(join_elements,
                "bv[i] += a\n"
                "d = d_tape.pop()\n"
                "bv[i] += c_tape.pop()\n"),
            "d = d_tape.pop()\n"
            "bv[i] += a + c_tape.pop()\n");
  const std::string_view both =
      "bv[i] += c_tape.pop()\n"
      "d = c_tape.pop()\n"
      "bv[i] += c_tape.pop()\n";
  EXPECT_EQ(run(join_elements, both), both);
}

TEST_F(Passes, SlicesAndOtherArraysAreLeftAlone) {
  for (const std::string_view text : {"bv[1:] += w\nbv[1:] += w\n", "bv[i] += a\nbw[i] += c\n",
                                      "bv[i] *= a\nbv[i] *= c\n", "v[i] += a\nv[i] += c\n"}) {
    EXPECT_EQ(run(join_elements, text), text);
  }
}

TEST_F(Passes, JoinsInsideLoopsAndBranches) {
  EXPECT_EQ(run(join_elements,
                "for i in range(3):\n"
                "    if a > c:\n"
                "        bv[i] += a\n"
                "        bv[i] += c\n"),
            "for i in range(3):\n"
            "    if a > c:\n"
            "        bv[i] += a + c\n");
}

// ------------------------------------------------------------------------- join updates

TEST_F(Passes, AnUpdateAndAScaleOfOneNumberBecomeOne) {
  EXPECT_EQ(run(join_updates, "bx += a * c\nbx *= 1.1\n"), "bx = 1.1 * (bx + a * c)\n");
  EXPECT_EQ(run(join_updates, "bx -= a\nbx *= c\n"), "bx = c * (bx - a)\n");
  EXPECT_EQ(run(join_updates, "bx += a\nbx /= c\n"), "bx = (bx + a) / c\n");
  EXPECT_EQ(run(join_updates, "for i in range(3):\n    bx += a\n    bx *= c\n"),
            "for i in range(3):\n    bx = c * (bx + a)\n");
}

TEST_F(Passes, UpdatesThatStayTwo) {
  for (const std::string_view text : {
           "bv += w\nbv *= 1.1\n",               // an array works in place
           "bx *= c\nbx += a\n",                 // the other way round
           "bx += a\nby *= c\n",                 // two numbers
           "bx += a\nd = bx\nbx *= c\n",         // read between
           "bx += a\nbx *= bx\n",                // the factor is the number itself
           "bx += a * bx\nbx *= c\n",            // the term reads it
           "bx += a\nbx *= c_tape.pop()\n",      // not pure
           "x += a\nx *= c\n",                   // no adjoint
           "bx += a\nif a > c:\n    bx *= c\n",  // not always
           "bx += a1234567890 * c1234567890 * d1234567890\nbx *= e1234567890 * f1234567890\n",
       }) {
    EXPECT_EQ(run(join_updates, text), text);
  }
}

// ------------------------------------------------------------------------- dead code: shapes

// `v + w` raises if the lengths differ; dropping it is right if the backward part would raise
// too.
TEST_F(Passes, AStatementThatCouldRaiseStaysUnlessItsShapesMeetAgain) {
  EXPECT_EQ(run(remove_dead_code, "d = v * u\n", "return v\n"), "v * u\nreturn v\n");
  EXPECT_EQ(run(remove_dead_code, "d = v * u\n", "bv = u + v\nreturn bv\n"),
            "bv = u + v\nreturn bv\n");
  EXPECT_EQ(run(remove_dead_code, "d = np.sum(v - u)\n", "bv = 2.0 * (v / u)\nreturn bv\n"),
            "bv = 2.0 * (v / u)\nreturn bv\n");
  // Of one length by type: nothing to raise.
  EXPECT_EQ(run(remove_dead_code, "d = v * w\n", "return v\n"), "return v\n");
}

TEST_F(Passes, ShapesThatMeetOnlySometimesOrNotAtAllKeepTheStatement) {
  for (const std::string_view backward : {
           "for i in range(3):\n    v = u + v\nreturn v\n",  // perhaps no trip
           "if x > 0.0:\n    v = u + v\nreturn v\n",         // perhaps not
           "bv = v + w\nreturn bv\n",                        // other shapes
           "bv = u + u\nreturn bv\n",
           "a = u + v\nreturn v\n",  // dead itself
       }) {
    const std::string text = run(remove_dead_code, "d = v * u\n", backward);
    EXPECT_TRUE(text.starts_with("v * u\n")) << text;
  }
}

TEST_F(Passes, ATapeThatNobodyReadsGoesWithItsPushes) {
  EXPECT_EQ(run(remove_dead_code,
                "x_tape = []\n"
                "for i in range(3):\n"
                "    x_tape.append(x)\n"
                "    x = x * 2.0\n",
                "for i in reversed(range(3)):\n"
                "    x = x_tape.pop()\n"
                "    bx *= 2.0\n"
                "return bx\n"),
            "for i in reversed(range(3)):\n"
            "    bx *= 2.0\n"
            "return bx\n");
}

TEST_F(Passes, WhatTheForwardPartStoresStays) {
  EXPECT_EQ(run(remove_dead_code, "v[i] = x\n", "return bx\n"), "v[i] = x\nreturn bx\n");
}

// ------------------------------------------------------------------------- copies

TEST_F(Passes, ACopyThatNothingTellsFromTheArrayIsAName) {
  EXPECT_EQ(run(remove_copies,
                "bw = bv + x * v\n"
                "bv = np.copy(bw)\n"
                "bx = np.sum(bw * v)\n"
                "return bv * bx\n"),
            "bw = bv + x * v\n"
            "bv = bw\n"
            "bx = np.sum(bw * v)\n"
            "return bv * bx\n");
}

TEST_F(Passes, ACopyOfWhatIsChangedOrGivenBackStays) {
  for (const std::string text : {
           // One of the two, or a view of it, is changed in place.
           "bw = v * x\nbv = np.copy(bw)\nbv += v\nbx = np.sum(bw)\n",
           "bw = v * x\nbv = np.copy(bw)\nbw[0] = 1.0\nbx = np.sum(bv)\n",
           "bw = v * x\nbv = np.copy(bw)\nbu = bw[1:]\nbu[0] += 1.0\nbx = np.sum(bv)\n",
           "bw = v * x\nbv = np.copy(bw)\nw_tape.append(bv)\nbu = w_tape.pop()\nbu += 1.0\n",
           // Both are given back, or what the caller gave.
           "bw = v * x\nbv = np.copy(bw)\nreturn bv * bw\n",
           "bv = np.copy(bw)\nreturn bv\n",
       }) {
    EXPECT_EQ(run(remove_copies, text), text);
  }
}

// ------------------------------------------------------------------------- first stores

TEST_F(Passes, TheFirstContributionToZerosIsStored) {
  EXPECT_EQ(run(first_stores,
                "bv = np.zeros_like(v)\n"
                "bv[1:] += 2.0 * bu\n"
                "bv[:-1] += bu\n"),
            "bv = np.zeros_like(v)\n"
            "bv[1:] = 2.0 * bu\n"
            "bv[:-1] += bu\n");
  EXPECT_EQ(run(first_stores,
                "bv = np.zeros_like(v)\n"
                "bv[0] += bx\n"
                "by = 2.0 * bx\n"
                "bv[1] -= a * by\n"
                "bv[-1] += bx\n"),
            "bv = np.zeros_like(v)\n"
            "bv[0] = bx\n"
            "by = 2.0 * bx\n"
            "bv[1] = -a * by\n"
            "bv[-1] += bx\n");
}

TEST_F(Passes, WhatMayNotBeTheFirstContributionIsAdded) {
  for (const std::string text : {
           // Another name, a read, a branch, a loop; what was there before.
           "bv = np.zeros_like(v)\nbw = bv\nbw[0] += bx\nbv[0] += bx\n",
           "bv = np.zeros_like(v)\nbx += bv[0]\nbv[0] += bx\n",
           "bv = np.zeros_like(v)\nif x > 0.0:\n    bv[0] += bx\nbv[0] += bx\n",
           "bv = np.zeros_like(v)\nfor i in range(3):\n    bv[i] += bx\nbv[0] += bx\n",
           "bv[0] += bx\n",
           "bv = np.ones_like(v)\nbv[0] += bx\n",
           "bv = np.zeros_like(v)\nbv += bw\nbv[0] += bx\n",
           "bv = np.zeros_like(v)\nbv[0] *= bx\nbv[0] += bx\n",
           "bv = np.zeros_like(v)\nbv[0] += bv[1] * bx\n",
       }) {
    EXPECT_EQ(run(first_stores, text), text);
  }
}

}  // namespace
}  // namespace tangent::lower_tests
