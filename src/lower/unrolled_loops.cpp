// Loops over functions and objects, and over the integers at which those are read: written out,
// once for each item.
//
//     for act in (np.sin, np.tanh):          x = np.sin(x)
//         x = act(x)                         x = np.tanh(x)
//
// In: a loop, and its items as core expressions. Out: the statements of its rounds.
#include <algorithm>

#include "lower/exits.h"
#include "lower/lowering.h"
#include "syntax/as_written.h"
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

// The integer that a core expression is in every run.
std::optional<std::int64_t> Lowering::constant_integer(const Expr* core) const {
  if (const auto literal = integer_literal(core)) return literal;
  if (const auto* name = as<Name>(core); name != nullptr && name->scope == Scope::Local) {
    const auto found = constants_.find(name->symbol);
    return found != constants_.end() ? std::optional(found->second) : std::nullopt;
  }
  const auto* operation = as<BinaryOperation>(core);
  if (operation == nullptr) return std::nullopt;
  const auto left = constant_integer(operation->left);
  const auto right = constant_integer(operation->right);
  // Far from where integers of the machine end.
  constexpr std::int64_t kLarge = std::int64_t{1} << 30;
  const auto is_large = [](std::int64_t value) { return value > kLarge || value < -kLarge; };
  if (!left || !right || is_large(*left) || is_large(*right)) return std::nullopt;
  const std::int64_t remainder = *right != 0 ? ((*left % *right) + *right) % *right : 0;
  switch (operation->op) {
    case BinaryOperator::Add:
      return *left + *right;
    case BinaryOperator::Subtract:
      return *left - *right;
    case BinaryOperator::Multiply:
      return *left * *right;
    case BinaryOperator::Modulo:
      return *right != 0 ? std::optional(remainder) : std::nullopt;
    case BinaryOperator::FloorDivide:
      return *right != 0 ? std::optional((*left - remainder) / *right) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// The items of an iterable of a few integers that are the same in every run.
std::optional<std::vector<const Expr*>> Lowering::counted_items(const Expr* core) {
  std::vector<const Expr*> items;
  if (const Exprs* elements = display_elements(core)) {
    for (const Expr* element : *elements) {
      if (!integer_literal(element)) return std::nullopt;
      items.push_back(element);
    }
    if (items.size() > kMostUnrolled) return std::nullopt;
    return items;
  }
  const auto* range = as<Call>(core);
  if (range == nullptr || range->callee.text() != "builtins.range" || !range->keywords.empty() ||
      range->arguments.empty() || range->arguments.size() > 3)
    return std::nullopt;
  std::vector<std::int64_t> bounds;
  for (const Expr* argument : range->arguments) {
    const auto bound = constant_integer(argument);
    if (!bound) return std::nullopt;
    bounds.push_back(*bound);
  }
  if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
  const std::int64_t step = bounds.size() == 3 ? bounds[2] : 1;
  if (step == 0) return std::nullopt;
  for (std::int64_t k = bounds[0]; step > 0 ? k < bounds[1] : k > bounds[1]; k += step) {
    if (items.size() == kMostUnrolled) return std::nullopt;
    items.push_back(context_.signed_integer(k, core->ranges));
  }
  return items;
}

// `range(…)`, if it is the builtin.
const Call* Lowering::written_range(const Expr* written) {
  const auto* call = as<Call>(written);
  if (call == nullptr || !is<Name>(call->function)) return nullptr;
  const std::optional<Thing> thing = thing_of(call->function);
  return thing && thing->kind == ThingKind::Library &&
                 thing->qualified_name.text() == "builtins.range"
             ? call
             : nullptr;
}

// The same for an expression as it is written, which may be lowered again: nothing in it does
// anything.
std::optional<std::vector<const Expr*>> Lowering::written_counted_items(const Expr* written) {
  const Call* range = written_range(written);
  const Exprs* elements = display_elements(written);
  if (range == nullptr && elements == nullptr) return std::nullopt;
  for (const Expr* part : range != nullptr ? range->arguments : *elements) {
    const Node* busy = find_node(part, [&](const Node* node) {
      if (is<Name>(node) || is<Constant>(node) || is<BinaryOperation>(node) ||
          is<UnaryOperation>(node))
        return false;
      const auto* call = as<Call>(node);
      const std::optional<Thing> thing =
          call != nullptr && is<Name>(call->function) ? thing_of(call->function) : std::nullopt;
      return !thing || thing->qualified_name.text() != "builtins.len";
    });
    if (busy != nullptr) return std::nullopt;
  }
  return counted_items(expression(written));
}

namespace {

std::tuple<FileId, std::uint32_t, std::uint32_t> place_of(const Node& node) {
  const SourceRange& range = node.ranges.front();
  return {range.file, range.line, range.column};
}

}  // namespace

bool Lowering::is_written_out(const Node& loop) const {
  return !loop.ranges.empty() && known_.written_out.contains(place_of(loop));
}

// An index of what holds functions or objects: the innermost loop around that gives it its value is
// written out, if there is one that can be.
void Lowering::write_out_around(const Expr* index) {
  for (std::size_t k = open_counted_.size(); k-- > 0;) {
    const auto& [loop, target] = open_counted_[k];
    if (loop->ranges.empty() || !mentions(index, target)) continue;
    if (known_.written_out.insert(place_of(*loop)).second) throw LowerAgain();
  }
}

// Targets that are an integer in this round and that the body leaves alone are that integer
// wherever they are read.
void Lowering::bind_constants(const Expr* target, const Expr* item, Block body, Bindings& before) {
  const auto* name = as<Name>(target);
  if (name == nullptr) {
    const Exprs* targets = display_elements(target);
    const Exprs* items = display_elements(item);
    if (targets == nullptr || items == nullptr || targets->size() != items->size()) return;
    for (std::size_t k = 0; k < targets->size(); ++k)
      bind_constants((*targets)[k], (*items)[k], body, before);
    return;
  }
  if (!integer_literal(item)) return;
  const NameUse* use = frame_->facts->find(name->symbol);
  if (use != nullptr && (use->nested_writes > 0 || use->is_nonlocal)) return;
  const ScopeFacts facts = scope_facts({}, body);
  const NameUse* inside = facts.find(name->symbol);
  if (inside != nullptr && inside->writes > 0) return;
  const auto found = frame_->bindings.find(name->symbol);
  before.emplace_back(
      name->symbol, found != frame_->bindings.end() ? std::optional(found->second) : std::nullopt);
  frame_->bindings[name->symbol] = {.form = Binding::Form::Value, .value = item};
}

void Lowering::rebind(const Bindings& before) {
  for (const auto& [name, binding] : before) {
    if (binding) {
      frame_->bindings[name] = *binding;
    } else {
      frame_->bindings.erase(name);
    }
  }
}

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
  if (held == objects_.end() || held->second->names < 1) return;
  --held->second->names;
  objects_.erase(held);
}

void Lowering::unrolled_loop(const For& it, std::span<const Expr* const> items) {
  Block body = it.body;
  if (exit_of(body) != nullptr) {
    // `continue`: the rest of the round under an `if`. Flags that this needs are no names of the
    // user's, which the body cannot have before it is lowered.
    const Stmt* loop = without_continues(context_, names_, context_.list<const Stmt*>({&it}))[0];
    const Block skipping = static_cast<const For*>(loop)->body;
    if (find_node(loop, [](const Node* node) {
          const auto* name = as<Name>(node);
          return name != nullptr && name->scope == Scope::Local;
        }) == nullptr)
      body = skipping;
  }
  if (const Stmt* exit = exit_of(body)) {
    refuse(*exit,
           "this `break` or `continue` in a loop over functions or objects is not supported yet",
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
    Bindings before;
    bind_constants(it.target, item, it.body, before);
    block(body);
    rebind(before);
    if (!out_->empty() && (is<Return>(out_->back()) || is<Raise>(out_->back()))) return;
  }
  block(it.orelse);
}

}  // namespace tangent::lowering
