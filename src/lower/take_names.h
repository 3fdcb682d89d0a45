// Names that a program must not use, because parameters that are added to it have them.
//
// In: a core program and names. Out: the same program, in which locals and globals of these names
// are called something else.
#pragma once

#include <string>
#include <vector>

#include "lower/lower.h"

namespace tangent {

CoreFunction take_names(const CoreFunction& core, const std::vector<std::string>& names,
                        Context& context);

}  // namespace tangent
