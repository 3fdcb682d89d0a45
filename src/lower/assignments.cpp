// Assignments: chained, parallel, nested and annotated ones become assignments to one name or to a
// flat tuple of names.
#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// (a, b), c = (e, f), g is a, b, c = e, f, g: the pairs as far as both sides are displays.
void flatten(const Expr* target, const Expr* value, std::vector<const Expr*>& targets,
             std::vector<const Expr*>& values) {
  const Exprs* inner_targets = display_elements(target);
  const Exprs* inner_values = display_elements(value);
  if (inner_targets == nullptr || inner_values == nullptr ||
      inner_targets->size() != inner_values->size()) {
    targets.push_back(target);
    values.push_back(value);
    return;
  }
  for (std::size_t i = 0; i < inner_targets->size(); ++i) {
    flatten((*inner_targets)[i], (*inner_values)[i], targets, values);
  }
}

}  // namespace

Symbol Lowering::assigned_symbol(const Name& target) {
  const NameUse* use = frame_->facts->find(target.symbol);
  if (use != nullptr && use->is_global) {
    refuse(target,
           "assigning the global `" + std::string(target.symbol.text()) + "` is not supported",
           "return the value instead");
  }
  if (use != nullptr && use->is_nonlocal) {
    Frame* owner = nullptr;
    const Binding* binding = find_binding(target.symbol, &owner);
    if (binding == nullptr ||
        (binding->form != Binding::Form::Unset && binding->form != Binding::Form::Variable)) {
      refuse(target,
             "assigning `" + std::string(target.symbol.text()) +
                 "` of the function around is not supported here",
             "return the value instead");
    }
    return variable(*owner, target.symbol);
  }
  return variable(*frame_, target.symbol);
}

void Lowering::assign_statement(const Assign& it) {
  const Ranges ranges = at(it);
  if (it.targets.size() == 1) {
    if (const auto* name = as<Name>(it.targets[0])) return assign_name(*name, it.value, ranges);
    if (is<Subscript>(it.targets[0])) return store(it.targets[0], expression(it.value), ranges);
    if (const auto symbol = plain_attribute(it.targets[0])) {
      const Expr* value = value_for(it.value, Destination::to(*symbol));
      if (value != nullptr) emit_assign(*symbol, value, ranges);
      return;
    }
    want_results(it);
    if (const Expr* parts = unpacked_generator(it)) return assign_to(it.targets[0], parts, ranges);
    return assign_to(it.targets[0], expression(it.value), ranges);
  }
  // The value is evaluated once and bound to the targets from left to right.
  const Expr* value = nullptr;
  std::size_t next = 0;
  if (const auto* first = as<Name>(it.targets[0])) {
    const Symbol symbol = assigned_symbol(*first);
    value = expression(it.value);
    const bool known = is_known(value);
    if (known) value = kept_known(value, ranges);
    emit_assign(symbol, value, ranges);
    if (!known && !is<Constant>(value)) value = context_.local(symbol, first->ranges);
    next = 1;
  } else {
    value = expression(it.value);
    if (is_known(value)) {
      value = kept_known(value, ranges);
    } else if (!is<Constant>(value)) {
      const Symbol whole = names_.fresh(describe(value));
      emit_assign(whole, value, ranges);
      value = context_.local(whole, it.value->ranges);
    }
  }
  for (; next < it.targets.size(); ++next) assign_to(it.targets[next], copy(value, {}), ranges);
}

void Lowering::assign_name(const Name& target, const Expr* written, Ranges ranges) {
  const Symbol name = target.symbol;
  const NameUse* use = frame_->facts->find(name);
  const bool bound_once = use != nullptr && use->writes == 1 && !use->is_parameter &&
                          !use->is_global && !use->is_nonlocal && use->nested_writes == 0;
  if (const auto* lambda = as<Lambda>(written)) {
    if (!bound_once) return emit_assign(assigned_symbol(target), expression(lambda), ranges);
    frame_->bindings[name] = {.form = Binding::Form::Function,
                              .function = lambda_callee(*lambda, name)};
    frame_->declared.push_back(name);
    return;
  }
  if (bound_once && alias_of_global(target, written)) return;
  const Symbol symbol = assigned_symbol(target);
  const Expr* value = value_for(written, Destination::to(symbol));
  const auto integer = bound_once && value != nullptr ? constant_integer(value) : std::nullopt;
  constants_.erase(symbol);
  if (integer) constants_.emplace(symbol, *integer);
  const auto* made = as<Comprehension>(written);
  const bool is_list = bound_once && (is<ListDisplay>(written) ||
                                      (made != nullptr && made->form == ComprehensionKind::List));
  lists_.erase(symbol);
  if (is_list) lists_.insert(symbol);
  if (value != nullptr) emit_assign(symbol, value, ranges);
}

// `sin = np.sin`: the local name of a function or module is that function wherever it is read.
bool Lowering::alias_of_global(const Name& target, const Expr* written) {
  if (!is<Name>(written) && !is<Attribute>(written)) return false;
  const std::optional<Thing> thing = thing_of(written);
  if (!thing || (thing->kind != ThingKind::Library && thing->kind != ThingKind::UserFunction &&
                 thing->kind != ThingKind::Module)) {
    return false;
  }
  frame_->bindings[target.symbol] = {.form = Binding::Form::Value, .value = expression(written)};
  frame_->declared.push_back(target.symbol);
  return true;
}

// a, b = (f(k) for k in range(2)): the parts, where their number is that of the targets.
const Expr* Lowering::unpacked_generator(const Assign& it) {
  const Exprs* targets = display_elements(it.targets[0]);
  const auto* generator = as<Comprehension>(it.value);
  if (targets == nullptr || generator == nullptr ||
      (generator->form != ComprehensionKind::Generator &&
       generator->form != ComprehensionKind::List))
    return nullptr;
  if (generator->form == ComprehensionKind::Generator) generators_.insert(generator);
  if (generator->generators.size() != 1 || !generator->generators[0]->conditions.empty())
    return nullptr;
  const Expr* iterable = generator->generators[0]->iterable;
  const auto items = written_counted_items(iterable);
  if (!items || items->size() != targets->size()) return nullptr;
  return unrolled_comprehension(*generator, expression(iterable));
}

void Lowering::want_results(const Assign& it) {
  const Exprs* targets = display_elements(it.targets[0]);
  if (!is<Call>(it.value) || targets == nullptr) return;
  wanted_ = {.call = it.value, .names = {}};
  for (const Expr* target : *targets) {
    const auto* name = as<Name>(target);
    if (name == nullptr) return;
    const Symbol symbol = assigned_symbol(*name);
    if (std::ranges::find(wanted_.names, symbol) != wanted_.names.end()) return;
    wanted_.names.push_back(symbol);
  }
}

void Lowering::assign_to(const Expr* target, const Expr* value, Ranges ranges) {
  if (const auto* name = as<Name>(target))
    return emit_assign(assigned_symbol(*name), value, ranges);
  if (is<Subscript>(target)) return store(target, value, ranges);
  if (const auto* attribute = as<Attribute>(target))
    return assign_attribute(*attribute, value, ranges);
  if (const auto elements = elements_of_tuple(value))
    value = context_.make<TupleDisplay>(value->ranges, Exprs(context_.list(*elements)));
  std::vector<const Expr*> targets;
  std::vector<const Expr*> values;
  flatten(target, value, targets, values);
  if (targets.empty()) return;  // () = ()
  if (targets[0] != target) return assign_parallel(targets, values, ranges);
  std::vector<std::pair<const Expr*, Symbol>> later;
  const Expr* core = core_target(target, later);
  note_target(core, holding_of(value));
  emit(context_.assign(core, value, ranges));
  unpack_later(later, ranges);
}

// place[index] = value: the value is evaluated before the place.
void Lowering::store(const Expr* target, const Expr* value, Ranges ranges) {
  const std::size_t mark = out_->size();
  const Expr* place = expression(target);
  if (out_->size() > mark) protect({&value, 1}, mark);
  keep_if_object(value);
  if (const auto* element = as<Subscript>(place); element != nullptr && keeps()) {
    if (!is<Slice>(element->index)) {
      put_into(element->value, holding_of(value), ranges);
      value = or_nothing(value, item_of(holding_of(element->value)));
    } else {
      put_into(element->value, item_of(holding_of(value)), ranges);
    }
  }
  emit(context_.assign(checked_place(place), value, ranges));
}

const Expr* Lowering::checked_place(const Expr* place) {
  const Expr* root = place;
  while (const auto* subscript = as<Subscript>(root)) root = subscript->value;
  // An attribute of an argument that is an object gets a variable where the function begins.
  if (const auto* attribute = as<Attribute>(root)) {
    const Object* object = object_of(attribute->value);
    if (object != nullptr && object->is_argument && name_in_argument(*object, attribute->attribute))
      throw LowerAgain();
  }
  // y.T[i, j] = e: the view gets a name, as any other.
  const auto* transposed = as<Attribute>(root);
  const auto* base = transposed != nullptr ? as<Name>(transposed->value) : nullptr;
  if (is<Subscript>(place) && base != nullptr && base->scope == Scope::Local &&
      object_of(base) == nullptr && transposed->attribute.text() == "T") {
    const Symbol view = names_.fresh("across");
    emit_assign(view, transposed, place->ranges);
    const auto renamed = [&](const auto& self, const Expr* it) -> const Expr* {
      const auto* part = as<Subscript>(it);
      if (part == nullptr) return context_.local(view, it->ranges);
      return context_.make<Subscript>(it->ranges, self(self, part->value), part->index);
    };
    return renamed(renamed, place);
  }
  // y.flat[i] = e: the places of these elements in y.
  if (const auto* part = as<Subscript>(place); part != nullptr && part->value == transposed &&
                                               base != nullptr && base->scope == Scope::Local &&
                                               object_of(base) == nullptr &&
                                               transposed->attribute.text() == "flat") {
    if (const Expr* places = flat_places(base, part->index, place->ranges))
      return context_.make<Subscript>(place->ranges, static_cast<const Expr*>(base), places);
  }
  // y.reshape(-1)[i] = e: the view gets a name.
  if (const auto* call = as<Call>(root); call != nullptr && is<Subscript>(place)) {
    const auto* method = as<Attribute>(call->function);
    const auto* array = method != nullptr ? as<Name>(method->value) : nullptr;
    if (array != nullptr && array->scope == Scope::Local && object_of(array) == nullptr) {
      const Symbol view = names_.fresh("view");
      emit_assign(view, call, place->ranges);
      const auto renamed = [&](const auto& self, const Expr* it) -> const Expr* {
        const auto* part = as<Subscript>(it);
        if (part == nullptr) return context_.local(view, it->ranges);
        return context_.make<Subscript>(it->ranges, self(self, part->value), part->index);
      };
      return renamed(renamed, place);
    }
  }
  const auto* name = as<Name>(root);
  if (!is<Subscript>(place) || name == nullptr || name->scope != Scope::Local) {
    refuse(*place, "writing an element of what is no variable of the function is not supported",
           "pass the array as an argument, or copy it first", DiagnosticKind::WriteInPlace);
  }
  return place;
}

// (a, b) = (e, f): one assignment each. All values are evaluated before any name is bound, so a
// value whose target a later value still reads is kept under another name meanwhile.
void Lowering::assign_parallel(Exprs targets, Exprs values, Ranges ranges) {
  const std::size_t count = targets.size();
  std::vector<Symbol> symbols(count);  // empty: a pattern
  std::unordered_set<Symbol> assigned;
  bool ordered = false;  // bind strictly from left to right at the end
  std::vector<Symbol> of_target;
  std::vector<std::vector<Symbol>> bound(count);  // by each target
  auto add = [&](auto& self, const Expr* target) -> void {
    if (const auto symbol = target_variable(target)) {
      ordered = !assigned.insert(*symbol).second || ordered;
      of_target.push_back(*symbol);
    } else if (const Exprs* inner = display_elements(target)) {
      for (const Expr* element : *inner) self(self, element);
    } else {
      ordered = true;  // an element or slice
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    add(add, targets[i]);
    bound[i] = std::exchange(of_target, {});
    if (const auto symbol = target_variable(targets[i])) symbols[i] = *symbol;
  }
  std::vector<std::pair<const Expr*, const Expr*>> kept;  // target, value
  for (std::size_t i = 0; i < count; ++i) {
    const Expr* value = values[i];
    bool keep = ordered;
    if (!keep) {
      for (std::size_t j = i + 1; j < count && !keep; ++j) {
        keep = std::ranges::any_of(bound[i], [&](Symbol s) { return mentions(values[j], s); });
      }
    }
    if (!keep) {
      if (symbols[i]) {
        emit_assign(symbols[i], value, ranges);
      } else {
        assign_to(targets[i], value, ranges);
      }
      continue;
    }
    const bool stays = is_simple(value) &&
                       std::ranges::none_of(assigned, [&](Symbol s) { return mentions(value, s); });
    if (!stays) {
      const std::string wish =
          symbols[i] ? "new_" + std::string(symbols[i].text()) : describe_position(i);
      value = bind_temporary(value, wish, ranges);
    }
    kept.emplace_back(targets[i], value);
  }
  for (const auto& [target, value] : kept) assign_to(target, value, ranges);
}

// The variable that an assignment to this target binds, if it binds one.
std::optional<Symbol> Lowering::target_variable(const Expr* target) {
  if (const auto* name = as<Name>(target)) return assigned_symbol(*name);
  return plain_attribute(target);
}

const Expr* Lowering::core_target(const Expr* target,
                                  std::vector<std::pair<const Expr*, Symbol>>& later) {
  const auto local = [&](Symbol symbol, Ranges ranges) {
    if (held_.contains(symbol)) hold(symbol, {});
    return context_.local(symbol, ranges);
  };
  if (const auto* name = as<Name>(target)) return local(assigned_symbol(*name), name->ranges);
  const Exprs* elements = display_elements(target);
  if (elements == nullptr) {
    refuse(
        *target, "this target is not supported", "assign to a name",
        is<Attribute>(target) ? DiagnosticKind::WriteInPlace : DiagnosticKind::UnsupportedSyntax);
  }
  std::vector<const Expr*> names;
  names.reserve(elements->size());
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const Expr* element = (*elements)[i];
    if (const auto symbol = target_variable(element)) {
      names.push_back(local(*symbol, element->ranges));
      continue;
    }
    const Exprs* inner = display_elements(element);
    if (inner == nullptr && !is<Subscript>(element) && !is<Attribute>(element)) {
      refuse(*element, "this target is not supported", "assign to a name");
    }
    const auto* attribute = as<Attribute>(element);
    const std::string wish = attribute != nullptr ? std::string(attribute->attribute.text())
                             : inner != nullptr && inner->size() == 2 ? "pair"
                                                                      : describe_position(i);
    const Symbol part = names_.fresh(wish);
    names.push_back(context_.local(part, element->ranges));
    later.emplace_back(element, part);
  }
  return context_.make<TupleDisplay>(target->ranges, Exprs(context_.list(names)));
}

void Lowering::unpack_later(std::span<const std::pair<const Expr*, Symbol>> later, Ranges ranges) {
  for (const auto& [target, part] : later) {
    assign_to(target, context_.local(part, target->ranges), ranges);
  }
}

void Lowering::augmented_assign(const AugmentedAssign& it) {
  if (is<Subscript>(it.target)) return augmented_store(it);
  const std::optional<Symbol> variable = target_variable(it.target);
  if (!variable || objects_.contains(*variable)) return augmented_object(it);
  augmented_variable(it, *variable);
}

void Lowering::augmented_variable(const AugmentedAssign& it, Symbol symbol) {
  const Expr* target = it.target;
  const Ranges ranges = at(it);
  if (const Expr* now = variable_value(symbol, *target); is_known(now)) {
    refuse(it, "`" + print(target) + "` holds a function or an object, and is changed in place",
           "write it out anew", DiagnosticKind::WriteInPlace);
  }
  const std::size_t mark = out_->size();
  const Expr* value = expression(it.value);
  // The target is read before the value is evaluated.
  const Expr* read = context_.local(symbol, target->ranges);
  if (out_->size() > mark) protect({&read, 1}, mark);
  const Symbol worked = static_cast<const Name*>(read)->symbol;
  emit(context_.make<AugmentedAssign>(
      ranges, static_cast<const Expr*>(context_.local(worked, target->ranges)), it.op, value));
  if (worked != symbol) emit_assign(symbol, context_.local(worked, target->ranges), ranges);
}

// The variable of an attribute of an argument is changed, which an array sees, and stored.
void Lowering::augmented_in_argument(const AugmentedAssign& it, Object& object) {
  const auto& target = static_cast<const Attribute&>(*it.target);
  const Binding* held = object.find(target.attribute);
  if (held == nullptr || held->form != Binding::Form::Variable ||
      objects_.contains(held->variable)) {
    if (name_in_argument(object, target.attribute)) throw LowerAgain();
    refuse_attribute(target);
  }
  const Symbol variable = held->variable;
  const std::size_t mark = out_->size();
  const Expr* value = expression(it.value);
  const Expr* read = context_.local(variable, target.ranges);
  if (out_->size() > mark) protect({&read, 1}, mark);
  if (static_cast<const Name*>(read)->symbol != variable) {
    refuse(it, "the value changes the attribute that it is added to",
           "compute the value in a statement of its own first");
  }
  changed_.insert(object.type.handle);
  emit(context_.make<AugmentedAssign>(at(it), read, it.op, value));
  store_in_argument(object, target.attribute, variable, at(it));
}

// An object, or an attribute that no name alone reaches; its owner is evaluated once.
void Lowering::augmented_object(const AugmentedAssign& it) {
  const auto* attribute = as<Attribute>(it.target);
  if (attribute == nullptr) {
    if (!is<Name>(it.target)) refuse(it, "this target is not supported", "assign to a name");
    return assign_to(it.target, augmented_value(it, expression(it.target)), at(it));
  }
  const Expr* owner = expression(attribute->value);
  Object* object = subject_of(owner);
  if (object == nullptr) refuse_attribute(*attribute);
  if (object->is_kept) {
    if (augmented_cell(it, owner, object->type)) return;
    owner = settled_reference(owner, at(it));
  }
  if (object->is_argument) return augmented_in_argument(it, *object);
  if (const auto variable = plain_attribute(*object, attribute->attribute))
    return augmented_variable(it, *variable);
  const Expr* read = read_attribute(owner, *object, *it.target, attribute->attribute);
  set_attribute_of(*attribute, owner, augmented_value(it, read), at(it));
}

// What a value becomes by `op= e`: an object by its class, an array in place.
const Expr* Lowering::augmented_value(const AugmentedAssign& it, const Expr* read) {
  const std::size_t mark = out_->size();
  const Expr* value = expression(it.value);
  if (out_->size() > mark) protect({&read, 1}, mark);
  if (subject_of(read) != nullptr || subject_of(value) != nullptr) {
    const auto& [name, reflected] = operator_methods(it.op);
    const std::string in_place = "__i" + std::string(name.substr(2));
    if (const Expr* made = operation(it, *it.target, in_place, "", read, value)) return made;
    if (const Expr* made = operation(it, *it.target, name, reflected, read, value)) return made;
    refuse(it, "an object is an operand here, and its class does not define the operator",
           "define it in the class", DiagnosticKind::UnresolvedCall);
  }
  const Expr* made = bind_temporary(read, describe(read), at(it));
  emit(context_.make<AugmentedAssign>(at(it), made, it.op, value));
  return copy(made, {});
}

// place[index] op= value: the element is read before the value is evaluated. Where the value needs
// statements of its own they come first, which is the same unless they change what is read.
void Lowering::augmented_store(const AugmentedAssign& it) {
  const std::size_t mark = out_->size();
  const Expr* value = expression(it.value);
  const std::size_t end = out_->size();
  const Expr* place = checked_place(expression(it.target));
  std::vector<Symbol> assigned;
  collect_assigned(std::span(*out_).subspan(mark, end - mark), assigned);
  const bool changes = stores(std::span(*out_).subspan(mark, end - mark)) ||
                       std::ranges::any_of(assigned, [&](Symbol s) { return mentions(place, s); });
  if (changes) {
    refuse(it, "the value changes what the element is read from",
           "compute the value in a statement of its own first");
  }
  if (out_->size() > end) protect({&value, 1}, end);
  emit(context_.make<AugmentedAssign>(at(it), place, it.op, value));
}

void Lowering::annotated_assign(const AnnotatedAssign& it) {
  if (it.value == nullptr) return;
  if (const auto* name = as<Name>(it.target)) return assign_name(*name, it.value, at(it));
  assign_to(it.target, expression(it.value), at(it));
}

}  // namespace tangent::lowering
