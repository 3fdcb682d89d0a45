// Entries of a traceback for the user's lines, by the source map of the emitted text.
#include "runtime/user_lines.h"

#include <frameobject.h>

namespace nb = nanobind;

namespace tangent::runtime {

namespace {

struct Place {
  std::shared_ptr<Variant> variant;
  std::size_t line = 0;  // of the emitted text, from 1
};

// The last entry of the traceback that stands in the text of one of the variants.
Place find_place(const std::vector<std::shared_ptr<Variant>>& variants, nb::handle traceback) {
  Place place;
  nb::object entry = nb::borrow(traceback);
  while (entry.is_valid() && !entry.is_none()) {
    const nb::object file = entry.attr("tb_frame").attr("f_code").attr("co_filename");
    for (const auto& variant : variants) {
      if (PyUnicode_Compare(file.ptr(), variant->filename().ptr()) != 0) continue;
      place = {variant, nb::cast<std::size_t>(entry.attr("tb_lineno"))};
    }
    entry = entry.attr("tb_next");
  }
  return place;
}

// Puts an entry in front of the others of the traceback of the exception that is set.
void add_entry(const SourceRange& range, const python::FileTable& files, nb::handle globals) {
  const python::SourceFile* file = files.find(range.file);
  // The text of a library's loop (lower/library_loops.cpp) is not the user's.
  if (file == nullptr || range.line == 0 || file->name == "<tangent library>") return;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyCodeObject* code =
      PyCode_NewEmpty(file->name.c_str(), file->function.c_str(), static_cast<int>(range.line));
  PyFrameObject* frame =
      code != nullptr ? PyFrame_New(PyThreadState_Get(), code, globals.ptr(), nullptr) : nullptr;
  PyErr_Restore(type, value, traceback);  // also drops what the two lines above may have raised
  if (frame != nullptr) PyTraceBack_Here(frame);
  Py_XDECREF(frame);
  Py_XDECREF(code);
}

}  // namespace

void show_user_lines(const std::vector<std::shared_ptr<Variant>>& variants, nb::handle function) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  std::shared_ptr<Variant> variant;
  SourceRange inner;
  SourceRange outer;
  try {
    const Place place = find_place(variants, traceback);
    if (place.variant != nullptr && place.line <= place.variant->emitted().lines.size()) {
      variant = place.variant;
      inner = variant->emitted().places[place.line - 1];
      // Of an inlined function also the line of the outermost one that called it.
      for (const SourceRange& range : variant->emitted().lines[place.line - 1]) {
        if (inner.line == 0) inner = range;
        if (inner.file != 0 && range.file == 0) outer = range;
      }
    }
  } catch (nb::python_error&) {
    variant = nullptr;  // the traceback stays as it is
  }
  PyErr_Restore(type, value, traceback);
  if (variant == nullptr) return;
  const nb::handle globals = PyFunction_GET_GLOBALS(function.ptr());
  add_entry(inner, variant->files(), globals);
  add_entry(outer, variant->files(), globals);
}

}  // namespace tangent::runtime
