// What can raise and what has effects; see effects.h.
#include "analysis/effects.h"

#include <algorithm>

#include "syntax/visit.h"

namespace tangent {

namespace {

// Functions of NumPy that take any number and never raise: elementwise ufuncs, and reductions over
// all elements.
constexpr std::string_view kTotal[] = {
    "numpy.absolute",  "numpy.abs",      "numpy.arctan", "numpy.cos",   "numpy.cosh",
    "numpy.exp",       "numpy.expm1",    "numpy.log",    "numpy.log1p", "numpy.mean",
    "numpy.negative",  "numpy.sign",     "numpy.sin",    "numpy.sinh",  "numpy.sqrt",
    "numpy.square",    "numpy.sum",      "numpy.tan",    "numpy.tanh",  "numpy.zeros_like",
    "numpy.ones_like", "builtins.abs",   "numpy.copy",   "numpy.std",   "numpy.var",
    "numpy.prod",      "builtins.float", "numpy.cumsum"};

// Those, also of torch and tinygrad where they have records of their own.
bool is_total(std::string_view callee) {
  const std::string_view last = callee.substr(callee.rfind('.') + 1);
  const bool tensors = callee.starts_with("torch.") || callee.starts_with("tinygrad.");
  return std::ranges::any_of(kTotal, [&](std::string_view it) {
    return it == callee || (tensors && it.substr(it.rfind('.') + 1) == last);
  });
}

bool is_numeric(const Type& type) {
  return type.kind == TypeKind::Number || type.kind == TypeKind::Array;
}

bool fits(const Type& a, const Type& b) {
  if (a.is_number() || b.is_number()) return true;
  if (a.rank < 0 || b.rank < 0) return false;
  const std::size_t common = std::min(a.dims.size(), b.dims.size());
  for (std::size_t k = 1; k <= common; ++k) {
    const Dim left = a.dims[a.dims.size() - k];
    const Dim right = b.dims[b.dims.size() - k];
    if (left.is_one() || right.is_one() || left.is_same(right)) continue;
    return false;
  }
  return true;
}

}  // namespace

bool Effects::is_pure(const Node* node) const {
  SmallStack<const Node*> stack(node);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    switch (top->kind) {
      case Kind::Call: {
        const std::string_view callee = static_cast<const Call*>(top)->callee.text();
        const Rule* rule = rules_.find(callee);
        const bool known = rule != nullptr || callee.starts_with("tangent.runtime.") ||
                           callee == "builtins.len" || callee == "builtins.range" ||
                           callee == "builtins.reversed";
        if (!known || (rule != nullptr && rule->random) || callee == "builtins.print") return false;
        break;
      }
      case Kind::Await:
      case Kind::Yield:
      case Kind::NamedExpression:
      case Kind::Pop:
        return false;
      default:
        break;
    }
    push_children(stack, *top);
  }
  return true;
}

bool Effects::operation_may_raise(const BinaryOperation* operation) const {
  const Type left = type_of_(operation->left);
  const Type right = type_of_(operation->right);
  if (!is_numeric(left) || !is_numeric(right)) return true;
  switch (operation->op) {
    case BinaryOperator::Add:
    case BinaryOperator::Subtract:
    case BinaryOperator::Multiply:
      return !fits(left, right);
    case BinaryOperator::Divide:
      // An array divides without raising; a Python number does not.
      if (left.is_array() || right.is_array()) return !fits(left, right);
      break;
    case BinaryOperator::MatrixMultiply: {
      if (!left.is_array() || !right.is_array() || left.rank < 1 || right.rank < 1) return true;
      const Dim inner = left.dims.back();
      const Dim other = right.rank == 1 ? right.dims[0] : right.dims[right.dims.size() - 2];
      return !inner.is_same(other) || left.rank > 2 || right.rank > 2;
    }
    case BinaryOperator::Power: {
      const auto* exponent = as<Constant>(operation->right);
      if (left.is_array()) return !right.is_number();
      return exponent == nullptr || exponent->value.kind != LiteralKind::Integer ||
             exponent->value.integer < 0;
    }
    default:
      return true;
  }
  const auto* divisor = as<Constant>(operation->right);
  return divisor == nullptr || (divisor->value.integer == 0 && divisor->value.number == 0.0);
}

bool Effects::may_raise(const Expr* expression,
                        const std::function<bool(const Expr*)>& harmless) const {
  SmallStack<const Node*> stack(expression);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    bool raises = false;
    switch (top->kind) {
      case Kind::BinaryOperation:
        raises = operation_may_raise(static_cast<const BinaryOperation*>(top));
        break;
      case Kind::Subscript:
        raises = true;
        break;
      case Kind::Call: {
        const auto* call = static_cast<const Call*>(top);
        const std::string_view callee = call->callee.text();
        // An identity that carries a rule: `with tangent.insert_grad_of(y)`.
        const Rule* rule = callee.starts_with(kUserFunctions) ? rules_.find(callee) : nullptr;
        if (rule != nullptr && rule->given && !rule->random) {
          for (const Expr* argument : call->arguments) stack.push(argument);
          continue;
        }
        raises = !is_total(callee);
        for (const Expr* argument : call->arguments)
          raises = raises || !is_numeric(type_of_(argument));
        raises = raises || !call->keywords.empty();
        // Not the function itself: `np.sum` is no attribute of a value.
        for (const Expr* argument : call->arguments) stack.push(argument);
        if (const auto* method = as<Attribute>(call->function)) {
          if (type_of_(method->value).kind != TypeKind::Module) stack.push(method->value);
        }
        if (raises && !(harmless && harmless(call))) return true;
        continue;
      }
      case Kind::UnaryOperation:
        raises = static_cast<const UnaryOperation*>(top)->op != UnaryOperator::Not &&
                 !is_numeric(type_of_(static_cast<const UnaryOperation*>(top)->operand));
        break;
      case Kind::Comparison: {
        const auto* comparison = static_cast<const Comparison*>(top);
        raises = !is_numeric(type_of_(comparison->left));
        for (const Expr* other : comparison->comparators)
          raises = raises || !is_numeric(type_of_(other));
        break;
      }
      case Kind::Attribute: {
        const auto* attribute = static_cast<const Attribute*>(top);
        const TypeKind kind = type_of_(attribute->value).kind;
        raises = kind != TypeKind::Array && kind != TypeKind::Module;
        break;
      }
      case Kind::Conditional:
      case Kind::BooleanOperation:
        // The truth of an array raises.
        for_each_child(*top, [&](const Node* child) {
          raises = raises || !type_of_(static_cast<const Expr*>(child)).is_number();
        });
        break;
      case Kind::Name:
      case Kind::Constant:
      case Kind::TupleDisplay:
      case Kind::ListDisplay:
        break;
      case Kind::Dictionary:
        for (const Expr* key : static_cast<const Dictionary*>(top)->keys)
          raises = raises || key == nullptr || !is<Constant>(key);
        break;
      default:
        raises = true;
        break;
    }
    if (raises &&
        !(harmless && is_expression(top->kind) && harmless(static_cast<const Expr*>(top))))
      return true;
    push_children(stack, *top);
  }
  return false;
}

}  // namespace tangent
