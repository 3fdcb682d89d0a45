// Arguments that are lists of rows (tuples, lists or dicts of one make): loops over them and
// variable positions by columns, and second names of parts of arguments.
//
//     for w, b in params:                 for w, b in zip([params[0][0], params[1][0]],
//         x = np.tanh(x @ w + b)                          [params[0][1], params[1][1]]):
//     q = p['in']; q['w']                 p['in']['w']
//
// In: a core program, and what its arguments are made of. Out: the same program in which constants
// reach these parts, so that they are variables (fields.h). What cannot be written so stays.
#pragma once

#include <functional>

#include "lower/fields.h"

namespace tangent {

// What a chain of constant steps into an argument reaches; null if it is none.
using StructureOf = std::function<const Structure*(const Expr*)>;

CoreFunction spell_out_rows(const CoreFunction& core, const StructureOf& structure_of,
                            Context& context);

}  // namespace tangent
