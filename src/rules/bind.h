// The names in a rule's body made definite.
//
// In: the tree of a record's body as it was parsed, the record's parameters, and the name under
// which the record was found. Out: the same tree with every Name Local or Global and every
// Call::callee set: "numpy.cos", "builtins.len", "tangent.runtime._spread", or "rule.spread" for
// the words of rules/README.md.
#pragma once

#include <string_view>
#include <unordered_set>

#include "rules/rule.h"

namespace tangent {

class BodyBinder {
 public:
  // `called` is the name that was asked for: under "math.tanh", `np.cosh` is `math.cosh`.
  BodyBinder(Context& context, const Rule& rule, std::string_view called);

  Block block(Block body);
  const Expr* expression(const Expr* expression);

 private:
  const Stmt* statement(const Stmt* statement);
  const Node* node(const Node* node);
  const Expr* module_member(const Attribute& attribute);
  const Expr* call(const Call& call);

  Context& context_;
  std::unordered_set<Symbol> locals_;
  std::string_view module_;  // of the name that was asked for, empty if it replaces nothing
};

// Whether every d[x] = … of the body is d[y] times something, or divided by it, with no other d.
bool is_elementwise_body(Block body, Symbol result);
// Whether the body reads the adjoint of a part of the result: d[y][0].
bool reads_parts(Block body, Symbol result);
// f(v) for every `d[v] = …` of the body.
void for_each_target(Block body, const std::function<void(Symbol)>& f);

}  // namespace tangent
