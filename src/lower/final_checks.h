// What is settled when the core program is finished: the globals that it uses, locals that can
// never be read, and nesting that Python itself does not take.
#pragma once

#include <vector>

#include "lower/lower.h"

namespace tangent::lowering {

// core.globals = those of `known` that the body reads, in the order of `known`.
void keep_used_globals(CoreFunction& core, const std::vector<GlobalBinding>& known);

// Refuses a local that is read but assigned nowhere (all its assignments can never run): as text it
// would be a global.
void check_reads(const CoreFunction& core);

// Refuses more indentation or nested loops than CPython compiles: inlining and early returns nest
// deeper than the user wrote.
void check_nesting(const CoreFunction& core);

}  // namespace tangent::lowering
