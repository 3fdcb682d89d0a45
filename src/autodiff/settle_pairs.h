// Reverse mode over all functions that stay calls, until it is settled how adjoints flow.
//
// In: the active functions (pairs.h). Out: each reversed, as the others take and give adjoints now;
// the table says how. A parameter's flow only grows (Nothing, Returned, Added), but for a function
// that turns out not to be able to add into a buffer: that gives all adjoints back.
#pragma once

#include <memory>
#include <vector>

#include "autodiff/pairs.h"
#include "autodiff/reverse.h"

namespace tangent {

struct ReversedPair {
  std::size_t index;  // in the table
  NamePool names;
  ReverseResult reverse;
};

std::vector<std::unique_ptr<ReversedPair>> settle_pairs(PairTable& table, RuleBook& rules,
                                                        Context& context, Symbol numpy,
                                                        const Optimizations& optimizations);

}  // namespace tangent
