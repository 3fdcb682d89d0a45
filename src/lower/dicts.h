// Dicts whose keys are known: their methods, and loops over them, by constant keys.
//
//     for k, v in p.items():             for k, v in zip(('a', 'b'), [p['a'], p['b']]):
//         s += v * p[k]                      s += v * v
//     p.get('a', 0.0), 'b' in p          p['a'], True
//     d['c'] = e                         d = {'a': d['a'], 'b': d['b'], 'c': e}
//
// In: a core program, and which expressions are dicts of what keys. Out: the same program in which
// such a dict is reached by constants alone, so that its entries are variables (parts.h, fields.h).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lower/lower.h"

namespace tangent {

// The keys of a dict, as literals in its order; nothing if the expression is not known to be one.
using KeysOf = std::function<std::optional<std::vector<const Expr*>>(const Expr*)>;

// The body with the methods of these dicts, and loops over them, spelled out.
Block spell_out_dicts(const CoreFunction& core, const KeysOf& keys_of, Context& context);

// The same for dicts that the function makes by a display and nothing else refers to, whose keys
// may be added and taken away one by one.
CoreFunction spell_out_local_dicts(const CoreFunction& core, Context& context);

}  // namespace tangent
