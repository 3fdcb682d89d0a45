// The halves of the functions that stay calls, as definitions behind the gradient.
//
// In: the pairs, differentiated. Out: the definitions that the text so far and they themselves use,
// appended; what they need of helpers and modules is added to `reverse`.
#pragma once

#include <memory>
#include <vector>

#include "autodiff/settle_pairs.h"
#include "pipeline.h"

namespace tangent {

void append_halves(const PairTable& table, std::vector<std::unique_ptr<ReversedPair>>& reversed,
                   Symbol numpy, RuleBook& rules, Context& context,
                   std::vector<const Stmt*>& definitions, ReverseResult& reverse,
                   const GradientOptions& options);

}  // namespace tangent
