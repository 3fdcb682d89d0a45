// Where an exception may leave the body of a `try`: each such place is an attempt of its own.
//
//     failed = try(IndexError)               failed = False
//     if not failed:                         for i in range(n):
//         for i in range(n):                     failed2 = attempt(IndexError)
//             total += xs[i]         ->          if not failed2:
//         completed()                                total += xs[i]
//     else:                                          completed()
//         total = -1.0                           else:
//                                                    failed = True
//                                                    break
//                                            if failed:
//                                                total = -1.0
//
// In: the lowered statements of one function, with branches that stand for the whole of a `try`
// (syntax/attempts.h). Out: the same with attempts of which only the last statement that may raise
// changes what is read where it fails. Statements that may raise together become one attempt where
// nobody sees what the first ones have done: a `try` of a few assignments stays one.
#pragma once

#include <functional>

#include "lower/names.h"
#include "syntax/build.h"

namespace tangent::lowering {

// What raises the exceptions of a class, by its name.
std::int64_t raised_by(std::string_view qualified_name);

// `outlives` says of a name whether others than these statements may read it.
Block with_attempts(Context& context, FreshNames& names, Block body,
                    const std::function<bool(Symbol)>& outlives);

}  // namespace tangent::lowering
