// `collections.deque` as the list that it is to its reader.
//
//     q = deque([a, b], maxlen=3)     q = [a, b]
//     q.append(c)                     q.append(c)
//                                     if len(q) > 3:
//                                         q.pop(0)
//     q.appendleft(c)                 q.insert(0, c)
//     q.popleft()                     q.pop(0)
//
// In: the body of a function as the user wrote it. Out: the same without deques that have names of
// the function. What a deque can and a list cannot is refused.
#pragma once

#include "base/function_view.h"
#include "syntax/build.h"

namespace tangent::lowering {

// `is_deque` says whether what is called is `collections.deque`.
Block without_deques(Context& context, Block body, FunctionView<bool(const Expr*)> is_deque);

}  // namespace tangent::lowering
