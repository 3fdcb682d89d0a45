// Activity: which variables depend on the differentiated inputs, and whose adjoints can be other
// than zero.
//
// In: a typed core program and the differentiated parameters. Out: per statement the variables that
// vary with an input before it, per loop the variables that have an adjoint where an iteration
// ends. An over-estimate costs work backwards, never a wrong value.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "analysis/variables.h"
#include "rules/rule.h"
#include "types/infer.h"

namespace tangent {

class Activity {
 public:
  Activity(const TypedFunction& function, const std::vector<Symbol>& inputs, RuleBook& rules);

  // Whether the expression's value varies with an input when the statement is reached.
  [[nodiscard]] bool varies(const Expr* expression, const Stmt* at) const;
  [[nodiscard]] bool varies(Symbol variable, const Stmt* at) const;
  // Whether a variable varies anywhere.
  [[nodiscard]] bool varies(Symbol variable) const;
  // Whether a variable can have an adjoint where an iteration of the loop ends.
  [[nodiscard]] bool useful_at_end(Symbol variable, const Stmt* loop) const;

  // Whether what is stored into a place carries a derivative: an array of integers cuts real
  // numbers off.
  [[nodiscard]] bool store_flows(const Subscript* place, const Type& value) const;

  // f(Symbol) for the reads of an expression through which a derivative can flow.
  template <class F>
  void for_each_flow(const Expr* expression, F&& f) const {
    if (const auto* name = as<Name>(expression)) {
      if (name->scope == Scope::Local) f(name->symbol);
      return;
    }
    for_each_operand(expression, [&](const Expr* operand) { for_each_flow(operand, f); });
  }

 private:
  struct Varied;
  struct Useful;
  void for_each_operand(const Expr* expression, const std::function<void(const Expr*)>& f) const;
  [[nodiscard]] bool carries(const Subscript* place, const Expr* value) const;
  // Whether a type can carry a derivative at all.
  [[nodiscard]] bool can_vary(const Expr* expression) const;

  const TypedFunction& function_;
  RuleBook& rules_;
  std::unordered_set<const Expr*> cancelled_;  // calls whose derivative cancels (shifts.h)
  mutable Variables variables_;
  std::unordered_map<const Stmt*, VariableSet> varied_before_;
  VariableSet varied_anywhere_;
  std::unordered_map<const Stmt*, VariableSet> useful_at_end_;
};

}  // namespace tangent
