// Arrays in lists and dicts that are written in place.
//
//     xs[i] += e          xs[i] = xs[i] + e
//     rows[i][j] = e      item = rows[i].copy()
//                         item[j] = e
//                         rows[i] = item
//
// In: a typed program. Out: the same, with an array of its own put into the place, where nothing
// else holds the old one: each array in the list was made for it alone, and no other name that sees
// the store is read later. What is not known to be so stays, and is refused (aliases.h).
#pragma once

#include "types/infer.h"

namespace tangent {

Block replace_stored_arrays(const CoreFunction& core, const TypedFunction& typed, Context& context);

}  // namespace tangent
