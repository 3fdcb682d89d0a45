// The union of two lists of source ranges.
#include "syntax/build.h"

#include <algorithm>

namespace tangent {

Ranges Context::merge(Ranges a, Ranges b) {
  const auto missing = [&](const SourceRange& range) {
    return std::find(a.begin(), a.end(), range) == a.end();
  };
  if (std::none_of(b.begin(), b.end(), missing)) return a;
  if (a.empty()) return b;
  std::vector<SourceRange> both(a.begin(), a.end());
  for (const SourceRange& range : b) {
    if (missing(range)) both.push_back(range);
  }
  return list(both);
}

}  // namespace tangent
