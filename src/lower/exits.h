// Early returns, `continue` and loop `else` turned into If, Break and flags.
//
// In: the lowered statements of one function in which Return and Continue stand anywhere and loops
// may have an else. Out: statements that keep the contract of lower.h: Return in tail position
// only, no Continue, no loop else. Statements are moved into branches, never copied (except a bare
// `return name`); a flag is made only where a copy would be needed.
//
// The steps, one file each, in this order:
//   loop_else.cpp     loop else -> a test of a flag `broke`
//   loop_returns.cpp  a return in a loop -> the result's assignment, a flag `returned`, Break
//   continues.cpp     continue -> the rest of the body under an If
//   tail_returns.cpp  the rest of a function after an early return -> the other branch
#pragma once

#include <unordered_map>
#include <vector>

#include "lower/names.h"
#include "syntax/build.h"

namespace tangent::lowering {

using Statements = std::vector<const Stmt*>;

// How control can leave a statement or block.
struct Exits {
  bool falls = true;     // it can reach its end
  bool returns = false;  // a Return somewhere in it, nested loops included
  bool breaks = false;   // a Break or Continue that belongs to the loop around it
  bool continues = false;
  int return_count = 0;
};

// The exits of statements, each found once.
class ExitTable {
 public:
  const Exits& of(const Stmt* statement);
  Exits of_block(Block block);

 private:
  Exits find(const Stmt& statement);
  std::unordered_map<const Stmt*, Exits> known_;
};

// What follows a block: statements, then what follows those.
struct Rest {
  Block statements;
  const Rest* next = nullptr;
};
bool is_empty(const Rest* rest);

// Moves statements that an exit skips into the branches that do not exit.
class SkipRewriter {
 public:
  enum class Exit : std::uint8_t { Continue, Return };

  // For Return, `result` (if not empty) is assigned and `flag` set where the exit was.
  SkipRewriter(Context& context, FreshNames& names, ExitTable& exits, Exit exit, Symbol result)
      : context_(context), names_(names), exits_(exits), exit_(exit), result_(result) {}

  // The statements, then the rest, into `out`; `flag` is empty where nobody asks.
  void rewrite(Block block, const Rest* rest, Symbol flag, Statements& out);

 private:
  bool is_exit(const Stmt* statement) const;
  bool contains_exit(const Exits& exits) const;

  Context& context_;
  FreshNames& names_;
  ExitTable& exits_;
  Exit exit_;
  Symbol result_;
};

Block without_loop_else(Context& context, FreshNames& names, Block block);
Block without_loop_returns(Context& context, FreshNames& names, Block block);
Block without_continues(Context& context, FreshNames& names, Block block);
Block with_tail_returns(Context& context, FreshNames& names, Block block);

// If, turned round or dropped where an arm is empty.
void append_if(Context& context, const Expr* test, Block body, Block orelse, Ranges ranges,
               Statements& out);
const Expr* negated(Context& context, const Expr* test);
bool is_always_true(const Expr* test);  // True, or a number that is not zero
bool is_name_or_constant(const Expr* expression);

}  // namespace tangent::lowering
