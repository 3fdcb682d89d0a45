#include "python/errors.h"

#include <string>

#include "python/outside.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

// What a message shows, whatever is in it.
nb::object shown(std::string_view text) { return to_str(text, "replace"); }

// The text of a line of a captured file, or of a built-in rule file.
nb::object source_line(const SourceRange& range, const FileTable& files) {
  if (const SourceFile* file = files.find(range.file)) {
    if (!file->text.is_valid()) {  // another process read it
      const nb::object line =
          nb::module_::import_("linecache").attr("getline")(shown(file->name), range.line);
      return line.attr("rstrip")("\n");
    }
    const auto index = static_cast<Py_ssize_t>(range.line) - file->first_line;
    const nb::object lines = file->text.attr("split")("\n");
    if (index >= 0 && index < PyList_GET_SIZE(lines.ptr())) return lines[index];
  }
  return nb::none();
}

[[noreturn]] void raise(nb::handle exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

}  // namespace

nb::object place_of(const SourceRange& range, const FileTable& files) {
  const SourceFile* file = files.find(range.file);
  const std::string_view name = file != nullptr ? file->name : rule_file_name(range.file);
  return nb::make_tuple(shown(name), range.line, range.column, range.end_line, range.end_column,
                        source_line(range, files));
}

void raise_diagnostic(const Diagnostic& diagnostic, const FileTable& files) {
  nb::list places;
  for (const SourceRange& range : diagnostic.ranges) {
    if (range.line != 0) places.append(place_of(range, files));
  }
  const nb::object make = nb::module_::import_("tangent.errors").attr("from_diagnostic");
  raise(make(shown(diagnostic_name(diagnostic.kind)), shown(diagnostic_class(diagnostic.kind)),
             shown(diagnostic.message), shown(diagnostic.remedy), places));
}

void raise_internal(const std::exception& error) {
  const nb::object make = nb::module_::import_("tangent.errors").attr("internal_error");
  raise(make(shown(error.what())));
}

}  // namespace tangent::python
