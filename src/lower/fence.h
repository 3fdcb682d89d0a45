// What no function may contain, refused at its own place before anything is lowered.
//
// In: a function's definition. Out: nothing, or a Diagnostic for the first construct in the source
// that is not supported, with what to write instead. What depends on the meaning of names (calls,
// closures) is refused where it is lowered.
#pragma once

#include "syntax/nodes.h"

namespace tangent::lowering {

// `is_called`: by the differentiated function, so that it may be a generator.
void refuse_unsupported(const FunctionDefinition& definition, bool is_called = false);
void refuse_unsupported(Block body);
// The first `yield` of a body, leaving out functions inside it; null if there is none.
const Expr* find_yield(Block body);

}  // namespace tangent::lowering
