// The registered kinds of error by name, and the excerpt of source that stands under a message.
//
// In: a kind, or a range and the lines around it. Out: texts; nothing here throws.
#include "base/diagnostics.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tangent {

namespace {

struct Registered {
  std::string_view name;
  std::string_view python_class;
};

constexpr auto kRegistered = std::to_array<Registered>({
#define TANGENT_DIAGNOSTIC(kind, python_class) {#kind, #python_class},
#include "base/diagnostics.def"
#undef TANGENT_DIAGNOSTIC
});

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); }));
}

}  // namespace

std::string_view diagnostic_name(DiagnosticKind kind) {
  return kRegistered.at(static_cast<std::size_t>(kind)).name;
}

std::string_view diagnostic_class(DiagnosticKind kind) {
  return kRegistered.at(static_cast<std::size_t>(kind)).python_class;
}

Diagnostic::Diagnostic(DiagnosticKind kind, std::string message, Ranges ranges, std::string remedy)
    : kind(kind),
      message(std::move(message)),
      ranges(ranges.begin(), ranges.end()),
      remedy(std::move(remedy)) {}

std::string render_excerpt(const SourceRange& range, std::string_view filename,
                           const std::vector<std::string>& lines, std::uint32_t first_line) {
  std::string out = "  \"" + std::string(filename) + "\", line " + std::to_string(range.line) + ":";
  if (range.line < first_line || range.line - first_line >= lines.size()) return out;
  std::string_view line = lines[range.line - first_line];
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);

  const std::size_t indent = std::min(line.find_first_not_of(" \t\f"), line.size());
  const std::string_view shown = line.substr(indent);
  if (shown.empty()) return out;
  const std::size_t length = count_characters(line);
  const std::size_t start = std::clamp<std::size_t>(range.column, indent, length);
  const bool one_line = range.end_line <= range.line;
  // A range over several lines is marked to the end of its first one. At least one caret, so that
  // an empty range (the end of a line) is still seen.
  const std::size_t end = one_line ? std::min<std::size_t>(range.end_column, length) : length;
  const std::size_t carets = end > start ? end - start : 1;

  out += "\n      ";
  out += shown;
  out += "\n      ";
  std::size_t column = indent;
  for (char byte : shown) {
    if (is_continuation(byte)) continue;
    if (column++ == start) break;
    out += byte == '\t' ? '\t' : ' ';  // a tab keeps the width that the terminal gives it
  }
  out.append(carets, '^');
  return out;
}

}  // namespace tangent
