// What may raise in a `try` (raises.h).
#include "lower/raises.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "lower/attempts.h"
#include "lower/lowering.h"
#include "syntax/attempts.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

constexpr auto kQuietMethods = std::to_array<std::string_view>(
    {"sum",        "mean",     "dot",    "copy",  "reshape", "ravel", "flatten", "transpose",
     "get",        "keys",     "values", "items", "astype",  "min",   "max",     "std",
     "var",        "prod",     "cumsum", "index", "count",   "item",  "tolist",  "format",
     "startswith", "endswith", "upper",  "lower", "strip",   "split"});

// The range of a loop: `range(n)`, `range(len(xs))`.
bool is_bound_of_loop(const Call* call) {
  const std::string_view callee = call->callee.text();
  if (callee != "builtins.len" && callee != "builtins.range" && callee != "builtins.reversed" &&
      callee != "builtins.enumerate" && callee != "builtins.zip")
    return false;
  return std::ranges::all_of(call->arguments, [](const Expr* argument) {
    const auto* inner = as<Call>(argument);
    return is<Name>(argument) || is<Constant>(argument) || is<BinaryOperation>(argument) ||
           is<Subscript>(argument) || (inner != nullptr && is_bound_of_loop(inner));
  });
}

bool call_raises(const Call* call, std::int64_t mask) {
  const std::string_view callee = call->callee.text();
  if (is_attempt_part(callee) || is_bound_of_loop(call)) return false;
  if ((mask & (ByAnything | ByShapes)) != 0) return true;
  if (callee.starts_with("numpy.linalg.") && (mask & ByLinearAlgebra) != 0) return true;
  if ((mask & ByCalls) == 0) return false;
  const bool library = callee.starts_with("numpy.") || callee.starts_with("math.") ||
                       callee == "builtins.abs" || callee == "builtins.float" ||
                       callee == "builtins.print" || callee == "builtins.sum" ||
                       callee == "builtins.min" || callee == "builtins.max";
  if ((mask & ByArithmetic) != 0) return !callee.starts_with("numpy.");
  return !library;
}

bool operator_raises(BinaryOperator op, const Expr* right, std::int64_t mask) {
  if ((mask & (ByAnything | ByShapes | ByArithmetic)) != 0) return true;
  if ((mask & ByDivision) == 0) return false;
  const auto* constant = as<Constant>(right);
  const bool number = constant != nullptr && (constant->value.kind == LiteralKind::Integer ||
                                              constant->value.kind == LiteralKind::Float);
  switch (op) {
    case BinaryOperator::Divide:
    case BinaryOperator::FloorDivide:
    case BinaryOperator::Modulo:
      return !number || (constant->value.integer == 0 && constant->value.number == 0.0);
    case BinaryOperator::Power:
      return !number || constant->value.integer < 0 || constant->value.number < 0.0;
    default:
      return false;
  }
}

bool is_module_path(const Expr* value) {
  while (const auto* attribute = as<Attribute>(value)) value = attribute->value;
  const auto* name = as<Name>(value);
  return name != nullptr && name->scope == Scope::Global;
}

}  // namespace

std::int64_t raised_by(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  if (last == "ZeroDivisionError") return ByCalls | ByDivision;
  if (last == "OverflowError" || last == "ArithmeticError" || last == "FloatingPointError")
    return ByCalls | ByDivision | ByArithmetic;
  if (last == "KeyError" || last == "IndexError" || last == "LookupError")
    return ByCalls | BySubscripts;
  if (last == "LinAlgError") return ByCalls | ByLinearAlgebra;
  if (last == "ValueError") return ByShapes;
  if (last == "ValueError") return ByShapes;
  return ByAnything;
}

bool raises_in(const Expr* expression, std::int64_t mask) {
  return find_node(expression, [&](const Node* node) {
           if (const auto* operation = as<BinaryOperation>(node))
             return operator_raises(operation->op, operation->right, mask);
           if (const auto* call = as<Call>(node)) return call_raises(call, mask);
           if (const auto* subscript = as<Subscript>(node)) {
             // A slice may be as long as it likes.
             if (is<Slice>(subscript->index)) return (mask & (ByShapes | ByAnything)) != 0;
             return (mask & (BySubscripts | ByShapes | ByAnything)) != 0;
           }
           if (const auto* attribute = as<Attribute>(node))
             return (mask & (ByAnything | ByShapes)) != 0 && !is_module_path(attribute->value);
           return false;
         }) != nullptr;
}

bool may_raise_in(const Stmt* statement, std::int64_t mask) {
  if (is<Raise>(statement) || is<Assert>(statement)) return true;
  if (const auto* augmented = as<AugmentedAssign>(statement)) {
    if (operator_raises(augmented->op, augmented->value, mask) ||
        raises_in(augmented->target, mask))
      return true;
  }
  if (const auto* assign = as<Assign>(statement)) {
    if (is<Subscript>(assign->targets[0]) && raises_in(assign->targets[0], mask)) return true;
    if (is<TupleDisplay>(assign->targets[0]) && !is<TupleDisplay>(assign->value) &&
        (mask & (ByAnything | ByShapes)) != 0)
      return true;
  }
  bool found = false;
  for_each_child(*statement, [&](const Node* child) {
    if (found) return;
    if (is_statement(child->kind)) {
      found = may_raise_in(static_cast<const Stmt*>(child), mask);
    } else if (is_expression(child->kind)) {
      found = raises_in(static_cast<const Expr*>(child), mask);
    }
  });
  return found;
}

bool only_computes(const Stmt* statement) {
  return find_node(statement, [](const Node* node) {
           const auto* call = as<Call>(node);
           if (call == nullptr) return false;
           if (call->callee) {
             const bool writes = std::ranges::any_of(call->keywords, [](const Keyword* keyword) {
               return keyword->name.text() == "out";
             });
             return writes || !is_calm(call->callee);
           }
           const auto* method = as<Attribute>(call->function);
           return method == nullptr ||
                  std::ranges::find(kQuietMethods, method->attribute.text()) == kQuietMethods.end();
         }) == nullptr;
}

}  // namespace tangent::lowering
