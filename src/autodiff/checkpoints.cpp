// Which loops keep snapshots, and of what; see checkpoints.h.
#include "autodiff/checkpoints.h"

#include "analysis/effects.h"
#include "analysis/variables.h"
#include "syntax/as_written.h"

namespace tangent {

namespace {

using Names = std::unordered_set<Symbol>;

bool is_loop(const Stmt* statement) { return is<For>(statement) || is<While>(statement); }

Block body_of_loop(const Stmt* loop) {
  const auto* counted = as<For>(loop);
  return counted != nullptr ? counted->body : static_cast<const While*>(loop)->body;
}

// What running a loop again takes.
struct Rerun {
  Names defined;              // what an iteration gives a value
  std::vector<Symbol> state;  // of these what an iteration reads of an earlier one
  std::vector<Symbol> reads;  // of what stands before the loop
  std::unordered_set<const Stmt*> dropped;
  std::unordered_set<const Stmt*> hoists_only;
};

// What is needed of an iteration, backwards; what that takes; what of it comes from before.
class RerunAnalysis {
 public:
  RerunAnalysis(const Stmt* loop, const Plan& plan, const std::vector<Symbol>& at_end)
      : loop_(loop), plan_(plan), at_end_(at_end.begin(), at_end.end()) {}

  Rerun run() {
    const Block body = body_of_loop(loop_);
    find_defined(body);
    if (const auto* counted = as<For>(loop_))
      for_each_target(counted->target, [&](Symbol symbol) { rerun_.defined.insert(symbol); });
    relevant_ = at_end_;
    find_needs(body);
    for (std::size_t before = relevant_.size() + 1; before != relevant_.size();) {
      before = relevant_.size();
      follow(body);
    }
    find_dropped(body);
    Names head = at_end_;
    for (std::size_t before = head.size() + 1; before != head.size();) {
      before = head.size();
      Names live = head;
      exits_.push_back(at_end_);
      live_before(body, live);
      exits_.pop_back();
      if (const auto* counted = as<For>(loop_))
        for_each_target(counted->target, [&](Symbol symbol) { live.erase(symbol); });
      head.insert(live.begin(), live.end());
    }
    // In the order in which they stand in the text.
    Names seen;
    const auto take = [&](Symbol symbol) {
      if (!head.contains(symbol) || !seen.insert(symbol).second) return;
      (rerun_.defined.contains(symbol) ? rerun_.state : rerun_.reads).push_back(symbol);
    };
    find_node(loop_, [&](const Node* node) {
      if (const auto* name = as<Name>(node)) take(name->symbol);
      return false;
    });
    return std::move(rerun_);
  }

 private:
  void find_defined(Block block) {
    for (const Stmt* statement : block) {
      for_each_definition(statement, [&](Symbol symbol) { rerun_.defined.insert(symbol); });
      find_seen(statement);
    }
  }

  // Names that see a store by another one.
  void find_seen(const Stmt* statement) {
    if (const auto found = plan_.also_changed.find(statement); found != plan_.also_changed.end())
      rerun_.defined.insert(found->second.begin(), found->second.end());
    for_each_child(*statement, [&](const Node* child) {
      if (is_statement(child->kind)) find_seen(static_cast<const Stmt*>(child));
    });
  }

  const std::vector<Symbol>* needs_at(Block block, std::size_t index) const {
    if (block.empty()) return nullptr;
    const auto found = plan_.needs.find(key_of(block));
    return found != plan_.needs.end() && index < found->second.size() ? &found->second[index]
                                                                      : nullptr;
  }

  template <class F>
  void for_each_block(const Stmt* statement, F&& f) const {
    if (const auto* branch = as<If>(statement)) {
      f(branch->body);
      f(branch->orelse);
    } else if (is_loop(statement)) {
      f(body_of_loop(statement));
    }
  }

  void find_needs(Block block) {
    for (std::size_t k = 0; k <= block.size(); ++k) {
      if (const auto* needs = needs_at(block, k)) relevant_.insert(needs->begin(), needs->end());
      if (k < block.size()) for_each_block(block[k], [&](Block inner) { find_needs(inner); });
    }
  }

  void read(const Node* node) {
    for_each_read(node, [&](Symbol symbol) { relevant_.insert(symbol); });
  }

  bool has_relevant_hoist(const Stmt* statement) const {
    const auto plan = plan_.statements.find(statement);
    return plan != plan_.statements.end() &&
           std::ranges::any_of(plan->second.hoists,
                               [&](const Hoist& hoist) { return relevant_.contains(hoist.name); });
  }

  bool is_relevant(const Stmt* statement) const {
    return has_relevant_hoist(statement) || is_needed_itself(statement);
  }

  // For more than what is hoisted out of it.
  bool is_needed_itself(const Stmt* statement) const {
    if (is<Break>(statement)) return true;
    bool found = false;
    if (is<If>(statement) || is_loop(statement)) {
      // What the backward part goes through has tapes, whatever they are for.
      if (plan_.reversed.contains(statement)) return true;
      for_each_block(statement, [&](Block block) {
        found = found ||
                std::ranges::any_of(block, [&](const Stmt* inner) { return is_relevant(inner); });
      });
      if (const auto* loop = as<For>(statement))
        for_each_target(loop->target,
                        [&](Symbol symbol) { found = found || relevant_.contains(symbol); });
      const auto exits = plan_.loops.find(statement);
      if (exits != plan_.loops.end()) {
        found = found || relevant_.contains(exits->second.count) ||
                relevant_.contains(exits->second.exit);
      }
      return found;
    }
    for_each_definition(statement,
                        [&](Symbol symbol) { found = found || relevant_.contains(symbol); });
    return found;
  }

  bool is_hoists_only(const Stmt* statement) const {
    return !is<If>(statement) && !is_loop(statement) && !is_needed_itself(statement);
  }

  // What the relevant statements read is relevant.
  void follow(Block block) {
    for (const Stmt* statement : block) {
      if (!is_relevant(statement)) continue;
      if (const auto plan = plan_.statements.find(statement); plan != plan_.statements.end()) {
        for (const Hoist& hoist : plan->second.hoists) read(hoist.value);
      }
      if (is_hoists_only(statement)) continue;
      if (const auto* branch = as<If>(statement)) {
        read(branch->test);
      } else if (const auto* loop = as<For>(statement)) {
        read(loop->iterable);
      } else if (const auto* repeat = as<While>(statement)) {
        read(repeat->test);
      } else {
        for_each_child(*statement, [&](const Node* child) { read(child); });
      }
      for_each_block(statement, [&](Block inner) { follow(inner); });
    }
  }

  void find_dropped(Block block) {
    for (const Stmt* statement : block) {
      if (!is_relevant(statement)) {
        rerun_.dropped.insert(statement);
      } else if (is_hoists_only(statement)) {
        rerun_.hoists_only.insert(statement);
      }
      for_each_block(statement, [&](Block inner) { find_dropped(inner); });
    }
  }

  void add_needs(Block block, std::size_t index, Names& live) const {
    if (const auto* needs = needs_at(block, index)) live.insert(needs->begin(), needs->end());
  }

  static void add_reads(const Node* node, Names& live) {
    for_each_read(node, [&](Symbol symbol) { live.insert(symbol); });
  }

  void live_before(Block block, Names& live) {
    for (std::size_t k = block.size(); k-- > 0;) {
      add_needs(block, k + 1, live);
      if (!rerun_.dropped.contains(block[k])) live_before(block[k], live);
    }
    add_needs(block, 0, live);
  }

  void live_before(const Stmt* statement, Names& live) {
    if (is<Break>(statement)) {
      live = exits_.back();
      return;
    }
    if (rerun_.hoists_only.contains(statement)) return hoists_before(statement, live);
    if (const auto* branch = as<If>(statement)) {
      Names other = live;
      live_before(branch->body, live);
      live_before(branch->orelse, other);
      live.insert(other.begin(), other.end());
      add_reads(branch->test, live);
    } else if (is_loop(statement)) {
      const Names after = live;
      const auto* counted = as<For>(statement);
      if (counted == nullptr) add_reads(static_cast<const While*>(statement)->test, live);
      for (std::size_t before = live.size() + 1; before != live.size();) {
        before = live.size();
        Names inner = live;
        exits_.push_back(after);
        live_before(body_of_loop(statement), inner);
        exits_.pop_back();
        if (counted != nullptr)
          for_each_target(counted->target, [&](Symbol symbol) { inner.erase(symbol); });
        live.insert(inner.begin(), inner.end());
      }
      if (counted != nullptr) add_reads(counted->iterable, live);
    } else if (const auto* assign = as<Assign>(statement)) {
      if (is<Subscript>(assign->targets[0])) {
        add_reads(assign->targets[0], live);
      } else {
        for_each_target(assign->targets[0], [&](Symbol symbol) { live.erase(symbol); });
      }
      add_reads(assign->value, live);
    } else {
      for_each_child(*statement, [&](const Node* child) { add_reads(child, live); });
    }
    hoists_before(statement, live);
  }

  void hoists_before(const Stmt* statement, Names& live) const {
    const auto plan = plan_.statements.find(statement);
    if (plan == plan_.statements.end()) return;
    for (const Hoist& hoist : plan->second.hoists) {
      live.erase(hoist.name);
      add_reads(hoist.value, live);
    }
  }

  const Stmt* loop_;
  const Plan& plan_;
  Names at_end_;
  Names relevant_;
  std::vector<Names> exits_;
  Rerun rerun_;
};

// --- which loops

class Chooser {
 public:
  Chooser(const TypedFunction& typed, const ReverseResult& reverse, const Saves& saves,
          const CheckpointOptions& options, const std::vector<SourceRange>& forced, RuleBook& rules)
      : typed_(typed),
        plan_(reverse.plan),
        saves_(saves),
        options_(options),
        forced_(forced),
        effects_([&](const Expr* expression) { return typed.type_of(expression); }, rules) {}

  std::unordered_set<std::size_t> run() {
    const std::vector<const Stmt*> loops = loops_of(typed_.body);
    for (std::size_t k = 0; k < loops.size(); ++k) numbers_.emplace(loops[k], k);
    Names bound;
    for (const Parameter* parameter : typed_.core->parameters) bound.insert(parameter->name);
    walk(typed_.body, bound);
    return std::move(chosen_);
  }

 private:
  void walk(Block block, Names& bound) {
    for (const Stmt* statement : block) {
      if (const auto* branch = as<If>(statement)) {
        Names other = bound;
        walk(branch->body, bound);
        walk(branch->orelse, other);
        std::erase_if(bound, [&](Symbol symbol) { return !other.contains(symbol); });
      } else if (is_loop(statement)) {
        if (is_wanted(statement, bound)) {
          chosen_.insert(numbers_.at(statement));
        } else {
          Names inside = bound;
          if (const auto* counted = as<For>(statement))
            for_each_target(counted->target, [&](Symbol symbol) { inside.insert(symbol); });
          walk(body_of_loop(statement), inside);
        }
      } else {
        for_each_definition(statement, [&](Symbol symbol) { bound.insert(symbol); });
      }
    }
  }

  bool is_wanted(const Stmt* loop, const Names& bound) {
    const bool forced = is_forced(loop);
    if (!forced && (!options_.enabled || is_short(loop))) return false;
    if (!plan_.reversed.contains(loop) || !uses_tapes(body_of_loop(loop))) return false;
    const std::string obstacle = obstacle_of(loop, bound);
    if (obstacle.empty()) return true;
    if (forced) {
      throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                       "this loop cannot be run again: " + obstacle, loop->ranges,
                       "move that out of the loop, or take the loop out of the `with`");
    }
    return false;
  }

  bool is_forced(const Stmt* loop) const {
    if (loop->ranges.empty()) return false;
    return std::ranges::any_of(loop->ranges, [&](const SourceRange& place) {
      return std::ranges::any_of(forced_, [&](const SourceRange& around) {
        return place.file == around.file && !is_after(around, place) &&
               (place.end_line < around.end_line ||
                (place.end_line == around.end_line && place.end_column <= around.end_column));
      });
    });
  }

  // Of a number of steps that is known, and small.
  bool is_short(const Stmt* loop) const {
    const auto* counted = as<For>(loop);
    if (counted == nullptr) return false;
    const auto* call = as<Call>(counted->iterable);
    if (call == nullptr) {
      const auto* display = as<TupleDisplay>(counted->iterable);
      const auto* list = as<ListDisplay>(counted->iterable);
      const std::size_t length = display != nullptr ? display->elements.size()
                                 : list != nullptr  ? list->elements.size()
                                                    : std::size_t(options_.min_length);
      return static_cast<std::int64_t>(length) < options_.min_length;
    }
    if (call->callee.text() != "builtins.range") return false;
    std::vector<std::int64_t> values;
    for (const Expr* argument : call->arguments) {
      const auto value = integer_literal(argument);
      if (!value) return false;
      values.push_back(*value);
    }
    const std::int64_t start = values.size() > 1 ? values[0] : 0;
    const std::int64_t stop = values.size() > 1 ? values[1] : values[0];
    const std::int64_t step = values.size() > 2 ? values[2] : 1;
    if (step == 0) return false;
    const std::int64_t length = std::max<std::int64_t>(
        0, step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step);
    return length < options_.min_length;
  }

  bool uses_tapes(Block block) const {
    for (std::size_t k = 0; k <= block.size(); ++k) {
      if (!block.empty()) {
        const auto& saves = saves_.find({key_of(block), static_cast<std::uint32_t>(k)});
        if (std::ranges::any_of(saves, &Save::tape)) return true;
      }
      if (k == block.size()) break;
      if (const auto* branch = as<If>(block[k])) {
        if (uses_tapes(branch->body) || uses_tapes(branch->orelse)) return true;
      } else if (is_loop(block[k]) && uses_tapes(body_of_loop(block[k]))) {
        return true;
      }
    }
    return false;
  }

  // Why a loop cannot be run again; empty: it can.
  std::string obstacle_of(const Stmt* loop, const Names& bound) {
    if (const auto* counted = as<For>(loop)) {
      if (std::string found = obstacle_of_items(counted); !found.empty()) return found;
    }
    const Rerun rerun = RerunAnalysis(loop, plan_, {}).run();
    if (std::string found = obstacle_in(body_of_loop(loop), rerun); !found.empty()) return found;
    for (const Symbol symbol : rerun.state) {
      const std::string name = "`" + std::string(symbol.text()) + "`";
      if (!bound.contains(symbol)) return name + " may have no value before it";
      const auto known = typed_.variables.find(symbol);
      const Type type = known != typed_.variables.end() ? known->second : Type::unknown();
      const bool changed_list = plan_.changed_lists.contains(symbol);
      if (changed_list && type.kind != TypeKind::List) return name + " is changed in place";
      if (changed_list && std::ranges::any_of(type.elements, [](const Type& element) {
            return !element.is_numeric();
          }))
        return name + " is a list of what may change itself";
      const bool written = plan_.written.contains(symbol) && !changed_list;
      if (written && !type.is_numeric()) return name + " is changed in place";
    }
    return {};
  }

  // A loop over a range, or over what can be counted.
  std::string obstacle_of_items(const For* loop) const {
    const auto name_of = [](const Expr* value) {
      const auto* call = as<Call>(value);
      return call != nullptr ? call->callee.text() : std::string_view();
    };
    const auto is_sequence = [&](const Expr* value) {
      const Type type = typed_.type_of(value);
      return (type.is_array() || type.kind == TypeKind::List || type.kind == TypeKind::Tuple) &&
             !name_of(value).starts_with("builtins.");
    };
    const Expr* items = loop->iterable;
    const Expr* target = loop->target;
    std::string text = "it runs over what has no length, or is no sequence";
    if (name_of(items) == "builtins.range") {
      return is<Name>(target) ? std::string() : text;
    }
    if (name_of(items) == "builtins.enumerate") {
      const auto* call = static_cast<const Call*>(items);
      const auto* pair = as<TupleDisplay>(target);
      if (pair == nullptr || pair->elements.size() != 2 || call->arguments.empty() ||
          !call->keywords.empty())
        return text;
      items = call->arguments[0];
      target = pair->elements[1];
    }
    if (name_of(items) == "builtins.zip") {
      const auto* call = static_cast<const Call*>(items);
      const auto* parts = as<TupleDisplay>(target);
      if (parts == nullptr || parts->elements.size() != call->arguments.size() ||
          !call->keywords.empty())
        return text;
      for (const Expr* argument : call->arguments) {
        if (name_of(argument) != "builtins.range" && !is_sequence(argument)) return text;
      }
      return {};
    }
    return is_sequence(items) ? std::string() : text;
  }

  std::string obstacle_in(Block block, const Rerun& rerun) {
    for (const Stmt* statement : block) {
      if (rerun.dropped.contains(statement)) continue;
      if (pair_call(statement) != nullptr) return "it calls a function that calls itself";
      bool pure = true;
      if (const ListChange change = list_change(statement)) {
        pure = change.item == nullptr || effects_.is_pure(change.item);
      } else if (const auto* branch = as<If>(statement)) {
        pure = effects_.is_pure(branch->test);
      } else if (const auto* loop = as<For>(statement)) {
        pure = effects_.is_pure(loop->iterable);
      } else if (const auto* repeat = as<While>(statement)) {
        pure = effects_.is_pure(repeat->test);
      } else {
        for_each_child(*statement,
                       [&](const Node* child) { pure = pure && effects_.is_pure(child); });
      }
      if (!pure)
        return "it draws random numbers, or calls what is not known to give the same again";
      std::string found;
      if (const auto* branch = as<If>(statement)) {
        found = obstacle_in(branch->body, rerun);
        if (found.empty()) found = obstacle_in(branch->orelse, rerun);
      } else if (is_loop(statement)) {
        found = obstacle_in(body_of_loop(statement), rerun);
      }
      if (!found.empty()) return found;
    }
    return {};
  }

  const TypedFunction& typed_;
  const Plan& plan_;
  const Saves& saves_;
  const CheckpointOptions& options_;
  const std::vector<SourceRange>& forced_;
  Effects effects_;
  std::unordered_map<const Stmt*, std::size_t> numbers_;
  std::unordered_set<std::size_t> chosen_;
};

void collect_loops(Block block, std::vector<const Stmt*>& found) {
  for (const Stmt* statement : block) {
    if (const auto* branch = as<If>(statement)) {
      collect_loops(branch->body, found);
      collect_loops(branch->orelse, found);
    } else if (is_loop(statement)) {
      found.push_back(statement);
      collect_loops(body_of_loop(statement), found);
    }
  }
}

void plan_snapshots_in(Block block, bool in_loop, ReverseResult& reverse, NamePool& names,
                       PairId& pair) {
  Plan& plan = reverse.plan;
  for (std::size_t k = 0; k < block.size(); ++k) {
    const Stmt* statement = block[k];
    if (const auto* branch = as<If>(statement)) {
      plan_snapshots_in(branch->body, in_loop, reverse, names, pair);
      plan_snapshots_in(branch->orelse, in_loop, reverse, names, pair);
    }
    if (!is_loop(statement)) continue;
    const auto found = plan.checkpoints.find(statement);
    if (found == plan.checkpoints.end()) {
      plan_snapshots_in(body_of_loop(statement), true, reverse, names, pair);
      continue;
    }
    CheckpointPlan& checkpoint = found->second;
    std::vector<Symbol> at_end;
    if (const auto needs = plan.needs.find(key_of(checkpoint.inside)); needs != plan.needs.end()) {
      for (const std::vector<Symbol>& symbols : needs->second)
        at_end.insert(at_end.end(), symbols.begin(), symbols.end());
    }
    Rerun rerun = RerunAnalysis(statement, plan, at_end).run();
    const Position after{key_of(block), static_cast<std::uint32_t>(k + 1)};
    // A list that is thinned is that of one run of the loop, any other a stack of all of them.
    const bool runs = checkpoint.thinned && in_loop;
    if (runs) checkpoint.each = names.fresh("snapshot");
    for (const Symbol symbol : rerun.state) {
      const bool list = plan.changed_lists.contains(symbol);
      const std::string wish = std::string(symbol.text()) + "_snapshots";
      const Symbol run = runs ? names.fresh(wish) : Symbol();
      const Symbol storage = names.fresh(runs ? wish + "_tape" : wish);
      checkpoint.state.push_back({.variable = symbol,
                                  .list = storage,
                                  .run = run,
                                  .copy = !list && plan.written.contains(symbol),
                                  .copy_list = list,
                                  .pair = pair++,
                                  .run_pair = pair++});
      if (checkpoint.thinned && !runs) plan.need(after, storage);
    }
    for (const Symbol symbol : rerun.reads) plan.need(after, symbol);
    checkpoint.dropped = std::move(rerun.dropped);
    checkpoint.hoists_only = std::move(rerun.hoists_only);
  }
}

}  // namespace

std::vector<const Stmt*> loops_of(Block body) {
  std::vector<const Stmt*> found;
  collect_loops(body, found);
  return found;
}

std::unordered_set<std::size_t> choose_checkpoints(const TypedFunction& typed,
                                                   const ReverseResult& reverse, const Saves& saves,
                                                   const CheckpointOptions& options,
                                                   const std::vector<SourceRange>& forced,
                                                   RuleBook& rules) {
  return Chooser(typed, reverse, saves, options, forced, rules).run();
}

void plan_snapshots(Block body, ReverseResult& reverse, NamePool& names) {
  // Tapes have numbers of their own, from 1.
  PairId pair = PairId{1} << 30U;
  plan_snapshots_in(body, false, reverse, names, pair);
}

}  // namespace tangent
