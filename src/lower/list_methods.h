// Lists whose names are bound anew by a method that changes them; see list_methods.cpp.
//
// In: the finished core program and the names. Out: nothing, or a Diagnostic (WriteInPlace) where
// something else than the name refers to the list.
#pragma once

#include <vector>

#include "lower/lower.h"

namespace tangent::lowering {

struct ReboundList {
  Symbol name;
  Ranges ranges;  // of the call
};

void check_rebound_lists(const CoreFunction& core, const std::vector<ReboundList>& lists);

}  // namespace tangent::lowering
