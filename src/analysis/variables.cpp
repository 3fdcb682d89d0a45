// Reads of single variables; see variables.h.
#include "analysis/variables.h"

namespace tangent {

bool mentions(const Node* node, Symbol symbol) {
  bool found = false;
  for_each_read(node, [&](Symbol read) { found = found || read == symbol; });
  return found;
}

}  // namespace tangent
