#include "python/entries.h"

#include <charconv>

#include "capture/outside.h"
#include "python/outside.h"
#include "python/structure.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

constexpr Py_ssize_t kMostHeld = 64;
constexpr int kDeepestHeld = 4;  // a container that holds itself ends here

bool is_sequence(PyObject* value) {
  return PyList_CheckExact(value) != 0 || PyTuple_CheckExact(value) != 0;
}

std::optional<long long> small_integer(PyObject* value) {
  if (PyLong_CheckExact(value) == 0) return std::nullopt;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return std::nullopt;
  return number;
}

bool is_function_like(nb::handle value) {
  return !is_plain_value(value) ||
         std::string_view(Py_TYPE(value.ptr())->tp_name) == "functools.partial" ||
         std::string_view(Py_TYPE(value.ptr())->tp_name) == "functools._lru_cache_wrapper" ||
         (is_plain_object(value.ptr()) && PyCallable_Check(value.ptr()) != 0);
}

}  // namespace

std::string entry_word(PyObject* key) {
  if (PyUnicode_CheckExact(key) != 0) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(key, &size);
    if (text == nullptr) {
      PyErr_Clear();
      return {};
    }
    return "s" + std::string(text, static_cast<std::size_t>(size));
  }
  const auto number = small_integer(key);
  return number ? "i" + std::to_string(*number) : std::string();
}

nb::object entry_now(nb::handle container, std::string_view word) {
  PyObject* held = container.ptr();
  if (word == kKeys) {
    if (PyDict_CheckExact(held) != 0) {
      const nb::object keys = nb::steal(PyDict_Keys(held));
      if (!keys.is_valid()) throw nb::python_error();
      return nb::steal(PyList_AsTuple(keys.ptr()));
    }
    if (!is_sequence(held)) return {};
    return nb::steal(PyLong_FromSsize_t(PySequence_Fast_GET_SIZE(held)));
  }
  const std::string_view rest = word.substr(1);
  long long number = 0;
  if (word[0] == 'i') std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (PyDict_CheckExact(held) != 0) {
    const nb::object key = word[0] == 's' ? to_str(rest) : nb::steal(PyLong_FromLongLong(number));
    PyObject* found = PyDict_GetItemWithError(held, key.ptr());
    if (found == nullptr) PyErr_Clear();
    return nb::borrow(found);
  }
  if (!is_sequence(held) || word[0] != 'i' || number < 0 ||
      number >= PySequence_Fast_GET_SIZE(held))
    return {};
  return nb::borrow(PySequence_Fast_ITEMS(held)[number]);
}

bool holds_functions(nb::handle container, int depth) {
  PyObject* held = container.ptr();
  if (depth == kDeepestHeld) return false;
  const auto holds = [&](nb::handle value) {
    return is_function_like(value) || holds_functions(value, depth + 1);
  };
  if (PyDict_CheckExact(held) != 0) {
    if (PyDict_GET_SIZE(held) > kMostHeld) return false;
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    bool found = false;
    while (PyDict_Next(held, &position, &key, &value) != 0) {
      if (entry_word(key).empty()) return false;
      found = found || holds(value);
    }
    return found;
  }
  if (!is_sequence(held) || PySequence_Fast_GET_SIZE(held) > kMostHeld) return false;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(held); ++k) {
    if (holds(PySequence_Fast_ITEMS(held)[k])) return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------
// Questions

namespace {

Entry::Form form_of(nb::handle container) {
  if (PyDict_CheckExact(container.ptr()) != 0) return Entry::Form::Dict;
  return PyList_CheckExact(container.ptr()) != 0 ? Entry::Form::List : Entry::Form::Tuple;
}

Literal literal_key(PyObject* key, Context& context) {
  if (const auto number = small_integer(key))
    return {.kind = LiteralKind::Integer, .integer = *number};
  return {.kind = LiteralKind::String, .text = context.arena().copy_text(view(nb::handle(key)))};
}

}  // namespace

Thing LiveOutside::entry(ThingHandle container, std::string_view word, Context& context) {
  const nb::object found = entry_now(object(container), word);
  if (!found.is_valid()) return {};
  const Thing thing = thing_of(found, {}, context);
  // Another entry is another program: the very object counts.
  const ThingHandle handle = handle_of(found);
  held_[static_cast<std::size_t>(handle)].literal_asked = true;
  record_entry(container, context.symbol(word), handle);
  return thing;
}

void LiveOutside::record_entry(ThingHandle container, Symbol word, ThingHandle found) {
  std::vector<std::size_t>& asked = questions_by_name_[word];
  for (const std::size_t index : asked) {
    if (questions_[index].owner == container && questions_[index].entry) return;
  }
  asked.push_back(questions_.size());
  questions_.push_back(
      {.owner = container, .name = word, .attribute = true, .found = found, .entry = true});
}

std::vector<Entry> LiveOutside::entries(const Thing& thing, Context& context) {
  if (thing.kind != ThingKind::Value) return {};
  const nb::object container = nb::borrow(object(thing.handle));
  if (!holds_functions(container)) return {};
  held_[static_cast<std::size_t>(thing.handle)].literal_asked = true;
  const nb::object keys = entry_now(container, kKeys);
  const ThingHandle known = handle_of(keys);
  held_[static_cast<std::size_t>(known)].literal_asked = true;
  record_entry(thing.handle, context.symbol(kKeys), known);
  std::vector<Entry> found;
  const bool sequence = PyTuple_CheckExact(keys.ptr()) == 0;
  const Py_ssize_t count = sequence ? PyLong_AsSsize_t(keys.ptr()) : PyTuple_GET_SIZE(keys.ptr());
  for (Py_ssize_t k = 0; k < count; ++k) {
    const nb::object key =
        sequence ? nb::steal(PyLong_FromSsize_t(k)) : nb::borrow(PyTuple_GET_ITEM(keys.ptr(), k));
    found.push_back({.form = form_of(container),
                     .key = literal_key(key.ptr(), context),
                     .value = entry(thing.handle, entry_word(key.ptr()), context)});
  }
  return found;
}

std::vector<Entry> LiveOutside::argument_entries(std::size_t parameter,
                                                 std::span<const Symbol> path, Context& context) {
  const nb::object container = part_of_argument(parameter, path);
  if (!container.is_valid() || !holds_functions(container)) return {};
  std::vector<Entry> found;
  bool known = false;
  const auto add = [&](PyObject* key, nb::handle value) {
    const bool plain = is_plain_value(value);
    known = known || !plain || holds_functions(value);
    found.push_back(
        {.form = form_of(container),
         .key = literal_key(key, context),
         .value = plain ? Thing{.kind = ThingKind::Value} : thing_of(value, {}, context)});
  };
  if (PyDict_CheckExact(container.ptr()) != 0) {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(container.ptr(), &position, &key, &value) != 0) add(key, value);
  } else {
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(container.ptr()); ++k)
      add(nb::steal(PyLong_FromSsize_t(k)).ptr(), PySequence_Fast_ITEMS(container.ptr())[k]);
  }
  if (!known) found.clear();
  return found;
}

std::optional<PartialFunction> LiveOutside::partial(const Thing& thing, Context& context) {
  if (thing.kind != ThingKind::Value) return std::nullopt;
  const nb::object made = nb::borrow(object(thing.handle));
  if (std::string_view(Py_TYPE(made.ptr())->tp_name) != "functools.partial") return std::nullopt;
  held_[static_cast<std::size_t>(thing.handle)].literal_asked = true;
  const auto part = [&](const char* name) {
    const nb::object found = made.attr(name);
    const Thing held = thing_of(found, {}, context);
    const ThingHandle handle = handle_of(found);
    held_[static_cast<std::size_t>(handle)].literal_asked = true;
    record(thing.handle, context.symbol(name), true, handle);
    return held;
  };
  PartialFunction result;
  result.base = part("func");
  const Thing arguments = part("args");
  const nb::handle given = object(arguments.handle);
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(given.ptr()); ++k)
    result.arguments.push_back(entry(arguments.handle, "i" + std::to_string(k), context));
  const Thing keywords = part("keywords");
  const nb::object by_name = nb::borrow(object(keywords.handle));
  if (PyDict_CheckExact(by_name.ptr()) == 0) return std::nullopt;
  const nb::object keys = entry_now(by_name, kKeys);
  const ThingHandle known = handle_of(keys);
  held_[static_cast<std::size_t>(known)].literal_asked = true;
  record_entry(keywords.handle, context.symbol(kKeys), known);
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keys.ptr()); ++k) {
    PyObject* key = PyTuple_GET_ITEM(keys.ptr(), k);
    result.keywords.emplace_back(context.symbol(view(nb::handle(key))),
                                 entry(keywords.handle, entry_word(key), context));
  }
  return result;
}

}  // namespace tangent::python
