// How a block of a core program can be left.
//
// In: a statement or block. Out: whether control may go on behind it, whether a break stands in it.
#pragma once

#include <algorithm>

#include "syntax/nodes.h"

namespace tangent {

inline bool falls_through(Block block);

inline bool falls_through(const Stmt* statement) {
  if (is<Break>(statement) || is<Raise>(statement) || is<Return>(statement)) return false;
  if (const auto* branch = as<If>(statement)) {
    return falls_through(branch->body) || falls_through(branch->orelse);
  }
  return true;
}

inline bool falls_through(Block block) {
  for (const Stmt* statement : block) {
    if (!falls_through(statement)) return false;
  }
  return true;
}

inline bool holds_break(const Stmt* statement) {
  if (is<Break>(statement)) return true;
  const auto* branch = as<If>(statement);
  if (branch == nullptr) return false;
  return std::any_of(branch->body.begin(), branch->body.end(), holds_break) ||
         std::any_of(branch->orelse.begin(), branch->orelse.end(), holds_break);
}

}  // namespace tangent
