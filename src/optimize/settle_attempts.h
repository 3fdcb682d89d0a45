// Attempts that cannot fail, now that types are known: the sum of two numbers raises nothing.
//
// In: the typed core program. Out: the same without attempts (syntax/attempts.h) whose statements
// raise nothing that their handlers take, and without the handlers that are never reached then.
#pragma once

#include "rules/rule.h"
#include "types/infer.h"

namespace tangent {

Block settle_attempts(Block body, const TypedFunction& typed, RuleBook& rules, Context& context);

}  // namespace tangent
