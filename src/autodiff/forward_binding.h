// A record at one call in forward mode: what its names stand for while its body runs. Internal to
// forward_rules.cpp and forward_rule_values.cpp.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "autodiff/forward.h"

namespace tangent {

struct Forward::Binding {
  const Rule& rule;
  const Call* call;  // null for an operator
  const std::vector<const Expr*>& arguments;
  const Expr* node;
  Symbol derivative;  // the parameter whose tangent d[y] stands for, in an adjoint body
  std::vector<std::optional<Linear>> tangents;
  std::unordered_map<Symbol, Linear> locals;
  std::unordered_map<Symbol, const Expr*> values;
};

// The bodies of Python's own functions do with a list what they do with an array.
inline bool takes_lists(const Rule& rule) { return rule.name.text().starts_with("builtins."); }

}  // namespace tangent
