// Elements and slices that statements store into.
#pragma once

#include "syntax/nodes.h"

namespace tangent {

// The name at the root of an element or slice, `x` of `x[i][j]`; null if there is none.
inline const Name* root_of(const Expr* place) {
  while (const auto* subscript = as<Subscript>(place)) place = subscript->value;
  return as<Name>(place);
}

// The element or slice that a statement stores into; null if it binds names.
inline const Subscript* stored_place(const Stmt* statement) {
  if (const auto* assign = as<Assign>(statement)) return as<Subscript>(assign->targets[0]);
  if (const auto* augmented = as<AugmentedAssign>(statement))
    return as<Subscript>(augmented->target);
  return nullptr;
}

}  // namespace tangent
