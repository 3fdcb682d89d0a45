#include "autodiff/rule_terms.h"

#include <utility>

namespace tangent {

const Expr* term_of(const Constant* constant, Context& context) {
  Literal value = constant->value;
  value.text = context.arena().copy_text(value.text);
  return context.make<Constant>(Ranges(), value);
}

const Expr* term_of(const UnaryOperation* operation, const Expr* operand, Algebra& algebra,
                    Context& context) {
  if (operation->op == UnaryOperator::Minus) return algebra.negative(operand);
  if (operation->op == UnaryOperator::Not) return algebra.negated(operand);
  return context.make<UnaryOperation>(Ranges(), operation->op, operand);
}

const Expr* term_of(const Comparison* comparison, const Expr* left, const Expr* right,
                    Context& context) {
  double a = 0.0;
  double b = 0.0;
  bool integral = false;
  if (comparison->ops.size() == 1 && Algebra::is_literal(left, a, integral) &&
      Algebra::is_literal(right, b, integral)) {
    using enum ComparisonOperator;
    switch (comparison->ops[0]) {
      case Equal:
        return context.boolean(a == b);
      case NotEqual:
        return context.boolean(a != b);
      case Less:
        return context.boolean(a < b);
      case LessEqual:
        return context.boolean(a <= b);
      case Greater:
        return context.boolean(a > b);
      case GreaterEqual:
        return context.boolean(a >= b);
      default:
        break;
    }
  }
  return context.make<Comparison>(Ranges(), left, context.arena().copy(comparison->ops),
                                  context.list<const Expr*>({right}));
}

// True & test is test, False & test is False.
const Expr* term_of(const BinaryOperation* operation, const Expr* left, const Expr* right,
                    Algebra& algebra) {
  if (operation->op == BinaryOperator::BitAnd) {
    for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
      const auto* constant = as<Constant>(one);
      if (constant != nullptr && constant->value.kind == LiteralKind::False) return one;
      if (constant != nullptr && constant->value.kind == LiteralKind::True) return other;
    }
  }
  return algebra.binary(operation->op, left, right);
}

}  // namespace tangent
