#include "lower/item_changes.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "lower/names.h"
#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

enum class Made : std::uint8_t { List, Dict, Other };

// What all bindings of a name say that it stands for.
class Makes {
 public:
  explicit Makes(const CoreFunction& core) {
    for (const Parameter* parameter : core.parameters) others_.insert(parameter->name);
    for (const Stmt* statement : core.body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* loop = as<For>(&node)) lose(loop->target);
        const auto* assign = as<Assign>(&node);
        if (assign == nullptr || is<Subscript>(assign->targets[0])) return;
        const auto* name = as<Name>(assign->targets[0]);
        if (name == nullptr) return lose(assign->targets[0]);
        values_[name->symbol].push_back(assign->value);
      });
    }
  }

  Made of(Symbol name) {
    if (others_.contains(name)) return Made::Other;
    const auto found = values_.find(name);
    if (found == values_.end()) return Made::Other;
    Made all = Made::Other;
    bool is_first = true;
    for (const Expr* value : found->second) {
      const Made one = of_value(value, name, kDeepest);
      if (one == Made::Other || (!is_first && one != all)) return Made::Other;
      all = one;
      is_first = false;
    }
    return all;
  }

 private:
  static constexpr int kDeepest = 8;

  void lose(const Expr* target) {
    for_each_node(*target, [&](const Node& part) {
      if (const auto* name = as<Name>(&part)) others_.insert(name->symbol);
    });
  }

  Made of_value(const Expr* value, Symbol itself, int depth) {
    if (depth == 0) return Made::Other;
    if (is<ListDisplay>(value)) return Made::List;
    if (is<Dictionary>(value)) return Made::Dict;
    if (const auto* name = as<Name>(value)) {
      const auto found = values_.find(name->symbol);
      if (others_.contains(name->symbol) || found == values_.end()) return Made::Other;
      Made all = Made::Other;
      for (const Expr* one : found->second) {
        const Made now = of_value(one, name->symbol, depth - 1);
        if (now == Made::Other || (all != Made::Other && all != now)) return Made::Other;
        all = now;
      }
      return all;
    }
    if (const auto* slice = as<Subscript>(value)) {
      const auto* base = is<Slice>(slice->index) ? as<Name>(slice->value) : nullptr;
      return base != nullptr && base->symbol == itself ? Made::List : Made::Other;
    }
    if (const auto* sum = as<BinaryOperation>(value)) {
      const auto is_list = [&](const Expr* part) {
        const auto* name = as<Name>(part);
        return (name != nullptr && name->symbol == itself) ||
               of_value(part, itself, depth - 1) == Made::List;
      };
      const bool adds = sum->op == BinaryOperator::Add && is_list(sum->left) && is_list(sum->right);
      const bool repeats = sum->op == BinaryOperator::Multiply &&
                           (is<ListDisplay>(sum->left) || is<ListDisplay>(sum->right));
      return adds || repeats ? Made::List : Made::Other;
    }
    const auto* call = as<Call>(value);
    const std::string_view callee = call != nullptr ? call->callee.text() : std::string_view();
    if (callee == "builtins.list" || callee == "builtins.sorted") return Made::List;
    return callee == "builtins.dict" ? Made::Dict : Made::Other;
  }

  std::unordered_map<Symbol, std::vector<const Expr*>> values_;
  std::unordered_set<Symbol> others_;
};

// A call of a method of a place in a local name.
const Call* method_call_of(const Expr* value, std::string_view name, std::size_t count) {
  const auto* call = as<Call>(value);
  const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
  if (method == nullptr || call->callee || method->attribute.text() != name) return nullptr;
  const Name* root = root_of(method->value);
  const bool fits = root != nullptr && root->scope == Scope::Local && call->keywords.empty() &&
                    call->arguments.size() == count;
  return fits ? call : nullptr;
}

const Expr* receiver_of(const Call* call) { return as<Attribute>(call->function)->value; }

const Expr* value_of(const Stmt* statement) {
  if (const auto* assign = as<Assign>(statement)) return assign->value;
  const auto* alone = as<ExpressionStatement>(statement);
  return alone != nullptr ? alone->value : nullptr;
}

class ItemChanges {
 public:
  ItemChanges(const CoreFunction& core, Context& context)
      : context_(context), makes_(core), names_(context) {
    for (const Parameter* parameter : core.parameters) names_.take(parameter->name);
    for (const GlobalBinding& global : core.globals) names_.take(global.printed);
    for (const Stmt* statement : core.body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) names_.take(name->symbol);
      });
    }
  }

  // `list` is how the program spells the builtin.
  Block lists(Block body, const Name* list, std::vector<lowering::ReboundList>& rebound) {
    list_ = list;
    return lists(body, rebound);
  }

  Block lists(Block body, std::vector<lowering::ReboundList>& rebound) {
    return with_statements(context_, body, [&](const Stmt* it, Statements& out) -> const Stmt* {
      if (const Stmt* now = list_item(it, out, rebound)) return now;
      return with_blocks(context_, it, [&](Block inner) { return lists(inner, rebound); });
    });
  }

  Block dicts(Block body) {
    return with_statements(context_, body, [&](const Stmt* it, Statements& out) -> const Stmt* {
      if (const Stmt* now = dict_item(it, out)) return now;
      return with_blocks(context_, it, [&](Block inner) { return dicts(inner); });
    });
  }

 private:
  using Statements = std::vector<const Stmt*>;

  const Expr* place(const Expr* value, const Expr* index, Ranges ranges) {
    return context_.make<Subscript>(ranges, value, index);
  }
  const Expr* slice(const Expr* list, const Expr* from, const Expr* to, Ranges ranges) {
    return place(list, context_.make<Slice>(ranges, from, to, static_cast<const Expr*>(nullptr)),
                 ranges);
  }
  const Expr* sum(const Expr* a, const Expr* b, Ranges ranges) {
    return context_.make<BinaryOperation>(ranges, BinaryOperator::Add, a, b);
  }

  // `y = xs.pop(i)`, `xs.pop(i)`, `xs[a:b] = ys`; null for anything else.
  const Stmt* list_item(const Stmt* it, Statements& out,
                        std::vector<lowering::ReboundList>& rebound) {
    const Ranges ranges = it->ranges;
    const Subscript* stored = is<Assign>(it) ? stored_place(it) : nullptr;
    if (const auto* part = stored != nullptr ? as<Slice>(stored->index) : nullptr) {
      const auto* list = as<Name>(stored->value);
      if (list == nullptr || makes_.of(list->symbol) != Made::List || !is_forward(part))
        return nullptr;
      const Expr* items = assigned_value(it);
      if (!is<ListDisplay>(items)) {
        items = context_.make<Call>(ranges, static_cast<const Expr*>(list_),
                                    context_.symbol("builtins.list"),
                                    context_.list<const Expr*>({items}), List<const Keyword*>());
      }
      const Expr* now = items;
      if (part->lower != nullptr) now = sum(slice(list, nullptr, part->lower, ranges), now, ranges);
      if (part->upper != nullptr) now = sum(now, slice(list, part->upper, nullptr, ranges), ranges);
      rebound.push_back({list->symbol, ranges});
      return context_.assign(context_.local(list->symbol, ranges), now, ranges);
    }
    const Expr* value = value_of(it);
    const Call* call = value != nullptr ? method_call_of(value, "pop", 1) : nullptr;
    const auto* list = call != nullptr ? as<Name>(receiver_of(call)) : nullptr;
    if (list == nullptr || makes_.of(list->symbol) != Made::List) return nullptr;
    const Expr* index = call->arguments[0];
    const Expr* item = place(list, index, ranges);
    if (const auto* assign = as<Assign>(it)) {
      out.push_back(context_.make<Assign>(ranges, assign->targets, item));
    } else {
      out.push_back(context_.make<ExpressionStatement>(ranges, item));
    }
    const Expr* before = slice(list, nullptr, index, ranges);
    const auto literal = integer_literal(index);
    const Expr* now = before;
    if (literal == 0) {
      now = slice(list, context_.integer(1, ranges), nullptr, ranges);
    } else if (literal && *literal > 0) {
      now =
          sum(before, slice(list, context_.integer(*literal + 1, ranges), nullptr, ranges), ranges);
    } else if (literal != -1) {
      const Expr* from = slice(list, index, nullptr, ranges);
      now = sum(before, slice(from, context_.integer(1, ranges), nullptr, ranges), ranges);
    }
    rebound.push_back({list->symbol, ranges});
    return context_.assign(context_.local(list->symbol, ranges), now, ranges);
  }

  // Whether the end of a slice is surely not in front of its beginning.
  static bool is_forward(const Slice* part) {
    if (part->step != nullptr) return false;
    if (part->lower == nullptr || part->upper == nullptr) return true;
    const auto from = integer_literal(part->lower);
    const auto to = integer_literal(part->upper);
    if (from && to) return (*from < 0) == (*to < 0) && *from <= *to;
    const auto* beyond = as<BinaryOperation>(part->upper);
    const auto more = beyond != nullptr && beyond->op == BinaryOperator::Add
                          ? integer_literal(beyond->right)
                          : std::nullopt;
    return more && *more >= 0 && equal(beyond->left, part->lower);
  }

  const Expr* holds_not(const Expr* dict, const Expr* key, ComparisonOperator op, Ranges ranges) {
    return context_.make<Comparison>(ranges, key, context_.list<ComparisonOperator>({op}),
                                     context_.list<const Expr*>({dict}));
  }

  // What changes a dict; null for anything else.
  const Stmt* dict_item(const Stmt* it, Statements& out) {
    const Expr* value = value_of(it);
    if (value == nullptr) return nullptr;
    const Ranges ranges = it->ranges;
    const auto* assign = as<Assign>(it);
    if (const Call* call = method_call_of(value, "setdefault", 2)) {
      const Expr* dict = receiver_of(call);
      const Expr* entry = place(dict, call->arguments[0], ranges);
      const Stmt* fill = context_.make<If>(
          ranges, holds_not(dict, call->arguments[0], ComparisonOperator::NotIn, ranges),
          Block(context_.list<const Stmt*>({context_.make<Assign>(
              ranges, context_.list<const Expr*>({entry}), call->arguments[1])})),
          Block());
      if (assign == nullptr) return fill;
      out.push_back(fill);
      return context_.make<Assign>(ranges, assign->targets, entry);
    }
    if (const Call* call = method_call_of(value, "pop", 1); call != nullptr && assign != nullptr) {
      const Expr* dict = receiver_of(call);
      if (!is_dict(dict)) return nullptr;
      out.push_back(
          context_.make<Assign>(ranges, assign->targets, place(dict, call->arguments[0], ranges)));
      return context_.make<ExpressionStatement>(ranges, static_cast<const Expr*>(call));
    }
    if (const Call* call = method_call_of(value, "pop", 2)) {
      const Expr* dict = receiver_of(call);
      if (!is_dict(dict)) return nullptr;
      const Expr* key = call->arguments[0];
      Statements held;
      Statements missing;
      if (assign != nullptr) {
        held.push_back(context_.make<Assign>(ranges, assign->targets, place(dict, key, ranges)));
        missing.push_back(context_.make<Assign>(ranges, assign->targets, call->arguments[1]));
      }
      held.push_back(context_.make<ExpressionStatement>(
          ranges, static_cast<const Expr*>(context_.make<Call>(ranges, call->function, Symbol(),
                                                               context_.list<const Expr*>({key}),
                                                               List<const Keyword*>()))));
      return context_.make<If>(ranges, holds_not(dict, key, ComparisonOperator::In, ranges),
                               Block(context_.list(held)),
                               missing.empty() ? Block() : Block(context_.list(missing)));
    }
    const Call* call = assign == nullptr ? method_call_of(value, "update", 1) : nullptr;
    if (call == nullptr || !is_dict(receiver_of(call))) return nullptr;
    const Expr* dict = receiver_of(call);
    const Expr* more = call->arguments[0];
    if (const auto* display = as<Dictionary>(more)) {
      const Stmt* last = nullptr;
      for (std::size_t k = 0; k < display->keys.size(); ++k) {
        const bool plain = display->keys[k] != nullptr && !reads(display->values[k], dict);
        if (!plain && display->keys.size() > 1) return nullptr;
        if (display->keys[k] == nullptr) return nullptr;
        if (last != nullptr) out.push_back(last);
        last = context_.make<Assign>(
            ranges, context_.list<const Expr*>({place(dict, display->keys[k], ranges)}),
            display->values[k]);
      }
      return last != nullptr ? last : context_.make<Pass>(ranges);
    }
    if (!is<Name>(more) || equal(more, dict)) return nullptr;
    const Expr* key = context_.local(names_.fresh("key"), ranges);
    const Stmt* store = context_.make<Assign>(
        ranges, context_.list<const Expr*>({place(dict, key, ranges)}), place(more, key, ranges));
    return context_.make<For>(ranges, key, more, Block(context_.list<const Stmt*>({store})),
                              Block(), false);
  }

  bool is_dict(const Expr* node) {
    const auto* name = as<Name>(node);
    return name != nullptr && makes_.of(name->symbol) == Made::Dict;
  }

  static bool reads(const Expr* value, const Expr* dict) {
    const Name* root = root_of(dict);
    return find_node(value, [&](const Node* part) {
             const auto* name = as<Name>(part);
             return name != nullptr && name->symbol == root->symbol;
           }) != nullptr;
  }

  Context& context_;
  const Name* list_ = nullptr;
  Makes makes_;
  lowering::FreshNames names_;
};

// Whether there is anything to do: most programs have none of these.
bool mentions_methods(Block body, std::initializer_list<std::string_view> words, bool slices) {
  return std::ranges::any_of(body, [&](const Stmt* statement) {
    return find_node(statement, [&](const Node* node) {
             if (const auto* method = as<Attribute>(node))
               return std::ranges::find(words, method->attribute.text()) != words.end();
             if (!slices || !is<Assign>(node)) return false;
             const Subscript* place = stored_place(static_cast<const Stmt*>(node));
             return place != nullptr && is<Slice>(place->index);
           }) != nullptr;
  });
}

}  // namespace

Block spell_out_list_items(const CoreFunction& core, const std::function<const Name*()>& list,
                           std::vector<lowering::ReboundList>& rebound, Context& context) {
  if (!mentions_methods(core.body, {"pop"}, true)) return core.body;
  const bool slices = mentions_methods(core.body, {}, true);
  return ItemChanges(core, context).lists(core.body, slices ? list() : nullptr, rebound);
}

Block spell_out_dict_items(const CoreFunction& core, Context& context) {
  if (!mentions_methods(core.body, {"pop", "setdefault", "update"}, false)) return core.body;
  return ItemChanges(core, context).dicts(core.body);
}

}  // namespace tangent
