// Values of the primal in the backward part: recomputed where that is arithmetic, else kept by
// name.
//
// In: an expression of the primal. Out: the same value as an expression that costs no call: calls,
// products and reductions are hoisted to a name in the forward part ("never by a call, reduction,
// product or transcendental operation"); arithmetic, comparison, indexing and shapes are computed
// again.
#include "autodiff/free_calls.h"
#include "autodiff/reverse.h"

namespace tangent {

bool Reverse::is_killed(Symbol symbol) const { return killed_.contains(symbol); }

// Whether the memory behind an element or slice is stored into behind the position now: then the
// value is kept, not the array. What a loop reads and leaves alone is kept as a whole, once.
bool Reverse::is_overwritten(const Expr* node) {
  const auto* subscript = as<Subscript>(node);
  if (subscript == nullptr) return false;
  const Name* root = root_of(subscript);
  return root != nullptr && root->scope == Scope::Local &&
         (aliases_.is_written(root->symbol) || aliases_.is_changed_list(root->symbol)) &&
         is_killed(root->symbol) && !result_.plan.replaced.contains(node) &&
         !copies_.contains(node) &&
         (changed_by_loops_.empty() || changed_by_loops_.back().contains(root->symbol)) &&
         !lasting(root->symbol);
}

int Reverse::overwritten_reads(const Expr* node) {
  int count = 0;
  SmallStack<const Node*> stack(node);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (is_expression(top->kind) && is_overwritten(static_cast<const Expr*>(top))) {
      ++count;
      continue;
    }
    push_children(stack, *top);
  }
  return count;
}

std::string Reverse::name_for(const Expr* node) {
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
  if (const auto* subscript = as<Subscript>(node)) {
    // "x_i", "x_0"; other places are "x_value".
    const Name* root = root_of(subscript);
    if (root == nullptr) return base;
    const std::string array(root->symbol.text());
    if (const auto* index = as<Name>(subscript->index);
        index != nullptr && is<Name>(subscript->value))
      return array + "_" + std::string(index->symbol.text());
    return array + "_value";
  }
  if (is<Comparison>(node) || is<BooleanOperation>(node)) return "cond";
  return base;
}

bool Reverse::is_view_of_written(const Expr* node) const {
  bool found = false;
  aliases_.for_each_reference(node,
                              [&](Symbol symbol) { found = found || aliases_.is_written(symbol); });
  return found;
}

const Expr* Reverse::hoist(const Expr* node, std::string_view wish) {
  const auto found = result_.plan.replaced.find(node);
  if (found != result_.plan.replaced.end()) return context_.local(found->second);
  if (const auto copy = copies_.find(node); copy != copies_.end())
    return context_.local(copy->second);
  // Equal reads in one statement are one value.
  if (const auto plan = result_.plan.statements.find(current_);
      plan != result_.plan.statements.end() && is_overwritten(node) &&
      typing_.of(node).is_number()) {
    for (const Hoist& hoist : plan->second.hoists) {
      if (!equal(hoist.value, node)) continue;
      result_.plan.replaced.emplace(node, hoist.name);
      return context_.local(hoist.name);
    }
  }
  if (arm_depth_ > 0) {
    refuse(DiagnosticKind::UnsupportedSyntax, node,
           "this part of a conditional expression would have to be kept for the derivative",
           "write the conditional expression as an if statement");
  }
  const Symbol name = names_.fresh(wish);
  const Expr* kept = node;
  if (!typing_.of(node).is_number() && is_view_of_written(node)) {
    // A view would show what is stored later. The primal goes on with the view itself.
    kept = copy_of(node);
    copies_.emplace(node, name);
  } else {
    result_.plan.replaced.emplace(node, name);
    // `v = np.exp(v)` where v is stored into later: the primal goes on with an array of its own.
    const auto* assign = as<Assign>(current_);
    const auto* loop = as<For>(current_);
    const Expr* target = assign != nullptr ? assign->targets[0] : nullptr;
    const Expr* bound = assign != nullptr ? assign->value : nullptr;
    if (loop != nullptr) target = loop->target, bound = loop->iterable;
    if (target != nullptr && !typing_.of(node).is_number() && aliases_.passes_on(bound, node)) {
      bool written = false;
      for_each_target(target,
                      [&](Symbol symbol) { written = written || aliases_.is_written(symbol); });
      if (written) result_.plan.copied.insert(node);
    }
  }
  result_.plan.statements[current_].hoists.push_back({name, kept});
  typing_.declare(name, typing_.of(node));
  // It has its value where the statement is done, and until the statement is reached again.
  result_.plan.defined_at.emplace(name, current_position_after());
  if (loop_depth_ > 0) {
    killed_.insert(name);
    rebound_.insert(name);
  }
  return context_.local(name);
}

// A copy of an array; of what may be a number as well, an array without axes.
const Expr* Reverse::copy_of(const Expr* value) {
  const Type type = typing_.of(value);
  const Expr* copy = nullptr;
  if (type.is_array()) {
    copy = context_.make<Call>(
        value->ranges, context_.make<Attribute>({}, value, context_.symbol("copy")),
        context_.symbol("numpy.copy"), List<const Expr*>(), List<const Keyword*>());
  } else {
    copy = algebra_.numpy_call("copy", {value});
  }
  typing_.set(copy, type);
  return copy;
}

Position Reverse::current_position_after() const { return after_current_; }

const Expr* Reverse::primal(const Expr* node) {
  if (node == current_value_ && current_target_) return context_.local(current_target_);
  if (node == current_value_ && current_place_ != nullptr) return current_place_;
  if (const auto found = result_.plan.replaced.find(node); found != result_.plan.replaced.end()) {
    return context_.local(found->second);
  }
  if (const auto found = copies_.find(node); found != copies_.end())
    return context_.local(found->second);
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
      if (typing_.of(node).is_number() && overwritten_reads(node) > 1)
        return hoist(node, name_for(node));
      break;
    case Kind::Subscript:
      if (is_overwritten(node)) return hoist(node, name_for(node));
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
