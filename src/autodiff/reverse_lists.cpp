// Lists whose length the program decides, backwards; see reverse.h.
//
// The adjoint of a list is a list of the same length, which follows it backwards: what the primal
// appended is popped, what it popped is appended. A zero in it is 0.0, also for an array: elements
// are replaced, never added to in place.
#include "analysis/drained_lists.h"
#include "autodiff/reverse.h"

namespace tangent {

bool Reverse::is_list(const Expr* value) { return typing_.of(value).kind == TypeKind::List; }

bool Reverse::is_list_of_lists(const Expr* list) {
  const Type type = typing_.of(list);
  return type.kind == TypeKind::List && std::ranges::any_of(type.elements, [](const Type& item) {
           return item.kind == TypeKind::List;
         });
}

// Where the adjoint of a list stands: under its own name, or in that of the list which holds it.
// Null if it is neither.
const Expr* Reverse::list_place(const Expr* list) {
  if (const auto* variable = as<Name>(list)) {
    if (variable->scope != Scope::Local) return nullptr;
    return context_.local(list_buffer(variable->symbol));
  }
  const auto* item = as<Subscript>(list);
  if (item == nullptr || is<Slice>(item->index)) return nullptr;
  if (!is_list(item->value) && !is_map(item->value)) return nullptr;
  const Expr* index = as_value(primal(item->index));
  const Expr* base = list_place(item->value);
  return base != nullptr ? context_.make<Subscript>({}, base, index) : nullptr;
}

// What arithmetic reads of the primal: a list of numbers stands for an array there.
const Expr* Reverse::operand(const Expr* value) {
  const Expr* read = primal(value);
  const Type type = typing_.of(value);
  if (type.kind != TypeKind::List || !type.uniform || !type.elements.front().is_number())
    return read;
  return algebra_.numpy_call("array", {read});
}

// [0.0] * len(xs)
const Expr* Reverse::zeros_of_list(const Expr* list) {
  if (const auto* name = as<Name>(list);
      name != nullptr && drained_lists(function_).contains(name->symbol)) {
    const Expr* empty = context_.make<ListDisplay>(list->ranges, Exprs());
    typing_.set(empty, typing_.of(list));
    return empty;
  }
  if (is_list_of_lists(list) || is_map(list)) {
    const Expr* nested = context_.make<Call>(
        {}, helper("_zeros_of_items"), context_.symbol("tangent.runtime._zeros_of_items"),
        context_.list<const Expr*>({list}), List<const Keyword*>());
    typing_.set(nested, typing_.of(list));
    return nested;
  }
  const Expr* length = context_.make<Call>(
      {}, context_.global(context_.symbol("len")), context_.symbol("builtins.len"),
      context_.list<const Expr*>({list}), List<const Keyword*>());
  const Expr* zero = context_.make<ListDisplay>(
      {}, context_.list<const Expr*>({static_cast<const Expr*>(context_.number(0.0))}));
  const Expr* zeros = context_.make<BinaryOperation>({}, BinaryOperator::Multiply, zero, length);
  typing_.set(zeros, typing_.of(list));
  return zeros;
}

const Expr* Reverse::copied_list(const Expr* list) {
  if (is_list_of_lists(list)) {
    const Expr* deep = context_.make<Call>(
        {}, helper("_copied_items"), context_.symbol("tangent.runtime._copied_items"),
        context_.list<const Expr*>({list}), List<const Keyword*>());
    typing_.set(deep, typing_.of(list));
    return deep;
  }
  const Expr* copy = context_.make<Call>(
      {}, context_.global(context_.symbol("list")), context_.symbol("builtins.list"),
      context_.list<const Expr*>({list}), List<const Keyword*>());
  typing_.set(copy, typing_.of(list));
  return copy;
}

// The adjoint of a list variable under its own name, as a list of this code's own.
Symbol Reverse::list_buffer(Symbol variable) {
  // What stands for a list here and for an array elsewhere would have an adjoint of two kinds.
  const auto joined = function_.variables.find(variable);
  if (joined != function_.variables.end() && joined->second.kind != TypeKind::List &&
      !joined->second.is_map()) {
    const std::string spelled(variable.text());
    refuse(DiagnosticKind::UnsupportedType, first_read(variable),
           "`" + spelled + "` stands for a list at one place and for something else at another",
           "give what the list becomes a name of its own");
  }
  const Symbol name = bar(variable);
  protect(name);
  if (adjoint_of(variable).as_name() != name) materialize(variable, false, true);
  flush_mentions(name, variable);
  return name;
}

// An element's adjoint; an array's may be the number 0.0.
Linear Reverse::element_of_list(const Expr* taken, const Type& type) {
  Linear result = algebra_.of(taken);
  result.lazy = !type.is_number() && type.kind != TypeKind::List;
  return result;
}

// Adds to the adjoint of a list: one value to all elements, or one to each.
void Reverse::add_to_list(const Expr* list, const Linear& adjoint, bool to_all) {
  const auto* variable = as<Name>(list);
  const bool is_item = is<Subscript>(list);
  if (!is_item && (variable == nullptr || variable->scope != Scope::Local)) {
    refuse(DiagnosticKind::UnsupportedType, list,
           "a list that depends on the differentiated arguments and has no name",
           "give the list a name of its own first");
  }
  Linear held = adjoint;
  const InFlight waiting(*this, held);
  const Expr* value = algebra_.build(held);
  const bool number = typing_.of(value).is_number();
  if (!is_item && typing_.of(value).kind == TypeKind::List &&
      adjoint_of(variable->symbol).is_zero()) {
    adjoint_of(variable->symbol) = held;
    materialize(variable->symbol);
    return;
  }
  const Expr* place = list_place(list);
  if (place == nullptr) refuse_place(list);
  value = algebra_.build(held);
  const std::string_view function = to_all || number ? "_add_to_all" : "_add_to_items";
  emit(context_.make<ExpressionStatement>(
      {}, context_.make<Call>({}, helper(function),
                              context_.symbol("tangent.runtime." + std::string(function)),
                              context_.list<const Expr*>({place, value}), List<const Keyword*>())));
}

void Reverse::refuse_place(const Expr* list) const {
  refuse(DiagnosticKind::UnsupportedType, list,
         "parts of a list that depend on the differentiated arguments",
         "read one element of a list that has a name, or use a NumPy array");
}

// xs.append(e): e gets what is popped. x = xs.pop(): what x has is appended.
void Reverse::reverse_list_change(Block block, std::size_t index) {
  const Stmt* statement = block[index];
  const ListChange change = list_change(statement);
  const Symbol list = change.list->symbol;
  flush_primal(changes(statement), list);
  for (const Symbol symbol : changes(statement)) killed_.insert(symbol);
  rebound_.insert(list);
  Linear taken;
  const auto* assign = as<Assign>(statement);
  if (assign != nullptr) {
    const auto* target = as<Name>(assign->targets[0]);
    if (target == nullptr) {
      refuse(DiagnosticKind::UnsupportedSyntax, statement, "unpacking what a list gives",
             "give the item a name first");
    }
    flush_primal({target->symbol}, target->symbol);
    taken = adjoint_of(target->symbol);
    adjoint_of(target->symbol) = Linear();
    // What the name held before may have another shape.
    if (bars_.contains(target->symbol) && !typing_.of(target).is_number())
      assigned_.erase(bars_.at(target->symbol));
    if (!active(assign->value)) taken = Linear();
  }
  const bool flows = !adjoint_of(list).is_zero() || !taken.is_zero();
  if (!flows) return;
  const InFlight waiting(*this, taken);
  const Symbol name = list_buffer(list);
  mark(block, index);
  const Expr* place = change.is_direct() ? context_.local(name) : list_place(change.place);
  if (place == nullptr) refuse_place(change.place);
  auto method = [&](std::string_view function, const std::vector<const Expr*>& arguments) {
    return context_.make<Call>({}, context_.make<Attribute>({}, place, context_.symbol(function)),
                               Symbol(), context_.list(arguments), List<const Keyword*>());
  };
  if (change.key != nullptr) {
    // What the dict had under that key gets nothing of what comes behind.
    const Expr* key = as_value(primal(change.key));
    if (typing_.of(change.place).elements[0].kind == TypeKind::List) {
      const auto* entry = context_.make<Subscript>({}, change.place, change.key);
      const Expr* length = hoisted_length(entry);
      emit(context_.assign(context_.make<Subscript>({}, place, key),
                           zeros_of_length(length, typing_.of(change.place).elements[0])));
    } else {
      emit(context_.make<ExpressionStatement>({}, method("pop", {key, context_.number(0.0)})));
    }
    return;
  }
  if (!change.appends) {
    const Expr* value = algebra_.build(taken);
    const Expr* kept = typing_.of(value).is_number() ? value : kept_apart(value);
    lend(kept);
    emit(context_.make<ExpressionStatement>({}, method("append", {kept})));
    return;
  }
  require_numeric(change.item);
  const Expr* popped = method("pop", {});
  if (!active(change.item)) {
    emit(context_.make<ExpressionStatement>({}, popped));
    return;
  }
  const Type type = typing_.of(change.item);
  const Symbol target = name_for_taken(change.item, type.is_number(), "bitem");
  const bool is_row = type.kind == TypeKind::List;
  typing_.declare(target, type.is_number() || is_row ? type : Type::numeric(DType::Float64));
  emit(context_.assign(context_.local(target), popped));
  current_value_ = change.item;
  push(change.item, element_of_list(context_.local(target), type));
}

// Before a store into a list or dict is undone: the name of its adjoint, empty where it has none.
Symbol Reverse::begin_store(Block block, std::size_t index, Symbol container) {
  const std::vector<Symbol> changed = changes(block[index]);
  flush_primal(changed, container);
  killed_.insert(changed.begin(), changed.end());
  if (adjoint_of(container).is_zero()) return {};
  const Symbol name = list_buffer(container);
  mark(block, index);
  return name;
}

// xs[i] = e and xs[i] op= e of a list, m[i][j] = e of a list of lists.
void Reverse::reverse_list_store(Block block, std::size_t index, const Subscript* place) {
  const Stmt* statement = block[index];
  const Name* base = root_of(place);
  const auto* row = as<Subscript>(place->value);
  const bool known = is<Name>(place->value) ||
                     (row != nullptr && (is_list_of_lists(row->value) || is_map(row->value)));
  if (base == nullptr || is<Slice>(place->index) || !known) {
    refuse(DiagnosticKind::WriteInPlace, place, "a store into a list inside of something else",
           "give the list a name of its own, and store one element");
  }
  const Symbol name = begin_store(block, index, base->symbol);
  if (name.empty()) return;
  const Expr* value = stored_value(statement, place);
  const Expr* inside = row == nullptr ? context_.local(name) : list_place(row);
  if (inside == nullptr) refuse_place(row);
  const Expr* element = context_.make<Subscript>({}, inside, primal(place->index));
  const Type type = typing_.of(value);
  const auto* augmented = as<AugmentedAssign>(statement);
  const bool adds = augmented != nullptr && (augmented->op == BinaryOperator::Add ||
                                             augmented->op == BinaryOperator::Subtract);
  if (adds && type.is_number() && active(value)) {
    // What is added to gets the adjoint of the sum, which stands there.
    if (!active(augmented->value)) return;
    const Symbol part = name_for_taken(value, true, "bnew");
    typing_.declare(part, type);
    emit(context_.assign(context_.local(part), element));
    current_value_ = augmented->value;
    Linear passed = element_of_list(context_.local(part), type);
    if (augmented->op == BinaryOperator::Subtract) passed = Algebra::negate(passed);
    return push(augmented->value, std::move(passed));
  }
  if (type.kind == TypeKind::List) {
    const Expr* length = hoisted_length(place);
    return undo_row_store(place, value, element, zeros_of_length(length, typing_.of(value)));
  }
  if (!active(value)) return clear(element);
  require_numeric(value);
  const Symbol target = name_for_taken(value, type.is_number(), "bnew");
  typing_.declare(target, type.is_number() ? type : Type::numeric(DType::Float64));
  emit(context_.assign(context_.local(target), element));
  clear(element);
  current_value_ = value;
  push(value, element_of_list(context_.local(target), type));
}

// How long the list is that a store replaces, known before; 0 where a dict has none.
const Expr* Reverse::hoisted_length(const Subscript* place) {
  const Expr* old = place;
  if (is_map(place->value)) {
    const Expr* none = context_.make<TupleDisplay>({}, Exprs());
    old = map_method(place->value, "get", {place->index, none});
  }
  const Expr* length = context_.make<Call>(
      {}, context_.global(context_.symbol("len")), context_.symbol("builtins.len"),
      context_.list<const Expr*>({old}), List<const Keyword*>());
  const Symbol name = names_.fresh("old_length");
  typing_.declare(name, Type::python_number(DType::Integer));
  result_.plan.statements[current_].hoists.push_back({name, length});
  result_.plan.defined_at.emplace(name, current_position_after());
  if (loop_depth_ > 0) {
    killed_.insert(name);
    rebound_.insert(name);
  }
  return context_.local(name);
}

const Expr* Reverse::zeros_of_length(const Expr* length, const Type& type) {
  const Expr* zero = context_.make<ListDisplay>(
      {}, context_.list<const Expr*>({static_cast<const Expr*>(context_.number(0.0))}));
  const Expr* zeros = context_.make<BinaryOperation>({}, BinaryOperator::Multiply, zero, length);
  typing_.set(zeros, type);
  return zeros;
}

// rows[i] = xs, d[k] = xs: the adjoint that stands there goes to xs, and `zeros` are that of what
// was there before; null: nothing was.
void Reverse::undo_row_store(const Subscript* place, const Expr* value, const Expr* element,
                             const Expr* zeros) {
  const Type type = typing_.of(value);
  const bool of_numbers = std::ranges::all_of(type.elements, &Type::is_numeric);
  if (!of_numbers) {
    refuse(DiagnosticKind::WriteInPlace, place, "storing a list of lists into another",
           "store its elements one by one");
  }
  const auto* removed = as<Subscript>(element);
  const Expr* taken =
      zeros != nullptr ? element : map_method(removed->value, "pop", {removed->index});
  Linear adjoint;
  if (active(value)) {
    const Symbol target = name_for_taken(value, false, "bnew");
    typing_.declare(target, type);
    emit(context_.assign(context_.local(target), taken));
    adjoint = algebra_.of(context_.local(target));
  } else if (zeros == nullptr) {
    emit(context_.make<ExpressionStatement>({}, taken));
  }
  if (zeros != nullptr) emit(context_.assign(element, zeros));
  if (!active(value)) return;
  current_value_ = value;
  push(value, std::move(adjoint));
}

// A list keeps numbers and arrays: the adjoint of a list of lists would have to be one, too.
void Reverse::require_numeric(const Expr* item) {
  if (typing_.of(item).is_numeric()) return;
  const Type type = typing_.of(item);
  const Type* inner = &type;
  while (inner->kind == TypeKind::List && inner->elements.size() == 1)
    inner = &inner->elements.front();
  if (inner->is_numeric()) return;
  if (type.kind == TypeKind::List && std::ranges::all_of(type.elements, &Type::is_numeric)) return;
  refuse(DiagnosticKind::UnsupportedType, item,
         "a list of what is no number or array, and depends on the differentiated arguments",
         "use one list for each part, or a NumPy array");
}

// xs = [a, b]: an element's adjoint is the element of the list's.
void Reverse::push_list_display(const ListDisplay* display, const Linear& adjoint) {
  Linear held = adjoint;
  const InFlight waiting(*this, held);
  for (std::size_t k = 0; k < display->elements.size(); ++k) {
    const Expr* element = display->elements[k];
    if (!active(element)) continue;
    require_numeric(element);
    const Expr* taken = context_.make<Subscript>({}, algebra_.build(held),
                                                 context_.integer(static_cast<std::int64_t>(k)));
    typing_.set(taken, is_list(element)                  ? typing_.of(element)
                       : typing_.of(element).is_number() ? Type::number(DType::Float64)
                                                         : Type::numeric(DType::Float64));
    push(element, element_of_list(taken, typing_.of(element)));
  }
}

// xs[i] is read: its adjoint is replaced by the sum.
void Reverse::push_list_element(const Subscript* node, const Linear& adjoint) {
  const TypeKind index_kind = typing_.of(node->index).kind;
  if (is<Slice>(node->index) || (index_kind != TypeKind::Number && !is<Constant>(node->index)))
    refuse_place(node);
  require_numeric(node);
  Linear held = adjoint;
  const InFlight waiting(*this, held);
  if (is_list(node)) return add_to_list(node, held, false);
  const Expr* index = primal(node->index);
  const Expr* place = list_place(node->value);
  if (place == nullptr) refuse_place(node);
  const Expr* element = context_.make<Subscript>({}, place, index);
  const Expr* value = algebra_.build(held);
  if (typing_.of(node).is_number()) {
    emit(context_.make<AugmentedAssign>({}, element, BinaryOperator::Add, value));
    return;
  }
  emit(context_.assign(element,
                       context_.make<BinaryOperation>({}, BinaryOperator::Add, element, value)));
}

}  // namespace tangent
