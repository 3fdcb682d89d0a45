// Objects of the user's classes that the function makes: their attributes become variables.
//
//     p = Point(x, 2.0)           x2 = x           (the body of __init__)
//     p.y += 1.0                  y = 2.0
//                                 y += 1.0
//
// An object has no value of its own in the core program. The variables and attributes that hold it
// stand for it while the function is lowered; what is left of them in the end is a use of the
// object as a whole, which is refused. A variable that gets a second object keeps the variables of
// the first, so that loops and branches see one set of them; this needs that nobody else holds the
// first. An object whose class never changes its objects is copied where a second name gets it;
// whether a class does is found out by lowering (`check_assumptions`).
#include <algorithm>
#include <cctype>

#include "lower/lowering.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

}  // namespace

Binding* Object::find(Symbol attribute) {
  const auto found = std::ranges::find(fields, attribute, &std::pair<Symbol, Binding>::first);
  return found != fields.end() ? &found->second : nullptr;
}

// The object that a core expression is, if it is one.
Object* Lowering::object_of(const Expr* core) {
  const auto* name = core != nullptr ? as<Name>(core) : nullptr;
  if (name == nullptr || name->scope != Scope::Local) return nullptr;
  const auto found = objects_.find(name->symbol);
  return found != objects_.end() ? found->second : nullptr;
}

const ClassFacts& Lowering::facts_of_class(const Thing& type) {
  const auto [place, added] = class_facts_.try_emplace(type.handle);
  if (added) place->second = outside_.class_facts(type, context_);
  return place->second;
}

const Member& Lowering::member_of(const Thing& type, ThingHandle after, Symbol name) {
  const auto [place, added] = members_.try_emplace({type.handle, after, name.text()});
  if (added) place->second = outside_.member(type, after, name, context_);
  return place->second;
}

// The name of an object that nothing else is yet: one that no text can spell.
const Expr* Lowering::new_object(const Thing& type, const Expr* path, std::string_view name,
                                 Ranges ranges) {
  Object& object = objects_made_.emplace_back();
  object.type = type;
  object.path = path;
  object.name = name;
  object.block = open_block_;
  const Symbol handle = context_.symbol("<" + std::string(type.qualified_name.text()) + " " +
                                        std::to_string(objects_made_.size()) + ">");
  objects_.emplace(handle, &object);
  object_names_.insert(handle);
  return context_.local(handle, ranges);
}

// An object that is there before the function is called, under a global name.
const Expr* Lowering::outer_object(const Thing& thing, const Expr* path) {
  const auto found = outer_objects_.find(thing.handle);
  if (found != outer_objects_.end()) return copy(found->second, path->ranges);
  const Thing type = outside_.class_of(thing, context_);
  if (type.kind != ThingKind::UserClass) return nullptr;
  if (!facts_of_class(type).obstacle.empty()) return nullptr;
  const Expr* made = new_object(type, nullptr, print(path), path->ranges);
  objects_made_.back().outer = path;
  outer_objects_.emplace(thing.handle, made);
  return made;
}

const Expr* Lowering::make_object(const Call& it, const Thing& type, Destination destination) {
  const ClassFacts& facts = facts_of_class(type);
  const std::string called = "`" + print(it.function) + "(…)`";
  if (!facts.obstacle.empty()) {
    refuse(
        it,
        called + " makes an object of a class that " + facts.obstacle + ", which is not supported",
        "use a plain class, or plain arguments and local names");
  }
  const Expr* path = expression(it.function);
  const bool named = destination.form == Destination::Form::Name;
  const std::string name(named ? destination.name.text() : lower_case(type.qualified_name.text()));
  // The names of the columns are for the columns.
  const Expr* self = new_object(type, path, is_kept(type) ? "new_" + name : name, it.ranges);
  Object& object = *object_of(self);
  // What the class holds for all its objects is what an object has until it gets its own.
  for (const Symbol value : facts.values) {
    if (is_kept(type) && !known_.own_values.contains({type.handle, value})) continue;
    set_attribute(object, value, context_.make<Attribute>(it.ranges, copy(path, {}), value),
                  at(it));
  }
  const Member& constructor = member_of(type, -1, context_.symbol("__init__"));
  if (!facts.is_dataclass && constructor.form == Member::Form::Missing) {
    if (it.arguments.empty() && it.keywords.empty())
      return is_kept(type) ? keep_made(object, path, destination, it) : self;
    refuse(it, called + " gets arguments, and the class has no `__init__`",
           "call it as it is defined", DiagnosticKind::UnresolvedCall);
  }
  object.under_construction = true;
  inline_call(it, constructor_of(it, type, facts), Destination::nothing(),
              {.self = self, .owner = constructor.owner});
  object.under_construction = false;
  if (is_kept(type)) return keep_made(object, path, destination, it);
  return self;
}

// The constructor as the class defines it, or as `dataclasses` makes it of the fields.
const Callee& Lowering::constructor_of(const Call& it, const Thing& type, const ClassFacts& facts) {
  const Member& member = member_of(type, -1, context_.symbol("__init__"));
  if (!facts.is_dataclass) {
    if (member.form == Member::Form::Method) return callee_of(member.thing, it);
    refuse(it, "`__init__` of " + quoted(type.qualified_name) + " is no plain method",
           "define it with `def`");
  }
  const Symbol self = context_.symbol("self");
  std::vector<const Parameter*> parameters;
  std::vector<const Parameter*> keyword_only;
  std::vector<const Stmt*> body;
  auto add_parameter = [&](Symbol name, ParameterKind form, const Expr* value) {
    auto& list = form == ParameterKind::KeywordOnly ? keyword_only : parameters;
    list.push_back(
        context_.make<Parameter>(it.ranges, name, form, static_cast<const Expr*>(nullptr), value));
  };
  auto read = [&](Symbol name) { return context_.make<Name>(it.ranges, name, Scope::Unresolved); };
  add_parameter(self, ParameterKind::Positional, nullptr);
  for (const DataclassField& field : facts.fields) {
    const Expr* value = nullptr;
    switch (field.form) {
      case DataclassField::Default::None:
        break;
      case DataclassField::Default::Value:
        if (field.literal) {
          value = context_.make<Constant>(it.ranges, *field.literal);
        } else {
          // The class keeps it under the field's name.
          value = context_.make<Attribute>(it.ranges, it.function, field.name);
        }
        break;
      case DataclassField::Default::EmptyList:
        value = context_.make<ListDisplay>(it.ranges, Exprs());
        break;
      case DataclassField::Default::EmptyDictionary:
        value = context_.make<Dictionary>(it.ranges, Exprs(), Exprs());
        break;
    }
    const Expr* given = value;
    if (field.in_constructor) {
      add_parameter(field.name,
                    field.keyword_only ? ParameterKind::KeywordOnly : ParameterKind::Positional,
                    value);
      given = read(field.name);
    }
    if (given == nullptr) continue;
    body.push_back(context_.assign(context_.make<Attribute>(it.ranges, read(self), field.name),
                                   given, it.ranges));
  }
  const Symbol after = context_.symbol("__post_init__");
  if (member_of(type, -1, after).form != Member::Form::Missing) {
    body.push_back(context_.make<ExpressionStatement>(
        it.ranges,
        context_.make<Call>(it.ranges, context_.make<Attribute>(it.ranges, read(self), after),
                            Symbol(), Exprs(), List<const Keyword*>())));
  }
  parameters.insert(parameters.end(), keyword_only.begin(), keyword_only.end());
  Callee& callee = callees_.emplace_back();
  callee.name = type.qualified_name;
  callee.parameters = context_.list(parameters);
  callee.body = context_.list(body);
  callee.identity = context_.make<Pass>(it.ranges);
  callee.function = frame_->function;
  callee.defaults_are_fresh = true;
  return callee;
}

// ---------------------------------------------------------------------------------------------------
// What holds an object

void Lowering::bind_object(Symbol target, const Expr* value, Ranges ranges) {
  Object* source = object_of(value);
  object_names_.insert(target);
  Object* held = nullptr;
  if (const auto now = objects_.find(target); now != objects_.end()) {
    held = now->second;
  } else if (const auto before = retired_objects_.find(target);
             before != retired_objects_.end() && before->second->names == 0) {
    held = before->second;
    objects_[target] = held;
    ++held->names;
    born_.push_back({nullptr, target, held});
  }
  if (held == source) return;
  auto wrong = [&](const std::string& what) {
    throw Diagnostic(DiagnosticKind::WriteInPlace, what, ranges.empty() ? value->ranges : ranges,
                     "keep each object under one name, or use plain local names");
  };
  if (held != nullptr && held->is_argument && held->steps.empty() &&
      facts_of_class(held->type).is_dataclass && known_.rebound.insert(held->parameter).second)
    throw LowerAgain();
  const bool from_outside = source->outer != nullptr;
  const bool copies = source->names > 0 && !known_.changing.contains(source->type.handle) &&
                      (!from_outside || (source->is_argument && held != nullptr &&
                                         facts_of_class(source->type).is_dataclass));
  if (held == nullptr && !copies) {
    objects_[target] = source;
    ++source->names;
    born_.push_back({nullptr, target, source});
    return;
  }
  if (held == nullptr) {
    const Expr* made = new_object(source->type, source->path, target.text(), value->ranges);
    held = object_of(made);
    held->names = 1;
    objects_[target] = held;
    born_.push_back({nullptr, target, held});
  } else {
    if (held->outer != nullptr || (from_outside && !copies))
      wrong("an object from outside the function is replaced by another, or replaces one");
    if (held->type.handle != source->type.handle)
      wrong("a variable that holds an object of " + quoted(held->type.qualified_name) +
            " gets one of " + quoted(source->type.qualified_name));
    if (held->names > 1) wrong("an object that has two names is replaced under one of them");
    if (source->names > 0 && !copies)
      wrong("a variable that holds an object gets another that has a name");
    held->rebound = true;
  }
  if (source->names > 0) copied_.insert(source->type.handle);
  if (from_outside) {
    for (const DataclassField& field : facts_of_class(source->type).fields)
      set_attribute(*held, field.name, read_attribute(value, *source, *value, field.name), ranges);
    return;
  }
  for (const auto& [attribute, binding] : held->fields) {
    if (source->find(attribute) == nullptr)
      wrong("objects with different attributes are put in one place: " + quoted(attribute));
  }
  const auto fields = source->fields;
  for (const auto& [attribute, binding] : fields) {
    switch (binding.form) {
      case Binding::Form::Variable:
        set_attribute(*held, attribute, variable_value(binding.variable, *value), ranges);
        break;
      case Binding::Form::Value:
        set_attribute(*held, attribute, copy(binding.value, {}), ranges);
        break;
      default:
        wrong("an object that holds a function is copied");
    }
  }
}

// A name for an attribute: its own if that is free.
Symbol Lowering::attribute_variable(Object& object, Symbol attribute) {
  const auto known =
      std::ranges::find(object.retired, attribute, &std::pair<Symbol, Symbol>::first);
  if (known != object.retired.end()) return known->second;
  const bool plain = !names_.is_taken(attribute) && !attribute.text().starts_with("__");
  const Symbol variable = names_.fresh(plain ? std::string(attribute.text())
                                             : object.name + "_" + std::string(attribute.text()));
  attribute_variables_.insert(variable);
  return variable;
}

void Lowering::set_attribute(Object& object, Symbol attribute, const Expr* value, Ranges ranges) {
  Binding* known = object.find(attribute);
  if (known != nullptr && known->form == Binding::Form::Value && object_of(value) != nullptr &&
      known->value->kind == Kind::Constant &&
      known_.first_none.insert({object.type.handle, attribute}).second)
    throw LowerAgain();
  const std::string place = "`" + object.name + "." + std::string(attribute.text()) + "`";
  auto wrong = [&](const std::string& what) {
    throw Diagnostic(DiagnosticKind::WriteInPlace, place + what,
                     ranges.empty() ? value->ranges : ranges, "use a plain local name");
  };
  const auto bear = [&](Binding binding) {
    object.fields.emplace_back(attribute, binding);
    born_.push_back({&object, attribute, nullptr});
  };
  if (object_of(value) != nullptr) {
    if (known == nullptr) {
      const Symbol variable = attribute_variable(object, attribute);
      bear({.form = Binding::Form::Variable, .variable = variable});
      return bind_object(variable, value, ranges);
    }
    if (known->form != Binding::Form::Variable || !objects_.contains(known->variable))
      wrong(" holds a plain value, and gets an object");
    return bind_object(known->variable, value, ranges);
  }
  const std::optional<Thing> thing = thing_of_core(value);
  if (thing && thing->kind != ThingKind::Value && thing->kind != ThingKind::Missing) {
    if (known == nullptr) return bear({.form = Binding::Form::Value, .value = value});
    const std::optional<Thing> before =
        known->form == Binding::Form::Value ? thing_of_core(known->value) : std::nullopt;
    if (!before || before->handle != thing->handle) wrong(" gets another function or module");
    return;
  }
  const auto is_nothing = [](const Expr* core) {
    const auto* constant = as<Constant>(core);
    return constant != nullptr && constant->value.kind == LiteralKind::None;
  };
  const std::pair<ThingHandle, Symbol> place_of_none{object.type.handle, attribute};
  if (known == nullptr && is_nothing(value) && object.block == open_block_ &&
      !is_kept(object.type) && !known_.first_none.contains(place_of_none))
    return bear({.form = Binding::Form::Value, .value = value});
  if (known != nullptr && known->form == Binding::Form::Value && is_nothing(known->value)) {
    if (is_nothing(value)) return;
    known_.first_none.insert(place_of_none);
    throw LowerAgain();
  }
  if (known == nullptr) {
    const Symbol variable = attribute_variable(object, attribute);
    emit_assign(variable, value, ranges);
    return bear({.form = Binding::Form::Variable, .variable = variable});
  }
  if (known->form != Binding::Form::Variable || objects_.contains(known->variable))
    wrong(" holds an object or a function, and gets a plain value");
  emit_assign(known->variable, value, ranges);
}

const Expr* Lowering::read_attribute(const Expr* value, Object& object, const Expr& it,
                                     Symbol attribute) {
  if (object.is_kept) return read_cell(value, object.type, it, attribute);
  if (const Binding* known = object.find(attribute)) {
    if (known->form == Binding::Form::Variable) return variable_value(known->variable, it);
    if (known->form == Binding::Form::Value) return copy(known->value, it.ranges);
    refuse(it, "`" + print(&it) + "` is a function that is used as a value", "call it");
  }
  const Member& member = member_of(object.type, -1, attribute);
  switch (member.form) {
    case Member::Form::Property:
      return call_special(it, object, value, attribute.text(), {});
    case Member::Form::Value:
      if (object.outer != nullptr) break;
      if (object.path != nullptr)
        return context_.make<Attribute>(it.ranges, copy(object.path, {}), attribute);
      break;
    case Member::Form::Missing:
      break;
    default:
      refuse(it, "`" + print(&it) + "` is a method that is used as a value", "call it");
  }
  const bool may_be_set =
      std::ranges::find(object.retired, attribute, &std::pair<Symbol, Symbol>::first) !=
      object.retired.end();
  if (object.is_argument && !may_be_set) return part_of_argument(object, attribute, it.ranges);
  if (object.outer != nullptr && !may_be_set) {
    const Expr* path =
        context_.make<Attribute>(it.ranges, copy(object.outer, it.ranges), attribute);
    // A function or an object that it holds.
    const std::optional<Thing> owner = thing_of_core(object.outer);
    if (!owner || owner->kind != ThingKind::Value) return path;
    const Thing held = outside_.plain_field(*owner, attribute, context_);
    if (held.kind == ThingKind::Library || held.kind == ThingKind::Module)
      return known_global(held, attribute.text(), it.ranges);
    if (held.kind != ThingKind::Missing && held.kind != ThingKind::Value &&
        held.kind != ThingKind::BoundMethod)
      held_outside_.emplace(print(path), held);
    if (const Expr* known = value_of_outside(held, attribute.text(), it.ranges)) return known;
    return path;
  }
  refuse(it,
         "`" + print(&it) + "` is not known to be set on every path to here: the attribute " +
             quoted(attribute) + " is set later, or in a branch or loop only",
         "set it in `__init__`");
}

std::optional<Symbol> Lowering::plain_attribute(const Expr* target) {
  const auto* attribute = as<Attribute>(target);
  const auto* name = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  const Binding* binding = name != nullptr ? find_binding(name->symbol) : nullptr;
  if (binding == nullptr || binding->form == Binding::Form::OutOfReach ||
      binding->form == Binding::Form::Function)
    return std::nullopt;
  Object* object = object_of(this->name(*name));
  return object != nullptr ? plain_attribute(*object, attribute->attribute) : std::nullopt;
}

// The same of an object of the function; the attribute is about to be set.
std::optional<Symbol> Lowering::plain_attribute(Object& object, Symbol attribute) {
  const Binding* field = object.outer == nullptr ? object.find(attribute) : nullptr;
  if (field == nullptr || field->form != Binding::Form::Variable ||
      objects_.contains(field->variable))
    return std::nullopt;
  if (!object.under_construction) {
    if (facts_of_class(object.type).is_tuple) return std::nullopt;
    changed_.insert(object.type.handle);
  }
  return field->variable;
}

// The elements of a namedtuple; nothing of another object.
std::optional<std::vector<const Expr*>> Lowering::elements_of_tuple(const Expr* value) {
  Object* object = subject_of(value);
  if (object == nullptr || object->outer != nullptr) return std::nullopt;
  const ClassFacts& facts = facts_of_class(object->type);
  if (!facts.is_tuple) return std::nullopt;
  if (object->is_kept) value = settled_reference(value, value->ranges);
  std::vector<const Expr*> elements;
  for (const DataclassField& field : facts.fields)
    elements.push_back(read_attribute(value, *object, *value, field.name));
  return elements;
}

void Lowering::refuse_attribute(const Attribute& target) {
  refuse(target, "writing the attribute `" + print(&target) + "` is not supported yet",
         "use a local name, and return it", DiagnosticKind::WriteInPlace);
}

void Lowering::assign_attribute(const Attribute& target, const Expr* value, Ranges ranges) {
  const std::size_t mark = out_->size();
  const Expr* owner = expression(target.value);
  if (out_->size() > mark) protect({&value, 1}, mark);
  set_attribute_of(target, owner, value, ranges);
}

// owner.attribute = value, where the owner is lowered.
void Lowering::set_attribute_of(const Attribute& target, const Expr* owner, const Expr* value,
                                Ranges ranges) {
  Object* object = subject_of(owner);
  if (object == nullptr || (object->outer != nullptr && !object->is_argument))
    refuse_attribute(target);
  const Member& member = member_of(object->type, -1, target.attribute);
  if (member.form == Member::Form::Property) {
    if (member.setter.kind != ThingKind::UserFunction)
      refuse(target, "the property " + quoted(target.attribute) + " has no setter", "define one");
    call_special(target, *object, owner, target.attribute.text(), {value});
    return;
  }
  if (!object->under_construction) {
    if (facts_of_class(object->type).is_tuple)
      refuse(target, "an attribute of a tuple cannot be set", "make a new one (`_replace`)");
    changed_.insert(object->type.handle);
  }
  if (object->is_kept) return set_cell(target, owner, object->type, value, ranges);
  if (object->is_argument) return set_in_argument(target, *object, value, ranges);
  set_attribute(*object, target.attribute, value, ranges);
}

// ---------------------------------------------------------------------------------------------------
// Branches and loops

Lowering::Born Lowering::retire(std::size_t mark) {
  Born ended(born_.begin() + static_cast<std::ptrdiff_t>(mark), born_.end());
  born_.resize(mark);
  for (const auto& [object, symbol, held] : ended) {
    if (object == nullptr) {
      const auto found = objects_.find(symbol);
      if (found == objects_.end()) continue;
      --found->second->names;
      retired_objects_[symbol] = found->second;
      objects_.erase(found);
      continue;
    }
    const auto found =
        std::ranges::find(object->fields, symbol, &std::pair<Symbol, Binding>::first);
    if (found == object->fields.end()) continue;
    const bool known =
        std::ranges::find(object->retired, symbol, &std::pair<Symbol, Symbol>::first) !=
        object->retired.end();
    if (found->second.form == Binding::Form::Variable && !known)
      object->retired.emplace_back(symbol, found->second.variable);
    object->fields.erase(found);
  }
  return ended;
}

// What both arms of an `if` bound is known after it.
void Lowering::revive(const Born& first, const Born& second) {
  for (const auto& entry : first) {
    if (std::ranges::find(second, entry) == second.end()) continue;
    const auto& [object, symbol, held] = entry;
    if (object == nullptr) {
      if (objects_.contains(symbol)) continue;
      objects_[symbol] = held;
      ++held->names;
    } else {
      const auto variable =
          std::ranges::find(object->retired, symbol, &std::pair<Symbol, Symbol>::first);
      if (variable == object->retired.end() || object->find(symbol) != nullptr) continue;
      object->fields.emplace_back(
          symbol, Binding{.form = Binding::Form::Variable, .variable = variable->second});
    }
    born_.push_back(entry);
  }
}

// An object has no value: where its name is left it would be passed, returned or stored.
void Lowering::refuse_objects_left(const CoreFunction& core) {
  std::unordered_set<Symbol> taken_apart;
  for (const std::size_t parameter : known_.rebound)
    taken_apart.insert(core.parameters[parameter]->name);
  for (const Stmt* statement : core.body) {
    std::vector<const Node*> open{statement};
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (const auto* attribute = as<Attribute>(node)) {
        // A field of an argument that is taken apart where the function begins.
        const auto* whole = as<Name>(attribute->value);
        if (whole != nullptr && taken_apart.contains(whole->symbol)) continue;
      }
      for_each_child(*node, [&](const Node* child) { open.push_back(child); });
      const auto* name = as<Name>(node);
      if (name == nullptr || name->scope != Scope::Local || !object_names_.contains(name->symbol))
        continue;
      for (const auto* held : {&objects_, &retired_objects_}) {
        const auto found = held->find(name->symbol);
        if (found != held->end() && found->second->outer == nullptr) keep(found->second->type);
      }
      throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                       "an object that the function makes is used as a whole here, which is not "
                       "supported yet",
                       name->ranges.empty() ? statement->ranges : name->ranges,
                       "pass or return its attributes");
    }
  }
}

}  // namespace tangent::lowering
