// Inference on core programs built by hand: loops, branches, calls that need no rule, refusals, and
// programs of unusual size.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/diagnostics.h"
#include "rule_parser.h"
#include "types/infer.h"

namespace tangent {
namespace {

// An outside that knows nothing but the type of one array.
class EmptyOutside : public Outside {
 public:
  Thing lookup(ThingHandle, Symbol, Context&) override { return {}; }
  Thing attribute(const Thing&, Symbol, Context&) override { return {}; }
  Type type_of(const Thing&, Arena&) override { return Type::unknown(); }
  std::optional<Literal> literal_of(const Thing&, Arena&) override { return std::nullopt; }
  CapturedFunction source_of(const Thing&, Context&) override { return {}; }
  Block parse(std::string_view, std::string_view, int, Context&) override { return {}; }
};

class Infer : public ::testing::Test {
 protected:
  std::shared_ptr<Symbols> symbols = std::make_shared<Symbols>();
  Context context{symbols};
  EmptyOutside outside;
  RuleBook rules{symbols, [](std::string_view text, std::string_view, int, Context& into) {
                   return testing::RuleParser(text, into).statements();
                 }};

  Symbol symbol(std::string_view text) { return context.symbol(text); }
  const Expr* v(std::string_view text) { return context.local(symbol(text)); }
  const Expr* integer(std::int64_t value) { return context.integer(value); }
  const Expr* number(double value) { return context.number(value); }
  const Expr* binary(BinaryOperator op, const Expr* left, const Expr* right) {
    return context.make<BinaryOperation>({}, op, left, right);
  }
  const Expr* add(const Expr* left, const Expr* right) {
    return binary(BinaryOperator::Add, left, right);
  }
  const Expr* call(std::string_view callee, const std::vector<const Expr*>& arguments) {
    const Expr* function = context.global(symbol(callee));
    return context.make<Call>({}, function, symbol(callee), Exprs(context.list(arguments)),
                              List<const Keyword*>());
  }
  const Expr* method(const Expr* value, std::string_view name,
                     const std::vector<const Expr*>& arguments) {
    const Expr* function = context.make<Attribute>({}, value, symbol(name));
    return context.make<Call>({}, function, Symbol(), Exprs(context.list(arguments)),
                              List<const Keyword*>());
  }
  const Stmt* set(std::string_view name, const Expr* value) {
    return context.assign(v(name), value);
  }
  const Stmt* loop(std::string_view name, const Expr* iterable,
                   const std::vector<const Stmt*>& body) {
    return context.make<For>({}, v(name), iterable, Block(context.list(body)), Block(), false);
  }
  const Stmt* range(std::string_view name, const Expr* count,
                    const std::vector<const Stmt*>& body) {
    return loop(name, call("builtins.range", {count}), body);
  }
  const Stmt* branch(const Expr* test, const std::vector<const Stmt*>& body,
                     const std::vector<const Stmt*>& orelse) {
    return context.make<If>({}, test, Block(context.list(body)), Block(context.list(orelse)));
  }
  const Stmt* repeat(const Expr* test, const std::vector<const Stmt*>& body) {
    return context.make<While>({}, test, Block(context.list(body)), Block());
  }
  const Stmt* result(const Expr* value) { return context.make<Return>({}, value); }
  const Stmt* stop() { return context.make<Break>({}); }
  Type array(const std::vector<Dim>& dims) {
    return Type::array(DType::Float64, context.arena().copy(dims));
  }

  TypedFunction typed(const std::vector<std::pair<std::string, Type>>& parameters,
                      const std::vector<const Stmt*>& body) {
    std::vector<const Parameter*> made;
    std::vector<Type> types;
    for (const auto& [name, type] : parameters) {
      made.push_back(context.make<Parameter>({}, symbol(name), ParameterKind::Positional,
                                             static_cast<const Expr*>(nullptr),
                                             static_cast<const Expr*>(nullptr)));
      types.push_back(type);
    }
    core.name = symbol("f");
    core.parameters = context.list(made);
    core.body = context.list(body);
    return infer(core, types, outside, rules, context);
  }
  std::string variable(const TypedFunction& function, std::string_view name) {
    return to_text(function.variables.at(symbol(name)));
  }

  CoreFunction core;
  const Type f = Type::number(DType::Float64);
  const Type i = Type::number(DType::Integer);
};

TEST_F(Infer, Arithmetic) {
  const auto function =
      typed({{"x", array({Dim{2}})}}, {set("y", add(v("x"), number(1.0))), result(v("y"))});
  EXPECT_EQ(variable(function, "y"), "f64[n2]");
  EXPECT_EQ(to_text(function.result), "f64[n2]");
  EXPECT_EQ(function.body.data(), core.body.data());  // nothing to resolve: the same program
}

TEST_F(Infer, BranchesJoin) {
  const auto function =
      typed({{"x", f}, {"c", i}},
            {
                branch(v("c"), {set("y", v("x")), set("z", v("x"))}, {set("y", integer(1))}),
                result(v("y")),
            });
  EXPECT_EQ(variable(function, "y"), "float");
  EXPECT_TRUE(function.variables.at(symbol("y")).mixed);
  EXPECT_FALSE(function.variables.at(symbol("z")).mixed);  // bound on one path only
}

TEST_F(Infer, LoopsReachAFixpoint) {
  const Expr* read = v("s");
  const auto function =
      typed({{"x", f}}, {
                            set("s", integer(0)),
                            range("k", integer(3), {set("t", read), set("s", add(v("s"), v("x")))}),
                            result(v("s")),
                        });
  EXPECT_EQ(variable(function, "s"), "float");
  EXPECT_EQ(variable(function, "k"), "int");
  EXPECT_TRUE(function.types.find(read)->mixed);  // an int in the first iteration
  EXPECT_EQ(to_text(*function.types.find(read)), "float");
}

TEST_F(Infer, BreaksCarryTheirOwnValues) {
  // while True: y = x; if c: break; y = None
  const auto function =
      typed({{"x", f}, {"c", i}},
            {
                repeat(context.boolean(true),
                       {set("y", v("x")), branch(v("c"), {stop()}, {}), set("y", context.none())}),
                result(v("y")),
            });
  EXPECT_EQ(to_text(function.result), "float");
}

TEST_F(Infer, ALoopThatNeverEndsIsNotLeft) {
  const auto function =
      typed({{"x", f}}, {repeat(context.boolean(true), {set("y", v("x"))}), result(v("x"))});
  EXPECT_EQ(function.result.kind, TypeKind::Bottom);
}

TEST_F(Infer, ListsThatNestWithoutEndAreWidened) {
  const Expr* nested = context.make<ListDisplay>({}, context.list<const Expr*>({v("a")}));
  const auto function = typed({{"n", i}}, {
                                              set("a", context.make<ListDisplay>({}, Exprs())),
                                              range("k", v("n"), {set("a", nested)}),
                                              result(v("a")),
                                          });
  EXPECT_EQ(to_text(function.result), "Any");
}

TEST_F(Infer, ValuesHandedAlongAChain) {
  std::vector<const Stmt*> body;
  std::vector<const Stmt*> all;
  for (int k = 0; k < 12; ++k) {
    all.push_back(set("a" + std::to_string(k), integer(0)));
    if (k < 11) body.push_back(set("a" + std::to_string(k), v("a" + std::to_string(k + 1))));
  }
  body.push_back(set("a11", v("x")));
  all.push_back(range("k", integer(3), body));
  all.push_back(result(v("a0")));
  EXPECT_EQ(to_text(typed({{"x", array({Dim{2}})}}, all).result), "numeric");
}

TEST_F(Infer, MethodsAreResolved) {
  const Expr* shape = method(v("x"), "reshape", {integer(3), integer(2)});
  const auto function = typed({{"x", array({Dim{2}, Dim{3}})}, {"u", Type::unknown()}},
                              {
                                  set("y", method(v("x"), "sum", {integer(0)})),
                                  set("z", shape),
                                  set("w", method(v("u"), "sum", {})),
                                  result(v("y")),
                              });
  EXPECT_EQ(variable(function, "y"), "f64[n3]");
  EXPECT_EQ(variable(function, "z"), "f64[3, 2]");
  EXPECT_EQ(variable(function, "w"), "Any");
  const auto callee = [&](std::size_t position) {
    return as<Call>(as<Assign>(function.body[position])->value);
  };
  EXPECT_EQ(callee(0)->callee.text(), "numpy.sum");
  EXPECT_EQ(to_text(function.type_of(callee(0))), "f64[n3]");
  EXPECT_EQ(callee(1)->callee.text(), "numpy.reshape");
  EXPECT_EQ(callee(1)->arguments.size(), 1U);  // the lengths as one tuple
  EXPECT_TRUE(callee(2)->callee.empty());
  EXPECT_EQ(function.body[2], core.body[2]);  // not touched
}

TEST_F(Infer, AMethodIsResolvedByTheLastRound) {
  // The receiver is a number in the first round and not known in the second.
  const Expr* sum = method(v("y"), "sum", {});
  const auto function = typed({{"x", f}, {"u", Type::unknown()}},
                              {
                                  set("y", v("x")),
                                  range("k", integer(3), {set("z", sum), set("y", v("u"))}),
                                  result(v("z")),
                              });
  const auto* body = as<For>(function.body[1]);
  EXPECT_TRUE(as<Call>(as<Assign>(body->body[0])->value)->callee.empty());
  EXPECT_EQ(variable(function, "z"), "Any");
}

TEST_F(Infer, WritesInPlaceAreThoseOfArrays) {
  const auto refuses = [&](const Type& type) {
    const Stmt* write = context.make<AugmentedAssign>({}, v("x"), BinaryOperator::Add, number(1.0));
    try {
      typed({{"x", type}}, {write, result(v("x"))});
      return std::string("accepted");
    } catch (const Diagnostic& diagnostic) {
      EXPECT_EQ(diagnostic.kind, DiagnosticKind::WriteInPlace);
      return diagnostic.remedy;
    }
  };
  EXPECT_EQ(refuses(f), "accepted");
  EXPECT_EQ(refuses(array({Dim{2}})), "accepted");
  EXPECT_EQ(refuses(array({})), "accepted");
  EXPECT_EQ(refuses(Type::numeric(DType::Float64)), "accepted");
  EXPECT_EQ(refuses(Type::unknown()), "write `x = x + …`");
  EXPECT_EQ(refuses(Type::of(TypeKind::List)), "write `x = x + …`");
}

TEST_F(Infer, LongSumsDoNotOverflowTheStack) {
  const Expr* sum = method(v("x"), "sum", {});
  for (int k = 0; k < 20000; ++k)
    sum = add(sum, k % 2 == 0 ? number(k) : method(v("x"), "sum", {}));
  const auto function = typed({{"x", array({Dim{2}})}}, {result(sum)});
  EXPECT_EQ(to_text(function.result), "float");
  const auto* value = as<BinaryOperation>(as<Return>(function.body[0])->value);
  EXPECT_EQ(to_text(function.type_of(value->left)), "float");
}

TEST_F(Infer, NestedLoopsStayPolynomial) {
  const Stmt* inner = set("y", add(v("y"), v("x")));
  for (int k = 0; k < 40; ++k) {
    const std::string name = "k" + std::to_string(k);
    inner =
        range(name, integer(2), {set("a" + name, v("y")), inner, set("b" + name, v("a" + name))});
  }
  const auto function =
      typed({{"x", array({Dim{2}})}}, {set("y", integer(0)), inner, result(v("y"))});
  EXPECT_EQ(to_text(function.result), "numeric[n2]");
  // 2 ** 40 visits would not end.
}

}  // namespace
}  // namespace tangent
