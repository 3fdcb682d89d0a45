// The statements of a loop that keeps snapshots: what its forward part adds, and the loop over
// stretches of the backward part.
//
// In: the plan of the loop (plan.h). Out: statements. What is run again with tapes, and what undoes
// it, is the assembler's (assemble.cpp).
#pragma once

#include <vector>

#include "autodiff/plan.h"

namespace tangent {

// Whether a statement of a block reads a local.
bool reads_name(Block block, Symbol name);

class CheckpointText {
 public:
  using Statements = std::vector<const Stmt*>;
  // `unread` is the name of what a loop counts that nobody reads.
  CheckpointText(const CheckpointPlan& plan, const Stmt* loop, Symbol numpy, Symbol unread,
                 Context& context)
      : plan_(plan), loop_(loop), numpy_(numpy), unread_(unread), context_(context) {}

  // In front of the loop.
  void begin(Statements& out);
  // The loop as the user wrote it, with snapshots.
  const Stmt* first_run(const Expr* header);
  // Behind the loop.
  void end(Statements& out);
  // What the forward part has beside the user's own statements.
  [[nodiscard]] const Statements& added() const { return added_; }
  // What one stretch runs over.
  const Expr* items();
  const Expr* target();
  // Of a stretch of one step: its item.
  void take_item(Statements& out);
  // The loop over the stretches around what is done with each.
  const Stmt* stretches(const Statements& again);

 private:
  Statements plain(Block block, bool all);
  const Stmt* plain(const Stmt* statement, bool all);
  void store(Statements& out, bool in_forward_part);
  const Expr* copy(const SnapshotPart& part);
  const Expr* count();
  const Expr* call(std::string_view builtin, const std::vector<const Expr*>& arguments);
  const Expr* binary(BinaryOperator op, const Expr* left, const Expr* right);
  const Expr* compare(const Expr* left, ComparisonOperator op, const Expr* right);
  const Stmt* branch(const Expr* test, const Statements& body);
  const Stmt* add(Symbol name, const Expr* value);
  const Stmt* loop_over(const Expr* target, const Expr* items, const Statements& body);
  const Stmt* assign(Symbol name, const Expr* value) {
    return context_.assign(context_.local(name), value);
  }

  const CheckpointPlan& plan_;
  const Stmt* loop_;
  Symbol numpy_;
  Symbol unread_;
  Statements added_;
  Context& context_;
};

}  // namespace tangent
