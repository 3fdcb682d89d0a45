// `setattr(model, 'v', v)` of the core program is `model.v = v` in the text.
//
// In: a finished body. Out: the same with attributes as targets, as the user writes them.
#pragma once

#include "syntax/build.h"

namespace tangent {

Block spell_attribute_stores(Block body, Context& context);

}  // namespace tangent
