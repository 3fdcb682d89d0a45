// Names of views replaced by the views: `row = grid[i]; row[j] = e` as `grid[i][j] = e`.
//
// In: a core program, its types, and the names whose memory is stored into through several names.
// Out: the same program in which those names are spelled out as far as that is the same: a name
// that stands for one array or basic slice from where it is bound to where it is read last, also
// one that is changed in place (`row += e` is `grid[i] += e`), and the rows of a loop over an array
// (`for row in grid` counts them).
#pragma once

#include <unordered_set>

#include "lower/lower.h"
#include "types/infer.h"

namespace tangent {

// The body with what could be replaced; the same block if nothing could.
Block spell_out_views(Block body, const TypedFunction& typed,
                      const std::unordered_set<Symbol>& names, Context& context);

}  // namespace tangent
