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

// f(const Expr*) for the parts of a result that are no displays: of `(a, {'k': [b]})` these are a
// and b.
template <class F>
void for_each_result_part(const Expr* result, F&& f) {
  if (const Exprs* elements = display_elements(result)) {
    for (const Expr* element : *elements) for_each_result_part(element, f);
  } else if (const auto* dict = as<Dictionary>(result)) {
    for (const Expr* key : dict->keys) {
      if (key != nullptr) f(key);
    }
    for (const Expr* value : dict->values) for_each_result_part(value, f);
  } else {
    f(result);
  }
}

}  // namespace tangent
