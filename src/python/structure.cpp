#include "python/structure.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "lower/argument_steps.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

constexpr Py_ssize_t kMostEntries = 64;  // of a dict
constexpr Py_ssize_t kMostItems = 8;     // of a list or tuple that goes by position
constexpr int kDeepest = 8;              // parts of parts; a structure that holds itself ends here

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
}

// The steps of dict entries; false if a key is neither a short text nor an int.
bool read_key(PyObject* key, FieldStep& step) {
  if (PyUnicode_CheckExact(key) != 0) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(key, &size);
    if (text == nullptr) {
      PyErr_Clear();
      return false;
    }
    step = {.form = FieldStep::Form::Key,
            .text = std::string(text, static_cast<std::size_t>(size))};
    return is_printable(step.text);
  }
  if (PyLong_CheckExact(key) == 0) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(key, &overflow);
  step = {.form = FieldStep::Form::Index, .text = {}, .index = number};
  return overflow == 0;
}

}  // namespace

nb::object plain_attribute(PyObject* object, PyObject* name) {
  PyObject** dictionary = _PyObject_GetDictPtr(object);
  PyObject* in_class = _PyType_Lookup(Py_TYPE(object), name);
  // A slot, or a field of a namedtuple.
  const bool slot = in_class != nullptr &&
                    (Py_TYPE(in_class) == &PyMemberDescr_Type ||
                     std::string_view(Py_TYPE(in_class)->tp_name) == "_collections._tuplegetter");
  const bool computed = in_class != nullptr && !slot && Py_TYPE(in_class)->tp_descr_set != nullptr;
  if (computed) return {};
  if (slot) {
    PyObject* found = PyObject_GenericGetAttr(object, name);
    if (found == nullptr) PyErr_Clear();
    return nb::steal(found);
  }
  if (dictionary != nullptr && *dictionary != nullptr) {
    PyObject* found = PyDict_GetItemWithError(*dictionary, name);
    if (found != nullptr) return nb::borrow(found);
    PyErr_Clear();
  }
  if (dictionary == nullptr || *dictionary == nullptr) {
    // Objects that keep their values in line make a dictionary when asked for it.
    PyObject* found = PyObject_GenericGetAttr(object, name);
    if (found == nullptr) {
      PyErr_Clear();
      return {};
    }
    nb::object held = nb::steal(found);
    if (PyMethod_Check(found) == 0) return held;
    return {};
  }
  if (in_class != nullptr && Py_TYPE(in_class)->tp_descr_get == nullptr)
    return nb::borrow(in_class);
  return {};
}

std::optional<std::int64_t> length_of(PyObject* value) {
  if (PyList_CheckExact(value) != 0 || PyTuple_CheckExact(value) != 0)
    return PySequence_Fast_GET_SIZE(value);
  if (!is_array(value, NumpyTypes::get())) return std::nullopt;
  const ArrayHead* head = array_head(value);
  if (head->rank == 0) return std::nullopt;
  return head->lengths[0];
}

namespace {

bool is_object(PyObject* value, const Type& type) {
  return type.kind == TypeKind::Opaque && is_plain_object(value) &&
         Py_TYPE(value)->tp_getattro == PyObject_GenericGetAttr;
}

// Whether a list or tuple at this depth is used by more than constants: by a method, a variable
// index, a loop.
bool is_whole(const std::vector<const ReadField*>& fields, std::size_t depth) {
  return std::ranges::any_of(fields, [&](const ReadField* field) {
    if (field->steps.size() == depth) return field->is_whole;
    return field->steps[depth].form == FieldStep::Form::Attribute &&
           !is_length_step(field->steps[depth]);
  });
}

// What a list may hold that a derivative flows through: real numbers and arrays.
bool is_numeric_item(const Type& type) {
  if (type.kind == TypeKind::List && type.uniform) return is_numeric_item(type.elements.front());
  if (!type.is_numeric() || type.dtype == DType::Bool) return false;
  return type.dtype != DType::Complex64 && type.dtype != DType::Complex128 &&
         (type.dtype != DType::Other || type.mixed);
}

Structure structure_at(PyObject* value, const std::vector<const ReadField*>& fields,
                       std::size_t depth, Arena& arena, std::uint32_t& next_dim) {
  Structure result;
  // How many elements there are counts where a last step says so.
  const auto counts = [&](const ReadField* field) {
    return field->steps.size() == depth + 1 && is_length_step(field->steps[depth]);
  };
  if (std::ranges::any_of(fields, counts)) {
    if (const auto length = length_of(value))
      result.absent.push_back(std::string(kLengthStep) + std::to_string(*length));
  }
  auto leaf = [&] {
    result.type = type_of_value(value, arena, next_dim);
    return result;
  };
  if (depth >= kDeepest) return leaf();
  // The fields that go through a part. Of a sequence, `size` is the length: pair[-1] is pair[1].
  auto beyond = [&](const FieldStep& step, Py_ssize_t size) {
    std::vector<const ReadField*> found;
    for (const ReadField* field : fields) {
      if (field->steps.size() <= depth) continue;
      FieldStep taken = field->steps[depth];
      if (taken.form == FieldStep::Form::Index && taken.index < 0) taken.index += size;
      if (taken == step) found.push_back(field);
    }
    return found;
  };
  auto add = [&](const FieldStep& step, PyObject* part, Py_ssize_t size = 0) {
    result.parts.push_back(
        {step, structure_at(part, beyond(step, size), depth + 1, arena, next_dim)});
  };
  if (PyDict_CheckExact(value) != 0) {
    if (PyDict_GET_SIZE(value) == 0 || PyDict_GET_SIZE(value) > kMostEntries) return leaf();
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* part = nullptr;
    while (PyDict_Next(value, &position, &key, &part) != 0) {
      FieldStep step;
      if (!read_key(key, step)) {
        result.parts.clear();
        return leaf();
      }
      add(step, part);
    }
    result.form = Structure::Form::Dict;
    return result;
  }
  const bool list = PyList_CheckExact(value) != 0;
  if (list || PyTuple_CheckExact(value) != 0) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
    if (size == 0 || size > kMostItems || is_whole(fields, depth)) {
      Type items = type_of_items(value, arena, next_dim);
      if (is_numeric_item(items.elements.front())) {
        result.form = list ? Structure::Form::Items : Structure::Form::TupleItems;
        result.type = items;
        return result;
      }
    }
    if (size == 0 || size > kMostItems) return leaf();
    for (Py_ssize_t k = 0; k < size; ++k)
      add({.form = FieldStep::Form::Index, .text = {}, .index = k}, PySequence_Fast_ITEMS(value)[k],
          size);
    result.form = list ? Structure::Form::List : Structure::Form::Tuple;
    return result;
  }
  leaf();
  result.is_same = std::ranges::any_of(fields, [&](const ReadField* field) {
    return field->steps.size() == depth && field->is_same;
  });
  if (!is_object(value, result.type)) return result;
  for (const ReadField* field : fields) {
    if (field->steps.size() == depth && field->is_object) result.form = Structure::Form::Object;
    if (field->steps.size() == depth + 1 && field->is_absent) {
      result.absent.push_back(field->steps[depth].text);
      continue;
    }
    if (field->steps.size() <= depth) continue;
    const FieldStep& step = field->steps[depth];
    if (is_length_step(step)) continue;
    const bool known = std::any_of(result.parts.begin(), result.parts.end(),
                                   [&](const auto& part) { return part.step == step; });
    if (known || step.form != FieldStep::Form::Attribute) continue;
    const nb::object part = plain_attribute(value, interned(step.text).ptr());
    if (part.is_valid()) add(step, part.ptr());
  }
  if (!result.parts.empty()) result.form = Structure::Form::Object;
  return result;
}

}  // namespace

bool is_plain_object(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  if (PyType_Check(value) != 0) return false;
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 ||
         std::string_view(type->tp_name) == "types.SimpleNamespace";
}

Structure structure_of(PyObject* value, std::size_t parameter, const std::vector<ReadField>& fields,
                       Arena& arena, std::uint32_t& next_dim) {
  std::vector<const ReadField*> own;
  for (const ReadField& field : fields) {
    if (field.parameter == parameter) own.push_back(&field);
  }
  return structure_at(value, own, 0, arena, next_dim);
}

HeldPart held_part(PyObject* value, const Structure& structure, const FieldStep& step,
                   Py_ssize_t position) {
  switch (structure.form) {
    case Structure::Form::Dict: {
      nb::object key = step.form == FieldStep::Form::Key
                           ? interned(step.text)
                           : nb::steal(PyLong_FromLongLong(step.index));
      return {nb::borrow(PyDict_GetItemWithError(value, key.ptr())), key};
    }
    case Structure::Form::List:
    case Structure::Form::Tuple:
      return {nb::borrow(PySequence_Fast_ITEMS(value)[position]), {}};
    default: {
      nb::object name = interned(step.text);
      return {plain_attribute(value, name.ptr()), name};
    }
  }
}

StructureGuard::StructureGuard(PyObject* value, const Structure& structure)
    : root_(part_of(value, structure)) {}

StructureGuard::Part StructureGuard::part_of(PyObject* value, const Structure& structure) {
  Part result;
  result.form = structure.form;
  result.type = structure.type;
  if (structure.is_same) result.same = nb::borrow(value);
  result.length = tangent::length_of(structure);
  if (structure.form == Structure::Form::Object) {
    result.type_object = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(value)));
    for (const std::string& name : structure.absent) result.absent.push_back(interned(name));
  }
  Py_ssize_t position = 0;
  for (const auto& [step, part] : structure.parts) {
    auto [held, key] = held_part(value, structure, step, position++);
    if (!held.is_valid()) throw InternalError("a part of an argument is gone");
    result.parts.push_back(part_of(held.ptr(), part));
    result.parts.back().key = std::move(key);
  }
  return result;
}

bool StructureGuard::accepts(const Part& part, PyObject* value) {
  if (part.length >= 0 && length_of(value) != part.length) return false;
  switch (part.form) {
    case Structure::Form::Leaf:
      if (part.same.is_valid()) return value == part.same.ptr();
      return has_type(value, part.type, true);
    case Structure::Form::Items:
      return PyList_CheckExact(value) != 0 && has_items(value, part.type);
    case Structure::Form::TupleItems:
      return PyTuple_CheckExact(value) != 0 && has_items(value, part.type);
    case Structure::Form::Dict: {
      if (PyDict_CheckExact(value) == 0 ||
          PyDict_GET_SIZE(value) != static_cast<Py_ssize_t>(part.parts.size()))
        return false;
      for (const Part& inner : part.parts) {
        PyObject* found = PyDict_GetItemWithError(value, inner.key.ptr());
        if (found == nullptr || !accepts(inner, found)) return false;
      }
      return true;
    }
    case Structure::Form::List:
    case Structure::Form::Tuple: {
      const bool same = part.form == Structure::Form::List ? PyList_CheckExact(value) != 0
                                                           : PyTuple_CheckExact(value) != 0;
      if (!same || PySequence_Fast_GET_SIZE(value) != static_cast<Py_ssize_t>(part.parts.size()))
        return false;
      for (std::size_t k = 0; k < part.parts.size(); ++k) {
        if (!accepts(part.parts[k], PySequence_Fast_ITEMS(value)[k])) return false;
      }
      return true;
    }
    case Structure::Form::Object: {
      if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != part.type_object.ptr()) return false;
      for (const nb::object& name : part.absent) {
        if (plain_attribute(value, name.ptr()).is_valid()) return false;
      }
      for (const Part& inner : part.parts) {
        const nb::object found = plain_attribute(value, inner.key.ptr());
        if (!found.is_valid() || !accepts(inner, found.ptr())) return false;
      }
      return true;
    }
  }
  return false;
}

}  // namespace tangent::python
