// `total += e` where it is not known whether `total` is a number: a sum that may be written as
// `total = total + e`, because nobody could tell the two apart.
//
// In: a core program and its types. Out: whether a name is such a sum, and the program with such
// sums written out, so that no later step has to think of a store into an array.
#pragma once

#include "types/infer.h"

namespace tangent {

// Whether what a name holds is always new, a number or what arithmetic gives, and whether it is
// only computed with: no other name, container or function gets hold of it.
bool is_only_computed_with(const CoreFunction& core, Symbol symbol);

// The program with `name = name op e` for `name op= e` of such names that are of no known type.
Block bind_sums_anew(const CoreFunction& core, const TypedFunction& typed, Context& context);

}  // namespace tangent
