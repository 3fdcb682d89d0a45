// Definite assignment over the user's statements (unbound.h).
#include "lower/unbound.h"

#include <optional>
#include <vector>

#include "lower/exits.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

using Assigned = std::unordered_set<Symbol>;

Assigned intersection(const Assigned& a, const Assigned& b) {
  Assigned both;
  for (const Symbol name : a) {
    if (b.contains(name)) both.insert(name);
  }
  return both;
}

class Definite {
 public:
  explicit Definite(const ScopeFacts& facts) : facts_(facts) {}

  // The names assigned after the block, which starts with `state`.
  void block(Block statements, Assigned& state) {
    for (const Stmt* statement : statements) {
      visit(*statement, state);
      if (!exits_.of(statement).falls) return;
    }
  }

  std::unordered_set<Symbol> unbound;

 private:
  // What is assigned wherever a loop is left by break, and wherever its next round begins.
  struct Jumps {
    std::optional<Assigned> after;
    std::optional<Assigned> next;
  };

  void reads(const Node* node, Assigned& state) {
    if (node == nullptr) return;
    if (const auto* name = as<Name>(node)) {
      if (facts_.is_local(name->symbol) && !state.contains(name->symbol)) {
        unbound.insert(name->symbol);
      }
    } else if (const auto* walrus = as<NamedExpression>(node)) {
      reads(walrus->value, state);
      assign(walrus->target, state);
    } else if (is<Conditional>(node) || is<BooleanOperation>(node)) {
      // What is assigned behind the first operand may not happen.
      bool first = true;
      Assigned inner;
      for_each_child(*node, [&](const Node* child) {
        reads(child, first ? state : inner);
        if (first) inner = state;
        first = false;
      });
    } else if (const auto* binary = as<BinaryOperation>(node)) {
      std::vector<const BinaryOperation*> spine;  // sums lean to the left, and are long
      const Expr* leftmost = binary;
      while (const auto* inner = as<BinaryOperation>(leftmost)) {
        spine.push_back(inner);
        leftmost = inner->left;
      }
      reads(leftmost, state);
      for (auto it = spine.rbegin(); it != spine.rend(); ++it) reads((*it)->right, state);
    } else if (!is<Lambda>(node)) {
      for_each_child(*node, [&](const Node* child) { reads(child, state); });
    }
  }

  static void assign(const Expr* target, Assigned& state) {
    if (const auto* name = as<Name>(target)) state.insert(name->symbol);
    if (const auto* tuple = as<TupleDisplay>(target)) {
      for (const Expr* element : tuple->elements) assign(element, state);
    }
    if (const auto* list = as<ListDisplay>(target)) {
      for (const Expr* element : list->elements) assign(element, state);
    }
  }

  void visit(const Stmt& it, Assigned& state) {
    switch (it.kind) {
      case Kind::Assign: {
        const auto& statement = static_cast<const Assign&>(it);
        reads(statement.value, state);
        for (const Expr* target : statement.targets) {
          if (is<Subscript>(target)) reads(target, state);
          assign(target, state);
        }
        return;
      }
      case Kind::AugmentedAssign: {
        const auto& statement = static_cast<const AugmentedAssign&>(it);
        reads(statement.target, state);
        return reads(statement.value, state);
      }
      case Kind::AnnotatedAssign: {
        const auto& statement = static_cast<const AnnotatedAssign&>(it);
        if (statement.value == nullptr) return;
        reads(statement.value, state);
        return assign(statement.target, state);
      }
      case Kind::If: {
        const auto& branch = static_cast<const If&>(it);
        reads(branch.test, state);
        Assigned other = state;
        block(branch.body, state);
        block(branch.orelse, other);
        const bool falls = exits_.of_block(branch.body).falls;
        if (!falls) {
          state = std::move(other);
        } else if (exits_.of_block(branch.orelse).falls) {
          state = intersection(state, other);
        }
        return;
      }
      case Kind::For: {
        const auto& loop = static_cast<const For&>(it);
        reads(loop.iterable, state);
        Assigned inside = state;
        assign(loop.target, inside);
        Jumps jumps;
        body(loop.body, inside, jumps);
        if (runs_at_least_once(loop.iterable)) state = jumps.next ? *jumps.next : inside;
        block(loop.orelse, state);
        if (jumps.after) state = intersection(state, *jumps.after);
        return;
      }
      case Kind::While: {
        const auto& loop = static_cast<const While&>(it);
        reads(loop.test, state);
        Assigned inside = state;
        Jumps jumps;
        body(loop.body, inside, jumps);
        if (is_always_true(loop.test)) {
          if (jumps.after) state = *jumps.after;
          return;
        }
        block(loop.orelse, state);
        if (jumps.after) state = intersection(state, *jumps.after);
        return;
      }
      case Kind::Break:
        return meet(loops_.back()->after, state);
      case Kind::Continue:
        return meet(loops_.back()->next, state);
      case Kind::FunctionDefinition:
        state.insert(static_cast<const FunctionDefinition&>(it).name);
        return;
      case Kind::Import:
        for (const ImportedName* imported : static_cast<const Import&>(it).names) {
          state.insert(imported->alias ? imported->alias : imported->name);
        }
        return;
      case Kind::Delete:
        return;
      default:
        for_each_child(it, [&](const Node* child) { reads(child, state); });
    }
  }

  // A loop's body; what is assigned at its end, continues included, is in jumps.next.
  void body(Block statements, Assigned& state, Jumps& jumps) {
    loops_.push_back(&jumps);
    block(statements, state);
    loops_.pop_back();
    if (exits_.of_block(statements).falls) meet(jumps.next, state);
  }

  static void meet(std::optional<Assigned>& all, const Assigned& state) {
    all = all ? intersection(*all, state) : state;
  }

  static bool is_positive(const Expr* e) {
    const auto* constant = as<Constant>(e);
    return constant != nullptr && constant->value.kind == LiteralKind::Integer &&
           constant->value.integer > 0;
  }

  // range(3), range(0, 3), a display that is not empty
  static bool runs_at_least_once(const Expr* iterable) {
    if (const auto* tuple = as<TupleDisplay>(iterable)) return !tuple->elements.empty();
    if (const auto* list = as<ListDisplay>(iterable)) return !list->elements.empty();
    const auto* call = as<Call>(iterable);
    if (call == nullptr || !call->keywords.empty()) return false;
    const auto* function = as<Name>(call->function);
    if (function == nullptr || function->symbol.text() != "range") return false;
    if (call->arguments.size() == 1) return is_positive(call->arguments[0]);
    if (call->arguments.size() != 2) return false;
    const auto* from = as<Constant>(call->arguments[0]);
    const auto* to = as<Constant>(call->arguments[1]);
    return from != nullptr && to != nullptr && from->value.kind == LiteralKind::Integer &&
           to->value.kind == LiteralKind::Integer && from->value.integer < to->value.integer;
  }

  const ScopeFacts& facts_;
  ExitTable exits_;
  std::vector<Jumps*> loops_;
};

}  // namespace

std::unordered_set<Symbol> maybe_unbound(List<const Parameter*> parameters, Block body,
                                         const ScopeFacts& facts) {
  Definite definite(facts);
  Assigned state;
  for (const Parameter* parameter : parameters) state.insert(parameter->name);
  definite.block(body, state);
  return std::move(definite.unbound);
}

}  // namespace tangent::lowering
