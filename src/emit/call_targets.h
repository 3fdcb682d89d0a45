// Calls that store into their arguments, as Python spells them.
//
// In: a program whose calls of pairs name the arrays that they store into among their targets
// (`y, (x,), y_tape = _step_forward(x, c)`, lower/lower.h). Out: the program without those.
#pragma once

#include "syntax/build.h"

namespace tangent {

Block spell_call_targets(Block body, Context& context);

}  // namespace tangent
