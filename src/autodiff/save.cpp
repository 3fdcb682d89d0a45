// One walk forwards with the values that are needed and still in their variables; see save.h.
#include "autodiff/save.h"

namespace tangent {

namespace {

// A place to save a value, and how many loops it stands in.
struct Place {
  Position at;
  int depth = 0;
  bool operator==(const Place&) const = default;
};

// A value that is needed and still in its variable. It is saved at each of these places: one, or
// one in each arm of a branch; or where the variable is written next, if it has one value there on
// every path.
struct Candidate {
  std::vector<Place> places;
  bool where_written = false;

  void add(const Candidate& other) {
    for (const Place& place : other.places) {
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    where_written = where_written || other.where_written;
  }
  bool operator==(const Candidate&) const = default;
};
using Pending = std::unordered_map<Symbol, Candidate>;

class Saver {
 public:
  Saver(const Plan& plan, NamePool& names, const std::function<bool(Symbol)>& leaves_out = {})
      : plan_(plan), names_(names), leaves_out_(leaves_out) {}

  Saves run(Block body) {
    find_partial(body);
    Pending pending;
    walk(body, pending, 0);
    return std::move(saves_);
  }

 private:
  // What may have no value is read by a statement of its own first (lower/unbound.h).
  void find_partial(Block block) {
    for (const Stmt* statement : block) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* read = as<ExpressionStatement>(&node);
        const auto* name = read != nullptr ? as<Name>(read->value) : nullptr;
        if (name != nullptr) partial_.insert(name->symbol);
      });
    }
  }

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
    if (const auto checkpoint = plan_.checkpoints.find(statement);
        checkpoint != plan_.checkpoints.end()) {
      checkpoint->second.for_each_definition([&](Symbol symbol) { found.push_back(symbol); });
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
      const auto seen = plan_.also_changed.find(statement);
      if (seen != plan_.also_changed.end())
        found.insert(found.end(), seen->second.begin(), seen->second.end());
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
    const Candidate candidate = std::move(found->second);
    pending.erase(found);
    // As late as possible in the block of the last use: an iteration that is cut before saves
    // nothing.
    const bool same_block =
        candidate.places.size() == 1 && candidate.places[0].at.block == here.block;
    if (candidate.where_written || same_block) return save(variable, {here, depth});
    for (const Place& place : candidate.places) save(variable, place);
  }

  void save(Symbol variable, Place place) {
    if (is_saved(place.at, variable) || (leaves_out_ && leaves_out_(variable))) return;
    auto& by_index = saves_.at[place.at.block];
    if (by_index.size() <= place.at.index) by_index.resize(place.at.index + 1);
    const bool tape = place.depth > 0;
    const std::string text(variable.text());
    const bool of_tapes = text.ends_with("_tape");
    const Symbol storage = names_.fresh(tape ? text + (of_tapes ? "s" : "_tape") : "old_" + text);
    by_index[place.at.index].push_back({variable, storage, tape, plan_.written.contains(variable),
                                        plan_.changed_lists.contains(variable), next_pair_++});
  }

  // Whether a value that waits to be saved has been saved already, at every place that it could be.
  bool is_saved(const Candidate& candidate, Symbol variable) const {
    return !candidate.where_written && !candidate.places.empty() &&
           std::all_of(candidate.places.begin(), candidate.places.end(),
                       [&](const Place& place) { return is_saved(place.at, variable); });
  }

  // Whether the end of the block is reached.
  bool walk(Block block, Pending& pending, int depth) {
    const auto needs = plan_.needs.find(key_of(block));
    for (std::size_t k = 0; k <= block.size(); ++k) {
      const Position here = position(block, k);
      if (!block.empty() && needs != plan_.needs.end() && k < needs->second.size()) {
        for (const Symbol symbol : needs->second[k]) pending[symbol] = at(here, depth);
      }
      if (k == block.size()) break;
      const Stmt* statement = block[k];
      if (is<Break>(statement)) {
        leave_by(static_cast<const Break*>(statement), block, k, depth, pending);
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
      std::vector<Symbol> defined;
      definitions(statement, defined);
      for (const Symbol symbol : defined) overwrite(symbol, here, depth, pending);
    }
    return true;
  }

  static Candidate at(Position position, int depth) {
    Candidate candidate;
    candidate.places.push_back({position, depth});
    return candidate;
  }

  // What the cut iteration needs is saved where it is cut, if it has to be saved at all. What only
  // arms of the exit's own block need is saved there: the others may not have assigned it.
  void leave_by(const Break* exit, Block block, std::size_t k, int depth, const Pending& pending) {
    const Loop& loop = loops_.back();
    if (std::find(loop.undone.begin(), loop.undone.end(), exit) == loop.undone.end()) return;
    Pending left = pending;
    std::unordered_set<BlockKey> arms;
    collect_arms(block, arms);
    for (auto& [symbol, candidate] : left) {
      const bool of_arms = !candidate.where_written && !candidate.places.empty() &&
                           std::ranges::all_of(candidate.places, [&](const Place& place) {
                             return place.depth == depth && arms.contains(place.at.block);
                           });
      if (!of_arms) candidate = at(position(block, k), depth);
    }
    loops_.back().exits.push_back({pending, std::move(left)});
  }

  // The arms of the branches in a block, at any depth.
  static void collect_arms(Block block, std::unordered_set<BlockKey>& arms) {
    for (const Stmt* statement : block) {
      const auto* branch = as<If>(statement);
      if (branch == nullptr) continue;
      for (const Block arm : {branch->body, branch->orelse}) {
        if (arm.empty()) continue;
        arms.insert(key_of(arm));
        collect_arms(arm, arms);
      }
    }
  }

  bool walk_if(Block block, std::size_t k, const If* branch, Pending& pending, int depth) {
    Pending first = pending;
    Pending second = pending;
    const bool first_falls = walk(branch->body, first, depth);
    // What the first arm saved where both arms come from is saved for both.
    auto drop_saved = [&](Pending& set) {
      std::erase_if(set, [&](const auto& entry) { return is_saved(entry.second, entry.first); });
    };
    drop_saved(second);
    const bool second_falls = walk(branch->orelse, second, depth);
    drop_saved(first);
    std::vector<Symbol> defined;
    definitions(branch, defined);
    const Pending before = std::move(pending);
    pending.clear();
    auto merge = [&](const Pending& arm, const Pending& other, bool other_falls) {
      for (const auto& [symbol, candidate] : arm) {
        const auto known = before.find(symbol);
        const bool unchanged = known != before.end() && known->second == candidate;
        const bool written = std::find(defined.begin(), defined.end(), symbol) != defined.end();
        // Needed in one arm alone, or with another value in each: saved there. The same value in
        // both, or before as well: once, behind the branch, if it has a value there.
        const bool partial = partial_.contains(symbol);
        if (!unchanged && !written && !partial &&
            (known != before.end() || (other_falls && other.contains(symbol)))) {
          pending[symbol] = at(position(block, k + 1), depth);
        } else {
          pending[symbol].add(candidate);
          if (partial && !written && known != before.end()) pending[symbol].add(known->second);
        }
      }
    };
    if (first_falls) merge(first, second, second_falls);
    if (second_falls) merge(second, first, first_falls);
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
    const auto checkpoint = plan_.checkpoints.find(loop);
    const bool stretches = checkpoint != plan_.checkpoints.end();
    if (stretches)
      checkpoint->second.for_each_definition([&](Symbol symbol) { defined.push_back(symbol); });
    for (const Symbol symbol : defined) overwrite(symbol, position(block, k), depth, pending);

    Pending inner;
    loops_.emplace_back();
    std::size_t end = body.size();
    if (const auto plan = plan_.loops.find(loop); plan != plan_.loops.end()) {
      loops_.back().undone = plan->second.undone;
      if (plan->second.ends_at_exit) --end;
    }
    // What one step alone keeps is kept under names.
    const bool one_step = stretches && checkpoint->second.one_step;
    const bool falls = walk(body, inner, one_step ? 0 : depth + 1);
    const std::vector<Exit> exits = std::move(loops_.back().exits);
    loops_.pop_back();
    if (falls && !one_step) {
      // The next iteration writes these again; the loop's own target comes with the iteration.
      for (const Symbol symbol : inside) {
        const auto found = inner.find(symbol);
        if (found != inner.end()) overwrite(symbol, position(body, end), depth + 1, inner);
      }
    }
    if (falls) {
      if (counted != nullptr) {
        for_each_target(counted->target, [&](Symbol symbol) { inner.erase(symbol); });
      }
      leave(inner, defined, block, k, pending, depth, stretches);
    }
    if (stretches) {
      // What a stretch reads where it is done: what it defines itself is there.
      const auto needs = plan_.needs.find(key_of(checkpoint->second.inside));
      for (const std::vector<Symbol>& symbols :
           needs != plan_.needs.end() ? needs->second : std::vector<std::vector<Symbol>>()) {
        for (const Symbol symbol : symbols) {
          if (std::find(defined.begin(), defined.end(), symbol) == defined.end())
            pending[symbol] = at(position(block, k + 1), depth);
        }
      }
    }
    for (const Exit& exit : exits) {
      // What was saved where it was needed is not needed behind the loop.
      Pending left;
      for (const auto& [symbol, candidate] : exit.at_exit) {
        if (!is_saved(exit.pending.at(symbol), symbol)) left.emplace(symbol, candidate);
      }
      leave(left, defined, block, k, pending, depth, stretches);
    }
  }

  // Needs inside a loop, seen from behind it. A loop that is run again leaves its own values again.
  void leave(const Pending& inner, const std::vector<Symbol>& defined, Block block, std::size_t k,
             Pending& pending, int depth, bool again) {
    for (const auto& [symbol, candidate] : inner) {
      const bool own = std::find(defined.begin(), defined.end(), symbol) != defined.end();
      if (!own) {
        pending[symbol] = at(position(block, k + 1), depth);
      } else if (!again) {
        pending[symbol].add(candidate);  // of the cut iteration
      }
    }
  }

  struct Exit {
    Pending pending;  // as the iteration knew it
    Pending at_exit;  // the same, to be saved at the exit
  };
  struct Loop {
    std::vector<const Break*> undone;
    std::vector<Exit> exits;
  };

  const Plan& plan_;
  NamePool& names_;
  std::function<bool(Symbol)> leaves_out_;
  std::unordered_set<Symbol> partial_;  // names that do not have a value on every path
  Saves saves_;
  std::vector<Loop> loops_;
  PairId next_pair_ = 1;
};

}  // namespace

Saves find_saves(Block body, const Plan& plan, NamePool& names) {
  return Saver(plan, names).run(body);
}

Saves save_everything(Block body, const Plan& plan, NamePool& names,
                      const std::function<bool(Symbol)>& is_plain) {
  Saves saves = Saver(plan, names, is_plain).run(body);
  PairId next_pair = 1;
  for (const auto& [block, by_index] : saves.at) {
    for (const std::vector<Save>& at : by_index) next_pair += static_cast<PairId>(at.size());
  }
  const auto save_block = [&](const auto& self, Block block) -> void {
    const auto needs = plan.needs.find(key_of(block));
    if (!block.empty() && needs != plan.needs.end()) {
      auto& at = saves.at[key_of(block)];
      at.resize(std::max(at.size(), needs->second.size()));
      for (std::size_t k = 0; k < needs->second.size(); ++k) {
        for (const Symbol variable : needs->second[k]) {
          const bool known = std::ranges::any_of(
              at[k], [&](const Save& save) { return save.variable == variable; });
          if (known || !is_plain(variable)) continue;
          const Symbol tape = names.fresh(std::string(variable.text()) + "_tape");
          at[k].push_back({variable, tape, true, plan.written.contains(variable),
                           plan.changed_lists.contains(variable), next_pair++});
        }
      }
    }
    for (const Stmt* statement : block) {
      if (const auto* branch = as<If>(statement)) {
        self(self, branch->body);
        self(self, branch->orelse);
      } else if (const auto* loop = as<For>(statement)) {
        self(self, loop->body);
      } else if (const auto* repeat = as<While>(statement)) {
        self(self, repeat->body);
      }
    }
  };
  save_block(save_block, body);
  return saves;
}

}  // namespace tangent
