// The type of a live Python value.
//
// In: an object. Out: its `Type`, and the one-word signature that a guard compares first. NumPy's
// arrays are read through the part of their layout that is the same in NumPy 1 and 2, so that
// neither the build nor the check of a guard needs NumPy's own headers.
#pragma once

#include <Python.h>

#include <cstdint>

#include "types/type.h"

namespace tangent::python {

// The classes whose exact instances are told apart by address.
struct NumpyTypes {
  PyTypeObject* array = nullptr;    // numpy.ndarray
  PyTypeObject* generic = nullptr;  // numpy.generic, the base of all scalars
  PyTypeObject* float64 = nullptr;  // numpy.float64
  PyTypeObject* float32 = nullptr;
  PyTypeObject* int64 = nullptr;
  PyTypeObject* dtype = nullptr;  // numpy.dtype
  PyTypeObject* ufunc = nullptr;  // numpy.ufunc
  static const NumpyTypes& get();
};

// The head of PyArrayObject.
struct ArrayHead {
  PyObject ob_base;
  char* data;
  int rank;
  Py_ssize_t* lengths;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* descriptor;
};

inline bool is_array(PyObject* object, const NumpyTypes& numpy) {
  return Py_TYPE(object) == numpy.array;
}
inline const ArrayHead* array_head(PyObject* object) {
  return reinterpret_cast<const ArrayHead*>(object);
}

// The dtype of an array or of a dtype object.
DType dtype_of_descriptor(PyObject* descriptor);

// Kind, dtype and rank of a value in one word; kNoSignature for a value that needs a look inside.
using Signature = std::uint32_t;
constexpr Signature kNoSignature = 0;
constexpr Signature make_signature(TypeKind kind, DType dtype, int rank) {
  return 0x1000000U | (static_cast<Signature>(kind) << 16U) |
         (static_cast<Signature>(dtype) << 8U) | static_cast<Signature>(rank & 0xFF);
}
Signature signature_of_other(PyObject* object, const NumpyTypes& numpy);
// The signature where the class alone says it, without running Python code; else kNoSignature.
inline Signature signature_at_once(PyObject* object, const NumpyTypes& numpy) {
  if (Py_TYPE(object) == &PyFloat_Type || Py_TYPE(object) == numpy.float64) {
    return make_signature(TypeKind::Number, DType::Float64, 0);
  }
  return signature_of_other(object, numpy);
}
Signature signature_of(PyObject* object, const NumpyTypes& numpy);

// Whose array or tensor a value is, by the names of its classes: no library is imported for it.
// NumPy for everything else.
Library library_of(PyObject* object);
// A number, or an array or tensor without axes.
bool is_scalar(PyObject* object);

// Lengths of array axes become symbols from *next_dim on, or Dim::one(). What is nested deeper than
// any program looks at, as a list that holds itself, is opaque.
// The type of a list that holds the items of a list or tuple, by one element type.
Type type_of_items(PyObject* sequence, Arena& arena, std::uint32_t& next_dim);
// Whether the items of a list or tuple have that type; those of an empty one have any.
bool has_items(PyObject* sequence, const Type& type);

Type type_of_value(PyObject* object, Arena& arena, std::uint32_t& next_dim);

// Whether a value is of a type that type_of_value gave for another one: same kinds, dtypes and
// ranks; with `ones`, the same axes of length 1.
bool has_type(PyObject* object, const Type& type, bool ones);

}  // namespace tangent::python
