// Locals of a function that may be read before they are assigned.
//
// Python raises UnboundLocalError then. Inlined into a loop, the variable would still hold the
// value of the previous round, so such a function is refused there.
#pragma once

#include <unordered_set>

#include "lower/scope.h"
#include "syntax/build.h"

namespace tangent::lowering {

std::unordered_set<Symbol> maybe_unbound(List<const Parameter*> parameters, Block body,
                                         const ScopeFacts& facts);

// The body, with a bare `name` before every statement that may read one of `names` before it is
// assigned: what it raises is not lost where the value is not needed.
Block with_bare_reads(Context& context, List<const Parameter*> parameters, Block body,
                      const ScopeFacts& facts, const std::unordered_set<Symbol>& names);

}  // namespace tangent::lowering
