// Arrays in lists that are changed in place, where nothing else holds them: as new arrays.
//
//     places[i] += dt * speeds[i]         places[i] = places[i] + dt * speeds[i]
//
// In: a typed core program. Out: the same program in which such items are stored anew: what the
// list holds was made for it alone, and nothing that reads an item keeps it. What is changed in
// place all the same is refused (aliases.cpp).
#pragma once

#include "lower/lower.h"
#include "types/infer.h"

namespace tangent {

// The body with items that are stored anew; the same block if there are none.
Block renew_items(Block body, const TypedFunction& typed, Context& context);

}  // namespace tangent
