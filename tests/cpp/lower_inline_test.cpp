// Inlining: names, globals of callees, order of evaluation, limits.
#include <gtest/gtest.h>

#include "lower_support.h"

namespace tangent::lower_tests {
namespace {

TEST(LowerInline, ExpressionIsPutInPlace) {
  Builder b;
  b.user(b.function("twice", {"x"}, {b.returns(b.multiply(b.number(2.0), b.name("x")))}), 1);
  EXPECT_EQ(
      b.text(b.function("f", {"a"},
                        {b.returns(b.call(b.name("twice"), {b.add(b.name("a"), b.number(1.0))}))})),
      "return 2.0 * (a + 1.0)\n");
}

TEST(LowerInline, LocalsThatClashGetANumber) {
  Builder b;
  b.user(b.function("g", {"x"},
                    {b.assign("t", b.multiply(b.name("x"), b.name("x"))),
                     b.returns(b.add(b.name("t"), b.name("x")))}),
         1);
  EXPECT_EQ(b.text(b.function("f", {"t"},
                              {b.assign("y", b.call(b.name("g"), {b.name("t")})),
                               b.returns(b.add(b.name("y"), b.name("t")))})),
            "t2 = t * t\ny = t2 + t\nreturn y + t\n");
}

// The callee's SCALE is another object than the caller's.
TEST(LowerInline, GlobalsThatClashGetAnAlias) {
  Builder b;
  b.user(b.function("g", {"x"}, {b.returns(b.multiply(b.name("x"), b.name("SCALE")))}), 1);
  b.value(0, "SCALE", 50);
  b.value(1, "SCALE", 51);
  const CoreFunction core =
      b.lower(b.function("f", {"a"},
                         {b.returns(b.add(b.multiply(b.name("a"), b.name("SCALE")),
                                          b.call(b.name("g"), {b.name("a")})))}));
  EXPECT_EQ(print(core.body).text, "return a * SCALE + a * SCALE2\n");
  ASSERT_EQ(core.globals.size(), 2U);
  const GlobalBinding* alias = core.find_global(b.context.symbol("SCALE2"));
  ASSERT_NE(alias, nullptr);
  EXPECT_EQ(alias->original.text(), "SCALE");
  EXPECT_EQ(alias->function, 1);
  EXPECT_EQ(alias->thing.handle, 51);
}

TEST(LowerInline, GlobalsOfTheSameObjectAreOne) {
  Builder b;
  b.user(b.function("g", {"x"}, {b.returns(b.multiply(b.name("x"), b.name("SCALE")))}), 1);
  b.value(-1, "SCALE", 50);
  const CoreFunction core = b.lower(b.function(
      "f", {"a"}, {b.returns(b.add(b.call(b.name("g"), {b.name("a")}), b.name("SCALE")))}));
  EXPECT_EQ(print(core.body).text, "return a * SCALE + SCALE\n");
  EXPECT_EQ(core.globals.size(), 1U);
}

TEST(LowerInline, GlobalOfCalleeNamedAsLocalOfCaller) {
  Builder b;
  b.user(b.function("g", {"x"}, {b.returns(b.multiply(b.name("x"), b.name("rate")))}), 1);
  b.value(1, "rate", 51);
  EXPECT_EQ(b.text(b.function(
                "f", {"a"},
                {b.assign("rate", b.call(b.name("g"), {b.name("a")})), b.returns(b.name("rate"))})),
            "rate = a * rate2\nreturn rate\n");
}

TEST(LowerInline, EarlierOperandsAreBoundBeforeStatements) {
  Builder b;
  b.library("print", "builtins.print", 90);
  b.user(b.function("g", {"x"},
                    {b.assign("t", b.multiply(b.name("x"), b.name("x"))), b.returns(b.name("t"))}),
         1);
  EXPECT_EQ(
      b.text(b.function("f", {"a"},
                        {b.returns(b.add(b.add(b.call(b.name("print"), {b.name("a")}), b.name("a")),
                                         b.call(b.name("g"), {b.name("a")})))})),
      "total = print(a) + a\nt = a * a\nreturn total + t\n");
}

TEST(LowerInline, RecursionStaysACall) {
  Builder b;
  b.user(b.function("g", {"x"}, {b.returns(b.call(b.name("h"), {b.name("x")}))}), 1);
  b.user(b.function("h", {"x"}, {b.returns(b.call(b.name("g"), {b.name("x")}))}), 2);
  // Of the two functions of the cycle one stays a function; the other is written out in it.
  const CoreFunction core =
      b.lower(b.function("f", {"x"}, {b.returns(b.call(b.name("g"), {b.name("x")}))}));
  EXPECT_EQ(print(core.body).text, "g_of_x, g_of_x_tape = g(x)\nreturn g_of_x\n");
  ASSERT_EQ(core.pairs.size(), 1U);
  EXPECT_EQ(core.pairs[0].forward.text(), "_g_forward");
  EXPECT_EQ(print(core.pairs[0].core.body).text, "g_of_x, g_of_x_tape = g(x)\nreturn g_of_x\n");
}

TEST(LowerInline, DoublingCallsAreRefused) {
  Builder b;
  for (int i = 1; i <= 20; ++i) {
    const std::string next = "g" + std::to_string(i + 1);
    b.user(b.function("g" + std::to_string(i), {"x"},
                      {b.returns(b.add(b.call(b.name(next), {b.name("x")}),
                                       b.call(b.name(next), {b.name("x")})))}),
           i);
  }
  b.user(b.function("g21", {"x"}, {b.returns(b.multiply(b.name("x"), b.name("x")))}), 21);
  EXPECT_EQ(refused([&] {
              b.lower(b.function("f", {"x"}, {b.returns(b.call(b.name("g1"), {b.name("x")}))}));
            }),
            "UnsupportedSyntax");
}

TEST(LowerInline, CallsOfWhatIsNoFunction) {
  Builder b;
  b.module("np", "numpy", 70);
  b.value(-1, "table", 71);
  auto calling = [&](std::string_view name) {
    return refused(
        [&] { b.lower(b.function("f", {"x"}, {b.returns(b.call(b.name(name), {b.name("x")}))})); });
  };
  EXPECT_EQ(calling("nowhere"), "UnresolvedCall");
  EXPECT_EQ(calling("np"), "UnresolvedCall");
  EXPECT_EQ(calling("table"), "UnsupportedSyntax");
  EXPECT_EQ(calling("x"), "UnsupportedSyntax");
}

// A wrong number of arguments is the user's error at this call.
TEST(LowerInline, ArgumentsThatDoNotFit) {
  Builder b;
  b.user(b.function("g", {"x"}, {b.returns(b.name("x"))}), 1);
  auto calling = [&](const std::vector<const Expr*>& arguments) {
    return refused(
        [&] { b.lower(b.function("f", {"a"}, {b.returns(b.call(b.name("g"), arguments))})); });
  };
  EXPECT_EQ(calling({}), "UnresolvedCall");
  EXPECT_EQ(calling({b.name("a"), b.name("a")}), "UnresolvedCall");
  EXPECT_EQ(calling({b.name("a")}), "");
}

}  // namespace
}  // namespace tangent::lower_tests
