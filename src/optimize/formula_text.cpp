// Formulas as text, both ways; see formula.h.
#include <cctype>
#include <cstdlib>

#include "optimize/formula.h"
#include "optimize/formula_writer.h"

namespace tangent::algebra {

namespace {

// Counts what is written.
struct CountingSink {
  using Value = int;
  static int number(double /*value*/, bool /*integral*/) { return 0; }
  static int atom(const Formula& /*atom*/) { return 0; }
  static int binary(char /*op*/, int a, int b) { return a + b + 1; }
  static int negative(int a) { return a + 1; }
  static int call(std::string_view /*name*/, const std::vector<int>& arguments) {
    int count = 1;
    for (const int argument : arguments) count += argument;
    return count;
  }
  static int rank(const F& /*factor*/) { return 0; }
  static bool has_root() { return true; }
};

struct TextSink {
  struct Value {
    std::string text;
    int strength = 0;  // how tightly its last operation binds
  };
  static constexpr int kSum = 1;
  static constexpr int kProduct = 2;
  static constexpr int kPower = 3;
  static constexpr int kWhole = 4;

  static std::string bound(const Value& value, int strength) {
    return value.strength < strength ? "(" + value.text + ")" : value.text;
  }
  static Value number(double value, bool integral) {
    char buffer[40];
    for (int digits = 1; digits <= 17; ++digits) {
      std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
      if (std::strtod(buffer, nullptr) == value) break;
    }
    std::string text = buffer;
    if (!integral && text.find_first_of(".en") == std::string::npos) text += ".0";
    return {text, kWhole};
  }
  static Value atom(const Formula& atom) { return {atom.name, kWhole}; }
  static Value negative(const Value& value) { return {"-" + bound(value, kProduct), kSum}; }
  static Value binary(char op, const Value& a, const Value& b) {
    switch (op) {
      case '+':
      case '-':
        return {bound(a, kSum) + ' ' + op + ' ' + bound(b, kProduct), kSum};
      case '*':
      case '/':
        return {bound(a, kProduct) + ' ' + op + ' ' + bound(b, kPower), kProduct};
      default:
        return {bound(a, kWhole) + " ** " + bound(b, kPower), kPower};
    }
  }
  static Value call(std::string_view name, const std::vector<Value>& arguments) {
    std::string text = std::string(name) + "(";
    for (std::size_t k = 0; k < arguments.size(); ++k)
      text += (k > 0 ? ", " : "") + arguments[k].text;
    return {text + ")", kWhole};
  }
  static int rank(const F& /*factor*/) { return 0; }
  static bool has_root() { return true; }
};

// Recursive descent over Python's arithmetic.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  F parse() {
    F formula = sum();
    skip();
    return formula != nullptr && at_ == text_.size() ? formula : nullptr;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    // `*` is no half of `**`.
    if (token == "*" && text_.substr(at_).starts_with("**")) return false;
    at_ += token.size();
    return true;
  }

  F sum() {
    F left = product();
    while (left != nullptr) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      const F right = product();
      if (right == nullptr) return nullptr;
      left = make_sum({left, plus ? right : make_negative(right)});
    }
    return left;
  }
  F product() {
    F left = factor();
    while (left != nullptr) {
      const bool times = take("*");
      if (!times && !take("/")) break;
      const F right = factor();
      if (right == nullptr) return nullptr;
      left = times ? make_product({left, right}) : make_quotient(left, right);
    }
    return left;
  }
  F factor() {
    if (take("-")) {
      const F operand = factor();
      return operand != nullptr ? make_negative(operand) : nullptr;
    }
    if (take("+")) return factor();
    F base = primary();
    if (base == nullptr || !take("**")) return base;
    const F exponent = factor();
    return exponent != nullptr ? make_power(base, exponent) : nullptr;
  }
  F primary() {
    skip();
    if (take("(")) {
      F inner = sum();
      return take(")") ? inner : nullptr;
    }
    if (at_ >= text_.size()) return nullptr;
    const std::size_t start = at_;
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.') {
      const std::string rest(text_.substr(at_));
      char* end = nullptr;
      const double value = std::strtod(rest.c_str(), &end);
      const auto length = static_cast<std::size_t>(end - rest.c_str());
      at_ += length;
      const bool integral = rest.substr(0, length).find_first_of(".eE") == std::string::npos;
      return make_number(value, integral);
    }
    const auto is_letter = [&] {
      return at_ < text_.size() &&
             (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_');
    };
    while (is_letter()) ++at_;
    if (at_ == start) return nullptr;
    std::string name(text_.substr(start, at_ - start));
    if (!take("(")) return make_atom(std::move(name));
    std::vector<F> arguments;
    do {
      const F argument = sum();
      if (argument == nullptr) return nullptr;
      arguments.push_back(argument);
    } while (take(","));
    return take(")") ? make_function(name, std::move(arguments)) : nullptr;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

int operations(const F& formula) {
  CountingSink sink;
  return FormulaWriter<CountingSink>(sink).write(formula);
}

std::string text(const F& formula) {
  TextSink sink;
  return FormulaWriter<TextSink>(sink).write(formula).text;
}

F parse_formula(std::string_view text) { return FormulaParser(text).parse(); }

}  // namespace tangent::algebra
