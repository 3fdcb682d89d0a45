// The core program made ready for differentiation, before types are inferred.
//
// In: a core program. Out: the same program, in which tuples, lists and dicts that are only taken
// apart are variables (parts.h), a loop over an expression runs over a name,
// and a ternary or `and`/`or` whose later operands call something is an If on a temporary: what is
// evaluated only sometimes cannot be kept by name in front of its statement.
#pragma once

#include "lower/lower.h"

namespace tangent {

CoreFunction prepare(const CoreFunction& core, Context& context);

}  // namespace tangent
