// Arrays that are seen through `reshape` and `ravel`, and one of the two is stored into.
//
//     z = y.reshape(2, 3)       shares = np.may_share_memory(y.reshape(2, 3), y)
//                               z = y.reshape(2, 3).copy()
//     z[0, 1] = e               z[0, 1] = e
//                               if shares:
//                                   y[...] = np.reshape(z, np.shape(y))
//     s = np.sum(y)             s = np.sum(y)
//
// Whether NumPy gives a view or a copy is known where it runs alone. In: a typed program. Out: the
// same with an array of its own for the view, and what one of the two got handed to the other in
// front of the statement that reads it. Where a loop or branch uses both and stores, where a third
// name sees the memory, or a name is bound anew meanwhile, nothing changes, and the store is
// refused (aliases.h).
#pragma once

#include "types/infer.h"

namespace tangent {

Block part_stored_reshapes(const CoreFunction& core, const TypedFunction& typed, Context& context);

}  // namespace tangent
