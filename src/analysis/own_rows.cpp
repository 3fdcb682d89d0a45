#include "analysis/own_rows.h"

#include <algorithm>

#include "analysis/aliases.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class OwnRows {
 public:
  OwnRows(const TypedFunction& function, Symbol list, const Aliases* arrays)
      : function_(function), list_(list), arrays_(arrays) {}

  bool run() {
    block(function_.body);
    return apart_;
  }

 private:
  static bool is_container(const Type& type) {
    return type.kind == TypeKind::List || type.kind == TypeKind::Dict;
  }
  bool is_list(const Expr* node) const { return is_container(function_.type_of(node)); }
  bool holds_lists(const Expr* node) const {
    const Type type = function_.type_of(node);
    return is_container(type) && std::ranges::any_of(type.elements, is_container);
  }

  // Whether there may be an array that is known otherwise, too.
  bool is_shared_array(const Expr* value) const {
    const Type type = function_.type_of(value);
    if (arrays_ == nullptr || is_container(type) || type.is_number()) return false;
    bool shares = false;
    arrays_->for_each_reference(value, [&](Symbol) { shares = true; });
    return shares;
  }
  bool holds_arrays(const Expr* value) const {
    const Type type = function_.type_of(value);
    return arrays_ != nullptr && std::ranges::any_of(type.elements, [](const Type& item) {
             return !item.is_number() && item.kind != TypeKind::String;
           });
  }

  // A list that is made here, and whose own rows are.
  bool is_new(const Expr* value, Block block, const Stmt* user) {
    if (!is_list(value)) return !is_shared_array(value);
    if (const auto* display = as<ListDisplay>(value)) {
      return std::ranges::all_of(display->elements,
                                 [&](const Expr* element) { return is_row(element, block, user); });
    }
    if (const auto* dict = as<Dictionary>(value)) {
      return std::ranges::all_of(dict->values,
                                 [&](const Expr* element) { return is_row(element, block, user); });
    }
    if (holds_lists(value) || holds_arrays(value)) return false;
    if (is<BinaryOperation>(value)) return true;
    if (const auto* subscript = as<Subscript>(value)) return is<Slice>(subscript->index);
    const auto* call = as<Call>(value);
    if (call == nullptr) return false;
    const auto* method = as<Attribute>(call->function);
    return call->callee.text() == "builtins.list" || call->callee.text() == "builtins.sorted" ||
           (!call->callee && method != nullptr && method->attribute.text() == "copy");
  }

  // What is put into the list: new, or a name that nothing else is done with behind that.
  bool is_row(const Expr* value, Block block, const Stmt* user) {
    const auto* name = as<Name>(value);
    if (name == nullptr) return is_new(value, block, user);
    if (!is_list(value) && (arrays_ == nullptr || function_.type_of(value).is_number()))
      return true;
    int bindings = 0;
    int before = -1;
    for (const Stmt* statement : function_.body) {
      for_each_node(*statement, [&](const Node& node) {
        const Expr* target = target_of(node);
        if (target == nullptr || is<Subscript>(target)) return;
        for_each_node(*target, [&](const Node& part) {
          const auto* bound = as<Name>(&part);
          bindings += bound != nullptr && bound->symbol == name->symbol ? 1 : 0;
        });
      });
    }
    for (const Parameter* parameter : function_.core->parameters)
      if (parameter->name == name->symbol) return false;
    // One binding, in this block, in front of the one place that keeps the list.
    const auto end = std::ranges::find(block, user);
    if (bindings != 1 || end == block.end()) return false;
    for (std::size_t k = 0; block.data() + k != &*end; ++k) {
      const auto* assign = as<Assign>(block[k]);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (target == nullptr || target->symbol != name->symbol) continue;
      if (!is_new(assign->value, block, block[k])) return false;
      before = static_cast<int>(k);
    }
    return before >= 0 && uses_as_value(name->symbol) == 1;
  }

  // How often a list is kept by something: read otherwise than by its items, its length, a loop, or
  // as the receiver of a method.
  int uses_as_value(Symbol symbol) const {
    int count = 0;
    for (const Stmt* statement : function_.body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto is_it = [&](const Expr* part) {
          const auto* name = as<Name>(part);
          return name != nullptr && name->symbol == symbol;
        };
        const auto add = [&](const Expr* part) { count += is_it(part) ? 1 : 0; };
        if (const auto* assign = as<Assign>(&node)) add(assign->value);
        if (const auto* result = as<Return>(&node)) add(result->value);
        if (const auto* tuple = as<TupleDisplay>(&node))
          std::ranges::for_each(tuple->elements, add);
        if (const auto* list = as<ListDisplay>(&node)) std::ranges::for_each(list->elements, add);
        if (const auto* dict = as<Dictionary>(&node)) std::ranges::for_each(dict->values, add);
        if (const auto* choice = as<Conditional>(&node)) add(choice->body), add(choice->orelse);
        if (const auto* choice = as<BooleanOperation>(&node))
          std::ranges::for_each(choice->values, add);
        if (const auto* call = as<Call>(&node)) {
          const std::string_view callee = call->callee.text();
          if (!callee.starts_with("builtins.") && !callee.starts_with("numpy."))
            std::ranges::for_each(call->arguments, add);
        }
      });
    }
    return count;
  }

  bool is_it(const Expr* node) const {
    const auto* name = as<Name>(node);
    return name != nullptr && name->symbol == list_;
  }

  void put(const Expr* value, Block block, const Stmt* user) {
    apart_ = apart_ && is_row(value, block, user);
  }

  void block(Block statements) {
    for (const Stmt* statement : statements) {
      if (const ListChange change = list_change(statement);
          change && change.appends && is_it(change.list))
        put(change.item, statements, statement);
      const auto* assign = as<Assign>(statement);
      if (assign != nullptr) {
        if (is_it(assign->targets[0])) {
          apart_ = apart_ && is_new(assign->value, statements, statement);
        } else if (const Subscript* place = stored_place(statement);
                   place != nullptr && root_of(place) != nullptr && is_it(root_of(place)) &&
                   is_list(place->value)) {
          put(assign->value, statements, statement);
        } else if (!is<Name>(assign->targets[0]) && !is<Subscript>(assign->targets[0])) {
          for_each_node(*assign->targets[0], [&](const Node& part) {
            if (is_expression(part.kind) && is_it(static_cast<const Expr*>(&part))) apart_ = false;
          });
        }
      }
      if (const auto* loop = as<For>(statement)) {
        for_each_node(*loop->target, [&](const Node& part) {
          if (is_expression(part.kind) && is_it(static_cast<const Expr*>(&part))) apart_ = false;
        });
        block(loop->body);
      }
      if (const auto* repeat = as<While>(statement)) block(repeat->body);
      if (const auto* branch = as<If>(statement)) {
        block(branch->body);
        block(branch->orelse);
      }
    }
  }

  const TypedFunction& function_;
  Symbol list_;
  const Aliases* arrays_;  // of a list whose arrays count; null: lists alone
  bool apart_ = true;
};

}  // namespace

bool has_own_rows(const TypedFunction& function, Symbol list) {
  return OwnRows(function, list, nullptr).run();
}

bool has_own_arrays(const TypedFunction& function, Symbol list, const Aliases& aliases) {
  for (const Parameter* parameter : function.core->parameters)
    if (parameter->name == list) return false;
  return OwnRows(function, list, &aliases).run();
}

}  // namespace tangent
