// `collections.defaultdict` and `Counter` as the dicts that they are to their reader.
//
//     d = defaultdict(float)      d = {}
//     d[k] += e                   d[k] = d.get(k, 0.0) + e
//     y = d[k]                    y = d.get(k, 0.0)
//     g = defaultdict(list)       g = {}
//     g[k].append(e)              if k not in g:
//                                     g[k] = []
//                                 g[k].append(e)
//     n = Counter(keys)           n = {}
//                                 for item in keys:
//                                     n[item] = n.get(item, 0) + 1
//     m = OrderedDict()           m = {}
//
// In: the body of a function as the user wrote it. Out: the same without such dicts that have names
// of the function. What they can and a dict cannot, or would do at another time, is refused.
#pragma once

#include "base/function_view.h"
#include "syntax/build.h"

namespace tangent::lowering {

enum class DefaultDict : std::uint8_t { None, Default, Counter, Ordered };

// `kind_of` says which of them a call makes, by what is called.
Block without_default_dicts(Context& context, Block body,
                            FunctionView<DefaultDict(const Expr*)> kind_of);

}  // namespace tangent::lowering
