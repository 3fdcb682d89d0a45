// What torch names of its results: `torch.max(x, 1).values` as part 0 of a tuple.
//
// In: a core program over tensors of torch. Out: the same with `torch.max(x, 1)[0]` for `.values`
// and `[1]` for `.indices`, so that the parts of such a result are those of any tuple. A name that
// only stands for one result, whose parts are read through it, becomes two names.
#pragma once

#include <string_view>

#include "base/function_view.h"
#include "syntax/build.h"

namespace tangent {

Block with_parts_of_results(Block body, FunctionView<Symbol(std::string_view)> fresh,
                            Context& context);

}  // namespace tangent
