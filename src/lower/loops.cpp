// `for` and `while`: targets that are patterns, and tests that need statements.
#include "lower/lowering.h"

namespace tangent::lowering {

void Lowering::for_statement(const For& it) {
  const Expr* iterable = expression(it.iterable);
  std::vector<std::pair<const Expr*, Symbol>> later;
  const Expr* target = core_target(it.target, later);
  ++frame_->loop_depth;
  ++open_loops_;
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
  if (body.empty()) body = context_.list<const Stmt*>({context_.make<Pass>(at(it))});
  const Block orelse = nested_block(it.orelse);
  emit(context_.make<For>(at(it), target, iterable, body, orelse, false));
}

void Lowering::while_statement(const While& it) {
  const Expr* test = nullptr;
  ++frame_->loop_depth;
  ++open_loops_;
  Statements before = collect([&] { test = expression(it.test); });
  Block body = nested_block(it.body);
  --frame_->loop_depth;
  --open_loops_;
  Block orelse = nested_block(it.orelse);
  if (before.empty()) {
    if (body.empty()) body = context_.list<const Stmt*>({context_.make<Pass>(at(it))});
    return emit(context_.make<While>(at(it), test, body, orelse));
  }
  // while True: before; if not test: else; break; body
  ExitTable exits;
  const Exits else_exits = exits.of_block(orelse);
  if (else_exits.breaks || else_exits.continues) {
    refuse(it, "`else` of this `while` leaves a loop around it, and its test needs statements",
           "compute the test in the loop's body");
  }
  Statements leave(orelse.begin(), orelse.end());
  if (else_exits.falls) leave.push_back(context_.make<Break>(at(*it.test)));
  before.push_back(
      context_.make<If>(at(*it.test), negated(context_, test), context_.list(leave), Block()));
  before.insert(before.end(), body.begin(), body.end());
  emit(context_.make<While>(at(it), static_cast<const Expr*>(context_.boolean(true, at(*it.test))),
                            context_.list(before), Block()));
}

}  // namespace tangent::lowering
