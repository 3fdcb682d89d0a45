// Passes over the adjoint program, each by itself: text in, text out.
//
// A program is written as two texts, the forward and the backward part. Names that begin with `b`
// and those of `arrays` have the types that their prefix says, see `type_of_name`.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "autodiff/typing.h"
#include "lower_support.h"
#include "optimize/passes.h"
#include "rule_parser.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lower_tests {

class Passes : public ::testing::Test {
 protected:
  using Pass = Block (*)(Block, const PassInput&);

  // What the pass makes of the backward part alone.
  std::string run(Pass pass, std::string_view backward) { return run(pass, "", backward); }

  // With the blank line between them that marks the turn.
  std::string run_turned(Pass pass, std::string_view forward, std::string_view backward) {
    turned_ = true;
    return run(pass, forward, backward);
  }

  std::string run(Pass pass, std::string_view forward, std::string_view backward) {
    const Block first = core(forward);
    const Block second = core(backward);
    std::unordered_set<const Stmt*> primal;
    for (const Stmt* statement : first) {
      for_each_node(*statement, [&](const Node& node) {
        if (is_statement(node.kind)) primal.insert(static_cast<const Stmt*>(&node));
      });
    }
    std::vector<const Stmt*> all(first.begin(), first.end());
    if (turned_) all.push_back(context_.make<Comment>({}, std::string_view()));
    all.insert(all.end(), second.begin(), second.end());
    TypedFunction typed;
    RuleBook rules(context_.symbols(),
                   [](std::string_view record, std::string_view, int, Context& into) {
                     return testing::RuleParser(record, into).statements();
                   });
    Typing typing(typed, rules, context_);
    std::unordered_set<Symbol> adjoints;
    std::unordered_set<Symbol> numbers;
    for (const Stmt* statement : all) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* name = as<Name>(&node);
        if (name == nullptr || name->scope != Scope::Local) return;
        const Type type = type_of_name(name->symbol.text());
        typing.declare(name->symbol, type);
        if (!name->symbol.text().starts_with('b')) return;
        adjoints.insert(name->symbol);
        if (type.is_number()) numbers.insert(name->symbol);
      });
    }
    Effects effects([&](const Expr* value) { return typing.of(value); }, rules);
    const PassInput input{.typed = typed,
                          .rules = rules,
                          .forward = primal,
                          .adjoints = adjoints,
                          .numbers = numbers,
                          .written = {},
                          .variables = {},
                          .kept = {},
                          .effects = effects,
                          .type_of = [&](const Expr* value) { return typing.of(value); },
                          .context = context_,
                          .numpy = context_.symbol("np"),
                          .fresh =
                              [&](std::string_view wish, const Type& type) {
                                // Programs of tests have no names that end in a digit.
                                const int number = ++made_[std::string(wish)];
                                const Symbol name = context_.symbol(
                                    std::string(wish) + (number > 1 ? std::to_string(number) : ""));
                                typing.declare(name, type);
                                return name;
                              }};
    return print(pass(context_.list(all), input)).text;
  }

 private:
  // v and bv, w and bw, … are vectors, n and m of lengths; i, j, k integers; the rest numbers.
  Type type_of_name(std::string_view name) {
    if (name.starts_with('b') && name.size() > 1) name.remove_prefix(1);
    if (name == "i" || name == "j" || name == "k") return Type::number(DType::Integer);
    if (name == "v" || name == "w") return Type::array(DType::Float64, types_.copy(one_axis(2)));
    if (name == "u") return Type::array(DType::Float64, types_.copy(one_axis(3)));
    if (name == "grid") {
      return Type::array(DType::Float64, types_.copy(std::vector<Dim>{Dim{2}, Dim{3}}));
    }
    return Type::number(DType::Float64);
  }

  static std::vector<Dim> one_axis(std::uint32_t id) { return {Dim{id}}; }

  Block core(std::string_view text) {
    std::vector<const Stmt*> statements;
    for (const Stmt* statement : testing::RuleParser(text, context_).statements())
      statements.push_back(static_cast<const Stmt*>(resolved(statement)));
    return context_.list(statements);
  }

  // Names are local, but for modules and builtins; tapes are what they are in an adjoint program.
  const Node* resolved(const Node* node) {
    if (const auto* name = as<Name>(node)) {
      const std::string_view text = name->symbol.text();
      const bool global = text == "np" || text == "range" || text == "reversed";
      return global ? context_.global(name->symbol) : context_.local(name->symbol);
    }
    const auto* statement = as<ExpressionStatement>(node);
    const auto* call = as<Call>(statement != nullptr ? statement->value : node);
    const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
    const auto* root = method != nullptr ? as<Name>(method->value) : nullptr;
    if (root != nullptr && root->symbol.text().ends_with("tape")) {
      const auto number = static_cast<PairId>(root->symbol.text().size());
      if (method->attribute.text() == "pop") return context_.make<Pop>({}, root->symbol, number);
      return context_.make<Push>({}, root->symbol,
                                 static_cast<const Expr*>(resolved(call->arguments[0])), number);
    }
    const Node* now =
        rewrite_children(context_, *node, [&](const Node* child) { return resolved(child); });
    const auto* plain = as<Call>(now);
    if (plain == nullptr) return now;
    const auto* function = as<Attribute>(plain->function);
    const std::string callee =
        function != nullptr
            ? "numpy." + std::string(function->attribute.text())
            : "builtins." + std::string(static_cast<const Name*>(plain->function)->symbol.text());
    return context_.make<Call>({}, plain->function, context_.symbol(callee), plain->arguments,
                               plain->keywords);
  }

  Context context_{std::make_shared<Symbols>()};
  std::map<std::string, int> made_;
  bool turned_ = false;
  Arena types_;
};

}  // namespace tangent::lower_tests
