// Places in the user's source. A node carries a list of them through every stage: an adjoint
// statement keeps the ranges of the primal statements that it differentiates, and that list is the
// source map.
#pragma once

#include <cstdint>

#include "base/arena.h"

namespace tangent {

// Which source text: 0 is the differentiated function's own, the others are those of its callees.
using FileId = std::uint16_t;

// Lines count from 1 in the user's file; columns count characters (not bytes) from 0.
struct SourceRange {
  FileId file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;
  bool operator==(const SourceRange&) const = default;
};

// Whether `a` starts behind the start of `b`, in one file.
inline bool is_after(const SourceRange& a, const SourceRange& b) {
  return a.line > b.line || (a.line == b.line && a.column > b.column);
}

using Ranges = List<SourceRange>;

}  // namespace tangent
