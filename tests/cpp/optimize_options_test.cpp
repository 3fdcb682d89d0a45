// The passes that an option switches on, each by itself, and the rules of algebra by their own test
// lines.
#include "optimize/algebra.h"
#include "optimize_support.h"

namespace tangent::lower_tests {
namespace {

// ------------------------------------------------------------------------- strength reduction

TEST_F(Passes, ASmallPowerOfANameIsAProduct) {
  EXPECT_EQ(run(reduce_strength, "bx = 3 * by * x ** 2\n"), "bx = 3 * by * (x * x)\n");
  EXPECT_EQ(run(reduce_strength, "bx = x ** 3\n"), "bx = x * x * x\n");
  EXPECT_EQ(run(reduce_strength, "bv = 2.0 * v ** 2\n"), "bv = 2.0 * (v * v)\n");
}

TEST_F(Passes, PowersThatStay) {
  for (const std::string text : {"bx = x ** 4\n", "bx = x ** n\n", "bx = (x + y) ** 2\n",
                                 "bx = x ** 0.5\n", "k = i ** 2\n", "bx = x ** -2\n"}) {
    EXPECT_EQ(run(reduce_strength, text), text);
  }
}

TEST_F(Passes, OfThePrimalOnlyWhatIsExact) {
  EXPECT_EQ(run(reduce_strength, "y = x ** 2\nw = v ** 2\nu = v ** 3\n", ""),
            "y = x ** 2\nw = v * v\nu = v ** 3\n");
  EXPECT_EQ(run(reduce_strength, "y = x / 4.0\nz = x / 2\n", ""), "y = x * 0.25\nz = x * 0.5\n");
}

TEST_F(Passes, QuotientsThatAreNoExactProducts) {
  for (const std::string text : {"bx = by / 3.0\n", "bx = by / x\n", "bx = by / 0.0\n",
                                 "bx = by / 0.1\n", "k = i / 4\n", "bx = 1.0 / 3.0\n"}) {
    EXPECT_EQ(run(reduce_strength, text), text);
  }
}

TEST_F(Passes, StrengthInsideLoopsAndTests) {
  EXPECT_EQ(run(reduce_strength,
                "for i in range(3):\n"
                "    if x / 2.0 > 1.0:\n"
                "        bx += y / 8.0\n"),
            "for i in range(3):\n"
            "    if x * 0.5 > 1.0:\n"
            "        bx += y * 0.125\n");
}

// ------------------------------------------------------------------------- common subexpressions

TEST_F(Passes, AQuotientThatStandsTwiceHasAName) {
  EXPECT_EQ(run(share_subexpressions, "y = a / c + d\nz = np.exp(a / c)\n", ""),
            "ratio = a / c\n"
            "y = ratio + d\n"
            "z = np.exp(ratio)\n");
}

TEST_F(Passes, TheLargestPartIsShared) {
  EXPECT_EQ(run(share_subexpressions, "bx = by * (a * c + d)\nbz = by2 * (a * c + d)\n"),
            "total = a * c + d\n"
            "bx = by * total\n"
            "bz = by2 * total\n");
}

TEST_F(Passes, TheOrderOfTwoOperandsIsTheSame) {
  EXPECT_EQ(run(share_subexpressions, "y = a * c + 1.0\nz = c * a - 1.0\n", ""),
            "product = a * c\n"
            "y = product + 1.0\n"
            "z = product - 1.0\n");
}

TEST_F(Passes, AVariableThatHoldsTheValueIsItsName) {
  EXPECT_EQ(run(share_subexpressions, "t = a / c\nz = d * (a / c)\n", ""),
            "t = a / c\nz = d * t\n");
}

TEST_F(Passes, NothingIsSharedAcrossAnAssignmentOfAnOperand) {
  const std::string text = "y = a / c + d\nc = 2.0\nz = a / c\n";
  EXPECT_EQ(run(share_subexpressions, text, ""), text);
  const std::string holder = "t = a / c\nt = 2.0\nz = d * (a / c)\n";
  EXPECT_EQ(run(share_subexpressions, holder, ""), holder);
}

TEST_F(Passes, BeforeABranchIsKnownInItsArmsAndNotTheOtherWay) {
  EXPECT_EQ(run(share_subexpressions,
                "y = a / c + d\n"
                "if y > 0.0:\n"
                "    z = d * (a / c)\n",
                ""),
            "ratio = a / c\n"
            "y = ratio + d\n"
            "if y > 0.0:\n"
            "    z = d * ratio\n");
  const std::string arm =
      "if y > 0.0:\n"
      "    z = d * (a / c)\n"
      "x = a / c + 1.0\n";
  EXPECT_EQ(run(share_subexpressions, arm, ""), arm);
}

TEST_F(Passes, ALoopSharesWhatItDoesNotChange) {
  EXPECT_EQ(run(share_subexpressions,
                "y = a / c + d\n"
                "for i in range(3):\n"
                "    y = y + a / c\n",
                ""),
            "ratio = a / c\n"
            "y = ratio + d\n"
            "for i in range(3):\n"
            "    y = y + ratio\n");
  const std::string changed =
      "y = a / c + d\n"
      "for i in range(3):\n"
      "    y = y + a / c\n"
      "    c = y\n";
  EXPECT_EQ(run(share_subexpressions, changed, ""), changed);
}

TEST_F(Passes, WhatIsEvaluatedOnlySometimesGivesNoValue) {
  const std::string text =
      "if d > 0.0 and a / c > 1.0:\n"
      "    y = 1.0\n"
      "z = a / c + 1.0\n";
  EXPECT_EQ(run(share_subexpressions, text, ""), text);
}

TEST_F(Passes, ArraysHaveOneNameEach) {
  // Both would see what is added in place.
  const std::string text = "bv = by * v\nbw = by * v\nbv += w\n";
  EXPECT_EQ(run(share_subexpressions, text), text);
  EXPECT_EQ(run(share_subexpressions, "bv = by * v + w\nbw = by * v - w\n"),
            "product = by * v\n"
            "bv = product + w\n"
            "bw = product - w\n");
}

TEST_F(Passes, AStoreEndsWhatReadsArrays) {
  const std::string text =
      "y = v[i] * a + 1.0\n"
      "v[j] = 2.0\n"
      "z = v[i] * a\n";
  EXPECT_EQ(run(share_subexpressions, text, ""), text);
  // The adjoint's own arrays are no arrays of the primal.
  EXPECT_EQ(run(share_subexpressions, "bx = v[i] * a + 1.0\nbv[j] += a\nby = v[i] * a\n"),
            "product = v[i] * a\n"
            "bx = product + 1.0\n"
            "bv[j] += a\n"
            "by = product\n");
}

TEST_F(Passes, RandomNumbersAreDrawnTwice) {
  const std::string text = "y = np.random.normal() + a\nz = np.random.normal() + a\n";
  EXPECT_EQ(run(share_subexpressions, text, ""), text);
}

TEST_F(Passes, WhatIsLongAndStandsTwiceBackwardsHasAName) {
  const std::string twice = "bx = by + np.sin(a * c) * d\nbz = x - np.sin(a * c) * d\n";
  EXPECT_EQ(run(share_long_subexpressions, twice),
            "product = np.sin(a * c) * d\n"
            "bx = by + product\n"
            "bz = x - product\n");
  // Not in the user's statements, nor where a name makes nothing shorter.
  EXPECT_EQ(run(share_long_subexpressions, twice, ""), twice);
  const std::string shorter = "bx = by + a / c\nbz = x - a / c\n";
  EXPECT_EQ(run(share_long_subexpressions, shorter), shorter);
}

TEST_F(Passes, TheLongestPartThatIsWorthANameGetsOne) {
  // The whole stands once, its part three times.
  EXPECT_EQ(run(share_long_subexpressions,
                "bx = by * (a / (c * d))\nbz = x - a / (c * d)\nbs = a / (c * d) + z\n"),
            "ratio = a / (c * d)\n"
            "bx = by * ratio\n"
            "bz = x - ratio\n"
            "bs = ratio + z\n");
}

TEST_F(Passes, AShapeIsThatOfAnArrayAtHand) {
  EXPECT_EQ(run(keep_shapes,
                "v_tape = []\n"
                "for i in range(3):\n"
                "    v_tape.append(v)\n"
                "    v = v * w\n",
                "for i in range(3):\n"
                "    v = v_tape.pop()\n"
                "    bw = np.full_like(w, 2.0)\n"
                "    bv = np.zeros_like(v)\n"),
            "for i in range(3):\n"
            "    v = v * w\n"
            "for i in range(3):\n"
            "    bw = np.full_like(w, 2.0)\n"
            "    bv = np.zeros_like(bw)\n");
  // Of another length, made later, or perhaps the number zero, it is none.
  const std::string other =
      "for i in range(3):\n"
      "    v = v_tape.pop()\n"
      "    bu = np.zeros_like(u)\n"
      "    bv = np.zeros_like(v)\n"
      "    bw = bv * 2.0\n";
  EXPECT_EQ(
      run(keep_shapes, "for i in range(3):\n    v_tape.append(v)\n    v = v * w\n", other),
      "for i in range(3):\n    v_tape.append(np.broadcast_to(0.0, v.shape))\n    v = v * w\n" +
          other);
}

TEST_F(Passes, OfThePrimalOnlyCallsAreShared) {
  EXPECT_EQ(run(share_calls, "y = np.sin(x) + a * c\nz = np.sin(x) - a * c\n", ""),
            "sin_x = np.sin(x)\n"
            "y = sin_x + a * c\n"
            "z = sin_x - a * c\n");
}

// ------------------------------------------------------------------------- tape liveness

TEST_F(Passes, ATapeOfWhichTheSizeIsReadKeepsSizes) {
  EXPECT_EQ(run(keep_shapes,
                "for i in range(3):\n"
                "    v = v * 0.5\n"
                "    v_tape.append(v)\n",
                "for i in range(3):\n"
                "    v = v_tape.pop()\n"
                "    bw += by / v.size\n"),
            "for i in range(3):\n"
            "    v = v * 0.5\n"
            "    v_tape.append(v.size)\n"
            "for i in range(3):\n"
            "    v_size = v_tape.pop()\n"
            "    bw += by / v_size\n");
}

TEST_F(Passes, ATapeOfWhichMoreThanOneAttributeIsReadKeepsAStandIn) {
  EXPECT_EQ(run(keep_shapes,
                "for i in range(3):\n"
                "    v_tape.append(v)\n",
                "for i in range(3):\n"
                "    v = v_tape.pop()\n"
                "    bw = np.zeros_like(v)\n"),
            "for i in range(3):\n"
            "    v_tape.append(np.broadcast_to(0.0, v.shape))\n"
            "for i in range(3):\n"
            "    v = v_tape.pop()\n"
            "    bw = np.zeros_like(v)\n");
}

TEST_F(Passes, ATapeOfWhichAValueIsReadKeepsIt) {
  const std::string forward =
      "for i in range(3):\n"
      "    v_tape.append(v)\n";
  const std::string same_iteration =
      "for i in range(3):\n"
      "    v = v_tape.pop()\n"
      "    bw += by * v / v.size\n";
  EXPECT_EQ(run(keep_shapes, forward, same_iteration), forward + same_iteration);
  // The next iteration reads what this one took.
  const std::string next_iteration =
      "for i in range(3):\n"
      "    bw += by * v\n"
      "    v = v_tape.pop()\n"
      "    bx += by / v.size\n";
  EXPECT_EQ(run(keep_shapes, forward, next_iteration), forward + next_iteration);
  const std::string numbers = "x_tape.append(x)\nx = x_tape.pop()\n";
  EXPECT_EQ(run(keep_shapes, numbers), numbers);
}

// ------------------------------------------------------------------------- algebra

TEST_F(Passes, ExpressionsBecomeShorterOnesOfTheSameType) {
  EXPECT_EQ(run(simplify_algebra, "y = x * a + x * c\n", ""), "y = x * (a + c)\n");
  EXPECT_EQ(run(simplify_algebra, "y = np.sin(x) ** 2 + np.cos(x) ** 2 + a\n", ""), "y = a + 1\n");
  EXPECT_EQ(run(simplify_algebra, "y = np.exp(x) * np.exp(a)\n", ""), "y = np.exp(x + a)\n");
  EXPECT_EQ(run(simplify_algebra, "bv = by * v + by * w\n"), "bv = by * (v + w)\n");
}

TEST_F(Passes, ArraysKeepTheirShape) {
  for (const std::string text :
       {"bv = v - v\n", "bv = np.sin(v) ** 2 + np.cos(v) ** 2\n", "bv = v / v\n"}) {
    EXPECT_EQ(run(simplify_algebra, text), text);
  }
}

TEST_F(Passes, TestsIndicesAndTapesStayAsTheyAre) {
  for (const std::string text : {"if x + 0.0 > 1.0 * x:\n    y = 1.0\n", "x = v[i + 0]\n",
                                 "x = x_tape.pop() + x_tape.pop()\n"}) {
    EXPECT_EQ(run(simplify_algebra, text, ""), text);
  }
}

TEST_F(Passes, ANameOfOneNumberIsReadAsIt) {
  EXPECT_EQ(run(propagate_constants, "a = 1.0\ny = a * x\nif y > 0.0:\n    z = a\n", ""),
            "a = 1.0\ny = 1.0 * x\nif y > 0.0:\n    z = 1.0\n");
  const std::string twice = "a = 1.0\ny = a * x\na = 2.0\nz = a\n";
  EXPECT_EQ(run(propagate_constants, twice, ""), twice);
  const std::string sometimes = "if x > 0.0:\n    a = 1.0\ny = a * x\n";
  EXPECT_EQ(run(propagate_constants, sometimes, ""), sometimes);
}

struct AlgebraLine {
  const char* from;
  const char* to;
  const char* example;
  const char* result;
};

TEST(Algebra, EveryRuleDoesWhatItsTestLineSays) {
  constexpr AlgebraLine kLines[] = {
#define NORMAL(from, to, example, result) {from, to, example, result},
#define RULE(from, to, example, result) {from, to, example, result},
#include "optimize/algebra_rules.def"
  };
  for (const AlgebraLine& line : kLines) {
    const algebra::F got = algebra::simplify(algebra::parse_formula(line.example));
    const algebra::F want = algebra::parse_formula(line.result);
    EXPECT_EQ(algebra::text(got), algebra::text(want)) << line.example;
    EXPECT_NE(algebra::parse_formula(line.from), nullptr) << line.from;
    EXPECT_NE(algebra::parse_formula(line.to), nullptr) << line.to;
  }
}

TEST(Algebra, FormulasAreWrittenAsAPersonWould) {
  const auto written = [](const char* formula) {
    return algebra::text(algebra::parse_formula(formula));
  };
  EXPECT_EQ(written("-1 * x + y"), "y - x");
  EXPECT_EQ(written("x * y ** -1"), "x / y");
  EXPECT_EQ(written("x ** 1.5"), "x * sqrt(x)");
  EXPECT_EQ(written("x ** -0.5"), "1 / sqrt(x)");
  EXPECT_EQ(written("(x + 1) * -y"), "-y * (x + 1)");
  EXPECT_EQ(written("x / 3"), "x / 3.0");
  EXPECT_EQ(written("-(x + y) ** 2"), "-(x + y) ** 2");
  EXPECT_EQ(written("x ** (n + 1)"), "x ** (n + 1)");
  EXPECT_EQ(algebra::parse_formula("x +"), nullptr);
  EXPECT_EQ(algebra::parse_formula("f(x"), nullptr);
  EXPECT_EQ(algebra::parse_formula("x y"), nullptr);
}

TEST(Algebra, ExpandingFactoringAndDividing) {
  const auto simple = [](const char* formula) {
    return algebra::text(algebra::simplify(algebra::parse_formula(formula)));
  };
  EXPECT_EQ(simple("x * y + x * z"), "x * (y + z)");
  EXPECT_EQ(simple("(x + 1) ** 2 - x ** 2 - 2 * x - 1"), "0");
  EXPECT_EQ(simple("(x ** 2 - 1) / (x - 1)"), "x + 1");
  EXPECT_EQ(simple("x ** 3 - 2 * x ** 2 + 3 * x - 1"), "x * (x * (x - 2) + 3) - 1");
  EXPECT_EQ(simple("a / x + b / x"), "(a + b) / x");
}

}  // namespace
}  // namespace tangent::lower_tests
