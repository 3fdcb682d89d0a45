// Lowering of large and deep functions, and the verifier of the contract.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "lower_support.h"

namespace tangent::lower_tests {
namespace {

TEST(LowerLimits, LongSumsAreNotRecursedInto) {
  Builder b;
  const Expr* sum = b.name("x");
  for (int i = 0; i < 2000; ++i) sum = b.add(sum, b.name("x"));
  EXPECT_EQ(b.lower(b.function("f", {"x"}, {b.returns(sum)})).body.size(), 1U);
}

TEST(LowerLimits, WhatIsTooDeepIsRefused) {
  Builder b;
  const Expr* tower = b.name("x");
  for (int i = 0; i < 5000; ++i) tower = b.binary(b.name("x"), BinaryOperator::Power, tower);
  EXPECT_EQ(refused([&] { b.lower(b.function("f", {"x"}, {b.returns(tower)})); }), "TooDeep");
}

// As deep as CPython itself takes.
TEST(LowerLimits, NestedLoopsAndBranches) {
  Builder b;
  auto nested = [&](int loops, int branches) {
    const Stmt* body = b.assign("x", b.multiply(b.name("x"), b.name("x")));
    for (int i = 0; i < branches; ++i) body = b.branch(b.name("x"), {body});
    for (int i = 0; i < loops; ++i) body = b.loop("i" + std::to_string(i), b.name("x"), {body});
    const FunctionDefinition* definition = b.function("f", {"x"}, {body, b.returns(b.name("x"))});
    return refused([&] { b.lower(definition); });
  };
  EXPECT_EQ(nested(20, 76), "");
  EXPECT_EQ(nested(21, 0), "TooDeep");
  EXPECT_EQ(nested(0, 97), "TooDeep");
}

// Linear: ten times the statements take ten times as long, not a hundred times. The clock is that
// of this process, so that a busy machine does not matter.
TEST(LowerLimits, TenThousandStatements) {
  const auto ticks = [](std::size_t count) {
    std::clock_t least = std::numeric_limits<std::clock_t>::max();
    for (int round = 0; round < 3; ++round) {
      Builder b;
      std::vector<const Stmt*> body;
      for (std::size_t i = 0; i < count; ++i) {
        body.push_back(b.assign("y" + std::to_string(i), b.multiply(b.name("x"), b.name("x"))));
      }
      body.push_back(b.returns(b.name("x")));
      const FunctionDefinition* definition = b.function("f", {"x"}, body);
      const std::clock_t start = std::clock();
      EXPECT_EQ(b.lower(definition).body.size(), count + 1);
      least = std::min(least, std::clock() - start);
    }
    return static_cast<double>(least);
  };
  const double few = ticks(1000);
  EXPECT_LT(ticks(10000), 40.0 * few);
}

// if … : return … three hundred times: one chain of branches.
TEST(LowerLimits, ManyEarlyReturns) {
  Builder b;
  std::vector<const Stmt*> body;
  for (int i = 0; i < 300; ++i) {
    body.push_back(b.branch(b.less(b.name("x"), b.number(i)), {b.returns(b.number(i))}));
  }
  const CoreFunction core = b.lower(b.function("f", {"x"}, body));
  ASSERT_EQ(core.body.size(), 1U);
  EXPECT_EQ(core.body[0]->kind, Kind::If);
}

// ---------------------------------------------------------------------------------------------------

CoreFunction core_of(Builder& b, const std::vector<const Stmt*>& body) {
  CoreFunction core;
  core.name = b.context.symbol("f");
  core.parameters = b.function("f", {"x"}, {})->parameters;
  core.body = b.context.list(body);
  return core;
}

TEST(VerifyCore, TakesWhatKeepsTheContract) {
  Builder b;
  const Expr* x = b.context.local(b.context.symbol("x"));
  EXPECT_NO_THROW(verify_core(core_of(b, {b.returns(x)})));
}

TEST(VerifyCore, NamesWhatIsBroken) {
  Builder b;
  const Expr* x = b.context.local(b.context.symbol("x"));
  const Expr* y = b.context.local(b.context.symbol("y"));
  const Expr* global = b.context.global(b.context.symbol("scale"));
  const Stmt* done = b.returns(x);
  const Expr* call = b.context.make<Call>(Ranges(), x, Symbol(), Exprs(), List<const Keyword*>());
  const std::vector<std::pair<std::vector<const Stmt*>, std::string>> cases = {
      {{}, "a path without a return"},
      {{b.context.assign(y, x)}, "a path without a return"},
      {{done, done}, "a return that is not in tail position"},
      {{b.returns(b.name("x"))}, "a name of no scope"},
      {{b.returns(y)}, "a local that nothing assigns"},
      {{b.returns(global)}, "an unbound global"},
      {{b.context.make<Break>(Ranges()), done}, "a break outside loops"},
      {{b.context.make<Continue>(Ranges()), done}, "a statement that the core has not"},
      {{b.returns(call)}, "a call of no function"},
      {{b.context.make<If>(Ranges(), x, Block(), Block()), done}, "an empty branch"},
      {{b.context.make<Assign>(Ranges(), b.context.list({y, y}), x), done},
       "an assignment to several targets"},
      {{b.context.assign(global, x), done}, "a target that is no local"},
      {{b.context.make<For>(Ranges(), y, x, b.context.list({done}), Block(), false), done},
       "a return that is not in tail position"},
      {{b.returns(b.context.make<NamedExpression>(Ranges(), y, x))},
       "an expression that the core has not"},
  };
  for (const auto& [body, message] : cases) {
    try {
      verify_core(core_of(b, body));
      ADD_FAILURE() << "not found: " << message;
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace tangent::lower_tests
