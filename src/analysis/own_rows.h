// Lists of lists each of which stands in one place alone, so that `m[i][j] = e` changes nothing
// else.
//
// In: a typed program, a name. Out: whether all that is ever put into its list is a new list, or
// one whose only name is bound in the same block and read nowhere behind that. The rows of an
// argument are apart, or the guard refuses the call.
#pragma once

#include "types/infer.h"

namespace tangent {

class Aliases;

bool has_own_rows(const TypedFunction& function, Symbol list);
// The same for the arrays in a list or dict as well: each is made for its place alone.
bool has_own_arrays(const TypedFunction& function, Symbol list, const Aliases& aliases);

}  // namespace tangent
