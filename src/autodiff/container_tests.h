// Lists and dicts as tests of branches: `if stack and x < stack[-1]:` asks whether there is
// something in the list.
//
// In: a typed program. Out: the same with `len(stack) > 0` for it, so that what is kept of a test
// is an answer, and not a list that holds something else later.
#pragma once

#include "types/infer.h"

namespace tangent {

Block spell_out_container_tests(const CoreFunction& core, const TypedFunction& typed,
                                Context& context);

}  // namespace tangent
