// Building, comparing, hashing and rewriting nodes.
#include <gtest/gtest.h>

#include "syntax/build.h"
#include "syntax/visit.h"

namespace tangent {
namespace {

class SyntaxTest : public ::testing::Test {
 protected:
  const Expr* add(const Expr* left, const Expr* right) {
    return context.make<BinaryOperation>({}, BinaryOperator::Add, left, right);
  }
  const Name* name(std::string_view text) { return context.local(context.symbol(text)); }
  const Call* call(const Expr* function, std::initializer_list<const Expr*> arguments) {
    return context.make<Call>({}, function, Symbol(), context.list(arguments),
                              List<const Keyword*>());
  }
  const Constant* literal(Literal value) { return context.make<Constant>({}, value); }

  Context context{std::make_shared<Symbols>()};
};

TEST_F(SyntaxTest, EqualityLooksAtContentOnly) {
  const SourceRange range{.line = 3};
  const Node* first = add(name("x"), context.integer(1));
  const Node* same = add(context.local(context.symbol("x"), context.list({range})),
                         literal({.kind = LiteralKind::Integer, .integer = 1, .text = "0x1"}));
  EXPECT_TRUE(equal(first, same));
  EXPECT_EQ(hash(first), hash(same));
  const Node* others[] = {add(name("y"), context.integer(1)),
                          add(name("x"), context.integer(2)),
                          add(name("x"), context.number(1.0)),
                          name("x"),
                          add(context.global(context.symbol("x")), context.integer(1)),
                          context.make<BinaryOperation>(
                              {}, BinaryOperator::Subtract, static_cast<const Expr*>(name("x")),
                              static_cast<const Expr*>(context.integer(1)))};
  for (const Node* other : others) {
    EXPECT_FALSE(equal(first, other));
    EXPECT_NE(hash(first), hash(other));
  }
  EXPECT_FALSE(equal(first, nullptr));
  EXPECT_TRUE(equal(nullptr, nullptr));
}

TEST_F(SyntaxTest, ListsAndNullsCount) {
  const auto* f = name("f");
  const auto* x = name("x");
  EXPECT_FALSE(equal(call(f, {x}), call(f, {x, x})));
  EXPECT_NE(hash(call(f, {x})), hash(call(f, {x, x})));
  const Expr* none = nullptr;
  const Expr* some = x;
  const auto* lower = context.make<Slice>({}, some, none, none);
  const auto* upper = context.make<Slice>({}, none, some, none);
  EXPECT_FALSE(equal(lower, upper));
  EXPECT_NE(hash(lower), hash(upper));
}

TEST_F(SyntaxTest, LiteralsAreComparedByValueAndType) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(equal(context.number(0.0), context.number(-0.0)));
  EXPECT_TRUE(equal(context.number(nan), context.number(nan)));
  EXPECT_FALSE(equal(context.boolean(true), context.integer(1)));
  EXPECT_TRUE(equal(literal({.kind = LiteralKind::String, .text = "a"}),
                    literal({.kind = LiteralKind::String, .text = std::string_view("ab", 1)})));
  EXPECT_FALSE(equal(literal({.kind = LiteralKind::String, .text = "a"}),
                     literal({.kind = LiteralKind::Bytes, .text = "a"})));
}

TEST_F(SyntaxTest, DeepTreesNeedNoStack) {
  const auto deep = [&](bool to_the_left) {
    const Expr* sum = name("x");
    for (int n = 0; n < 300'000; ++n) {
      sum = to_the_left ? add(sum, name("x")) : add(name("x"), sum);
    }
    return sum;
  };
  const Expr* left = deep(true);
  const Expr* right = deep(false);
  EXPECT_TRUE(equal(left, deep(true)));
  EXPECT_TRUE(equal(right, deep(false)));
  EXPECT_FALSE(equal(left, right));
  EXPECT_EQ(hash(left), hash(deep(true)));
  EXPECT_NE(hash(left), hash(right));
}

TEST_F(SyntaxTest, RewritingKeepsWhatDoesNotChange) {
  const auto* x = name("x");
  const auto* tree = call(name("f"), {x, add(x, context.integer(1))});
  const auto keep = [](const Node* node) { return node; };
  EXPECT_EQ(rewrite_children(context, *tree, keep), tree);
  const auto* y = name("y");
  const auto replace = [&](const Node* node) -> const Node* { return node == x ? y : node; };
  const auto* now = as<Call>(rewrite_children(context, *tree, replace));
  ASSERT_NE(now, nullptr);
  EXPECT_NE(now, tree);
  EXPECT_EQ(now->arguments[0], y);
  EXPECT_EQ(now->arguments[1], tree->arguments[1]);
  EXPECT_EQ(tree->arguments[0], x);
}

TEST_F(SyntaxTest, ChildrenComeInTheOrderOfTheFields) {
  const auto* f = name("f");
  const auto* x = name("x");
  const auto* keyword = context.make<Keyword>({}, context.symbol("k"), static_cast<const Expr*>(x));
  const auto* node = context.make<Call>({}, static_cast<const Expr*>(f), Symbol(),
                                        context.list<const Expr*>({x}), context.list({keyword}));
  std::vector<const Node*> seen;
  for_each_child(*node, [&](const Node* child) { seen.push_back(child); });
  EXPECT_EQ(seen, (std::vector<const Node*>{f, x, keyword}));
}

TEST_F(SyntaxTest, MergedRangesHaveNoRepeats) {
  const SourceRange first{.line = 1}, second{.line = 2}, third{.line = 3};
  const Ranges a = context.list({first, second});
  const Ranges b = context.list({second, third});
  const Ranges both = context.merge(a, b);
  EXPECT_EQ(std::vector(both.begin(), both.end()), (std::vector{first, second, third}));
  EXPECT_EQ(context.merge(a, context.list({second})).data(), a.data());
  EXPECT_EQ(context.merge({}, b).data(), b.data());
  EXPECT_TRUE(context.merge({}, {}).empty());
}

TEST_F(SyntaxTest, AChildContextContinuesTheIds) {
  const auto* parent_node = name("x");
  const auto child = context.child();
  const auto* child_node = child->local(child->symbol("x"));
  EXPECT_GT(child_node->id, parent_node->id);
  EXPECT_EQ(child_node->symbol, parent_node->symbol);
  NodeTable<int> table;
  table.set(child_node, 2);
  EXPECT_EQ(table.find(parent_node), nullptr);
  ASSERT_NE(table.find(child_node), nullptr);
  EXPECT_EQ(*table.find(child_node), 2);
}

}  // namespace
}  // namespace tangent
