// Values that are cheap to compute again are not kept: what follows from the loop's variable, from
// what never changes and from what is kept anyhow is computed where the backward part needs it.
//
//     for t in range(n):                      for t in range(n):
//         cop = a + b * outside[t]                cop = a + b * outside[t]
//         air += cop * power                      air += cop * power
//         cop_tape.append(cop)            ->
//     …                                       …
//     for t in reversed(range(n)):            for t in reversed(range(n)):
//         cop = cop_tape.pop()                    cop = a + b * outside[t]
//         bpower += bair * cop                    bpower += bair * cop
//
// A tape goes if it has one push and one pop, holds numbers, and its value has one definition in
// the loop, which is pure and small. What that definition reads has to be at hand where the value
// is popped: the loop's own variable, a name that is never bound anew or only once in front of the
// loops, what is popped there already (such a pop may move up to it), or what can itself be
// computed again in the same way. The same operands give the same value, so nothing is raised that
// the forward part did not raise. Tapes that drive a loop stay.
#include <algorithm>

#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

// The most that a value may cost, in operations of its expression and of those it brings along.
constexpr int kMostOperations = 5;
// A pass is linear in the size of the program: beyond this many statements times tapes it is left
// out.
constexpr std::size_t kMostWork = 400000;

struct Entry {
  const Stmt* statement;
  int block;   // the number of the block that it stands in
  int parent;  // the statement around that block, -1 in the function's own
  int loop;    // the innermost loop around it, or -1
  bool backward;
};

// What of a program's text a decision rests on: every statement in order, and who defines what.
class Program {
 public:
  explicit Program(Block body) {
    bool turned = false;
    int next_block = 1;
    add(body, 0, -1, -1, turned, next_block, true);
    for (int k = 0; k < size(); ++k) {
      note_tapes(k);
      for_each_change(at(k).statement,
                      [&](Symbol symbol) { at(definitions_, symbol).push_back(k); });
    }
  }

  [[nodiscard]] int size() const { return static_cast<int>(entries_.size()); }
  [[nodiscard]] const Entry& at(int k) const { return entries_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const std::vector<int>& definitions(Symbol symbol) const {
    static const std::vector<int> kNone;
    const std::size_t number = variables_.find(symbol);
    return number < definitions_.size() ? definitions_[number] : kNone;
  }
  [[nodiscard]] const std::vector<Symbol>& tapes() const { return tapes_; }
  // The one push and the one pop of a tape that nothing else looks at; -1 otherwise.
  [[nodiscard]] std::pair<int, int> sites(Symbol tape) const {
    const std::size_t number = variables_.find(tape);
    if (number >= sites_.size()) return {-1, -1};
    const Sites& sites = sites_[number];
    return sites.pushes == 1 && sites.pops == 1 && sites.others == 0
               ? std::pair(sites.push, sites.pop)
               : std::pair(-1, -1);
  }
  [[nodiscard]] bool changes_lists() const {
    return std::ranges::any_of(
        entries_, [](const Entry& entry) { return list_change(entry.statement).list != nullptr; });
  }
  // Whether a statement stands inside another one, at any depth.
  [[nodiscard]] bool inside(int k, int outer) const {
    while (k >= 0 && k != outer) k = at(k).parent;
    return k >= 0;
  }
  // Whether the block of one statement is that of another, or around it.
  [[nodiscard]] bool encloses(int outer, int inner) const { return anchor(outer, inner) >= 0; }
  // The statement in the block of `outer` that is `inner` or holds it; -1 if there is none.
  [[nodiscard]] int anchor(int outer, int inner) const {
    while (inner >= 0 && at(inner).block != at(outer).block) inner = at(inner).parent;
    return inner;
  }
  [[nodiscard]] bool defined_between(Symbol symbol, int first, int last) const {
    return std::ranges::any_of(definitions(symbol), [&](int k) { return k > first && k < last; });
  }
  [[nodiscard]] bool read_between(Symbol symbol, int first, int last) const {
    for (int k = first + 1; k < last; ++k) {
      bool reads = false;
      for_each_own_part(at(k).statement, [&](const Node* part) {
        reads = reads || (part != nullptr && mentions(part, symbol));
      });
      if (reads) return true;
    }
    return false;
  }

 private:
  struct Sites {
    int push = -1;
    int pop = -1;
    int pushes = 0;
    int pops = 0;
    int others = 0;
  };

  // What is known of a variable or tape, by its number.
  template <class T>
  T& at(std::vector<T>& facts, Symbol symbol) {
    const std::size_t number = variables_.number(symbol);
    if (number >= facts.size()) facts.resize(number + 1);
    return facts[number];
  }

  // The parts of a statement that are not statements.
  template <class F>
  static void for_each_own_part(const Stmt* statement, F&& f) {
    for_each_child(*statement, [&](const Node* child) {
      if (!is_statement(child->kind)) f(child);
    });
  }

  // The names that a statement itself gives a value, or whose array it stores into.
  template <class F>
  static void for_each_change(const Stmt* statement, F&& f) {
    if (const auto* loop = as<For>(statement)) return for_each_target(loop->target, f);
    if (is<If>(statement) || is<While>(statement)) return;
    for_each_definition(statement, f);
  }

  void add(Block block, int number, int parent, int loop, bool& turned, int& next_block,
           bool outermost) {
    for (const Stmt* statement : block) {
      const auto* comment = as<Comment>(statement);
      if (outermost && comment != nullptr && comment->text.empty()) turned = true;
      const int own = size();
      entries_.push_back({statement, number, parent, loop, turned});
      auto inner = [&](Block body, bool is_loop) {
        if (body.empty()) return;
        const int inside = next_block++;
        add(body, inside, own, is_loop ? own : loop, turned, next_block, false);
      };
      if (const auto* branch = as<If>(statement)) {
        inner(branch->body, false);
        inner(branch->orelse, false);
      } else if (const auto* counted = as<For>(statement)) {
        inner(counted->body, true);
      } else if (const auto* repeat = as<While>(statement)) {
        inner(repeat->body, true);
      }
    }
  }

  void note_tapes(int k) {
    const Stmt* statement = at(k).statement;
    if (const auto* push = as<Push>(statement)) {
      Sites& sites = at(sites_, push->tape);
      if (sites.pushes + sites.pops + sites.others == 0) tapes_.push_back(push->tape);
      ++sites.pushes;
      sites.push = k;
    }
    const auto* assign = as<Assign>(statement);
    const auto* whole = assign != nullptr ? as<Pop>(assign->value) : nullptr;
    for_each_own_part(statement, [&](const Node* part) {
      for_each_node(*part, [&](const Node& node) {
        if (const auto* pop = as<Pop>(&node)) {
          Sites& sites = at(sites_, pop->tape);
          ++sites.pops;
          sites.pop = k;
          if (pop != whole) ++sites.others;
        } else if (const auto* name = as<Name>(&node); name != nullptr) {
          const bool made = assign != nullptr && assign->targets[0] == name;
          if (!made) ++at(sites_, name->symbol).others;
        }
      });
    });
  }

  std::vector<Entry> entries_;
  Variables variables_;
  std::vector<std::vector<int>> definitions_;  // by the number of the variable
  std::vector<Sites> sites_;
  std::vector<Symbol> tapes_;
};

// What is done for one tape.
struct Edits {
  std::unordered_map<const Stmt*, std::vector<const Stmt*>> before;
  std::unordered_map<const Stmt*, const Stmt*> instead;  // null: gone
  std::unordered_set<Symbol> at_hand;
  int cost = 0;
};

bool has_tapes(Block block) {
  return std::ranges::any_of(block, [](const Stmt* statement) {
    if (const auto* branch = as<If>(statement))
      return has_tapes(branch->body) || has_tapes(branch->orelse);
    if (const auto* loop = as<For>(statement)) return has_tapes(loop->body);
    if (const auto* repeat = as<While>(statement)) return has_tapes(repeat->body);
    return is<Push>(statement);
  });
}

class Recompute {
 public:
  explicit Recompute(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    // Most programs have no tapes: nothing is looked at for them but their statements.
    if (input_.has_halves || !has_tapes(body)) return body;
    Program program(body);
    if (program.tapes().size() * static_cast<std::size_t>(program.size()) > kMostWork) return body;
    lists_change_ = program.changes_lists();
    // In the order of the forward part: what comes first may be at hand for what follows.
    const std::vector<Symbol> tapes = program.tapes();
    for (const Symbol tape : tapes) {
      Edits edits;
      if (!plan(program, tape, edits)) continue;
      body = applied(body, edits);
      program = Program(body);
    }
    return body;
  }

 private:
  static const Assign* definition(const Program& program, int k, Symbol symbol) {
    const auto* assign = as<Assign>(program.at(k).statement);
    const auto* target =
        assign != nullptr && assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
    return target != nullptr && target->symbol == symbol ? assign : nullptr;
  }

  // The one definition of a name in a loop of the forward part, in front of `place`; -1 if there is
  // none such.
  int sole_definition(const Program& program, Symbol symbol, int loop, int place) const {
    int found = -1;
    for (const int k : program.definitions(symbol)) {
      if (!program.inside(k, loop)) continue;
      if (found >= 0) return -1;
      found = k;
    }
    const bool fits = found >= 0 && found < place && program.at(found).loop == loop &&
                      program.encloses(found, place) &&
                      definition(program, found, symbol) != nullptr;
    return fits ? found : -1;
  }

  bool plan(const Program& program, Symbol tape, Edits& edits) {
    const auto [push, pop] = program.sites(tape);
    if (push < 0 || program.at(push).backward || !program.at(pop).backward) return false;
    const int loop = program.at(push).loop;
    const int back = program.at(pop).loop;
    if (loop < 0 || back < 0) return false;
    const auto* pushed = as<Name>(static_cast<const Push*>(program.at(push).statement)->value);
    if (pushed == nullptr) return false;
    const Symbol symbol = pushed->symbol;
    if (definition(program, pop, symbol) == nullptr) return false;
    const int made = sole_definition(program, symbol, loop, push);
    if (made < 0) return false;
    const Expr* value = definition(program, made, symbol)->value;
    if (!may_repeat(value, edits) || !provide_all(program, value, {loop, back, pop}, made, edits))
      return false;
    const Stmt* taken = program.at(pop).statement;
    edits.instead[taken] = input_.context.assign(input_.context.local(symbol), value,
                                                 program.at(made).statement->ranges);
    edits.instead[program.at(push).statement] = nullptr;
    return true;
  }

  // Whether an expression gives the same number again, for little work.
  bool may_repeat(const Expr* value, Edits& edits) const {
    if (!input_.type_of(value).is_number() || !input_.effects.is_pure(value)) return false;
    const bool arrays_change = lists_change_ || !input_.written.empty();
    int operations = 0;
    bool fits = true;
    for_each_node(*value, [&](const Node& node) {
      switch (node.kind) {
        case Kind::Name:
        case Kind::Constant:
          break;
        case Kind::BinaryOperation: {
          // Arithmetic of numbers: not the product of two vectors.
          const auto& operation = static_cast<const BinaryOperation&>(node);
          ++operations;
          fits = fits && input_.type_of(operation.left).is_number() &&
                 input_.type_of(operation.right).is_number();
          break;
        }
        case Kind::UnaryOperation:
        case Kind::Comparison:
        case Kind::BooleanOperation:
        case Kind::Conditional:
          ++operations;
          break;
        case Kind::Subscript:
          ++operations;
          fits = fits && !arrays_change &&
                 !holds(static_cast<const Subscript&>(node).index, Kind::Slice);
          break;
        case Kind::Call: {
          const auto& call = static_cast<const Call&>(node);
          const std::string_view callee = call.callee.text();
          operations += 2;
          fits = fits &&
                 (callee == "builtins.min" || callee == "builtins.max" || callee == "builtins.abs");
          break;
        }
        default:
          fits = false;
      }
    });
    edits.cost += operations;
    return fits && edits.cost <= kMostOperations;
  }

  // Where a value is needed: the loop of the forward part, that of the backward part, the pop.
  struct Need {
    int loop;
    int back;
    int pop;
  };

  // Whether all that an expression of the forward part reads at `made` is at hand at the pop.
  bool provide_all(const Program& program, const Expr* value, const Need& need, int made,
                   Edits& edits) {
    bool all = true;
    for_each_read(value,
                  [&](Symbol read) { all = all && provide(program, read, need, made, edits); });
    return all;
  }

  bool provide(const Program& program, Symbol symbol, const Need& need, int made, Edits& edits) {
    if (edits.at_hand.contains(symbol)) return true;
    const std::vector<int>& all = program.definitions(symbol);
    // An argument, or what is bound once in front of the loop.
    if (all.empty()) return true;
    const Entry& first = program.at(all.front());
    if (all.size() == 1 && first.parent < 0 && all.front() < need.loop &&
        definition(program, all.front(), symbol) != nullptr)
      return true;
    if (provide_target(program, symbol, need)) return true;
    if (provide_restored(program, symbol, need, made, edits)) return true;
    // It is computed again itself.
    for (const int k : all) {
      if (program.inside(k, need.back)) return false;
    }
    const int origin = sole_definition(program, symbol, need.loop, made);
    if (origin < 0) return false;
    const Assign* assign = definition(program, origin, symbol);
    if (!may_repeat(assign->value, edits) ||
        !provide_all(program, assign->value, need, origin, edits))
      return false;
    edits.before[program.at(need.pop).statement].push_back(
        input_.context.assign(assign->targets[0], assign->value, assign->ranges));
    edits.at_hand.insert(symbol);
    return true;
  }

  // The variable of a loop that the backward part runs over as well.
  static bool provide_target(const Program& program, Symbol symbol, const Need& need) {
    return sets_target(program, symbol, need.loop) && sets_target(program, symbol, need.back);
  }

  // Whether a name is the variable of a loop around (or at) `place`, and nothing else in that loop
  // gives it a value.
  static bool sets_target(const Program& program, Symbol symbol, int place) {
    const std::vector<int>& all = program.definitions(symbol);
    const auto around = std::ranges::find_if(
        all, [&](int k) { return is<For>(program.at(k).statement) && program.inside(place, k); });
    return around != all.end() && std::ranges::none_of(all, [&](int k) {
             return k != *around && program.inside(k, *around);
           });
  }

  // What the backward part takes back anyhow in this iteration: it is there, or may come earlier.
  bool provide_restored(const Program& program, Symbol symbol, const Need& need, int made,
                        Edits& edits) const {
    int restored = -1;
    for (const int k : program.definitions(symbol)) {
      if (!program.inside(k, need.back)) continue;
      if (restored >= 0) return false;
      restored = k;
    }
    if (restored == need.pop) return false;
    const Assign* assign = restored >= 0 ? definition(program, restored, symbol) : nullptr;
    if (assign == nullptr || program.at(restored).loop != need.back ||
        !program.encloses(restored, need.pop))
      return false;
    if (const auto* pop = as<Pop>(assign->value)) {
      // It is the value that the definition read: nothing wrote the variable between.
      const int push = program.sites(pop->tape).first;
      if (push < 0 || program.at(push).loop != need.loop ||
          !is<Name>(static_cast<const Push*>(program.at(push).statement)->value) ||
          static_cast<const Name*>(static_cast<const Push*>(program.at(push).statement)->value)
                  ->symbol != symbol ||
          (made < push ? program.defined_between(symbol, made - 1, push)
                       : program.defined_between(symbol, push, made)))
        return false;
    } else {
      // Computed again, or read off as the loop's variable: one value in each iteration.
      int own = -1;
      for (const int k : program.definitions(symbol)) {
        if (!program.inside(k, need.loop)) continue;
        if (own >= 0) return false;
        own = k;
      }
      if (own < 0 || (own != need.loop && (own > made || !program.encloses(own, made))))
        return false;
    }
    if (restored < need.pop) return true;
    // It moves up, if nobody in between minds and all that it reads is there.
    const int place = program.anchor(restored, need.pop);
    if (!is<Pop>(assign->value) || program.read_between(symbol, place - 1, restored)) return false;
    const Stmt* statement = program.at(restored).statement;
    if (edits.instead.contains(statement)) return false;
    edits.instead[statement] = nullptr;
    edits.before[program.at(place).statement].push_back(statement);
    edits.at_hand.insert(symbol);
    return true;
  }

  Block applied(Block block, const Edits& edits) const {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : block) {
      const auto added = edits.before.find(statement);
      if (added != edits.before.end())
        out.insert(out.end(), added->second.begin(), added->second.end());
      const auto other = edits.instead.find(statement);
      if (other != edits.instead.end()) {
        if (other->second != nullptr) out.push_back(other->second);
        continue;
      }
      const Stmt* now = with_blocks(input_.context, statement,
                                    [&](Block inner) { return applied(inner, edits); });
      out.push_back(made_anew(statement, now, input_));
    }
    return input_.context.list(out);
  }

  const PassInput& input_;
  bool lists_change_ = false;
};

}  // namespace

Block recompute(Block body, const PassInput& input) { return Recompute(input).run(body); }

}  // namespace tangent
