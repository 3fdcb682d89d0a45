// One statement per primitive: the primal that the naive adjoint (`optimized=False`) starts from.
//
//     y = x * np.sin(x) + 1.0      ->      sin_x = np.sin(x)
//                                          product = x * sin_x
//                                          y = product + 1.0
//
// In: a core program and its types. Out: the same program in which every operation, call and read
// of an element inside of an assignment or a return has a name, in the order of evaluation. What is
// evaluated only sometimes stays as it is.
#pragma once

#include "lower/lower.h"
#include "types/infer.h"

namespace tangent {

// The body with such names; the same block if there is nothing to name.
Block split_primitives(const CoreFunction& core, const TypedFunction& typed, Context& context);

}  // namespace tangent
