// Functions of libraries that are written out where they are called: the texts of
// rules/written_*.py, compiled in.
//
// In: nothing. Out: their table, by qualified name.
#pragma once

#include <span>
#include <string_view>

namespace tangent {

struct WrittenFunction {
  std::string_view name;  // "numpy.cov"
  std::string_view text;  // of its definition, beginning at `def`
};
std::span<const WrittenFunction> written_functions();  // sorted by name; generated

}  // namespace tangent
