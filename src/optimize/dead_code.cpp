// Dead code: what is computed and never read.
//
// Liveness is strong: an assignment reads its operands only if its own target is live, so a sum
// that only feeds itself in a loop is dead. A statement of the primal is dropped only if it cannot
// raise, or if what could raise in it is evaluated again elsewhere with the same operands. A tape
// is live if anything that is taken from it is; a dead one goes with all of its pushes and pops,
// which come to fixed places by construction.
#include <algorithm>
#include <optional>

#include "analysis/dataflow.h"
#include "analysis/variables.h"
#include "base/symbol_set.h"
#include "optimize/passes.h"
#include "syntax/attempts.h"

namespace tangent {

namespace {

class DeadCode {
 public:
  explicit DeadCode(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    for (const Stmt* statement : body) find_tapes(statement);
    find_nested(body, false);
    shaped_like_ = input_.variables;
    find_shapes(body);
    solve(body);
    if (!input_.has_halves) collect(body, false);
    // A dead tape can make other values dead: until nothing changes, in practice twice.
    for (bool again = true; again;) {
      again = false;
      solve(body);
      std::unordered_map<Symbol, bool> tapes;
      find_live_tapes(body, tapes);
      for (const auto& [tape, live] : tapes) {
        if (!live && dead_tapes_.insert(tape)) again = true;
      }
    }
    return rewrite(body);
  }
  // Whether a branch or a loop is gone, and with it what its test or its iterable read.
  [[nodiscard]] bool removed_block() const { return removed_block_; }

 private:
  void solve(Block body) {
    live_targets_.clear();
    live_items_.clear();
    Liveness liveness{*this};
    BackwardSolver<Liveness> solver(liveness);
    solver.run(body, VariableSet());
    // What is live where a loop decides whether to go on: no iteration reads the last one's target.
    solver.for_each_end([&](const Stmt* statement, const VariableSet& live) {
      const auto* loop = as<For>(statement);
      if (loop != nullptr && is_live(loop->target, live)) live_items_.insert(loop);
    });
  }

  struct Liveness {
    using State = VariableSet;
    DeadCode& pass;

    void read(const Node* node, State& state) const {
      for_each_read(node, [&](Symbol symbol) { state.add(pass.variables_.number(symbol)); });
    }
    // Notes, too, whether what the statement assigns is live in any round.
    bool needed(const Stmt* statement, const Expr* target, const State& state) const {
      const bool live = pass.is_live(target, state);
      if (live) pass.live_targets_.insert(statement);
      return pass.is_needed(statement, live);
    }
    void simple(const Stmt* statement, State& state) const {
      if (const auto* assign = as<Assign>(statement)) {
        if (!needed(statement, assign->targets[0], state)) return;
        if (is<Subscript>(assign->targets[0])) {
          read(assign->targets[0], state);  // the other elements stay
        } else {
          for_each_target(assign->targets[0],
                          [&](Symbol symbol) { state.remove(pass.variables_.number(symbol)); });
        }
        read(assign->value, state);
        return;
      }
      if (const auto* augmented = as<AugmentedAssign>(statement)) {
        if (!needed(statement, augmented->target, state)) return;
        if (!pass.may_only_raise(augmented)) read(augmented->target, state);
        read(augmented->value, state);
        return;
      }
      if (const auto* push = as<Push>(statement)) {
        if (!pass.dead_tapes_.contains(push->tape)) read(push->value, state);
        return;
      }
      for_each_child(*statement, [&](const Node* child) { read(child, state); });
    }
    void test(const Stmt* statement, State& state) const {
      const auto* branch = as<If>(statement);
      read(branch != nullptr ? branch->test : static_cast<const While*>(statement)->test, state);
    }
    void enter(const For* loop, State& state) const {
      for_each_target(loop->target,
                      [&](Symbol symbol) { state.remove(pass.variables_.number(symbol)); });
      read(loop->iterable, state);
    }
  };

  void find_tapes(const Node* node) {
    if (const auto* push = as<Push>(node)) tapes_.insert(push->tape);
    if (!is_statement(node->kind)) return;
    for_each_child(*node, [&](const Node* child) { find_tapes(child); });
  }

  static const Pop* pop_of(const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    return assign != nullptr ? as<Pop>(assign->value) : nullptr;
  }

  void find_nested(Block block, bool nested) {
    std::size_t attempted = block.size();
    while (attempted > 0 && call_of(block[attempted - 1], kCompleted) == nullptr) --attempted;
    for (std::size_t k = 0; k < attempted; ++k) attempted_.insert(block[k]);
    for (const Stmt* statement : block) {
      if (nested) nested_.insert(statement);
      if (const auto* branch = as<If>(statement)) {
        find_nested(branch->body, true);
        find_nested(branch->orelse, true);
      } else if (const auto* loop = as<For>(statement)) {
        find_nested(loop->body, true);
      } else if (const auto* repeat = as<While>(statement)) {
        find_nested(repeat->body, true);
      }
    }
  }

  // What the backward part evaluates: an exception in it is not lost with a copy in the forward
  // part. The backward part reads nothing that it would not read without the dropped statement, so
  // what is needed in it is known before.
  void collect(Block block, bool nested) {
    for (const Stmt* statement : block) {
      if (const auto* branch = as<If>(statement)) {
        if (!input_.forward.contains(statement)) collect(branch->test, nested);
        collect(branch->body, true);
        collect(branch->orelse, true);
      } else if (const auto* loop = as<For>(statement)) {
        if (!input_.forward.contains(statement)) collect(loop->iterable, nested);
        collect(loop->body, true);
      } else if (const auto* repeat = as<While>(statement)) {
        if (!input_.forward.contains(statement)) collect(repeat->test, nested);
        collect(repeat->body, true);
      } else if (!input_.forward.contains(statement)) {
        const bool assigns = is<Assign>(statement) || is<AugmentedAssign>(statement);
        if (!assigns || is_needed(statement)) collect(statement, nested);
      }
    }
  }

  void collect(const Node* node, bool nested) {
    SmallStack<const Node*> stack(node);
    while (!stack.empty()) {
      const Node* top = stack.pop();
      if (is_leaf(*top)) continue;
      if (is<Subscript>(top) || is<Call>(top) || is<BinaryOperation>(top))
        again_[hash(top)].push_back({top, nested});
      if (const Expr* divisor = divisor_of(top))
        divisors_[hash(divisor)].push_back({divisor, nested});
      // An element of a tangent or an adjoint is there if that of the variable is.
      if (is<Subscript>(top) && !shaped_like_.empty()) {
        const Node* primal = of_variables(top);
        if (primal != top) again_[hash(primal)].push_back({primal, nested});
      }
      for_each_child(*top, [&](const Node* child) { stack.push(child); });
      const auto operands = broadcast_operands(top);
      if (operands.first != nullptr && !nested) {
        joined_.emplace_back(input_.type_of(operands.first), input_.type_of(operands.second));
      }
    }
  }

  // Adjoints that are made once, as zeros like a variable that has one value throughout.
  void find_shapes(Block body) {
    std::unordered_map<Symbol, int> bindings;
    for (const Stmt* statement : body)
      for_each_binding(statement, [&](Symbol symbol) { ++bindings[symbol]; });
    SymbolSet bound_here;
    for (const Stmt* statement : body) {
      const auto* assign = as<Assign>(statement);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (target != nullptr) bound_here.insert(target->symbol);
      const auto* call = assign != nullptr ? as<Call>(assign->value) : nullptr;
      if (target == nullptr || call == nullptr || call->callee.text() != "numpy.zeros_like" ||
          call->arguments.size() != 1 || !input_.adjoints.contains(target->symbol))
        continue;
      const auto* like = as<Name>(call->arguments[0]);
      if (like == nullptr || like->scope != Scope::Local) continue;
      const auto bound = bindings.find(like->symbol);
      const bool is_one_value =
          bound == bindings.end() ||
          (bound->second == 1 && bound_here.contains(like->symbol) && !is_parameter(like->symbol));
      if (is_one_value && bindings[target->symbol] == 1)
        shaped_like_.emplace(target->symbol, like->symbol);
    }
  }

  bool is_parameter(Symbol symbol) const {
    const CoreFunction* core = input_.typed.core;
    return core == nullptr || std::ranges::any_of(core->parameters, [&](const auto* parameter) {
             return parameter->name == symbol;
           });
  }

  // The same expression with variables in place of what has their shapes.
  const Node* of_variables(const Node* node) const {
    if (const auto* name = as<Name>(node)) {
      const auto found = shaped_like_.find(name->symbol);
      return found != shaped_like_.end() ? input_.context.local(found->second) : node;
    }
    return rewrite_children(input_.context, *node,
                            [&](const Node* child) { return of_variables(child); });
  }

  // The two operands that an elementwise operation broadcasts against each other.
  static std::pair<const Expr*, const Expr*> broadcast_operands(const Node* node) {
    if (const auto* operation = as<BinaryOperation>(node)) {
      using enum BinaryOperator;
      const BinaryOperator op = operation->op;
      if (op == Add || op == Subtract || op == Multiply || op == Divide || op == Power)
        return {operation->left, operation->right};
    }
    if (const auto* call = as<Call>(node);
        call != nullptr && call->callee.text() == "numpy.divide" && call->arguments.size() == 2)
      return {call->arguments[0], call->arguments[1]};
    return {nullptr, nullptr};
  }

  // What a division of numbers divides by.
  const Expr* divisor_of(const Node* node) const {
    const auto* operation = as<BinaryOperation>(node);
    if (operation == nullptr || operation->op != BinaryOperator::Divide ||
        !input_.type_of(operation->right).is_number())
      return nullptr;
    return operation->right;
  }

  // Whether two arrays that do not fit raise in the backward part as well.
  bool joined_again(const Expr* expression) const {
    const auto operands = broadcast_operands(expression);
    if (operands.first == nullptr) return false;
    const Type left = input_.type_of(operands.first);
    const Type right = input_.type_of(operands.second);
    if (!left.is_array() || !right.is_array() || left.rank < 0 || right.rank < 0) return false;
    return std::any_of(joined_.begin(), joined_.end(), [&](const auto& pair) {
      return (same_shape(pair.first, left) && same_shape(pair.second, right)) ||
             (same_shape(pair.first, right) && same_shape(pair.second, left));
    });
  }

  struct Evaluated {
    const Node* node;
    bool nested;  // in a branch or loop
  };
  using Evaluations = std::unordered_map<std::size_t, std::vector<Evaluated>>;

  static bool is_among(const Evaluations& evaluations, const Expr* expression, bool nested) {
    const auto found = evaluations.find(hash(expression));
    return found != evaluations.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](const Evaluated& other) {
             return (nested || !other.nested) && equal(other.node, expression);
           });
  }

  bool evaluated_again(const Expr* expression, bool nested) const {
    if (joined_again(expression)) return true;
    // A quotient by the same number raises where that number is zero, whatever is divided.
    const Expr* divisor = divisor_of(expression);
    return is_among(again_, expression, nested) ||
           (divisor != nullptr && is_among(divisors_, divisor, nested));
  }

  bool is_live(const Expr* target, const VariableSet& live) {
    const auto* subscript = as<Subscript>(target);
    bool found = false;
    for_each_target(subscript != nullptr ? subscript->value : target,
                    [&](Symbol symbol) { found = found || live.has(variables_.number(symbol)); });
    return found;
  }

  // Whether an assignment has to stay.
  bool is_needed(const Stmt* statement) {
    return is_needed(statement, live_targets_.contains(statement));
  }

  bool is_needed(const Stmt* statement, bool target_is_live) {
    if (target_is_live) return true;
    const auto* assign = as<Assign>(statement);
    const auto* augmented = as<AugmentedAssign>(statement);
    const Expr* target = assign != nullptr ? assign->targets[0] : augmented->target;
    // A list follows that of the primal, whether what it gives is read or not.
    if (list_change(statement)) return true;
    // What the forward part stores may be seen under another name, or by the caller.
    if (input_.forward.contains(statement)) {
      if (is<Subscript>(target)) return true;
      const auto* name = as<Name>(target);
      if (augmented != nullptr && name != nullptr && input_.written.contains(name->symbol))
        return true;
    }
    if (const Pop* pop = pop_of(statement)) return !dead_tapes_.contains(pop->tape);
    if (const auto* name = as<Name>(target); name != nullptr && tapes_.contains(name->symbol)) {
      return !dead_tapes_.contains(name->symbol);
    }
    const Expr* value = assign != nullptr ? assign->value : augmented->value;
    if (!input_.forward.contains(statement)) return holds(value, Kind::Pop) || is_pair_call(value);
    if (!input_.effects.is_pure(value)) return true;
    if (is<TupleDisplay>(target)) return true;  // unpacking checks the length
    const auto is_harmless = harmless(statement);
    if (augmented != nullptr && input_.effects.may_raise(context_operation(augmented), is_harmless))
      return true;
    std::vector<const Expr*> parts;
    collect_raising(value, is_harmless, parts);
    return !parts.empty();
  }

  // v += e of a number that nobody reads, which is kept for what may raise in e.
  bool may_only_raise(const AugmentedAssign* statement) const {
    using enum BinaryOperator;
    return input_.forward.contains(statement) && is<Name>(statement->target) &&
           (statement->op == Add || statement->op == Subtract || statement->op == Multiply) &&
           input_.type_of(statement->target).is_number() &&
           input_.type_of(statement->value).is_number() && !live_targets_.contains(statement);
  }

  // The parts of an expression that may raise, as far as sums and products of numbers, which do
  // not, are around them.
  void collect_raising(const Expr* value, const std::function<bool(const Expr*)>& is_harmless,
                       std::vector<const Expr*>& parts) const {
    if (!input_.effects.may_raise(value, is_harmless)) return;
    auto is_number = [&](const Expr* part) { return input_.type_of(part).is_number(); };
    const auto* operation = as<BinaryOperation>(value);
    using enum BinaryOperator;
    if (operation != nullptr && is_number(operation->left) && is_number(operation->right) &&
        (operation->op == Add || operation->op == Subtract || operation->op == Multiply)) {
      collect_raising(operation->left, is_harmless, parts);
      collect_raising(operation->right, is_harmless, parts);
      return;
    }
    const auto* call = as<Call>(value);
    const std::string_view callee = call != nullptr ? call->callee.text() : std::string_view();
    if ((callee == "builtins.min" || callee == "builtins.max" || callee == "builtins.abs") &&
        call->keywords.empty() && std::ranges::all_of(call->arguments, is_number) &&
        (call->arguments.size() > 1 || callee == "builtins.abs")) {
      for (const Expr* argument : call->arguments) collect_raising(argument, is_harmless, parts);
      return;
    }
    parts.push_back(value);
  }

  // What is left of a value that nobody reads: the part that may raise.
  const Stmt* only_raising(const Stmt* statement, const Expr* value) {
    std::vector<const Expr*> parts;
    if (input_.effects.is_pure(value)) collect_raising(value, harmless(statement), parts);
    const Expr* left = parts.size() == 1 ? parts[0] : value;
    return made_anew(statement, input_.context.make<ExpressionStatement>(statement->ranges, left),
                     input_);
  }

  std::function<bool(const Expr*)> harmless(const Stmt* statement) const {
    const bool nested = nested_.contains(statement);
    // An exception that a handler takes is not one that the backward part raises.
    if (attempted_.contains(statement)) return {};
    return [this, nested](const Expr* expression) { return evaluated_again(expression, nested); };
  }

  const Expr* context_operation(const AugmentedAssign* augmented) {
    return input_.context.make<BinaryOperation>({}, augmented->op, augmented->target,
                                                augmented->value);
  }

  void find_live_tapes(Block block, std::unordered_map<Symbol, bool>& tapes) {
    for (const Stmt* statement : block) {
      if (const auto* assign = as<Assign>(statement);
          assign != nullptr && (is<BinaryOperation>(assign->value) || is<Call>(assign->value))) {
        // How often a tape grew.
        for_each_read(assign->value, [&](Symbol read) {
          if (tapes_.contains(read) && live_targets_.contains(statement)) tapes[read] = true;
        });
      }
      if (const Pop* pop = pop_of(statement)) {
        const Expr* target = static_cast<const Assign*>(statement)->targets[0];
        // What is taken from a tape of tapes is one.
        const auto* name = as<Name>(target);
        const bool live = live_targets_.contains(statement) ||
                          (name != nullptr && tapes_.contains(name->symbol) &&
                           !dead_tapes_.contains(name->symbol));
        tapes[pop->tape] = tapes[pop->tape] || live;
      } else if (const auto* branch = as<If>(statement)) {
        find_live_tapes(branch->body, tapes);
        find_live_tapes(branch->orelse, tapes);
      } else if (const auto* loop = as<For>(statement)) {
        find_live_tapes(loop->body, tapes);
      } else if (const auto* repeat = as<While>(statement)) {
        // A loop that runs as long as a tape lasts needs it.
        if (const auto* name = as<Name>(repeat->test)) tapes[name->symbol] = true;
        find_live_tapes(repeat->body, tapes);
      }
    }
  }

  bool is_empty(Block block) const {
    return std::all_of(block.begin(), block.end(), [](const Stmt* statement) {
      return is<Comment>(statement) || is<Pass>(statement);
    });
  }

  Block rewrite(Block block) {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : block) {
      if (const Stmt* kept = rewrite(statement)) out.push_back(kept);
    }
    return input_.context.list(out);
  }

  const Stmt* rewrite(const Stmt* statement) {
    Context& context = input_.context;
    if (const auto* push = as<Push>(statement)) {
      return dead_tapes_.contains(push->tape) ? nullptr : statement;
    }
    if (const auto* assign = as<Assign>(statement)) {
      const auto* target = as<Name>(assign->targets[0]);
      if (target != nullptr && dead_tapes_.contains(target->symbol)) return nullptr;
      if (is_needed(statement)) {
        // Kept for what it may raise alone: nobody reads the name.
        if (target != nullptr && input_.forward.contains(statement) && !is<Pop>(assign->value) &&
            !tapes_.contains(target->symbol) && !live_targets_.contains(statement))
          return only_raising(statement, assign->value);
        return statement;
      }
      return nullptr;
    }
    if (const auto* augmented = as<AugmentedAssign>(statement)) {
      if (!is_needed(statement)) return nullptr;
      return may_only_raise(augmented) ? only_raising(statement, augmented->value) : statement;
    }
    if (const auto* branch = as<If>(statement)) {
      const Block body = rewrite(branch->body);
      const Block orelse = rewrite(branch->orelse);
      if (is_empty(body) && is_empty(orelse) && input_.effects.is_pure(branch->test) &&
          !(input_.forward.contains(statement) &&
            input_.effects.may_raise(branch->test, harmless(statement)))) {
        removed_block_ = true;
        return nullptr;
      }
      return made_anew(statement, context.make<If>(branch->ranges, branch->test, body, orelse),
                       input_);
    }
    if (const auto* loop = as<For>(statement)) {
      const Block body = rewrite(loop->body);
      const bool ours = !input_.forward.contains(statement);
      if (is_empty(body) && input_.effects.is_pure(loop->iterable) &&
          (ours || !live_items_.contains(loop))) {
        removed_block_ = true;
        return nullptr;
      }
      return made_anew(
          statement,
          context.make<For>(loop->ranges, loop->target, loop->iterable, body, Block(), false),
          input_);
    }
    if (const auto* repeat = as<While>(statement)) {
      return made_anew(
          statement,
          context.make<While>(repeat->ranges, repeat->test, rewrite(repeat->body), Block()),
          input_);
    }
    return statement;
  }

  const PassInput& input_;
  bool removed_block_ = false;
  Variables variables_;
  NodeSet live_targets_;  // statements that assign what is read later
  NodeSet live_items_;    // loops whose targets are read behind them
  SymbolSet tapes_;
  SymbolSet dead_tapes_;
  std::unordered_map<Symbol, Symbol> shaped_like_;  // a tangent or adjoint -> its variable
  Evaluations again_;
  Evaluations divisors_;                       // of the quotients among them
  std::vector<std::pair<Type, Type>> joined_;  // of arrays that are broadcast together anyhow
  NodeSet nested_;                             // statements in branches and loops
  NodeSet attempted_;                          // those of a `try`
};

}  // namespace

Block remove_dead_code(Block body, const PassInput& input) {
  for (bool again = true; again;) {
    DeadCode pass(input);
    body = pass.run(body);
    again = pass.removed_block();
  }
  return body;
}

}  // namespace tangent
