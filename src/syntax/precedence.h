// How tightly each kind of expression binds: the one table that decides about parentheses.
//
// In: an expression. Out: its place in the order. An expression is put in parentheses where it
// binds less tightly than the place in which it stands asks for, and nowhere else.
#pragma once

#include <cstdint>

#include "syntax/nodes.h"

namespace tangent {

// The loosest first; the order of Python's grammar.
enum class Precedence : std::uint8_t {
  Named,       // a := b
  Yield,       // yield a
  Tuple,       // a, b
  Test,        // a if b else c, lambda: a
  Or,          //
  And,         //
  Not,         //
  Comparison,  // a < b, a in b, a is b
  BitOr,       //
  BitXor,      //
  BitAnd,      //
  Shift,       //
  Sum,         // a + b
  Product,     // a * b, a @ b
  Unary,       // -a
  Power,       // a ** b: binds tighter than the minus on its left, looser than that on its right
  Await,       //
  Atom,        // names, calls, everything with its own brackets
};

constexpr Precedence tighter(Precedence precedence) {
  return precedence == Precedence::Atom
             ? precedence
             : static_cast<Precedence>(static_cast<std::uint8_t>(precedence) + 1);
}

Precedence precedence_of(BinaryOperator op);
Precedence precedence_of(const Expr& expression);

}  // namespace tangent
