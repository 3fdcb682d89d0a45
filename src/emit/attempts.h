// `try` again: what the program says of attempts (syntax/attempts.h), as Python says it.
//
//     failed = attempt(1, ZeroDivisionError)      failed = False
//     if not failed:                              try:
//         y = a / b                                   y = a / b
//         completed(1)                            except ZeroDivisionError:
//         y_tape.append(y)                ->          failed = True
//     else:                                           y = 0.0
//         y = 0.0                                 else:
//                                                     y_tape.append(y)
//
// In: the body of a derivative. Out: the same without markers. What the derivative has put between
// statements that may raise and changes what is read where they do (tapes, tangents) waits until
// the attempt is over. The flag goes where nobody reads it.
#pragma once

#include "autodiff/rule_names.h"
#include "syntax/build.h"

namespace tangent {

Block spell_attempts(Block body, NamePool& names, Context& context);

}  // namespace tangent
