#include "lower/key_loops.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

using Statements = std::vector<const Stmt*>;
constexpr std::size_t kMostKeyRounds = 16;

const Name* local_variable(const Node* node) {
  const auto* name = as<Name>(node);
  return name != nullptr && name->scope == Scope::Local ? name : nullptr;
}

bool reads_name(const Node* node, Symbol symbol) {
  return find_node(node, [&](const Node* part) {
           const auto* name = as<Name>(part);
           return name != nullptr && name->scope == Scope::Local && name->symbol == symbol;
         }) != nullptr;
}

// A break of the loop whose body this is.
bool leaves_loop(Block body) {
  return std::ranges::any_of(body, [](const Stmt* it) {
    const auto* branch = as<If>(it);
    return is<Break>(it) ||
           (branch != nullptr && (leaves_loop(branch->body) || leaves_loop(branch->orelse)));
  });
}

class KeyLoops {
 public:
  KeyLoops(const CoreFunction& core, const StructureOf& structure_of, const KeysOf& keys_of,
           Context& context)
      : whole_(core.body), structure_of_(structure_of), keys_of_(keys_of), context_(context) {
    for (const Stmt* statement : core.body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* assign = as<Assign>(&node);
        const Name* target = assign != nullptr ? local_variable(assign->targets[0]) : nullptr;
        if (target != nullptr && is<Dictionary>(assign->value)) dicts_.insert(target->symbol);
      });
    }
  }

  Block block(Block body) {
    Statements out;
    for (const Stmt* it : body) statement(it, out);
    return std::ranges::equal(out, body) ? body : Block(context_.list(out));
  }

 private:
  void statement(const Stmt* it, Statements& out) {
    if (const auto* branch = as<If>(it)) {
      const Block body = block(branch->body);
      const Block orelse = branch->orelse.empty() ? Block() : block(branch->orelse);
      const bool same =
          body.data() == branch->body.data() && orelse.data() == branch->orelse.data();
      out.push_back(same ? it
                         : static_cast<const Stmt*>(
                               context_.make<If>(it->ranges, branch->test, body, orelse)));
      return;
    }
    if (const auto* repeat = as<While>(it)) {
      const Block body = block(repeat->body);
      out.push_back(body.data() == repeat->body.data()
                        ? it
                        : static_cast<const Stmt*>(context_.make<While>(it->ranges, repeat->test,
                                                                        body, repeat->orelse)));
      return;
    }
    const auto* loop = as<For>(it);
    if (loop == nullptr) {
      out.push_back(it);
      return;
    }
    if (write_out(loop, out)) return;
    const Block body = block(loop->body);
    out.push_back(body.data() == loop->body.data() ? it
                                                   : static_cast<const Stmt*>(context_.make<For>(
                                                         it->ranges, loop->target, loop->iterable,
                                                         body, loop->orelse, loop->is_async)));
  }

  // What each round gives the targets, as far as it is known: constants, names, entries.
  using Rounds = std::vector<std::vector<const Expr*>>;

  static bool is_plain(const Expr* e) { return is<Constant>(e) || is<Name>(e); }

  // A whole number that is known here: constants, lengths of what an argument holds, sums of them.
  std::optional<std::int64_t> integer(const Expr* e, int depth = 0) const {
    if (const auto* call = as<Call>(e);
        call != nullptr && call->callee.text() == "builtins.len" && call->arguments.size() == 1) {
      if (const auto keys = keys_of_(call->arguments[0]))
        return static_cast<std::int64_t>(keys->size());
      const Structure* whole = structure_of_(call->arguments[0]);
      if (whole != nullptr && !whole->is_leaf())
        return static_cast<std::int64_t>(whole->parts.size());
      return std::nullopt;
    }
    if (const Name* name = local_variable(e); name != nullptr && depth < 8) {
      // Bound once, before everything that asks: in the block of the function.
      const Expr* value = nullptr;
      int bindings = 0;
      for (const Stmt* it : whole_) {
        const auto* assign = as<Assign>(it);
        const Name* target = assign != nullptr ? local_variable(assign->targets[0]) : nullptr;
        if (target != nullptr && target->symbol == name->symbol) value = assign->value;
        if (binds(Block(&it, 1), name->symbol)) ++bindings;
      }
      return value != nullptr && bindings == 1 ? integer(value, depth + 1) : std::nullopt;
    }
    if (const auto* operation = as<BinaryOperation>(e); operation != nullptr && depth < 8) {
      const auto left = integer(operation->left, depth + 1);
      const auto right = integer(operation->right, depth + 1);
      constexpr std::int64_t kLarge = 1 << 20;
      if (!left || !right || std::abs(*left) > kLarge || std::abs(*right) > kLarge)
        return std::nullopt;
      if (operation->op == BinaryOperator::Add) return *left + *right;
      if (operation->op == BinaryOperator::Subtract) return *left - *right;
      if (operation->op == BinaryOperator::Multiply) return *left * *right;
      if (operation->op == BinaryOperator::FloorDivide && *right > 0 && *left >= 0)
        return *left / *right;
      return std::nullopt;
    }
    return integer_literal(e);
  }

  std::optional<std::vector<const Expr*>> items_of(const Expr* iterable) {
    if (const Exprs* elements = display_elements(iterable)) {
      if (!std::ranges::all_of(*elements, is_plain)) return std::nullopt;
      return std::vector<const Expr*>(elements->begin(), elements->end());
    }
    if (auto keys = keys_of_(iterable)) return keys;
    const auto* call = as<Call>(iterable);
    if (call == nullptr || !call->keywords.empty()) return std::nullopt;
    if (const auto* method = as<Attribute>(call->function); method != nullptr && !call->callee &&
                                                            call->arguments.empty() &&
                                                            method->attribute.text() == "keys")
      return keys_of_(method->value);
    if (call->callee.text() != "builtins.range") return std::nullopt;
    std::vector<std::int64_t> bounds;
    for (const Expr* argument : call->arguments) {
      const auto bound = integer(argument);
      if (!bound) return std::nullopt;
      bounds.push_back(*bound);
    }
    if (bounds.empty() || bounds.size() > 3) return std::nullopt;
    const std::int64_t start = bounds.size() > 1 ? bounds[0] : 0;
    const std::int64_t stop = bounds.size() > 1 ? bounds[1] : bounds[0];
    const std::int64_t step = bounds.size() > 2 ? bounds[2] : 1;
    if (step == 0) return std::nullopt;
    std::vector<const Expr*> items;
    for (std::int64_t k = start; step > 0 ? k < stop : k > stop; k += step) {
      if (items.size() > kMostKeyRounds || k < 0) return std::nullopt;
      items.push_back(context_.integer(k));
    }
    return items;
  }

  std::optional<Rounds> rounds_of(const Expr* target, const Expr* iterable) {
    const auto* targets = as<TupleDisplay>(target);
    Rounds rounds;
    if (targets == nullptr) {
      const auto items = items_of(iterable);
      if (!items) return std::nullopt;
      for (const Expr* item : *items) rounds.push_back({item});
      return rounds;
    }
    const auto* call = as<Call>(iterable);
    if (call == nullptr || !call->keywords.empty()) return std::nullopt;
    const auto* method = as<Attribute>(call->function);
    if (method != nullptr && !call->callee && call->arguments.empty() &&
        method->attribute.text() == "items" && targets->elements.size() == 2) {
      const auto keys = keys_of_(method->value);
      if (!keys) return std::nullopt;
      for (const Expr* key : *keys) {
        rounds.push_back(
            {key, context_.make<Subscript>(method->value->ranges, method->value, key)});
      }
      return rounds;
    }
    if (call->callee.text() == "builtins.enumerate" && call->arguments.size() == 1 &&
        targets->elements.size() == 2) {
      const auto items = items_of(call->arguments[0]);
      if (!items) return std::nullopt;
      for (std::size_t k = 0; k < items->size(); ++k)
        rounds.push_back({context_.integer(static_cast<std::int64_t>(k)), (*items)[k]});
      return rounds;
    }
    if (call->callee.text() == "builtins.zip" &&
        call->arguments.size() == targets->elements.size()) {
      std::vector<std::vector<const Expr*>> columns;
      for (const Expr* argument : call->arguments) {
        auto items = items_of(argument);
        if (!items) return std::nullopt;
        columns.push_back(std::move(*items));
      }
      std::size_t count = columns[0].size();
      for (const auto& column : columns) count = std::min(count, column.size());
      for (std::size_t k = 0; k < count; ++k) {
        std::vector<const Expr*> round;
        for (const auto& column : columns) round.push_back(column[k]);
        rounds.push_back(std::move(round));
      }
      return rounds;
    }
    return std::nullopt;
  }

  bool is_dict(const Expr* base) const {
    if (const Name* name = local_variable(base); name != nullptr && dicts_.contains(name->symbol))
      return true;
    const Structure* structure = structure_of_(base);
    return structure != nullptr && structure->form == Structure::Form::Dict;
  }

  // Whether a block reaches entries of a dict by the variable.
  bool decides_keys(Block body, Symbol symbol) const {
    return std::ranges::any_of(body, [&](const Stmt* it) {
      return find_node(it, [&](const Node* node) {
               const auto* subscript = as<Subscript>(node);
               return subscript != nullptr && is_dict(subscript->value) &&
                      reads_name(subscript->index, symbol);
             }) != nullptr;
    });
  }

  static bool binds(Block body, Symbol symbol) {
    return std::ranges::any_of(body, [&](const Stmt* it) {
      return find_node(it, [&](const Node* node) {
               const Expr* target = nullptr;
               if (const auto* assign = as<Assign>(node)) target = assign->targets[0];
               if (const auto* augmented = as<AugmentedAssign>(node)) target = augmented->target;
               if (const auto* loop = as<For>(node)) target = loop->target;
               return target != nullptr && !is<Subscript>(target) && reads_name(target, symbol);
             }) != nullptr;
    });
  }

  std::size_t count_names(Block body, Symbol symbol) const {
    std::size_t count = 0;
    for (const Stmt* it : body) {
      for_each_node(*it, [&](const Node& node) {
        const Name* name = local_variable(&node);
        if (name != nullptr && name->symbol == symbol) ++count;
      });
    }
    return count;
  }

  bool write_out(const For* loop, Statements& out) {
    std::vector<Symbol> targets;
    if (const Name* name = local_variable(loop->target)) {
      targets.push_back(name->symbol);
    } else if (const auto* tuple = as<TupleDisplay>(loop->target)) {
      for (const Expr* element : tuple->elements) {
        const Name* name = local_variable(element);
        if (name == nullptr) return false;
        targets.push_back(name->symbol);
      }
    }
    const bool needed = std::ranges::any_of(
        targets, [&](Symbol symbol) { return decides_keys(loop->body, symbol); });
    if (!needed || leaves_loop(loop->body)) return false;
    const auto rounds = rounds_of(loop->target, loop->iterable);
    if (!rounds || rounds->size() > kMostKeyRounds) return false;
    // Names that the rounds are made of have to stay what they were when the loop began.
    for (const auto& round : *rounds) {
      for (const Expr* value : round) {
        const auto* name = as<Name>(value);
        if (name != nullptr && binds(loop->body, name->symbol)) return false;
        if (name != nullptr && std::ranges::find(targets, name->symbol) != targets.end())
          return false;
      }
    }
    for (const auto& round : *rounds) {
      std::unordered_map<Symbol, const Expr*> values;
      for (std::size_t k = 0; k < targets.size(); ++k) {
        const bool constant = is<Constant>(round[k]);
        const bool inside_only =
            count_names(whole_, targets[k]) == count_names(loop->body, targets[k]) + 1;
        if (constant && !binds(loop->body, targets[k])) values.emplace(targets[k], round[k]);
        if (!constant || !inside_only || binds(loop->body, targets[k])) {
          out.push_back(context_.assign(context_.local(targets[k], loop->target->ranges),
                                        static_cast<const Expr*>(again(round[k], {})),
                                        loop->ranges));
        }
      }
      Statements body;
      for (const Stmt* it : loop->body) body.push_back(static_cast<const Stmt*>(again(it, values)));
      for (const Stmt* it : block(context_.list(body))) out.push_back(it);
    }
    return true;
  }

  // A node again, for one more place, with these variables' values in it.
  const Node* again(const Node* node, const std::unordered_map<Symbol, const Expr*>& values) {
    if (const auto* name = as<Name>(node)) {
      const auto found = name->scope == Scope::Local ? values.find(name->symbol) : values.end();
      if (found != values.end()) {
        return context_.make<Constant>(name->ranges,
                                       static_cast<const Constant*>(found->second)->value);
      }
      return context_.make<Name>(name->ranges, name->symbol, name->scope);
    }
    if (const auto* constant = as<Constant>(node))
      return context_.make<Constant>(constant->ranges, constant->value);
    if (is<Pass>(node)) return context_.make<Pass>(node->ranges);
    if (is<Break>(node)) return context_.make<Break>(node->ranges);
    const Node* copied =
        rewrite_children(context_, *node, [&](const Node* child) { return again(child, values); });
    if (!values.empty() && is_expression(copied->kind))
      return folded(static_cast<const Expr*>(copied));
    return copied;
  }

  const Expr* text_constant(const std::string& text, Ranges ranges) {
    return context_.make<Constant>(
        ranges, Literal{.kind = LiteralKind::String, .text = context_.arena().copy_text(text)});
  }

  static bool plain_text(const Expr* e, std::string& text) {
    const auto* constant = as<Constant>(e);
    if (constant == nullptr) return false;
    if (constant->value.kind == LiteralKind::String) {
      text += constant->value.text;
      return true;
    }
    if (constant->value.kind != LiteralKind::Integer) return false;
    text += std::to_string(constant->value.integer);
    return true;
  }

  // f'w{1}', 'w' + str(1), 1 + 1: what a key is made of.
  const Expr* folded(const Expr* e) {
    if (const auto* formatted = as<FormattedString>(e)) {
      std::string text;
      for (const Expr* part : formatted->values) {
        const auto* value = as<FormattedValue>(part);
        if (value != nullptr && (value->conversion != 0 || value->specification != nullptr))
          return e;
        if (!plain_text(value != nullptr ? value->value : part, text)) return e;
      }
      return text_constant(text, e->ranges);
    }
    if (const auto* call = as<Call>(e); call != nullptr && call->callee.text() == "builtins.str" &&
                                        call->arguments.size() == 1 && call->keywords.empty()) {
      std::string text;
      return plain_text(call->arguments[0], text) ? text_constant(text, e->ranges) : e;
    }
    if (const auto* operation = as<BinaryOperation>(e)) {
      const auto* left = as<Constant>(operation->left);
      const auto* right = as<Constant>(operation->right);
      if (left == nullptr || right == nullptr) return e;
      if (operation->op == BinaryOperator::Add && left->value.kind == LiteralKind::String &&
          right->value.kind == LiteralKind::String)
        return text_constant(std::string(left->value.text) + std::string(right->value.text),
                             e->ranges);
      const bool integers = left->value.kind == LiteralKind::Integer &&
                            right->value.kind == LiteralKind::Integer &&
                            left->value.integer < (1 << 20) && right->value.integer < (1 << 20);
      if (!integers) return e;
      if (operation->op == BinaryOperator::Add)
        return context_.integer(left->value.integer + right->value.integer, e->ranges);
      if (operation->op == BinaryOperator::Subtract && left->value.integer >= right->value.integer)
        return context_.integer(left->value.integer - right->value.integer, e->ranges);
    }
    return e;
  }

  const Block whole_;
  const StructureOf& structure_of_;
  const KeysOf& keys_of_;
  Context& context_;
  std::unordered_set<Symbol> dicts_;
};

}  // namespace

CoreFunction spell_out_key_loops(const CoreFunction& core, const StructureOf& structure_of,
                                 const KeysOf& keys_of, Context& context) {
  CoreFunction result = core;
  result.body = KeyLoops(core, structure_of, keys_of, context).block(core.body);
  return result;
}

}  // namespace tangent
