// Strength reduction: an operation becomes one that costs less and gives the same value.
//
//     x ** 2     ->   x * x            x / 4.0    ->   x * 0.25
//     x ** 3     ->   x * x * x
//
// A division becomes a product where the divisor is a power of two: then both are exact. A power
// becomes a product where its base is a name, so that nothing is computed twice; of a Python number
// only in the adjoint, because pow rounds in its own way and raises where a product overflows.
#include <cmath>

#include "optimize/passes.h"

namespace tangent {

namespace {

constexpr std::int64_t kLargestPower = 3;

bool is_float(const Type& type) {
  return (type.is_number() || type.is_array()) && is_floating(type.dtype) && !type.mixed;
}

class StrengthReduction {
 public:
  explicit StrengthReduction(const PassInput& input) : input_(input) {}

  Block block(Block statements) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : statements) {
      primal_ = input_.forward.contains(statement);
      const Stmt* now = static_cast<const Stmt*>(
          rewrite_children(input_.context, *statement, [&](const Node* child) -> const Node* {
            return is_statement(child->kind) ? child : reduced(child);
          }));
      now = with_blocks(input_.context, now, [&](Block inner) { return block(inner); });
      changed = changed || now != statement;
      out.push_back(now);
    }
    return changed ? input_.context.list(out) : statements;
  }

 private:
  const Node* reduced(const Node* node) {
    const Node* now =
        rewrite_children(input_.context, *node, [&](const Node* child) { return reduced(child); });
    const auto* operation = as<BinaryOperation>(now);
    if (operation == nullptr || !is_float(input_.type_of(operation->left))) return now;
    if (operation->op == BinaryOperator::Power) return power(operation);
    if (operation->op == BinaryOperator::Divide) return quotient(operation);
    return now;
  }

  const Node* power(const BinaryOperation* operation) {
    const auto* exponent = as<Constant>(operation->right);
    if (exponent == nullptr || exponent->value.kind != LiteralKind::Integer) return operation;
    const std::int64_t count = exponent->value.integer;
    if (count < 2 || count > kLargestPower || !is<Name>(operation->left)) return operation;
    // x ** 2 of an array is x * x in NumPy, too; other powers are pow's.
    const bool exact = count == 2 && input_.type_of(operation->left).is_array();
    if (primal_ && !exact) return operation;
    const Expr* product = operation->left;
    for (std::int64_t k = 1; k < count; ++k) product = made(operation, product, operation->left);
    return product;
  }

  const Node* quotient(const BinaryOperation* operation) {
    const auto* divisor = as<Constant>(operation->right);
    if (divisor == nullptr) return operation;
    double value = 0.0;
    if (divisor->value.kind == LiteralKind::Float) {
      value = divisor->value.number;
    } else if (divisor->value.kind == LiteralKind::Integer) {
      value = static_cast<double>(divisor->value.integer);
    }
    int exponent = 0;
    if (value == 0.0 || std::fabs(std::frexp(value, &exponent)) != 0.5 || std::abs(exponent) > 60) {
      return operation;
    }
    return made(operation, operation->left, input_.context.number(1.0 / value));
  }

  const Expr* made(const BinaryOperation* from, const Expr* left, const Expr* right) {
    return input_.context.make<BinaryOperation>(from->ranges, BinaryOperator::Multiply, left,
                                                right);
  }

  const PassInput& input_;
  bool primal_ = false;
};

}  // namespace

Block reduce_strength(Block body, const PassInput& input) {
  return StrengthReduction(input).block(body);
}

}  // namespace tangent
