// Tests of rule bodies, decided on what is known of a call; see rule_tests.h.
#include "autodiff/rule_tests.h"

#include <algorithm>
#include <optional>

#include "autodiff/linear.h"
#include "autodiff/rule_binding.h"

namespace tangent {

Truth RuleTests::compare(ComparisonOperator op, double a, double b) {
  const auto truth = [](bool value) { return value ? Truth::True : Truth::False; };
  switch (op) {
    case ComparisonOperator::Equal:
      return truth(a == b);
    case ComparisonOperator::NotEqual:
      return truth(a != b);
    case ComparisonOperator::Less:
      return truth(a < b);
    case ComparisonOperator::LessEqual:
      return truth(a <= b);
    case ComparisonOperator::Greater:
      return truth(a > b);
    case ComparisonOperator::GreaterEqual:
      return truth(a >= b);
    default:
      return Truth::Open;
  }
}

Truth RuleTests::decide(const Expr* test) {
  if (const auto* operation = as<BooleanOperation>(test)) {
    const bool conjunction = operation->op == BooleanOperator::And;
    Truth truth = conjunction ? Truth::True : Truth::False;
    for (const Expr* value : operation->values) {
      const Truth part = decide(value);
      if (part == (conjunction ? Truth::False : Truth::True)) return part;
      if (part == Truth::Open) truth = Truth::Open;
    }
    return truth;
  }
  if (const auto* inverted = as<UnaryOperation>(test);
      inverted && inverted->op == UnaryOperator::Not) {
    const Truth inner = decide(inverted->operand);
    if (inner == Truth::Open) return inner;
    return inner == Truth::True ? Truth::False : Truth::True;
  }
  auto given = [&](const Expr* expression) -> const Expr* {
    const auto* name = as<Name>(expression);
    const int index = name != nullptr ? rule_.index_of(name->symbol) : -1;
    if (index < 0) return expression;
    const Expr* argument = arguments_[static_cast<std::size_t>(index)];
    return argument != nullptr ? argument
                               : rule_.parameters[static_cast<std::size_t>(index)].default_value;
  };
  auto truth = [](bool value) { return value ? Truth::True : Truth::False; };
  auto rank = [&](const Expr* expression) -> std::optional<int> {
    const Type type = typing_.of(given(expression));
    if (type.is_number()) return 0;
    if (type.is_array() && type.rank >= 0) return type.rank;
    return std::nullopt;
  };
  if (const auto* call = as<Call>(test)) {
    const std::string_view word = last_part(call->callee.text());
    const Expr* argument = given(call->arguments[0]);
    double value = 0.0;
    bool integral = false;
    if (word == "known") return truth(rank(call->arguments[0]).has_value());
    if (word == "literal")
      return truth(Algebra::is_literal(argument, value, integral) || is<Constant>(argument));
    if (word == "integer") {
      const Type type = typing_.of(argument);
      return truth((type.is_number() || type.is_array()) && type.dtype <= DType::Integer);
    }
    if (word == "positive")
      return truth(Algebra::is_literal(argument, value, integral) && value > 0.0);
    throw InternalError("`" + std::string(word) + "` is no test of a rule");
  }
  if (const auto* comparison = as<Comparison>(test); comparison && comparison->ops.size() == 1) {
    const ComparisonOperator op = comparison->ops[0];
    const Expr* right = comparison->comparators[0];
    std::optional<double> a;
    double value = 0.0;
    bool integral = false;
    const auto* call = as<Call>(comparison->left);
    if (call != nullptr && last_part(call->callee.text()) == "rank") {
      if (const auto known = rank(call->arguments[0])) a = *known;
    } else if (call != nullptr && last_part(call->callee.text()) == "ranks") {
      // Of all elements, or of none.
      double wanted = 0.0;
      const auto ranks = ranks_of_elements(given(call->arguments[0]), typing_);
      if (ranks.empty() || !Algebra::is_literal(right, wanted, integral)) return Truth::Open;
      const Truth first = compare(op, ranks[0], wanted);
      const bool all = std::ranges::all_of(
          ranks, [&](int number) { return compare(op, number, wanted) == first; });
      return all ? first : Truth::Open;
    } else {
      const Expr* left = given(comparison->left);
      const auto* constant = as<Constant>(left);
      if (op == ComparisonOperator::Is || op == ComparisonOperator::IsNot) {
        // Only None is asked for.
        const bool none = constant != nullptr && constant->value.kind == LiteralKind::None;
        if (!none && !Algebra::is_literal(left, value, integral) && !is<TupleDisplay>(left) &&
            typing_.of(left).kind == TypeKind::Unknown) {
          return Truth::Open;
        }
        return truth(none == (op == ComparisonOperator::Is));
      }
      if (constant != nullptr && constant->value.kind == LiteralKind::String) {
        const auto* wanted = as<Constant>(right);
        if (wanted == nullptr) return Truth::Open;
        const bool same = wanted->value == constant->value;
        return truth(same == (op == ComparisonOperator::Equal));
      }
      if (Algebra::is_literal(left, value, integral)) a = value;
    }
    double b = 0.0;
    const auto* other = as<Call>(right);
    if (other != nullptr && last_part(other->callee.text()) == "rank") {
      const auto known = rank(other->arguments[0]);
      if (!known) return Truth::Open;
      b = *known;
    } else if (!Algebra::is_literal(given(right), b, integral)) {
      return Truth::Open;
    }
    return a ? compare(op, *a, b) : Truth::Open;
  }
  // A literal argument by itself: `if keepdims:`.
  const auto* constant = as<Constant>(given(test));
  if (constant == nullptr) return Truth::Open;
  switch (constant->value.kind) {
    case LiteralKind::True:
      return Truth::True;
    case LiteralKind::False:
    case LiteralKind::None:
      return Truth::False;
    case LiteralKind::Integer:
      return truth(constant->value.integer != 0);
    default:
      return Truth::Open;
  }
}

}  // namespace tangent
