// `zip(*rows)`: the columns of rows of which nobody knows how many there are.
//
//     xs, ys = zip(*pairs)            xs = [part for part, part2 in pairs]
//                                     ys = [part2 for part, part2 in pairs]
//     for a, b in zip(*rows):         row, row2 = rows
//                                     for a, b in zip(row, row2):
//     zip(*rows)                      [[row[k] for row in rows] for k in range(len(rows[0]))]
//
// In: the body of a function as the user wrote it. Out: the same without such calls. The columns
// are lists, which nothing but their type tells from tuples; rows of several lengths, of which
// `zip` takes what all have, raise an IndexError.
#pragma once

#include "base/function_view.h"
#include "syntax/build.h"

namespace tangent::lowering {

// `is_builtin` says whether what is called is the builtin of that name; `is_variadic` whether a
// name is that of `*args`, whose number is known where the function is called.
Block without_transposes(Context& context, Block body,
                         FunctionView<bool(const Expr*, std::string_view)> is_builtin,
                         FunctionView<bool(Symbol)> is_variadic);

}  // namespace tangent::lowering
