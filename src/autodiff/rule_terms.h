// Operations in the bodies of records whose operands are evaluated, the same in both modes.
//
// In: the operation as the record writes it, and its operands for a call. Out: its value; a test of
// two numbers that are known is settled.
#pragma once

#include "autodiff/linear.h"

namespace tangent {

const Expr* term_of(const Constant* constant, Context& context);
const Expr* term_of(const UnaryOperation* operation, const Expr* operand, Algebra& algebra,
                    Context& context);
const Expr* term_of(const Comparison* comparison, const Expr* left, const Expr* right,
                    Context& context);
const Expr* term_of(const BinaryOperation* operation, const Expr* left, const Expr* right,
                    Algebra& algebra);

}  // namespace tangent
