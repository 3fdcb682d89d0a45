#include "lower/parts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

constexpr std::size_t kMostParts = 16;
constexpr int kMostRounds = 8;  // parts of parts

struct Key {
  bool is_text = false;
  std::string text;
  std::int64_t index = 0;
  bool operator==(const Key&) const = default;
};

bool read_key(const Expr* node, Key& key) {
  bool negative = false;
  if (const auto* minus = as<UnaryOperation>(node);
      minus != nullptr && minus->op == UnaryOperator::Minus) {
    negative = true;
    node = minus->operand;
  }
  // A tuple of constants is a key of its own, which no text spells.
  if (const auto* tuple = as<TupleDisplay>(node); tuple != nullptr && !negative) {
    key = {.is_text = true, .text = "\x01"};
    for (const Expr* element : tuple->elements) {
      Key part;
      if (!read_key(element, part)) return false;
      key.text += part.is_text ? "'" + part.text : std::to_string(part.index);
      key.text += '\x01';
    }
    return !tuple->elements.empty();
  }
  const auto* constant = as<Constant>(node);
  if (constant == nullptr) return false;
  if (constant->value.kind == LiteralKind::Integer) {
    key = {.is_text = false,
           .text = {},
           .index = negative ? -constant->value.integer : constant->value.integer};
    return true;
  }
  if (negative || constant->value.kind != LiteralKind::String) return false;
  key = {.is_text = true, .text = std::string(constant->value.text)};
  return true;
}

enum class Form : std::uint8_t { Tuple, List, Dict };

struct Container {
  Form form = Form::Tuple;
  std::vector<Key> keys;
  std::vector<const Expr*> spelled;  // the keys of a dict
  std::vector<Symbol> parts;
  bool is_lost = false;  // something is done with it that needs the container itself
  bool is_stored = false;
  bool is_iterated = false;

  [[nodiscard]] std::optional<std::size_t> find(Key key) const {
    if (form != Form::Dict && key.index < 0) key.index += static_cast<std::int64_t>(keys.size());
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found == keys.end()) return std::nullopt;
    return static_cast<std::size_t>(found - keys.begin());
  }
};

// The parts of a display; nothing if it is none, or of a form that is not replaced.
std::optional<Container> read_display(const Expr* node, std::vector<const Expr*>& values) {
  Container result;
  values.clear();
  if (const auto* dictionary = as<Dictionary>(node)) {
    result.form = Form::Dict;
    for (std::size_t k = 0; k < dictionary->keys.size(); ++k) {
      Key key;
      if (dictionary->keys[k] == nullptr || !read_key(dictionary->keys[k], key)) return {};
      if (result.find(key)) return {};
      result.keys.push_back(key);
      result.spelled.push_back(dictionary->keys[k]);
      values.push_back(dictionary->values[k]);
    }
  } else {
    Exprs elements;
    if (const auto* tuple = as<TupleDisplay>(node)) {
      elements = tuple->elements;
    } else if (const auto* list = as<ListDisplay>(node)) {
      elements = list->elements;
      result.form = Form::List;
    } else {
      return {};
    }
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (is<Starred>(elements[k])) return {};
      result.keys.push_back({.is_text = false, .text = {}, .index = static_cast<std::int64_t>(k)});
      values.push_back(elements[k]);
    }
  }
  if (values.empty() || values.size() > kMostParts) return {};
  return result;
}

bool is_library(std::string_view callee) {
  return callee.starts_with("numpy.") || callee.starts_with("builtins.") ||
         callee.starts_with("math.") || callee.starts_with("scipy.");
}

const Name* local(const Node* node) {
  const auto* name = as<Name>(node);
  return name != nullptr && name->scope == Scope::Local ? name : nullptr;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class Replacer {
 public:
  Replacer(const CoreFunction& core, Context& context) : context_(context) {
    for (const Parameter* parameter : core.parameters) {
      taken_.insert(parameter->name);
      lost_.insert(parameter->name);
    }
    for (const GlobalBinding& global : core.globals) taken_.insert(global.printed);
  }

  Block run(Block body) {
    for (const Stmt* statement : body) take_names(statement);
    // The displays first: a read may stand before them in the text, in a loop.
    find_displays(body);
    for (const Stmt* statement : body) look(statement);
    for (auto it = containers_.begin(); it != containers_.end();) {
      const bool changes = it->second.is_iterated && it->second.is_stored;
      const bool lost = it->second.is_lost || changes || lost_.contains(it->first);
      it = lost ? containers_.erase(it) : std::next(it);
    }
    if (containers_.empty()) return body;
    name_parts(body);
    return block(body);
  }

 private:
  using Statements = std::vector<const Stmt*>;

  void take_names(const Stmt* statement) {
    for_each_node(*statement, [&](const Node& node) {
      if (const auto* name = as<Name>(&node)) taken_.insert(name->symbol);
    });
  }

  Symbol fresh(const std::string& wish) {
    static constexpr std::string_view kKeywords[] = {
        "False",  "None",  "True",   "and",  "as",    "assert", "async", "await",    "break",
        "class",  "def",   "del",    "elif", "else",  "except", "for",   "finally",  "from",
        "global", "if",    "import", "in",   "is",    "lambda", "or",    "nonlocal", "not",
        "pass",   "raise", "return", "try",  "while", "with",   "yield", "continue"};
    const bool keyword =
        std::find(std::begin(kKeywords), std::end(kKeywords), wish) != std::end(kKeywords);
    Symbol symbol = context_.symbol(keyword ? wish + "_" : wish);
    for (int number = 2; taken_.contains(symbol); ++number)
      symbol = context_.symbol(wish + std::to_string(number));
    taken_.insert(symbol);
    return symbol;
  }

  // --- what can be replaced

  void find_displays(Block body) {
    for (const Stmt* statement : body) {
      if (const auto* assign = as<Assign>(statement)) {
        if (const Name* target = local(assign->targets[0]))
          note_binding(target->symbol, assign->value);
      }
      for_each_child(*statement, [&](const Node* child) {
        if (!is_statement(child->kind)) return;
        const auto* inner = static_cast<const Stmt*>(child);
        find_displays(Block(&inner, 1));
      });
    }
  }

  void note_binding(Symbol symbol, const Expr* value) {
    std::vector<const Expr*> values;
    const std::optional<Container> display = read_display(value, values);
    if (!display) {
      lost_.insert(symbol);
      return;
    }
    const auto [found, is_new] = containers_.emplace(symbol, *display);
    if (!is_new && (found->second.form != display->form || found->second.keys != display->keys))
      found->second.is_lost = true;
  }

  Container* container(const Node* node) {
    const Name* name = local(node);
    if (name == nullptr) return nullptr;
    const auto found = containers_.find(name->symbol);
    return found != containers_.end() ? &found->second : nullptr;
  }

  static void lose(Container* container) {
    if (container != nullptr) container->is_lost = true;
  }

  void look(const Node* node) {
    if (const auto* statement =
            is_statement(node->kind) ? static_cast<const Stmt*>(node) : nullptr) {
      if (const auto* assign = as<Assign>(statement)) {
        look_at_target(assign->targets[0]);
        const auto* targets = as<TupleDisplay>(assign->targets[0]);
        if (Container* whole = container(assign->value)) {
          // `w = v` of a tuple is another tuple of the same parts; a list would have two names.
          const bool unpacks = targets != nullptr && targets->elements.size() == whole->keys.size();
          if (whole->form == Form::Dict || (!unpacks && whole->form != Form::Tuple))
            whole->is_lost = true;
          return;
        }
        return look(assign->value);
      }
      if (const auto* augmented = as<AugmentedAssign>(statement)) {
        if (local(augmented->target) != nullptr) lose(container(augmented->target));
        look_at_target(augmented->target);
        return look(augmented->value);
      }
      if (const auto* loop = as<For>(statement)) {
        each_name(loop->target, [&](const Name* name) { lose(container(name)); });
        look_at_iterable(loop->iterable);
        for (const Stmt* inner : loop->body) look(inner);
        return;
      }
      if (const auto* result = as<Return>(statement)) {
        for_each_result_part(result->value, [&](const Expr* part) {
          if (container(part) == nullptr) look(part);
        });
        return;
      }
      for_each_child(*node, [&](const Node* child) { look(child); });
      return;
    }
    look_at_value(node);
  }

  // Not by recursion: sums are long.
  void look_at_value(const Node* value) {
    std::vector<const Node*> open{value};
    const auto push = [&](const Node* child) { open.push_back(child); };
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (Container* whole = container(node)) {
        whole->is_lost = true;
        continue;
      }
      if (const auto* subscript = as<Subscript>(node)) {
        Key key;
        if (Container* whole = container(subscript->value)) {
          if (!read_key(subscript->index, key) || !whole->find(key)) whole->is_lost = true;
          continue;
        }
      }
      if (const auto* call = as<Call>(node); call != nullptr && is_library(call->callee.text())) {
        // The function of a method call is looked at like any other part.
        push(call->function);
        for (const Expr* argument : call->arguments) {
          Container* whole = container(argument);
          if (whole == nullptr || whole->form == Form::Dict) push(argument);
        }
        for (const Keyword* keyword : call->keywords) push(keyword);
        continue;
      }
      for_each_child(*node, push);
    }
  }

  template <class F>
  static void each_name(const Node* node, F&& f) {
    for_each_node(*node, [&](const Node& part) {
      if (const auto* name = as<Name>(&part)) f(name);
    });
  }

  void look_at_iterable(const Expr* iterable) {
    if (Container* whole = container(iterable)) {
      whole->is_iterated = true;
      if (whole->form == Form::Dict) whole->is_lost = true;
      return;
    }
    look(iterable);
  }

  void look_at_target(const Expr* target) {
    if (local(target) != nullptr) return;
    if (const auto* tuple = as<TupleDisplay>(target)) {
      for (const Expr* element : tuple->elements) lose(container(element));
      return;
    }
    const auto* place = as<Subscript>(target);
    if (place == nullptr) return;
    look(place->index);
    Key key;
    if (Container* whole = container(place->value)) {
      whole->is_stored = true;
      if (whole->form == Form::Tuple || !read_key(place->index, key) || !whole->find(key))
        whole->is_lost = true;
      return;
    }
    look_at_target(place->value);
    if (!is<Subscript>(place->value)) look(place->value);
  }

  // --- the replacement

  void name_parts(Block body) {
    // In the order of the text: names do not depend on a hash.
    std::vector<const Node*> stack(body.rbegin(), body.rend());
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      const auto* assign = as<Assign>(node);
      Container* whole = assign != nullptr ? container(assign->targets[0]) : nullptr;
      if (whole != nullptr && whole->parts.empty()) {
        const std::string base(static_cast<const Name*>(assign->targets[0])->symbol.text());
        for (const Key& key : whole->keys) {
          const bool plain = key.is_text && is_identifier(key.text);
          const std::string last =
              key.is_text ? (plain ? key.text : "part") : std::to_string(key.index);
          const bool alone = plain && !taken_.contains(context_.symbol(key.text));
          whole->parts.push_back(fresh(alone ? key.text : base + "_" + last));
        }
      }
      const std::size_t mark = stack.size();
      for_each_child(*node, [&](const Node* child) {
        if (is_statement(child->kind)) stack.push_back(child);
      });
      std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(mark), stack.end());
    }
  }

  Block block(Block statements) {
    Statements out;
    for (const Stmt* statement : statements) this->statement(statement, out);
    return context_.list(out);
  }

  void statement(const Stmt* it, Statements& out) {
    if (const auto* assign = as<Assign>(it)) {
      if (const Container* whole = container(assign->targets[0]))
        return bind(*whole, assign->value, it->ranges, out);
      const auto* targets = as<TupleDisplay>(assign->targets[0]);
      const Container* taken = container(assign->value);
      if (targets != nullptr && taken != nullptr) {
        for (std::size_t k = 0; k < targets->elements.size(); ++k) {
          out.push_back(context_.assign(targets->elements[k],
                                        context_.local(taken->parts[k], assign->value->ranges),
                                        it->ranges));
        }
        return;
      }
    }
    if (const auto* branch = as<If>(it)) {
      out.push_back(context_.make<If>(it->ranges, expression(branch->test), block(branch->body),
                                      branch->orelse.empty() ? Block() : block(branch->orelse)));
      return;
    }
    if (const auto* loop = as<For>(it)) {
      out.push_back(context_.make<For>(it->ranges, loop->target, expression(loop->iterable),
                                       block(loop->body), loop->orelse, loop->is_async));
      return;
    }
    if (const auto* repeat = as<While>(it)) {
      out.push_back(context_.make<While>(it->ranges, expression(repeat->test), block(repeat->body),
                                         repeat->orelse));
      return;
    }
    out.push_back(static_cast<const Stmt*>(rewrite(it)));
  }

  // All values are computed before the first part changes.
  void bind(const Container& whole, const Expr* display, Ranges ranges, Statements& out) {
    std::vector<const Expr*> values;
    if (!read_display(display, values)) {
      // `w = v` of two tuples.
      const Container* other = container(display);
      for (const Symbol part : other->parts)
        values.push_back(context_.local(part, display->ranges));
    }
    std::vector<const Expr*> now;
    for (const Expr* value : values) now.push_back(expression(value));
    for (std::size_t k = 0; k < now.size(); ++k) {
      bool read_later = false;
      for (std::size_t later = k + 1; later < now.size(); ++later)
        read_later = read_later || mentions(now[later], whole.parts[k]);
      if (!read_later) continue;
      // Kept meanwhile, under a name of its own.
      kept_.emplace_back(whole.parts[k], now[k]);
      now[k] = nullptr;
    }
    std::vector<std::pair<Symbol, Symbol>> last;
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (now[k] != nullptr) {
        out.push_back(context_.assign(context_.local(whole.parts[k], ranges), now[k], ranges));
        continue;
      }
      const Symbol name = fresh("new_" + std::string(whole.parts[k].text()));
      const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& entry) {
        return entry.first == whole.parts[k];
      });
      out.push_back(context_.assign(context_.local(name, ranges), found->second, ranges));
      last.emplace_back(whole.parts[k], name);
    }
    kept_.clear();
    for (const auto& [part, name] : last)
      out.push_back(context_.assign(context_.local(part, ranges),
                                    static_cast<const Expr*>(context_.local(name, ranges)),
                                    ranges));
  }

  static bool mentions(const Node* node, Symbol symbol) {
    bool found = false;
    each_name(node, [&](const Name* name) { found = found || name->symbol == symbol; });
    return found;
  }

  const Expr* expression(const Expr* node) { return static_cast<const Expr*>(rewrite(node)); }

  const Node* rewrite(const Node* node) {
    if (const auto* subscript = as<Subscript>(node)) {
      Key key;
      const Container* whole = container(subscript->value);
      if (whole != nullptr && read_key(subscript->index, key))
        return context_.local(whole->parts[*whole->find(key)], node->ranges);
    }
    if (const auto* call = as<Call>(node);
        call != nullptr && call->callee.text() == "builtins.len" && call->arguments.size() == 1) {
      if (const Container* whole = container(call->arguments[0]))
        return context_.integer(static_cast<std::int64_t>(whole->parts.size()), node->ranges);
    }
    if (const Container* whole = container(node)) {
      std::vector<const Expr*> elements;
      std::vector<const Expr*> keys;
      for (std::size_t k = 0; k < whole->parts.size(); ++k) {
        elements.push_back(context_.local(whole->parts[k], node->ranges));
        if (whole->form == Form::Dict) keys.push_back(whole->spelled[k]);
      }
      if (whole->form == Form::Tuple)
        return context_.make<TupleDisplay>(node->ranges, context_.list(elements));
      if (whole->form == Form::List)
        return context_.make<ListDisplay>(node->ranges, context_.list(elements));
      return context_.make<Dictionary>(node->ranges, context_.list(keys), context_.list(elements));
    }
    if (!mentions_container(node)) return node;
    return rewrite_children(context_, *node, [&](const Node* child) { return rewrite(child); });
  }

  bool mentions_container(const Node* node) {
    SmallStack<const Node*> stack(node);
    while (!stack.empty()) {
      const Node* top = stack.pop();
      if (container(top) != nullptr) return true;
      push_children(stack, *top);
    }
    return false;
  }

  Context& context_;
  std::unordered_set<Symbol> taken_;
  std::unordered_set<Symbol> lost_;  // names that hold something else, too
  std::unordered_map<Symbol, Container> containers_;
  std::vector<std::pair<Symbol, const Expr*>> kept_;
};

}  // namespace

CoreFunction replace_parts(const CoreFunction& core, Context& context) {
  CoreFunction result = core;
  for (int round = 0; round < kMostRounds; ++round) {
    const Block body = Replacer(result, context).run(result.body);
    if (body.data() == result.body.data()) break;
    result.body = body;
  }
  return result;
}

}  // namespace tangent
