// Entries of dicts in arguments by keys that only the run tells.
//
//     x * params[name]['w']       entries = {'l1': {'w': params['l1']['w']}, 'l2': {…}}
//                                 x * entries[name]['w']
//
// In: a core program, and what its arguments are made of. Out: the same program with a dict of its
// own for each dict of numbers and arrays that is read by a variable key, made where the function
// begins. A dict that is stored into stays as it is, and is refused later.
#pragma once

#include "lower/dicts.h"
#include "lower/rows.h"

namespace tangent {

// `is_wanted` says which parameters count: those that a derivative is taken for.
CoreFunction spell_out_key_tables(const CoreFunction& core, const StructureOf& structure_of,
                                  const KeysOf& keys_of,
                                  const std::function<bool(Symbol)>& is_wanted, Context& context);

}  // namespace tangent
