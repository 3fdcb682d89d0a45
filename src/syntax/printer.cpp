// The printer's entry points, and the lines it puts together.
#include "syntax/printer.h"

#include <limits>

#include "syntax/writer.h"

namespace tangent {

namespace {
constexpr std::size_t kIndentColumns = 4;
}

void Writer::open(char bracket) {
  line_ += bracket;
  marks_.push_back({static_cast<std::uint32_t>(line_.size()), LineMark::Type::Open});
}

void Writer::close(char bracket) {
  marks_.push_back({static_cast<std::uint32_t>(line_.size()), LineMark::Type::Close});
  line_ += bracket;
}

void Writer::open_optional() {
  marks_.push_back({static_cast<std::uint32_t>(line_.size()), LineMark::Type::Open, true});
}

void Writer::close_optional() {
  marks_.push_back({static_cast<std::uint32_t>(line_.size()), LineMark::Type::Close, true});
}

void Writer::delimiter(Delimiter kind) {
  marks_.push_back(
      {static_cast<std::uint32_t>(line_.size()), LineMark::Type::Delimiter, false, kind});
}

void Writer::comma() {
  put(",");
  delimiter(Delimiter::Comma);
  put(" ");
}

void Writer::note_place(const Expr& expression) {
  if (place_is_final_ || expression.ranges.empty()) return;
  const bool leaf = is<Name>(&expression) || is<Constant>(&expression);
  if (leaf && place_.line != 0) return;
  place_ = expression.ranges[0];
  place_is_final_ = !leaf;
}

void Writer::forget_place() {
  place_ = {};
  place_is_final_ = false;
}

void Writer::end_line(Ranges ranges) {
  const std::size_t indent = static_cast<std::size_t>(level_) * kIndentColumns;
  const auto width = static_cast<std::size_t>(options_.width);
  std::size_t count = 1;
  if (indent + line_.size() <= width || indent + width_of(line_) <= width) {
    text_.append(indent, ' ');
    text_ += line_;
    text_ += '\n';
  } else {
    count = append_broken(text_, line_, marks_, {.width = width, .indent = indent});
  }
  lines_.insert(lines_.end(), count, ranges);
  places_.resize(lines_.size(), place_);
  forget_place();
  line_.clear();
  marks_.clear();
}

void Writer::blank_line(Ranges ranges) {
  text_ += '\n';
  lines_.push_back(ranges);
  places_.emplace_back();
}

PrintedText print(Block block, const PrintOptions& options) {
  Writer writer(options);
  writer.block(block);
  return writer.take_text();
}

std::string print(const Expr* expression) { return print(static_cast<const Node*>(expression)); }

std::string print(const Node* node) {
  const PrintOptions unlimited{.width = std::numeric_limits<int>::max()};
  Writer writer(unlimited);
  writer.node(*node);
  // A statement has ended its lines, an expression or a part stands in the open one.
  std::string text = writer.take_text().text;
  if (text.empty()) return writer.take_line();
  text.pop_back();
  return text;
}

}  // namespace tangent
