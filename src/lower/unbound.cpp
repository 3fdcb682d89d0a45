// Definite assignment over the user's statements (unbound.h).
#include "lower/unbound.h"

#include <optional>
#include <unordered_map>
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
      current_ = statement;
      visit(*statement, state);
      if (!exits_.of(statement).falls) return;
    }
  }

  std::unordered_set<Symbol> unbound;
  // By statement the names that it may be the first to read.
  std::unordered_map<const Stmt*, std::vector<Symbol>> first_reads;

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
        // Behind it the name has a value, or nothing runs.
        first_reads[current_].push_back(name->symbol);
        state.insert(name->symbol);
      }
    } else if (const auto* comprehension = as<Comprehension>(node)) {
      reads(comprehension->generators[0]->iterable, state);  // the rest has names of its own
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

  // What a test of this outcome has evaluated, all of `a and b` where it is true.
  void assume(const Expr* test, bool outcome, Assigned& state) {
    if (const auto* negation = as<UnaryOperation>(test)) {
      if (negation->op == UnaryOperator::Not) assume(negation->operand, !outcome, state);
    } else if (const auto* operation = as<BooleanOperation>(test)) {
      if ((operation->op == BooleanOperator::And) != outcome) return;
      for (const Expr* operand : operation->values) {
        reads(operand, state);
        assume(operand, outcome, state);
      }
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
        assume(branch.test, true, state);
        assume(branch.test, false, other);
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
        assume(loop.test, true, inside);
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
  const Stmt* current_ = nullptr;
  std::vector<Jumps*> loops_;
};

class BareReads {
 public:
  BareReads(Context& context, const Definite& definite, const std::unordered_set<Symbol>& names)
      : context_(context), definite_(definite), names_(names) {}

  Block block(Block statements) {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : statements) {
      if (const auto found = definite_.first_reads.find(statement);
          found != definite_.first_reads.end()) {
        for (const Symbol name : found->second) {
          if (!names_.contains(name)) continue;
          out.push_back(context_.make<ExpressionStatement>(
              statement->ranges, context_.local(name, statement->ranges)));
        }
      }
      out.push_back(inside(statement));
    }
    return context_.list(out);
  }

 private:
  const Stmt* inside(const Stmt* statement) {
    if (const auto* branch = as<If>(statement)) {
      return context_.make<If>(branch->ranges, branch->test, block(branch->body),
                               block(branch->orelse));
    }
    if (const auto* loop = as<For>(statement)) {
      return context_.make<For>(loop->ranges, loop->target, loop->iterable, block(loop->body),
                                loop->orelse, loop->is_async);
    }
    if (const auto* loop = as<While>(statement)) {
      return context_.make<While>(loop->ranges, loop->test, block(loop->body), loop->orelse);
    }
    return statement;
  }

  Context& context_;
  const Definite& definite_;
  const std::unordered_set<Symbol>& names_;
};

// After the body has been looked at.
Definite looked_at(List<const Parameter*> parameters, Block body, const ScopeFacts& facts) {
  Definite definite(facts);
  Assigned state;
  for (const Parameter* parameter : parameters) state.insert(parameter->name);
  definite.block(body, state);
  return definite;
}

}  // namespace

std::unordered_set<Symbol> maybe_unbound(List<const Parameter*> parameters, Block body,
                                         const ScopeFacts& facts) {
  return std::move(looked_at(parameters, body, facts).unbound);
}

Block with_bare_reads(Context& context, List<const Parameter*> parameters, Block body,
                      const ScopeFacts& facts, const std::unordered_set<Symbol>& names) {
  const Definite definite = looked_at(parameters, body, facts);
  return BareReads(context, definite, names).block(body);
}

}  // namespace tangent::lowering
