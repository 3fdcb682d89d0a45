// What a user says about loops that keep snapshots in place of tapes (checkpoints.h).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "syntax/nodes.h"

namespace tangent {

enum class CheckpointSchedule : std::uint8_t {
  SquareRoot,  // about √n snapshots, and stretches of about √n steps
  Binomial,    // few snapshots, each stretch one step
};

struct CheckpointOptions {
  bool enabled = false;           // for all loops; else only inside `with tangent.checkpoint():`
  std::int64_t min_length = 100;  // loops of fewer steps keep their tapes, where that is known
  std::int64_t snapshots = 0;     // at most so many at a time; 0: as the schedule has it
  CheckpointSchedule schedule = CheckpointSchedule::SquareRoot;
  std::string disk;  // the folder in whose files tapes and snapshots lie; empty: in memory
};

// The loops of a program that keep snapshots.
struct Checkpoints {
  std::unordered_set<const Stmt*> loops;
  CheckpointOptions options = {};
};

}  // namespace tangent
