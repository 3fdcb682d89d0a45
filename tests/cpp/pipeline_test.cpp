// The whole road without CPython: text, core program, gradient. What the sanitizers run over.
//
// Of the texts, the lines that the derivative hangs on are compared; that they compute the right
// numbers is what the Python tests are for.
#include "pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lower_support.h"
#include "rule_parser.h"

namespace tangent::lower_tests {
namespace {

void expect_in(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
  }
}

class Road : public ::testing::Test {
 protected:
  std::string gradient(std::string_view text, const std::vector<Type>& types,
                       std::vector<int> wrt = {0}) {
    Builder b;
    b.module("np", "numpy", 801);
    b.module("math", "math", 802);
    b.library("range", "builtins.range", 803);
    b.library("len", "builtins.len", 804);
    const Block module = testing::RuleParser(text, b.context).statements();
    const auto* definition = as<FunctionDefinition>(module[0]);
    b.user(definition, 0);  // a function knows itself
    RuleBook rules(b.context.symbols(),
                   [](std::string_view record, std::string_view, int, Context& into) {
                     return testing::RuleParser(record, into).statements();
                   });
    const CoreFunction core =
        tangent::lower({.definition = definition}, 0, b.outside, rules, b.context);
    verify_core(core);
    const std::unique_ptr<Context> own = b.context.child();
    GradientOptions options;
    options.wrt = std::move(wrt);
    options.function_name = "df";
    Emitted emitted = differentiate(core, types, {}, options, b.outside, rules, *own);
    // The source map has a row for every line.
    EXPECT_EQ(emitted.lines.size(),
              static_cast<std::size_t>(std::ranges::count(emitted.text, '\n')));
    return std::move(emitted.text);
  }

  Type array(const std::vector<Dim>& dims) {
    return Type::array(DType::Float64, types_.copy(dims));
  }

  const Type f = Type::number(DType::Float64);

 private:
  Arena types_;
};

TEST_F(Road, AFunctionThatCallsItself) {
  const std::string text = gradient(
      "def f(x, n):\n"
      "    if n == 0:\n"
      "        return x[0]\n"
      "    y = f(x[1:], n - 1)\n"
      "    for k in range(n):\n"
      "        y = y * x[k] + f(x, k - n)\n"
      "    return y\n",
      {array({Dim{2}}), Type::number(DType::Integer)});
  expect_in(text, {"y, y_tape = _f_forward(x, n)", "_f_backward(y_tape, by, bx)",
                   "def _f_forward(x, n):", "def _f_backward(tape, by, bx):",
                   "if tape is None:\n        # Grad of: return x[0]\n        bx[0] += by"});
}

TEST_F(Road, ALoopWithABreak) {
  const std::string text = gradient(
      "def f(x, rate):\n"
      "    total = 0.0\n"
      "    for k in range(10):\n"
      "        x += rate * (k - x)\n"
      "        if x > 3.0:\n"
      "            break\n"
      "        total = total + (k - x) ** 2\n"
      "    return total\n",
      {f, f}, {0, 1});
  expect_in(text, {"broke = True", "bx -= 2 * btotal * (k - ", "brate += bx * (k - ",
                   "bx *= 1 - rate", "return bx, brate"});
}

TEST_F(Road, AWhileWithATape) {
  const std::string text = gradient(
      "def f(x):\n"
      "    while x < 100.0:\n"
      "        x = x * x + math.sin(x)\n"
      "    return x\n",
      {f});
  expect_in(text, {"x_tape.append(x)", "x = x_tape.pop()", "bx *= 2 * x + math.cos(x)"});
}

TEST_F(Road, ArraysThatAreBroadcast) {
  const std::string text = gradient(
      "def f(w, b, x):\n"
      "    hidden = np.tanh(x @ w + b)\n"
      "    scaled = hidden / np.sum(hidden, axis=1, keepdims=True)\n"
      "    return np.sum(scaled * b)\n",
      {array({Dim{2}, Dim{3}}), array({Dim{3}}), array({Dim{4}, Dim{2}})}, {0, 1});
  expect_in(text, {"bb = by * np.sum(scaled, axis=0)", "(1 - hidden * hidden)", "return x.T @ ",
                   "axis=1, keepdims=True))"});
}

TEST_F(Road, BranchesAndEarlyReturns) {
  const std::string text = gradient(
      "def f(x, n):\n"
      "    y = x\n"
      "    for k in range(n):\n"
      "        if k > 2 and y > 1.0:\n"
      "            return y * x\n"
      "        if k == 1:\n"
      "            continue\n"
      "        y = y * np.exp(-x)\n"
      "    return y\n",
      {f, Type::number(DType::Integer)});
  expect_in(text,
            {"returned = True", "bx = by * y", "reversed(range(n)[:count])", "return bx + by2"});
}

}  // namespace
}  // namespace tangent::lower_tests
