// What an adjoint keeps of the forward part, for the reader of a report.
//
// In: the definitions of a gradient as they are printed, and the names of its adjoints. Out: every
// value that the backward part takes from a tape or reads under its name, where it comes from and
// which of the user's lines need it. Made only where somebody asks.
#pragma once

#include <unordered_set>

#include "pipeline.h"

namespace tangent {

std::vector<SavedValue> saved_values(Block definitions, const std::unordered_set<Symbol>& adjoints);

}  // namespace tangent
