// Builtins that the text calls and the user hides: `range = 3.0` beside `for i in range(n)`.
//
// In: the body of a finished function and its parameters. Out: the same with `_builtins.range` for
// those. In a core program a name is a local or a global, never both, so a global of a local's name
// is a builtin that differentiation has added.
#pragma once

#include "syntax/build.h"

namespace tangent {

// How the text names the module.
inline constexpr std::string_view kBuiltinsName = "_builtins";

Block spell_hidden_builtins(Block body, List<const Parameter*> parameters, Context& context);

}  // namespace tangent
