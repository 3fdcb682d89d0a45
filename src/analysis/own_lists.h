// Lists that no second name can stand for.
//
// In: a typed function. Out: the locals that are bound to list displays and to `list(…)` only,
// whose items are numbers or arrays. Two such names are two lists: what is appended to one, or
// taken from it, the other does not see, although both may hold views of one array.
#pragma once

#include <unordered_set>

#include "types/infer.h"

namespace tangent {

std::unordered_set<Symbol> own_lists(const TypedFunction& function);

}  // namespace tangent
