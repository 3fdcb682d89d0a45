// Names for lists that are made inside of an expression, and that a derivative may flow through.
//
//     for a, b in zip(xs, xs[1:]):           items = xs[1:]
//                                            for a, b in zip(xs, items):
//
// In: a core program and its types. Out: the same program in which a slice, a sum, a repeat, a copy
// or a reversed or sorted list is bound to a name before the statement that uses it, where that
// keeps the order of evaluation. The adjoint of a list is a list that follows it by name.
#pragma once

#include "lower/lower.h"
#include "types/infer.h"

namespace tangent {

// The body with such names; the same block if there is nothing to name.
Block name_lists(const CoreFunction& core, const TypedFunction& typed, Context& context);

}  // namespace tangent
