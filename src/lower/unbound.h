// Locals of a function that may be read before they are assigned.
//
// Python raises UnboundLocalError then. Inlined into a loop, the variable would still hold the
// value of the previous round, so such a function is refused there.
#pragma once

#include <unordered_set>

#include "lower/scope.h"

namespace tangent::lowering {

std::unordered_set<Symbol> maybe_unbound(List<const Parameter*> parameters, Block body,
                                         const ScopeFacts& facts);

}  // namespace tangent::lowering
