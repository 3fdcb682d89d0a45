#include "analysis/renewed_items.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/aliases.h"
#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"
#include "types/transfer.h"

namespace tangent {

namespace {

// `xs[i] += e` of an array in a list under a name; null for other statements.
const AugmentedAssign* augmented_item(const Stmt* statement, const TypedFunction& typed,
                                      Arena& arena) {
  const auto* augmented = as<AugmentedAssign>(statement);
  const auto* place = augmented != nullptr ? as<Subscript>(augmented->target) : nullptr;
  const auto* list = place != nullptr ? as<Name>(place->value) : nullptr;
  if (list == nullptr || list->scope != Scope::Local) return nullptr;
  const Type item = typed.type_of(place);
  if (typed.type_of(list).kind != TypeKind::List || !item.is_array()) return nullptr;
  // What has more axes would be refused in place, and spread by an addition.
  const Type value = typed.type_of(augmented->value);
  const Type sum = type_of_binary(augmented->op, item, value, arena);
  const bool fits = (value.is_number() || (value.is_array() && value.rank >= 0)) &&
                    item.rank >= 0 && sum.is_array() && sum.rank == item.rank &&
                    sum.dtype == item.dtype;
  const bool again = find_node(place->index, [](const Node* node) {
                       return !is<Name>(node) && !is<Constant>(node) && !is<UnaryOperation>(node) &&
                              !is<BinaryOperation>(node);
                     }) == nullptr;
  return fits && again ? augmented : nullptr;
}

class OwnItems {
 public:
  explicit OwnItems(const TypedFunction& typed) : typed_(typed), aliases_(typed, true) {
    for (const Parameter* parameter : typed.core->parameters) ++bindings_[parameter->name];
    for (const Stmt* statement : typed.body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) ++mentions_[name->symbol];
        const Expr* target = target_of(node);
        if (target == nullptr || is<Subscript>(target)) return;
        for_each_node(*target, [&](const Node& part) {
          if (const auto* name = as<Name>(&part)) ++bindings_[name->symbol];
        });
      });
    }
  }

  // Whether the arrays in a list are its own, and nothing else sees them.
  bool holds_alone(Symbol list) {
    if (std::ranges::any_of(typed_.core->parameters,
                            [&](const Parameter* parameter) { return parameter->name == list; }))
      return false;
    list_ = list;
    alone_ = true;
    block(typed_.body);
    return alone_;
  }

 private:
  [[nodiscard]] bool is_it(const Expr* node) const {
    const auto* name = as<Name>(node);
    return name != nullptr && name->symbol == list_;
  }

  bool reaches(const Expr* value, Symbol symbol) {
    bool found = false;
    aliases_.for_each_reference(value, [&](Symbol other) { found = found || other == symbol; });
    return found;
  }

  // An array that is made by the expression itself, or right before, for this place.
  bool is_new(const Expr* value, Block block) {
    if (const auto* name = as<Name>(value); name != nullptr && name->scope == Scope::Local) {
      if (bindings_[name->symbol] != 1 || mentions_[name->symbol] != 2) return false;
      for (const Stmt* statement : block) {
        const auto* assign = as<Assign>(statement);
        const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
        if (target != nullptr && target->symbol == name->symbol)
          return !is<Name>(assign->value) && is_new(assign->value, block);
      }
      return false;
    }
    bool shares = is<Subscript>(value) || is<Attribute>(value) || is<Name>(value);
    aliases_.for_each_reference(value, [&](Symbol) { shares = true; });
    return !shares;
  }

  void kept(const Expr* value) {
    if (value != nullptr && reaches(value, list_)) alone_ = false;
  }

  void block(Block statements) {
    for (const Stmt* statement : statements) {
      if (const ListChange change = list_change(statement); change && is_it(change.list)) {
        if (!change.appends) alone_ = false;
        if (change.appends) alone_ = alone_ && is_new(change.item, statements);
        continue;
      }
      if (const auto* assign = as<Assign>(statement)) {
        const Subscript* place = stored_place(statement);
        if (is_it(assign->targets[0])) {
          const auto* display = as<ListDisplay>(assign->value);
          alone_ = alone_ && display != nullptr &&
                   std::ranges::all_of(display->elements, [&](const Expr* element) {
                     return is_new(element, statements);
                   });
        } else if (place != nullptr && is_it(place->value)) {
          alone_ = alone_ && !is<Slice>(place->index) && is_new(assign->value, statements);
        } else {
          if (place != nullptr && root_of(place) != nullptr && is_it(root_of(place)))
            alone_ = false;
          // A number that is read of an item is none of its memory.
          if (!typed_.type_of(assign->value).is_number()) kept(assign->value);
        }
      } else if (const auto* result = as<Return>(statement)) {
        if (!typed_.type_of(result->value).is_number()) kept(result->value);
      } else if (const auto* loop = as<For>(statement)) {
        const auto* call = as<Call>(loop->iterable);
        const bool counts = call != nullptr && call->callee.text() == "builtins.range";
        if (!counts && mentions(loop->iterable)) alone_ = false;
        block(loop->body);
      } else if (const auto* repeat = as<While>(statement)) {
        block(repeat->body);
      } else if (const auto* branch = as<If>(statement)) {
        block(branch->body);
        block(branch->orelse);
      } else if (const auto* only = as<ExpressionStatement>(statement)) {
        const auto* call = as<Call>(only->value);
        if (call == nullptr) continue;
        for (const Expr* argument : call->arguments) kept(argument);
      }
    }
  }

  bool mentions(const Expr* node) const {
    return find_node(node, [&](const Node* part) {
             return is<Name>(part) && is_it(static_cast<const Expr*>(part));
           }) != nullptr;
  }

  const TypedFunction& typed_;
  Aliases aliases_;
  Symbol list_;
  bool alone_ = true;
  std::unordered_map<Symbol, int> mentions_;
  std::unordered_map<Symbol, int> bindings_;
};

}  // namespace

Block renew_items(Block body, const TypedFunction& typed, Context& context) {
  std::unordered_set<Symbol> lists;
  for (const Stmt* statement : body) {
    for_each_node(*statement, [&](const Node& node) {
      if (!is_statement(node.kind)) return;
      if (const auto* item =
              augmented_item(static_cast<const Stmt*>(&node), typed, context.arena()))
        lists.insert(root_of(item->target)->symbol);
    });
  }
  if (lists.empty()) return body;
  OwnItems items(typed);
  std::erase_if(lists, [&](Symbol list) { return !items.holds_alone(list); });
  if (lists.empty()) return body;
  // The expression at a second place.
  const auto copied = [&](const auto& self, const Expr* node) -> const Expr* {
    if (const auto* name = as<Name>(node))
      return context.make<Name>(name->ranges, name->symbol, name->scope);
    if (const auto* constant = as<Constant>(node))
      return context.make<Constant>(constant->ranges, constant->value);
    if (const auto* unary = as<UnaryOperation>(node))
      return context.make<UnaryOperation>(unary->ranges, unary->op, self(self, unary->operand));
    if (const auto* binary = as<BinaryOperation>(node))
      return context.make<BinaryOperation>(binary->ranges, binary->op, self(self, binary->left),
                                           self(self, binary->right));
    const auto* place = static_cast<const Subscript*>(node);
    return context.make<Subscript>(place->ranges, self(self, place->value),
                                   self(self, place->index));
  };
  const auto block = [&](const auto& self, Block statements) -> Block {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : statements) {
      if (const auto* item = augmented_item(statement, typed, context.arena());
          item != nullptr && lists.contains(root_of(item->target)->symbol)) {
        out.push_back(
            context.assign(item->target,
                           context.make<BinaryOperation>(item->ranges, item->op,
                                                         copied(copied, item->target), item->value),
                           item->ranges));
      } else {
        out.push_back(
            with_blocks(context, statement, [&](Block inner) { return self(self, inner); }));
      }
    }
    return context.list(out);
  };
  return block(block, body);
}

}  // namespace tangent
