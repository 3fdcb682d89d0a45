// The gradients of whole arguments from those of their parts: of the same kind as the argument.
//
// In: what the arguments are made of, and the adjoints of the parts that are differentiated. Out:
// an expression for each argument that is asked for: a dict of adjoints for a dict.
#pragma once

#include <vector>

#include "autodiff/reverse.h"
#include "lower/fields.h"

namespace tangent {

std::vector<const Expr*> whole_gradients(const CoreFunction& core,
                                         const std::vector<Structure>& structures,
                                         const std::vector<NamedField>& fields,
                                         const std::vector<int>& wrt,
                                         const std::vector<const Expr*>& parts,
                                         ReverseResult& reverse, Context& context);

}  // namespace tangent
