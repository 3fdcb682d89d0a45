// A rule at one call: what its names stand for while its body runs. Internal to the files that run
// rules: apply_rule.cpp, rule_values.cpp, rule_tests.cpp.
#pragma once

#include "autodiff/reverse.h"

namespace tangent {

struct Reverse::Binding {
  const Rule& rule;
  const Call* call;  // null for an operator
  const std::vector<const Expr*>& arguments;
  const Linear& adjoint;
  const Expr* node;
  const Expr* result;  // the value under a name, if there is one already
  bool broadcasts;     // operands are reduced to their own shapes here, not by the rule
  std::unordered_map<Symbol, Linear> locals;
  std::unordered_map<Symbol, const Expr*> values;
};

// "spread" of "rule.spread".
inline std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace tangent
