// The names that a block of a core program binds anew.
//
// In: a block. Out: the targets of its assignments and loops, and the lists whose length it
// changes, nested blocks included. What is stored into keeps its name.
#pragma once

#include <unordered_set>

#include "syntax/nodes.h"

namespace tangent {

void find_bound(Block block, std::unordered_set<Symbol>& bound);

}  // namespace tangent
