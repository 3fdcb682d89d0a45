// Breaks one logical line of Python that is too long, inside brackets, the way black does.
//
// In: the line as one text, with the places of its brackets and operators. Out: physical lines. It
// knows nothing of nodes: the printer writes every line flat and asks only where one is too long.
//
// A line is split at its last bracket pair: what stands inside goes on a line of its own, one level
// deeper; if that is still too long it is split after every comma, or before every operator of the
// loosest kind. Where a statement has no bracket, parentheses are added around its value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tangent {

// What a line may be split at, the tightest first; a split uses all those of the loosest kind.
enum class Delimiter : std::uint8_t {
  Power,
  Product,
  Sum,
  Shift,
  BitAnd,
  BitXor,
  BitOr,
  Comparison,
  Logic,
  Ternary,
  Comma,
  Comprehension,
};

struct LineMark {
  enum class Type : std::uint8_t {
    Open,       // just after an opening bracket
    Close,      // just before the closing one
    Delimiter,  // before an operator, after a comma
  };
  std::uint32_t offset;  // into the line, in bytes
  Type type;
  bool optional = false;  // of a bracket: none is written yet, parentheses may be added here
  Delimiter delimiter = {};
};

struct LineLimits {
  std::size_t width;   // columns
  std::size_t indent;  // columns in front of the first line
};

// Appends the line to `out`, broken where it must be, each line with its indent and newline.
// Returns the number of lines.
std::size_t append_broken(std::string& out, std::string_view line, std::span<const LineMark> marks,
                          LineLimits limits);

// Characters of UTF-8 text.
std::size_t width_of(std::string_view text);

}  // namespace tangent
