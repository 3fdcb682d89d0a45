// Complex values between real arguments and a real result: which rules hold for them.
//
// The adjoint of a complex value z is the b with dL = Re(b dz): dL/da - i dL/db for z = a + bi, the
// conjugate of the direction of steepest ascent. With it a function that has a complex derivative
// has the rule that it has for real numbers, and what reaches a real value is the real part.
// docs/conventions.md says so to users.
#pragma once

#include "autodiff/typing.h"
#include "rules/rule.h"

namespace tangent {

// The rule that a call or an operation goes by: its own where all is real, and where the function
// has a complex derivative; another for what has not (`abs`, `real`, `conj`); refused where neither
// is known.
const Rule& rule_of_values(const Rule& rule, const Expr* node, RuleBook& rules, Typing& typing);

[[noreturn]] void refuse_complex_result(const Expr* value);

}  // namespace tangent
