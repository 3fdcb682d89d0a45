// Loops whose variable says which entry of a dict is meant: written out, once for each key.
//
//     for name in ('enc', 'dec'):            x = x @ p['enc']['w']
//         x = x @ p[name]['w']               x = x @ p['dec']['w']
//
// So constants reach the entries, which are variables then (fields.h, parts.h). Keys that are made
// of the loop's variable (f'w{i}', 'w' + str(i)) are computed here. Other loops stay loops.
#pragma once

#include "lower/dicts.h"
#include "lower/rows.h"

namespace tangent {

CoreFunction spell_out_key_loops(const CoreFunction& core, const StructureOf& structure_of,
                                 const KeysOf& keys_of, Context& context);

}  // namespace tangent
