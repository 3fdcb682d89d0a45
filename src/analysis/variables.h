// The local variables of a core program: their numbers, and which of them a statement reads and
// defines.
//
// In: a core program. Out: numbers for names, bit sets over them, and the reads and definitions of
// any node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

// A set of variable numbers. Most functions have fewer than 64 variables: their sets need no memory
// of their own, and states are copied at every branch and loop.
class VariableSet {
 public:
  [[nodiscard]] bool has(std::size_t number) const {
    return number / 64 < size() && (word(number / 64) >> (number % 64) & 1) != 0;
  }
  void add(std::size_t number) {
    if (number / 64 >= size()) rest_.resize(number / 64);
    word(number / 64) |= std::uint64_t{1} << (number % 64);
  }
  void remove(std::size_t number) {
    if (number / 64 < size()) word(number / 64) &= ~(std::uint64_t{1} << (number % 64));
  }
  // Adds the members of another set; whether anything was new.
  bool join(const VariableSet& other) {
    if (other.size() > size()) rest_.resize(other.rest_.size());
    bool changed = false;
    for (std::size_t k = 0; k < other.size(); ++k) {
      const std::uint64_t now = word(k) | other.word(k);
      changed = changed || now != word(k);
      word(k) = now;
    }
    return changed;
  }
  [[nodiscard]] bool empty() const {
    return first_ == 0 && std::ranges::all_of(rest_, [](std::uint64_t word) { return word == 0; });
  }

 private:
  [[nodiscard]] std::size_t size() const { return rest_.size() + 1; }
  [[nodiscard]] std::uint64_t word(std::size_t k) const { return k == 0 ? first_ : rest_[k - 1]; }
  std::uint64_t& word(std::size_t k) { return k == 0 ? first_ : rest_[k - 1]; }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> rest_;
};

class Variables {
 public:
  // The number of a name, given on first use.
  std::size_t number(Symbol symbol) {
    const std::size_t name = symbol.number();
    if (name >= numbers_.size()) numbers_.resize(std::max<std::size_t>(name + 1, 256));
    if (numbers_[name] == 0) {
      symbols_.push_back(symbol);
      numbers_[name] = static_cast<std::uint32_t>(symbols_.size());
    }
    return numbers_[name] - 1;
  }
  // That of a name which has one; beyond all numbers if it has none.
  [[nodiscard]] std::size_t find(Symbol symbol) const {
    const std::size_t name = symbol.number();
    const bool known = name < numbers_.size() && numbers_[name] != 0;
    return known ? numbers_[name] - 1 : static_cast<std::size_t>(-1);
  }
  [[nodiscard]] Symbol symbol(std::size_t number) const { return symbols_[number]; }
  [[nodiscard]] std::size_t size() const { return symbols_.size(); }

 private:
  std::vector<std::uint32_t> numbers_;  // 1 + that of a name of the table, 0: none yet
  std::vector<Symbol> symbols_;
};

// f(Symbol) for every local name that an expression reads, in order, with repeats.
template <class F>
void for_each_read(const Node* node, F&& f) {
  if (node == nullptr) return;
  // The left spine is walked without recursion: a sum of thousands of terms is one long spine.
  SmallStack<const Node*> stack(node);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (const auto* name = as<Name>(top)) {
      if (name->scope == Scope::Local) f(name->symbol);
      continue;
    }
    const std::size_t mark = stack.size();
    push_children(stack, *top);
    stack.reverse_from(mark);
  }
}

// f(Symbol, bool shape_only) for every local name that an expression reads; `len(x)`, `x.shape` and
// their like read nothing but the shape, which stores leave as it is.
template <class F>
void for_each_shaped_read(const Node* node, F&& f) {
  if (node == nullptr) return;
  auto local = [](const Expr* value) {
    const auto* name = as<Name>(value);
    return name != nullptr && name->scope == Scope::Local ? name : nullptr;
  };
  SmallStack<const Node*> stack(node);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (const auto* name = as<Name>(top)) {
      if (name->scope == Scope::Local) f(name->symbol, false);
      continue;
    }
    if (const auto* attribute = as<Attribute>(top)) {
      const std::string_view text = attribute->attribute.text();
      const Name* name = local(attribute->value);
      if (name != nullptr &&
          (text == "shape" || text == "size" || text == "ndim" || text == "dtype")) {
        f(name->symbol, true);
        continue;
      }
    }
    const auto* call = as<Call>(top);
    if (call != nullptr && !call->arguments.empty() && local(call->arguments[0]) != nullptr) {
      const std::string_view callee = call->callee.text();
      if (callee == "builtins.len" || callee == "numpy.shape" || callee == "numpy.size" ||
          callee == "numpy.ndim" || callee == "numpy.zeros_like" || callee == "numpy.ones_like" ||
          callee == "numpy.empty_like" || callee == "numpy.full_like") {
        f(local(call->arguments[0])->symbol, true);
        for (std::size_t k = 1; k < call->arguments.size(); ++k) stack.push(call->arguments[k]);
        for (const Keyword* keyword : call->keywords) stack.push(keyword);
        continue;
      }
    }
    push_children(stack, *top);
  }
}

// f(Symbol) for every name that an assignment's or loop's target gives a value: of an element or
// slice the array that it is in.
template <class F>
void for_each_target(const Expr* target, F&& f) {
  if (const auto* tuple = as<TupleDisplay>(target)) {
    for (const Expr* element : tuple->elements) for_each_target(element, f);
  } else if (const auto* list = as<ListDisplay>(target)) {
    for (const Expr* element : list->elements) for_each_target(element, f);
  } else if (const Name* name = root_of(target); name != nullptr && name->scope == Scope::Local) {
    f(name->symbol);
  }
}

// f(Symbol) for every local that a statement may define, nested blocks included.
template <class F>
void for_each_definition(const Stmt* statement, F&& f) {
  if (const ListChange change = list_change(statement)) f(change.list->symbol);
  if (const auto* assign = as<Assign>(statement)) {
    for (const Expr* target : assign->targets) for_each_target(target, f);
  } else if (const auto* augmented = as<AugmentedAssign>(statement)) {
    for_each_target(augmented->target, f);
  } else if (const auto* loop = as<For>(statement)) {
    for_each_target(loop->target, f);
    for (const Stmt* inner : loop->body) for_each_definition(inner, f);
  } else if (const auto* repeat = as<While>(statement)) {
    for (const Stmt* inner : repeat->body) for_each_definition(inner, f);
  } else if (const auto* branch = as<If>(statement)) {
    for (const Stmt* inner : branch->body) for_each_definition(inner, f);
    for (const Stmt* inner : branch->orelse) for_each_definition(inner, f);
  }
}

// f(Symbol) for every local that a statement may bind anew, nested blocks included; what is stored
// into keeps its array.
template <class F>
void for_each_binding(const Stmt* statement, F&& f) {
  // A list of another length.
  if (const ListChange change = list_change(statement)) f(change.list->symbol);
  if (stored_place(statement) != nullptr) return;
  if (is<Assign>(statement) || is<AugmentedAssign>(statement))
    return for_each_definition(statement, f);
  if (const auto* loop = as<For>(statement)) for_each_target(loop->target, f);
  for_each_child(*statement, [&](const Node* child) {
    if (is_statement(child->kind)) for_each_binding(static_cast<const Stmt*>(child), f);
  });
}

// Whether an expression mentions a local.
bool mentions(const Node* node, Symbol symbol);

}  // namespace tangent
