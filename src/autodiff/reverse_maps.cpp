// Dicts by keys that only the run tells, backwards; see reverse.h.
//
// The adjoint of such a dict is a dict that holds what came so far: a key that it has not stands
// for 0.0. Entries are never taken out of the primal's dict, so that what was added to the adjoint
// of a key before the primal had it is read by nothing.
#include "autodiff/reverse.h"

namespace tangent {

namespace {

// Whether keys are surely different ones: 1, 1.0 and True are not.
bool are_apart(Exprs keys) {
  if (keys.size() < 2) return true;
  const auto* first = as<Constant>(keys[0]);
  if (first == nullptr) return false;
  const LiteralKind kind = first->value.kind;
  if (kind != LiteralKind::String && kind != LiteralKind::Integer) return false;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto* constant = as<Constant>(keys[k]);
    if (constant == nullptr || constant->value.kind != kind) return false;
    for (std::size_t j = 0; j < k; ++j) {
      if (equal(keys[j], keys[k])) return false;
    }
  }
  return true;
}

}  // namespace

bool Reverse::is_map(const Expr* value) { return typing_.of(value).is_map(); }

const Expr* Reverse::map_method(const Expr* map, std::string_view name,
                                const std::vector<const Expr*>& arguments) {
  return context_.make<Call>({}, context_.make<Attribute>({}, map, context_.symbol(name)), Symbol(),
                             context_.list(arguments), List<const Keyword*>());
}

// bd.get(k, 0.0)
const Expr* Reverse::map_entry(Symbol map, const Expr* key) {
  const Expr* entry = map_method(context_.local(map), "get", {key, context_.number(0.0)});
  typing_.set(entry, Type::number(DType::Float64));
  return entry;
}

// d[k] is read.
void Reverse::push_map_entry(const Expr* node, const Expr* map, const Expr* key,
                             const Linear& adjoint) {
  const auto* base = as<Name>(map);
  if (base == nullptr || base->scope != Scope::Local || !typing_.of(node).is_numeric()) {
    refuse(DiagnosticKind::UnsupportedType, node,
           "an entry of a dict that has no name, or is no number or array",
           "keep numbers and arrays in a dict that has a name of its own");
  }
  Linear held = adjoint;
  const InFlight waiting(*this, held);
  const Expr* place = as_value(primal(key));
  const Symbol name = list_buffer(base->symbol);
  const Expr* sum = context_.make<BinaryOperation>({}, BinaryOperator::Add, map_entry(name, place),
                                                   algebra_.build(held));
  emit(context_.assign(
      context_.make<Subscript>({}, static_cast<const Expr*>(context_.local(name)), place), sum));
}

// d.get(k, 0.0): what stands for a missing entry depends on nothing.
bool Reverse::push_map_get(const Call* node, const Linear& adjoint) {
  const auto* method = as<Attribute>(node->function);
  if (node->callee || method == nullptr || method->attribute.text() != "get" ||
      node->arguments.size() != 2 || !node->keywords.empty() || !is_map(method->value))
    return false;
  if (active(node->arguments[1])) {
    refuse(DiagnosticKind::UnsupportedType, node,
           "`.get` with another value that depends on the differentiated arguments",
           "write `d[k] if k in d else …` as an `if` statement");
  }
  push_map_entry(node, method->value, node->arguments[0], adjoint);
  return true;
}

// {k: v}: an entry's adjoint is the entry of the dict's.
void Reverse::push_map_display(const Dictionary* display, const Linear& adjoint) {
  Linear held = adjoint;
  const InFlight waiting(*this, held);
  for (std::size_t k = 0; k < display->keys.size(); ++k) {
    const Expr* value = display->values[k];
    const Expr* key = display->keys[k];
    if (!active(value)) continue;
    if (key == nullptr || !are_apart(display->keys) || !typing_.of(value).is_numeric()) {
      refuse(DiagnosticKind::UnsupportedType, display,
             "a dict of several keys that are computed or may be equal, or of what are no numbers "
             "or arrays",
             "begin with `{}`, and store the entries one by one");
    }
    const Expr* entry =
        map_method(algebra_.build(held), "get", {primal(key), context_.number(0.0)});
    typing_.set(entry, typing_.of(value).is_number() ? Type::number(DType::Float64)
                                                     : Type::numeric(DType::Float64));
    push(value, element_of_list(entry, typing_.of(value)));
  }
}

// d[k] = e: e gets what is taken out.
void Reverse::reverse_map_store(Block block, std::size_t index, const Subscript* place) {
  const Stmt* statement = block[index];
  const auto* base = as<Name>(place->value);
  if (base == nullptr) {
    refuse(DiagnosticKind::WriteInPlace, place, "a store into a dict inside of something else",
           "give the dict a name of its own");
  }
  const Symbol name = begin_store(block, index, base->symbol);
  if (name.empty()) return;
  const Expr* value = stored_value(statement, place);
  const Expr* key = as_value(primal(place->index));
  const Expr* taken = map_method(context_.local(name), "pop", {key, context_.number(0.0)});
  const Type type = typing_.of(value);
  if (!active(value)) {
    emit(context_.make<ExpressionStatement>({}, taken));
    return;
  }
  require_numeric(value);
  if (!type.is_numeric()) refuse_place(place);
  const Symbol target = name_for_taken(value, type.is_number(), "bnew");
  typing_.declare(target, type.is_number() ? type : Type::numeric(DType::Float64));
  emit(context_.assign(context_.local(target), taken));
  current_value_ = value;
  push(value, element_of_list(context_.local(target), type));
}

// A number as the seed stands for one for each entry.
Linear Reverse::seed_of_map(const Expr* map, const Expr* seed) {
  const Expr* entries = context_.make<Call>(
      {}, helper("_seed_entries"), context_.symbol("tangent.runtime._seed_entries"),
      context_.list<const Expr*>({seed, map}), List<const Keyword*>());
  typing_.set(entries, typing_.of(map));
  return algebra_.of(entries);
}

}  // namespace tangent
