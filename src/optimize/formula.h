// Formulas: expressions of arithmetic in a normal form, in which equal ones have equal keys.
//
// A formula is a number, an atom (whatever algebra does not look into), a sum, a product, a power
// or a call of a known function. Sums and products are flat and sorted, numbers in them are folded,
// equal terms and equal bases are joined; a difference is a sum with a negative coefficient, a
// quotient a product with a negative power, a square root the power 0.5. What is made here is never
// changed; formulas share their parts.
//
// In: formulas. Out: formulas. From and to expressions of a program: formula_expressions.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tangent::algebra {

struct Formula;
using F = std::shared_ptr<const Formula>;

enum class Form : std::uint8_t { Number, Atom, Sum, Product, Power, Function };

struct Formula {
  Form form = Form::Number;
  double number = 0.0;
  bool integral = true;  // every number in it was written without a point
  std::string name;      // of an atom or a function
  // The terms of a sum; the factors of a product, a number only first; base and exponent;
  // arguments.
  std::vector<F> parts;
  std::string key;

  [[nodiscard]] bool is(Form other) const { return form == other; }
  [[nodiscard]] bool is_number(double value) const {
    return form == Form::Number && number == value;
  }
};

inline bool is_whole(double value) { return std::nearbyint(value) == value; }

F make_number(double value, bool integral = true);
F make_atom(std::string name);
F make_sum(const std::vector<F>& terms);
F make_product(std::vector<F> factors);
F make_power(const F& base, const F& exponent);
F make_power(const F& base, double exponent);
F make_function(std::string_view name, std::vector<F> arguments);
F make_negative(const F& value);
F make_quotient(const F& numerator, const F& denominator);

// The terms of a sum, else the formula alone.
std::vector<F> terms_of(const F& formula);
// The factors of a product without its coefficient, else the formula alone.
std::vector<F> factors_of(const F& formula);
double coefficient_of(const F& formula);
// A factor as base ** exponent, where the exponent is a number.
struct Factored {
  F base;
  double exponent = 1.0;
};
Factored split_power(const F& factor);

// The same with f applied to every part, made anew.
template <class Function>
F with_parts(const F& formula, Function&& f) {
  if (formula->parts.empty()) return formula;
  std::vector<F> parts;
  parts.reserve(formula->parts.size());
  for (const F& part : formula->parts) parts.push_back(f(part));
  switch (formula->form) {
    case Form::Sum:
      return make_sum(parts);
    case Form::Product:
      return make_product(std::move(parts));
    case Form::Power:
      return make_power(parts[0], parts[1]);
    default:
      return make_function(formula->name, std::move(parts));
  }
}

// How many operations and calls it takes as it is written (see `text`).
int operations(const F& formula);
// The formula in Python's notation, functions by their bare names.
std::string text(const F& formula);
// Reads that notation; null if it is none.
F parse_formula(std::string_view text);

}  // namespace tangent::algebra
