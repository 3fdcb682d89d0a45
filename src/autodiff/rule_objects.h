// What records given by the user call, as names of the emitted function.
//
// In: a typed program and its functions. Out: for every record of the user's that a call of it
// meets, the functions and values that the record names are among the globals, and
// CoreFunction::rule_objects says how they are printed.
#pragma once

#include <vector>

#include "capture/outside.h"
#include "types/infer_pairs.h"

namespace tangent {

void bind_rule_objects(CoreFunction& top, std::vector<CorePair>& pairs, TypedProgram& program,
                       Outside& outside, RuleBook& rules, Context& context);

}  // namespace tangent
