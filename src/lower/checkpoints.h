// `with tangent.checkpoint():` around loops.
//
// In: statements as the user wrote them. Out: the same without these `with`, whose body stands in
// their place, and where they stood: loops that come from there keep snapshots in place of tapes.
#pragma once

#include <vector>

#include "base/function_view.h"
#include "syntax/build.h"

namespace tangent::lowering {

// Whether a `with` looks like one of these; what its name stands for shows later.
bool may_be_checkpoint(const With& with);

// `is_checkpoint` says whether the function that a `with` calls is `tangent.checkpoint`.
Block without_checkpoints(Context& context, Block body, std::vector<SourceRange>& places,
                          FunctionView<bool(const Expr*)> is_checkpoint);

}  // namespace tangent::lowering
