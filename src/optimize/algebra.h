// Shorter formulas of the same value.
//
// In: a formula. Out: one that takes fewer operations, or the same. The value is the same wherever
// that of the first is finite, up to rounding.
#pragma once

#include "optimize/formula.h"

namespace tangent::algebra {

// The best of what the rules, expanding and factoring find.
F simplify(const F& formula);

// The rules of algebra_rules.def, as long as one applies.
F apply_rules(const F& formula);
// Products of sums and small powers of sums written out; the formula itself if that gets too long.
F expand(const F& formula);
// Common factors taken out of every sum, those of all terms first, then those of most.
F factor_out(const F& formula);
// Sums divided by sums that divide them without rest.
F cancel(const F& formula);

}  // namespace tangent::algebra
