// Lists of the function whose items are tuples or dicts of one make, as one list for each part.
//
//     ps.append({'x': a, 'v': b})        ps_x.append(a); ps_v.append(b)
//     for p in ps:                       for index in range(len(ps_x)):
//         p['x'] += p['v'] * dt              ps_x[index] += ps_v[index] * dt
//     a, b = rows[-1]                    a = rows_0[-1]; b = rows_1[-1]
//
// In: a core program. Out: the same program without such lists, where nothing needs an item as a
// whole. So every part has an adjoint like any list of numbers.
#pragma once

#include "lower/lower.h"

namespace tangent {

CoreFunction spell_out_columns(const CoreFunction& core, Context& context);

}  // namespace tangent
