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
  if (!is_floating(type.dtype)) type.dtype = DType::Float64;
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
  const Symbol array = root_of(place)->symbol;
  flush_primal(changes(statement), array);
  if (adjoint_of(array).is_zero()) return;
  const auto* assign = as<Assign>(statement);
  const auto* augmented = as<AugmentedAssign>(statement);
  const Expr* value = assign != nullptr ? assign->value : augmented->value;
  const Symbol name = buffer(array);
  mark(block, index);
  // What the statement itself overwrites is read before.
  for (const Symbol symbol : changes(statement)) killed_.insert(symbol);
  const bool flows = activity_.store_flows(place, value) && active(value);

  // x[i] = x[i] + rest, x[i] += rest: the element's adjoint stays.
  std::vector<std::pair<const Expr*, bool>> rest;
  const bool adds = augmented != nullptr && (augmented->op == BinaryOperator::Add ||
                                             augmented->op == BinaryOperator::Subtract);
  if (adds) {
    if (!flows) return;
    const bool positive = augmented->op == BinaryOperator::Add;
    return pass_on(place, name, {{value, positive}});
  }
  if (assign != nullptr && !names_elements_twice(place) && split_sum(value, place, rest)) {
    if (flows) pass_on(place, name, rest);
    return;
  }
  const Expr* target = place_in(place, context_.local(name));
  if (augmented != nullptr) {
    const bool scales =
        augmented->op == BinaryOperator::Multiply || augmented->op == BinaryOperator::Divide;
    if (scales && !flows && !names_elements_twice(place)) {
      emit(context_.make<AugmentedAssign>({}, target, augmented->op, primal(value)));
      return;
    }
    // x[i] op= e is x[i] = x[i] op e, with a read of its own.
    const Expr* read = context_.make<Subscript>(place->ranges, place->value, place->index);
    typing_.set(read, typing_.of(place));
    const Expr* operation =
        context_.make<BinaryOperation>(statement->ranges, augmented->op, read, value);
    typing_.set(operation, type_of_binary(augmented->op, typing_.of(read), typing_.of(value),
                                          context_.arena()));
    value = operation;
  }
  if (!active(value) || !activity_.store_flows(place, value)) {
    clear(target);
    return;
  }
  Linear adjoint = taken(place, name, value);
  clear(target);
  current_value_ = value;
  push(value, unbroadcast(adjoint, place, value));
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
  const auto* variable = as<Name>(value);
  Symbol target;
  if (variable != nullptr && variable->scope == Scope::Local && is_one_element(place) &&
      adjoint_of(variable->symbol).is_zero() && typing_.of(variable).is_number()) {
    target = bar(variable->symbol);
    flush_mentions(target, variable->symbol);
  } else {
    target = names_.fresh("bnew");
    adjoint_names_.insert(target);
  }
  protect(target);
  typing_.declare(target, type);
  assigned_.insert(target);
  if (!type.is_number()) owned_.insert(target);
  sparse_.insert(target);
  emit(context_.assign(context_.local(target), held));
  return algebra_.of(context_.local(target));
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
