#include "lower/columns.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lower/names.h"
#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

using Statements = std::vector<const Stmt*>;

constexpr std::size_t kMostColumns = 16;

// What an item is made of.
struct Make {
  bool is_tuple = true;
  std::vector<const Expr*> keys;  // of a dict: texts; of a tuple: 0, 1, …
  [[nodiscard]] std::optional<std::size_t> find(const Expr* key) const {
    if (is_tuple) {
      auto index = integer_literal(key);
      if (index && *index < 0) *index += static_cast<std::int64_t>(keys.size());
      if (!index || *index < 0 || *index >= static_cast<std::int64_t>(keys.size()))
        return std::nullopt;
      return static_cast<std::size_t>(*index);
    }
    const auto found = std::ranges::find_if(keys, [&](const Expr* one) { return equal(one, key); });
    if (found == keys.end()) return std::nullopt;
    return static_cast<std::size_t>(found - keys.begin());
  }
};

// The parts of an item that is written out, by the order of `make`; nothing if it is none.
std::optional<std::vector<const Expr*>> parts_of_item(const Expr* item, const Make& make) {
  if (const auto* tuple = as<TupleDisplay>(item)) {
    if (!make.is_tuple || tuple->elements.size() != make.keys.size()) return std::nullopt;
    return std::vector<const Expr*>(tuple->elements.begin(), tuple->elements.end());
  }
  const auto* dict = as<Dictionary>(item);
  if (dict == nullptr || make.is_tuple || dict->keys.size() != make.keys.size())
    return std::nullopt;
  std::vector<const Expr*> parts(make.keys.size(), nullptr);
  for (std::size_t k = 0; k < dict->keys.size(); ++k) {
    // In the order of the first, so that everything is evaluated as it is written.
    if (dict->keys[k] == nullptr || !equal(dict->keys[k], make.keys[k])) return std::nullopt;
    parts[k] = dict->values[k];
  }
  return parts;
}

bool mentions_any(const Node* node, Symbol symbol) {
  return find_node(node, [symbol](const Node* part) {
           const auto* name = as<Name>(part);
           return name != nullptr && name->symbol == symbol && name->scope == Scope::Local;
         }) != nullptr;
}

class Columns {
 public:
  Columns(const CoreFunction& core, Symbol list, Make make, lowering::FreshNames& names,
          Context& context)
      : core_(core), list_(list), make_(std::move(make)), names_(names), context_(context) {
    for (const Expr* key : make_.keys) {
      const auto* constant = static_cast<const Constant*>(key);
      std::string step = constant->value.kind == LiteralKind::String
                             ? std::string(constant->value.text)
                             : std::to_string(constant->value.integer);
      std::erase_if(step, [](char c) {
        return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_';
      });
      steps_.push_back(step);
      columns_.push_back(names_.fresh(std::string(list.text()) + "_" + step));
    }
  }

  // The program without the list; nothing if an item of it is needed as a whole.
  std::optional<Block> run() {
    const Block body = block(core_.body);
    if (!fits_) return std::nullopt;
    for (const Stmt* statement : body) {
      if (mentions_any(statement, list_)) return std::nullopt;
      for (const auto& [symbol, parts] : items_) {
        if (mentions_any(statement, symbol)) return std::nullopt;
      }
    }
    return body;
  }

 private:
  struct Item {
    std::vector<Symbol> parts;  // or the place in the list
    Symbol index;
  };

  bool is_it(const Expr* node) const {
    const auto* name = as<Name>(node);
    return name != nullptr && name->symbol == list_ && name->scope == Scope::Local;
  }
  const Expr* column(std::size_t k, Ranges ranges) { return context_.local(columns_[k], ranges); }

  const Expr* method(std::size_t k, std::string_view name, const std::vector<const Expr*>& given,
                     Ranges ranges) {
    return context_.make<Call>(
        ranges, context_.make<Attribute>(ranges, column(k, ranges), context_.symbol(name)),
        Symbol(), context_.list(given), List<const Keyword*>());
  }
  const Expr* builtin(std::string_view name, const std::vector<const Expr*>& given, Ranges ranges) {
    return context_.make<Call>(ranges, context_.global(context_.symbol(name)),
                               context_.symbol("builtins." + std::string(name)),
                               context_.list(given), List<const Keyword*>());
  }

  // xs[i], xs.pop(): one item of the list; what of each column.
  bool is_pop(const Expr* node) const {
    const auto* call = as<Call>(node);
    const auto* path = call != nullptr && !call->callee ? as<Attribute>(call->function) : nullptr;
    return path != nullptr && is_it(path->value) && path->attribute.text() == "pop" &&
           call->arguments.empty() && call->keywords.empty();
  }
  const Subscript* read_item(const Expr* node) const {
    const auto* subscript = as<Subscript>(node);
    return subscript != nullptr && is_it(subscript->value) && !is<Slice>(subscript->index) &&
                   !is<TupleDisplay>(subscript->index)
               ? subscript
               : nullptr;
  }

  Block block(Block body) {
    Statements out;
    for (const Stmt* it : body) statement(it, out);
    return context_.list(out);
  }

  // The parts of a new item; under names if one of them reads the list.
  std::optional<std::vector<const Expr*>> new_parts(const Expr* item, Ranges ranges,
                                                    Statements& out) {
    const auto parts = parts_of_item(item, make_);
    if (!parts) return std::nullopt;
    const bool reads =
        mentions_any(item, list_) || find_node(item, [&](const Node* part) {
                                       const auto* name = as<Name>(part);
                                       return name != nullptr && items_.contains(name->symbol);
                                     }) != nullptr;
    std::vector<const Expr*> now;
    for (std::size_t k = 0; k < parts->size(); ++k) {
      const Expr* value = expression((*parts)[k]);
      if (reads && !is<Constant>(value)) {
        const Symbol name = names_.fresh("new_" + steps_[k]);
        out.push_back(context_.assign(context_.local(name, ranges), value, ranges));
        value = context_.local(name, ranges);
      }
      now.push_back(value);
    }
    return now;
  }

  void fail() { fits_ = false; }

  void statement(const Stmt* it, Statements& out) {
    const Ranges ranges = it->ranges;
    if (const auto* assign = as<Assign>(it)) return assignment(assign, out);
    if (const auto* alone = as<ExpressionStatement>(it)) {
      if (const ListChange change = list_change(it);
          change && change.is_direct() && change.key == nullptr && is_it(change.list)) {
        if (!change.appends) {
          for (std::size_t k = 0; k < columns_.size(); ++k)
            out.push_back(context_.make<ExpressionStatement>(ranges, method(k, "pop", {}, ranges)));
          return;
        }
        const auto parts = new_parts(change.item, ranges, out);
        if (!parts) return fail();
        for (std::size_t k = 0; k < columns_.size(); ++k)
          out.push_back(context_.make<ExpressionStatement>(
              ranges, method(k, "append", {(*parts)[k]}, ranges)));
        return;
      }
      out.push_back(context_.make<ExpressionStatement>(ranges, expression(alone->value)));
      return;
    }
    if (const auto* loop = as<For>(it)) return for_loop(loop, out);
    if (const auto* branch = as<If>(it)) {
      out.push_back(context_.make<If>(ranges, truth(branch->test), block(branch->body),
                                      branch->orelse.empty() ? Block() : block(branch->orelse)));
      return;
    }
    if (const auto* repeat = as<While>(it)) {
      out.push_back(
          context_.make<While>(ranges, truth(repeat->test), block(repeat->body), repeat->orelse));
      return;
    }
    out.push_back(static_cast<const Stmt*>(rewrite(it)));
  }

  void assignment(const Assign* assign, Statements& out) {
    const Ranges ranges = assign->ranges;
    const Expr* target = assign->targets[0];
    const auto* name = as<Name>(target);
    if (is_it(target)) {
      const auto* display = as<ListDisplay>(assign->value);
      if (display == nullptr) return fail();
      std::vector<std::vector<const Expr*>> columns(columns_.size());
      for (const Expr* item : display->elements) {
        const auto parts = parts_of_item(item, make_);
        if (!parts || mentions_any(item, list_)) return fail();
        for (std::size_t k = 0; k < parts->size(); ++k)
          columns[k].push_back(expression((*parts)[k]));
      }
      for (std::size_t k = 0; k < columns_.size(); ++k)
        out.push_back(context_.assign(column(k, ranges),
                                      context_.make<ListDisplay>(ranges, context_.list(columns[k])),
                                      ranges));
      return;
    }
    if (const Subscript* place = read_item(target)) {
      const auto parts = new_parts(assign->value, ranges, out);
      if (!parts) return fail();
      for (std::size_t k = 0; k < columns_.size(); ++k)
        out.push_back(context_.assign(element(k, place->index, ranges), (*parts)[k], ranges));
      return;
    }
    const bool pop = is_pop(assign->value);
    const Subscript* read = read_item(assign->value);
    const auto* targets = as<TupleDisplay>(target);
    const auto value = [&](std::size_t k) {
      return pop ? method(k, "pop", {}, ranges) : element(k, read->index, ranges);
    };
    if (targets != nullptr && (pop || read != nullptr || item_of(assign->value) != nullptr)) {
      // Where a target is read by what is behind it, the order would count.
      const bool plain = make_.is_tuple && targets->elements.size() == columns_.size() &&
                         std::ranges::all_of(targets->elements, [&](const Expr* one) {
                           const auto* local = as<Name>(one);
                           return local != nullptr &&
                                  (read == nullptr || !mentions_any(read->index, local->symbol));
                         });
      if (!plain) return fail();
      for (std::size_t k = 0; k < columns_.size(); ++k)
        out.push_back(context_.assign(
            targets->elements[k],
            pop || read != nullptr ? value(k) : part(*item_of(assign->value), k, ranges), ranges));
      return;
    }
    if (name != nullptr && (pop || read != nullptr)) {
      // A dict that is changed later would be the list's, too.
      if (!pop && !make_.is_tuple && is_stored_into()) return fail();
      const auto found = items_.find(name->symbol);
      const Item item = found != items_.end() ? found->second : parts_named(name->symbol);
      items_.insert_or_assign(name->symbol, item);
      for (std::size_t k = 0; k < columns_.size(); ++k)
        out.push_back(context_.assign(context_.local(item.parts[k], ranges), value(k), ranges));
      return;
    }
    out.push_back(static_cast<const Stmt*>(rewrite(assign)));
  }

  Item parts_named(Symbol symbol) {
    Item item;
    for (const std::string& step : steps_)
      item.parts.push_back(names_.fresh(std::string(symbol.text()) + "_" + step));
    return item;
  }

  // Whether some statement puts something into an item, anywhere in the function.
  [[nodiscard]] bool is_stored_into() const {
    return std::ranges::any_of(core_.body, [&](const Stmt* statement) {
      return find_node(statement, [&](const Node* node) {
               const Subscript* place = is_statement(node->kind)
                                            ? stored_place(static_cast<const Stmt*>(node))
                                            : nullptr;
               return place != nullptr && make_.find(place->index).has_value();
             }) != nullptr;
    });
  }

  static bool stores_or_changes(Block body, Symbol list, Symbol item) {
    return std::ranges::any_of(body, [&](const Stmt* statement) {
      return find_node(statement, [&](const Node* node) {
               if (!is_statement(node->kind)) return false;
               const auto* inner = static_cast<const Stmt*>(node);
               const Subscript* place = stored_place(inner);
               const Name* root = place != nullptr ? root_of(place) : nullptr;
               return root != nullptr && (root->symbol == list || root->symbol == item);
             }) != nullptr;
    });
  }
  static bool changes_length(Block body, Symbol list) {
    return std::ranges::any_of(body, [&](const Stmt* statement) {
      return find_node(statement, [&](const Node* node) {
               if (!is_statement(node->kind)) return false;
               const auto* inner = static_cast<const Stmt*>(node);
               const ListChange change = list_change(inner);
               const auto* assign = as<Assign>(inner);
               const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
               return (change && change.list->symbol == list) ||
                      (name != nullptr && name->symbol == list);
             }) != nullptr;
    });
  }
  bool is_read_outside(Symbol symbol) const {
    bool found = false;
    const auto walk = [&](const auto& self, const Node* node) -> void {
      const auto* loop = as<For>(node);
      if (loop != nullptr && mentions_any(loop->target, symbol)) return self(self, loop->iterable);
      const auto* name = as<Name>(node);
      found = found || (name != nullptr && name->symbol == symbol);
      for_each_child(*node, [&](const Node* child) { self(self, child); });
    };
    for (const Stmt* statement : core_.body) walk(walk, statement);
    return found;
  }

  void for_loop(const For* loop, Statements& out) {
    const Ranges ranges = loop->ranges;
    const auto* call = as<Call>(loop->iterable);
    const bool one = call != nullptr && call->arguments.size() == 1 && call->keywords.empty() &&
                     is_it(call->arguments[0]);
    const bool enumerates = one && call->callee.text() == "builtins.enumerate";
    const bool reverses = one && call->callee.text() == "builtins.reversed";
    if (!is_it(loop->iterable) && !enumerates && !reverses) {
      out.push_back(context_.make<For>(ranges, loop->target, expression(loop->iterable),
                                       block(loop->body), loop->orelse, loop->is_async));
      return;
    }
    if (changes_length(loop->body, list_)) return fail();
    const auto* targets = as<TupleDisplay>(loop->target);
    const Expr* target = enumerates && targets != nullptr && targets->elements.size() == 2
                             ? targets->elements[1]
                             : loop->target;
    const auto* name = as<Name>(target);
    const auto* several = as<TupleDisplay>(target);
    if (enumerates && target == loop->target) return fail();
    if (name != nullptr && (items_.contains(name->symbol) || is_read_outside(name->symbol)))
      return fail();
    const bool changes =
        stores_or_changes(loop->body, list_, name != nullptr ? name->symbol : Symbol());
    const bool by_value = is_it(loop->iterable) && !changes;
    if (several != nullptr) {
      // `for a, b in ps`: a tuple, whose parts do not change.
      if (!by_value || several->elements.size() != columns_.size() || !make_.is_tuple)
        return fail();
      out.push_back(context_.make<For>(ranges, several, zipped(ranges), block(loop->body),
                                       loop->orelse, loop->is_async));
      return;
    }
    if (name == nullptr) return fail();
    if (by_value) {
      const Item item = parts_named(name->symbol);
      std::vector<const Expr*> parts;
      for (const Symbol part : item.parts) parts.push_back(context_.local(part, target->ranges));
      const Block body = inside(name->symbol, item, loop->body);
      const Expr* now = parts.size() == 1
                            ? parts[0]
                            : context_.make<TupleDisplay>(target->ranges, context_.list(parts));
      out.push_back(
          context_.make<For>(ranges, now, zipped(ranges), body, loop->orelse, loop->is_async));
      return;
    }
    const Symbol index = names_.fresh("index");
    const Expr* length = builtin("len", {column(0, ranges)}, ranges);
    const Expr* range = builtin("range", {length}, ranges);
    if (reverses) range = builtin("reversed", {range}, ranges);
    Statements body;
    if (enumerates)
      body.push_back(context_.assign(
          targets->elements[0], static_cast<const Expr*>(context_.local(index, ranges)), ranges));
    const Block rest = inside(name->symbol, {.parts = {}, .index = index}, loop->body);
    body.insert(body.end(), rest.begin(), rest.end());
    out.push_back(context_.make<For>(ranges,
                                     static_cast<const Expr*>(context_.local(index, ranges)), range,
                                     context_.list(body), loop->orelse, loop->is_async));
  }

  // A loop's body, in which a name stands for an item.
  Block inside(Symbol symbol, const Item& item, Block body) {
    items_.emplace(symbol, item);
    const Block now = block(body);
    items_.erase(symbol);
    for (const Stmt* statement : now) {
      if (mentions_any(statement, symbol)) fail();
    }
    return now;
  }

  const Expr* zipped(Ranges ranges) {
    std::vector<const Expr*> all;
    for (std::size_t k = 0; k < columns_.size(); ++k) all.push_back(column(k, ranges));
    return all.size() == 1 ? all[0] : builtin("zip", all, ranges);
  }

  const Expr* element(std::size_t k, const Expr* index, Ranges ranges) {
    return context_.make<Subscript>(ranges, column(k, ranges), expression(index));
  }
  const Expr* part(const Item& item, std::size_t k, Ranges ranges) {
    if (!item.parts.empty()) return context_.local(item.parts[k], ranges);
    return context_.make<Subscript>(ranges, column(k, ranges),
                                    static_cast<const Expr*>(context_.local(item.index, ranges)));
  }
  const Item* item_of(const Expr* node) const {
    const auto* name = as<Name>(node);
    if (name == nullptr || name->scope != Scope::Local) return nullptr;
    const auto found = items_.find(name->symbol);
    return found != items_.end() ? &found->second : nullptr;
  }

  // A test: whether the list holds anything shows in each column.
  const Expr* truth(const Expr* node) {
    if (is_it(node)) return column(0, node->ranges);
    if (const auto* operation = as<UnaryOperation>(node);
        operation != nullptr && operation->op == UnaryOperator::Not)
      return context_.make<UnaryOperation>(node->ranges, operation->op, truth(operation->operand));
    if (const auto* operation = as<BooleanOperation>(node)) {
      std::vector<const Expr*> values;
      for (const Expr* value : operation->values) values.push_back(truth(value));
      return context_.make<BooleanOperation>(node->ranges, operation->op, context_.list(values));
    }
    return expression(node);
  }

  const Expr* expression(const Expr* node) { return static_cast<const Expr*>(rewrite(node)); }

  const Node* rewrite(const Node* node) {
    if (const auto* subscript = as<Subscript>(node)) {
      const Item* item = item_of(subscript->value);
      const Subscript* read = read_item(subscript->value);
      if (item != nullptr || read != nullptr) {
        const auto place = make_.find(subscript->index);
        if (!place) {
          fail();
          return node;
        }
        return item != nullptr ? part(*item, *place, node->ranges)
                               : element(*place, read->index, node->ranges);
      }
    }
    if (const auto* call = as<Call>(node); call != nullptr &&
                                           call->callee.text() == "builtins.len" &&
                                           call->arguments.size() == 1 && is_it(call->arguments[0]))
      return builtin("len", {column(0, node->ranges)}, node->ranges);
    return rewrite_children(context_, *node, [&](const Node* child) { return rewrite(child); });
  }

  const CoreFunction& core_;
  Symbol list_;
  Make make_;
  lowering::FreshNames& names_;
  Context& context_;
  std::vector<std::string> steps_;
  std::vector<Symbol> columns_;
  std::unordered_map<Symbol, Item> items_;
  bool fits_ = true;
};

// What the items of lists are made of that are filled with displays, in the order of the program.
std::vector<std::pair<Symbol, Make>> makes_of(const CoreFunction& core, Context& context) {
  std::vector<std::pair<Symbol, Make>> found;
  const auto note = [&](Symbol list, const Expr* item) {
    const bool parameter = std::ranges::any_of(
        core.parameters, [&](const Parameter* one) { return one->name == list; });
    const bool known =
        std::ranges::find(found, list, &std::pair<Symbol, Make>::first) != found.end();
    if (parameter || known) return;
    Make make;
    if (const auto* tuple = as<TupleDisplay>(item)) {
      for (std::size_t k = 0; k < tuple->elements.size(); ++k) {
        if (is<Starred>(tuple->elements[k])) return;
        make.keys.push_back(context.integer(static_cast<std::int64_t>(k)));
      }
    } else if (const auto* dict = as<Dictionary>(item)) {
      make.is_tuple = false;
      for (const Expr* key : dict->keys) {
        const auto* constant = as<Constant>(key);
        if (constant == nullptr || constant->value.kind != LiteralKind::String) return;
        make.keys.push_back(key);
      }
    }
    if (!make.keys.empty() && make.keys.size() <= kMostColumns)
      found.emplace_back(list, std::move(make));
  };
  for (const Stmt* statement : core.body) {
    for_each_node(*statement, [&](const Node& node) {
      if (!is_statement(node.kind)) return;
      const auto* inner = static_cast<const Stmt*>(&node);
      const ListChange change = list_change(inner);
      if (change.appends && change.is_direct()) note(change.list->symbol, change.item);
      const auto* assign = as<Assign>(inner);
      const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      const auto* display = name != nullptr ? as<ListDisplay>(assign->value) : nullptr;
      if (display == nullptr) return;
      for (const Expr* item : display->elements) note(name->symbol, item);
    });
  }
  return found;
}

}  // namespace

CoreFunction spell_out_columns(const CoreFunction& core, Context& context) {
  CoreFunction result = core;
  const auto makes = makes_of(core, context);
  if (makes.empty()) return result;
  lowering::FreshNames names(context);
  for (const Parameter* parameter : core.parameters) names.take(parameter->name);
  for (const GlobalBinding& global : core.globals) names.take(global.printed);
  for (const Stmt* statement : core.body) {
    for_each_node(*statement, [&](const Node& node) {
      if (const auto* name = as<Name>(&node)) names.take(name->symbol);
    });
  }
  for (const auto& [list, make] : makes) {
    if (const auto body = Columns(result, list, make, names, context).run()) result.body = *body;
  }
  return result;
}

}  // namespace tangent
