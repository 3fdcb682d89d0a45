// Where in the user's file an exception comes from that leaves an emitted function.
#pragma once

#include <memory>
#include <vector>

#include "runtime/variant.h"

namespace tangent::runtime {

// Puts the user's own line in front of the line of the emitted text in the traceback of the
// exception that is set, if it comes out of one of these variants of `function`'s gradient.
void show_user_lines(const std::vector<std::shared_ptr<Variant>>& variants,
                     nanobind::handle function);

}  // namespace tangent::runtime
