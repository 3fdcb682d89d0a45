// Arguments that are reached both as a whole and in parts that are variables of their own.
//
// In: a typed core program whose parameters have fields (lower/fields.h). A store through one of
// the two ways is not seen by the other, whose names are others. Throws Diagnostic (WriteInPlace)
// where something of such an argument is written in place.
#pragma once

#include <vector>

#include "analysis/aliases.h"
#include "lower/fields.h"

namespace tangent {

void check_wholes(const TypedFunction& function, const std::vector<NamedField>& fields);

}  // namespace tangent
