#include "lower/copies.h"

#include <unordered_map>

#include "lower/lowering.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

class Copies {
 public:
  Copies(const CoreFunction& core, const std::unordered_set<Symbol>& variables, Context& context)
      : context_(context) {
    for (const Parameter* parameter : core.parameters) ++bindings_[parameter->name];
    for (const Stmt* statement : core.body) count(statement);
    for (const Stmt* statement : core.body) find(statement, variables);
  }

  Block run(Block body) { return values_.empty() ? body : block(body); }

 private:
  void bound(const Expr* target) {
    if (const auto* name = as<Name>(target)) ++bindings_[name->symbol];
    if (const auto* tuple = as<TupleDisplay>(target)) {
      for (const Expr* element : tuple->elements) bound(element);
    }
  }

  void count(const Node* node) {
    if (!is_statement(node->kind)) return;
    if (const auto* assign = as<Assign>(node)) bound(assign->targets[0]);
    if (const auto* augmented = as<AugmentedAssign>(node)) bound(augmented->target);
    if (const auto* loop = as<For>(node)) bound(loop->target);
    for_each_child(*node, [&](const Node* child) { count(child); });
  }

  // In the order of the text: a copy of a copy is what the first one stands for.
  void find(const Node* node, const std::unordered_set<Symbol>& variables) {
    if (!is_statement(node->kind)) return;
    if (const auto* assign = as<Assign>(node)) {
      const auto* target = as<Name>(assign->targets[0]);
      if (target != nullptr && variables.contains(target->symbol) &&
          bindings_[target->symbol] == 1 && stays(assign->value)) {
        values_.emplace(target->symbol, static_cast<const Expr*>(rewrite(assign->value)));
      }
    }
    for_each_child(*node, [&](const Node* child) { find(child, variables); });
  }

  bool stays(const Expr* value) {
    if (!is_simple(value) || is<TupleDisplay>(value)) return false;
    const auto* name = as<Name>(value);
    return name == nullptr || name->scope == Scope::Global || bindings_[name->symbol] == 1;
  }

  Block block(Block statements) {
    Statements out;
    for (const Stmt* statement : statements) {
      if (const auto* assign = as<Assign>(statement)) {
        const auto* target = as<Name>(assign->targets[0]);
        if (target != nullptr && values_.contains(target->symbol)) continue;
      }
      if (const auto* branch = as<If>(statement)) {
        append_if(context_, expression(branch->test), block(branch->body), block(branch->orelse),
                  branch->ranges, out);
      } else if (const auto* loop = as<For>(statement)) {
        out.push_back(context_.make<For>(loop->ranges, loop->target, expression(loop->iterable),
                                         filled(block(loop->body), loop->ranges), loop->orelse,
                                         loop->is_async));
      } else if (const auto* repeat = as<While>(statement)) {
        out.push_back(context_.make<While>(repeat->ranges, expression(repeat->test),
                                           filled(block(repeat->body), repeat->ranges),
                                           repeat->orelse));
      } else {
        out.push_back(static_cast<const Stmt*>(rewrite(statement)));
      }
    }
    return context_.list(out);
  }

  Block filled(Block body, Ranges ranges) {
    return body.empty() ? Block(context_.list<const Stmt*>({context_.make<Pass>(ranges)})) : body;
  }

  const Expr* expression(const Expr* node) { return static_cast<const Expr*>(rewrite(node)); }

  const Node* rewrite(const Node* node) {
    if (const auto* name = as<Name>(node)) {
      const auto found = name->scope == Scope::Local ? values_.find(name->symbol) : values_.end();
      return found != values_.end() ? again(found->second, name->ranges) : node;
    }
    if (find_node(node, [&](const Node* part) {
          const auto* name = as<Name>(part);
          return name != nullptr && values_.contains(name->symbol);
        }) == nullptr)
      return node;
    return rewrite_children(context_, *node, [&](const Node* child) { return rewrite(child); });
  }

  // The value at one more place.
  const Expr* again(const Expr* value, Ranges ranges) {
    if (const auto* constant = as<Constant>(value))
      return context_.make<Constant>(ranges, constant->value);
    if (const auto* name = as<Name>(value))
      return context_.make<Name>(ranges, name->symbol, name->scope);
    if (const auto* unary = as<UnaryOperation>(value))
      return context_.make<UnaryOperation>(ranges, unary->op, again(unary->operand, ranges));
    const auto* attribute = static_cast<const Attribute*>(value);
    return context_.make<Attribute>(ranges, again(attribute->value, ranges), attribute->attribute);
  }

  Context& context_;
  std::unordered_map<Symbol, int> bindings_;
  std::unordered_map<Symbol, const Expr*> values_;
};

// Arithmetic on names and constants: it can stand wherever its operands are the same. What may
// raise, and what is evaluated only sometimes, stays where it is.
bool is_arithmetic(const Expr* value) {
  using enum BinaryOperator;
  return find_node(value, [](const Node* node) {
           if (is<Constant>(node) || is<UnaryOperation>(node)) return false;
           if (const auto* name = as<Name>(node)) return name->scope != Scope::Local;
           const auto* operation = as<BinaryOperation>(node);
           return operation == nullptr ||
                  (operation->op != Add && operation->op != Subtract && operation->op != Multiply);
         }) == nullptr;
}

bool evaluates_sometimes(const Stmt* statement) {
  return find_node(statement, [](const Node* node) {
           const auto* comparison = as<Comparison>(node);
           return is<Conditional>(node) || is<BooleanOperation>(node) || is<Comprehension>(node) ||
                  is<Lambda>(node) || (comparison != nullptr && comparison->ops.size() > 1);
         }) != nullptr;
}

// An assignment to a name, or null.
const Assign* named(const Stmt* statement) {
  const auto* assign = as<Assign>(statement);
  return assign != nullptr && is<Name>(assign->targets[0]) ? assign : nullptr;
}

Symbol target_of(const Assign* assign) {
  return static_cast<const Name*>(assign->targets[0])->symbol;
}

class Temporaries {
 public:
  Temporaries(Block body, const std::unordered_set<Symbol>& variables, Context& context)
      : variables_(variables), context_(context) {
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) ++mentions_[name->symbol];
      });
    }
    std::vector<Symbol> assigned;
    collect_assigned(body, assigned);
    for (const Symbol symbol : assigned) ++bindings_[symbol];
  }

  Block run(Block statements) {
    Statements out;
    for (const Stmt* statement : statements)
      out.push_back(with_blocks(context_, statement, [&](Block inner) { return run(inner); }));
    // From the last to the first: what is put into a later value may hold such values itself.
    for (std::size_t k = out.size(); k-- > 0;) settle(out, k);
    return context_.list(out);
  }

 private:
  // A variable that is set here and mentioned at one more place.
  void settle(Statements& statements, std::size_t at) {
    const Assign* assign = named(statements[at]);
    if (assign == nullptr || !variables_.contains(target_of(assign)) ||
        mentions_[target_of(assign)] != 2 || bindings_[target_of(assign)] != 1)
      return;
    const Symbol variable = target_of(assign);
    for (std::size_t k = at + 1; k < statements.size(); ++k) {
      if (mentions(statements[k], variable)) {
        if (const Assign* copy = named(statements[k]); copy != nullptr && copy_of(copy, variable)) {
          rename(statements, at, k, target_of(copy));
        } else {
          substitute(statements, at, k);
        }
        return;
      }
    }
  }

  static bool copy_of(const Assign* assign, Symbol variable) {
    const auto* name = as<Name>(assign->value);
    return name != nullptr && name->symbol == variable;
  }

  // x2 = e; …; x = x2: if nothing between mentions x, the value goes to x at once.
  void rename(Statements& statements, std::size_t at, std::size_t copy, Symbol target) {
    for (std::size_t k = at + 1; k < copy; ++k) {
      if (!is_plain(statements[k]) || mentions(statements[k], target))
        return substitute(statements, at, copy);
    }
    const auto* assign = static_cast<const Assign*>(statements[at]);
    if (const auto* name = as<Name>(assign->value); name != nullptr && name->symbol == target) {
      // x2 = x; …; x = x2
      statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(copy));
      statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(at));
      mentions_[target] -= 2;
      return;
    }
    statements[at] = context_.assign(context_.local(target, assign->targets[0]->ranges),
                                     assign->value, statements[at]->ranges);
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(copy));
    --mentions_[target];
  }

  // x2 = e; …; s(x2): e goes where x2 is read, if its operands are still the same there.
  void substitute(Statements& statements, std::size_t at, std::size_t use) {
    const auto* assign = static_cast<const Assign*>(statements[at]);
    if (const ListChange change = list_change(statements[use]); change && change.appends)
      return append_at_once(statements, at, use);
    if (!is_arithmetic(assign->value) || !is_plain(statements[use]) ||
        evaluates_sometimes(statements[use]))
      return;
    for (std::size_t k = at + 1; k < use; ++k) {
      // `w *= 2` may change the array of an operand by another name.
      if (!is_plain(statements[k]) || is<AugmentedAssign>(statements[k])) return;
      std::vector<Symbol> assigned;
      collect_assigned(std::span(statements).subspan(k, 1), assigned);
      for (const Symbol symbol : assigned) {
        if (mentions(assign->value, symbol)) return;
      }
    }
    if (stored_place(statements[use]) != nullptr) return;
    const Symbol variable = target_of(assign);
    statements[use] = static_cast<const Stmt*>(put(statements[use], variable, assign->value));
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(at));
  }

  // x2 = e; xs.append(x2): xs.append(e), if nothing but other lists is appended to between.
  void append_at_once(Statements& statements, std::size_t at, std::size_t use) {
    const auto* assign = static_cast<const Assign*>(statements[at]);
    if (list_change(statements[at]) || !is<Name>(list_change(statements[use]).item)) return;
    for (std::size_t k = at + 1; k <= use; ++k) {
      const ListChange change = list_change(statements[k]);
      if (!change || !change.appends || mentions(assign->value, change.list->symbol)) return;
      if (k < use && !is_name_or_constant(change.item) && !is_arithmetic(change.item)) return;
    }
    const Symbol variable = target_of(assign);
    statements[use] = static_cast<const Stmt*>(put(statements[use], variable, assign->value));
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(at));
  }

  const Node* put(const Node* node, Symbol variable, const Expr* value) {
    if (const auto* name = as<Name>(node); name != nullptr && name->symbol == variable)
      return value;
    if (!mentions(node, variable)) return node;
    return rewrite_children(context_, *node,
                            [&](const Node* child) { return put(child, variable, value); });
  }

  // One that neither branches nor writes into an array.
  static bool is_plain(const Stmt* statement) {
    return (is<Assign>(statement) || is<AugmentedAssign>(statement) || is<Return>(statement)) &&
           stored_place(statement) == nullptr && !list_change(statement);
  }

  const std::unordered_set<Symbol>& variables_;
  Context& context_;
  std::unordered_map<Symbol, int> mentions_;
  std::unordered_map<Symbol, int> bindings_;
};

}  // namespace

Block without_needless_attributes(const CoreFunction& core,
                                  const std::unordered_set<Symbol>& variables, Context& context) {
  const Block body = Copies(core, variables, context).run(core.body);
  return Temporaries(body, variables, context).run(body);
}

}  // namespace tangent::lowering
