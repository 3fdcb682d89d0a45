// Integers that are known while types are inferred.
#include "types/literals.h"

namespace tangent {

std::optional<std::int64_t> integer_value(const Expr* expression, const TypeLookup& types) {
  if (const auto literal = integer_literal(expression)) return literal;
  if (expression == nullptr || is<Constant>(expression)) return std::nullopt;
  const Type type = types(expression);
  if (type.is_number() && !type.dims.empty() && type.dims[0].is_literal()) {
    return type.dims[0].literal();
  }
  return std::nullopt;
}

bool is_none(const Expr* expression) {
  if (expression == nullptr) return true;
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->value.kind == LiteralKind::None;
}

}  // namespace tangent
