// The negative of an expression as one writes it.
//
// In: an expression. Out: its negative, the sign at the first factor: -a * b needs no parentheses.
#pragma once

#include "syntax/build.h"

namespace tangent {

inline const Expr* negative_of(Context& context, const Expr* value) {
  const auto* product = as<BinaryOperation>(value);
  if (product != nullptr &&
      (product->op == BinaryOperator::Multiply || product->op == BinaryOperator::Divide)) {
    return context.make<BinaryOperation>(value->ranges, product->op,
                                         negative_of(context, product->left), product->right);
  }
  return context.make<UnaryOperation>(value->ranges, UnaryOperator::Minus, value);
}

}  // namespace tangent
