// Integers that are known while types are inferred. Internal to src/types.
#pragma once

#include <optional>

#include "syntax/as_written.h"
#include "types/transfer.h"

namespace tangent {

// `integer_literal`, and variables that surely hold one small literal.
std::optional<std::int64_t> integer_value(const Expr* expression, const TypeLookup& types);
// Left out, or the literal None.
bool is_none(const Expr* expression);

}  // namespace tangent
