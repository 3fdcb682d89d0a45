// Dicts by keys that only the run tells, backwards; see reverse.h.
//
// The adjoint of such a dict is a dict that holds what came so far: a key that it has not stands
// for 0.0. What was added to the adjoint of a key before the primal had it is read by nothing:
// where the primal's dict gets or loses an entry, that of the adjoint is replaced. A dict of lists
// has a list for each of its own.
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

void Reverse::refuse_entry(const Expr* node) const {
  refuse(DiagnosticKind::UnsupportedType, node,
         "an entry of a dict that has no name, or is no number or array",
         "keep numbers and arrays in a dict that has a name of its own");
}

// Where the adjoint of a dict stands: under its own name, or in that of the dict that holds it,
// which may not have it yet.
const Expr* Reverse::map_place(const Expr* map) {
  if (const auto* variable = as<Name>(map)) {
    if (variable->scope != Scope::Local) refuse_entry(map);
    return context_.local(list_buffer(variable->symbol));
  }
  const auto* entry = as<Subscript>(map);
  if (entry == nullptr || !is_map(entry->value)) refuse_entry(map);
  const Expr* key = as_value(primal(entry->index));
  const Expr* outer = map_place(entry->value);
  const Expr* inner =
      map_method(outer, "setdefault", {key, context_.make<Dictionary>(Ranges(), Exprs(), Exprs())});
  typing_.set(inner, typing_.of(map));
  return inner;
}

void Reverse::add_entries(const Expr* place, const Expr* value) {
  emit(context_.make<ExpressionStatement>(
      {}, context_.make<Call>({}, helper("_add_entries"),
                              context_.symbol("tangent.runtime._add_entries"),
                              context_.list<const Expr*>({place, value}), List<const Keyword*>())));
}

// d = e of dicts, d.copy(), dict(d).
void Reverse::push_map_value(const Expr* node, const Linear& adjoint) {
  Linear held = adjoint;
  const InFlight waiting(*this, held);
  if (const auto* name = as<Name>(node); name != nullptr && name->scope == Scope::Local) {
    if (adjoint_of(name->symbol).is_zero()) {
      adjoint_of(name->symbol) = held;
      return materialize(name->symbol);
    }
    return add_entries(map_place(node), algebra_.build(held));
  }
  const auto* call = as<Call>(node);
  const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
  if (call != nullptr && call->keywords.empty()) {
    if (!call->callee && method != nullptr && method->attribute.text() == "copy" &&
        call->arguments.empty())
      return push_map_value(method->value, held);
    if (call->callee.text() == "builtins.dict" && call->arguments.size() == 1 &&
        is_map(call->arguments[0]))
      return push_map_value(call->arguments[0], held);
  }
  refuse(DiagnosticKind::UnsupportedType, node,
         "a dict that is made in this way, and depends on the differentiated arguments",
         "begin with `{}`, and store the entries one by one");
}

// d[k] is read.
void Reverse::push_map_entry(const Expr* node, const Expr* map, const Expr* key,
                             const Linear& adjoint) {
  if (is_list(node)) return add_to_list(node, adjoint, false);
  Linear held = adjoint;
  const InFlight waiting(*this, held);
  if (is_map(node)) return add_entries(map_place(node), algebra_.build(held));
  if (!typing_.of(node).is_numeric()) refuse_entry(node);
  const Expr* place = as_value(primal(key));
  const auto* base = as<Name>(map);
  if (base == nullptr || base->scope != Scope::Local) {
    // In a dict that holds the dict: there may be none of it yet.
    const Expr* entry =
        context_.make<Dictionary>(Ranges(), context_.list<const Expr*>({place}),
                                  context_.list<const Expr*>({algebra_.build(held)}));
    return add_entries(map_place(map), entry);
  }
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
    const Type kind = typing_.of(value);
    const bool nested = kind.is_map() || kind.kind == TypeKind::List;
    if (key == nullptr || !are_apart(display->keys) || (!kind.is_numeric() && !nested)) {
      refuse(DiagnosticKind::UnsupportedType, display,
             "a dict of several keys that are computed or may be equal, or of what are no numbers "
             "or arrays",
             "begin with `{}`, and store the entries one by one");
    }
    if (kind.kind == TypeKind::List) {
      const Expr* list = context_.make<Subscript>({}, algebra_.build(held), primal(key));
      typing_.set(list, kind);
      push(value, element_of_list(list, kind));
      continue;
    }
    const Expr* none =
        kind.is_map()
            ? static_cast<const Expr*>(context_.make<Dictionary>(Ranges(), Exprs(), Exprs()))
            : context_.number(0.0);
    const Expr* entry = map_method(algebra_.build(held), "get", {primal(key), none});
    typing_.set(entry, kind.is_map()      ? kind
                       : kind.is_number() ? Type::number(DType::Float64)
                                          : Type::numeric(DType::Float64));
    push(value, kind.is_map() ? algebra_.of(entry) : element_of_list(entry, kind));
  }
}

// d[k] = e: e gets what is taken out.
void Reverse::reverse_map_store(Block block, std::size_t index, const Subscript* place) {
  const Stmt* statement = block[index];
  const auto* base = root_of(place);
  const auto* inside = as<Subscript>(place->value);
  if (base == nullptr || (inside != nullptr && !is_map(inside->value))) {
    refuse(DiagnosticKind::WriteInPlace, place, "a store into a dict inside of something else",
           "give the dict a name of its own");
  }
  const Symbol name = begin_store(block, index, base->symbol);
  if (name.empty()) return;
  const Expr* entries = inside == nullptr ? context_.local(name) : map_place(inside);
  const Expr* value = stored_value(statement, place);
  const Expr* key = as_value(primal(place->index));
  if (is_list(value)) {
    const Expr* zeros =
        is_new_key(place) ? nullptr : zeros_of_length(hoisted_length(place), typing_.of(value));
    const Expr* element = context_.make<Subscript>({}, entries, key);
    return undo_row_store(place, value, element, zeros);
  }
  const Type type = typing_.of(value);
  const Expr* none =
      type.is_map()
          ? static_cast<const Expr*>(context_.make<Dictionary>(Ranges(), Exprs(), Exprs()))
          : context_.number(0.0);
  const Expr* taken = map_method(entries, "pop", {key, none});
  if (!active(value)) {
    emit(context_.make<ExpressionStatement>({}, taken));
    return;
  }
  if (type.is_map()) {
    const Symbol target = name_for_taken(value, false, "bnew");
    typing_.declare(target, type);
    emit(context_.assign(context_.local(target), taken));
    current_value_ = value;
    return push(value, algebra_.of(context_.local(target)));
  }
  require_numeric(value);
  if (!type.is_numeric()) refuse_place(place);
  const Symbol target = name_for_taken(value, type.is_number(), "bnew");
  typing_.declare(target, type.is_number() ? type : Type::numeric(DType::Float64));
  emit(context_.assign(context_.local(target), taken));
  current_value_ = value;
  push(value, element_of_list(context_.local(target), type));
}

// Whether a store is the first statement of `if k not in d:`.
bool Reverse::is_new_key(const Subscript* place) const {
  if (enclosing_.size() < 2) return false;
  const auto& [block, index] = enclosing_.back();
  const auto& [outer, around] = enclosing_[enclosing_.size() - 2];
  const auto* branch = around < outer.size() ? as<If>(outer[around]) : nullptr;
  const auto* test = branch != nullptr ? as<Comparison>(branch->test) : nullptr;
  return index == 0 && test != nullptr && branch->body.data() == block.data() &&
         test->ops.size() == 1 && test->ops[0] == ComparisonOperator::NotIn &&
         equal(test->left, place->index) && equal(test->comparators[0], place->value);
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
