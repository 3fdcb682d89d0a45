// Types of the expressions that differentiation makes, beside those that inference found.
//
// In: a typed function, then types for new names. Out: the type of any expression of primal and
// adjoint.
#pragma once

#include <unordered_map>

#include "rules/rule.h"
#include "types/infer.h"
#include "types/transfer.h"

namespace tangent {

// Whether two types are proven to have the same shape.
bool same_shape(const Type& a, const Type& b);

class Typing {
 public:
  Typing(const TypedFunction& function, RuleBook& rules, Context& context)
      : function_(function), rules_(rules), context_(context) {}

  // The type of an expression: inferred for the user's, computed (once) for new ones.
  Type of(const Expr* expression);
  // What a variable of the program ever holds; nothing is known of a new name.
  [[nodiscard]] Type of_variable(Symbol symbol) const {
    const auto found = function_.variables.find(symbol);
    return found != function_.variables.end() ? found->second : Type();
  }
  // What a new local name holds. A later call for the same name joins.
  void declare(Symbol symbol, const Type& type) { names_[symbol] = type; }
  void set(const Expr* expression, const Type& type) { made_.set(expression, type); }
  // Whose arrays the program computes with.
  [[nodiscard]] Library library() const { return function_.core->library; }

 private:
  Type compute(const Expr* expression);

  const TypedFunction& function_;
  RuleBook& rules_;
  Context& context_;
  NodeTable<Type> made_;
  std::unordered_map<Symbol, Type> names_;
};

}  // namespace tangent
