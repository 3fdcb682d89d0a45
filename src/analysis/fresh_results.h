// Which functions that stay calls never give back memory of their arguments.
//
// In: a typed program. Out: each of its functions told which calls give memory of their own
// (TypedFunction::fresh_calls): what is bound to one may be stored into while the arguments are
// read. A fixpoint that starts with all calls fresh; where one function's result may be an
// argument's memory, those that pass it on are looked at again.
#pragma once

#include "types/infer_pairs.h"

namespace tangent {

void note_fresh_results(TypedProgram& program, const std::vector<CorePair>& pairs);

}  // namespace tangent
