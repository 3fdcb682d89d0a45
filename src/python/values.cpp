#include "python/values.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "python/outside.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

// The head of PyArray_Descr.
struct DescriptorHead {
  PyObject ob_base;
  PyTypeObject* scalar_type;
  char kind;
  char type;
  char byteorder;
  char flags;
  int number;
};

constexpr int kDeepestNest = 16;         // of lists and tuples in each other
constexpr int kDeepestRecord = 8;        // whose fields are looked at
constexpr Py_ssize_t kMostFields = 32;   // of such a record
constexpr Py_ssize_t kMostRecords = 64;  // of a list whose records are looked at
constexpr Py_ssize_t kByPosition = 8;    // longer lists and dicts have one element type

NumpyTypes* make_types() {
  auto types = std::make_unique<NumpyTypes>();
  nb::module_ numpy = nb::module_::import_("numpy");
  auto type = [&](const char* name) {
    // Released with the interpreter only.
    return reinterpret_cast<PyTypeObject*>(nb::object(numpy.attr(name)).release().ptr());
  };
  types->array = type("ndarray");
  types->generic = type("generic");
  types->float64 = type("float64");
  types->float32 = type("float32");
  types->int64 = type("int64");
  types->dtype = type("dtype");
  types->ufunc = type("ufunc");

  // The layout that ArrayHead and DescriptorHead assume, checked once on a real array.
  nb::object sample = numpy.attr("zeros")(nb::make_tuple(2, 3), "f4");
  const ArrayHead* head = array_head(sample.ptr());
  if (head->rank != 2 || head->lengths[0] != 2 || head->lengths[1] != 3 ||
      head->descriptor != nb::object(sample.attr("dtype")).ptr() ||
      dtype_of_descriptor(head->descriptor) != DType::Float32) {
    throw InternalError("this version of NumPy lays out its arrays in another way");
  }
  return types.release();
}

constexpr int kBool = 0;
constexpr int kLastInteger = 10;
constexpr int kHalf = 23;

}  // namespace

const NumpyTypes& NumpyTypes::get() {
  static const NumpyTypes& types = *make_types();
  return types;
}

DType dtype_of_descriptor(PyObject* descriptor) {
  const int number = reinterpret_cast<const DescriptorHead*>(descriptor)->number;
  if (number == kBool) return DType::Bool;
  if (number > kBool && number <= kLastInteger) return DType::Integer;
  switch (number) {
    case 11:
      return DType::Float32;
    case 12:
      return DType::Float64;
    case 14:
      return DType::Complex64;
    case 15:
      return DType::Complex128;
    case kHalf:
      return DType::Float16;
    default:
      return DType::Other;
  }
}

namespace {

// The dtype of a NumPy scalar.
DType dtype_of_scalar(PyObject* object) {
  const nb::object descriptor = nb::steal(PyObject_GetAttrString(object, "dtype"));
  if (!descriptor.is_valid()) throw nb::python_error();
  return dtype_of_descriptor(descriptor.ptr());
}

}  // namespace

Signature signature_of_other(PyObject* object, const NumpyTypes& numpy) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == numpy.array) {
    const ArrayHead* head = array_head(object);
    return make_signature(TypeKind::Array, dtype_of_descriptor(head->descriptor), head->rank);
  }
  if (type == &PyFloat_Type || type == numpy.float64) {
    return make_signature(TypeKind::Number, DType::Float64, 0);
  }
  if (type == &PyLong_Type) return make_signature(TypeKind::Number, DType::Integer, 0);
  if (type == &PyBool_Type) return make_signature(TypeKind::Number, DType::Bool, 0);
  if (type == &PyComplex_Type) return make_signature(TypeKind::Number, DType::Complex128, 0);
  if (object == Py_None) return make_signature(TypeKind::None, DType::Other, 0);
  if (type == &PyUnicode_Type || type == &PyBytes_Type) {
    return make_signature(TypeKind::String, DType::Other, 0);
  }
  if (type == numpy.float32) return make_signature(TypeKind::Number, DType::Float32, 0);
  if (type == numpy.int64) return make_signature(TypeKind::Number, DType::Integer, 0);
  return kNoSignature;
}

Signature signature_of(PyObject* object, const NumpyTypes& numpy) {
  const Signature signature = signature_at_once(object, numpy);
  if (signature != kNoSignature || PyType_IsSubtype(Py_TYPE(object), numpy.generic) == 0) {
    return signature;
  }
  const DType dtype = dtype_of_scalar(object);
  return dtype != DType::Other ? make_signature(TypeKind::Number, dtype, 0) : kNoSignature;
}

namespace {

// The last part of the name of a class, and whether it stands in this module.
std::string_view class_name(const PyTypeObject* type) {
  const std::string_view name = type->tp_name;
  return name.substr(name.rfind('.') + 1);
}

bool stands_in(PyTypeObject* type, std::string_view package) {
  const nb::object module =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
  if (!module.is_valid()) {
    PyErr_Clear();
    return false;
  }
  if (PyUnicode_Check(module.ptr()) == 0) return false;
  const std::string_view text = view(module);
  return text == package || (text.starts_with(package) && text[package.size()] == '.');
}

DType dtype_named(std::string_view name) {
  static constexpr std::pair<std::string_view, DType> kNames[] = {
      {"bool", DType::Bool},
      {"float64", DType::Float64},
      {"double", DType::Float64},
      {"float32", DType::Float32},
      {"float", DType::Float32},
      {"float16", DType::Float16},
      {"half", DType::Float16},
      {"bfloat16", DType::Float16},
      {"__bf16", DType::Float16},
      {"complex64", DType::Complex64},
      {"complex128", DType::Complex128}};
  for (const auto& [known, dtype] : kNames) {
    if (known == name) return dtype;
  }
  static constexpr std::string_view kIntegers[] = {"int",  "uint",   "char",    "short",
                                                   "long", "signed", "unsigned"};
  const bool integer =
      std::ranges::any_of(kIntegers, [&](std::string_view it) { return name.starts_with(it); });
  return integer ? DType::Integer : DType::Other;
}

// What `.dtype` of a foreign array says: a NumPy dtype, `torch.float32`, `dtypes.float`.
DType dtype_of_foreign(PyObject* object) {
  const nb::object dtype = nb::steal(PyObject_GetAttrString(object, "dtype"));
  if (!dtype.is_valid()) throw nb::python_error();
  if (PyType_IsSubtype(Py_TYPE(dtype.ptr()), NumpyTypes::get().dtype) != 0) {
    const DType known = dtype_of_descriptor(dtype.ptr());
    if (known != DType::Other) return known;
  }
  const nb::object name = nb::steal(PyObject_GetAttrString(dtype.ptr(), "name"));
  if (!name.is_valid()) PyErr_Clear();
  const nb::object text = name.is_valid() && PyUnicode_Check(name.ptr()) != 0
                              ? name
                              : nb::steal(PyObject_Str(dtype.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  const std::string_view spelled = view(text);
  return dtype_named(spelled.substr(spelled.rfind('.') + 1));
}

// The lengths of its axes; -1 for one that is no number.
std::vector<Py_ssize_t> lengths_of_foreign(PyObject* object) {
  const nb::object shape = nb::steal(PyObject_GetAttrString(object, "shape"));
  if (!shape.is_valid()) throw nb::python_error();
  const nb::object items = nb::steal(PySequence_Fast(shape.ptr(), "a shape is a sequence"));
  if (!items.is_valid()) throw nb::python_error();
  std::vector<Py_ssize_t> lengths;
  for (Py_ssize_t axis = 0; axis < PySequence_Fast_GET_SIZE(items.ptr()); ++axis) {
    PyObject* length = PySequence_Fast_GET_ITEM(items.ptr(), axis);
    lengths.push_back(PyLong_Check(length) != 0 ? PyLong_AsSsize_t(length) : -1);
  }
  return lengths;
}

}  // namespace

Library library_of(PyObject* object) {
  PyObject* bases = Py_TYPE(object)->tp_mro;
  if (bases == nullptr) return Library::NumPy;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
    auto* type = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
    const std::string_view name = class_name(type);
    if (name == "Tensor") {
      if (stands_in(type, "torch")) return Library::Torch;
      if (stands_in(type, "tinygrad")) return Library::Tinygrad;
    }
    if (name == "ArrayImpl" && stands_in(type, "jaxlib")) return Library::Jax;
    if (name == "Tracer" && stands_in(type, "jax")) return Library::Jax;
  }
  return Library::NumPy;
}

bool is_scalar(PyObject* object) {
  const Signature signature = signature_of(object, NumpyTypes::get());
  const auto kind = static_cast<TypeKind>((signature >> 16U) & 0xFFU);
  if (signature != kNoSignature) {
    return kind == TypeKind::Number || (kind == TypeKind::Array && array_head(object)->rank == 0);
  }
  return library_of(object) != Library::NumPy && lengths_of_foreign(object).empty();
}

namespace {

Type type_of_foreign(PyObject* object, Library library, Arena& arena, std::uint32_t& next_dim) {
  const DType dtype = dtype_of_foreign(object);
  if (dtype == DType::Other) return Type::of(TypeKind::Opaque);
  std::vector<Dim> dims;
  for (const Py_ssize_t length : lengths_of_foreign(object))
    dims.push_back(length == 1 ? Dim::one() : Dim{next_dim++});
  Type type = Type::array(dtype, arena.copy(dims));
  type.library = library;
  return type;
}

Type type_at(int depth, PyObject* object, Arena& arena, std::uint32_t& next_dim);

// The elements as they are now: looking at one may run Python code that changes a list.
std::vector<nb::object> elements_of(PyObject* sequence) {
  std::vector<nb::object> elements;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
  elements.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    elements.push_back(nb::borrow(PySequence_Fast_GET_ITEM(sequence, i)));
  }
  return elements;
}

// The type of a field: arrays by dtype and rank alone.
Type type_of_field(PyObject* value, Arena& arena) {
  std::uint32_t next_dim = 2;
  Type type = type_at(kDeepestNest, value, arena, next_dim);
  if (type.is_array()) {
    const std::vector<Dim> dims(type.dims.size(), Dim::unknown());
    type.dims = arena.copy(dims);
  }
  return type;
}

// The fields of a record by name and value: the entries of a dict, the fields of a namedtuple, and
// of an object what stands in its dictionary, unless its class computes attributes of that name.
template <class F>
void for_each_field(PyObject* object, F&& f) {
  PyTypeObject* type = Py_TYPE(object);
  const auto shared = [type](PyObject* name) {
    return held_by_class(reinterpret_cast<PyObject*>(type), name);
  };
  if (PyDict_Check(object) == 0 && type->tp_getattro != PyObject_GenericGetAttr) return;
  if (PyTuple_Check(object) != 0) {
    PyObject* names = shared(interned("_fields").ptr());
    if (names == nullptr || PyTuple_CheckExact(names) == 0 ||
        PyTuple_GET_SIZE(names) != PyTuple_GET_SIZE(object))
      return;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
      PyObject* getter = shared(PyTuple_GET_ITEM(names, k));
      if (getter != nullptr &&
          std::string_view(Py_TYPE(getter)->tp_name) == "_collections._tuplegetter")
        f(PyTuple_GET_ITEM(names, k), PyTuple_GET_ITEM(object, k));
    }
    return;
  }
  nb::object entries = nb::borrow(object);
  if (PyDict_Check(object) == 0) {
    if (type->tp_dictoffset == 0) return;
    entries = nb::steal(PyObject_GenericGetDict(object, nullptr));
    if (!entries.is_valid()) return PyErr_Clear();
  }
  if (PyDict_GET_SIZE(entries.ptr()) > kMostFields) return;
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(entries.ptr(), &position, &name, &value) != 0) {
    PyObject* computed = PyDict_Check(object) != 0 ? nullptr : shared(name);
    if (computed == nullptr || Py_TYPE(computed)->tp_descr_set == nullptr) f(name, value);
  }
}

// An object of a class, a namedtuple or a dict that is an item of a list or tuple.
Type type_of_record(PyObject* object, TypeKind kind, Arena& arena) {
  std::vector<Field> fields;
  for_each_field(object, [&](PyObject* name, PyObject* value) {
    if (PyUnicode_Check(name) == 0) return;
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(name, &size);
    if (text == nullptr) return PyErr_Clear();
    fields.push_back(
        {arena.copy_text({text, static_cast<std::size_t>(size)}), type_of_field(value, arena)});
  });
  std::ranges::sort(fields, {}, &Field::name);
  Type result = Type::of(kind);
  result.fields = arena.copy(fields);
  return result;
}

Type type_of_sequence(TypeKind kind, int depth, PyObject* object, Arena& arena,
                      std::uint32_t& next_dim) {
  if (depth == kDeepestNest) return Type::of(TypeKind::Opaque);
  const std::vector<nb::object> items = elements_of(object);
  const auto size = static_cast<Py_ssize_t>(items.size());
  // Each call looks at them again: records of a long list are not taken apart.
  if (size > kMostRecords) depth = std::max(depth, kDeepestRecord);
  Type result = Type::of(kind);
  if (kind == TypeKind::Tuple || size <= kByPosition) {
    std::vector<Type> elements;
    elements.reserve(items.size());
    for (const nb::object& item : items) {
      elements.push_back(type_at(depth + 1, item.ptr(), arena, next_dim));
    }
    result.elements = arena.copy(elements);
    return result;
  }
  // One type for all elements. Elements of the same signature as the first are not joined one by
  // one.
  const NumpyTypes& numpy = NumpyTypes::get();
  Type element = type_at(depth + 1, items[0].ptr(), arena, next_dim);
  const Signature first = signature_of(items[0].ptr(), numpy);
  for (std::size_t i = 1; i < items.size(); ++i) {
    PyObject* item = items[i].ptr();
    const bool same =
        first != kNoSignature && element.is_number() && signature_of(item, numpy) == first;
    if (!same) element = join(element, type_at(depth + 1, item, arena, next_dim), arena);
  }
  result.uniform = true;
  result.elements = arena.copy(std::vector<Type>{element});
  return result;
}

Type type_at(int depth, PyObject* object, Arena& arena, std::uint32_t& next_dim) {
  const NumpyTypes& numpy = NumpyTypes::get();
  PyTypeObject* type = Py_TYPE(object);
  if (type == numpy.array) {
    const ArrayHead* head = array_head(object);
    const DType dtype = dtype_of_descriptor(head->descriptor);
    if (dtype == DType::Other) return Type::of(TypeKind::Opaque);
    std::vector<Dim> dims;
    for (int axis = 0; axis < head->rank; ++axis) {
      dims.push_back(head->lengths[axis] == 1 ? Dim::one() : Dim{next_dim++});
    }
    return Type::array(dtype, arena.copy(dims));
  }
  const Signature signature = signature_of(object, numpy);
  if (signature != kNoSignature) {
    const auto kind = static_cast<TypeKind>((signature >> 16U) & 0xFFU);
    if (kind == TypeKind::Number) {
      return Type::number(static_cast<DType>((signature >> 8U) & 0xFFU));
    }
    return Type::of(kind);
  }
  if (const Library library = library_of(object); library != Library::NumPy)
    return type_of_foreign(object, library, arena, next_dim);
  if (type == &PyTuple_Type)
    return type_of_sequence(TypeKind::Tuple, depth, object, arena, next_dim);
  if (type == &PyList_Type) return type_of_sequence(TypeKind::List, depth, object, arena, next_dim);
  const bool is_record = depth > 0 && depth <= kDeepestRecord;
  if (PyDict_Check(object))
    return is_record && PyDict_CheckExact(object) ? type_of_record(object, TypeKind::Dict, arena)
                                                  : Type::of(TypeKind::Dict);
  if (PySlice_Check(object)) return Type::of(TypeKind::Slice);
  if (PyType_IsSubtype(type, numpy.dtype) != 0) return Type::of(TypeKind::Dtype);
  if (PyType_Check(object)) {
    auto* as_type = reinterpret_cast<PyTypeObject*>(object);
    const bool number = as_type == &PyFloat_Type || as_type == &PyLong_Type ||
                        as_type == &PyBool_Type || as_type == &PyComplex_Type ||
                        PyType_IsSubtype(as_type, numpy.generic) != 0;
    return Type::of(number ? TypeKind::Dtype : TypeKind::Function);
  }
  if (PyModule_Check(object)) return Type::of(TypeKind::Module);
  if (type == &PyRange_Type) {
    Type result = Type::of(TypeKind::Iterator);
    result.elements = arena.copy(std::vector<Type>{Type::number(DType::Integer)});
    return result;
  }
  if (PyFunction_Check(object) || PyCFunction_Check(object) || PyMethod_Check(object)) {
    return Type::of(TypeKind::Function);
  }
  const bool is_plain = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
  if (is_record && is_plain) return type_of_record(object, TypeKind::Opaque, arena);
  return Type::of(TypeKind::Opaque);
}

bool has_type_at(int depth, PyObject* object, const Type& type, bool ones) {
  const NumpyTypes& numpy = NumpyTypes::get();
  if (Py_TYPE(object) == numpy.array) {
    const ArrayHead* head = array_head(object);
    const DType dtype = dtype_of_descriptor(head->descriptor);
    if (dtype == DType::Other) return type.kind == TypeKind::Opaque;
    if (!type.is_array() || type.library != Library::NumPy || type.dtype != dtype ||
        type.rank != head->rank)
      return false;
    if (!ones) return true;
    for (int axis = 0; axis < head->rank; ++axis) {
      const bool one = head->lengths[axis] == 1;
      if (one != type.dims[static_cast<std::size_t>(axis)].is_one()) return false;
    }
    return true;
  }
  if (const Library library = library_of(object); library != Library::NumPy) {
    const DType dtype = dtype_of_foreign(object);
    if (dtype == DType::Other) return type.kind == TypeKind::Opaque;
    if (!type.is_array() || type.library != library || type.dtype != dtype) return false;
    const std::vector<Py_ssize_t> lengths = lengths_of_foreign(object);
    if (type.rank != static_cast<int>(lengths.size())) return false;
    for (std::size_t axis = 0; ones && axis < lengths.size(); ++axis) {
      if ((lengths[axis] == 1) != type.dims[axis].is_one()) return false;
    }
    return true;
  }
  // Anything but an array has no symbol in its type, except in the elements of lists and tuples.
  if (Py_TYPE(object) == &PyTuple_Type ||
      (Py_TYPE(object) == &PyList_Type && PyList_GET_SIZE(object) <= kByPosition)) {
    if (depth == kDeepestNest) return type.kind == TypeKind::Opaque;
    const TypeKind kind = Py_TYPE(object) == &PyTuple_Type ? TypeKind::Tuple : TypeKind::List;
    if (type.kind != kind || type.uniform) return false;
    const std::vector<nb::object> items = elements_of(object);
    if (items.size() != type.elements.size()) return false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!has_type_at(depth + 1, items[i].ptr(), type.elements[i], ones)) return false;
    }
    return true;
  }
  Arena arena;
  std::uint32_t next_dim = 2;
  const Type now = type_at(depth, object, arena, next_dim);
  if (now.kind != TypeKind::List) return now == type;
  if (type.kind != TypeKind::List || !type.uniform) return false;
  const Type& element = now.elements.front();
  const Type& wanted = type.elements.front();
  if (!element.is_array()) return element == wanted;
  if (!wanted.is_array() || element.library != wanted.library || element.dtype != wanted.dtype ||
      element.rank != wanted.rank) {
    return false;
  }
  for (std::size_t axis = 0; ones && axis < element.dims.size(); ++axis) {
    if (element.dims[axis].is_one() != wanted.dims[axis].is_one() ||
        element.dims[axis].is_unknown() != wanted.dims[axis].is_unknown()) {
      return false;
    }
  }
  return true;
}

constexpr int kDeepestRows = 8;  // a list that holds itself ends here

bool is_row_of_numbers(const Type& type) {
  const Type& item = type.elements.front();
  return item.kind == TypeKind::List ? is_row_of_numbers(item) : item.is_number();
}

Type type_of_items(PyObject* sequence, Arena& arena, std::uint32_t& next_dim, int depth) {
  Type result = Type::of(TypeKind::List);
  result.uniform = true;
  Type element;
  const NumpyTypes& numpy = NumpyTypes::get();
  Signature first = kNoSignature;
  for (const nb::object& item : elements_of(sequence)) {
    const bool same =
        element.is_number() && first != kNoSignature && signature_of(item.ptr(), numpy) == first;
    if (same) continue;
    first = element.kind == TypeKind::Bottom ? signature_of(item.ptr(), numpy) : kNoSignature;
    // Rows of numbers: lists of one element type as well.
    Type one = type_at(1, item.ptr(), arena, next_dim);
    if (PyList_CheckExact(item.ptr()) != 0 && depth < kDeepestRows) {
      const Type row = type_of_items(item.ptr(), arena, next_dim, depth + 1);
      if (is_row_of_numbers(row)) one = row;
    }
    element = join(element, one, arena);
  }
  // Of no item every type holds.
  if (element.kind == TypeKind::Bottom) element = Type::number(DType::Float64);
  result.elements = arena.copy(std::vector<Type>{element});
  return result;
}

}  // namespace

Type type_of_items(PyObject* sequence, Arena& arena, std::uint32_t& next_dim) {
  return type_of_items(sequence, arena, next_dim, 0);
}

namespace {

// Whether items that are arrays of one dtype and rank have that type, by the rules of `join`: an
// axis is 1 if it is so in all of them, and unknown if there are two that are not known to be as
// long. Nothing where an item is something else.
std::optional<bool> arrays_have(PyObject* sequence, const Type& wanted) {
  constexpr int kMostAxes = 8;
  const NumpyTypes& numpy = NumpyTypes::get();
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
  PyObject* const* items = PySequence_Fast_ITEMS(sequence);
  if (!is_array(items[0], numpy)) return std::nullopt;
  const ArrayHead* first = array_head(items[0]);
  const int rank = first->rank;
  const DType dtype = dtype_of_descriptor(first->descriptor);
  if (dtype == DType::Other || rank > kMostAxes) return std::nullopt;
  std::array<bool, kMostAxes> ones{};
  ones.fill(true);
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!is_array(items[i], numpy)) return std::nullopt;
    const ArrayHead* head = array_head(items[i]);
    const bool same =
        head->descriptor == first->descriptor || dtype_of_descriptor(head->descriptor) == dtype;
    if (!same || head->rank != rank) return std::nullopt;
    for (int axis = 0; axis < rank; ++axis) {
      bool& one = ones[static_cast<std::size_t>(axis)];
      one = one && head->lengths[axis] == 1;
    }
  }
  if (!wanted.is_array() || wanted.mixed || wanted.dtype != dtype || wanted.rank != rank)
    return false;
  for (std::size_t axis = 0; axis < wanted.dims.size(); ++axis) {
    const bool unknown = !ones[axis] && size > 1;
    if (wanted.dims[axis].is_one() != ones[axis] || wanted.dims[axis].is_unknown() != unknown)
      return false;
  }
  return true;
}

}  // namespace

bool has_items(PyObject* sequence, const Type& type) {
  if (PySequence_Fast_GET_SIZE(sequence) == 0) return true;
  if (const auto arrays = arrays_have(sequence, type.elements.front())) return *arrays;
  Arena arena;
  std::uint32_t next_dim = 2;
  const Type element = type_of_items(sequence, arena, next_dim).elements.front();
  const Type& wanted = type.elements.front();
  if (element.kind != wanted.kind || element.rank != wanted.rank ||
      element.dims.size() != wanted.dims.size())
    return element == wanted;
  if (element.library != wanted.library) return false;
  if (!element.is_array() && element.kind != TypeKind::Numeric) return element == wanted;
  if (element.dtype != wanted.dtype || element.mixed != wanted.mixed) return false;
  for (std::size_t axis = 0; axis < element.dims.size(); ++axis) {
    if (element.dims[axis].is_one() != wanted.dims[axis].is_one() ||
        element.dims[axis].is_unknown() != wanted.dims[axis].is_unknown())
      return false;
  }
  return true;
}

Type type_of_value(PyObject* object, Arena& arena, std::uint32_t& next_dim) {
  return type_at(0, object, arena, next_dim);
}

bool has_type(PyObject* object, const Type& type, bool ones) {
  return has_type_at(0, object, type, ones);
}

}  // namespace tangent::python
