// Sets: as lists of what they hold, each once, where nothing changes them; as sets where they carry
// no derivative.
//
//     s = {x, y}                    s = _distinct([x, y])
//     {f(x) for x in xs}            _distinct([f(x) for x in xs])
//     seen = set()                  seen = set()
//     seen.add(k)                   seen = _with_item(seen, k)
//     seen.update(ks)               for item in ks:
//                                       seen = _with_item(seen, item)
//     for k in seen:                for k in list(seen):
//
// `_distinct` gives the items in the order in which the set has them; of equal ones the first
// stays, as in the set. In: the body of a function as the user wrote it. Out: the same without
// displays and comprehensions of sets, but for `k in {1, 2}`; the methods that change a set have
// callees of their own.
#pragma once

#include <string_view>

#include "base/function_view.h"
#include "syntax/build.h"

namespace tangent::lowering {

// What the names of helpers begin with until a call of one is lowered.
constexpr std::string_view kHelper = "tangent.runtime.";

// `is_builtin` says whether what is called is the builtin of that name.
Block without_sets(Context& context, Block body,
                   FunctionView<bool(const Expr*, std::string_view)> is_builtin);

}  // namespace tangent::lowering
