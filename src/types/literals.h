// Integers that are known while types are inferred. Internal to src/types.
#pragma once

#include <optional>

#include "types/transfer.h"

namespace tangent {

// 3 and -3 as written; nothing for anything else.
std::optional<std::int64_t> integer_literal(const Expr* expression);
// The same, and variables that surely hold one small literal.
std::optional<std::int64_t> integer_value(const Expr* expression, const TypeLookup& types);
// Left out, or the literal None.
bool is_none(const Expr* expression);

}  // namespace tangent
