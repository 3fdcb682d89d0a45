// Fields of arguments that are passed through to functions that stay calls.
//
//     def grow(x, p, n): … p['rate'] * grow(x, p, n - 1)
//
// In: a core program and its pairs, what the arguments are made of, the fields as name_fields named
// them. Out: `grow` takes the parts of `p` that it reads, or that those read which it calls, as
// parameters of their own. A parameter that is bound anew, that is not passed on unchanged, or that
// stands for several arguments stays what it is.
#pragma once

#include "lower/fields.h"

namespace tangent {

// The parameters of the differentiated function that may reach each parameter of each pair, passed
// on unchanged.
std::vector<std::vector<std::vector<std::size_t>>> passed_through(const CoreFunction& core);

void spread_fields(CoreFunction& core, std::vector<CorePair>& pairs,
                   const std::vector<Structure>& structures, const std::vector<NamedField>& fields,
                   Context& context);

}  // namespace tangent
