// CPython's `ast` objects -> our surface nodes.
//
// In: a tree that CPython's parser made, and the text that it was made from. Out: nodes in a
// Context, with source ranges in the user's file (columns in characters) and numbers in the user's
// spelling. Syntax of a later Python than the grammar of 3.11 is a diagnostic, as is a tree that is
// nested too deep.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "capture/outside.h"
#include "syntax/build.h"

namespace tangent::python {

// The text that was parsed, and how its places map to the user's file.
class ParsedText {
 public:
  // `text` must outlive this. Line 1 of the text is line `first_line` of the user's file (it may be
  // 0 or negative: lines that were put in front for the parser's sake).
  ParsedText(std::string_view text, FileId file, int first_line);

  // The range of a node whose place the parser gave as lines from 1 and UTF-8 byte offsets.
  [[nodiscard]] SourceRange range(int line, int offset, int end_line, int end_offset) const;
  // The text between two places of one line, or nothing.
  [[nodiscard]] std::string_view slice(int line, int offset, int end_line, int end_offset) const;

 private:
  [[nodiscard]] std::string_view line_text(int line) const;
  [[nodiscard]] std::uint32_t column(int line, int offset) const;

  std::string_view text_;
  std::vector<std::uint32_t> starts_;
  FileId file_;
  int shift_;
  bool ascii_ = true;
};

// Statements of an `ast.Module`.
Block read_module(nanobind::handle module, const ParsedText& text, Context& context);

// An `ast.FunctionDef`, `ast.AsyncFunctionDef` or `ast.Lambda`. Names with two leading underscores
// are mangled as inside `private_class` (empty: not in a class).
CapturedFunction read_function(nanobind::handle node, const ParsedText& text,
                               std::string_view private_class, FileId file, Context& context);

// CPython's parser: the `ast.Module` of a text. Throws nanobind::python_error (SyntaxError).
nanobind::object parse_text(nanobind::handle text, std::string_view filename,
                            int feature_flags = 0);

}  // namespace tangent::python
