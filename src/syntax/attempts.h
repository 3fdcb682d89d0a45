// How a `try` stands in a program without jumps: an oracle that says in advance whether it fails.
//
//     try:                                   failed = attempt(ZeroDivisionError)
//         y = a / b                          if not failed:
//     except ZeroDivisionError:      ->          y = a / b
//         y = 0.0                                completed()
//                                            else:
//                                                y = 0.0
//
// `attempt` gives 0 (or False) where the statements up to `completed` run through, else the number
// of the handler that takes the exception (or True, where there is one handler). So every analysis
// and both modes see a branch like any other. What makes this true is that the statements between
// change nothing that the other arm, or what comes after it, reads, but the last that may raise.
// src/lower/attempts.cpp makes such programs, src/emit/attempts.cpp makes `try` of them again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "syntax/nodes.h"

namespace tangent {

// As lowering finds a `try`: its body is not yet cut where an exception may leave it.
constexpr std::string_view kRawAttempt = "tangent.try";
constexpr std::string_view kAttempt = "tangent.attempt";
constexpr std::string_view kCompleted = "tangent.completed";
constexpr std::string_view kCaught = "tangent.caught";  // the exception, in the other arm

// The arguments of an attempt: its number, what may raise (a mask, for lowering), then the classes
// of each handler (None: all). Of the others: the number of their attempt.
constexpr std::size_t kAttemptClasses = 2;

// What an exception that handlers take can come from.
enum RaisedBy : std::int64_t {
  ByCalls = 1,
  ByDivision = 2,
  ByArithmetic = 4,
  BySubscripts = 8,
  ByLinearAlgebra = 16,  // of calls those of numpy.linalg alone, with ByCalls absent
  ByShapes = 64,         // and values: like anything, but of numbers no more than calls raise it
  ByAnything = 32,
};

inline const Call* call_of(const Stmt* statement, std::string_view callee) {
  const Expr* value = nullptr;
  if (const auto* assign = as<Assign>(statement)) value = assign->value;
  if (const auto* alone = as<ExpressionStatement>(statement)) value = alone->value;
  const auto* call = as<Call>(value);
  return call != nullptr && call->callee.text() == callee ? call : nullptr;
}

inline bool is_attempt_part(std::string_view callee) {
  return callee == kAttempt || callee == kCompleted || callee == kCaught || callee == kRawAttempt;
}

inline std::int64_t attempt_number(const Call* call) {
  return static_cast<const Constant*>(call->arguments[0])->value.integer;
}

// What a test of a flag says where the flag has this value; nothing if it is no test of it alone.
inline std::optional<bool> outcome_of_flag(const Expr* test, Symbol flag, std::int64_t value) {
  if (const auto* name = as<Name>(test); name != nullptr && name->symbol == flag) return value != 0;
  if (const auto* negation = as<UnaryOperation>(test);
      negation != nullptr && negation->op == UnaryOperator::Not) {
    const auto inner = outcome_of_flag(negation->operand, flag, value);
    return inner ? std::optional<bool>(!*inner) : std::nullopt;
  }
  const auto* comparison = as<Comparison>(test);
  if (comparison == nullptr || comparison->ops.size() != 1) return std::nullopt;
  const auto* name = as<Name>(comparison->left);
  const auto* number = as<Constant>(comparison->comparators[0]);
  if (name == nullptr || name->symbol != flag || number == nullptr ||
      number->value.kind != LiteralKind::Integer)
    return std::nullopt;
  if (comparison->ops[0] == ComparisonOperator::Equal) return value == number->value.integer;
  if (comparison->ops[0] == ComparisonOperator::NotEqual) return value != number->value.integer;
  return std::nullopt;
}

}  // namespace tangent
