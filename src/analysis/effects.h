// Effects: what an expression can do beside giving a value.
//
// In: an expression and the types of its parts. Out: whether evaluating it can raise, and whether
// it has effects or gives another value the second time (printing, random numbers, unknown calls).
// What is not known to be harmless is not.
#pragma once

#include <functional>

#include "rules/rule.h"
#include "syntax/nodes.h"
#include "types/type.h"

namespace tangent {

class Effects {
 public:
  using TypeOf = std::function<Type(const Expr*)>;
  Effects(TypeOf type_of, RuleBook& rules) : type_of_(std::move(type_of)), rules_(rules) {}

  // Whether the expression only computes: no effect on anything, the same value each time.
  [[nodiscard]] bool is_pure(const Node* node) const;
  // Whether evaluating it can raise. `harmless` says of a subscript, a division or a call that it
  // is evaluated elsewhere with the same operands all the same, so that an exception is not lost.
  [[nodiscard]] bool may_raise(const Expr* expression,
                               const std::function<bool(const Expr*)>& harmless = {}) const;

 private:
  [[nodiscard]] bool operation_may_raise(const BinaryOperation* operation) const;

  TypeOf type_of_;
  RuleBook& rules_;
};

}  // namespace tangent
