#include "analysis/own_lists.h"

#include <algorithm>

#include "syntax/visit.h"

namespace tangent {

namespace {

void bound_names(const Expr* target, std::unordered_set<Symbol>& names) {
  if (const auto* name = as<Name>(target)) names.insert(name->symbol);
  const auto* tuple = as<TupleDisplay>(target);
  if (tuple == nullptr) return;
  for (const Expr* element : tuple->elements) bound_names(element, names);
}

// xs = xs[::2]: what was the function's own still is.
bool is_slice_of(const Expr* value, const Name* list) {
  const auto* slice = as<Subscript>(value);
  const auto* base = slice != nullptr && is<Slice>(slice->index) ? as<Name>(slice->value) : nullptr;
  return base != nullptr && base->symbol == list->symbol;
}

// list(ys): a list that nobody else has.
bool is_new_list(const Expr* value) {
  const auto* call = as<Call>(value);
  return call != nullptr && call->callee.text() == "builtins.list";
}

bool holds_numeric(const TypedFunction& function, Symbol symbol) {
  const auto found = function.variables.find(symbol);
  return found != function.variables.end() && found->second.kind == TypeKind::List &&
         std::ranges::all_of(found->second.elements, &Type::is_numeric);
}

}  // namespace

std::unordered_set<Symbol> own_lists(const TypedFunction& function) {
  std::unordered_set<Symbol> displays;
  std::unordered_set<Symbol> others;
  for (const Parameter* parameter : function.core->parameters) others.insert(parameter->name);
  for (const Stmt* statement : function.body) {
    for_each_node(*statement, [&](const Node& node) {
      if (const auto* loop = as<For>(&node)) bound_names(loop->target, others);
      const auto* assign = as<Assign>(&node);
      if (assign == nullptr) return;
      const auto* name = as<Name>(assign->targets[0]);
      const bool display =
          name != nullptr && (is<ListDisplay>(assign->value) || is_new_list(assign->value) ||
                              is_slice_of(assign->value, name));
      for (const Expr* target : assign->targets) bound_names(target, display ? displays : others);
    });
  }
  std::erase_if(displays, [&](Symbol symbol) {
    return others.contains(symbol) || !holds_numeric(function, symbol);
  });
  return displays;
}

}  // namespace tangent
