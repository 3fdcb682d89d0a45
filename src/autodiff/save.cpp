// One walk forwards with the values that are needed and still in their variables; see save.h.
#include "autodiff/save.h"

namespace tangent {

namespace {

// A value that is needed: where it would be saved best (no block: where the variable is written
// next).
struct Candidate {
  Position at;
  int depth = 0;
  bool operator==(const Candidate&) const = default;
};
using Pending = std::unordered_map<Symbol, Candidate>;

class Saver {
 public:
  Saver(const Plan& plan, NamePool& names) : plan_(plan), names_(names) {}

  Saves run(Block body) {
    Pending pending;
    walk(body, pending, 0);
    return std::move(saves_);
  }

 private:
  static Position position(Block block, std::size_t index) {
    return {key_of(block), static_cast<std::uint32_t>(index)};
  }

  // Names that a statement gives a value, those that the plan adds included.
  void definitions(const Stmt* statement, std::vector<Symbol>& found) const {
    if (const auto plan = plan_.statements.find(statement); plan != plan_.statements.end()) {
      for (const Hoist& hoist : plan->second.hoists) found.push_back(hoist.name);
    }
    if (const auto loop = plan_.loops.find(statement); loop != plan_.loops.end()) {
      if (loop->second.count) found.push_back(loop->second.count);
      if (loop->second.exit) found.push_back(loop->second.exit);
    }
    if (const auto* branch = as<If>(statement)) {
      for (const Stmt* inner : branch->body) definitions(inner, found);
      for (const Stmt* inner : branch->orelse) definitions(inner, found);
    } else if (const auto* loop = as<For>(statement)) {
      for_each_target(loop->target, [&](Symbol symbol) { found.push_back(symbol); });
      for (const Stmt* inner : loop->body) definitions(inner, found);
    } else if (const auto* repeat = as<While>(statement)) {
      for (const Stmt* inner : repeat->body) definitions(inner, found);
    } else {
      for_each_definition(statement, [&](Symbol symbol) { found.push_back(symbol); });
    }
  }

  [[nodiscard]] bool is_saved(Position at, Symbol variable) const {
    for (const Save& save : saves_.find(at)) {
      if (save.variable == variable) return true;
    }
    return false;
  }

  // The variable is about to get another value at `here`.
  void overwrite(Symbol variable, Position here, int depth, Pending& pending) {
    const auto found = pending.find(variable);
    if (found == pending.end()) return;
    Candidate where = found->second;
    // As late as possible in the block of the last use: an iteration that is cut before saves nothing.
    if (where.at.block == nullptr || where.at.block == here.block) where = {here, depth};
    pending.erase(found);
    if (is_saved(where.at, variable)) return;
    auto& by_index = saves_.at[where.at.block];
    if (by_index.size() <= where.at.index) by_index.resize(where.at.index + 1);
    const bool tape = where.depth > 0;
    const std::string text(variable.text());
    const Symbol storage = names_.fresh(tape ? text + "_tape" : "old_" + text);
    by_index[where.at.index].push_back({variable, storage, tape, next_pair_++});
  }

  // Whether the end of the block is reached.
  bool walk(Block block, Pending& pending, int depth) {
    const auto needs = plan_.needs.find(key_of(block));
    for (std::size_t k = 0; k <= block.size(); ++k) {
      const Position here = position(block, k);
      if (!block.empty() && needs != plan_.needs.end() && k < needs->second.size()) {
        for (const Symbol symbol : needs->second[k]) pending[symbol] = {here, depth};
      }
      if (k == block.size()) break;
      const Stmt* statement = block[k];
      if (is<Break>(statement)) {
        exits_.back().push_back(pending);
        return false;
      }
      if (is<Raise>(statement)) return false;
      const bool nested = is<If>(statement) || is<For>(statement) || is<While>(statement);
      if (nested && plan_.reversed.contains(statement)) {
        if (const auto plan = plan_.statements.find(statement); plan != plan_.statements.end()) {
          for (const Hoist& hoist : plan->second.hoists)
            overwrite(hoist.name, here, depth, pending);
        }
        if (const auto* branch = as<If>(statement)) {
          if (!walk_if(block, k, branch, pending, depth)) return false;
        } else {
          walk_loop(block, k, statement, pending, depth);
        }
        continue;
      }
      if (nested && !exits_.empty()) skipped_exits(statement, pending);
      std::vector<Symbol> defined;
      definitions(statement, defined);
      for (const Symbol symbol : defined) overwrite(symbol, here, depth, pending);
    }
    return true;
  }

  // A branch that the backward part does not repeat can still hold an exit of the loop around it.
  void skipped_exits(const Stmt* statement, const Pending& pending) {
    const auto* branch = as<If>(statement);
    if (branch == nullptr) return;
    for (const Block arm : {branch->body, branch->orelse}) {
      for (const Stmt* inner : arm) {
        if (is<Break>(inner)) exits_.back().push_back(pending);
        skipped_exits(inner, pending);
      }
    }
  }

  bool walk_if(Block block, std::size_t k, const If* branch, Pending& pending, int depth) {
    Pending first = pending;
    Pending second = pending;
    const bool first_falls = walk(branch->body, first, depth);
    // What the first arm saved where both arms come from is saved for both.
    auto drop_saved = [&](Pending& set) {
      for (auto it = set.begin(); it != set.end();) {
        it = it->second.at.block != nullptr && is_saved(it->second.at, it->first) ? set.erase(it)
                                                                                  : std::next(it);
      }
    };
    drop_saved(second);
    const bool second_falls = walk(branch->orelse, second, depth);
    drop_saved(first);
    std::vector<Symbol> defined;
    definitions(branch, defined);
    const Pending before = std::move(pending);
    pending.clear();
    auto merge = [&](const Pending& arm) {
      for (const auto& [symbol, candidate] : arm) {
        if (std::find(defined.begin(), defined.end(), symbol) != defined.end()) {
          pending[symbol] = {};
          continue;
        }
        const auto known = before.find(symbol);
        if (known != before.end() && known->second == candidate) {
          pending.try_emplace(symbol, candidate);
          continue;
        }
        const bool elsewhere =
            known != before.end() ||
            (first_falls && second_falls && first.contains(symbol) && second.contains(symbol));
        // Needed in one arm alone: saved there. In both, or before as well: once, behind the
        // branch.
        pending[symbol] = elsewhere ? Candidate{position(block, k + 1), depth} : candidate;
      }
    };
    if (first_falls) merge(first);
    if (second_falls) merge(second);
    return first_falls || second_falls || branch->orelse.empty();
  }

  void walk_loop(Block block, std::size_t k, const Stmt* loop, Pending& pending, int depth) {
    const auto* counted = as<For>(loop);
    const Block body = counted != nullptr ? counted->body : static_cast<const While*>(loop)->body;
    std::vector<Symbol> inside;
    for (const Stmt* statement : body) definitions(statement, inside);
    std::vector<Symbol> defined = inside;
    if (const auto plan = plan_.loops.find(loop); plan != plan_.loops.end()) {
      if (plan->second.count) defined.push_back(plan->second.count);
      if (plan->second.exit) defined.push_back(plan->second.exit);
    }
    if (counted != nullptr)
      for_each_target(counted->target, [&](Symbol symbol) { defined.push_back(symbol); });
    for (const Symbol symbol : defined) overwrite(symbol, position(block, k), depth, pending);

    Pending inner;
    exits_.emplace_back();
    const bool falls = walk(body, inner, depth + 1);
    const std::vector<Pending> exits = std::move(exits_.back());
    exits_.pop_back();
    if (falls) {
      // The next iteration writes these again; the loop's own target comes with the iteration.
      for (const Symbol symbol : inside) {
        const auto found = inner.find(symbol);
        if (found != inner.end()) overwrite(symbol, position(body, body.size()), depth + 1, inner);
      }
      leave(inner, defined, block, k, pending, depth);
    }
    for (const Pending& exit : exits) leave(exit, defined, block, k, pending, depth);
  }

  // Needs inside a loop, seen from behind it.
  void leave(const Pending& inner, const std::vector<Symbol>& defined, Block block, std::size_t k,
             Pending& pending, int depth) {
    for (const auto& [symbol, candidate] : inner) {
      const bool own = std::find(defined.begin(), defined.end(), symbol) != defined.end();
      if (!own) {
        pending[symbol] = {position(block, k + 1), depth};
      } else if (candidate.at.block == nullptr || !is_saved(candidate.at, symbol)) {
        pending[symbol] = {};  // of the cut iteration: still in its variable
      }
    }
  }

  const Plan& plan_;
  NamePool& names_;
  Saves saves_;
  std::vector<std::vector<Pending>> exits_;
  PairId next_pair_ = 1;
};

}  // namespace

Saves find_saves(Block body, const Plan& plan, NamePool& names) {
  return Saver(plan, names).run(body);
}

}  // namespace tangent
