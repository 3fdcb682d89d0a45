#include "lower/transposes.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

class WithoutTransposes {
 public:
  WithoutTransposes(Context& context, FunctionView<bool(const Expr*, std::string_view)> is_builtin,
                    FunctionView<bool(Symbol)> is_variadic)
      : context_(context), is_builtin_(is_builtin), is_variadic_(is_variadic) {}

  Block run(Block body) {
    const bool any = std::ranges::any_of(body, [&](const Stmt* it) { return mentions_one(it); });
    if (!any) return body;
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) taken_.insert(name->symbol);
        if (const auto* parameter = as<Parameter>(&node)) taken_.insert(parameter->name);
      });
    }
    return block(body);
  }

 private:
  using Statements = std::vector<const Stmt*>;

  // The rows of zip(*rows); null for anything else.
  const Expr* rows_of(const Node* node) const {
    const auto* call = as<Call>(node);
    if (call == nullptr || call->arguments.size() != 1 || !call->keywords.empty()) return nullptr;
    const auto* starred = as<Starred>(call->arguments[0]);
    if (starred == nullptr || !is_builtin_(call->function, "zip")) return nullptr;
    const Expr* rows = starred->value;
    if (is<TupleDisplay>(rows) || is<ListDisplay>(rows)) return nullptr;
    const auto* name = as<Name>(rows);
    return name != nullptr && is_variadic_(name->symbol) ? nullptr : rows;
  }

  // The rows of what only makes lists of the columns: list(zip(*rows)), map(list, zip(*rows)),
  // [list(c) for c in zip(*rows)].
  const Expr* rows_of_lists(const Expr* value) const {
    if (const Expr* rows = rows_of(value)) return rows;
    if (const auto* call = as<Call>(value); call != nullptr && call->keywords.empty()) {
      const bool one = call->arguments.size() == 1;
      if (one && (is_builtin_(call->function, "list") || is_builtin_(call->function, "tuple")))
        return rows_of_lists(call->arguments[0]);
      if (call->arguments.size() == 2 && is_builtin_(call->function, "map") &&
          (is_builtin_(call->arguments[0], "list") || is_builtin_(call->arguments[0], "tuple")))
        return rows_of_lists(call->arguments[1]);
      return nullptr;
    }
    const auto* comprehension = as<Comprehension>(value);
    if (comprehension == nullptr || comprehension->generators.size() != 1 ||
        comprehension->key != nullptr)
      return nullptr;
    const Generator* generator = comprehension->generators[0];
    const auto* made = as<Call>(comprehension->element);
    const bool copies = made != nullptr && made->arguments.size() == 1 && made->keywords.empty() &&
                        generator->conditions.empty() && is<Name>(generator->target) &&
                        equal(made->arguments[0], generator->target) &&
                        is_builtin_(made->function, "list");
    return copies ? rows_of(generator->iterable) : nullptr;
  }

  bool mentions_one(const Node* node) const {
    return find_node(node, [&](const Node* part) { return rows_of(part) != nullptr; }) != nullptr;
  }

  Symbol fresh(const std::string& wish) {
    Symbol symbol = context_.symbol(wish);
    for (int number = 2; taken_.contains(symbol); ++number)
      symbol = context_.symbol(wish + std::to_string(number));
    taken_.insert(symbol);
    return symbol;
  }
  const Expr* name_of(Symbol symbol, Ranges ranges) {
    return context_.make<Name>(ranges, symbol, Scope::Unresolved);
  }
  const Expr* call(std::string_view function, const std::vector<const Expr*>& arguments,
                   Ranges ranges) {
    return context_.make<Call>(ranges, name_of(context_.symbol(function), ranges), Symbol(),
                               context_.list(arguments), List<const Keyword*>());
  }
  const Expr* list_of(const Expr* element, const Expr* target, const Expr* iterable,
                      Ranges ranges) {
    const auto* generator = context_.make<Generator>(ranges, target, iterable, Exprs(), false);
    return context_.make<Comprehension>(ranges, ComprehensionKind::List,
                                        static_cast<const Expr*>(nullptr), element,
                                        context_.list<const Generator*>({generator}));
  }
  const Stmt* bound(const Expr* target, const Expr* value, Ranges ranges) {
    return context_.make<Assign>(ranges, context_.list<const Expr*>({target}), value);
  }
  const Expr* displayed(const std::vector<Symbol>& names, Ranges ranges) {
    std::vector<const Expr*> parts;
    for (const Symbol name : names) parts.push_back(name_of(name, ranges));
    return context_.make<TupleDisplay>(ranges, Exprs(context_.list(parts)));
  }

  Block block(Block body) {
    return with_statements(context_, body,
                           [this](const Stmt* it, Statements& out) { return statement(it, out); });
  }

  const Stmt* statement(const Stmt* it, Statements& out) {
    if (is<FunctionDefinition>(it) || is<ClassDefinition>(it)) return it;
    if (!mentions_one(it)) return it;
    const Ranges ranges = it->ranges;
    if (const auto* assign = as<Assign>(it); assign != nullptr && assign->targets.size() == 1) {
      if (const Expr* rows = rows_of_lists(assign->value)) {
        if (const Exprs targets = parts_of(assign->targets[0]); targets.size() > 1)
          return unpacked(targets, rows, ranges, out);
      }
    }
    if (const auto* loop = as<For>(it)) {
      const Expr* iterable = loop->iterable;
      const Exprs targets = parts_of(loop->target);
      const Expr* rows = rows_of(iterable);
      if (rows != nullptr && targets.size() > 1) {
        std::vector<Symbol> names;
        for (std::size_t k = 0; k < targets.size(); ++k) names.push_back(fresh("row"));
        out.push_back(bound(displayed(names, ranges), expression(rows, &out), ranges));
        std::vector<const Expr*> parts;
        for (const Symbol name : names) parts.push_back(name_of(name, ranges));
        iterable = call("zip", parts, iterable->ranges);
      } else {
        iterable = expression(iterable, &out);
      }
      return context_.make<For>(ranges, loop->target, iterable, block(loop->body),
                                loop->orelse.empty() ? Block() : block(loop->orelse),
                                loop->is_async);
    }
    const bool repeats = is<While>(it);
    const Stmt* inside = with_blocks(context_, it, [&](Block inner) { return block(inner); });
    return static_cast<const Stmt*>(
        rewrite_children(context_, *inside, [&](const Node* child) -> const Node* {
          if (is_statement(child->kind)) return child;
          return rewritten(child, repeats ? nullptr : &out);
        }));
  }

  // The targets `a, b`, if none of them is starred.
  static Exprs parts_of(const Expr* target) {
    const auto* tuple = as<TupleDisplay>(target);
    if (tuple == nullptr) return {};
    const bool plain =
        std::ranges::none_of(tuple->elements, [](const Expr* one) { return is<Starred>(one); });
    return plain ? tuple->elements : Exprs();
  }

  // xs, ys = zip(*pairs)
  const Stmt* unpacked(Exprs targets, const Expr* rows, Ranges ranges, Statements& out) {
    rows = expression(rows, &out);
    const auto* name = as<Name>(rows);
    const bool among = name == nullptr || std::ranges::any_of(targets, [&](const Expr* target) {
                         return find_node(target, [&](const Node* part) {
                                  const auto* one = as<Name>(part);
                                  return one != nullptr && one->symbol == name->symbol;
                                }) != nullptr;
                       });
    if (among) {
      const Expr* kept = name_of(fresh("rows"), ranges);
      out.push_back(bound(kept, rows, ranges));
      rows = kept;
    }
    std::vector<Symbol> parts;
    for (std::size_t k = 0; k < targets.size(); ++k) parts.push_back(fresh("part"));
    const Stmt* last = nullptr;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (last != nullptr) out.push_back(last);
      last =
          bound(targets[k],
                list_of(name_of(parts[k], ranges), displayed(parts, ranges), rows, ranges), ranges);
    }
    return last;
  }

  // `out`: where statements may be put in front; null where the expression is not evaluated once.
  const Expr* expression(const Expr* it, Statements* out) {
    return static_cast<const Expr*>(rewritten(it, out));
  }

  const Node* rewritten(const Node* node, Statements* out) {
    if (!mentions_one(node)) return node;
    if (const Expr* rows = rows_of(node)) {
      const Ranges ranges = node->ranges;
      rows = expression(rows, out);
      if (!is<Name>(rows)) {
        if (out == nullptr) return node;
        const Expr* kept = name_of(fresh("rows"), ranges);
        out->push_back(bound(kept, rows, ranges));
        rows = kept;
      }
      return columns(rows, ranges);
    }
    const bool once = !is<Conditional>(node) && !is<BooleanOperation>(node) &&
                      !is<Comprehension>(node) && !is<Lambda>(node);
    if (const auto* comprehension = as<Comprehension>(node);
        comprehension != nullptr && out != nullptr) {
      // The first iterable is evaluated once.
      const Expr* first = comprehension->generators[0]->iterable;
      return rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
        if (child != comprehension->generators[0]) return rewritten(child, nullptr);
        return rewrite_children(context_, *child, [&](const Node* part) {
          return rewritten(part, part == first ? out : nullptr);
        });
      });
    }
    return rewrite_children(
        context_, *node, [&](const Node* child) { return rewritten(child, once ? out : nullptr); });
  }

  // [[row[k] for row in rows] for k in range(len(rows[0]) if len(rows) > 0 else 0)]
  const Expr* columns(const Expr* rows, Ranges ranges) {
    const Symbol row = fresh("row");
    const Symbol k = fresh("k");
    const Expr* item = context_.make<Subscript>(ranges, name_of(row, ranges), name_of(k, ranges));
    const Expr* column = list_of(item, name_of(row, ranges), rows, ranges);
    const Expr* zero = context_.integer(0, ranges);
    const Expr* first = context_.make<Subscript>(ranges, rows, zero);
    const Expr* test =
        context_.make<Comparison>(ranges, call("len", {rows}, ranges),
                                  context_.list<ComparisonOperator>({ComparisonOperator::Greater}),
                                  context_.list<const Expr*>({zero}));
    const Expr* length =
        context_.make<Conditional>(ranges, test, call("len", {first}, ranges), zero);
    return list_of(column, name_of(k, ranges), call("range", {length}, ranges), ranges);
  }

  Context& context_;
  FunctionView<bool(const Expr*, std::string_view)> is_builtin_;
  FunctionView<bool(Symbol)> is_variadic_;
  std::unordered_set<Symbol> taken_;
};

}  // namespace

Block without_transposes(Context& context, Block body,
                         FunctionView<bool(const Expr*, std::string_view)> is_builtin,
                         FunctionView<bool(Symbol)> is_variadic) {
  return WithoutTransposes(context, is_builtin, is_variadic).run(body);
}

}  // namespace tangent::lowering
