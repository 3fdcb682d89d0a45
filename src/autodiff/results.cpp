// Results with parts, backwards: tuples, lists and dicts that are written out where the function
// returns, and what they hold.
//
// In: a return, and the seed. Out: the contribution of each part, whose seed is the same part of
// the seed; a display of ones with the structure of the result, which is the seed's default.
#include "autodiff/complex_values.h"
#include "autodiff/reverse.h"
#include "syntax/as_written.h"

namespace tangent {

namespace {

bool is_flat_seed(const Expr* parts) {
  const auto* tuple = as<TupleDisplay>(parts);
  return tuple != nullptr && std::ranges::all_of(tuple->elements, [](const Expr* element) {
           return is<Constant>(element);
         });
}

// What a dict holds that is the result: numbers, arrays, lists of them.
bool is_entry_of_result(const Type& type) {
  if (type.is_map()) return is_entry_of_result(type.elements[0]);
  return type.is_numeric() ||
         (type.kind == TypeKind::List && std::ranges::all_of(type.elements, &Type::is_numeric));
}

}  // namespace

// The structure of a result, with a one for each part that is a number, an array or a list.
const Expr* Reverse::seed_parts_of(const Expr* value) {
  const auto all = [&](Exprs elements) {
    std::vector<const Expr*> parts;
    for (const Expr* element : elements) parts.push_back(seed_parts_of(element));
    return context_.list(parts);
  };
  if (const auto* list = as<ListDisplay>(value); list != nullptr && !list->elements.empty())
    return context_.make<ListDisplay>({}, all(list->elements));
  if (const auto* tuple = as<TupleDisplay>(value); tuple != nullptr && !tuple->elements.empty())
    return context_.make<TupleDisplay>({}, all(tuple->elements));
  if (const auto* dict = as<Dictionary>(value)) {
    for (const Expr* key : dict->keys) {
      if (key == nullptr || !is<Constant>(key)) {
        refuse(DiagnosticKind::UnsupportedType, value,
               "a dict as the result whose keys are no constants",
               "write its entries out: `{'a': …, 'b': …}`");
      }
    }
    return context_.make<Dictionary>({}, dict->keys, all(dict->values));
  }
  return context_.number(1.0);
}

void Reverse::note_seed_parts(const Return* statement) {
  const Expr* parts = seed_parts_of(statement->value);
  // A list that is written out takes a tuple of seeds, as a tuple does.
  if (const auto* list = as<ListDisplay>(parts))
    parts = context_.make<TupleDisplay>({}, list->elements);
  if (const auto* tuple = as<TupleDisplay>(parts))
    result_.tuple_size = std::max(result_.tuple_size, tuple->elements.size());
  const Expr*& known = result_.seed_parts;
  const bool flat = is_flat_seed(parts) || is<Constant>(parts);
  const bool as_before = known == nullptr || is_flat_seed(known) || is<Constant>(known);
  if (known != nullptr && !(flat && as_before) && !equal(known, parts)) {
    refuse(DiagnosticKind::UnsupportedType, statement,
           "results with other parts than another return of the function has",
           "return dicts with the same keys, and tuples of the same length, everywhere");
  }
  known = parts;
}

// The contribution of a result whose seed is `seed`.
void Reverse::push_result(const Expr* value, const Expr* seed) {
  if (!active(value)) return;
  const auto part = [&](const Expr* element, const Expr* key) {
    const Expr* place = context_.make<Subscript>({}, seed, key);
    typing_.set(place, typing_.of(element).is_number() || display_elements(element) != nullptr
                           ? Type::number(DType::Float64)
                           : Type::numeric(DType::Float64));
    push_result(element, place);
  };
  if (const Exprs* elements = display_elements(value); elements != nullptr && !elements->empty()) {
    for (std::size_t k = 0; k < elements->size(); ++k)
      part((*elements)[k], context_.integer(static_cast<std::int64_t>(k)));
    return;
  }
  if (const auto* dict = as<Dictionary>(value)) {
    for (std::size_t k = 0; k < dict->keys.size(); ++k) part(dict->values[k], dict->keys[k]);
    return;
  }
  const Type type = typing_.of(value);
  if (const auto* list = as<Name>(value);
      list != nullptr && list->scope == Scope::Local && type.kind == TypeKind::List) {
    return push(list, seed_of_list(list, seed));
  }
  if (const auto* map = as<Name>(value); map != nullptr && map->scope == Scope::Local &&
                                         type.is_map() && is_entry_of_result(type.elements[0])) {
    return push(map, seed_of_map(map, seed));
  }
  if (type.kind == TypeKind::Tuple || type.kind == TypeKind::List || type.kind == TypeKind::Dict) {
    refuse(DiagnosticKind::UnsupportedType, value, "a container as the result",
           "return numbers, arrays, lists of them, or tuples and dicts of these that are written "
           "out in the return statement");
  }
  if (is_complex(type.dtype)) refuse_complex_result(value);
  // The default seed 1.0 stands for an array of ones.
  Linear adjoint = algebra_.of(seed);
  adjoint.lazy = !type.is_number();
  push(value, std::move(adjoint));
}

}  // namespace tangent
