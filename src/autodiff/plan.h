// What reverse mode decides about the forward part, and the backward program before tapes are
// placed.
//
// A position (block, k) is the point before statement k of a block of the primal, (block, n) its
// end. The backward program is a tree of `Back` items that follows the primal in reverse; an item
// `Marker` says at which position of the primal the items behind it read the primal's variables.
// `needs` lists what they read. From that save.cpp decides what goes on a tape, and assemble.cpp
// makes the two halves statements again.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/build.h"

namespace tangent {

// Blocks are told apart by where their list stands in the arena.
using BlockKey = const Stmt* const*;
inline BlockKey key_of(Block block) { return block.data(); }

struct Position {
  BlockKey block = nullptr;
  std::uint32_t index = 0;
  bool operator==(const Position&) const = default;
};

// How a loop is run backwards.
struct LoopPlan {
  Symbol count;  // counts completed iterations; empty: the iterable is run in reverse
  Symbol exit;   // which exit was taken (a bool if there is one, else a number); empty: not needed
  std::vector<const Break*> exits;   // of this loop, numbered from 1 by `exit`
  bool exit_is_user_flag = false;    // lowering already sets `exit`
  std::vector<const Break*> undone;  // the exits whose cut iteration has something to undo
  bool count_is_read = false;        // not only by the loop that runs backwards
  bool ends_at_exit = false;  // the body ends with an exit: the iteration it cuts is a full one
};

struct Hoist {
  Symbol name;
  const Expr* value;
};

// What the forward part computes beyond the primal.
struct StatementPlan {
  std::vector<Hoist> hoists;  // before the statement, in order
};

// A value that a snapshot of a loop's state holds.
struct SnapshotPart {
  Symbol variable;
  Symbol list;             // of its snapshots
  Symbol run;              // … those of the run that is on, where a run thins them
  bool copy = false;       // the array is stored into later …
  bool copy_list = false;  // … or the list changes
  PairId pair = 0;
  PairId run_pair = 0;
};

// How a loop is run that keeps snapshots of its state in place of tapes (checkpoints.h). Steps are
// counted from 0. Backwards it is run again from a snapshot, one stretch of steps at a time, with
// tapes.
struct CheckpointPlan {
  enum class Form : std::uint8_t {
    Segments,  // a snapshot every `stride` steps of a number that is known before
    Thinned,   // of a number that is not: where there are too many, every second one goes
    Binomial,  // at the steps of the schedule of Griewank and Walther
  };
  Form form = Form::Segments;
  bool thinned = false;   // Binomial: the first snapshots are made as for Thinned
  bool one_step = false;  // a stretch is one step that is not cut: it needs no loops and no tapes
  std::int64_t most = 0;  // at most so many snapshots; 0: as the form has it
  Block inside;           // the loop alone: positions in it are those of one stretch
  const Expr* range = nullptr;  // all items of a `for`; null: a `while`
  const Expr* total = nullptr;  // how many steps there are; null: `steps` says
  bool from_zero = false;       // the items are the numbers of the steps
  // Numbers that hang on lists, which may have other lengths later: their names, and what they are.
  std::vector<std::pair<Symbol, const Expr*>> lengths = {};
  const Expr* stride = nullptr;       // Segments, Thinned: a number, or the name of one
  const Expr* stretches = nullptr;    // Binomial: what makes the schedule
  const Expr* first_steps = nullptr;  // … and the steps of its first snapshots
  const Expr* make_stride = nullptr;  // of a stride that is not a literal
  // Names of the forward part; empty where they are not needed.
  Symbol steps;   // how many were begun
  Symbol stored;  // Binomial: the steps of the first snapshots
  // Names of the backward part.
  Symbol start;  // of a stretch: the first step …
  Symbol stop;   // … and the one behind the last
  Symbol first;  // Binomial: the step of the last snapshot …
  Symbol kept;   // … those at which further ones are made on the way from there …
  Symbol step;   // … and the step now
  Symbol each;   // of the forward part: a snapshot of the run that has ended
  std::vector<SnapshotPart> state;
  std::unordered_set<const Stmt*> dropped;      // statements that are not run again
  std::unordered_set<const Stmt*> hoists_only;  // of these what is hoisted is all that is needed

  // The names that the loop defines.
  template <class F>
  void for_each_definition(F&& f) const {
    for (const SnapshotPart& part : state) f(part.list);
    for (const auto& [name, value] : lengths) f(name);
    if (steps) f(steps);
    if (stored) f(stored);
    if (const auto* name = as<Name>(stride)) f(name->symbol);
  }
};

// One item of the backward program.
struct Back {
  // Stretches: `body` is done for each stretch of a loop that keeps snapshots, last first.
  enum class Form : std::uint8_t { Statement, Marker, Branch, Loop, Stretches };
  Form form = Form::Statement;
  const Stmt* statement = nullptr;  // Statement; of a Branch or Loop the primal's own
  Position position = {};           // Marker
  const Expr* test = nullptr;       // Branch
  // Loop: `for target in header` around the body. Without a header: by count or by tape.
  const Expr* target = nullptr;
  const Expr* header = nullptr;
  Symbol count = {};  // Loop by count: the variable
  std::vector<Back> body = {};
  std::vector<Back> orelse = {};  // Branch
  const Stmt* origin = nullptr;   // the primal statement that this differentiates, for `# Grad of:`
  Ranges ranges = {};             // of all that it differentiates, if that is more
};

struct Plan {
  std::unordered_map<const Stmt*, StatementPlan> statements;
  std::unordered_map<const Stmt*, LoopPlan> loops;
  std::unordered_map<const Stmt*, CheckpointPlan> checkpoints;
  std::unordered_map<const Expr*, Symbol> replaced;  // expressions that a hoist computes
  std::unordered_set<const Expr*> copied;            // of these: the primal goes on with a copy
  std::unordered_map<const Stmt*, bool> reversed;    // Ifs and loops that the backward part repeats
  std::unordered_map<BlockKey, std::vector<std::vector<Symbol>>> needs;  // by block, by index
  std::unordered_map<Symbol, Position>
      defined_at;  // names that the plan adds: where they have their value
  std::unordered_set<Symbol> changed_lists;  // names of lists that change: saved as copies
  std::unordered_set<Symbol> written;        // names whose arrays are stored into: saved as copies
  std::unordered_map<const Stmt*, std::vector<Symbol>>
      also_changed;                             // names that see a store beside that of its place
  std::unordered_set<const Expr*> listed;       // hoisted iterables that are made lists
  std::unordered_set<const Stmt*> plain_calls;  // of functions that stay calls, without a tape
  std::vector<Back> backward;

  void need(Position position, Symbol symbol) {
    auto& by_index = needs[position.block];
    if (by_index.size() <= position.index) by_index.resize(position.index + 1);
    by_index[position.index].push_back(symbol);
  }
};

}  // namespace tangent
