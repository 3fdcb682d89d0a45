// The names of a finished core program: which globals it uses, and whether its locals can be read.
#pragma once

#include <vector>

#include "lower/lower.h"

namespace tangent::lowering {

// core.globals = those of `known` that the body reads, in the order of `known`.
void keep_used_globals(CoreFunction& core, const std::vector<GlobalBinding>& known);

// Refuses a local that is read but assigned nowhere (all its assignments can never run): as text it
// would be a global.
void check_reads(const CoreFunction& core);

}  // namespace tangent::lowering
