// Tests that masks are made of: negated, of True and False; see linear.h.
#include "autodiff/linear.h"

namespace tangent {

const Expr* Algebra::negated(const Expr* test) {
  if (const auto* comparison = as<Comparison>(test); comparison && comparison->ops.size() == 1) {
    using enum ComparisonOperator;
    const ComparisonOperator op = comparison->ops[0];
    if (op == Equal || op == NotEqual) {
      return context_.make<Comparison>(
          {}, comparison->left, context_.list<ComparisonOperator>({op == Equal ? NotEqual : Equal}),
          comparison->comparators);
    }
  }
  if (const auto* inverted = as<UnaryOperation>(test);
      inverted && (inverted->op == UnaryOperator::Invert || inverted->op == UnaryOperator::Not)) {
    return inverted->operand;
  }
  if (typing_.of(test).is_number()) {
    // What may be traced is not tested.
    if (typing_.library() != Library::NumPy) return numpy_call("logical_not", {test});
    return context_.make<UnaryOperation>({}, UnaryOperator::Not, test);
  }
  // `~` of integers is no negation.
  if (!is_boolean(test)) return compared_with_zero(ComparisonOperator::Equal, test);
  return context_.make<UnaryOperation>({}, UnaryOperator::Invert, test);
}

// Whether the elements of a test are surely True and False.
bool Algebra::is_boolean(const Expr* test) {
  if (is<Comparison>(test)) return true;
  const Type type = typing_.of(test);
  return (type.is_number() || type.is_array() || type.kind == TypeKind::Numeric) &&
         type.dtype == DType::Bool && !type.mixed;
}

const Expr* Algebra::compared_with_zero(ComparisonOperator op, const Expr* value) {
  const Expr* test = context_.make<Comparison>({}, value, context_.list<ComparisonOperator>({op}),
                                               context_.list<const Expr*>({context_.integer(0)}));
  Type type = typing_.of(value);
  type.dtype = DType::Bool;
  if (type.is_number() || type.is_array()) typing_.set(test, type);
  return test;
}

}  // namespace tangent
