// `try` again (attempts.h).
#include "emit/attempts.h"

#include <algorithm>
#include <optional>

#include "analysis/variables.h"
#include "base/diagnostics.h"
#include "syntax/attempts.h"
#include "syntax/places.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

using Statements = std::vector<const Stmt*>;

// What a statement without blocks adds to the variables that are read later, and takes away.
void pass_back(const Stmt* statement, Variables& variables, VariableSet& live) {
  const auto read = [&](const Node* node) {
    for_each_read(node, [&](Symbol symbol) { live.add(variables.number(symbol)); });
  };
  if (const auto* assign = as<Assign>(statement)) {
    const Expr* target = assign->targets[0];
    if (is<Subscript>(target)) {
      read(target);
    } else {
      for_each_target(target, [&](Symbol symbol) { live.remove(variables.number(symbol)); });
    }
    return read(assign->value);
  }
  for_each_child(*statement, read);
}

bool cannot_raise(const Expr* value) {
  return find_node(value, [](const Node* node) {
           return !is<Name>(node) && !is<Constant>(node) && !is<TupleDisplay>(node) &&
                  !is<ListDisplay>(node);
         }) == nullptr;
}

class AttemptSpeller {
 public:
  AttemptSpeller(NamePool& names, Context& context) : names_(names), context_(context) {}

  Block run(Block body) {
    const bool found = std::ranges::any_of(body, [](const Stmt* statement) {
      return find_node(statement, [](const Node* node) {
               const auto* call = as<Call>(node);
               return call != nullptr && call->callee.text() == kAttempt;
             }) != nullptr;
    });
    if (!found) return body;
    for (const Stmt* statement : body) count_names(statement, uses_);
    return block(body, VariableSet(), false);
  }

 private:
  struct Uses {
    int reads = 0;
    int writes = 0;
  };

  static void count_names(const Stmt* statement, std::unordered_map<Symbol, Uses>& uses) {
    for_each_node(*statement, [&](const Node& node) {
      if (const auto* name = as<Name>(&node)) ++uses[name->symbol].reads;
      if (const auto* augmented = as<AugmentedAssign>(&node)) {
        if (const auto* name = as<Name>(augmented->target)) ++uses[name->symbol].writes;
      }
      const Expr* target = target_of(node);
      if (target == nullptr) return;
      for (const Expr* element : parts_of_target(target)) {
        if (const auto* name = as<Name>(element)) {
          --uses[name->symbol].reads;
          ++uses[name->symbol].writes;
        }
      }
    });
  }

  // What may be read in front of statements, given what may be read behind them. All that a loop
  // names counts as read by it.
  VariableSet live_behind(std::span<const Stmt* const> rest, const VariableSet& end) {
    VariableSet live = end;
    for (std::size_t k = rest.size(); k-- > 0;) {
      if (is<Return>(rest[k]) || is<Raise>(rest[k])) live = VariableSet();
      if (is<Break>(rest[k])) {
        live = loop_exit_;
        continue;
      }
      if (is<If>(rest[k])) {
        const auto* branch = static_cast<const If*>(rest[k]);
        VariableSet taken = live_behind(branch->body, live);
        taken.join(live_behind(branch->orelse, live));
        for_each_read(branch->test, [&](Symbol symbol) { taken.add(variables_.number(symbol)); });
        live = taken;
      } else if (is<For>(rest[k]) || is<While>(rest[k])) {
        add_all(rest[k], live);
      } else {
        pass_back(rest[k], variables_, live);
      }
    }
    return live;
  }

  void add_all(const Stmt* statement, VariableSet& live) {
    for_each_node(*statement, [&](const Node& node) {
      if (const auto* name = as<Name>(&node)) live.add(variables_.number(name->symbol));
    });
  }

  Block block(Block statements, const VariableSet& end, bool in_loop) {
    Statements out;
    for (std::size_t k = 0; k < statements.size(); ++k) {
      const Stmt* statement = statements[k];
      const Call* call = call_of(statement, kAttempt);
      if (call == nullptr) {
        out.push_back(nested(statement, statements.subspan(k + 1), end, in_loop));
        continue;
      }
      const Symbol flag =
          static_cast<const Name*>(static_cast<const Assign*>(statement)->targets[0])->symbol;
      std::size_t at = k + 1;
      while (at < statements.size() && !is_of(statements[at], attempt_number(call), flag)) ++at;
      if (at == statements.size()) broken(statement);
      attempt(static_cast<const Assign&>(*statement), call, statements.subspan(k + 1, at - k - 1),
              static_cast<const If&>(*statements[at]), statements.subspan(at + 1), end, in_loop,
              out);
      k = at;
    }
    return context_.list(out);
  }

  const Stmt* nested(const Stmt* statement, Block rest, const VariableSet& end, bool in_loop) {
    if (const auto* branch = as<If>(statement)) {
      const VariableSet live = live_behind(rest, end);
      return with_blocks(context_, branch,
                         [&](Block inner) { return block(inner, live, in_loop); });
    }
    if (is<For>(statement) || is<While>(statement)) {
      const VariableSet exit = live_behind(rest, end);
      // What the next round reads, and what is read behind the loop.
      VariableSet live = exit;
      add_all(statement, live);
      const VariableSet outer = std::exchange(loop_exit_, exit);
      const Stmt* changed =
          with_blocks(context_, statement, [&](Block inner) { return block(inner, live, true); });
      loop_exit_ = outer;
      return changed;
    }
    return statement;
  }

  [[noreturn]] static void broken(const Node* where) {
    throw InternalError("an attempt without its branch: " + print(where));
  }

  static std::optional<std::size_t> end_in(Block arm, std::int64_t number) {
    for (std::size_t k = 0; k < arm.size(); ++k) {
      const Call* end = call_of(arm[k], kCompleted);
      if (end != nullptr && attempt_number(end) == number) return k;
    }
    return std::nullopt;
  }

  // The arm that is tried. One that ends in `raise` is never completed.
  static std::optional<bool> tried_arm(const If* branch, std::int64_t number, Symbol flag) {
    if (end_in(branch->body, number)) return true;
    if (end_in(branch->orelse, number)) return false;
    const auto taken = outcome_of_flag(branch->test, flag, 0);
    if (!taken) return std::nullopt;
    const Block arm = *taken ? branch->body : branch->orelse;
    return !arm.empty() && is<Raise>(arm.back()) ? taken : std::nullopt;
  }

  static bool is_of(const Stmt* statement, std::int64_t number, Symbol flag) {
    const auto* branch = as<If>(statement);
    return branch != nullptr && tried_arm(branch, number, flag);
  }

  void attempt(const Assign& flagged, const Call* call, Block between, const If& branch, Block rest,
               const VariableSet& end, bool in_loop, Statements& out) {
    const std::int64_t number = attempt_number(call);
    const Symbol flag = static_cast<const Name*>(flagged.targets[0])->symbol;
    const std::size_t handlers = call->arguments.size() - kAttemptClasses;
    const bool taken = *tried_arm(&branch, number, flag);
    const Block arm = taken ? branch.body : branch.orelse;
    const Block other = taken ? branch.orelse : branch.body;
    const std::size_t length = end_in(arm, number).value_or(arm.size());
    const VariableSet behind = live_behind(rest, end);

    Statements then;
    const Statements tried =
        settled(arm.first(length), arm, live_behind(other, behind), in_loop, then);
    const Block after = length < arm.size() ? arm.subspan(length + 1) : Block();
    for (const Stmt* it : block(after, behind, in_loop)) then.push_back(it);
    const Block failed = block(other, behind, in_loop);

    // What stands between reads the flag only to keep it.
    Statements keep;
    for (const Stmt* it : between) (mentions_flag(it, flag) ? keep : out).push_back(it);
    bool direct =
        keep.empty() && outcome_of_flag(branch.test, flag, 0) == std::optional<bool>(taken);
    std::vector<Statements> handled(handlers);
    for (std::size_t k = 0; k < handlers && direct; ++k) {
      direct = specialize(failed, flag, static_cast<std::int64_t>(k + 1), handled[k]);
    }
    const auto mentioned = [&](const Stmt* it) { return mentions_flag(it, flag); };
    const bool flag_is_read = !direct || uses_[flag].reads > count_flag(&branch, flag) ||
                              std::ranges::any_of(then, mentioned) ||
                              std::ranges::any_of(handled, [&](const Statements& one) {
                                return std::ranges::any_of(one, mentioned);
                              });
    if (flag_is_read) out.push_back(set(flag, 0, handlers, flagged.ranges));
    if (tried.empty()) {
      // Nothing is left that may raise.
      out.insert(out.end(), keep.begin(), keep.end());
      if (direct) {
        out.insert(out.end(), then.begin(), then.end());
      } else {
        out.push_back(rebuilt(branch, taken, then, failed));
      }
      return;
    }

    std::vector<const ExceptionHandler*> clauses;
    for (std::size_t k = 0; k < handlers; ++k) {
      const Expr* type = call->arguments[kAttemptClasses + k];
      Statements body;
      Symbol name;
      if (direct) {
        body = handled[k];
        name = name_of_caught(body, number);
      } else if (mentions_caught(failed, number)) {
        broken(&branch);
      }
      if (flag_is_read)
        body.insert(body.begin(),
                    set(flag, static_cast<std::int64_t>(k + 1), handlers, flagged.ranges));
      if (body.empty()) body.push_back(context_.make<Pass>(branch.ranges));
      clauses.push_back(context_.make<ExceptionHandler>(
          call->ranges, is<Constant>(type) ? nullptr : type, name, Block(context_.list(body))));
    }
    out.push_back(context_.make<Try>(branch.ranges, Block(context_.list(tried)),
                                     List<const ExceptionHandler*>(context_.list(clauses)),
                                     direct ? Block(context_.list(then)) : Block(), Block(),
                                     false));
    if (direct) return;
    out.insert(out.end(), keep.begin(), keep.end());
    out.push_back(rebuilt(branch, taken, then, failed));
  }

  const Stmt* rebuilt(const If& branch, bool taken, const Statements& then, Block failed) {
    Block first = context_.list(then);
    Block second = failed;
    if (!taken) std::swap(first, second);
    if (first.empty()) first = context_.list<const Stmt*>({context_.make<Pass>(branch.ranges)});
    return context_.make<If>(branch.ranges, branch.test, first, second);
  }

  static int count_flag(const Node* node, Symbol flag) {
    int found = 0;
    for_each_node(*node, [&](const Node& it) {
      const auto* name = as<Name>(&it);
      found += name != nullptr && name->symbol == flag ? 1 : 0;
    });
    return found;
  }
  static bool mentions_flag(const Node* node, Symbol flag) { return count_flag(node, flag) > 0; }

  static bool mentions_caught(Block block, std::int64_t number) {
    return std::ranges::any_of(block, [&](const Stmt* statement) {
      return find_node(statement, [&](const Node* node) {
               const auto* call = as<Call>(node);
               return call != nullptr && call->callee.text() == kCaught &&
                      attempt_number(call) == number;
             }) != nullptr;
    });
  }

  const Stmt* set(Symbol flag, std::int64_t value, std::size_t handlers, Ranges ranges) {
    return context_.assign(context_.local(flag, ranges),
                           handlers == 1
                               ? static_cast<const Expr*>(context_.boolean(value != 0, ranges))
                               : context_.integer(value, ranges),
                           ranges);
  }

  // The statements where the flag has a value; false if they ask for it in another way.
  bool specialize(Block statements, Symbol flag, std::int64_t value, Statements& out) {
    for (const Stmt* statement : statements) {
      if (const auto* branch = as<If>(statement)) {
        if (const auto holds = outcome_of_flag(branch->test, flag, value)) {
          if (!specialize(*holds ? branch->body : branch->orelse, flag, value, out)) return false;
          continue;
        }
      }
      out.push_back(statement);
    }
    return true;
  }

  // `except E as name`: the name that a handler gives the exception first, where nobody else reads
  // it.
  Symbol name_of_caught(Statements& body, std::int64_t number) {
    const auto first = std::ranges::find_if(body, [&](const Stmt* statement) {
      const Call* caught = call_of(statement, kCaught);
      return caught != nullptr && attempt_number(caught) == number;
    });
    if (first == body.end()) return {};
    const auto* assign = as<Assign>(*first);
    const Symbol name =
        assign != nullptr ? static_cast<const Name*>(assign->targets[0])->symbol : Symbol();
    if (name.empty()) {  // nobody reads it
      body.erase(first);
      return {};
    }
    int inside = 0;
    for (const Stmt* statement : body) inside += count_flag(statement, name);
    if (uses_[name].reads + uses_[name].writes == inside) {
      body.erase(first);
      // The same exception again is `raise` alone.
      for (const Stmt*& statement : body) {
        const auto* raise = as<Raise>(statement);
        const auto* raised = raise != nullptr ? as<Name>(raise->exception) : nullptr;
        if (raised != nullptr && raised->symbol == name && raise->cause == nullptr)
          statement = context_.make<Raise>(raise->ranges, static_cast<const Expr*>(nullptr),
                                           static_cast<const Expr*>(nullptr));
      }
      const bool read = std::ranges::any_of(
          body, [&](const Stmt* statement) { return count_flag(statement, name) > 0; });
      return read ? name : Symbol();
    }
    const Symbol caught = names_.fresh("caught");
    *first =
        context_.assign(assign->targets[0], context_.local(caught, assign->ranges), assign->ranges);
    return caught;
  }

  // Whether a value that a name gets in the arm is read where the arm is cut.
  bool is_seen(Symbol name, Block arm, const VariableSet& live, bool in_loop) {
    if (!live.has(variables_.number(name))) return false;
    std::unordered_map<Symbol, Uses> inside;
    for (const Stmt* statement : arm) count_names(statement, inside);
    const Uses& all = uses_[name];
    const bool only_here = inside[name].writes == all.writes;
    return !(only_here && (!in_loop || inside[name].reads == all.reads));
  }

  // The statements of an attempt. What changes something that is seen where a later one fails
  // waits: it goes to `later`.
  Statements settled(Block statements, Block arm, const VariableSet& live, bool in_loop,
                     Statements& later) {
    const Statements all = with_items_first(statements);
    const Block tried = context_.list(all);
    std::size_t last = tried.size();
    while (last > 0 && !may_fail(tried[last - 1])) --last;
    Statements out;
    std::unordered_map<Symbol, Symbol> renamed;
    for (std::size_t k = 0; k < tried.size(); ++k) {
      const Stmt* statement = rename(tried[k], renamed);
      if (k + 1 >= last) {
        // The last that may fail, and what comes behind it.
        out.push_back(statement);
        continue;
      }
      if (const auto* push = as<Push>(statement)) {
        later.push_back(context_.make<Push>(
            push->ranges, push->tape, kept(push->value, tried.subspan(k + 1), out), push->pair));
        continue;
      }
      if (const auto* assign = as<Assign>(statement); assign != nullptr && holds_pop(assign)) {
        broken(statement);
      }
      const auto* assign = as<Assign>(statement);
      const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (name != nullptr) {
        const Symbol symbol =
            static_cast<const Name*>(static_cast<const Assign*>(tried[k])->targets[0])->symbol;
        if (!is_seen(symbol, arm, live, in_loop)) {
          out.push_back(statement);
          continue;
        }
        const Symbol fresh = names_.fresh("next_" + std::string(symbol.text()));
        out.push_back(
            context_.assign(context_.local(fresh, assign->ranges), assign->value, assign->ranges));
        later.push_back(context_.assign(context_.local(symbol, assign->ranges),
                                        context_.local(fresh, assign->ranges), assign->ranges));
        renamed[symbol] = fresh;
        continue;
      }
      if (is<Comment>(statement) || is<Pass>(statement) ||
          is_only_read(statement, arm, live, in_loop)) {
        out.push_back(statement);
        continue;
      }
      later.push_back(waiting(statement, tried.subspan(k + 1), out));
    }
    return out;
  }

  // What a list of tangents gets is computed in front of the list that it follows.
  Statements with_items_first(Block tried) {
    Statements out;
    for (const Stmt* statement : tried) {
      const ListChange change = list_change(statement);
      const ListChange before = out.empty() ? ListChange() : list_change(out.back());
      if (change.appends && before.appends && !cannot_raise(change.item) &&
          !mentions(change.item, before.list->symbol)) {
        const Ranges ranges = statement->ranges;
        const Symbol item = names_.fresh("item");
        out.insert(out.end() - 1,
                   context_.assign(context_.local(item, ranges), change.item, ranges));
        const auto* call = context_.make<Call>(
            ranges, change.call->function, change.call->callee,
            context_.list<const Expr*>({context_.local(item, ranges)}), change.call->keywords);
        statement = context_.make<ExpressionStatement>(ranges, static_cast<const Expr*>(call));
      }
      out.push_back(statement);
    }
    return out;
  }

  // Whether a statement puts a value that is there at the end of a list.
  static bool only_appends(const Stmt* statement) {
    const ListChange change = list_change(statement);
    return change.appends && cannot_raise(change.item);
  }

  static bool holds_pop(const Node* node) { return holds(node, Kind::Pop); }

  // A statement that binds names nobody sees, or a branch of such.
  bool is_only_read(const Stmt* statement, Block arm, const VariableSet& live, bool in_loop) {
    if (is<Assert>(statement)) return true;
    if (const auto* alone = as<ExpressionStatement>(statement)) return !list_change(alone);
    if (stored_place(statement) != nullptr || is<Push>(statement) || list_change(statement))
      return false;
    if (const auto* branch = as<If>(statement)) {
      const auto all = [&](Block block) {
        return std::ranges::all_of(
            block, [&](const Stmt* it) { return is_only_read(it, arm, live, in_loop); });
      };
      return all(branch->body) && all(branch->orelse);
    }
    if (!is<Assign>(statement) && !is<AugmentedAssign>(statement)) return is<Pass>(statement);
    bool seen = holds_pop(statement);
    for_each_definition(statement,
                        [&](Symbol symbol) { seen = seen || is_seen(symbol, arm, live, in_loop); });
    return !seen;
  }

  // A change of a tangent, to be made behind the others: what it is changed by is computed now.
  const Stmt* waiting(const Stmt* statement, Block between, Statements& out) {
    const auto* assign = as<Assign>(statement);
    const auto* augmented = as<AugmentedAssign>(statement);
    const Expr* target = assign != nullptr      ? assign->targets[0]
                         : augmented != nullptr ? augmented->target
                                                : nullptr;
    const Name* root = target != nullptr ? root_of(target) : nullptr;
    const bool read = root == nullptr || std::ranges::any_of(between, [&](const Stmt* other) {
                        return mentions(other, root->symbol);
                      });
    if (read) {
      throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                       "what this statement of a `try` changes cannot be taken back where a later "
                       "one fails",
                       statement->ranges, "move it behind the `try`");
    }
    if (const auto* place = as<Subscript>(target)) {
      target = context_.make<Subscript>(place->ranges, place->value,
                                        is<Slice>(place->index) || is<TupleDisplay>(place->index)
                                            ? place->index
                                            : kept(place->index, between, out));
      for (const Stmt* other : between) {
        for_each_definition(other, [&](Symbol symbol) {
          if (mentions(target, symbol)) broken(statement);
        });
      }
    }
    const Expr* value = kept(assigned_value(statement), between, out);
    if (assign != nullptr) return context_.assign(target, value, statement->ranges);
    return context_.make<AugmentedAssign>(statement->ranges, target, augmented->op, value);
  }

  // What a tape gets, evaluated now and kept until it is put there.
  const Expr* kept(const Expr* value, Block between, Statements& out) {
    bool changes = !is<Name>(value) && !is<Constant>(value);
    for (const Stmt* other : between) {
      for_each_definition(other,
                          [&](Symbol symbol) { changes = changes || mentions(value, symbol); });
    }
    if (!changes) return value;
    const Symbol name = names_.fresh("kept");
    out.push_back(context_.assign(context_.local(name, value->ranges), value, value->ranges));
    return context_.local(name, value->ranges);
  }

  const Stmt* rename(const Stmt* statement, const std::unordered_map<Symbol, Symbol>& renamed) {
    if (renamed.empty()) return statement;
    const auto read = [&](const auto& self, const Node* node) -> const Node* {
      if (const auto* name = as<Name>(node)) {
        const auto found = renamed.find(name->symbol);
        return found != renamed.end() ? context_.local(found->second, node->ranges) : node;
      }
      return rewrite_children(context_, *node,
                              [&](const Node* child) { return self(self, child); });
    };
    if (const auto* assign = as<Assign>(statement);
        assign != nullptr && is<Name>(assign->targets[0]))
      return context_.assign(assign->targets[0],
                             static_cast<const Expr*>(read(read, assign->value)), assign->ranges);
    return static_cast<const Stmt*>(read(read, statement));
  }

  static bool may_fail(const Stmt* statement) {
    if (const auto* push = as<Push>(statement)) return !cannot_raise(push->value);
    if (is<Comment>(statement) || is<Pass>(statement) || only_appends(statement)) return false;
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && is<Name>(assign->targets[0])) return !cannot_raise(assign->value);
    return true;
  }

  NamePool& names_;
  Context& context_;
  Variables variables_;
  std::unordered_map<Symbol, Uses> uses_;
  VariableSet loop_exit_;
};

}  // namespace

Block spell_attempts(Block body, NamePool& names, Context& context) {
  return AttemptSpeller(names, context).run(body);
}

}  // namespace tangent
