// Errors that a user can cause (Diagnostic) and faults of our own (InternalError): two types that
// never mix.
//
// In: a registered kind, a message in the user's terms, the place, a remedy. Out: an exception that
// the binding turns into the Python class named in diagnostics.def, with file, line, source line
// and carets.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace tangent {

enum class DiagnosticKind : std::uint8_t {
#define TANGENT_DIAGNOSTIC(kind, python_class) kind,
#include "base/diagnostics.def"
#undef TANGENT_DIAGNOSTIC
};

// The name of the kind ("NoRule") and of the Python class that it is raised as.
std::string_view diagnostic_name(DiagnosticKind kind);
std::string_view diagnostic_class(DiagnosticKind kind);

class Diagnostic : public std::exception {
 public:
  // message: what is not possible, in the user's spelling; remedy: what to write instead (may be
  // empty).
  Diagnostic(DiagnosticKind kind, std::string message, Ranges ranges, std::string remedy = {});

  [[nodiscard]] const char* what() const noexcept override { return message.c_str(); }

  DiagnosticKind kind;
  std::string message;
  std::vector<SourceRange> ranges;  // the first is the primary one
  std::string remedy;
};

// A broken invariant of ours. The user is asked to report it.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// The text under a diagnostic: the line of source with carets under the range.
//   "file.py", line 3:
//       y = frobnicate(x)
//           ^^^^^^^^^^^^^
// `lines` are the lines of that file's source text that are known, the first being number
// `first_line`.
std::string render_excerpt(const SourceRange& range, std::string_view filename,
                           const std::vector<std::string>& lines, std::uint32_t first_line);

}  // namespace tangent
