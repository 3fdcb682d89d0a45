// Scalar replacement: tuples, lists and dicts of the function that never leave it as a whole become
// variables.
//
//     state = {'x': x0, 'v': 0.0}            x = x0
//                                            v = 0.0
//     state['x'] = state['x'] + state['v']   x = x + v
//
// In: a core program. Out: the same program without those containers. A container is replaced if
// all of its values are displays of the same parts, and everything else that is done with it goes
// by constants, asks for its length, takes it apart, or hands it to a library function or `return`,
// which see a display made on the spot.
#pragma once

#include "lower/lower.h"

namespace tangent {

CoreFunction replace_parts(const CoreFunction& core, Context& context);

}  // namespace tangent
