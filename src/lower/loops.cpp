// `for` and `while`: targets that are patterns, and tests that need statements.
#include "lower/open_counted.h"
#include "syntax/as_written.h"

namespace tangent::lowering {

void Lowering::for_statement(const For& it) {
  if (generator_loop(it)) return;
  use_up(it.iterable);
  const Expr* iterable = expression(it.iterable);
  if (const auto items = known_items(iterable)) return unrolled_loop(it, *items);
  const auto counted = counted_items(iterable);
  if (counted && is_written_out(it)) return unrolled_loop(it, *counted);
  std::vector<std::pair<const Expr*, Symbol>> later;
  const Holding item = item_of(holding_of(iterable));
  const Expr* target = nullptr;
  if (item.form == Holding::Form::Reference && display_elements(it.target) != nullptr) {
    // A namedtuple that is taken apart.
    target =
        context_.local(names_.fresh(layout_of(known_.kept_classes.at(item.type)).name), it.ranges);
    later.emplace_back(it.target, static_cast<const Name*>(target)->symbol);
  } else {
    target = core_target(it.target, later);
  }
  note_target(target, item);
  const OpenCounted open(*this, counted ? &it : nullptr, target);
  ++frame_->loop_depth;
  ++open_loops_;
  const std::size_t held = held_log_.size();
  Block body;
  if (later.empty()) {
    body = nested_block(it.body);
  } else {
    Statements statements = collect([&] { unpack_later(later, at(*it.target)); });
    const Block rest = nested_block(it.body);
    statements.insert(statements.end(), rest.begin(), rest.end());
    body = context_.list(statements);
  }
  --frame_->loop_depth;
  --open_loops_;
  check_held_in_loop(release_held(held), it);
  if (body.empty()) body = context_.list<const Stmt*>({context_.make<Pass>(at(it))});
  const Block orelse = nested_block(it.orelse);
  forget_held(release_held(held));
  emit(context_.make<For>(at(it), target, iterable, body, orelse, false));
}

void Lowering::while_statement(const While& it) {
  const Expr* test = nullptr;
  ++frame_->loop_depth;
  ++open_loops_;
  const std::size_t held = held_log_.size();
  Statements before = collect_arm([&] { test = expression(explicit_truth(it.test)); });
  Block body = nested_block(it.body);
  --frame_->loop_depth;
  --open_loops_;
  check_held_in_loop(release_held(held), it);
  Block orelse = nested_block(it.orelse);
  forget_held(release_held(held));
  if (before.empty()) {
    if (body.empty()) body = context_.list<const Stmt*>({context_.make<Pass>(at(it))});
    return emit(context_.make<While>(at(it), test, body, orelse));
  }
  // while True: before; if not test: break; body
  const Ranges ranges = at(*it.test);
  ExitTable exits;
  const Exits else_exits = exits.of_block(orelse);
  Statements leave;
  Statements after;
  if (!exits.of_block(body).breaks) {
    // The loop ends only here: what follows it is the else.
    after.assign(orelse.begin(), orelse.end());
    leave.push_back(context_.make<Break>(ranges));
  } else if (else_exits.breaks || else_exits.continues) {
    // The else leaves a loop around this one: it has to stand after it.
    const Symbol finished = names_.fresh("finished");
    emit_assign(finished, context_.boolean(false, ranges), ranges);
    leave.push_back(
        context_.assign(context_.local(finished, ranges), context_.boolean(true, ranges), ranges));
    leave.push_back(context_.make<Break>(ranges));
    after.push_back(context_.make<If>(ranges, context_.local(finished, ranges), orelse, Block()));
  } else {
    leave.assign(orelse.begin(), orelse.end());
    if (else_exits.falls) leave.push_back(context_.make<Break>(ranges));
  }
  before.push_back(
      context_.make<If>(ranges, negated(context_, test), context_.list(leave), Block()));
  before.insert(before.end(), body.begin(), body.end());
  emit(
      context_.make<While>(at(it), context_.boolean(true, ranges), context_.list(before), Block()));
  out_->insert(out_->end(), after.begin(), after.end());
}

}  // namespace tangent::lowering
