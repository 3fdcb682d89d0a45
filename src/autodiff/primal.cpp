// Values of the primal in the backward part: recomputed where that is arithmetic, else kept by
// name.
//
// In: an expression of the primal. Out: the same value as an expression that costs no call: calls,
// products and reductions are hoisted to a name in the forward part ("never by a call, reduction,
// product or transcendental operation"); arithmetic, comparison, indexing and shapes are computed
// again.
#include "autodiff/reverse.h"

namespace tangent {

namespace {

bool is_free_call(const Call* call) {
  const std::string_view callee = call->callee.text();
  return callee == "builtins.len" || callee == "numpy.shape" || callee == "numpy.size" ||
         callee == "numpy.ndim" || callee == "builtins.range" || callee == "builtins.float";
}

bool reads_locals(const Node* node) {
  bool found = false;
  for_each_read(node, [&](Symbol) { found = true; });
  return found;
}

}  // namespace

bool Reverse::is_killed(Symbol symbol) const { return killed_.contains(symbol); }

std::string Reverse::name_for(const Expr* node) const {
  // The function and the first name in its argument: "exp_x", "sqrt_area"; long ones keep the
  // function alone.
  std::string base = "value";
  if (const auto* call = as<Call>(node)) {
    const std::string_view callee = call->callee ? call->callee.text() : "result";
    base = std::string(callee.substr(callee.rfind('.') + 1));
    const Expr* first = call->arguments.empty() ? nullptr : call->arguments.front();
    if (const auto* method = as<Attribute>(call->function); method && first == nullptr) {
      first = method->value;
    }
    if (const auto* name = as<Name>(first);
        name != nullptr && base.size() + name->symbol.text().size() < 16) {
      return base + "_" + std::string(name->symbol.text());
    }
    return base + "_value";
  }
  if (const auto* operation = as<BinaryOperation>(node)) {
    switch (operation->op) {
      case BinaryOperator::Add:
        return "total";
      case BinaryOperator::Subtract:
        return "difference";
      case BinaryOperator::Multiply:
      case BinaryOperator::MatrixMultiply:
        return "product";
      case BinaryOperator::Divide:
        return "ratio";
      case BinaryOperator::Power:
        return "power";
      default:
        return base;
    }
  }
  if (is<Comparison>(node) || is<BooleanOperation>(node)) return "cond";
  return base;
}

const Expr* Reverse::hoist(const Expr* node, std::string_view wish) {
  const auto found = result_.plan.replaced.find(node);
  if (found != result_.plan.replaced.end()) return context_.local(found->second);
  if (arm_depth_ > 0) {
    refuse(DiagnosticKind::UnsupportedSyntax, node,
           "this part of a conditional expression would have to be kept for the derivative",
           "write the conditional expression as an if statement");
  }
  const Symbol name = names_.fresh(wish);
  result_.plan.replaced.emplace(node, name);
  result_.plan.statements[current_].hoists.push_back({name, node});
  typing_.declare(name, typing_.of(node));
  // It has its value where the statement is done, and until the statement is reached again.
  result_.plan.defined_at.emplace(name, current_position_after());
  if (loop_depth_ > 0) killed_.insert(name);
  return context_.local(name);
}

Position Reverse::current_position_after() const { return after_current_; }

const Expr* Reverse::primal(const Expr* node) {
  if (node == current_value_ && current_target_) return context_.local(current_target_);
  if (const auto found = result_.plan.replaced.find(node); found != result_.plan.replaced.end()) {
    return context_.local(found->second);
  }
  switch (node->kind) {
    case Kind::Name:
    case Kind::Constant:
      return node;
    case Kind::Call: {
      const auto* call = static_cast<const Call*>(node);
      if (!reads_locals(node) || is_free_call(call)) break;
      return hoist(node, name_for(node));
    }
    case Kind::BinaryOperation:
      if (static_cast<const BinaryOperation*>(node)->op == BinaryOperator::MatrixMultiply) {
        return hoist(node, name_for(node));
      }
      break;
    case Kind::FormattedString:
    case Kind::Comprehension:
    case Kind::Lambda:
      return hoist(node, name_for(node));
    default:
      break;
  }
  // The user's numbers are spelled as the user spelled them.
  return static_cast<const Expr*>(
      rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
        if (!is_expression(child->kind)) return child;
        return primal(static_cast<const Expr*>(child));
      }));
}

}  // namespace tangent
