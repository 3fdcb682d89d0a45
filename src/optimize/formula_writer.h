// How a formula is written: with subtraction, quotients and roots again, as a person would.
//
// In: a formula and a sink, which makes values of some kind (text, a count, expressions) of
// numbers, atoms and operations. Out: the value of the whole.
#pragma once

#include <algorithm>
#include <cmath>

#include "optimize/formula.h"

namespace tangent::algebra {

// A sink has `Value` and
//     Value number(double, bool integral);   Value atom(const Formula&);
//     Value binary(char op, Value, Value);   op is one of + - * / ^
//     Value negative(Value);                 Value call(std::string_view name, std::vector<Value>);
//     int rank(const F&);                    factors of lower rank come first
//     bool has_root();                       whether there is a sqrt to call
template <class Sink>
class FormulaWriter {
 public:
  using Value = typename Sink::Value;
  explicit FormulaWriter(Sink& sink) : sink_(sink) {}

  Value write(const F& formula) {
    bool below = false;
    const Value value = magnitude(formula, below);
    return below ? sink_.negative(value) : value;
  }

 private:
  // The value without its sign.
  Value magnitude(const F& formula, bool& below) {
    switch (formula->form) {
      case Form::Number:
        below = formula->number < 0.0;
        return sink_.number(std::fabs(formula->number), formula->integral);
      case Form::Atom:
        return sink_.atom(*formula);
      case Form::Sum:
        return sum(formula, below);
      case Form::Function: {
        std::vector<Value> arguments;
        for (const F& part : formula->parts) arguments.push_back(write(part));
        return sink_.call(formula->name, std::move(arguments));
      }
      default:
        return product(formula, below);
    }
  }

  Value sum(const F& formula, bool& below) {
    std::vector<F> order = formula->parts;
    // Numbers last: x + 1.
    std::ranges::stable_sort(order, {}, [&](const F& term) {
      return std::pair(sink_.rank(term), term->is(Form::Number));
    });
    struct Term {
      Value value;
      bool below = false;
    };
    std::vector<Term> terms;
    for (const F& part : order) {
      bool minus = false;
      const Value value = magnitude(part, minus);
      terms.push_back({value, minus});
    }
    // A positive term first, if there is one.
    const auto positive = std::ranges::find(terms, false, &Term::below);
    below = positive == terms.end();
    if (!below) std::rotate(terms.begin(), positive, positive + 1);
    Value result = terms[0].value;
    for (std::size_t k = 1; k < terms.size(); ++k)
      result = sink_.binary(terms[k].below != below ? '-' : '+', result, terms[k].value);
    return result;
  }

  Value product(const F& formula, bool& below) {
    const double coefficient = coefficient_of(formula);
    below = coefficient < 0.0;
    double above = std::fabs(coefficient);
    double divisor = 1.0;
    int exponent = 0;
    const double inverse = std::nearbyint(1.0 / above);
    if (above < 1.0 && std::fabs(1.0 / above - inverse) < 1e-12 &&
        std::frexp(above, &exponent) != 0.5 && inverse < 1e6) {
      divisor = inverse;
      above = 1.0;
    }
    std::vector<F> numerators;
    std::vector<F> denominators;
    for (const F& factor : factors_of(formula)) {
      const Factored split = split_power(factor);
      if (split.exponent < 0.0) {
        denominators.push_back(make_power(split.base, -split.exponent));
      } else {
        numerators.push_back(factor);
      }
    }
    const bool integral = !formula->is(Form::Product) || formula->parts[0]->integral;
    // Sums last: x * (y + 1).
    const auto by_rank = [&](const F& factor) {
      return std::pair(sink_.rank(factor), split_power(factor).base->is(Form::Sum));
    };
    std::ranges::stable_sort(numerators, {}, by_rank);
    std::ranges::stable_sort(denominators, {}, by_rank);
    bool started = above != 1.0 || numerators.empty();
    Value result = started ? sink_.number(above, integral) : Value();
    for (const F& factor : numerators) attach(result, started, power(factor, below));
    if (divisor != 1.0 && denominators.empty()) {
      result = sink_.binary('/', result, sink_.number(divisor, false));
    } else if (!denominators.empty()) {
      bool open = divisor != 1.0;
      Value bottom = open ? sink_.number(divisor, false) : Value();
      for (const F& factor : denominators) attach(bottom, open, power(factor, below));
      result = sink_.binary('/', result, bottom);
    }
    return result;
  }

  void attach(Value& result, bool& started, const Value& factor) {
    result = started ? sink_.binary('*', result, factor) : factor;
    started = true;
  }

  // A factor of a product, a power with its root spelled out.
  Value power(const F& factor, bool& below) {
    bool minus = false;
    if (!factor->is(Form::Power)) {
      const Value value = magnitude(factor, minus);
      below = below != minus;
      return value;
    }
    const F& base = factor->parts[0];
    const F& exponent = factor->parts[1];
    if (exponent->is(Form::Number) && sink_.has_root()) {
      const double whole = std::floor(exponent->number);
      if (exponent->number - whole == 0.5 && whole >= 0.0) {
        Value root = sink_.call("sqrt", {write(base)});
        if (whole == 0.0) return root;
        const Value rest =
            whole == 1.0 ? write(base) : sink_.binary('^', write(base), sink_.number(whole, true));
        return sink_.binary('*', rest, root);
      }
    }
    return sink_.binary('^', write(base), write(exponent));
  }

  Sink& sink_;
};

}  // namespace tangent::algebra
