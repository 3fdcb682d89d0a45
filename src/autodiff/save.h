// What has to be recorded: which values of primal variables are kept, where, and on what.
//
// In: the primal and the needs of its adjoint (plan.h). Out: saves by position. A value is saved if
// the backward part reads it and the variable is written again before then. It is saved behind its
// last use, where the block that uses it is, so that it is saved as seldom as possible; the
// backward part takes it back at the same position. Inside loops values go on tapes, elsewhere
// under a name.
#pragma once

#include "autodiff/plan.h"
#include "autodiff/reverse.h"

namespace tangent {

struct Save {
  Symbol variable;
  Symbol storage;  // the tape, or the name
  bool tape = false;
  bool copy = false;       // the array is stored into later …
  bool copy_list = false;  // … or the list changes
  PairId pair = 0;
};

struct Saves {
  std::unordered_map<BlockKey, std::vector<std::vector<Save>>> at;

  [[nodiscard]] const std::vector<Save>& find(Position position) const {
    static const std::vector<Save> kNone;
    const auto found = at.find(position.block);
    if (found == at.end() || position.index >= found->second.size()) return kNone;
    return found->second[position.index];
  }
};

Saves find_saves(Block body, const Plan& plan, NamePool& names);

// The naive way: every number and array that the backward part reads goes on a tape where it is
// read. What is neither (`is_plain` says so) is saved as find_saves does.
Saves save_everything(Block body, const Plan& plan, NamePool& names,
                      const std::function<bool(Symbol)>& is_plain);

}  // namespace tangent
