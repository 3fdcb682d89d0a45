// `x.at[i].set(v)`, the updates of arrays that do not change, as a copy and a store.
//
// In: a core program over arrays of JAX. Out: the same with `y = x.copy()` and `y[i] = v` for
// `y = x.at[i].set(v)`, so that every later stage sees the stores that it knows; the text of the
// gradient has the updates again (emit/dialect.h). Updates inside of what is evaluated only
// sometimes stay as they are.
#pragma once

#include <string_view>

#include "base/function_view.h"
#include "syntax/build.h"

namespace tangent {

Block spell_out_updates(Block body, FunctionView<Symbol(std::string_view)> fresh, Context& context);

}  // namespace tangent
