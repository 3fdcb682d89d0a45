// Tapes and snapshots that are to lie on disk: `x_tape = _tape_on_disk('/scratch')` for
// `x_tape = []` (python/tangent/_runtime_disk.py).
//
// In: the body of a finished gradient. Out: the same, where every list that arrays are pushed on is
// such a tape. Numbers stay in memory.
#pragma once

#include <string>

#include "base/function_view.h"
#include "syntax/build.h"

namespace tangent {

inline constexpr std::string_view kTapeOnDisk = "_tape_on_disk";

// `is_number` says whether a pushed value is a number or holds numbers alone. `of_gradient`: the
// differentiated function is a gradient whose tapes are on disk; its lists that are used as tapes
// are, are tapes here, too.
Block put_tapes_on_disk(Block body, const std::string& folder, bool of_gradient,
                        FunctionView<bool(const Expr*)> is_number, Context& context);

}  // namespace tangent
