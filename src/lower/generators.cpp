// Generators that the function calls: the generator's own loop around what its values are for.
//
//     def halves(x):                    for h in halves(x):         while x > 0.1:
//         while x > 0.1:                    s = s + h * h                h = x
//             yield x                                                    s = s + h * h
//             x = 0.5 * x                                                x = 0.5 * x
//
// In: a `for` over a call of one, or a call whose values are all used at once (`list`, `sum`, a
// comprehension): there it is a loop that fills a list. Every other use is refused.
#include <algorithm>

#include "lower/fence.h"
#include "lower/lowering.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// Whether every `yield` stands in exactly one loop, behind which nothing is done: then a `break` of
// the consumer is one of that loop.
bool yields_in_last_loop(Block body) {
  for (std::size_t k = 0; k < body.size(); ++k) {
    const Block one = body.subspan(k, 1);
    if (find_yield(one) == nullptr) continue;
    if (k + 1 != body.size()) return false;
    const auto* loop = as<For>(body[k]);
    const auto* repeated = as<While>(body[k]);
    if (loop == nullptr && repeated == nullptr) return false;
    if (!(loop != nullptr ? loop->orelse : repeated->orelse).empty()) return false;
    const Block inner = loop != nullptr ? loop->body : repeated->body;
    return std::ranges::none_of(inner, [](const Stmt* statement) {
      return find_node(statement, [](const Node* node) {
               const bool is_loop = is<For>(node) || is<While>(node);
               if (!is_loop) return false;
               return find_yield(is<For>(node) ? static_cast<const For*>(node)->body
                                               : static_cast<const While*>(node)->body) != nullptr;
             }) != nullptr;
    });
  }
  return false;
}

// A statement of a kind, leaving out functions and, for `break` and `continue`, loops inside.
template <class Statement>
const Stmt* find_exit(Block body, bool also_in_loops) {
  SmallStack<const Node*> stack;
  for (const Stmt* statement : body) stack.push(statement);
  while (!stack.empty()) {
    const Node* node = stack.pop();
    if (is<Statement>(node)) return static_cast<const Stmt*>(node);
    if (is<FunctionDefinition>(node) || is<Lambda>(node)) continue;
    if (!also_in_loops && (is<For>(node) || is<While>(node))) continue;
    push_children(stack, *node);
  }
  return nullptr;
}

}  // namespace

// The generator that a written call calls, if it is one.
const Callee* Lowering::generator_called(const Expr* written, Receiver& receiver) {
  const auto* it = as<Call>(written);
  if (it == nullptr) return nullptr;
  const auto generator = [](const Callee* callee) {
    return callee != nullptr && find_yield(callee->body) != nullptr ? callee : nullptr;
  };
  if (const Callee* local = function_value(it->function)) return generator(local);
  const auto* method = as<Attribute>(it->function);
  if (method != nullptr && is<Name>(method->value)) {
    const Expr* self = nullptr;
    if (Object* object = named_object(method->value, &self)) {
      if (object->find(method->attribute) != nullptr) return nullptr;
      const Member& member = member_of(object->type, -1, method->attribute);
      if (member.form != Member::Form::Method) return nullptr;
      receiver = {.self = copy(self, {}), .owner = member.owner};
      return generator(&callee_of(member.thing, *it));
    }
  }
  const std::optional<Thing> thing = thing_of(it->function);
  if (!thing || thing->kind != ThingKind::UserFunction) return nullptr;
  return generator(&callee_of(*thing, *it));
}

// A call of a function of the user's, which may be a generator whose values are all used.
const Expr* Lowering::called_function(const Call& it, const Callee& callee,
                                      Destination destination) {
  if (drained_.contains(&it) && find_yield(callee.body) != nullptr)
    return generator_list(it, callee, {});
  return inline_call(it, callee, destination);
}

void Lowering::run_generator(const Call& it, const Callee& callee, const Receiver& receiver,
                             const Consumer& consumer) {
  if (const Stmt* exit = find_exit<Return>(callee.body, true)) {
    refuse(*exit, "a `return` in a generator is not supported yet",
           "let its loop end by its test, or by `break`");
  }
  next_consumer_ = &consumer;
  inline_call(it, callee, Destination::nothing(), receiver);
}

bool Lowering::generator_loop(const For& it) {
  Receiver receiver;
  const Callee* callee = generator_called(it.iterable, receiver);
  if (callee == nullptr) return false;
  const auto& call = static_cast<const Call&>(*it.iterable);
  if (!it.orelse.empty()) {
    refuse(it, "`else` of a loop over a generator is not supported yet",
           "write what follows behind the loop");
  }
  Block body = it.body;
  if (find_exit<Continue>(body, false) != nullptr) {
    // The rest of the round under an `if`: the generator goes on behind its `yield`.
    const Stmt* loop = without_continues(context_, names_, context_.list<const Stmt*>({&it}))[0];
    body = static_cast<const For*>(loop)->body;
    const Stmt* left = find_exit<Continue>(body, false);
    const bool flags = find_node(loop, [](const Node* node) {
                         const auto* name = as<Name>(node);
                         return name != nullptr && name->scope == Scope::Local;
                       }) != nullptr;
    if (left != nullptr || flags) {
      refuse(*find_exit<Continue>(it.body, false),
             "this `continue` in a loop over a generator is not supported yet",
             "use `if` and `else`");
    }
  }
  if (const Stmt* exit = find_exit<Break>(body, false);
      exit != nullptr && !yields_in_last_loop(callee->body)) {
    refuse(*exit,
           "this `break` leaves a generator whose `yield` does not stand in one last loop, which "
           "is not supported yet",
           "use a flag, or call `list` on the generator first");
  }
  run_generator(call, *callee, receiver,
                {.frame = frame_, .target = it.target, .body = body, .list = {}});
  return true;
}

// list(generator(…)) and its like: a list that its `yield`s append to.
const Expr* Lowering::generator_list(const Call& it, const Callee& callee,
                                     const Receiver& receiver) {
  const Symbol list = names_.fresh("items");
  emit(context_.assign(context_.local(list, it.ranges),
                       context_.make<ListDisplay>(it.ranges, Exprs()), at(it)));
  run_generator(it, callee, receiver,
                {.frame = frame_, .target = nullptr, .body = {}, .list = list});
  return context_.local(list, it.ranges);
}

void Lowering::bind_yielded(const Expr* value, Ranges ranges) {
  const Consumer& consumer = *frame_->consumer;
  if (consumer.list) {
    const Expr* append = context_.make<Attribute>(ranges, context_.local(consumer.list, ranges),
                                                  context_.symbol("append"));
    emit(context_.make<ExpressionStatement>(
        ranges, context_.make<Call>(ranges, append, Symbol(), context_.list<const Expr*>({value}),
                                    List<const Keyword*>())));
    return;
  }
  // The consumer's statements, as the consumer sees its names.
  Frame* const generator = frame_;
  const Node* const running = active_.back();
  active_.pop_back();
  frame_ = consumer.frame;
  ++frame_->loop_depth;
  release_targets(consumer.target);
  assign_to(consumer.target, value, at(*consumer.target));
  const Block body = nested_block(consumer.body);
  out_->insert(out_->end(), body.begin(), body.end());
  --frame_->loop_depth;
  frame_ = generator;
  active_.push_back(running);
}

bool Lowering::yield_statement(const ExpressionStatement& it) {
  const auto* yield = as<Yield>(it.value);
  if (yield == nullptr) return false;
  if (frame_->consumer == nullptr || yield->value == nullptr || yield->from)
    refuse(it, "this `yield` is not supported", "yield in a loop over the generator");
  bind_yielded(expression(yield->value), at(it));
  return true;
}

}  // namespace tangent::lowering
