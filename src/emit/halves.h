// The two halves of a function that stays a call, from its joint adjoint program.
//
//     body of the primal                def _g_forward(x, n):
//     the turn                             …
//     backward part            ->          return y, (x, n)
//     return adjoints                   def _g_backward(tape, by):
//                                          x, n = tape
//                                          …
//
// What the backward part reads of the forward part goes on the tape, one tuple per call. Where the
// function ends in a branch that the backward part begins with, each arm has a tape of its own; an
// arm that needs nothing has None, which then decides the branch.
#pragma once

#include <functional>

#include "autodiff/assemble.h"
#include "autodiff/settle_pairs.h"

namespace tangent {

// The joint program: forward part, the turn, backward part, and a return of all that either half
// gives.
Block join_halves(const ReversedPair& pair, const Assembled& parts, Symbol result,
                  Context& context);

struct Halves {
  Block forward;
  Block backward;
  List<const Parameter*> backward_parameters;
};

// `body` is what join_halves made, optimised. `numpy` names NumPy.
Halves split_halves(Block body, const PairHalves& halves, ReversedPair& pair, Symbol result,
                    Symbol numpy, Context& context);

}  // namespace tangent
