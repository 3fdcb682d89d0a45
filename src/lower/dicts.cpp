#include "lower/dicts.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/diagnostics.h"
#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

constexpr std::size_t kMostKeys = 16;

bool is_key(const Expr* node) {
  if (const auto* tuple = as<TupleDisplay>(node))
    return !tuple->elements.empty() && std::ranges::all_of(tuple->elements, is_key);
  const auto* constant = as<Constant>(node);
  return constant != nullptr && (constant->value.kind == LiteralKind::String ||
                                 constant->value.kind == LiteralKind::Integer);
}

std::size_t place_of(const std::vector<const Expr*>& keys, const Expr* key) {
  return static_cast<std::size_t>(
      std::ranges::find_if(keys, [&](const Expr* one) { return equal(one, key); }) - keys.begin());
}

// The method that is called, if it is one of `receiver`.
const Attribute* method_of(const Expr* node) {
  const auto* call = as<Call>(node);
  if (call == nullptr || call->callee || !call->keywords.empty()) return nullptr;
  return as<Attribute>(call->function);
}

class TakenNames {
 public:
  explicit TakenNames(const CoreFunction& core) {
    for (const Parameter* parameter : core.parameters) taken_.insert(parameter->name);
    for (const GlobalBinding& global : core.globals) taken_.insert(global.printed);
    for (const Stmt* statement : core.body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) taken_.insert(name->symbol);
      });
    }
  }
  Symbol fresh(const std::string& wish, Context& context) {
    Symbol symbol = context.symbol(wish);
    for (int number = 2; taken_.contains(symbol); ++number)
      symbol = context.symbol(wish + std::to_string(number));
    taken_.insert(symbol);
    return symbol;
  }

 private:
  std::unordered_set<Symbol> taken_;
};

// Expressions and loops over dicts of known keys.
class Speller {
 public:
  Speller(const KeysOf& keys_of, TakenNames& names, Context& context)
      : keys_of_(keys_of), names_(names), context_(context) {}

  Block block(Block body) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* it : body) {
      const Stmt* now = statement(it);
      changed = changed || now != it;
      out.push_back(now);
    }
    return changed ? context_.list(out) : body;
  }

  const Stmt* statement(const Stmt* it) {
    if (const auto* loop = as<For>(it)) return for_loop(loop);
    return static_cast<const Stmt*>(
        rewrite_children(context_, *it, [&](const Node* child) -> const Node* {
          if (is_statement(child->kind)) return statement(static_cast<const Stmt*>(child));
          return is_expression(child->kind) ? expression(static_cast<const Expr*>(child))
                                            : rewrite_part(child);
        }));
  }

  const Expr* expression(const Expr* node) {
    if (!may_hold(node)) return node;
    if (const auto* call = as<Call>(node)) {
      if (const Attribute* method = method_of(node)) {
        if (const auto keys = keys_of_(method->value)) {
          if (const Expr* value = of_method(call, method, *keys)) return value;
        }
      }
      if (call->arguments.size() == 1 && call->keywords.empty()) {
        const std::string_view callee = call->callee.text();
        if (const auto keys = keys_of_(call->arguments[0])) {
          if (callee == "builtins.len")
            return context_.integer(static_cast<std::int64_t>(keys->size()), node->ranges);
          if (callee == "builtins.list" || callee == "builtins.sorted" ||
              callee == "builtins.tuple") {
            return context_.make<Call>(node->ranges, call->function, call->callee,
                                       context_.list<const Expr*>({display(*keys)}),
                                       List<const Keyword*>());
          }
        }
      }
    }
    if (const auto* comparison = as<Comparison>(node);
        comparison != nullptr && comparison->ops.size() == 1 && is_key(comparison->left)) {
      const ComparisonOperator op = comparison->ops[0];
      const auto keys = op == ComparisonOperator::In || op == ComparisonOperator::NotIn
                            ? keys_of_(comparison->comparators[0])
                            : std::nullopt;
      if (keys) {
        const bool held = place_of(*keys, comparison->left) < keys->size();
        return context_.boolean(held == (op == ComparisonOperator::In), node->ranges);
      }
    }
    return static_cast<const Expr*>(rewrite_part(node));
  }

 private:
  const Node* rewrite_part(const Node* node) {
    return rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
      return is_expression(child->kind) ? expression(static_cast<const Expr*>(child))
                                        : rewrite_part(child);
    });
  }

  // Sums are long: only what mentions a dict is walked by calls of ourselves.
  bool may_hold(const Expr* node) const {
    bool found = false;
    for_each_node(*node, [&](const Node& part) {
      if (!found && is_expression(part.kind))
        found = keys_of_(static_cast<const Expr*>(&part)).has_value();
    });
    return found;
  }

  const Expr* display(const std::vector<const Expr*>& elements) {
    return context_.make<TupleDisplay>({}, context_.list(elements));
  }
  const Expr* entry(const Expr* dict, const Expr* key) {
    return context_.make<Subscript>(dict->ranges, dict, key);
  }
  const Expr* entries(const Expr* dict, const std::vector<const Expr*>& keys) {
    std::vector<const Expr*> values;
    for (const Expr* key : keys) values.push_back(entry(dict, key));
    return context_.make<ListDisplay>(dict->ranges, context_.list(values));
  }

  const Expr* of_method(const Call* call, const Attribute* method,
                        const std::vector<const Expr*>& keys) {
    const std::string_view name = method->attribute.text();
    const std::size_t count = call->arguments.size();
    if (name == "keys" && count == 0) return display(keys);
    if (name == "values" && count == 0) return entries(method->value, keys);
    if (name == "items" && count == 0) {
      std::vector<const Expr*> pairs;
      for (const Expr* key : keys) pairs.push_back(display({key, entry(method->value, key)}));
      return context_.make<ListDisplay>(call->ranges, context_.list(pairs));
    }
    if (name == "copy" && count == 0) {
      std::vector<const Expr*> values;
      for (const Expr* key : keys) values.push_back(entry(method->value, key));
      return context_.make<Dictionary>(call->ranges, context_.list(keys), context_.list(values));
    }
    if (name == "get" && (count == 1 || count == 2) && is_key(call->arguments[0])) {
      // The other value is evaluated, too, in Python.
      const bool harmless =
          count == 1 || is<Constant>(call->arguments[1]) || is<Name>(call->arguments[1]);
      if (!harmless) return nullptr;
      const std::size_t place = place_of(keys, call->arguments[0]);
      if (place < keys.size()) return entry(method->value, keys[place]);
      return count == 2 ? expression(call->arguments[1]) : context_.none(call->ranges);
    }
    return nullptr;
  }

  // The dict that a loop walks, and how: "", "keys", "values", "items".
  const Expr* walked(const Expr* iterable, std::string_view& how) const {
    if (keys_of_(iterable)) return iterable;
    const Attribute* method = method_of(iterable);
    if (method == nullptr || !as<Call>(iterable)->arguments.empty() || !keys_of_(method->value))
      return nullptr;
    how = method->attribute.text();
    return how == "keys" || how == "values" || how == "items" ? method->value : nullptr;
  }

  static bool stores_into(Block body, const Expr* dict) {
    bool found = false;
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        if (!is_statement(node.kind)) return;
        const Subscript* place = stored_place(static_cast<const Stmt*>(&node));
        found = found || (place != nullptr && equal(place->value, dict));
        if (const auto* assign = as<Assign>(&node))
          found = found || equal(assign->targets[0], dict);
      });
    }
    return found;
  }

  static bool binds(Block body, Symbol symbol) {
    bool found = false;
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto look = [&](const Expr* target) {
          for_each_node(*target, [&](const Node& part) {
            const auto* name = as<Name>(&part);
            found = found || (name != nullptr && name->symbol == symbol);
          });
        };
        if (const auto* assign = as<Assign>(&node)) look(assign->targets[0]);
        if (const auto* augmented = as<AugmentedAssign>(&node)) look(augmented->target);
        if (const auto* loop = as<For>(&node)) look(loop->target);
      });
    }
    return found;
  }

  const Stmt* for_loop(const For* loop) {
    std::string_view how;
    const Expr* dict = walked(loop->iterable, how);
    Block body = loop->body;
    const Expr* target = loop->target;
    const Expr* iterable = nullptr;
    if (dict == nullptr) {
      iterable = expression(loop->iterable);
    } else {
      const std::vector<const Expr*> keys = *keys_of_(dict);
      const bool fixed = !stores_into(body, dict);
      const auto* pair = as<TupleDisplay>(target);
      const auto* key =
          as<Name>(pair != nullptr && pair->elements.size() == 2 ? pair->elements[0] : target);
      const bool by_key = key != nullptr && fixed && !binds(body, key->symbol);
      if (how == "values") {
        iterable = entries(dict, keys);
      } else if (how == "items" && pair != nullptr && pair->elements.size() == 2) {
        iterable = zipped(keys, dict);
        const auto* value = as<Name>(pair->elements[1]);
        if (by_key && value != nullptr && !binds(body, value->symbol))
          body = with_entry(body, dict, key->symbol, value->symbol);
      } else if (how == "items") {
        iterable = expression(loop->iterable);
      } else if (by_key && reads_entry(body, dict, key->symbol)) {
        const Symbol item = names_.fresh("item", context_);
        iterable = zipped(keys, dict);
        target = context_.make<TupleDisplay>(
            target->ranges,
            context_.list<const Expr*>({target, context_.local(item, target->ranges)}));
        body = with_entry(body, dict, key->symbol, item);
      } else {
        iterable = display(keys);
      }
    }
    body = block(body);
    if (target == loop->target && iterable == loop->iterable && body.data() == loop->body.data())
      return loop;
    return context_.make<For>(loop->ranges, target, iterable, body, loop->orelse, loop->is_async);
  }

  const Expr* zipped(const std::vector<const Expr*>& keys, const Expr* dict) {
    return context_.make<Call>(
        dict->ranges, context_.global(context_.symbol("zip")), context_.symbol("builtins.zip"),
        context_.list<const Expr*>({display(keys), entries(dict, keys)}), List<const Keyword*>());
  }

  static bool is_entry(const Node* node, const Expr* dict, Symbol key) {
    const auto* subscript = as<Subscript>(node);
    const auto* index = subscript != nullptr ? as<Name>(subscript->index) : nullptr;
    return index != nullptr && index->symbol == key && index->scope == Scope::Local &&
           equal(subscript->value, dict);
  }
  static bool reads_entry(Block body, const Expr* dict, Symbol key) {
    bool found = false;
    for (const Stmt* statement : body) {
      for_each_node(*statement,
                    [&](const Node& node) { found = found || is_entry(&node, dict, key); });
    }
    return found;
  }
  Block with_entry(Block body, const Expr* dict, Symbol key, Symbol item) {
    const std::function<const Node*(const Node*)> renewed = [&](const Node* node) -> const Node* {
      if (is_entry(node, dict, key)) return context_.local(item, node->ranges);
      return rewrite_children(context_, *node, renewed);
    };
    std::vector<const Stmt*> out;
    for (const Stmt* statement : body) out.push_back(static_cast<const Stmt*>(renewed(statement)));
    return context_.list(out);
  }

  const KeysOf& keys_of_;
  TakenNames& names_;
  Context& context_;
};

// Dicts of the function, statement by statement.
class LocalDicts {
 public:
  LocalDicts(const CoreFunction& core, Context& context) : core_(core), context_(context) {
    std::unordered_map<Symbol, int> displays;
    std::unordered_set<Symbol> lost;
    for (const Parameter* parameter : core.parameters) lost.insert(parameter->name);
    for (const Stmt* statement : core.body) find(statement, displays, lost);
    for (const auto& [symbol, count] : displays) {
      if (count == 1 && !lost.contains(symbol)) dicts_.insert(symbol);
    }
  }

  // The names that may not be the only ones of what they stand for.
  static std::unordered_set<Symbol> kept_elsewhere(const CoreFunction& core) {
    std::unordered_map<Symbol, int> displays;
    std::unordered_set<Symbol> lost;
    for (const Parameter* parameter : core.parameters) lost.insert(parameter->name);
    for (const Stmt* statement : core.body) find(statement, displays, lost);
    return lost;
  }

  Block run() {
    while (!dicts_.empty()) {
      states_.clear();
      given_up_.clear();
      const Block body = block(core_.body);
      if (given_up_.empty()) return body;
      for (const Symbol symbol : given_up_) dicts_.erase(symbol);
    }
    return core_.body;
  }

 private:
  struct State {
    Symbol name;  // of the newest version
    std::vector<const Expr*> keys;
    int level;  // of the block that makes it
  };

  static bool has_constant_keys(const Dictionary* display) {
    if (display == nullptr || display->keys.size() > kMostKeys) return false;
    std::vector<const Expr*> seen;
    for (const Expr* key : display->keys) {
      if (key == nullptr || !is_key(key) || place_of(seen, key) < seen.size()) return false;
      seen.push_back(key);
    }
    return true;
  }

  // Counts displays, and finds the names that stand where a dict could get another name.
  static void find(const Stmt* statement, std::unordered_map<Symbol, int>& displays,
                   std::unordered_set<Symbol>& lost) {
    const auto* assign = as<Assign>(statement);
    const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    if (target != nullptr) {
      const auto* display = as<Dictionary>(assign->value);
      if (has_constant_keys(display)) {
        ++displays[target->symbol];
      } else {
        lost.insert(target->symbol);
      }
    }
    const auto walk = [&](const Node* top, bool is_target) {
      std::vector<std::pair<const Node*, bool>> open{{top, is_target}};
      while (!open.empty()) {
        const auto [node, allowed] = open.back();
        open.pop_back();
        if (const auto* name = as<Name>(node); name != nullptr && !allowed)
          lost.insert(name->symbol);
        const auto* subscript = as<Subscript>(node);
        const auto* attribute = as<Attribute>(node);
        const auto* comparison = as<Comparison>(node);
        const auto* call = as<Call>(node);
        const bool library = call != nullptr && (call->callee.text() == "builtins.len" ||
                                                 call->callee.text() == "builtins.list" ||
                                                 call->callee.text() == "builtins.sorted");
        for_each_child(*node, [&](const Node* child) {
          const bool base = (subscript != nullptr && child == subscript->value) ||
                            (attribute != nullptr && child == attribute->value) ||
                            (comparison != nullptr && child != comparison->left) || library;
          open.emplace_back(child, base);
        });
      }
    };
    if (const auto* loop = as<For>(statement)) {
      walk(loop->target, false);
      walk(loop->iterable, true);
      for (const Stmt* inner : loop->body) find(inner, displays, lost);
      return;
    }
    for_each_child(*statement, [&](const Node* child) {
      if (is_statement(child->kind)) {
        find(static_cast<const Stmt*>(child), displays, lost);
      } else if (is<Return>(statement)) {
        for_each_result_part(static_cast<const Expr*>(child),
                             [&](const Expr* part) { walk(part, is<Name>(part)); });
      } else {
        walk(child, child == target);
      }
    });
  }

  State* state_of(const Expr* node) {
    const auto* name = as<Name>(node);
    if (name == nullptr || name->scope != Scope::Local) return nullptr;
    const auto found = states_.find(name->symbol);
    return found != states_.end() ? &found->second : nullptr;
  }

  Block block(Block body) {
    ++level_;
    std::vector<const Stmt*> out;
    for (const Stmt* statement : body) one(statement, out);
    --level_;
    return context_.list(out);
  }

  void one(const Stmt* statement, std::vector<const Stmt*>& out) {
    if (const auto* branch = as<If>(statement)) {
      const Expr* test = renamed(branch->test);
      const Block first = block(branch->body);
      const Block second = branch->orelse.empty() ? Block() : block(branch->orelse);
      out.push_back(context_.make<If>(branch->ranges, test, first, second));
      return;
    }
    if (const auto* loop = as<For>(statement)) {
      const Expr* iterable = renamed(loop->iterable);
      out.push_back(context_.make<For>(loop->ranges, loop->target, iterable, block(loop->body),
                                       loop->orelse, loop->is_async));
      return;
    }
    if (const auto* repeat = as<While>(statement)) {
      const Expr* test = renamed(repeat->test);
      out.push_back(
          context_.make<While>(repeat->ranges, test, block(repeat->body), repeat->orelse));
      return;
    }
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr) {
      const auto* target = as<Name>(assign->targets[0]);
      if (target != nullptr && dicts_.contains(target->symbol) && level_ == 1) {
        const auto* display = static_cast<const Dictionary*>(assign->value);
        const Expr* value = renamed(display);
        states_[target->symbol] = {
            target->symbol, std::vector<const Expr*>(display->keys.begin(), display->keys.end()),
            level_};
        out.push_back(context_.make<Assign>(assign->ranges, assign->targets, value));
        return;
      }
      if (const auto* place = as<Subscript>(assign->targets[0])) {
        State* state = state_of(place->value);
        if (state != nullptr && is_key(place->index) &&
            place_of(state->keys, place->index) == state->keys.size() && state->level == level_) {
          return add(*state, as<Name>(place->value)->symbol, {place->index},
                     {renamed(assign->value)}, assign->ranges, out);
        }
      }
      if (State* state = method_state(assign->value, "setdefault", 2);
          state != nullptr && target != nullptr) {
        if (const Expr* entry = with_default(*state, assign->value, assign->ranges, out)) {
          out.push_back(context_.make<Assign>(assign->ranges, assign->targets, entry));
          return;
        }
      }
      if (State* state = method_state(assign->value, "pop", 1)) {
        const auto* call = static_cast<const Call*>(assign->value);
        const std::size_t place = place_of(state->keys, call->arguments[0]);
        if (place < state->keys.size() && state->level == level_) {
          const Symbol original = as<Name>(method_of(call)->value)->symbol;
          out.push_back(context_.make<Assign>(
              assign->ranges, assign->targets,
              static_cast<const Expr*>(context_.make<Subscript>(
                  assign->ranges,
                  static_cast<const Expr*>(context_.local(state->name, assign->ranges)),
                  state->keys[place]))));
          std::vector<const Expr*> rest = state->keys;
          rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
          return renew(*state, original, rest, {}, {}, assign->ranges, out);
        }
      }
    }
    if (const auto* alone = as<ExpressionStatement>(statement)) {
      if (State* state = method_state(alone->value, "setdefault", 2)) {
        if (with_default(*state, alone->value, alone->ranges, out) != nullptr) return;
      }
      if (State* state = method_state(alone->value, "update", 1)) {
        const auto* call = static_cast<const Call*>(alone->value);
        const auto* more = as<Dictionary>(call->arguments[0]);
        const bool known =
            has_constant_keys(more) &&
            (state->level == level_ || std::ranges::all_of(more->keys, [&](const Expr* key) {
               return place_of(state->keys, key) < state->keys.size();
             }));
        if (known) {
          std::vector<const Expr*> values;
          for (const Expr* value : more->values) values.push_back(renamed(value));
          return add(*state, as<Name>(method_of(call)->value)->symbol,
                     std::vector<const Expr*>(more->keys.begin(), more->keys.end()), values,
                     alone->ranges, out);
        }
      }
    }
    give_up_unknown(statement);
    out.push_back(static_cast<const Stmt*>(renamed_node(statement)));
  }

  // A dict that gets keys, or loses some, by a statement that was not understood: an entry by a key
  // that only the run tells, or in an inner block, has keys that are not known from there on.
  void give_up_unknown(const Stmt* statement) {
    const auto give_up = [&](const Expr* dict) {
      if (state_of(dict) != nullptr) given_up_.insert(as<Name>(dict)->symbol);
    };
    for_each_node(*statement, [&](const Node& node) {
      const Subscript* place =
          is_statement(node.kind) ? stored_place(static_cast<const Stmt*>(&node)) : nullptr;
      if (is<Delete>(&node)) {
        for (const Expr* target : static_cast<const Delete&>(node).targets) {
          if (const auto* entry = as<Subscript>(target)) give_up(entry->value);
        }
      } else if (place != nullptr && is<Assign>(&node)) {
        const State* state = state_of(place->value);
        if (state != nullptr &&
            (!is_key(place->index) || place_of(state->keys, place->index) == state->keys.size()))
          give_up(place->value);
      }
      const Attribute* method =
          is_expression(node.kind) ? method_of(static_cast<const Expr*>(&node)) : nullptr;
      if (method == nullptr) return;
      static constexpr std::string_view kReaders[] = {"get", "keys", "values", "items", "copy"};
      const std::string_view name = method->attribute.text();
      if (std::ranges::find(kReaders, name) != std::end(kReaders)) return;
      const State* state = state_of(method->value);
      const auto* call = static_cast<const Call*>(static_cast<const Expr*>(&node));
      // `d.setdefault('a', …)` of a key that is there, `d.update({'a': …})` of such.
      const Expr* first = call->arguments.empty() ? nullptr : call->arguments[0];
      const auto is_known = [&](const Expr* key) {
        return key != nullptr && is_key(key) && place_of(state->keys, key) < state->keys.size();
      };
      const auto* more = as<Dictionary>(first);
      const bool keeps =
          state != nullptr &&
          ((name == "setdefault" && is_known(first)) ||
           (name == "update" && more != nullptr && std::ranges::all_of(more->keys, is_known)));
      if (!keeps) give_up(method->value);
    });
  }

  // d.setdefault(key, value): the entry, which is put in if it is not there. Null if that is not
  // known.
  const Expr* with_default(State& state, const Expr* node, Ranges ranges,
                           std::vector<const Stmt*>& out) {
    const auto* call = static_cast<const Call*>(node);
    const Expr* key = call->arguments[0];
    const Expr* value = call->arguments[1];
    if (!is_key(key)) return nullptr;
    if (place_of(state.keys, key) == state.keys.size()) {
      if (state.level != level_) return nullptr;
      add(state, as<Name>(method_of(call)->value)->symbol, {key}, {renamed(value)}, ranges, out);
    } else if (!is<Constant>(value) && !is<Name>(value)) {
      out.push_back(context_.make<ExpressionStatement>(ranges, renamed(value)));
    }
    return context_.make<Subscript>(
        ranges, static_cast<const Expr*>(context_.local(state.name, ranges)), key);
  }

  State* method_state(const Expr* node, std::string_view name, std::size_t count) {
    const Attribute* method = method_of(node);
    if (method == nullptr || method->attribute.text() != name) return nullptr;
    const auto* call = static_cast<const Call*>(node);
    if (call->arguments.size() != count) return nullptr;
    return state_of(method->value);
  }

  // The dict with entries put in or replaced, as another display.
  void add(State& state, Symbol original, const std::vector<const Expr*>& keys,
           const std::vector<const Expr*>& values, Ranges ranges, std::vector<const Stmt*>& out) {
    std::vector<const Expr*> all = state.keys;
    for (const Expr* key : keys) {
      if (place_of(all, key) == all.size()) all.push_back(key);
    }
    renew(state, original, all, keys, values, ranges, out);
  }

  void renew(State& state, Symbol original, const std::vector<const Expr*>& all,
             const std::vector<const Expr*>& keys, const std::vector<const Expr*>& values,
             Ranges ranges, std::vector<const Stmt*>& out) {
    std::vector<const Expr*> now;
    for (const Expr* key : all) {
      const std::size_t place = place_of(keys, key);
      now.push_back(
          place < keys.size()
              ? values[place]
              : context_.make<Subscript>(
                    ranges, static_cast<const Expr*>(context_.local(state.name, ranges)), key));
    }
    const bool same_keys = all.size() == state.keys.size();
    const Symbol name =
        same_keys ? state.name : names_.fresh(std::string(original.text()), context_);
    out.push_back(context_.assign(
        context_.local(name, ranges),
        context_.make<Dictionary>(ranges, context_.list(all), context_.list(now)), ranges));
    state.name = name;
    state.keys = all;
  }

  const Node* renamed_node(const Node* node) {
    if (const auto* name = as<Name>(node)) {
      const State* state = state_of(name);
      return state != nullptr && state->name != name->symbol
                 ? static_cast<const Node*>(context_.local(state->name, name->ranges))
                 : node;
    }
    bool mentioned = false;
    for_each_node(*node, [&](const Node& part) {
      const auto* name = as<Name>(&part);
      mentioned = mentioned || (name != nullptr && states_.contains(name->symbol));
    });
    if (!mentioned) return node;
    return rewrite_children(context_, *node,
                            [&](const Node* child) { return renamed_node(child); });
  }
  const Expr* renamed(const Expr* node) { return static_cast<const Expr*>(renamed_node(node)); }

  const CoreFunction& core_;
  Context& context_;
  TakenNames names_{core_};
  std::unordered_set<Symbol> dicts_;
  std::unordered_map<Symbol, State> states_;
  std::unordered_set<Symbol> given_up_;  // whose keys turned out not to be known
  int level_ = 0;
};

}  // namespace

Block spell_out_dicts(const CoreFunction& core, const KeysOf& keys_of, Context& context) {
  TakenNames names(core);
  return Speller(keys_of, names, context).block(core.body);
}

CoreFunction spell_out_local_dicts(const CoreFunction& core, Context& context) {
  if (!context.has_made(Kind::Dictionary)) return core;
  CoreFunction result = core;
  result.body = LocalDicts(core, context).run();
  // A name that every display gives the same keys, and nothing else refers to or changes.
  std::unordered_map<Symbol, const Dictionary*> known;
  std::unordered_set<Symbol> lost = LocalDicts::kept_elsewhere(result);
  for (const Stmt* statement : result.body) {
    for_each_node(*statement, [&](const Node& node) {
      const auto* assign = as<Assign>(&node);
      const Expr* target = target_of(node);
      if (target == nullptr || is<Subscript>(target)) return;
      const auto* name = as<Name>(target);
      const auto* display =
          name != nullptr && assign != nullptr ? as<Dictionary>(assign->value) : nullptr;
      const bool constant =
          display != nullptr && std::ranges::all_of(display->keys, [](const Expr* key) {
            return key != nullptr && is_key(key);
          });
      if (!constant) {
        for_each_node(*target, [&](const Node& part) {
          if (const auto* one = as<Name>(&part)) lost.insert(one->symbol);
        });
        return;
      }
      const auto [found, is_new] = known.emplace(name->symbol, display);
      const bool same =
          std::ranges::equal(found->second->keys, display->keys,
                             [](const Expr* a, const Expr* b) { return equal(a, b); });
      if (!is_new && !same) lost.insert(name->symbol);
    });
  }
  if (known.empty()) return result;
  for (const Stmt* statement : result.body) {
    for_each_node(*statement, [&](const Node& node) {
      // What is stored under another key, and methods that change the dict.
      const Subscript* place =
          is_statement(node.kind) ? stored_place(static_cast<const Stmt*>(&node)) : nullptr;
      const auto* base = place != nullptr ? as<Name>(place->value) : nullptr;
      if (base != nullptr && known.contains(base->symbol)) {
        const auto& keys = known.at(base->symbol)->keys;
        const bool held =
            std::ranges::any_of(keys, [&](const Expr* key) { return equal(key, place->index); });
        if (!held) lost.insert(base->symbol);
      }
      const auto* attribute = as<Attribute>(&node);
      const auto* receiver = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
      if (receiver == nullptr || !known.contains(receiver->symbol)) return;
      static constexpr std::string_view kReaders[] = {"get", "keys", "values", "items", "copy"};
      if (std::ranges::find(kReaders, attribute->attribute.text()) == std::end(kReaders))
        lost.insert(receiver->symbol);
    });
  }
  const KeysOf keys_of = [&](const Expr* node) -> std::optional<std::vector<const Expr*>> {
    const auto* name = as<Name>(node);
    if (name == nullptr || name->scope != Scope::Local || lost.contains(name->symbol)) return {};
    const auto found = known.find(name->symbol);
    if (found == known.end()) return {};
    return std::vector<const Expr*>(found->second->keys.begin(), found->second->keys.end());
  };
  result.body = spell_out_dicts(result, keys_of, context);
  return result;
}

}  // namespace tangent
