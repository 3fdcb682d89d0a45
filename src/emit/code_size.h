// How long a text is.
//
// In: Python source. Out: the number of its words, numbers and signs; comments count nothing.
#pragma once

#include <cstddef>
#include <string_view>

namespace tangent {

std::size_t code_size(std::string_view text);

}  // namespace tangent
