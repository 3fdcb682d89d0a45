// A name that stands for a list first and for an array or a number later becomes two names.
//
//     path = np.array(path)                  path2 = np.array(path)
//     return np.sum(path ** 2)               return np.sum(path2 ** 2)
//
// In: a core program and its types. Out: the same program with such names apart, where the second
// binding reaches no more than the rest of its block. The adjoint of a list is a
// list and has a name of its own, which an array's adjoint cannot share.
#pragma once

#include "lower/lower.h"
#include "types/infer.h"

namespace tangent {

// The body with such names; the same block if there are none.
Block part_rebound_lists(const CoreFunction& core, const TypedFunction& typed, Context& context);

}  // namespace tangent
