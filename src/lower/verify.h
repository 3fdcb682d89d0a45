// The contract of a core program (lower.h), checked.
//
// In: a core function. Out: nothing, or an InternalError that names what is broken. Debug builds
// and tests call it after lowering and after every pass that gives back a core program.
#pragma once

#include "lower/lower.h"

namespace tangent {

void verify_core(const CoreFunction& core);

}  // namespace tangent
