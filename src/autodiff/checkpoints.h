// Checkpointing: loops that keep snapshots of their state in place of tapes.
//
// The forward part runs such a loop as the user wrote it, and keeps its state at some of its steps.
// Backwards the loop is run again from a snapshot, a stretch of steps at a time, this time with
// tapes, and the stretch is undone. So the tapes are as long as a stretch, not as the loop.
//
// In: a typed program, the plan of its adjoint and what that saves, without checkpoints; what the
// user asked for. Out: which loops are run so. Then, from a plan that was made for these loops
// (reverse_stretches.cpp): their states, what is run again, and what that reads.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "autodiff/reverse.h"
#include "autodiff/save.h"

namespace tangent {

// The loops of a body in the order of the text, each before those inside it. Rewriting keeps their
// number, so that a loop is found again in another version of the program.
std::vector<const Stmt*> loops_of(Block body);

// The numbers of the loops that are to keep snapshots. `forced` are the places of
// `with tangent.checkpoint():`, in which a loop that cannot is refused.
std::unordered_set<std::size_t> choose_checkpoints(const TypedFunction& typed,
                                                   const ReverseResult& reverse, const Saves& saves,
                                                   const CheckpointOptions& options,
                                                   const std::vector<SourceRange>& forced,
                                                   RuleBook& rules);

// Completes the plans of loops that keep snapshots.
void plan_snapshots(Block body, ReverseResult& reverse, NamePool& names);

}  // namespace tangent
