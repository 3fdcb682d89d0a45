// What takes items out of lists and dicts, or puts several into them.
//
//     y = xs.pop(i)               y = xs[i]
//     del xs[i]                   xs[i]
//                                 xs = xs[:i] + xs[i:][1:]
//     xs[a:b] = ys                xs = xs[:a] + list(ys) + xs[b:]
//     y = d.pop(k)                y = d[k]
//                                 d.pop(k)
//     d.setdefault(k, v)          if k not in d:
//                                     d[k] = v
//     d.update(e)                 for key in e:
//                                     d[key] = e[key]
//
// Whether a name stands for a list or for a dict is what all of its bindings say. In: a core
// program. Out: the same program; lists whose names are bound anew are noted, as in list_methods.h.
// What is not known to be one of the two stays, and is refused where types are known.
#pragma once

#include <functional>
#include <vector>

#include "lower/list_methods.h"
#include "lower/lower.h"

namespace tangent {

// Those of lists, before second names go.
// `list` gives the name of the builtin in this program.
Block spell_out_list_items(const CoreFunction& core, const std::function<const Name*()>& list,
                           std::vector<lowering::ReboundList>& rebound, Context& context);

// Those of dicts whose keys are not known; those of known ones are gone (dicts.h).
Block spell_out_dict_items(const CoreFunction& core, Context& context);

}  // namespace tangent
