// What of the core program may raise an exception that handlers of some classes take.
//
// In: a statement or an expression of the core program, and what exceptions come from (attempts.h).
// Types are not known yet: what may be an array may be a number. Saying too little loses no
// exception: it then leaves the derivative as it would leave a function without `try`.
#pragma once

#include <cstdint>

#include "syntax/nodes.h"

namespace tangent::lowering {

bool raises_in(const Expr* expression, std::int64_t mask);
// Blocks of a statement included. What an attempt inside it catches may still raise for another.
bool may_raise_in(const Stmt* statement, std::int64_t mask);
// Whether a statement neither prints, draws nor changes anything but the names that it assigns.
bool only_computes(const Stmt* statement);

}  // namespace tangent::lowering
