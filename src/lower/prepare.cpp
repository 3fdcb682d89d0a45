// Conditional operands that call something become Ifs, iterables become names; see prepare.h.
#include "lower/prepare.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "lower/bound_names.h"
#include "lower/columns.h"
#include "lower/dicts.h"
#include "lower/parts.h"
#include "lower/second_names.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

bool reads_local(const Node* node) {
  return find_node(node, [](const Node* part) {
           const auto* name = as<Name>(part);
           return name != nullptr && name->scope == Scope::Local;
         }) != nullptr;
}

bool stores(const Node* node) {
  if (is_statement(node->kind) && stored_place(static_cast<const Stmt*>(node)) != nullptr)
    return true;
  bool found = false;
  for_each_child(*node, [&](const Node* child) {
    found = found || (is_statement(child->kind) && stores(child));
  });
  return found;
}

class Preparer {
 public:
  Preparer(const CoreFunction& core, Context& context) : context_(context) {
    for (const Parameter* parameter : core.parameters) taken_.insert(parameter->name);
    for (const GlobalBinding& global : core.globals) taken_.insert(global.printed);
    for (const Stmt* statement : core.body) {
      take_names(statement);
      stores_ = stores_ || stores(statement);
    }
  }

  Block block(Block statements) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : statements) {
      const std::size_t mark = out.size();
      const Stmt* now = this->statement(statement, out);
      changed = changed || now != statement || out.size() != mark;
      out.push_back(now);
    }
    return changed ? context_.list(out) : statements;
  }

 private:
  using Statements = std::vector<const Stmt*>;

  // Whether an expression calls something, or multiplies matrices, with values of the function, or
  // reads elements where elements are stored: the derivative may have to keep such a value.
  bool calls(const Node* node) const {
    return find_node(node, [this](const Node* part) {
             const auto* operation = as<BinaryOperation>(part);
             const bool kept = is<Call>(part) || (stores_ && is<Subscript>(part)) ||
                               (operation && operation->op == BinaryOperator::MatrixMultiply);
             return kept && reads_local(part);
           }) != nullptr;
  }

  void take_names(const Node* node) {
    for_each_node(*node, [&](const Node& each) {
      if (const auto* name = as<Name>(&each)) taken_.insert(name->symbol);
    });
  }

  Symbol fresh(std::string_view wish) {
    Symbol symbol = context_.symbol(wish);
    for (int number = 2; taken_.contains(symbol); ++number) {
      symbol = context_.symbol(std::string(wish) + std::to_string(number));
    }
    taken_.insert(symbol);
    return symbol;
  }

  const Stmt* statement(const Stmt* it, Statements& out) {
    if (const auto* assign = as<Assign>(it)) {
      const Expr* value = expression(assign->value, out);
      return value == assign->value ? it
                                    : context_.make<Assign>(it->ranges, assign->targets, value);
    }
    if (const auto* augmented = as<AugmentedAssign>(it)) {
      const Expr* value = expression(augmented->value, out);
      return value == augmented->value ? it
                                       : context_.make<AugmentedAssign>(
                                             it->ranges, augmented->target, augmented->op, value);
    }
    if (const auto* result = as<Return>(it)) {
      if (result->value == nullptr) return it;
      const Expr* value = expression(result->value, out);
      return value == result->value ? it : context_.make<Return>(it->ranges, value);
    }
    if (const auto* branch = as<If>(it)) {
      const Block body = block(branch->body);
      const Block orelse = block(branch->orelse);
      if (body.data() == branch->body.data() && orelse.data() == branch->orelse.data()) return it;
      return context_.make<If>(it->ranges, branch->test, body, orelse);
    }
    if (const auto* loop = as<For>(it)) {
      std::unordered_set<Symbol> bound;
      find_bound(loop->body, bound);
      const Expr* iterable = this->iterable(loop->iterable, bound, out);
      const Block body = block(loop->body);
      if (iterable == loop->iterable && body.data() == loop->body.data()) return it;
      return context_.make<For>(it->ranges, loop->target, iterable, body, loop->orelse,
                                loop->is_async);
    }
    if (const auto* repeat = as<While>(it)) {
      const Block body = block(repeat->body);
      if (body.data() == repeat->body.data()) return it;
      return context_.make<While>(it->ranges, repeat->test, body, repeat->orelse);
    }
    return it;
  }

  // What a loop runs over, with expressions of the function's values under a name.
  // A sequence that the body binds anew is another one than the loop runs over.
  const Expr* iterable(const Expr* it, const std::unordered_set<Symbol>& bound, Statements& out) {
    if (const auto* call = as<Call>(it)) {
      const std::string_view callee = call->callee.text();
      if (callee == "builtins.range") return it;
      if (callee == "builtins.enumerate" || callee == "builtins.zip") {
        std::vector<const Expr*> arguments;
        for (const Expr* argument : call->arguments) {
          arguments.push_back(iterable(argument, bound, out));
        }
        if (std::equal(arguments.begin(), arguments.end(), call->arguments.begin())) return it;
        return context_.make<Call>(it->ranges, call->function, call->callee,
                                   context_.list(arguments), call->keywords);
      }
    }
    const auto* direct = as<Name>(it);
    if (direct != nullptr && bound.contains(direct->symbol)) return name(it, "items", out);
    if (direct != nullptr || is<Constant>(it) || !reads_local(it)) return it;
    if (is<Call>(it)) {
      // Iterators (reversed, map, …) run once and are made lists where they are differentiated.
      const std::string_view callee = static_cast<const Call*>(it)->callee.text();
      if (callee.starts_with("builtins.")) return it;
    }
    if (is<TupleDisplay>(it) || is<ListDisplay>(it)) return it;
    return name(expression(it, out), "items", out);
  }

  const Expr* name(const Expr* value, std::string_view wish, Statements& out) {
    const Symbol symbol = fresh(wish);
    out.push_back(context_.assign(context_.local(symbol, value->ranges), value, value->ranges));
    return context_.local(symbol, value->ranges);
  }

  // The expression with its conditional parts in front of it where they call something.
  const Expr* expression(const Expr* it, Statements& out) {
    // Long sums lean to the left and hold no conditionals on their spine: nothing is done to what
    // has none.
    if (!has_conditional(it)) return it;
    if (const auto* conditional = as<Conditional>(it)) {
      if (calls(conditional->body) || calls(conditional->orelse)) {
        const Symbol symbol = fresh("chosen");
        Statements body;
        Statements orelse;
        const Expr* test = expression(conditional->test, out);
        body.push_back(context_.assign(context_.local(symbol), expression(conditional->body, body),
                                       it->ranges));
        orelse.push_back(context_.assign(context_.local(symbol),
                                         expression(conditional->orelse, orelse), it->ranges));
        out.push_back(
            context_.make<If>(it->ranges, test, context_.list(body), context_.list(orelse)));
        return context_.local(symbol, it->ranges);
      }
      return it;
    }
    if (const auto* operation = as<BooleanOperation>(it)) {
      bool later = false;
      for (const Expr* value : operation->values) later = later || calls(value);
      if (!later) return it;
      // value = a; if not value: value = b; …
      const Symbol symbol = fresh("chosen");
      out.push_back(context_.assign(context_.local(symbol),
                                    expression(operation->values.front(), out), it->ranges));
      chain(symbol, *operation, 1, out);
      return context_.local(symbol, it->ranges);
    }
    return static_cast<const Expr*>(
        rewrite_children(context_, *it, [&](const Node* child) -> const Node* {
          if (const auto* keyword = as<Keyword>(child)) {
            const Expr* value = expression(keyword->value, out);
            return value == keyword->value
                       ? child
                       : context_.make<Keyword>(keyword->ranges, keyword->name, value);
          }
          return is_expression(child->kind) ? expression(static_cast<const Expr*>(child), out)
                                            : child;
        }));
  }

  void chain(Symbol symbol, const BooleanOperation& operation, std::size_t k, Statements& out) {
    if (k == operation.values.size()) return;
    Statements next;
    next.push_back(context_.assign(context_.local(symbol), expression(operation.values[k], next),
                                   operation.ranges));
    chain(symbol, operation, k + 1, next);
    const Expr* test = context_.local(symbol);
    if (operation.op == BooleanOperator::Or) {
      test = context_.make<UnaryOperation>(operation.ranges, UnaryOperator::Not, test);
    }
    out.push_back(context_.make<If>(operation.ranges, test, context_.list(next), Block()));
  }

  static bool has_conditional(const Node* node) {
    SmallStack<const Node*> stack(node);
    while (!stack.empty()) {
      const Node* top = stack.pop();
      if (is<Conditional>(top) || is<BooleanOperation>(top)) return true;
      push_children(stack, *top);
    }
    return false;
  }

  Context& context_;
  std::unordered_set<Symbol> taken_;
  bool stores_ = false;  // the function stores into elements
};

}  // namespace

CoreFunction prepare(const CoreFunction& core, Context& context) {
  CoreFunction first = core;
  first.body = without_second_names(core, context);
  const CoreFunction columns = spell_out_columns(first, context);
  CoreFunction ready = replace_parts(spell_out_local_dicts(columns, context), context);
  ready.body = Preparer(ready, context).block(ready.body);
  return ready;
}

}  // namespace tangent
