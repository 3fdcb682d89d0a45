// Lists that are surely empty when the function ends: what was appended has been taken again.
//
//     xs = []
//     for i in range(n):
//         xs.append(…)
//     for i in reversed(range(n)):       or    while xs:
//         … = xs.pop()                             … = xs.pop()
//
// In: a typed function. Out: the names of such lists. The adjoint of one starts as an empty list.
// So it is with all tapes of a text that is differentiated again.
#pragma once

#include <unordered_set>

#include "types/infer.h"

namespace tangent {

std::unordered_set<Symbol> drained_lists(const TypedFunction& function);

}  // namespace tangent
