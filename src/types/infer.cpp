// Inference as a whole: arguments in, the typed function out.
#include "types/infer.h"

#include "syntax/visit.h"
#include "types/inference.h"

namespace tangent {

Inference::Inference(const CoreFunction& core, Outside& outside, RuleBook& rules, Context& context,
                     PairTypes* pairs)
    : core_(core),
      outside_(outside),
      rules_(rules),
      context_(context),
      arena_(context.arena()),
      pairs_(pairs) {
  result_.core = &core;
  lookup_ = [this](const Expr* expression) {
    if (const Type* found = result_.types.find(expression)) return *found;
    if (const auto* constant = as<Constant>(expression)) {
      return type_of_literal(constant->value, arena_);
    }
    return Type::unknown();
  };
}

std::size_t Inference::number_of(Symbol symbol) {
  const auto [found, is_new] = numbers_.try_emplace(symbol, symbols_.size());
  if (is_new) {
    symbols_.push_back(symbol);
    environment_.emplace_back();
    ever_.emplace_back();
  }
  return found->second;
}

TypedFunction Inference::run(const std::vector<Type>& arguments) {
  if (arguments.size() != core_.parameters.size()) {
    throw InternalError("inference needs one type per parameter");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t number = number_of(core_.parameters[i]->name);
    environment_[number] = arguments[i];
    ever_[number] = arguments[i];
  }
  block(core_.body);
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    result_.variables.emplace(symbols_[i], ever_[i]);
  result_.body = callees_.empty() ? core_.body : resolved(core_.body);
  return std::move(result_);
}

Block Inference::resolved(Block body) {
  std::vector<const Stmt*> statements;
  statements.reserve(body.size());
  bool changed = false;
  for (const Stmt* statement : body) {
    const auto* now = static_cast<const Stmt*>(resolved(static_cast<const Node*>(statement)));
    changed = changed || now != statement;
    statements.push_back(now);
  }
  return changed ? context_.list(statements) : body;
}

const Node* Inference::resolved(const Node* node) {
  const auto child = [this](const Node* it) { return resolved(it); };
  const Node* now = node;
  if (is<BinaryOperation>(node)) {
    // The left spine of a long sum is walked without recursion.
    std::vector<const BinaryOperation*> spine;
    const Node* left = node;
    while (const auto* operation = as<BinaryOperation>(left)) {
      spine.push_back(operation);
      left = operation->left;
    }
    const Node* made = resolved(left);
    for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
      const BinaryOperation& old = **it;
      const Node* right = resolved(old.right);
      if (made == old.left && right == old.right) {
        made = &old;
        continue;
      }
      made = context_.make<BinaryOperation>(old.ranges, old.op, static_cast<const Expr*>(made),
                                            static_cast<const Expr*>(right));
      if (const Type* type = result_.types.find(&old)) {
        const Type kept = *type;
        result_.types.set(made, kept);
      }
    }
    return made;
  }
  now = rewrite_children(context_, *node, child);
  if (const auto* old = as<Call>(node)) {
    const auto callee = callees_.find(old);
    if (callee != callees_.end() && callee->second) {
      now = resolved_call(*static_cast<const Call*>(now), callee->second);
    }
  }
  if (now != node && is_expression(node->kind)) {
    if (const Type* type = result_.types.find(node)) {
      const Type kept = *type;
      result_.types.set(now, kept);
    }
  }
  return now;
}

const Expr* Inference::resolved_call(const Call& call, Symbol callee) {
  Exprs arguments = call.arguments;
  // x.reshape(2, 3) and x.transpose(1, 0) take their lengths and axes one by one as well; the
  // functions want them as one.
  const bool takes_one = takes_one_by_one(callee.text());
  if (takes_one && arguments.size() > 1) {
    std::vector<Type> elements;
    for (const Expr* argument : arguments) elements.push_back(lookup_(argument));
    Type type = Type::of(TypeKind::Tuple);
    type.elements = arena_.copy(elements);
    const auto* together = context_.make<TupleDisplay>(call.ranges, arguments);
    result_.types.set(together, type);
    arguments = context_.list<const Expr*>({together});
  }
  return context_.make<Call>(call.ranges, call.function, callee, arguments, call.keywords);
}

TypedFunction infer(const CoreFunction& core, const std::vector<Type>& arguments, Outside& outside,
                    RuleBook& rules, Context& context) {
  return Inference(core, outside, rules, context).run(arguments);
}

}  // namespace tangent
