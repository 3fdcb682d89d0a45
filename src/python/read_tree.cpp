#include "python/read_tree.h"

#include <cstring>

#include "python/tree_reader.h"

namespace nb = nanobind;

namespace tangent::python {

// ---------------------------------------------------------------------------------------------------
// Places

ParsedText::ParsedText(std::string_view text, FileId file, int first_line)
    : text_(text), file_(file), shift_(first_line - 1) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      starts_.push_back(static_cast<std::uint32_t>(i + 1));
    } else if (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      starts_.push_back(static_cast<std::uint32_t>(i + 1));
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      ascii_ = false;
    }
  }
}

std::string_view ParsedText::line_text(int line) const {
  if (line < 1 || static_cast<std::size_t>(line) > starts_.size()) return {};
  const std::size_t start = starts_[static_cast<std::size_t>(line) - 1];
  const std::size_t end = static_cast<std::size_t>(line) < starts_.size()
                              ? starts_[static_cast<std::size_t>(line)]
                              : text_.size();
  return text_.substr(start, end - start);
}

std::uint32_t ParsedText::column(int line, int offset) const {
  if (offset <= 0) return 0;
  if (ascii_) return static_cast<std::uint32_t>(offset);
  std::uint32_t count = 0;
  for (const char c : line_text(line).substr(0, static_cast<std::size_t>(offset))) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++count;
  }
  return count;
}

SourceRange ParsedText::range(int line, int offset, int end_line, int end_offset) const {
  auto user_line = [&](int of_text) {
    const int of_file = of_text + shift_;
    return of_file < 0 ? 0U : static_cast<std::uint32_t>(of_file);
  };
  return {.file = file_,
          .line = user_line(line),
          .column = column(line, offset),
          .end_line = user_line(end_line),
          .end_column = column(end_line, end_offset)};
}

std::string_view ParsedText::slice(int line, int offset, int end_line, int end_offset) const {
  const std::string_view whole = line_text(line);
  if (line != end_line || offset < 0 || end_offset <= offset ||
      static_cast<std::size_t>(end_offset) > whole.size()) {
    return {};
  }
  return whole.substr(static_cast<std::size_t>(offset),
                      static_cast<std::size_t>(end_offset - offset));
}

// ---------------------------------------------------------------------------------------------------
// Fields

nb::object TreeReader::get(nb::handle node, PyObject* field) {
  // Fields are in the node's own dict, which needs no search in its class; those that are missing
  // there may be the class's.
  PyObject** dict = _PyObject_GetDictPtr(node.ptr());
  if (dict != nullptr && *dict != nullptr) {
    if (PyObject* own = PyDict_GetItemWithError(*dict, field)) return nb::borrow(own);
  }
  PyObject* value = PyObject_GetAttr(node.ptr(), field);
  if (value == nullptr) throw nb::python_error();
  return nb::steal(value);
}

int TreeReader::get_int(nb::handle node, PyObject* field) {
  const nb::object value = get(node, field);
  if (value.is_none()) return 0;
  const long number = PyLong_AsLong(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return static_cast<int>(number);
}

std::string_view TreeReader::text_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

Symbol TreeReader::symbol_of(nb::handle text) {
  if (text.is_none()) return {};
  return mangled(text_of(text));
}

Symbol TreeReader::get_symbol(nb::handle node, PyObject* field) {
  return symbol_of(get(node, field));
}

// Inside a class, `__name` means `_Class__name`.
Symbol TreeReader::mangled(std::string_view text) {
  if (private_class_.empty() || !text.starts_with("__") || text.ends_with("__") ||
      text.find('.') != std::string_view::npos) {
    return context_.symbol(text);
  }
  const std::size_t start = private_class_.find_first_not_of('_');
  if (start == std::string::npos) return context_.symbol(text);
  std::string full = "_";
  full += std::string_view(private_class_).substr(start);
  full += text;
  return context_.symbol(full);
}

Ranges TreeReader::place(nb::handle node) {
  const int line = get_int(node, field_.lineno);
  const int offset = get_int(node, field_.col_offset);
  const int end_line = get_int(node, field_.end_lineno);
  const int end_offset = get_int(node, field_.end_col_offset);
  return context_.list({text_.range(line, offset, end_line, end_offset)});
}

// From the start of one node to the end of another.
Ranges TreeReader::spanning(const Node* first, const Node* last) {
  SourceRange range = first->ranges.front();
  range.end_line = last->ranges.front().end_line;
  range.end_column = last->ranges.front().end_column;
  return context_.list({range});
}

// Of a statement with a block inside: the line that the block hangs on, from its keyword to the end
// of the expression that is last in it.
Ranges TreeReader::header(nb::handle node, const Node* last) {
  SourceRange range = place(node).front();
  range.end_line = last->ranges.front().end_line;
  range.end_column = last->ranges.front().end_column;
  return context_.list({range});
}

const Expr* TreeReader::child(nb::handle node, PyObject* field) {
  return expression(get(node, field));
}

const Expr* TreeReader::optional_child(nb::handle node, PyObject* field) {
  const nb::object value = get(node, field);
  return value.is_none() ? nullptr : expression(value);
}

Exprs TreeReader::children(nb::handle node, PyObject* field) {
  const nb::object list = get(node, field);
  return each(list, [&](nb::handle item) { return item.is_none() ? nullptr : expression(item); });
}

Block TreeReader::statements(nb::handle node, PyObject* field) { return block(get(node, field)); }

Block TreeReader::block(nb::handle list) {
  return each(list, [&](nb::handle item) { return statement(item); });
}

void TreeReader::refuse(nb::handle node) {
  const nb::object name = nb::steal(PyType_GetName(Py_TYPE(node.ptr())));
  throw Diagnostic(
      DiagnosticKind::UnsupportedSyntax,
      "syntax of a newer Python than 3.11 (" + std::string(text_of(name)) + ") is not supported",
      PyObject_HasAttr(node.ptr(), field_.lineno) != 0 ? place(node) : Ranges{},
      "write it with the syntax of Python 3.11");
}

// ---------------------------------------------------------------------------------------------------
// Entry points

Block read_module(nb::handle module, const ParsedText& text, Context& context) {
  TreeReader reader(text, {}, context);
  PyObject* body = PyObject_GetAttr(module.ptr(), AstTable::get().field.body);
  if (body == nullptr) throw nb::python_error();
  return reader.block(nb::steal(body));
}

CapturedFunction read_function(nb::handle node, const ParsedText& text,
                               std::string_view private_class, FileId file, Context& context) {
  TreeReader reader(text, private_class, context);
  const auto& classes = AstTable::get().classes;
  auto found = classes.find(Py_TYPE(node.ptr()));
  return {.definition = reader.function(node),
          .file = file,
          .is_lambda = found != classes.end() && found->second == AstClass::Lambda};
}

nb::object parse_text(nb::handle text, std::string_view filename, int feature_flags) {
  const nb::object name = nb::steal(
      PyUnicode_FromStringAndSize(filename.data(), static_cast<Py_ssize_t>(filename.size())));
  const char* source = PyUnicode_AsUTF8(text.ptr());
  if (source == nullptr) throw nb::python_error();
  PyCompilerFlags flags{};
  flags.cf_flags = PyCF_ONLY_AST | PyCF_IGNORE_COOKIE | PyCF_SOURCE_IS_UTF8 | feature_flags;
  flags.cf_feature_version = PY_MINOR_VERSION;
  PyObject* tree = Py_CompileStringObject(source, name.ptr(), Py_file_input, &flags, -1);
  if (tree == nullptr) throw nb::python_error();
  return nb::steal(tree);
}

}  // namespace tangent::python
