// Loops over arrays that their bodies store into, by whatever name: they read each element when its
// turn comes, `for k in range(len(x)): e = x[k]`.
//
// In: a typed core program. Out: the same program in which such loops count. What a loop reads is
// then an element of an array like any other, and what was overwritten meanwhile is known.
// Iterators that cannot be counted are refused.
#pragma once

#include <unordered_set>

#include "lower/lower.h"
#include "types/infer.h"

namespace tangent {

// The body with counted loops; the same block if there are none. Throws Diagnostic (WriteInPlace).
Block count_live_loops(Block body, const TypedFunction& typed, Context& context);

// The same for the loops that `wanted` names, unless they run over a range anyhow.
Block count_loops(Block body, const std::unordered_set<const Stmt*>& wanted,
                  const TypedFunction& typed, Context& context);

}  // namespace tangent
