// Second names of what is changed in place: `ys = xs; ys.append(e)`.
//
// In: a core program. Out: the same program without names that are bound once, to another name that
// stands for the same thing from there on: they are that name.
#pragma once

#include "lower/lower.h"

namespace tangent {

Block without_second_names(const CoreFunction& core, Context& context);

}  // namespace tangent
