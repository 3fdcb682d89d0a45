// Python's str and C++'s text.
//
// In and out: UTF-8. Lone surrogates pass both ways where Python lets them.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace tangent::python {

// The text of a str, as long as that lives.
inline std::string_view view(nanobind::handle text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw nanobind::python_error();
  return {data, static_cast<std::size_t>(size)};
}

inline nanobind::object to_str(std::string_view text, const char* errors = "surrogatepass") {
  PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), errors);
  if (made == nullptr) throw nanobind::python_error();
  return nanobind::steal(made);
}

// The one str of this text that names are looked up with.
inline nanobind::object interned(std::string_view text) {
  PyObject* name = to_str(text).release().ptr();
  PyUnicode_InternInPlace(&name);
  return nanobind::steal(name);
}

}  // namespace tangent::python
