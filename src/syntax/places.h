// Elements and slices that statements store into.
#pragma once

#include "syntax/nodes.h"

namespace tangent {

// The name at the root of an element or slice, `x` of `x[i][j]`; null if there is none.
inline const Name* root_of(const Expr* place) {
  while (const auto* subscript = as<Subscript>(place)) place = subscript->value;
  return as<Name>(place);
}

// The element or slice that a statement stores into; null if it binds names.
inline const Subscript* stored_place(const Stmt* statement) {
  if (const auto* assign = as<Assign>(statement)) return as<Subscript>(assign->targets[0]);
  if (const auto* augmented = as<AugmentedAssign>(statement))
    return as<Subscript>(augmented->target);
  return nullptr;
}

// What an assignment or a loop gives values; null for other nodes.
inline const Expr* target_of(const Node& node) {
  if (const auto* assign = as<Assign>(&node)) return assign->targets[0];
  if (const auto* loop = as<For>(&node)) return loop->target;
  return nullptr;
}

// The parts of a target: of `a, b` both, of another one itself.
inline Exprs parts_of_target(const Expr* const& target) {
  const auto* tuple = as<TupleDisplay>(target);
  return tuple != nullptr ? tuple->elements : Exprs(&target, 1);
}

// What an assignment computes: its right-hand side.
inline const Expr* assigned_value(const Stmt* statement) {
  if (const auto* assign = as<Assign>(statement)) return assign->value;
  return static_cast<const AugmentedAssign*>(statement)->value;
}

// What a statement does to the length of a list: `xs.append(item)`, `target = xs.pop()`,
// `xs.pop()`; the list may stand in others, or in dicts: `d[k].append(item)`. What it takes out of
// a dict: `d.pop(key)`.
struct ListChange {
  const Name* list = nullptr;   // the outermost; null: nothing
  const Expr* place = nullptr;  // the list that changes
  const Call* call = nullptr;
  bool appends = false;
  const Expr* item = nullptr;  // that is appended
  const Expr* key = nullptr;   // whose entry a dict loses
  explicit operator bool() const { return list != nullptr; }
  // The list that changes is the outermost one.
  [[nodiscard]] bool is_direct() const { return place == list; }
};

inline ListChange list_change(const Stmt* statement) {
  const auto* assign = as<Assign>(statement);
  const auto* alone = as<ExpressionStatement>(statement);
  if (assign == nullptr && alone == nullptr) return {};
  const auto* call = as<Call>(assign != nullptr ? assign->value : alone->value);
  const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
  const auto* list = method != nullptr ? root_of(method->value) : nullptr;
  if (list == nullptr || list->scope != Scope::Local || !call->keywords.empty()) return {};
  const Expr* place = method->value;
  const std::string_view name = method->attribute.text();
  if (name == "append" && call->arguments.size() == 1 && alone != nullptr) {
    return {
        .list = list, .place = place, .call = call, .appends = true, .item = call->arguments[0]};
  }
  if (name == "pop" && call->arguments.empty()) return {.list = list, .place = place, .call = call};
  if (name == "pop" && call->arguments.size() == 1 && alone != nullptr)
    return {.list = list, .place = place, .call = call, .key = call->arguments[0]};
  return {};
}

}  // namespace tangent
