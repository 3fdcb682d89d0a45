// Methods, operators and properties of objects of the user's classes: calls of the functions that
// their classes hold, with the object as first argument.
#include <algorithm>
#include <array>

#include "lower/lowering.h"
#include "syntax/printer.h"

namespace tangent::lowering {

namespace {

// Builtins that ask an object.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAsking = {
    {{"len", "__len__"}, {"abs", "__abs__"}, {"float", "__float__"}, {"bool", "__bool__"}}};

// What the operators ask of a class, in the order of BinaryOperator.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kOperators = {
    {{"__add__", "__radd__"},
     {"__sub__", "__rsub__"},
     {"__mul__", "__rmul__"},
     {"__truediv__", "__rtruediv__"},
     {"__floordiv__", "__rfloordiv__"},
     {"__mod__", "__rmod__"},
     {"__pow__", "__rpow__"},
     {"__matmul__", "__rmatmul__"},
     {"__and__", "__rand__"},
     {"__or__", "__ror__"},
     {"__xor__", "__rxor__"},
     {"__lshift__", "__rlshift__"},
     {"__rshift__", "__rrshift__"}}};

}  // namespace

const std::pair<std::string_view, std::string_view>& operator_methods(BinaryOperator op) {
  return kOperators[static_cast<std::size_t>(op)];
}

// object.name(…), looking only at the bases behind `after` if that is given.
const Expr* Lowering::call_method(const Call& it, const Expr* self, Object& object, Symbol name,
                                  Destination destination, ThingHandle after) {
  if (object.is_kept) {
    self = settled_reference(self, it.ranges);
    if (after < 0 && find_cell(object.type, name) != nullptr) {
      const Expr* held = read_cell(self, object.type, *it.function, name);
      if (is_known(held) || subject_of(held) != nullptr) return call_known(it, held, destination);
      refuse(it, "calling `" + print(it.function) + "`, a value of an object, is not supported",
             "call a function by the name under which it is defined");
    }
  }
  if (after < 0) {
    if (const Binding* held = object.find(name)) {
      // A function or an object that an attribute holds.
      if (held->form == Binding::Form::Function)
        return inline_call(it, *held->function, destination);
      if (held->form == Binding::Form::Value) {
        const std::optional<Thing> thing = thing_of_core(held->value);
        if (thing && thing->kind == ThingKind::Library)
          return library_call(it, *thing, destination);
        if (thing && thing->kind == ThingKind::UserFunction)
          return inline_call(it, callee_of(*thing, it), destination);
        if (thing && thing->kind == ThingKind::UserClass)
          return make_object(it, *thing, destination);
      }
      if (held->form == Binding::Form::Variable) {
        const Expr* value = variable_value(held->variable, *it.function);
        if (Object* inner = object_of(value))
          return call_method(it, value, *inner, context_.symbol("__call__"), destination);
        if (is_known(value)) return call_known(it, value, destination);
      }
      refuse(it,
             "calling `" + print(it.function) + "`, a value of this function, is not supported yet",
             "call a function by the name under which it is defined");
    }
  }
  if (name.text() == "_replace" && facts_of_class(object.type).is_tuple && object.outer == nullptr)
    return replaced_tuple(it, self, object);
  const Member& member = member_of(object.type, after, name);
  switch (member.form) {
    case Member::Form::Method:
      return inline_call(it, callee_of(member.thing, it), destination,
                         {.self = copy(self, {}), .owner = member.owner});
    case Member::Form::StaticMethod:
      return inline_call(it, callee_of(member.thing, it), destination);
    case Member::Form::ClassMethod:
      if (object.path == nullptr) break;
      return inline_call(it, callee_of(member.thing, it), destination,
                         {.self = copy(object.path, {}), .owner = member.owner});
    case Member::Form::Missing:
      if (object.is_argument && after < 0) {
        const Expr* held = part_of_argument(object, name, it.function->ranges);
        if (Object* part = object_of(held))
          return call_method(it, held, *part, context_.symbol("__call__"), destination);
        if (is_known(held)) return call_known(it, held, destination);
        // An array's or a list's method is not looked for here: this is a function that it holds.
        refuse(it,
               "calling `" + print(it.function) + "`, a value of an argument, is not supported yet",
               "call a function by the name under which it is defined");
      }
      if (object.outer != nullptr && after < 0) {
        const Expr* held = read_attribute(self, object, *it.function, name);
        if (object_of(held) != nullptr || is_known(held)) return call_known(it, held, destination);
      }
      // What every object has.
      if (name.text() == "__init__" && after >= 0) return context_.none(it.ranges);
      refuse(it,
             "the class `" + std::string(object.type.qualified_name.text()) + "` has no method `" +
                 std::string(name.text()) + "`",
             "define it in the class", DiagnosticKind::UnresolvedCall);
    default:
      break;
  }
  refuse(it, "calling `" + print(it.function) + "` is not supported yet",
         "define it as a plain method of the class");
}

// tuple._replace(x=…) and dataclasses.replace(object, x=…): another of the class.
const Expr* Lowering::replaced_tuple(const Call& it, const Expr* self, Object& object) {
  std::vector<std::pair<Symbol, const Expr*>> given;
  for (const Argument& argument : arguments_of(it)) {
    // replace(object, …) of `dataclasses`.
    if (!argument.keyword && given.empty() && subject_of(argument.value) == &object) continue;
    const bool known =
        std::ranges::any_of(facts_of_class(object.type).fields,
                            [&](const auto& field) { return field.name == argument.keyword; });
    if (!known || argument.value == nullptr)
      refuse(it, "`" + print(it.function) + "` gets what is no field",
             "call it with fields of the class", DiagnosticKind::UnresolvedCall);
    given.emplace_back(argument.keyword, argument.value);
  }
  if (object.is_kept) self = settled_reference(self, it.ranges);
  const Expr* made = new_object(object.type, object.path, object.name, it.ranges);
  Object& result = *object_of(made);
  for (const DataclassField& field : facts_of_class(object.type).fields) {
    const auto found = std::ranges::find(given, field.name, &std::pair<Symbol, const Expr*>::first);
    set_attribute(result, field.name,
                  found != given.end() ? found->second
                                       : read_attribute(self, object, *it.function, field.name),
                  at(it));
  }
  if (is_kept(object.type)) return keep_made(result, object.path, {}, it);
  return made;
}

// super() and super(C, self), in a method.
bool Lowering::is_super(const Expr* written) {
  const auto* call = as<Call>(written);
  if (call == nullptr || !is<Name>(call->function)) return false;
  const std::optional<Thing> thing = thing_of(call->function);
  return thing && thing->kind == ThingKind::Library &&
         thing->qualified_name.text() == "builtins.super";
}

const Expr* Lowering::call_super(const Call& it, const Attribute& method, Destination destination) {
  const auto& super = static_cast<const Call&>(*method.value);
  Receiver receiver;
  if (super.arguments.empty()) {
    const Frame* frame = frame_;
    while (frame != nullptr && frame->receiver.self == nullptr) frame = frame->lexical;
    if (frame != nullptr) receiver = frame->receiver;
  } else if (super.arguments.size() == 2) {
    const std::optional<Thing> owner = thing_of(super.arguments[0]);
    if (owner && owner->kind == ThingKind::UserClass) {
      receiver = {.self = expression(super.arguments[1]), .owner = *owner};
    }
  }
  Object* object = receiver.self != nullptr ? subject_of(receiver.self) : nullptr;
  if (object == nullptr || receiver.owner.kind != ThingKind::UserClass) {
    refuse(super, "`" + print(&super) + "` is not supported here", "use it in a method");
  }
  return call_method(it, receiver.self, *object, method.attribute, destination,
                     receiver.owner.handle);
}

// A call that the text does not write as one: `a + b`, `a.length` of a property.
const Expr* Lowering::call_special(const Expr& it, Object& object, const Expr* self,
                                   std::string_view name, std::vector<const Expr*> arguments) {
  const Member& member = member_of(object.type, -1, context_.symbol(name));
  const bool sets = member.form == Member::Form::Property && !arguments.empty();
  if (member.form != Member::Form::Method && member.form != Member::Form::Property) {
    refuse(it,
           "the class `" + std::string(object.type.qualified_name.text()) + "` has no method `" +
               std::string(name) + "`, which `" + print(&it) + "` asks for",
           "define it in the class", DiagnosticKind::UnresolvedCall);
  }
  if (object.is_kept) self = settled_reference(self, it.ranges);
  // The operands are lowered: the call is told of them as arguments that are known.
  const auto* call = context_.make<Call>(it.ranges, &it, Symbol(), Exprs(), List<const Keyword*>());
  Receiver receiver{.self = copy(self, {}), .owner = member.owner};
  receiver.arguments = std::move(arguments);
  const Expr* value = inline_call(*call, callee_of(sets ? member.setter : member.thing, *call),
                                  sets ? Destination::nothing() : Destination(), receiver);
  return value != nullptr ? value : context_.none(it.ranges);
}

// An operator one of whose operands is an object; null if the objects know nothing of it.
const Expr* Lowering::operation(const Node& it, const Expr& written, std::string_view name,
                                std::string_view reflected, const Expr* left, const Expr* right) {
  const auto method = [&](Object* object, std::string_view wanted) -> const Member* {
    if (object == nullptr || wanted.empty()) return nullptr;
    const Member& member = member_of(object->type, -1, context_.symbol(wanted));
    return member.form == Member::Form::Method ? &member : nullptr;
  };
  Object* first = subject_of(left);
  Object* second = right != nullptr ? subject_of(right) : nullptr;
  const Member* own = method(first, name);
  const Member* other = method(second, reflected);
  // A class derived from that of the left operand comes first where it has a method of its own.
  const bool derived = first != nullptr && other != nullptr &&
                       first->type.handle != second->type.handle &&
                       outside_.is_subclass(second->type, first->type);
  const Member* inherited = derived ? method(first, reflected) : nullptr;
  const bool overrides =
      derived && (inherited == nullptr || inherited->thing.handle != other->thing.handle);
  if (own != nullptr && !overrides) {
    return call_special(written, *first, left, name,
                        right != nullptr ? std::vector{right} : std::vector<const Expr*>());
  }
  if (other == nullptr) return nullptr;
  if (!is_simple(left)) left = bind_temporary(left, describe(left), at(it));
  return call_special(written, *second, right, reflected, {left});
}

// The object that a name or a path of attributes stands for, looked up without evaluating anything.
Object* Lowering::named_object(const Expr* written, const Expr** value) {
  if (const auto* name = as<Name>(written)) {
    const Binding* binding = find_binding(name->symbol);
    if (binding == nullptr ||
        (binding->form != Binding::Form::Variable && binding->form != Binding::Form::Value))
      return nullptr;
    *value = binding->form == Binding::Form::Value
                 ? binding->value
                 : context_.local(binding->variable, written->ranges);
    return subject_of(*value);
  }
  const auto* attribute = as<Attribute>(written);
  Object* owner = attribute != nullptr ? named_object(attribute->value, value) : nullptr;
  if (owner != nullptr && owner->is_kept) {
    const Cell* cell = is<Name>(*value) ? find_cell(owner->type, attribute->attribute) : nullptr;
    if (cell == nullptr || cell->form != Cell::Form::Column) return nullptr;
    *value = place_in(*cell, *value, written->ranges);
    return subject_of(*value);
  }
  const Binding* field = owner != nullptr ? owner->find(attribute->attribute) : nullptr;
  if (field == nullptr || field->form != Binding::Form::Variable) return nullptr;
  *value = context_.local(field->variable, written->ranges);
  return subject_of(*value);
}

// len(object), abs(object), isinstance(object, C); null if it is none of these.
const Expr* Lowering::of_builtin(const Call& it, std::string_view builtin) {
  if (!it.keywords.empty() || it.arguments.empty()) return nullptr;
  const Expr* value = nullptr;
  Object* object = named_object(it.arguments[0], &value);
  if (object == nullptr) return nullptr;
  if (builtin == "isinstance" && it.arguments.size() == 2) {
    std::vector<const Expr*> classes{it.arguments[1]};
    if (const auto* several = as<TupleDisplay>(it.arguments[1]))
      classes.assign(several->elements.begin(), several->elements.end());
    bool found = false;
    for (const Expr* written : classes) {
      const std::optional<Thing> type = thing_of(written);
      if (!type || (type->kind != ThingKind::UserClass && type->kind != ThingKind::Library))
        return nullptr;
      found = found || outside_.is_subclass(object->type, *type);
    }
    return context_.boolean(found, it.ranges);
  }
  if (it.arguments.size() != 1) return nullptr;
  for (const auto& [known, special] : kAsking) {
    if (builtin != known) continue;
    if (const auto elements = elements_of_tuple(value); elements && builtin == "len")
      return context_.integer(static_cast<std::int64_t>(elements->size()), it.ranges);
    return call_special(it, *object, copy(value, it.ranges), special, {});
  }
  return nullptr;
}

// `object is None` and `object is not None` are settled; null if it is no such test.
const Expr* Lowering::is_none(const Comparison& it, const Expr* left, const Expr* right) {
  const bool tests = it.ops.size() == 1 && (it.ops[0] == ComparisonOperator::Is ||
                                            it.ops[0] == ComparisonOperator::IsNot);
  const auto* constant = as<Constant>(right);
  if (!tests || constant == nullptr || constant->value.kind != LiteralKind::None) return nullptr;
  // A parameter that is known to be None (Lowering::may_be_replaced).
  const auto* none = as<Constant>(left);
  if (none != nullptr && none->value.kind == LiteralKind::None &&
      (is<Name>(it.left) || is<Attribute>(it.left)))
    return context_.boolean(it.ops[0] == ComparisonOperator::Is, it.ranges);
  if (const auto* value = as<Name>(left);
      value != nullptr && object_of(left) == nullptr && is_reference(left))
    return nullptr;
  if (object_of(left) == nullptr && !is_known(left)) return nullptr;
  return context_.boolean(it.ops[0] == ComparisonOperator::IsNot, it.ranges);
}

}  // namespace tangent::lowering
