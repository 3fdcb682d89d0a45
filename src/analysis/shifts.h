// Extrema that only keep an exponential from growing: `m` of `m + log(sum(exp(x - m)))` and of
// `e = exp(x - m); e / sum(e)`.
//
// In: a typed core program. Out: the calls of max, min and their like whose derivative cancels
// exactly, whatever their value is: everything that is computed of them depends on them as a
// multiple of them, or as an exponential of such a multiple, until no dependence is left. Such a
// call carries no derivative.
#pragma once

#include <unordered_set>

#include "rules/rule.h"
#include "types/infer.h"

namespace tangent {

std::unordered_set<const Expr*> cancelled_extrema(const TypedFunction& function, RuleBook& rules);

}  // namespace tangent
