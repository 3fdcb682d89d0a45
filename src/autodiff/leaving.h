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

// The exit that a loop's body ends with: `if test: break` behind all else. What it cuts is a full
// iteration. Null if there is none.
inline const Break* exit_at_end(Block body) {
  const auto* branch = body.size() > 1 ? as<If>(body.back()) : nullptr;
  if (branch == nullptr || branch->body.size() != 1 || !branch->orelse.empty()) return nullptr;
  return as<Break>(branch->body[0]);
}

}  // namespace tangent
