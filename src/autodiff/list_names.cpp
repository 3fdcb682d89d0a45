#include "autodiff/list_names.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "autodiff/reverse.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class ListNamer {
 public:
  ListNamer(const CoreFunction& core, const TypedFunction& typed, Context& context)
      : core_(core), typed_(typed), context_(context) {}

  Block block(Block body) {
    return with_statements(context_, body, [this](const Stmt* statement, auto& out) {
      return renewed(statement, out);
    });
  }

 private:
  NamePool& names() {
    if (!names_) names_.emplace(context_, core_);
    return *names_;
  }

  const Stmt* renewed(const Stmt* statement, std::vector<const Stmt*>& out) {
    if (const auto* loop = as<For>(statement)) {
      if (const Stmt* keyed = by_keys(loop, out)) return keyed;
      const Expr* iterable = named(walked(loop->iterable, out), out);
      if (const Stmt* unpacked = unpacked_inside(loop, iterable)) return unpacked;
      const Block body = block(loop->body);
      if (iterable == loop->iterable && body.data() == loop->body.data()) return statement;
      return context_.make<For>(loop->ranges, loop->target, iterable, body, loop->orelse,
                                loop->is_async);
    }
    if (is<While>(statement) || is<If>(statement))
      return with_blocks(context_, statement, [&](Block inner) { return block(inner); });
    if (const auto* assign = as<Assign>(statement)) {
      if (const Stmt* keys = keys_in_place_of(assign)) return keys;
      if (const Stmt* filled = list_of_array(assign, out)) return filled;
      const Expr* value = inside(assign->value, out);
      return value == assign->value ? statement
                                    : context_.make<Assign>(assign->ranges, assign->targets, value);
    }
    if (const auto* augmented = as<AugmentedAssign>(statement)) {
      const Expr* value = inside(augmented->value, out);
      return value == augmented->value
                 ? statement
                 : context_.make<AugmentedAssign>(augmented->ranges, augmented->target,
                                                  augmented->op, value);
    }
    if (const auto* leaves = as<Return>(statement); leaves && leaves->value != nullptr) {
      const Expr* value = named(leaves->value, out);
      return value == leaves->value ? statement : context_.make<Return>(leaves->ranges, value);
    }
    return statement;
  }

  // The dict of numbers or arrays that an iterable walks, and how: "keys", "values", "items".
  const Name* walked_map(const Expr* iterable, std::string_view& how) const {
    const auto* call = as<Call>(iterable);
    if (call != nullptr && call->callee.text() == "builtins.list" && call->arguments.size() == 1)
      return walked_map(call->arguments[0], how);
    const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
    if (call != nullptr && (method == nullptr || call->callee || !call->arguments.empty()))
      return nullptr;
    how = method != nullptr ? method->attribute.text() : "keys";
    const auto* map = as<Name>(method != nullptr ? method->value : iterable);
    if (map == nullptr || (how != "keys" && how != "values" && how != "items")) return nullptr;
    const Type type = typed_.type_of(map);
    return type.is_map() && type.may_be_active() ? map : nullptr;
  }

  // keys = list(d)
  Symbol keys_of(const Name* map, std::vector<const Stmt*>& out) {
    const Symbol keys = names().fresh("keys");
    const Expr* list = context_.make<Call>(
        map->ranges, context_.global(context_.symbol("list")), context_.symbol("builtins.list"),
        context_.list<const Expr*>({map}), List<const Keyword*>());
    out.push_back(context_.assign(context_.local(keys, map->ranges), list, map->ranges));
    return keys;
  }

  [[noreturn]] static void refuse_walk(const Expr* target) {
    throw Diagnostic(DiagnosticKind::UnsupportedType,
                     "these targets of a loop over a dict that depends on the differentiated "
                     "arguments",
                     target->ranges, "write `for key, value in d.items():`");
  }

  // `items = d.items()`, which lowering puts in front of a loop, is `keys = list(d)`.
  const Stmt* keys_in_place_of(const Assign* assign) {
    const auto* target = as<Name>(assign->targets[0]);
    std::string_view how;
    if (target == nullptr || !is<Call>(assign->value) ||
        !target->symbol.text().starts_with("items"))
      return nullptr;
    const Name* map = walked_map(assign->value, how);
    if (map == nullptr || as<Call>(assign->value)->callee) return nullptr;
    // The loop is all that it is for.
    int mentions = 0;
    int loops = 0;
    for (const Stmt* inner : typed_.body) {
      for_each_node(*inner, [&](const Node& node) {
        const auto* name = as<Name>(&node);
        const auto* loop = as<For>(&node);
        const auto* walked = loop != nullptr ? as<Name>(loop->iterable) : nullptr;
        mentions += name != nullptr && name->symbol == target->symbol ? 1 : 0;
        loops += walked != nullptr && walked->symbol == target->symbol ? 1 : 0;
      });
    }
    if (mentions != 2 || loops != 1) return nullptr;
    std::vector<const Stmt*> made;
    const Symbol keys = keys_of(map, made);
    pending_.insert_or_assign(target->symbol, Walked{.map = map, .how = how, .keys = keys});
    return made.front();
  }

  // `for k, v in d.items():` is `for k in keys:` with `v = d[k]` in it.
  const Stmt* by_keys(const For* loop, std::vector<const Stmt*>& out) {
    std::string_view how;
    const Name* map = walked_map(loop->iterable, how);
    Symbol keys;
    if (const auto* name = as<Name>(loop->iterable); name != nullptr && map == nullptr) {
      // `items = d.items()` in front of the loop.
      const auto found = pending_.find(name->symbol);
      if (found == pending_.end()) return nullptr;
      map = found->second.map;
      how = found->second.how;
      keys = found->second.keys;
    }
    if (map == nullptr) return nullptr;
    const auto* pair = as<TupleDisplay>(loop->target);
    const bool two = pair != nullptr && pair->elements.size() == 2;
    if (how == "items" ? !two : pair != nullptr) {
      refuse_walk(loop->target);
    }
    const Expr* key = how == "items" ? pair->elements[0] : loop->target;
    const Expr* value = how == "items" ? pair->elements[1] : loop->target;
    if (how == "values") key = context_.local(names().fresh("key"), loop->target->ranges);
    std::vector<const Stmt*> body;
    if (how != "keys") {
      body.push_back(context_.assign(value, context_.make<Subscript>(map->ranges, map, key),
                                     loop->target->ranges));
    }
    const Block rest = block(loop->body);
    body.insert(body.end(), rest.begin(), rest.end());
    if (!keys) keys = keys_of(map, out);
    return context_.make<For>(loop->ranges, key, context_.local(keys, map->ranges),
                              context_.list(body), loop->orelse, loop->is_async);
  }

  // `d.values()` as an operand: a list with a name that a loop fills.
  const Expr* values_of(const Expr* node, std::vector<const Stmt*>& out) {
    std::string_view how;
    const Name* map = is<Call>(node) ? walked_map(node, how) : nullptr;
    if (map == nullptr || how != "values") return nullptr;
    const Ranges ranges = node->ranges;
    const Symbol keys = keys_of(map, out);
    const Symbol values = names().fresh("values");
    const Symbol key = names().fresh("key");
    const auto local = [&](Symbol symbol) {
      return static_cast<const Expr*>(context_.local(symbol, ranges));
    };
    out.push_back(
        context_.assign(local(values), context_.make<ListDisplay>(ranges, Exprs()), ranges));
    const Expr* append = context_.make<Attribute>(ranges, local(values), context_.symbol("append"));
    const Expr* entry = context_.make<Subscript>(ranges, map, local(key));
    const Expr* added = context_.make<Call>(
        ranges, append, Symbol(), context_.list<const Expr*>({entry}), List<const Keyword*>());
    out.push_back(context_.make<For>(
        ranges, local(key), local(keys),
        Block(context_.list<const Stmt*>({context_.make<ExpressionStatement>(ranges, added)})),
        Block(), false));
    return local(values);
  }

  // `for a, b in rows:` over a list of lists is `for row in rows:` with `a, b = row` in it.
  const Stmt* unpacked_inside(const For* loop, const Expr* iterable) {
    const Type type = typed_.type_of(iterable);
    const bool rows = type.kind == TypeKind::List && !type.elements.empty() &&
                      std::ranges::all_of(type.elements, [](const Type& item) {
                        return item.kind == TypeKind::List && item.may_be_active();
                      });
    if (!is<TupleDisplay>(loop->target) || !rows) return nullptr;
    const Symbol row = names().fresh("row");
    const auto local = [&] {
      return static_cast<const Expr*>(context_.local(row, loop->target->ranges));
    };
    std::vector<const Stmt*> body{context_.make<Assign>(
        loop->target->ranges, context_.list<const Expr*>({loop->target}), local())};
    const Block rest = block(loop->body);
    body.insert(body.end(), rest.begin(), rest.end());
    return context_.make<For>(loop->ranges, local(), iterable, context_.list(body), loop->orelse,
                              loop->is_async);
  }

  // `xs = list(a)` of an array is `xs = []` and a loop that appends its items.
  const Stmt* list_of_array(const Assign* assign, std::vector<const Stmt*>& out) {
    const auto* target = as<Name>(assign->targets[0]);
    const auto* call = as<Call>(assign->value);
    if (target == nullptr || call == nullptr || call->callee.text() != "builtins.list" ||
        call->arguments.size() != 1 || !call->keywords.empty())
      return nullptr;
    const Expr* array = call->arguments[0];
    const Type type = typed_.type_of(array);
    const bool reads = find_node(array, [&](const Node* node) {
                         const auto* name = as<Name>(node);
                         return name != nullptr && name->symbol == target->symbol;
                       }) != nullptr;
    if (!type.is_array() || !type.may_be_active() || reads || !is_plain(array)) return nullptr;
    const Ranges ranges = assign->ranges;
    const Symbol item = names().fresh("item");
    const auto local = [&](Symbol symbol) {
      return static_cast<const Expr*>(context_.local(symbol, ranges));
    };
    out.push_back(context_.assign(local(target->symbol),
                                  context_.make<ListDisplay>(ranges, Exprs()), ranges));
    const Expr* append =
        context_.make<Attribute>(ranges, local(target->symbol), context_.symbol("append"));
    const Expr* added =
        context_.make<Call>(ranges, append, Symbol(), context_.list<const Expr*>({local(item)}),
                            List<const Keyword*>());
    return context_.make<For>(
        ranges, local(item), array,
        Block(context_.list<const Stmt*>({context_.make<ExpressionStatement>(ranges, added)})),
        Block(), false);
  }

  // `for v in (1.0, x)`: the items are a list with a name, from which their adjoints are taken.
  const Expr* walked(const Expr* node, std::vector<const Stmt*>& out) {
    if (const auto* call = as<Call>(node)) {
      const std::string_view callee = call->callee.text();
      if (callee != "builtins.zip" && callee != "builtins.enumerate" &&
          callee != "builtins.reversed")
        return node;
      return static_cast<const Expr*>(
          rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
            if (!is_expression(child->kind)) return child;
            return walked(static_cast<const Expr*>(child), out);
          }));
    }
    Exprs elements;
    if (const auto* list = as<ListDisplay>(node)) elements = list->elements;
    if (const auto* tuple = as<TupleDisplay>(node)) elements = tuple->elements;
    const bool numbers = std::ranges::all_of(
        elements, [&](const Expr* element) { return typed_.type_of(element).is_numeric(); });
    const bool constants =
        std::ranges::all_of(elements, [&](const Expr* element) { return is<Constant>(element); });
    if (elements.empty() || !numbers || constants || !is_plain(node)) return node;
    const Symbol name = names().fresh("items");
    out.push_back(context_.assign(context_.local(name, node->ranges),
                                  context_.make<ListDisplay>(node->ranges, elements),
                                  node->ranges));
    return context_.local(name, node->ranges);
  }

  // What is evaluated once, whatever the values are, and leaves no trace.
  static bool is_plain(const Expr* node) {
    bool plain = true;
    for_each_node(*node, [&](const Node& part) {
      if (const auto* call = as<Call>(&part)) {
        const auto* method = as<Attribute>(call->function);
        const std::string_view callee = call->callee.text();
        plain =
            plain && (callee == "builtins.list" || callee == "builtins.sorted" ||
                      callee == "builtins.len" || callee == "builtins.reversed" ||
                      (!call->callee && method != nullptr && method->attribute.text() == "copy"));
      }
      if (is<NamedExpression>(&part) || is<Conditional>(&part) || is<BooleanOperation>(&part) ||
          is<Comprehension>(&part) || is<Lambda>(&part))
        plain = false;
    });
    return plain;
  }

  [[nodiscard]] bool is_list(const Expr* node) const {
    const Type type = typed_.type_of(node);
    return type.kind == TypeKind::List && type.may_be_active();
  }

  [[nodiscard]] bool makes_list(const Expr* node) const {
    if (!is_list(node)) return false;
    if (is<BinaryOperation>(node) || is<Call>(node)) return true;
    const auto* subscript = as<Subscript>(node);
    return subscript != nullptr && is<Slice>(subscript->index);
  }

  // A list that is an operand: under a name, if it is made here.
  const Expr* named(const Expr* node, std::vector<const Stmt*>& out) {
    if (const Expr* values = values_of(node, out)) return values;
    const Expr* value = reversed(node);
    const bool is_made = value != node || makes_list(node);
    if (!is_made || !is_plain(value)) return inside(node, out);
    value = inside(value, out);
    const Symbol name = names().fresh("items");
    out.push_back(context_.assign(context_.local(name, node->ranges), value, node->ranges));
    return context_.local(name, node->ranges);
  }

  // reversed(xs) is read as xs[::-1].
  const Expr* reversed(const Expr* node) {
    const auto* call = as<Call>(node);
    if (call == nullptr || call->callee.text() != "builtins.reversed" ||
        call->arguments.size() != 1 || !is_list(call->arguments[0]))
      return node;
    const Expr* step = context_.make<UnaryOperation>({}, UnaryOperator::Minus,
                                                     static_cast<const Expr*>(context_.integer(1)));
    return context_.make<Subscript>(
        node->ranges, call->arguments[0],
        context_.make<Slice>(node->ranges, static_cast<const Expr*>(nullptr),
                             static_cast<const Expr*>(nullptr), step));
  }

  // The lists that are made in the operands of an expression.
  const Expr* inside(const Expr* node, std::vector<const Stmt*>& out) {
    if (!holds_list(node)) return node;
    if (is<Conditional>(node) || is<BooleanOperation>(node) || is<Comprehension>(node) ||
        is<Lambda>(node))
      return node;
    return static_cast<const Expr*>(
        rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
          if (!is_expression(child->kind)) return child;
          return named(static_cast<const Expr*>(child), out);
        }));
  }

  [[nodiscard]] bool holds_list(const Expr* node) const {
    bool found = false;
    for_each_node(*node, [&](const Node& part) {
      if (!is_expression(part.kind) || &part == node) return;
      const auto* call = as<Call>(&part);
      std::string_view how;
      found = found || makes_list(static_cast<const Expr*>(&part)) ||
              (call != nullptr && walked_map(call, how) != nullptr) ||
              (call != nullptr && call->callee.text() == "builtins.reversed");
    });
    return found;
  }

  struct Walked {
    const Name* map;
    std::string_view how;
    Symbol keys;
  };

  const CoreFunction& core_;
  const TypedFunction& typed_;
  Context& context_;
  std::optional<NamePool> names_;  // once a new name is asked for
  std::unordered_map<Symbol, Walked> pending_;
};

}  // namespace

Block name_lists(const CoreFunction& core, const TypedFunction& typed, Context& context) {
  return ListNamer(core, typed, context).block(core.body);
}

}  // namespace tangent
