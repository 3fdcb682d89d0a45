#include "runtime/guard.h"

#include <string>

#include "python/text.h"

namespace nb = nanobind;

namespace tangent::runtime {

using python::interned;
using python::kNoSignature;
using python::LiveOutside;
using python::NumpyTypes;
using python::Question;

// ---------------------------------------------------------------------------------------------------
// Arguments

ArgumentGuard::ArgumentGuard(PyObject* value, const Type& type, const Structure& structure,
                             bool ones)
    : signature_(python::signature_of(value, NumpyTypes::get())),
      ones_(ones && (signature_ == kNoSignature || type.is_array())),
      type_(type) {
  if (ones_ && signature_ != kNoSignature) mask_ = mask_of_ones(value);
  if (!structure.is_leaf()) structure_ = std::make_unique<python::StructureGuard>(value, structure);
}

std::uint64_t ArgumentGuard::mask_of_ones(PyObject* array) {
  const python::ArrayHead* head = python::array_head(array);
  std::uint64_t mask = 0;
  for (int axis = 0; axis < head->rank; ++axis) {  // NumPy has at most 64 axes
    if (head->lengths[axis] == 1) mask |= std::uint64_t{1} << static_cast<unsigned>(axis);
  }
  return mask;
}

namespace {

// Where the elements of an array begin: the lowest and the highest address.
std::pair<const char*, const char*> extent_of(PyObject* array) {
  const python::ArrayHead* head = python::array_head(array);
  const char* low = head->data;
  const char* high = head->data;
  for (int axis = 0; axis < head->rank; ++axis) {
    if (head->lengths[axis] == 0) return {nullptr, nullptr};
    const Py_ssize_t reach = (head->lengths[axis] - 1) * head->strides[axis];
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

}  // namespace

bool shares_memory(PyObject* const* values, std::size_t first, std::size_t count,
                   const std::vector<std::size_t>& written,
                   std::pair<std::size_t, std::size_t>* pair) {
  const NumpyTypes& numpy = NumpyTypes::get();
  for (const std::size_t position : written) {
    if (position < first || position - first >= count) continue;
    PyObject* array = values[position - first];
    if (!python::is_array(array, numpy)) continue;
    const auto mine = extent_of(array);
    if (mine.first == nullptr) continue;
    for (std::size_t k = 0; k < count; ++k) {
      if (k == position - first || !python::is_array(values[k], numpy)) continue;
      const auto other = extent_of(values[k]);
      if (other.first == nullptr || mine.first > other.second || other.first > mine.second)
        continue;
      if (pair != nullptr) *pair = {position, first + k};
      return true;
    }
  }
  return false;
}

namespace {

void collect_arrays(PyObject* value, int depth, std::vector<PyObject*>& arrays) {
  if (python::is_array(value, NumpyTypes::get())) {
    arrays.push_back(value);
    return;
  }
  if (depth == 0) return;
  if (PyDict_Check(value) != 0) {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* part = nullptr;
    while (PyDict_Next(value, &position, &key, &part) != 0) collect_arrays(part, depth - 1, arrays);
  } else if (PyList_Check(value) != 0 || PyTuple_Check(value) != 0) {
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(value); ++k)
      collect_arrays(PySequence_Fast_ITEMS(value)[k], depth - 1, arrays);
  } else if ((Py_TYPE(value)->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0) {
    const nb::object fields = nb::steal(PyObject_GetAttrString(value, "__dict__"));
    if (!fields.is_valid()) {
      PyErr_Clear();
    } else if (PyDict_Check(fields.ptr()) != 0) {
      collect_arrays(fields.ptr(), depth - 1, arrays);
    }
  }
}

}  // namespace

bool parts_share_memory(PyObject* const* values, std::size_t count) {
  constexpr int kDeepest = 8;
  std::vector<PyObject*> arrays;
  for (std::size_t k = 0; k < count; ++k) collect_arrays(values[k], kDeepest, arrays);
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const auto mine = extent_of(arrays[a]);
    for (std::size_t b = a + 1; b < arrays.size(); ++b) {
      const auto other = extent_of(arrays[b]);
      if (mine.first != nullptr && other.first != nullptr && mine.first <= other.second &&
          other.first <= mine.second)
        return true;
    }
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------
// Names

namespace {

// object.name, or nothing; errors of properties count as nothing.
nb::object attribute_of(nb::handle object, nb::handle name) {
  PyObject* found = PyObject_GetAttr(object.ptr(), name.ptr());
  if (found == nullptr) PyErr_Clear();
  return nb::steal(found);
}

}  // namespace

std::uint64_t NameGuard::version_of([[maybe_unused]] PyObject* dictionary) {
#if PY_VERSION_HEX < 0x030C0000
  return reinterpret_cast<PyDictObject*>(dictionary)->ma_version_tag;
#else
  // Later versions do not count changes for others to see: every name is looked up.
  return 1;
#endif
}

NameGuard::NameGuard(const LiveOutside& outside, const std::vector<GlobalBinding>& printed,
                     nb::handle names)
    : names_(nb::borrow(names)) {
  for (const Question& question : outside.questions()) {
    Watched watched;
    watched.owner = nb::borrow(outside.object(question.owner));
    watched.name = interned(question.name.text());
    watched.attribute = question.attribute;
    if (question.found >= 0) {
      watched.expected = nb::borrow(outside.object(question.found));
      watched.typed = outside.type_asked(question.found);
      watched.any_value =
          outside.is_value(question.found) && !outside.literal_asked(question.found);
      if (watched.typed) {
        std::uint32_t next_dim = 2;
        watched.type = python::type_of_value(watched.expected.ptr(), arena_, next_dim);
        always_checked_ = always_checked_ || is_mutable(watched);
      }
    }
    for (const GlobalBinding& binding : printed) {
      if (!question.attribute && binding.function == question.owner &&
          binding.original == question.name) {
        watched.printed.push_back(interned(binding.printed.text()));
      }
    }
    add_place(watched, watched_.size());
    watched_.push_back(std::move(watched));
  }
}

// Where a change of the name shows.
void NameGuard::add_place(const Watched& watched, std::size_t index) {
  PyObject* owner = watched.owner.ptr();
  if (watched.attribute) {
    if (PyModule_Check(owner) != 0) {
      add_dictionary(PyModule_GetDict(owner));
    } else {
      always_checked_ = true;
    }
    return;
  }
  if (PyMethod_Check(owner) != 0) owner = PyMethod_GET_FUNCTION(owner);
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(owner));
  const nb::object free_names = nb::steal(PyCode_GetFreevars(code));
  if (!free_names.is_valid()) throw nb::python_error();
  PyObject* closure = PyFunction_GET_CLOSURE(owner);
  for (Py_ssize_t i = 0; closure != nullptr && i < PyTuple_GET_SIZE(free_names.ptr()); ++i) {
    if (PyUnicode_Compare(PyTuple_GET_ITEM(free_names.ptr(), i), watched.name.ptr()) == 0) {
      cells_.push_back({PyTuple_GET_ITEM(closure, i), index});
      return;
    }
  }
  PyObject* globals = PyFunction_GET_GLOBALS(owner);
  add_dictionary(globals);
  if (PyDict_GetItem(globals, watched.name.ptr()) == nullptr) add_dictionary(PyEval_GetBuiltins());
}

void NameGuard::add_dictionary(PyObject* dictionary) {
  for (const Dictionary& known : dictionaries_) {
    if (known.object == dictionary) return;
  }
  // No dictionary has this version: the first call looks at every name.
  dictionaries_.push_back({dictionary, 0});
}

bool NameGuard::is_mutable(const Watched& watched) {
  return watched.typed &&
         (watched.type.kind == TypeKind::List || watched.type.kind == TypeKind::Tuple);
}

bool NameGuard::check_all() {
  for (Watched& watched : watched_) {
    const nb::object now = watched.attribute ? attribute_of(watched.owner, watched.name)
                                             : python::find_free_name(watched.owner, watched.name);
    if (now.ptr() == watched.expected.ptr()) {
      if (is_mutable(watched) && !python::has_type(now.ptr(), watched.type, true)) return false;
      continue;
    }
    if (!watched.any_value || !now.is_valid() || !python::is_plain_value(now)) return false;
    if (watched.typed && !python::has_type(now.ptr(), watched.type, true)) return false;
    for (const nb::object& printed : watched.printed) {
      if (PyDict_SetItem(names_.ptr(), printed.ptr(), now.ptr()) < 0) throw nb::python_error();
    }
    watched.expected = now;
  }
  for (Dictionary& dictionary : dictionaries_) dictionary.version = version_of(dictionary.object);
  return true;
}

int NameGuard::traverse(visitproc visit, void* arg) const {
  for (const Watched& watched : watched_) {
    Py_VISIT(watched.owner.ptr());
    Py_VISIT(watched.expected.ptr());
  }
  Py_VISIT(names_.ptr());
  return 0;
}

}  // namespace tangent::runtime
