// What no function may contain, refused at its own place before anything is lowered.
//
// In: a function's definition. Out: nothing, or a Diagnostic for the first construct in the source
// that is not supported, with what to write instead. What depends on the meaning of names (calls,
// closures) is refused where it is lowered.
#pragma once

#include "syntax/nodes.h"

namespace tangent::lowering {

void refuse_unsupported(const FunctionDefinition& definition);
void refuse_unsupported(Block body);

}  // namespace tangent::lowering
