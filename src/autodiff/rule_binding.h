// A rule at one call: what its names stand for while its body runs. Internal to the files that run
// rules: apply_rule.cpp, rule_displays.cpp, rule_values.cpp, rule_tests.cpp.
#pragma once

#include "autodiff/reverse.h"

namespace tangent {

// The parts of a result that is a tuple: their adjoints, and the names that hold them (or null).
struct Reverse::Parts {
  std::vector<Linear> adjoints;
  std::vector<const Expr*> values;
};

struct Reverse::Binding {
  const Rule& rule;
  const Call* call;  // null for an operator
  const std::vector<const Expr*>& arguments;
  const Linear& adjoint;
  const Expr* node;
  const Expr* result;  // the value under a name, if there is one already
  bool broadcasts;     // operands are reduced to their own shapes here, not by the rule
  const Parts* parts;  // of a tuple, whose adjoint is theirs; null for any other result
  std::unordered_map<Symbol, Linear> locals;
  std::unordered_map<Symbol, const Expr*> values;
};

// The rank of an array as NumPy makes it of a value or a display, and the ranks of its elements
// (nothing if one is not known).
std::optional<int> rank_of_array(const Expr* expression, Typing& typing);
std::vector<int> ranks_of_elements(const Expr* expression, Typing& typing);

// "spread" of "rule.spread".
inline std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace tangent
