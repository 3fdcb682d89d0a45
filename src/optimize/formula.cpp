// The normal form; see formula.h.
#include "optimize/formula.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace tangent::algebra {

namespace {

std::string number_key(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

F made(Form form, std::string name, std::vector<F> parts) {
  auto formula = std::make_shared<Formula>();
  formula->form = form;
  formula->integral = std::ranges::all_of(parts, [](const F& part) { return part->integral; });
  static constexpr const char* kMarks[] = {"", "", "+", "*", "^", ""};
  formula->key = "(" + name + kMarks[static_cast<int>(form)];
  for (const F& part : parts) formula->key += " " + part->key;
  formula->key += ")";
  formula->name = std::move(name);
  formula->parts = std::move(parts);
  return formula;
}

// coefficient * factors, which are in normal form already.
F scaled(double coefficient, bool integral, std::vector<F> factors) {
  if (factors.empty()) return make_number(coefficient, integral);
  if (coefficient == 1.0 && factors.size() == 1) return factors[0];
  if (coefficient != 1.0) factors.insert(factors.begin(), make_number(coefficient, integral));
  return made(Form::Product, {}, std::move(factors));
}

bool is_odd(std::string_view name) {
  return name == "sin" || name == "tan" || name == "sinh" || name == "tanh" || name == "arctan" ||
         name == "arcsin" || name == "arcsinh";
}

bool is_even(std::string_view name) { return name == "cos" || name == "cosh" || name == "abs"; }

// Whether a person would write a minus in front.
bool starts_negative(const F& formula) {
  if (formula->is(Form::Sum)) {
    return std::ranges::all_of(formula->parts,
                               [](const F& term) { return coefficient_of(term) < 0.0; });
  }
  return coefficient_of(formula) < 0.0;
}

}  // namespace

F make_number(double value, bool integral) {
  auto formula = std::make_shared<Formula>();
  formula->number = value == 0.0 ? 0.0 : value;
  formula->integral = integral && is_whole(value) && std::fabs(value) < 1e15;
  formula->key = "#" + number_key(formula->number);
  return formula;
}

F make_atom(std::string name) {
  auto formula = std::make_shared<Formula>();
  formula->form = Form::Atom;
  formula->key = name;
  formula->name = std::move(name);
  return formula;
}

std::vector<F> terms_of(const F& formula) {
  return formula->is(Form::Sum) ? formula->parts : std::vector<F>{formula};
}

double coefficient_of(const F& formula) {
  if (formula->is(Form::Number)) return formula->number;
  if (formula->is(Form::Product) && formula->parts[0]->is(Form::Number))
    return formula->parts[0]->number;
  return 1.0;
}

std::vector<F> factors_of(const F& formula) {
  if (formula->is(Form::Number)) return {};
  if (!formula->is(Form::Product)) return {formula};
  const auto first = formula->parts.begin() + (formula->parts[0]->is(Form::Number) ? 1 : 0);
  return {first, formula->parts.end()};
}

Factored split_power(const F& factor) {
  if (factor->is(Form::Power) && factor->parts[1]->is(Form::Number))
    return {factor->parts[0], factor->parts[1]->number};
  return {factor, 1.0};
}

F make_sum(const std::vector<F>& terms) {
  // By what stands behind the coefficient, in the order of the keys.
  struct Entry {
    double coefficient = 0.0;
    bool integral = true;
    std::vector<F> factors;
  };
  std::map<std::string, Entry> entries;
  const auto add = [&](const F& term) {
    std::vector<F> factors = factors_of(term);
    const F bare = scaled(1.0, true, factors);
    const bool constant = factors.empty();
    Entry& entry = entries[constant ? std::string() : bare->key];
    entry.coefficient += coefficient_of(term);
    const bool has_number =
        term->is(Form::Number) || (term->is(Form::Product) && term->parts[0]->is(Form::Number));
    const F& number = term->is(Form::Product) ? term->parts[0] : term;
    entry.integral = entry.integral && (!has_number || number->integral);
    entry.factors = std::move(factors);
  };
  for (const F& term : terms) {
    for (const F& part : terms_of(term)) add(part);
  }
  std::vector<F> sum;
  for (auto& [key, entry] : entries) {
    if (entry.coefficient != 0.0)
      sum.push_back(scaled(entry.coefficient, entry.integral, std::move(entry.factors)));
  }
  if (sum.empty()) return make_number(0.0);
  return sum.size() == 1 ? sum[0] : made(Form::Sum, {}, std::move(sum));
}

F make_product(std::vector<F> factors) {
  double coefficient = 1.0;
  bool integral = true;
  // The exponents of equal bases.
  std::map<std::string, std::pair<F, std::vector<F>>> powers;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const F factor = factors[k];
    if (factor->is(Form::Number)) {
      coefficient *= factor->number;
      integral = integral && factor->integral;
    } else if (factor->is(Form::Product)) {
      factors.insert(factors.end(), factor->parts.begin(), factor->parts.end());
    } else {
      const bool power = factor->is(Form::Power);
      const F base = power ? factor->parts[0] : factor;
      auto& [known, exponents] = powers[base->key];
      known = base;
      exponents.push_back(power ? factor->parts[1] : make_number(1.0));
    }
  }
  if (coefficient == 0.0) return make_number(0.0);
  std::vector<F> product;
  for (auto& [key, power] : powers) {
    const F exponent = power.second.size() == 1 ? power.second[0] : make_sum(power.second);
    const F factor = make_power(power.first, exponent);
    if (factor->is(Form::Number)) {
      coefficient *= factor->number;
      integral = integral && factor->integral;
    } else if (factor->is(Form::Product)) {
      // A power of a product: its parts join the others.
      std::vector<F> all = product;
      all.insert(all.end(), factor->parts.begin(), factor->parts.end());
      all.push_back(make_number(coefficient, integral));
      bool behind = false;
      for (auto& [other, rest] : powers) {
        if (behind) all.push_back(make_power(rest.first, make_sum(rest.second)));
        behind = behind || other == key;
      }
      return make_product(std::move(all));
    } else {
      product.push_back(factor);
    }
  }
  std::ranges::sort(product, {}, [](const F& factor) { return factor->key; });
  return scaled(coefficient, integral, std::move(product));
}

F make_power(const F& base, double exponent) { return make_power(base, make_number(exponent)); }

F make_power(const F& base, const F& exponent) {
  if (!exponent->is(Form::Number)) return made(Form::Power, {}, {base, exponent});
  const double n = exponent->number;
  if (n == 0.0) return make_number(1.0);
  if (n == 1.0) return base;
  if (base->is(Form::Number)) {
    const double value = std::pow(base->number, n);
    if (std::isfinite(value) && value != 0.0 && (is_whole(n) || is_whole(value)))
      return make_number(value, base->integral && n > 0);
  }
  if (is_whole(n) && base->is(Form::Product)) {
    std::vector<F> factors;
    for (const F& factor : base->parts) factors.push_back(make_power(factor, n));
    return make_product(std::move(factors));
  }
  if (is_whole(n) && base->is(Form::Power) && base->parts[1]->is(Form::Number))
    return make_power(base->parts[0], base->parts[1]->number * n);
  if (is_whole(n) && base->is(Form::Function) && base->name == "abs" && std::fmod(n, 2.0) == 0.0)
    return make_power(base->parts[0], n);
  return made(Form::Power, {}, {base, exponent});
}

F make_function(std::string_view name, std::vector<F> arguments) {
  if (name == "sqrt") return make_power(arguments[0], 0.5);
  if (name == "square") return make_power(arguments[0], 2.0);
  if (arguments.size() == 1 && starts_negative(arguments[0])) {
    if (is_odd(name)) return make_negative(make_function(name, {make_negative(arguments[0])}));
    if (is_even(name)) return make_function(name, {make_negative(arguments[0])});
  }
  return made(Form::Function, std::string(name), std::move(arguments));
}

F make_negative(const F& value) {
  std::vector<F> terms;
  for (const F& term : terms_of(value)) terms.push_back(make_product({make_number(-1.0), term}));
  return make_sum(terms);
}

F make_quotient(const F& numerator, const F& denominator) {
  if (denominator->is(Form::Number) && numerator->is(Form::Number) && denominator->number != 0.0)
    return make_number(numerator->number / denominator->number, false);
  if (denominator->is(Form::Number) && denominator->number != 0.0) {
    const double inverse = 1.0 / denominator->number;
    return make_product({make_number(inverse, false), numerator});
  }
  return make_product({numerator, make_power(denominator, -1.0)});
}

}  // namespace tangent::algebra
