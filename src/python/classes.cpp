// What `Outside` tells about classes: their members, and whether their objects are plain.
//
// In: live classes. Out: members as questions that a guard can ask again (runtime/guard.h). No code
// of the user runs: members are looked up in the dictionaries of the class and its bases.
#include <algorithm>
#include <string>

#include "lower/argument_steps.h"
#include "python/entries.h"
#include "python/outside.h"
#include "python/structure.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

PyTypeObject* as_type(nb::handle object) { return reinterpret_cast<PyTypeObject*>(object.ptr()); }

std::string text_of(nb::handle object, const char* attribute) {
  const nb::object found = nb::getattr(object, attribute, nb::none());
  return PyUnicode_Check(found.ptr()) != 0 ? std::string(view(found)) : std::string();
}

bool is_user_function(PyObject* object) {
  if (object == nullptr || PyFunction_Check(object) == 0) return false;
  const std::string module = text_of(object, "__module__");
  return !RuleBook::is_library(std::string_view(module).substr(0, module.find('.')));
}

// The class in the order of resolution, behind `after` if that is given, that holds a name.
PyObject* holder_of(PyTypeObject* type, PyObject* after, PyObject* name, PyObject** found) {
  PyObject* order = type->tp_mro;
  bool reached = after == nullptr;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(order); ++k) {
    PyObject* base = PyTuple_GET_ITEM(order, k);
    if (!reached) {
      reached = base == after;
      continue;
    }
    const nb::object dictionary = nb::getattr(base, "__dict__");
    PyObject* held = PyObject_GetItem(dictionary.ptr(), name);
    if (held != nullptr) {
      Py_DECREF(held);  // the class keeps it
      *found = held;
      return base;
    }
    PyErr_Clear();
  }
  return nullptr;
}

std::size_t place_in_order(PyTypeObject* type, PyObject* base) {
  Py_ssize_t place = 0;
  while (PyTuple_GET_ITEM(type->tp_mro, place) != base) ++place;
  return static_cast<std::size_t>(place);
}

// What keeps an object of this class from being what its methods make of it.
std::string obstacle_of(PyTypeObject* type, bool frozen, bool is_tuple) {
  const std::string meta = Py_TYPE(type)->tp_name;
  if (Py_TYPE(type) != &PyType_Type && meta != "ABCMeta" && meta != "abc.ABCMeta" &&
      meta != "_ProtocolMeta")
    return "has a metaclass";
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(type->tp_mro); ++k) {
    const auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, k));
    if (base == &PyBaseObject_Type || (is_tuple && base == &PyTuple_Type)) continue;
    const nb::handle handle(PyTuple_GET_ITEM(type->tp_mro, k));
    const std::string module = text_of(handle, "__module__");
    const bool library = RuleBook::is_library(std::string_view(module).substr(0, module.find('.')));
    if ((base->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 || library)
      return "derives from `" + text_of(handle, "__name__") + "`";
  }
  if (type->tp_getattro != PyObject_GenericGetAttr)
    return "defines `__getattr__` or `__getattribute__`";
  if (type->tp_setattro != PyObject_GenericSetAttr && !frozen) return "defines `__setattr__`";
  if (type->tp_new != PyBaseObject_Type.tp_new && !is_tuple) return "defines `__new__`";
  if (held_by_class(reinterpret_cast<PyObject*>(type), interned("__del__").ptr()) != nullptr)
    return "defines `__del__`";
  return {};
}

// A class that `collections.namedtuple` or `typing.NamedTuple` made, or one derived from it that
// leaves the making of its objects alone.
bool is_namedtuple(PyTypeObject* type) {
  if (PyType_IsSubtype(type, &PyTuple_Type) == 0) return false;
  PyObject* made = held_by_class(reinterpret_cast<PyObject*>(type), interned("__new__").ptr());
  if (made == nullptr || !Py_IS_TYPE(made, &PyStaticMethod_Type)) return false;
  const nb::object function = nb::getattr(nb::handle(made), "__func__");
  return text_of(function, "__module__").starts_with("namedtuple_");
}

// The plain values in the dictionaries of a class and its bases, names of Python's own left out.
std::vector<Symbol> values_of(PyTypeObject* type, Context& context) {
  std::vector<Symbol> values;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(type->tp_mro); ++k) {
    const nb::handle base(PyTuple_GET_ITEM(type->tp_mro, k));
    if ((as_type(base)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) continue;
    const nb::object dictionary = nb::getattr(base, "__dict__");
    for (const nb::handle name : nb::iter(dictionary)) {
      const std::string_view text = view(name);
      const bool special = text.starts_with("__") && text.ends_with("__");
      PyObject* held = held_by_class(reinterpret_cast<PyObject*>(type), name.ptr());
      if (special || text == "_abc_impl" || text == "_is_protocol" || held == nullptr ||
          Py_TYPE(held)->tp_descr_get != nullptr || PyType_Check(held) != 0)
        continue;
      const Symbol symbol = context.symbol(text);
      if (std::find(values.begin(), values.end(), symbol) == values.end()) values.push_back(symbol);
    }
  }
  return values;
}

}  // namespace

PyObject* held_by_class(PyObject* type, PyObject* name) {
  return _PyType_Lookup(reinterpret_cast<PyTypeObject*>(type), name);
}

// What a path of attributes of an argument leads to; null where an object on the way is no plain
// one.
nb::object LiveOutside::part_of_argument(std::size_t parameter,
                                         std::span<const Symbol> path) const {
  if (arguments_ == nullptr || parameter >= arguments_->size()) return {};
  nb::object value = nb::borrow((*arguments_)[parameter]);
  for (const Symbol step : path) {
    if (!value.is_valid()) return {};
    if (step.text().starts_with('[')) {
      const FieldStep entry = step_of(step);
      value =
          entry_now(value, entry.form == FieldStep::Form::Key ? "s" + entry.text
                                                              : "i" + std::to_string(entry.index));
      continue;
    }
    if (!is_plain_object(value.ptr())) return {};
    value = plain_attribute(value.ptr(), interned(step.text()).ptr());
  }
  return value;
}

Thing LiveOutside::argument_class(std::size_t parameter, std::span<const Symbol> path,
                                  Context& context) {
  const nb::object value = part_of_argument(parameter, path);
  if (!value.is_valid()) return {};
  const Thing nothing{.kind = ThingKind::Value};
  if (!is_plain_object(value.ptr()) || Py_TYPE(value.ptr())->tp_getattro != PyObject_GenericGetAttr)
    return nothing;
  const Thing type = thing_of(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), {}, context);
  reached(type.handle, {.form = Reach::Form::ArgumentClass,
                        .name = {},
                        .position = parameter,
                        .path = {path.begin(), path.end()}});
  return type.kind == ThingKind::UserClass ? type : nothing;
}

Thing LiveOutside::argument_thing(std::size_t parameter, std::span<const Symbol> path,
                                  Context& context) {
  const nb::object value = part_of_argument(parameter, path);
  if (!value.is_valid() || is_plain_value(value) || PyMethod_Check(value.ptr()) != 0) return {};
  return thing_of(value, {}, context);
}

std::optional<std::int64_t> LiveOutside::argument_length(std::size_t parameter,
                                                         std::span<const Symbol> path) {
  if (arguments_ == nullptr) missed_arguments_ = true;
  const nb::object value = part_of_argument(parameter, path);
  if (!value.is_valid()) return std::nullopt;
  return length_of(value.ptr());
}

std::optional<std::vector<Symbol>> LiveOutside::argument_keys(std::size_t parameter,
                                                              std::span<const Symbol> path,
                                                              Context& context) {
  if (arguments_ == nullptr) missed_arguments_ = true;
  const nb::object value = part_of_argument(parameter, path);
  // Larger ones do not go by their parts (structure.cpp).
  if (!value.is_valid() || PyDict_CheckExact(value.ptr()) == 0 || PyDict_GET_SIZE(value.ptr()) > 64)
    return std::nullopt;
  std::vector<Symbol> keys;
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* entry = nullptr;
  while (PyDict_Next(value.ptr(), &position, &key, &entry) != 0) {
    if (PyUnicode_CheckExact(key) == 0) return std::nullopt;
    keys.push_back(context.symbol(view(nb::handle(key))));
  }
  return keys;
}

Thing LiveOutside::default_value(const Thing& function, Symbol parameter, Context& context) {
  PyObject* callee = object(function.handle).ptr();
  if (PyMethod_Check(callee) != 0) callee = PyMethod_GET_FUNCTION(callee);
  if (PyFunction_Check(callee) == 0) return {};
  const nb::object name = interned(parameter.text());
  PyObject* by_name = PyFunction_GET_KW_DEFAULTS(callee);
  if (by_name != nullptr) {
    if (PyObject* found = PyDict_GetItemWithError(by_name, name.ptr()))
      return thing_of(found, {}, context);
  }
  PyObject* defaults = PyFunction_GET_DEFAULTS(callee);
  if (defaults == nullptr) return {};
  const nb::object code = nb::borrow(PyFunction_GET_CODE(callee));
  const auto count = nb::cast<Py_ssize_t>(code.attr("co_argcount"));
  const nb::object names = code.attr("co_varnames");
  const Py_ssize_t first = count - PyTuple_GET_SIZE(defaults);
  for (Py_ssize_t k = std::max<Py_ssize_t>(first, 0); k < count; ++k) {
    if (PyUnicode_Compare(PyTuple_GET_ITEM(names.ptr(), k), name.ptr()) == 0)
      return thing_of(PyTuple_GET_ITEM(defaults, k - first), {}, context);
  }
  return {};
}

Thing LiveOutside::module(std::string_view name, Context& context) {
  PyObject* found = PyImport_ImportModule(std::string(name).c_str());
  if (found == nullptr) {
    PyErr_Clear();  // the primal raises it where it imports
    return {};
  }
  return thing_of(nb::steal(found), {}, context);
}

Thing LiveOutside::class_of(const Thing& thing, Context& context) {
  if (thing.kind != ThingKind::Value) return {};
  PyObject* value = object(thing.handle).ptr();
  if (!is_plain_object(value)) return {};
  // Another object under this name may be of another class.
  held_[static_cast<std::size_t>(thing.handle)].literal_asked = true;
  const Thing type = thing_of(reinterpret_cast<PyObject*>(Py_TYPE(value)), {}, context);
  reached(type.handle,
          {.form = Reach::Form::ClassOf, .from = thing.handle, .name = {}, .path = {}});
  return type.kind == ThingKind::UserClass ? type : Thing();
}

Thing LiveOutside::plain_field(const Thing& thing, Symbol name, Context& context) {
  const nb::handle owner = object(thing.handle);
  if (!is_plain_object(owner.ptr()) || Py_TYPE(owner.ptr())->tp_getattro != PyObject_GenericGetAttr)
    return {};
  const nb::object found = plain_attribute(owner.ptr(), interned(name.text()).ptr());
  if (!found.is_valid()) return {};
  const Thing field = thing_of(found, {}, context);
  record(thing.handle, name, true, field.handle);
  return field;
}

ClassFacts LiveOutside::class_facts(const Thing& type, Context& context) {
  ClassFacts facts;
  const nb::handle cls = object(type.handle);
  PyObject* constructor = nullptr;
  PyObject* holder = holder_of(as_type(cls), nullptr, interned("__init__").ptr(), &constructor);
  const nb::handle owner(holder);
  const nb::object own = nb::getattr(owner, "__dict__");
  const nb::object name = interned("__dataclass_params__");
  bool frozen = false;
  if (PyMapping_HasKey(own.ptr(), name.ptr()) != 0) {
    const nb::object parameters = own[name];
    frozen = nb::cast<bool>(parameters.attr("frozen"));
    facts.is_dataclass = nb::cast<bool>(parameters.attr("init"));
  }
  facts.is_tuple = is_namedtuple(as_type(cls));
  facts.obstacle = obstacle_of(as_type(cls), frozen, facts.is_tuple);
  if (!facts.obstacle.empty()) return facts;
  if (facts.is_tuple) {
    facts.is_dataclass = true;
    const nb::object defaults = cls.attr("_field_defaults");
    for (const nb::handle name : nb::iter(cls.attr("_fields"))) {
      DataclassField field{.name = context.symbol(view(name)), .literal = {}};
      if (PyObject* value = PyDict_GetItem(defaults.ptr(), name.ptr())) {
        field.form = DataclassField::Default::Value;
        field.literal = literal_of(thing_of(nb::handle(value), {}, context), context.arena());
        if (!field.literal) facts.obstacle = "has a default that is no number or text";
      }
      facts.fields.push_back(field);
    }
    return facts;
  }
  facts.values = values_of(as_type(cls), context);
  if (!facts.is_dataclass) return facts;
  const nb::object module = nb::module_::import_("dataclasses");
  const nb::object missing = module.attr("MISSING");
  const nb::object declared = nb::getattr(owner, "__dataclass_fields__").attr("values")();
  for (const nb::handle field : nb::iter(declared)) {
    DataclassField found;
    found.name = context.symbol(view(field.attr("name")));
    const nb::object kind = field.attr("_field_type");
    const nb::object described = nb::steal(PyObject_Str(kind.ptr()));
    if (!described.is_valid()) throw nb::python_error();
    const std::string_view form = view(described);
    if (form == "_FIELD_CLASSVAR") continue;
    if (form != "_FIELD") {
      facts.obstacle = "has a field of the form InitVar";
      return facts;
    }
    found.keyword_only = nb::cast<bool>(field.attr("kw_only"));
    found.in_constructor = nb::cast<bool>(field.attr("init"));
    const nb::object value = field.attr("default");
    const nb::object factory = field.attr("default_factory");
    if (!value.is(missing)) {
      found.form = DataclassField::Default::Value;
      found.literal = literal_of(thing_of(value, {}, context), context.arena());
    } else if (factory.is(nb::handle(reinterpret_cast<PyObject*>(&PyList_Type)))) {
      found.form = DataclassField::Default::EmptyList;
    } else if (factory.is(nb::handle(reinterpret_cast<PyObject*>(&PyDict_Type)))) {
      found.form = DataclassField::Default::EmptyDictionary;
    } else if (!factory.is(missing)) {
      facts.obstacle = "makes the field `" + std::string(found.name.text()) + "` by a function";
      return facts;
    }
    facts.fields.push_back(found);
  }
  // The defaults of fields stand in the class, too.
  std::erase_if(facts.values, [&](Symbol value) {
    return std::ranges::any_of(facts.fields, [&](const auto& it) { return it.name == value; });
  });
  return facts;
}

Member LiveOutside::member(const Thing& type, ThingHandle after, Symbol name, Context& context) {
  Member member;
  const nb::object text = interned(name.text());
  PyObject* raw = nullptr;
  PyObject* behind = after >= 0 ? object(after).ptr() : nullptr;
  PyObject* holder = holder_of(as_type(object(type.handle)), behind, text.ptr(), &raw);
  const ThingHandle asked =
      after >= 0 && holder != nullptr ? handle_of(nb::handle(holder)) : type.handle;
  if (holder == nullptr || holder == reinterpret_cast<PyObject*>(&PyBaseObject_Type)) {
    if (holder == nullptr) record(asked, name, true, -1, true);
    return member;
  }
  member.owner = thing_of(nb::handle(holder), {}, context);
  reached(member.owner.handle, {.form = Reach::Form::Base,
                                .from = type.handle,
                                .name = {},
                                .position = place_in_order(as_type(object(type.handle)), holder),
                                .path = {}});
  const ThingHandle found = handle_of(nb::handle(raw));
  record(asked, name, true, found, true);
  auto function = [&](const char* attribute) {
    const nb::object inner = nb::getattr(nb::handle(raw), attribute, nb::none());
    if (!is_user_function(inner.ptr())) return Thing();
    const Thing thing = thing_of(inner, {}, context);
    reached(thing.handle,
            {.form = Reach::Form::Inner, .from = found, .name = attribute, .path = {}});
    return thing;
  };
  if (PyFunction_Check(raw) != 0) {
    member.form = is_user_function(raw) ? Member::Form::Method : Member::Form::Other;
    member.thing = thing_of(nb::handle(raw), {}, context);
  } else if (Py_IS_TYPE(raw, &PyClassMethod_Type)) {
    member.form = Member::Form::ClassMethod;
    member.thing = function("__func__");
  } else if (Py_IS_TYPE(raw, &PyStaticMethod_Type)) {
    member.form = Member::Form::StaticMethod;
    member.thing = function("__func__");
  } else if (Py_IS_TYPE(raw, &PyProperty_Type)) {
    member.form = Member::Form::Property;
    member.thing = function("fget");
    member.setter = function("fset");
  } else if (Py_IS_TYPE(raw, &PyMemberDescr_Type) ||
             std::string_view(Py_TYPE(raw)->tp_name) == "_collections._tuplegetter") {
    return {};  // a slot, a field of a namedtuple: an attribute of the object
  } else {
    member.form = Py_TYPE(raw)->tp_descr_get == nullptr ? Member::Form::Value : Member::Form::Other;
    member.thing = thing_of(nb::handle(raw), {}, context);
    if (member.form == Member::Form::Value) return member;
  }
  if (member.form != Member::Form::Other && member.thing.kind != ThingKind::UserFunction)
    member.form = Member::Form::Other;
  held_[static_cast<std::size_t>(found)].literal_asked = true;
  return member;
}

bool LiveOutside::is_subclass(const Thing& type, const Thing& base) {
  PyObject* of = object(base.handle).ptr();
  return PyType_Check(of) != 0 && PyType_IsSubtype(as_type(object(type.handle)), as_type(of)) != 0;
}

}  // namespace tangent::python
