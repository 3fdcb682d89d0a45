// Loops over functions and objects: written out, once for each item.
//
//     for act in (np.sin, np.tanh):          x = np.sin(x)
//         x = act(x)                         x = np.tanh(x)
//
// In: a loop, and its items as core expressions. Out: the statements of its rounds.
#include "lower/lowering.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

constexpr std::size_t kMostUnrolled = 64;

// Whether a statement of the loop's body leaves the loop, or a round of it.
const Stmt* exit_of(Block body) {
  for (const Stmt* statement : body) {
    if (is<Break>(statement) || is<Continue>(statement)) return statement;
    if (const auto* branch = as<If>(statement)) {
      if (const Stmt* found = exit_of(branch->body)) return found;
      if (const Stmt* found = exit_of(branch->orelse)) return found;
    }
    // What stands in the `else` of an inner loop leaves this one.
    if (const auto* loop = as<For>(statement)) {
      if (const Stmt* found = exit_of(loop->orelse)) return found;
    }
    if (const auto* loop = as<While>(statement)) {
      if (const Stmt* found = exit_of(loop->orelse)) return found;
    }
  }
  return nullptr;
}

}  // namespace

// The objects of the last round are no longer held by the loop's targets.
void Lowering::release_targets(const Expr* target) {
  const auto* name = as<Name>(target);
  if (name == nullptr) {
    for_each_child(*target, [&](const Node* child) {
      if (is_expression(child->kind)) release_targets(static_cast<const Expr*>(child));
    });
    return;
  }
  const Binding* binding = find_binding(name->symbol);
  if (binding == nullptr || binding->form != Binding::Form::Variable) return;
  const auto held = objects_.find(binding->variable);
  if (held == objects_.end() || held->second->names < 2) return;
  --held->second->names;
  objects_.erase(held);
}

void Lowering::unrolled_loop(const For& it, std::span<const Expr* const> items) {
  if (const Stmt* exit = exit_of(it.body)) {
    refuse(*exit,
           "`break` and `continue` in a loop over functions or objects are not supported yet",
           "use `if` and `else`, or write the loop out");
  }
  if (items.size() > kMostUnrolled) {
    refuse(it, "a loop over so many functions or objects is not supported",
           "loop over numbers or arrays");
  }
  // The items are those that were there when the loop began.
  const std::vector<const Expr*> kept(items.begin(), items.end());
  for (const Expr* item : kept) {
    release_targets(it.target);
    assign_to(it.target, copy(item, it.target->ranges), at(*it.target));
    block(it.body);
    if (!out_->empty() && (is<Return>(out_->back()) || is<Raise>(out_->back()))) return;
  }
  block(it.orelse);
}

}  // namespace tangent::lowering
