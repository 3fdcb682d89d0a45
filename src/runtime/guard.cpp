#include "runtime/guard.h"

#include <algorithm>
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
      type_(type),
      has_fields_(holds_fields(type)) {
  if (ones_ && signature_ != kNoSignature) mask_ = mask_of_ones(value);
  if (!structure.is_leaf() || structure.is_items() || structure.is_same)
    structure_ = std::make_unique<python::StructureGuard>(value, structure);
}

std::uint64_t ArgumentGuard::mask_of_ones(PyObject* array) {
  const python::ArrayHead* head = python::array_head(array);
  std::uint64_t mask = 0;
  for (int axis = 0; axis < head->rank; ++axis) {  // NumPy has at most 64 axes
    if (head->lengths[axis] == 1) mask |= std::uint64_t{1} << static_cast<unsigned>(axis);
  }
  return mask;
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
    watched.member = question.member;
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
  for (FileId file = 0; outside.files().find(file) != nullptr; ++file) {
    const ThingHandle handle = outside.function_of(file);
    if (handle < 0) continue;
    PyObject* function = outside.object(handle).ptr();
    if (PyMethod_Check(function) != 0) function = PyMethod_GET_FUNCTION(function);
    const auto same = [&](const Function& known) { return known.object.ptr() == function; };
    if (PyFunction_Check(function) == 0 || std::ranges::any_of(functions_, same)) continue;
    functions_.push_back({nb::borrow(function), nb::borrow(outside.code_of(file))});
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

nb::object NameGuard::now_of(const Watched& watched) {
  if (watched.member)
    return nb::borrow(python::held_by_class(watched.owner.ptr(), watched.name.ptr()));
  return watched.attribute ? attribute_of(watched.owner, watched.name)
                           : python::find_free_name(watched.owner, watched.name);
}

bool NameGuard::check_all() {
  for (Watched& watched : watched_) {
    const nb::object now = now_of(watched);
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

std::vector<PyObject*> NameGuard::values() const {
  std::vector<PyObject*> found;
  for (const Watched& watched : watched_) {
    if (watched.expected.is_valid()) found.push_back(watched.expected.ptr());
  }
  return found;
}

int NameGuard::traverse(visitproc visit, void* arg) const {
  for (const Watched& watched : watched_) {
    Py_VISIT(watched.owner.ptr());
    Py_VISIT(watched.expected.ptr());
  }
  for (const Function& function : functions_) {
    Py_VISIT(function.object.ptr());
    Py_VISIT(function.code.ptr());
  }
  Py_VISIT(names_.ptr());
  return 0;
}

}  // namespace tangent::runtime
