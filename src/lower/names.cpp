// Fresh and readable names (names.h).
#include "lower/names.h"

#include <algorithm>
#include <array>

namespace tangent::lowering {

namespace {

// Longer names than this say less, not more.
constexpr std::size_t kLongest = 24;

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The last part of what is called: `sin` of `np.sin`.
std::string_view last_part(const Expr* function) {
  if (const auto* attribute = as<Attribute>(function)) return attribute->attribute.text();
  if (const auto* name = as<Name>(function)) return name->symbol.text();
  return "call";
}

std::string_view name_of_operator(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::Add:
      return "total";
    case BinaryOperator::Subtract:
      return "difference";
    case BinaryOperator::Multiply:
    case BinaryOperator::MatrixMultiply:
      return "product";
    case BinaryOperator::Divide:
    case BinaryOperator::FloorDivide:
      return "quotient";
    case BinaryOperator::Modulo:
      return "remainder";
    case BinaryOperator::Power:
      return "power";
    default:
      return "bits";
  }
}

// The name at the root of x, x.a, x[i].
std::string_view root_name(const Expr* expression) {
  while (true) {
    if (const auto* name = as<Name>(expression)) return name->symbol.text();
    if (const auto* attribute = as<Attribute>(expression)) {
      expression = attribute->value;
    } else if (const auto* subscript = as<Subscript>(expression)) {
      expression = subscript->value;
    } else {
      return {};
    }
  }
}

}  // namespace

Symbol FreshNames::fresh(std::string_view wish) {
  // A leading underscore marks helpers of our own; `_` alone is the user's "not read".
  const bool unread = wish == "_";
  while (!unread && !wish.empty() && wish.front() == '_') wish.remove_prefix(1);
  std::string base =
      wish.empty() || is_digit(wish.front()) ? "value" + std::string(wish) : std::string(wish);
  if (std::ranges::find(kKeywords, base) != kKeywords.end()) base += "_value";
  const Symbol plain = context_->symbol(base);
  if (taken_.insert(plain).second) return plain;
  if (is_digit(base.back())) base += '_';
  int& number = next_number_.try_emplace(plain, 2).first->second;
  while (true) {
    const Symbol numbered = context_->symbol(base + std::to_string(number++));
    if (taken_.insert(numbered).second) return numbered;
  }
}

std::string describe_call(std::string_view function, Exprs arguments) {
  std::string text(function);
  const bool all_names =
      !arguments.empty() && arguments.size() <= 2 &&
      std::ranges::all_of(arguments, [](const Expr* it) { return is<Name>(it); });
  if (all_names) {
    text += "_of";
    for (const Expr* argument : arguments) {
      text += '_';
      text += as<Name>(argument)->symbol.text();
    }
    if (text.size() <= kLongest) return text;
  }
  return std::string(function) + "_value";
}

std::string describe(const Expr* expression) {
  switch (expression->kind) {
    case Kind::Call: {
      const auto& call = static_cast<const Call&>(*expression);
      return describe_call(last_part(call.function), call.arguments);
    }
    case Kind::BinaryOperation:
      return std::string(name_of_operator(static_cast<const BinaryOperation&>(*expression).op));
    case Kind::UnaryOperation: {
      const auto& unary = static_cast<const UnaryOperation&>(*expression);
      if (unary.op == UnaryOperator::Not) return "test";
      const std::string_view root = root_name(unary.operand);
      return unary.op == UnaryOperator::Minus && !root.empty() ? "minus_" + std::string(root)
                                                               : "value";
    }
    case Kind::Name:
      return std::string(static_cast<const Name&>(*expression).symbol.text()) + "_before";
    case Kind::Attribute: {
      const std::string_view root = root_name(expression);
      const auto& attribute = static_cast<const Attribute&>(*expression);
      if (root.empty()) return std::string(attribute.attribute.text());
      return std::string(root) + "_" + std::string(attribute.attribute.text());
    }
    case Kind::Subscript: {
      const std::string_view root = root_name(expression);
      return root.empty() ? "item" : std::string(root) + "_item";
    }
    case Kind::Comparison:
    case Kind::BooleanOperation:
      return "test";
    case Kind::Conditional:
      return "choice";
    case Kind::TupleDisplay:
    case Kind::ListDisplay:
      return "items";
    case Kind::FormattedString:
      return "text";
    default:
      return "value";
  }
}

std::string describe_position(std::size_t position) {
  constexpr std::array<std::string_view, 4> kWords = {"first", "second", "third", "fourth"};
  if (position < kWords.size()) return std::string(kWords[position]);
  return "item" + std::to_string(position + 1);
}

}  // namespace tangent::lowering
