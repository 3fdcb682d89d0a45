// Variables that attributes of objects became, and that a person would not write.
//
// In: a core program and those variables. Out: the program without the ones that
//   only stand for another variable, a constant or something from outside;
//   are computed only to be put into another variable:   x2 = x + vx;  x = x2     x = x + vx
//   are read once, soon after:                           x2 = -x;  y = s * x2     y = s * -x
// Every operation is still done once, on the same operands.
#pragma once

#include <unordered_set>

#include "lower/lower.h"

namespace tangent::lowering {

Block without_needless_attributes(const CoreFunction& core,
                                  const std::unordered_set<Symbol>& variables, Context& context);

}  // namespace tangent::lowering
