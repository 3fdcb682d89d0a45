// `b if t else c`, `a or b` and `a and b` as a choice between two expressions.
//
// In: one of these. Out: the test and what is chosen: `a or b` is `a if a else b`, `a and b` is
// `b if a else a`; of more operands the rest is one of the same.
#pragma once

#include "autodiff/typing.h"

namespace tangent {

struct Choice {
  const Expr* test;
  const Expr* body;
  const Expr* orelse;
};

inline Choice choice_of(const Expr* node, Typing& typing, Context& context) {
  if (const auto* conditional = as<Conditional>(node))
    return {conditional->test, conditional->body, conditional->orelse};
  const auto* operation = static_cast<const BooleanOperation*>(node);
  const Expr* first = operation->values.front();
  const Exprs others = operation->values.subspan(1);
  const Expr* rest = others.size() == 1
                         ? others.front()
                         : context.make<BooleanOperation>(node->ranges, operation->op, others);
  if (rest != others.front()) typing.set(rest, typing.of(node));
  const bool either = operation->op == BooleanOperator::Or;
  return {first, either ? first : rest, either ? rest : first};
}

}  // namespace tangent
