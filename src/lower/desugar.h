// Statements that are written with others, before anything is looked up:
//
//     with np.errstate(all='ignore'):       np.errstate(all='ignore'), as a marker; y = np.log(x)
//         y = np.log(x)
//     match kind:                           if kind == 'a': …
//         case 'a': …
//     a, *r = xs                            a = xs[0]; r = list(xs[1:])
//     import a.b                            import a.b as …, a
//     try: …                                a branch (try_statements.h)
//
// In: the body of a function as the user wrote it. Out: the same without `with`, `match`, `try`
// and starred targets, nested functions included.
#pragma once

#include "syntax/build.h"

namespace tangent::lowering {

// What the marker of a `with` is called with: the context manager. No text can spell this name.
constexpr std::string_view kEnter = "<with>";

Block desugared(Block body, List<const Parameter*> parameters, Context& context);

}  // namespace tangent::lowering
