// Single uses: a value that is read once, in the same block, is put where it is read.
//
//     x = x_tape.pop()
//     bx += 2.0 * by * x            ->      bx += 2.0 * by * x_tape.pop()
//
// Moved are values taken from a tape, names and constants assigned to names, and adjoints that are
// numbers and short. Nothing in between may write what the value reads, or touch its tape; a value
// from a tape does not move into what is evaluated only sometimes. Arrays keep their names: a
// person would not write three layers in one.
#include <algorithm>

#include "analysis/dataflow.h"
#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

// By the number of the name.
class ReadCounts {
 public:
  void add(Symbol symbol) {
    if (symbol.number() >= counts_.size()) counts_.resize(symbol.number() + 1);
    ++counts_[symbol.number()];
  }
  [[nodiscard]] int of(Symbol symbol) const {
    return symbol.number() < counts_.size() ? counts_[symbol.number()] : 0;
  }

 private:
  std::vector<int> counts_ = std::vector<int>(256);
};

// How often each variable is read in a block and the blocks in it.
void count_all_reads(Block block, ReadCounts& counts) {
  const auto count = [&](const Node* node) {
    for_each_read(node, [&](Symbol symbol) { counts.add(symbol); });
  };
  for (const Stmt* statement : block) {
    if (const auto* assign = as<Assign>(statement)) {
      for (const Expr* target : assign->targets) {
        if (!is<Name>(target)) count(target);
      }
      count(assign->value);
    } else if (const auto* branch = as<If>(statement)) {
      count(branch->test);
      count_all_reads(branch->body, counts);
      count_all_reads(branch->orelse, counts);
    } else if (const auto* loop = as<For>(statement)) {
      count(loop->iterable);
      count_all_reads(loop->body, counts);
    } else if (const auto* repeat = as<While>(statement)) {
      count(repeat->test);
      count_all_reads(repeat->body, counts);
    } else {
      for_each_child(*statement, [&](const Node* child) { count(child); });
    }
  }
}

// Plain liveness: the variables whose value may still be read after a statement. Those that are
// read once are left out: there are thousands of them in a long program, and a value that is put
// where its one read is has no other.
struct Liveness {
  using State = VariableSet;
  Variables& variables;
  NodeTable<VariableSet>& after;
  const ReadCounts& counts;

  void read(const Node* node, State& state) const {
    for_each_read(node, [&](Symbol symbol) {
      if (counts.of(symbol) > 1) state.add(variables.number(symbol));
    });
  }
  void simple(const Stmt* statement, State& state) const {
    after.get(statement).join(state);
    if (const auto* assign = as<Assign>(statement)) {
      for (const Expr* target : assign->targets) {
        if (is<Subscript>(target)) {
          read(target, state);
        } else {
          for_each_target(target, [&](Symbol symbol) { state.remove(variables.number(symbol)); });
        }
      }
      read(assign->value, state);
      return;
    }
    for_each_child(*statement, [&](const Node* child) { read(child, state); });
  }
  void test(const Stmt* statement, State& state) const {
    after.get(statement).join(state);
    const auto* branch = as<If>(statement);
    read(branch != nullptr ? branch->test : static_cast<const While*>(statement)->test, state);
  }
  void enter(const For* loop, State& state) const {
    for_each_target(loop->target, [&](Symbol symbol) { state.remove(variables.number(symbol)); });
    read(loop->iterable, state);
  }
};

std::size_t size_of(const Node* node) {
  std::size_t size = 0;
  find_node(node, [&](const Node*) {
    ++size;
    return false;
  });
  return size;
}

int count_reads(const Node* node, Symbol symbol) {
  int count = 0;
  for_each_read(node, [&](Symbol read) { count += read == symbol ? 1 : 0; });
  return count;
}

bool touches_tape(const Node* node, Symbol tape) {
  return find_node(node, [tape](const Node* part) {
           const auto* pop = as<Pop>(part);
           const auto* push = as<Push>(part);
           return (pop != nullptr && pop->tape == tape) || (push != nullptr && push->tape == tape);
         }) != nullptr;
}

// Whether the one read of a name stands where it may not be evaluated.
bool read_sometimes(const Node* node, Symbol symbol, bool sometimes) {
  // A long sum is a tree as deep.
  while (const auto* operation = as<BinaryOperation>(node)) {
    if (read_sometimes(operation->right, symbol, sometimes)) return true;
    node = operation->left;
  }
  if (const auto* name = as<Name>(node)) return sometimes && name->symbol == symbol;
  if (const auto* conditional = as<Conditional>(node)) {
    return read_sometimes(conditional->test, symbol, sometimes) ||
           read_sometimes(conditional->body, symbol, true) ||
           read_sometimes(conditional->orelse, symbol, true);
  }
  bool found = false;
  const bool chain = is<BooleanOperation>(node) || is<Comparison>(node);
  bool first = true;
  for_each_child(*node, [&](const Node* child) {
    found = found || read_sometimes(child, symbol,
                                    sometimes || (chain && !first && is<BooleanOperation>(node)));
    first = false;
  });
  return found;
}

class SingleUses {
 public:
  explicit SingleUses(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    count_all_reads(body, counts_);
    Liveness liveness{variables_, after_, counts_};
    BackwardSolver<Liveness>(liveness).run(body, VariableSet());
    return block(body);
  }

 private:
  Block block(Block statements) {
    std::vector<const Stmt*> list(statements.begin(), statements.end());
    std::vector<bool> gone(list.size(), false);
    for (std::size_t k = list.size(); k-- > 0;) {
      if (const auto* assign = as<Assign>(list[k])) gone[k] = move(*assign, list, gone, k);
    }
    std::vector<const Stmt*> out;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!gone[k])
        out.push_back(
            with_blocks(input_.context, list[k], [&](Block inner) { return block(inner); }));
    }
    return input_.context.list(out);
  }

  bool may_move(const Assign& assign, Symbol symbol) const {
    if (is<Pop>(assign.value)) return true;
    const bool ours = !input_.forward.contains(&assign);
    if (is<Name>(assign.value) || is<Constant>(assign.value)) {
      const auto* name = as<Name>(assign.value);
      return ours && (name == nullptr || name->symbol != symbol);
    }
    return ours && input_.adjoints.contains(symbol) && input_.numbers.contains(symbol) &&
           !holds(assign.value, Kind::Call) && !holds(assign.value, Kind::Conditional) &&
           size_of(assign.value) <= 12;
  }

  // Whether there may be a reader that the value moves to, whatever stands between.
  bool may_ever_move(const Assign& assign, Symbol symbol) const {
    return may_move(assign, symbol) || input_.kept.contains(symbol) ||
           input_.adjoints.contains(symbol) || is_test(assign);
  }

  static bool is_test(const Assign& assign) {
    return is<Comparison>(assign.value) || is<BooleanOperation>(assign.value) ||
           is<UnaryOperation>(assign.value);
  }

  bool move(const Assign& assign, std::vector<const Stmt*>& list, const std::vector<bool>& gone,
            std::size_t k) {
    const auto* target = as<Name>(assign.targets[0]);
    if (target == nullptr || assign.targets.size() != 1) return false;
    const Symbol symbol = target->symbol;
    if (counts_.of(symbol) == 0 || !may_ever_move(assign, symbol)) return false;
    for (std::size_t j = k + 1; j < list.size(); ++j) {
      if (gone[j] || is<Comment>(list[j])) continue;
      const Stmt* reader = list[j];
      int reads = 0;
      for_each_child(*reader, [&](const Node* child) { reads += count_reads(child, symbol); });
      if (const auto* other = as<Assign>(reader); other != nullptr && is<Name>(other->targets[0])) {
        reads = count_reads(other->value, symbol);
      }
      if (reads == 0) {
        if (blocks(reader, assign, symbol)) return false;
        continue;
      }
      if (reads != 1) return false;
      // A name that only the return reads, right in front of it, says nothing.
      const auto* result = as<Return>(reader);
      const bool next = std::all_of(gone.begin() + static_cast<std::ptrdiff_t>(k + 1),
                                    gone.begin() + static_cast<std::ptrdiff_t>(j),
                                    [](bool between) { return between; });
      const bool kept =
          next && input_.kept.contains(symbol) && input_.effects.is_pure(assign.value);
      if (!may_move(assign, symbol) && !kept && !is_test_of(assign, symbol, reader) &&
          !is_passed_on(assign, symbol, reader, list, gone, k, j) &&
          !(result != nullptr && j == k + 1 && is<Name>(result->value) &&
            input_.adjoints.contains(symbol))) {
        return false;
      }
      if (!put(assign, symbol, list, j)) return false;
      // What the value reads is read later now: it lives until there.
      for_each_read(assign.value, [&](Symbol read) {
        if (counts_.of(read) < 2) return;
        for (std::size_t between = k; between < j; ++between) {
          if (after_.find(list[between]) != nullptr)
            after_.get(list[between]).add(variables_.number(read));
        }
      });
      return true;
    }
    return false;
  }

  // A test that got a name to be kept, and that nothing keeps by now, stands in its branch again.
  bool is_test_of(const Assign& assign, Symbol symbol, const Stmt* reader) const {
    return is_test(assign) && is<If>(reader) && !input_.typed.variables.contains(symbol) &&
           !input_.adjoints.contains(symbol) && input_.effects.is_pure(assign.value);
  }

  // An adjoint that the next statement passes on as it is, whatever its length.
  bool is_passed_on(const Assign& assign, Symbol symbol, const Stmt* reader,
                    const std::vector<const Stmt*>& list, const std::vector<bool>& gone,
                    std::size_t k, std::size_t j) const {
    const auto* update = as<AugmentedAssign>(reader);
    const auto* value = update != nullptr ? as<Name>(update->value) : nullptr;
    if (value == nullptr || value->symbol != symbol || !input_.adjoints.contains(symbol) ||
        !input_.numbers.contains(symbol) || !input_.effects.is_pure(assign.value))
      return false;
    const bool sum =
        is<BinaryOperation>(assign.value) &&
        (static_cast<const BinaryOperation*>(assign.value)->op == BinaryOperator::Add ||
         static_cast<const BinaryOperation*>(assign.value)->op == BinaryOperator::Subtract);
    if (update->op != BinaryOperator::Add && (update->op != BinaryOperator::Subtract || sum))
      return false;
    for (std::size_t between = k + 1; between < j; ++between) {
      if (!gone[between] && !is<Comment>(list[between])) return false;
    }
    return true;
  }

  // Whether a statement between keeps the value from moving behind it.
  static bool blocks(const Stmt* between, const Assign& assign, Symbol symbol) {
    if (const auto* pop = as<Pop>(assign.value)) {
      if (touches_tape(between, pop->tape)) return true;
    }
    bool found = is<While>(between) || is<For>(between);
    for_each_definition(between, [&](Symbol defined) {
      found = found || defined == symbol || mentions(assign.value, defined);
    });
    // Writing an element changes what its array's name stands for.
    const auto* store = as<ExpressionStatement>(between);
    if (store != nullptr)
      for_each_read(store, [&](Symbol read) { found = found || mentions(assign.value, read); });
    return found;
  }

  bool put(const Assign& assign, Symbol symbol, std::vector<const Stmt*>& list, std::size_t j) {
    const Stmt* reader = list[j];
    const bool simple = is<Assign>(reader) || is<AugmentedAssign>(reader) || is<Return>(reader) ||
                        is<ExpressionStatement>(reader);
    const auto* branch = as<If>(reader);
    if (!simple && !(branch != nullptr && count_reads(branch->test, symbol) == 1)) return false;
    const auto* augmented = as<AugmentedAssign>(reader);
    if (augmented != nullptr && count_reads(augmented->target, symbol) > 0) return false;
    const auto* into = as<Assign>(reader);
    const bool stored =
        into != nullptr && is<Subscript>(into->targets[0]) && mentions(into->targets[0], symbol);
    if (stored) return false;
    const bool redefined = into != nullptr && is<Name>(into->targets[0]) &&
                           static_cast<const Name*>(into->targets[0])->symbol == symbol;
    const VariableSet* live = after_.find(reader);
    if (!redefined && counts_.of(symbol) > 1 &&
        (live == nullptr || live->has(variables_.number(symbol))))
      return false;
    if (branch != nullptr && nested_reads(branch, symbol)) return false;
    const Node* place = branch != nullptr ? static_cast<const Node*>(branch->test) : reader;
    if (read_sometimes(place, symbol, false)) return false;
    list[j] = static_cast<const Stmt*>(replace(reader, symbol, assign.value, branch != nullptr));
    // An adjoint's value is the work of its statement, also where another one passes it on.
    if (input_.adjoints.contains(symbol) && !is<Name>(assign.value))
      list[j] = with_ranges(list[j], input_.context.merge(assign.ranges, reader->ranges));
    if (live != nullptr) after_.set(list[j], VariableSet(*live));
    return true;
  }

  const Stmt* with_ranges(const Stmt* statement, Ranges ranges) {
    Context& context = input_.context;
    if (const auto* result = as<Return>(statement))
      return context.make<Return>(ranges, result->value);
    if (const auto* into = as<Assign>(statement))
      return context.make<Assign>(ranges, into->targets, into->value);
    if (const auto* update = as<AugmentedAssign>(statement))
      return context.make<AugmentedAssign>(ranges, update->target, update->op, update->value);
    return statement;
  }

  static bool nested_reads(const If* branch, Symbol symbol) {
    for (const Block arm : {branch->body, branch->orelse}) {
      for (const Stmt* statement : arm) {
        if (mentions(statement, symbol)) return true;
      }
    }
    return false;
  }

  const Node* replace(const Node* node, Symbol symbol, const Expr* value, bool test_only) {
    if (const auto* name = as<Name>(node)) return name->symbol == symbol ? value : node;
    if (const auto* assign = as<Assign>(node); assign != nullptr && is<Name>(assign->targets[0])) {
      return input_.context.make<Assign>(
          assign->ranges, assign->targets,
          static_cast<const Expr*>(replace(assign->value, symbol, value, false)));
    }
    if (const auto* branch = as<If>(node); branch != nullptr && test_only) {
      return input_.context.make<If>(
          branch->ranges, static_cast<const Expr*>(replace(branch->test, symbol, value, false)),
          branch->body, branch->orelse);
    }
    return rewrite_children(input_.context, *node, [&](const Node* child) {
      return replace(child, symbol, value, false);
    });
  }

  const PassInput& input_;
  Variables variables_;
  ReadCounts counts_;
  NodeTable<VariableSet> after_;
};

}  // namespace

Block substitute_single_uses(Block body, const PassInput& input) {
  return SingleUses(input).run(body);
}

}  // namespace tangent
