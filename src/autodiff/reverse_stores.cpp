// Stores into elements and slices, backwards; see reverse.h.
//
// x[i] = e takes the adjoint of the element out of that of the array and passes it on to e:
//
//     x[i] = e                 bnew = bx[i]
//                              bx[i] = 0.0           and bnew goes to e
//     x[i] += e                bx[i] goes to e, and stays
//
// An array is one value per name: what other names see of a store is settled before (aliases.h).
#include "autodiff/reverse.h"

namespace tangent {

namespace {

// The terms of a sum, with their signs, if exactly one of them, added, is the place itself.
bool split_sum(const Expr* value, const Expr* place,
               std::vector<std::pair<const Expr*, bool>>& rest) {
  int found = 0;
  const Expr* node = value;
  auto take = [&](const Expr* term, bool positive) {
    if (positive && equal(term, place)) {
      ++found;
    } else {
      rest.emplace_back(term, positive);
    }
  };
  while (const auto* sum = as<BinaryOperation>(node)) {
    if (sum->op != BinaryOperator::Add && sum->op != BinaryOperator::Subtract) break;
    take(sum->right, sum->op == BinaryOperator::Add);
    node = sum->left;
  }
  take(node, true);
  std::reverse(rest.begin(), rest.end());
  return found == 1;
}

}  // namespace

std::vector<Symbol> Reverse::changes(const Stmt* statement) const {
  std::vector<Symbol> found;
  auto add = [&](Symbol symbol) {
    if (std::find(found.begin(), found.end(), symbol) == found.end()) found.push_back(symbol);
  };
  for_each_definition(statement, add);
  std::vector<const Node*> stack{statement};
  while (!stack.empty()) {
    const Node* top = stack.back();
    stack.pop_back();
    for (const Symbol symbol : aliases_.seen_by(static_cast<const Stmt*>(top))) add(symbol);
    for_each_child(*top, [&](const Node* child) {
      if (is_statement(child->kind)) stack.push_back(child);
    });
  }
  return found;
}

// The same element or slice of another array.
const Expr* Reverse::place_in(const Expr* place, const Expr* base) {
  const auto* subscript = as<Subscript>(place);
  if (subscript == nullptr) return base;
  const Expr* result =
      context_.make<Subscript>({}, place_in(subscript->value, base), primal(subscript->index));
  Type type = typing_.of(place);
  if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
  typing_.set(result, type);
  return result;
}

// What kind of place an index names: several elements are a view or, by index arrays, a copy. So is
// `y[...]` of an array without axes.
bool Reverse::is_one_element(const Expr* place) {
  auto is_ellipsis = [](const Expr* index) {
    const auto* constant = as<Constant>(index);
    return constant != nullptr && constant->value.kind == LiteralKind::Ellipsis;
  };
  const Expr* index = static_cast<const Subscript*>(place)->index;
  const auto* tuple = as<TupleDisplay>(index);
  const bool all = tuple != nullptr
                       ? std::any_of(tuple->elements.begin(), tuple->elements.end(), is_ellipsis)
                       : is_ellipsis(index);
  return !all && typing_.of(place).is_number();
}

void Reverse::reverse_store(Block block, std::size_t index) {
  const Stmt* statement = block[index];
  const Subscript* place = stored_place(statement);
  if (is_list(place->value)) return reverse_list_store(block, index, place);
  if (is_map(place->value)) return reverse_map_store(block, index, place);
  const Symbol array = root_of(place)->symbol;
  flush_primal(changes(statement), array);
  if (adjoint_of(array).is_zero()) return;
  const Symbol name = buffer(array);
  mark(block, index);
  // What the statement itself overwrites is read before.
  for (const Symbol symbol : changes(statement)) killed_.insert(symbol);
  const Expr* target = place_in(place, context_.local(name));
  const Expr* value = stored_value(statement, place);
  if (!activity_.store_flows(place, typing_.of(value))) return clear(target);

  // x[i] = x[i] + rest, x[i] += rest: the element's adjoint stays.
  std::vector<std::pair<const Expr*, bool>> rest;
  const auto* augmented = as<AugmentedAssign>(statement);
  const bool twice = names_elements_twice(place);
  if (augmented != nullptr) {
    using enum BinaryOperator;
    const BinaryOperator op = augmented->op;
    if (op == Add || op == Subtract) return pass_on(place, name, {{augmented->value, op == Add}});
    if ((op == Multiply || op == Divide) && !twice && !active(augmented->value)) {
      emit(context_.make<AugmentedAssign>({}, target, op, primal(augmented->value)));
      return;
    }
  } else if (!twice && split_sum(value, place, rest)) {
    return pass_on(place, name, rest);
  }
  if (!active(value)) return clear(target);
  const Linear adjoint = taken(place, name, value);
  clear(target);
  current_value_ = value;
  if (holds_its_value(statement, place, value))
    current_place_ = place_in(place, context_.local(array));
  push(value, unbroadcast(adjoint, place, value));
  current_place_ = nullptr;
}

const Expr* Reverse::stored_value(const Stmt* statement, const Subscript* place) {
  const auto* augmented = as<AugmentedAssign>(statement);
  if (augmented == nullptr) return assigned_value(statement);
  const Expr* read = context_.make<Subscript>(place->ranges, place->value, place->index);
  typing_.set(read, typing_.of(place));
  return operation_of(augmented, read);
}

// Whether an index may name an element more than once.
bool Reverse::names_elements_twice(const Subscript* place) {
  for (const Expr* part = place; is<Subscript>(part); part = as<Subscript>(part)->value) {
    const Expr* index = as<Subscript>(part)->index;
    const auto* tuple = as<TupleDisplay>(index);
    const Exprs parts = tuple != nullptr ? tuple->elements : Exprs(&index, 1);
    for (const Expr* one : parts) {
      const Type type = typing_.of(one);
      const bool plain = is<Slice>(one) || is<Constant>(one) || type.kind == TypeKind::Number ||
                         type.kind == TypeKind::Slice || type.kind == TypeKind::None ||
                         (type.is_array() && type.dtype == DType::Bool);
      if (!plain) return true;
    }
  }
  return false;
}

// The adjoint of what was stored, under a name of its own.
Linear Reverse::taken(const Subscript* place, Symbol name, const Expr* value) {
  const Expr* held = place_in(place, context_.local(name));
  const Type type = typing_.of(held);
  if (names_elements_twice(place)) {
    // Of an element that is named twice the last value stays: the others get nothing.
    const auto* base = as<Subscript>(held)->value;
    held = context_.make<Call>(
        {}, helper("_take_stored"), context_.symbol("tangent.runtime._take_stored"),
        context_.list<const Expr*>({base, as_value(as<Subscript>(held)->index)}),
        List<const Keyword*>());
    typing_.set(held, type);
  } else if (!is_one_element(place) && !typing_.of(place->index).is_array()) {
    held = copy_of(held);  // a mask makes a copy by itself
  }
  const Symbol target = name_for_taken(value, is_one_element(place), "bnew");
  typing_.declare(target, type);
  if (!type.is_number()) owned_.insert(target);
  emit(context_.assign(context_.local(target), held));
  return algebra_.of(context_.local(target));
}

// That of the variable that was stored, if it is a number that has no adjoint yet.
Symbol Reverse::name_for_taken(const Expr* value, bool is_number, std::string_view wish) {
  const auto* variable = as<Name>(value);
  Symbol target;
  if (variable != nullptr && variable->scope == Scope::Local && is_number &&
      adjoint_of(variable->symbol).is_zero() && typing_.of(variable).is_number()) {
    target = bar(variable->symbol);
    flush_mentions(target, variable->symbol);
  } else {
    target = names_.fresh(wish);
    adjoint_names_.insert(target);
  }
  protect(target);
  assigned_.insert(target);
  sparse_.insert(target);
  return target;
}

void Reverse::clear(const Expr* target) { emit(context_.assign(target, context_.number(0.0))); }

// The adjoint of a place goes to terms that were added to it.
void Reverse::pass_on(const Subscript* place, Symbol name,
                      const std::vector<std::pair<const Expr*, bool>>& terms) {
  const Symbol array = root_of(place)->symbol;
  bool itself = false;
  std::size_t flowing = 0;
  for (const auto& [term, positive] : terms) {
    if (!active(term)) continue;
    ++flowing;
    activity_.for_each_flow(term, [&](Symbol read) { itself = itself || read == array; });
  }
  if (flowing == 0) return;
  Linear adjoint;
  const bool twice = names_elements_twice(place);
  const Type type = typing_.of(place);
  const bool hidden_view =
      !is_one_element(place) && (type.is_number() || (type.is_array() && type.rank == 0));
  if (itself || twice || flowing > 1 || hidden_view) {
    adjoint = taken(place, name, terms.size() == 1 ? terms.front().first : place);
  } else {
    adjoint = algebra_.of(place_in(place, context_.local(name)));
  }
  const InFlight waiting(*this, adjoint);
  for (const auto& [term, positive] : terms) {
    if (!active(term)) continue;
    current_value_ = term;
    Linear part = unbroadcast(adjoint, place, term);
    push(term, positive ? part : Algebra::negate(part));
  }
}

}  // namespace tangent
