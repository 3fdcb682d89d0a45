// The rule book: records of the real index, names in bodies, binding of arguments, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/diagnostics.h"
#include "rule_parser.h"
#include "rules/bind.h"
#include "rules/rule.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {
namespace {

Block parse(std::string_view text, std::string_view /*filename*/, int /*line*/, Context& context) {
  return testing::RuleParser(text, context).statements();
}

class Rules : public ::testing::Test {
 protected:
  std::shared_ptr<Symbols> symbols = std::make_shared<Symbols>();
  Context context{symbols};
  RuleBook book{symbols, parse};

  const Call* call(std::string_view text) {
    const Block block = parse(text, "", 1, context);
    return as<Call>(as<ExpressionStatement>(block[0])->value);
  }
  std::string refusal(const Rule& rule, std::string_view text) {
    try {
      bind_arguments(rule, *call(text), nullptr);
    } catch (const Diagnostic& diagnostic) {
      EXPECT_EQ(diagnostic.kind, DiagnosticKind::NoSuchRuleArgument);
      return diagnostic.message;
    }
    return "";
  }
  // The callees in a body, in order.
  std::vector<std::string> callees(Block body) {
    std::vector<std::string> found;
    const std::function<void(const Node*)> visit = [&](const Node* node) {
      if (const auto* it = as<Call>(node)) found.emplace_back(it->callee.text());
      for_each_child(*node, visit);
    };
    for (const Stmt* statement : body) visit(statement);
    return found;
  }
};

TEST_F(Rules, IndexIsSortedAndEveryRecordReads) {
  const auto index = rule_index();
  EXPECT_GT(index.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(index, {}, &RuleSource::name));
  for (const RuleSource& source : index) {
    const Rule* rule = book.find(source.name);
    ASSERT_NE(rule, nullptr) << source.name;
    EXPECT_EQ(rule, book.find(source.name));
    EXPECT_EQ(rule->constant, rule->adjoint.empty()) << source.name;
    // The twin of a record stands below it in the same text.
    EXPECT_EQ(source.text.find("@tangent") != std::string_view::npos, !rule->tangent.empty());
  }
}

TEST_F(Rules, EveryNameInABodyIsResolved) {
  for (const RuleSource& source : rule_index()) {
    const Rule* rule = book.find(source.name);
    const std::function<void(const Node*)> visit = [&](const Node* node) {
      if (const auto* name = as<Name>(node)) {
        EXPECT_NE(name->scope, Scope::Unresolved) << source.name;
      }
      if (const auto* it = as<Call>(node)) {
        EXPECT_FALSE(it->callee.empty()) << source.name;
        EXPECT_TRUE(it->callee.text().starts_with("rule.") || book.find(it->callee.text()))
            << it->callee.text();
      }
      for_each_child(*node, visit);
    };
    for (const Stmt* statement : rule->adjoint) visit(statement);
    for (const Stmt* statement : rule->tangent) visit(statement);
  }
}

TEST_F(Rules, NoRecord) {
  EXPECT_EQ(book.find("numpy.no_such_function"), nullptr);
  EXPECT_EQ(book.find(""), nullptr);
  EXPECT_EQ(book.find("zzz"), nullptr);
}

TEST_F(Rules, Packages) {
  EXPECT_TRUE(RuleBook::is_library("numpy"));
  EXPECT_TRUE(RuleBook::is_library("math"));
  EXPECT_TRUE(RuleBook::is_library("builtins"));
  EXPECT_FALSE(RuleBook::is_library("tangent"));
  EXPECT_FALSE(RuleBook::is_library("numpy.linalg"));
  EXPECT_FALSE(RuleBook::is_library("users_module"));
}

TEST_F(Rules, ElementwiseIsReadFromTheBody) {
  EXPECT_TRUE(book.find("numpy.tanh")->elementwise);
  EXPECT_TRUE(book.find("operator.truediv")->elementwise);
  EXPECT_TRUE(book.find("operator.pow")->elementwise);
  EXPECT_TRUE(book.find("numpy.where")->elementwise);
  EXPECT_FALSE(book.find("numpy.sum")->elementwise);
  EXPECT_FALSE(book.find("operator.matmul")->elementwise);
  EXPECT_FALSE(book.find("numpy.floor")->elementwise);
}

TEST_F(Rules, DifferentiableParameters) {
  const Rule* sum = book.find("numpy.sum");
  EXPECT_TRUE(sum->parameters[0].differentiable);
  EXPECT_FALSE(sum->parameters[1].differentiable);
  EXPECT_EQ(sum->index_of(context.symbol("keepdims")), 2);
  EXPECT_EQ(sum->index_of(context.symbol("where")), -1);
}

TEST_F(Rules, AnAliasSpeaksItsOwnModulesLanguage) {
  EXPECT_EQ(callees(book.find("numpy.sin")->adjoint), std::vector<std::string>{"numpy.cos"});
  EXPECT_EQ(callees(book.find("math.sin")->adjoint), std::vector<std::string>{"math.cos"});
  EXPECT_EQ(print(book.find("math.sin")->adjoint).text, "d[x] = d[y] * math.cos(x)\n");
  // The builtins' own sum and abs are other functions than NumPy's.
  EXPECT_EQ(callees(book.find("math.fabs")->adjoint), std::vector<std::string>{"numpy.sign"});
}

TEST_F(Rules, SingularTestIsBound) {
  const Rule* log = book.find("numpy.log");
  ASSERT_NE(log->singular, nullptr);
  EXPECT_EQ(print(log->singular), "x == 0");
  EXPECT_EQ(as<Name>(as<Comparison>(log->singular)->left)->scope, Scope::Local);
  EXPECT_EQ(book.find("numpy.sin")->singular, nullptr);
}

TEST_F(Rules, ArgumentsByPositionAndKeyword) {
  const Rule* sum = book.find("numpy.sum");
  auto bound = bind_arguments(*sum, *call("np.sum(x, keepdims=True)"), nullptr);
  ASSERT_EQ(bound.size(), 3U);
  EXPECT_EQ(print(bound[0]), "x");
  EXPECT_EQ(bound[1], nullptr);
  EXPECT_EQ(print(bound[2]), "True");
  bound = bind_arguments(*sum, *call("x.sum(0)"), context.local(context.symbol("x")));
  EXPECT_EQ(print(bound[0]), "x");
  EXPECT_EQ(print(bound[1]), "0");
}

TEST_F(Rules, WhatTheRecordDoesNotNameIsRefused) {
  const Rule& sum = *book.find("numpy.sum");
  EXPECT_EQ(refusal(sum, "np.sum(x, out=y)"), "`out=` of np.sum is not supported");
  EXPECT_EQ(refusal(sum, "np.sum(*xs)"), "`*` in the arguments of np.sum is not supported");
  EXPECT_EQ(refusal(sum, "np.sum(x, a=y)"), "`a` of np.sum is given twice");
  EXPECT_EQ(refusal(sum, "np.sum(axis=0)"), "np.sum misses its argument `a`");
  EXPECT_EQ(refusal(sum, "np.sum(x, 0, float)"),
            "the derivative rule of np.sum knows 2 positional arguments, not more");
  EXPECT_EQ(refusal(sum, "np.sum(x, axis=0)"), "");
}

TEST_F(Rules, AVariadicConstantTakesAnything) {
  const Rule& print = *book.find("builtins.print");
  EXPECT_TRUE(print.variadic);
  EXPECT_EQ(refusal(print, "print(a, *b, sep=c)"), "");
}

TEST_F(Rules, RecordsCanBeAddedAndReplaced) {
  const Rule* first = book.add(
      "@adjoint(\"users.cube\", shape=\"elementwise\")\n"
      "def cube(y, x):\n    d[x] = d[y] * 3 * x * x\n",
      "users.py", 1);
  EXPECT_TRUE(first->elementwise);
  EXPECT_EQ(book.find("users.cube"), first);
  const Rule* second =
      book.add("@adjoint(\"users.cube\")\ndef cube(y, x):\n    d[x] = d[y] * 2\n", "users.py", 1);
  EXPECT_EQ(book.find("users.cube"), second);
  EXPECT_EQ(print(first->adjoint).text, "d[x] = d[y] * 3 * x * x\n");  // still there
}

TEST_F(Rules, RecordsOfUsers) {
  const Rule* rule = book.add(
      "@adjoint(\"cube\", given=True, random=True, objects=(\"_1_slope\",))\n"
      "def cube(y, x):\n    d[x] = user._1_slope(d[y], x)\n",
      "users.py", 1, "user.1.cube");
  EXPECT_EQ(book.find("user.1.cube"), rule);
  EXPECT_EQ(book.find("cube"), nullptr);
  EXPECT_EQ(rule->name.text(), "cube");  // what messages call it
  EXPECT_TRUE(rule->given);
  EXPECT_TRUE(rule->random);
  ASSERT_EQ(rule->objects.size(), 1U);
  EXPECT_EQ(rule->objects[0].text(), "_1_slope");
  const auto* assign = as<Assign>(rule->adjoint[0]);
  ASSERT_NE(as<Call>(assign->value), nullptr);
  EXPECT_EQ(as<Call>(assign->value)->callee.text(), "user._1_slope");
  // A key of its own replaces the entry of an alias alone.
  const Rule* square = book.find("numpy.square");
  ASSERT_NE(square, nullptr);
  book.add("@adjoint(\"numpy.square\")\ndef square(y, x):\n    d[x] = d[y]\n", "users.py", 1,
           "users.square");
  EXPECT_EQ(book.find("numpy.square"), square);
}

TEST_F(Rules, BadRecords) {
  const auto bad = [&](std::string_view text) {
    try {
      book.add(text, "users.py", 1);
    } catch (const Diagnostic& diagnostic) {
      return diagnostic.kind == DiagnosticKind::BadRule;
    }
    return false;
  };
  EXPECT_TRUE(bad("x = 1\n"));
  EXPECT_TRUE(bad("def f(y, x):\n    d[x] = d[y]\n"));
  EXPECT_TRUE(bad("@rule(\"users.f\")\ndef f(y, x):\n    d[x] = d[y]\n"));
  EXPECT_TRUE(bad("@adjoint(\"users.f\")\ndef f(y, x):\n    d[z] = d[y]\n"));
  EXPECT_TRUE(bad("@adjoint(\"users.f\")\ndef f(y, x):\n    print(x)\n"));
  EXPECT_TRUE(bad("@adjoint(\"users.f\")\ndef f(y, x):\n    d[x] = x.frob(d[y])\n"));
  EXPECT_TRUE(bad("@adjoint(\"users.f\")\ndef f():\n    d[x] = 1\n"));
}

TEST_F(Rules, PartialsOfOneDerivativeOnly) {
  const auto is_partial = [&](std::string_view body) {
    const Rule* rule =
        book.add("@adjoint(\"users.p\", shape=\"elementwise\")\ndef p(y, x, t):\n    " +
                     std::string(body) + "\n",
                 "users.py", 1);
    return rule->elementwise;
  };
  EXPECT_TRUE(is_partial("d[x] = -d[y] / t * x"));
  EXPECT_TRUE(is_partial("d[x] = mask(x > t, d[y]) * 2"));
  EXPECT_TRUE(is_partial("d[x] = mask(not t, d[y])"));
  EXPECT_TRUE(is_partial("d[x] = 0"));
  EXPECT_FALSE(is_partial("d[x] = d[y] * d[y]"));
  EXPECT_FALSE(is_partial("d[x] = d[y] + t"));
  EXPECT_FALSE(is_partial("d[x] = t / d[y]"));
  EXPECT_FALSE(is_partial("d[x] = np.flip(d[y])"));
}

}  // namespace
}  // namespace tangent
