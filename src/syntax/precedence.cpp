// How tightly each kind of expression binds: the one table that decides about parentheses.
#include "syntax/precedence.h"

#include "syntax/literals.h"
#include "syntax/visit.h"

namespace tangent {

Precedence precedence_of(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::Add:
    case BinaryOperator::Subtract:
      return Precedence::Sum;
    case BinaryOperator::Multiply:
    case BinaryOperator::Divide:
    case BinaryOperator::FloorDivide:
    case BinaryOperator::Modulo:
    case BinaryOperator::MatrixMultiply:
      return Precedence::Product;
    case BinaryOperator::Power:
      return Precedence::Power;
    case BinaryOperator::BitAnd:
      return Precedence::BitAnd;
    case BinaryOperator::BitOr:
      return Precedence::BitOr;
    case BinaryOperator::BitXor:
      return Precedence::BitXor;
    case BinaryOperator::ShiftLeft:
    case BinaryOperator::ShiftRight:
      return Precedence::Shift;
  }
  throw InternalError("a binary operator of no kind");
}

Precedence precedence_of(const Expr& expression) {
  return dispatch(
      expression,
      overloaded{
          [](const NamedExpression&) { return Precedence::Named; },
          [](const Yield&) { return Precedence::Yield; },
          [](const TupleDisplay& it) {
            // `()` and `(a,)` always have their parentheses.
            return it.elements.size() < 2 ? Precedence::Atom : Precedence::Tuple;
          },
          [](const Conditional&) { return Precedence::Test; },
          [](const Lambda&) { return Precedence::Test; },
          [](const Starred&) { return Precedence::Test; },
          [](const Slice&) { return Precedence::Test; },
          [](const BooleanOperation& it) {
            return it.op == BooleanOperator::Or ? Precedence::Or : Precedence::And;
          },
          [](const Comparison&) { return Precedence::Comparison; },
          [](const BinaryOperation& it) { return precedence_of(it.op); },
          [](const UnaryOperation& it) {
            return it.op == UnaryOperator::Not ? Precedence::Not : Precedence::Unary;
          },
          [](const Constant& it) {
            return is_negative(it.value) ? Precedence::Unary : Precedence::Atom;
          },
          [](const Await&) { return Precedence::Await; },
          [](const Attribute&) { return Precedence::Atom; },
          [](const Call&) { return Precedence::Atom; },
          [](const Comprehension&) { return Precedence::Atom; },
          [](const Dictionary&) { return Precedence::Atom; },
          [](const FormattedString&) { return Precedence::Atom; },
          [](const FormattedValue&) { return Precedence::Atom; },
          [](const ListDisplay&) { return Precedence::Atom; },
          [](const Name&) { return Precedence::Atom; },
          [](const Pop&) { return Precedence::Atom; },
          [](const SetDisplay&) { return Precedence::Atom; },
          [](const Subscript&) { return Precedence::Atom; },
          [](const Stmt&) -> Precedence { throw InternalError("a statement as an expression"); },
          [](const Part&) -> Precedence { throw InternalError("a part as an expression"); },
      });
}

}  // namespace tangent
