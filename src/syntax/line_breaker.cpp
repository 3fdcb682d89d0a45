// Breaks one logical line of Python that is too long, inside brackets, the way black does.
#include "syntax/line_breaker.h"

#include <algorithm>
#include <optional>

namespace tangent {

namespace {

constexpr std::size_t kIndent = 4;

// Part of the line with its marks, and what is added around it: parentheses, a trailing comma.
struct Piece {
  std::size_t begin, end;   // text
  std::size_t first, last;  // marks
  std::string_view prefix = {};
  std::string_view suffix = {};
};

// The delimiters at one level: the loosest kind, and how many there are of it.
struct Tally {
  std::optional<Delimiter> loosest;
  std::size_t count = 0;

  void add(Delimiter delimiter) {
    if (!loosest || delimiter > *loosest) {
      loosest = delimiter;
      count = 0;
    }
    if (delimiter == *loosest) ++count;
  }
};

struct Pair {
  std::size_t open, close;  // indices of marks
};

struct OptionalPair {
  Pair pair;
  Tally delimiters;
};

// What the surface of a piece (outside of nested brackets) holds.
struct Surface {
  Tally delimiters;                  // outside of optional pairs
  std::optional<Pair> last_bracket;  // the last one that has something in it
  std::optional<OptionalPair> last_optional;
  std::optional<OptionalPair> longest_optional;
};

class Breaker {
 public:
  Breaker(std::string& out, std::string_view line, std::span<const LineMark> marks,
          std::size_t width)
      : out_(out), line_(line), marks_(marks), width_(width), partner_(marks.size(), marks.size()) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i].type == LineMark::Type::Open) {
        open.push_back(i);
      } else if (marks[i].type == LineMark::Type::Close && !open.empty()) {
        partner_[i] = open.back();
        partner_[open.back()] = i;
        open.pop_back();
      }
    }
  }

  void emit(Piece piece, std::size_t indent, bool inside) {
    trim(piece);
    if (fits(piece, piece.end, indent)) return write(piece, indent);
    const Surface surface = scan(piece);
    if (inside && surface.delimiters.loosest) {
      return split_at(piece, *surface.delimiters.loosest, indent);
    }
    if (const auto pair = choose(piece, surface, indent)) {
      return split_around(piece, *pair, indent, inside);
    }
    write(piece, indent);
  }

  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  void trim(Piece& piece) const {
    // What is added in front or behind keeps its space: `return (`, `) = f(x)`.
    while (piece.prefix.empty() && piece.begin < piece.end && line_[piece.begin] == ' ') {
      ++piece.begin;
    }
    while (piece.suffix != "(" && piece.begin < piece.end && line_[piece.end - 1] == ' ') {
      --piece.end;
    }
  }

  [[nodiscard]] bool fits(const Piece& piece, std::size_t end, std::size_t indent) const {
    const std::size_t around = indent + piece.prefix.size() + piece.suffix.size();
    if (around + (end - piece.begin) <= width_) return true;
    return around + width_of(line_.substr(piece.begin, end - piece.begin)) <= width_;
  }

  void write(const Piece& piece, std::size_t indent) {
    out_.append(indent, ' ');
    out_ += piece.prefix;
    out_ += line_.substr(piece.begin, piece.end - piece.begin);
    out_ += piece.suffix;
    out_ += '\n';
    ++count_;
  }

  [[nodiscard]] Surface scan(const Piece& piece) const {
    Surface surface;
    std::optional<OptionalPair> current;
    for (std::size_t i = piece.first; i < piece.last; ++i) {
      const LineMark& mark = marks_[i];
      switch (mark.type) {
        case LineMark::Type::Open: {
          const std::size_t close = partner_[i];
          if (close >= piece.last) break;  // this piece ends with the bracket
          if (mark.optional) {
            current = OptionalPair{{i, close}, {}};
            break;
          }
          if (marks_[close].offset > mark.offset) surface.last_bracket = Pair{i, close};
          i = close;
          break;
        }
        case LineMark::Type::Close:
          if (mark.optional && current) {
            if (!surface.longest_optional ||
                extent(current->pair) > extent(surface.longest_optional->pair)) {
              surface.longest_optional = current;
            }
            surface.last_optional = current;
            current.reset();
          }
          break;
        case LineMark::Type::Delimiter:
          if (mark.offset <= piece.begin) break;  // an operator that the last split put in front
          (current ? current->delimiters : surface.delimiters).add(mark.delimiter);
          break;
      }
    }
    return surface;
  }

  [[nodiscard]] std::size_t extent(const Pair& pair) const {
    return marks_[pair.close].offset - marks_[pair.open].offset;
  }

  // The pair to split around: a bracket of the text, or parentheses that are added. The last place
  // is the best one if all in front of it fits on a line and there is something to split in it.
  [[nodiscard]] std::optional<Pair> choose(const Piece& piece, const Surface& surface,
                                           std::size_t indent) const {
    if (!surface.last_optional) return surface.last_bracket;
    const auto last = choose_in(*surface.last_optional, piece, surface, indent);
    const bool splittable =
        surface.last_optional->delimiters.loosest || !last || !marks_[last->open].optional;
    if (last && splittable && fits(piece, marks_[last->open].offset, indent)) return last;
    return choose_in(*surface.longest_optional, piece, surface, indent);
  }

  [[nodiscard]] std::optional<Pair> choose_in(const OptionalPair& value, const Piece& piece,
                                              const Surface& surface, std::size_t indent) const {
    const auto& [pair, delimiters] = value;
    const bool bracket_within = surface.last_bracket && surface.last_bracket->open > pair.open &&
                                surface.last_bracket->close < pair.close;
    if (!delimiters.loosest) {
      if (bracket_within) return surface.last_bracket;
      const Piece body{marks_[pair.open].offset, marks_[pair.close].offset, 0, 0};
      if (fits(body, body.end, indent + kIndent)) return pair;
      return surface.last_bracket;
    }
    // With one operator and a bracket that ends the value, that bracket is the better place.
    if (delimiters.count == 1 && bracket_within) {
      const std::size_t close = marks_[surface.last_bracket->close].offset;
      const bool ends_the_value = close + 1 == marks_[pair.close].offset;
      if (ends_the_value && fits(piece, marks_[surface.last_bracket->open].offset, indent)) {
        return surface.last_bracket;
      }
    }
    return pair;
  }

  void split_around(const Piece& piece, const Pair& pair, std::size_t indent, bool inside) {
    const LineMark& open = marks_[pair.open];
    const LineMark& close = marks_[pair.close];
    emit({piece.begin, open.offset, piece.first, pair.open, piece.prefix, open.optional ? "(" : ""},
         indent, inside);
    emit({open.offset, close.offset, pair.open + 1, pair.close}, indent + kIndent, true);
    emit({close.offset, piece.end, pair.close + 1, piece.last, close.optional ? ")" : "",
          piece.suffix},
         indent, inside);
  }

  void split_at(const Piece& piece, Delimiter delimiter, std::size_t indent) {
    Piece part{piece.begin, piece.begin, piece.first, piece.first, piece.prefix, {}};
    for (std::size_t i = piece.first; i < piece.last; ++i) {
      const LineMark& mark = marks_[i];
      if (mark.type == LineMark::Type::Open) {
        if (partner_[i] < piece.last) i = partner_[i];
        continue;
      }
      if (mark.type != LineMark::Type::Delimiter || mark.delimiter != delimiter ||
          mark.offset <= piece.begin) {
        continue;
      }
      part.end = mark.offset;
      part.last = i;
      emit(part, indent, true);
      part = {mark.offset, mark.offset, i, i, {}, {}};
    }
    part.end = piece.end;
    part.last = piece.last;
    part.suffix = delimiter == Delimiter::Comma ? "," : piece.suffix;
    emit(part, indent, true);
  }

  std::string& out_;
  std::string_view line_;
  std::span<const LineMark> marks_;
  std::size_t width_;
  std::vector<std::size_t> partner_;
  std::size_t count_ = 0;
};

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::size_t append_broken(std::string& out, std::string_view line, std::span<const LineMark> marks,
                          LineLimits limits) {
  Breaker breaker(out, line, marks, limits.width);
  breaker.emit({0, line.size(), 0, marks.size()}, limits.indent, false);
  return breaker.count();
}

}  // namespace tangent
