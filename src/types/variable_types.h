// The types of the variables of a program, before it is differentiated.
//
// In: a core program, and what its arguments are. Out: the type of each variable.
#pragma once

#include <unordered_map>
#include <vector>

#include "lower/fields.h"
#include "rules/rule.h"
#include "types/type.h"

namespace tangent {

std::unordered_map<Symbol, Type> variable_types(const CoreFunction& core,
                                                const std::vector<Type>& given,
                                                const std::vector<Structure>& structures,
                                                Outside& outside, RuleBook& rules,
                                                Context& context);

}  // namespace tangent
