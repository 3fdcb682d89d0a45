// Numbers and strings as Python spells them.
#include "syntax/literals.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/diagnostics.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

void append_hex(std::string& out, char letter, std::uint32_t value, int digits) {
  out += '\\';
  out += letter;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += kHexDigits[(value >> static_cast<unsigned>(shift)) & 0xFU];
  }
}

struct CodePoint {
  std::uint32_t value;
  std::size_t length;  // in bytes
};

CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(0);
  const auto tail = [&](std::size_t i) { return byte(i) & 0x3FU; };
  if (lead < 0xC0 || text.size() < 2) return {lead, 1};
  if (lead < 0xE0 || text.size() < 3) return {(lead & 0x1FU) << 6U | tail(1), 2};
  if (lead < 0xF0 || text.size() < 4) return {(lead & 0x0FU) << 12U | tail(1) << 6U | tail(2), 3};
  return {(lead & 0x07U) << 18U | tail(1) << 12U | tail(2) << 6U | tail(3), 4};
}

// Characters that cannot be told apart in print, or that a source file cannot hold.
bool is_invisible(std::uint32_t point) {
  return (point >= 0x7F && point <= 0xA0) || point == 0xAD || point == 0x061C || point == 0x1680 ||
         point == 0x180E || (point >= 0x2000 && point <= 0x200F) ||
         (point >= 0x2028 && point <= 0x202F) || (point >= 0x205F && point <= 0x206F) ||
         point == 0x3000 || (point >= 0xD800 && point <= 0xF8FF) || point == 0xFEFF ||
         (point >= 0xFFF0 && point <= 0xFFFB) || (point & 0xFFFEU) == 0xFFFE || point >= 0xE0000;
}

// The escape of a control character, a backslash; empty if there is no short one.
std::string_view short_escape(std::uint32_t point) {
  switch (point) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      return {};
  }
}

}  // namespace

std::string_view preferred_quote(std::string_view text) {
  const bool single = text.find('\'') != std::string_view::npos;
  return single && text.find('"') == std::string_view::npos ? "\"" : "'";
}

void append_escaped(std::string& out, std::string_view text, std::string_view quote) {
  const bool triple = quote.size() == 3;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode(text.substr(i));
    if (triple && point.value == '\n') {
      out += '\n';
    } else if (point.value == static_cast<unsigned char>(quote[0])) {
      // Inside triple quotes a quote is plain unless it could end the string.
      const bool plain = triple && i + 1 < text.size() && text[i + 1] != quote[0];
      if (!plain) out += '\\';
      out += quote[0];
    } else if (const auto escape = short_escape(point.value); !escape.empty()) {
      out += escape;
    } else if (point.value < 0x20 || (point.value >= 0x7F && point.value <= 0xA0) ||
               point.value == 0xAD) {
      append_hex(out, 'x', point.value, 2);
    } else if (is_invisible(point.value)) {
      const bool wide = point.value > 0xFFFF;
      append_hex(out, wide ? 'U' : 'u', point.value, wide ? 8 : 4);
    } else {
      out += text.substr(i, point.length);
    }
    i += point.length;
  }
}

void append_string(std::string& out, std::string_view text) {
  const std::string_view quote = preferred_quote(text);
  out += quote;
  append_escaped(out, text, quote);
  out += quote;
}

void append_bytes(std::string& out, std::string_view bytes) {
  const char quote = preferred_quote(bytes)[0];
  out += 'b';
  out += quote;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    if (byte == quote) {
      out += '\\';
      out += byte;
    } else if (const auto escape = short_escape(value); !escape.empty()) {
      out += escape;
    } else if (value < 0x20 || value >= 0x7F) {
      append_hex(out, 'x', value, 2);
    } else {
      out += byte;
    }
  }
  out += quote;
}

std::string format_number(double value) {
  // A literal too large for a double reads as infinity; there is no literal for NaN.
  if (std::isnan(value)) return "(1e309 - 1e309)";
  if (std::isinf(value)) return value > 0 ? "1e309" : "-1e309";
  std::array<char, 32> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));

  std::string out;
  if (text.front() == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  const std::size_t mark = text.find('e');
  std::string digits(1, text.front());
  if (mark > 2) digits += text.substr(2, mark - 2);
  int exponent = 0;
  const std::string_view power = text.substr(text[mark + 1] == '+' ? mark + 2 : mark + 1);
  std::from_chars(power.data(), power.data() + power.size(), exponent);

  // Python's repr keeps 0.0001 in full; 1e-4 and 2.5e-4 are shorter and read more easily.
  if (exponent < -3 || exponent >= 16) {
    out += digits[0];
    if (digits.size() > 1) out += '.' + digits.substr(1);
    return out + 'e' + std::to_string(exponent);
  }
  if (exponent < 0) {
    out += "0.";
    for (int place = -1; place > exponent; --place) out += '0';
    return out + digits;
  }
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    digits.append(whole - digits.size(), '0');
    return out + digits + ".0";
  }
  return out + digits.substr(0, whole) + '.' + digits.substr(whole);
}

void append_literal(std::string& out, const Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::None:
      out += "None";
      return;
    case LiteralKind::False:
      out += "False";
      return;
    case LiteralKind::True:
      out += "True";
      return;
    case LiteralKind::Ellipsis:
      out += "...";
      return;
    case LiteralKind::Integer:
      out += literal.text.empty() ? std::to_string(literal.integer) : literal.text;
      return;
    case LiteralKind::BigInteger:
      out += literal.text;
      return;
    case LiteralKind::Float:
      out += literal.text.empty() ? format_number(literal.number) : literal.text;
      return;
    case LiteralKind::Imaginary: {
      std::string number = format_number(literal.number);
      if (number.ends_with(".0")) number.resize(number.size() - 2);
      out += number;
      out += 'j';
      return;
    }
    case LiteralKind::String:
      append_string(out, literal.text);
      return;
    case LiteralKind::Bytes:
      append_bytes(out, literal.text);
      return;
  }
  throw InternalError("a literal of no kind");
}

bool is_negative(const Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::Integer:
      return literal.integer < 0;
    case LiteralKind::BigInteger:
      return literal.text.starts_with('-');
    case LiteralKind::Float:
    case LiteralKind::Imaginary:
      return std::signbit(literal.number) && !std::isnan(literal.number);
    default:
      return false;
  }
}

}  // namespace tangent
