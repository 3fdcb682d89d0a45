// What an expression says as it is written: an integer, the elements of a tuple or list.
#pragma once

#include <cstdint>
#include <optional>

#include "syntax/nodes.h"

namespace tangent {

// 3 and -3; nothing for anything else.
inline std::optional<std::int64_t> integer_literal(const Expr* expression) {
  const auto* unary = as<UnaryOperation>(expression);
  const bool negative = unary != nullptr && unary->op == UnaryOperator::Minus;
  const auto* constant = as<Constant>(negative ? unary->operand : expression);
  if (constant == nullptr || constant->value.kind != LiteralKind::Integer) return std::nullopt;
  return negative ? -constant->value.integer : constant->value.integer;
}

// The elements of `(a, b)` or `[a, b]`; null for anything else.
inline const Exprs* display_elements(const Expr* expression) {
  if (const auto* tuple = as<TupleDisplay>(expression)) return &tuple->elements;
  if (const auto* list = as<ListDisplay>(expression)) return &list->elements;
  return nullptr;
}

}  // namespace tangent
