// Expanding, dividing and factoring of formulas; see algebra.h.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "optimize/algebra.h"

namespace tangent::algebra {

namespace {

constexpr std::size_t kMostTerms = 64;
constexpr double kLargestPower = 6.0;

std::optional<std::vector<F>> product_of(const std::vector<F>& left, const std::vector<F>& right) {
  if (left.size() * right.size() > kMostTerms) return std::nullopt;
  std::vector<F> terms;
  for (const F& a : left) {
    for (const F& b : right) terms.push_back(make_product({a, b}));
  }
  return terms_of(make_sum(terms));
}

// The power of a base in a term.
double exponent_in(const F& term, const std::string& key) {
  for (const F& factor : factors_of(term)) {
    const Factored split = split_power(factor);
    if (split.base->key == key) return split.exponent;
  }
  return 0.0;
}

// term / divisor; coefficients are divided as such: 1.4 / 1.4 is 1.
F divided(const F& term, const F& divisor) {
  std::vector<F> factors = factors_of(term);
  for (const F& factor : factors_of(divisor)) factors.push_back(make_power(factor, -1.0));
  const double ratio = coefficient_of(term) / coefficient_of(divisor);
  const auto is_integral = [](const F& formula) {
    return formula->is(Form::Product)
               ? !formula->parts[0]->is(Form::Number) || formula->parts[0]->integral
               : !formula->is(Form::Number) || formula->integral;
  };
  factors.push_back(make_number(ratio, is_integral(term) && is_integral(divisor)));
  return make_product(std::move(factors));
}

// The part that all terms share: powers of bases, and the size of the coefficient.
F common_factor(const std::vector<F>& terms) {
  std::vector<F> common;
  for (const F& factor : factors_of(terms[0])) {
    const Factored split = split_power(factor);
    double exponent = split.exponent;
    for (const F& term : terms) {
      const double other = exponent_in(term, split.base->key);
      if (other == 0.0 || (other > 0.0) != (exponent > 0.0)) {
        exponent = 0.0;
        break;
      }
      exponent = exponent > 0.0 ? std::min(exponent, other) : std::max(exponent, other);
    }
    if (exponent != 0.0) common.push_back(make_power(split.base, exponent));
  }
  const double size = std::fabs(coefficient_of(terms[0]));
  const bool shared = std::ranges::all_of(terms, [&](const F& term) {
    const double ratio = coefficient_of(term) / size;
    return size >= 1.0 ? is_whole(ratio) : std::fabs(ratio) == 1.0;
  });
  if (shared && size != 1.0) common.push_back(make_number(size, is_whole(size)));
  return make_product(std::move(common));
}

// Bases that a group of terms may be divided by.
std::vector<F> bases_of(const std::vector<F>& terms) {
  std::map<std::string, std::pair<F, int>> counts;
  for (const F& term : terms) {
    for (const F& factor : factors_of(term)) {
      const Factored split = split_power(factor);
      const F base = split.exponent < 0.0 ? make_power(split.base, -1.0) : split.base;
      auto& [known, count] = counts[base->key];
      known = base;
      ++count;
    }
    const double size = std::fabs(coefficient_of(term));
    if (size == 1.0 || factors_of(term).empty()) continue;
    auto& [known, count] = counts["#" + std::to_string(size)];
    known = make_number(size, is_whole(size));
    ++count;
  }
  std::vector<F> bases;
  for (const auto& [key, entry] : counts) {
    if (entry.second > 1) bases.push_back(entry.first);
  }
  return bases;
}

bool is_divisible(const F& term, const F& base) {
  if (base->is(Form::Number)) return std::fabs(coefficient_of(term)) == base->number;
  const Factored split = split_power(base);
  const double exponent = exponent_in(term, split.base->key);
  return split.exponent < 0.0 ? exponent < 0.0 : exponent >= 1.0;
}

F factored_sum(const F& sum, int depth);

// `base * (the terms with it) + the others`, or nothing if that is no less.
F grouped(const F& sum, const F& base, int depth) {
  std::vector<F> inside;
  std::vector<F> outside;
  for (const F& term : sum->parts) {
    if (is_divisible(term, base)) {
      inside.push_back(divided(term, base));
    } else {
      outside.push_back(term);
    }
  }
  if (inside.size() < 2) return nullptr;
  F group = make_product({base, factored_sum(make_sum(inside), depth + 1)});
  if (outside.empty()) return group;
  return make_sum({group, factored_sum(make_sum(outside), depth + 1)});
}

F factored_sum(const F& sum, int depth) {
  constexpr int kDeepest = 6;
  if (!sum->is(Form::Sum) || depth > kDeepest) return sum;
  const F common = common_factor(sum->parts);
  if (!common->is(Form::Number) || common->number != 1.0) {
    std::vector<F> rest;
    for (const F& term : sum->parts) rest.push_back(divided(term, common));
    return make_product({common, factored_sum(make_sum(rest), depth + 1)});
  }
  F best = sum;
  int least = operations(sum);
  if (sum->parts.size() > 16) return best;
  for (const F& base : bases_of(sum->parts)) {
    const F candidate = grouped(sum, base, depth);
    if (candidate == nullptr) continue;
    const int count = operations(candidate);
    if (count < least) {
      best = candidate;
      least = count;
    }
  }
  return best;
}

// --- division of sums as polynomials in their bases

using Monomial = std::map<std::string, double>;

std::optional<Monomial> monomial_of(const F& term) {
  Monomial monomial;
  for (const F& factor : factors_of(term)) {
    const Factored split = split_power(factor);
    if (split.exponent < 0.0 || !is_whole(split.exponent)) return std::nullopt;
    monomial[split.base->key] = split.exponent;
  }
  return monomial;
}

// The term that comes first in the order of the bases, then of the powers.
const F& leading(const std::vector<F>& terms, const std::set<std::string>& bases) {
  const auto before = [&](const F& a, const F& b) {
    for (const std::string& base : bases) {
      const double left = exponent_in(a, base);
      const double right = exponent_in(b, base);
      if (left != right) return left > right;
    }
    return false;
  };
  return *std::ranges::min_element(terms, before);
}

std::optional<F> quotient(const F& numerator, const F& denominator) {
  std::set<std::string> bases;
  for (const F& formula : {numerator, denominator}) {
    for (const F& term : terms_of(formula)) {
      const auto monomial = monomial_of(term);
      if (!monomial) return std::nullopt;
      for (const auto& [base, exponent] : *monomial) bases.insert(base);
    }
  }
  const F first = leading(terms_of(denominator), bases);
  std::vector<F> result;
  F rest = numerator;
  for (std::size_t step = 0; step < kMostTerms; ++step) {
    if (rest->is_number(0.0)) return make_sum(result);
    const F term = divided(leading(terms_of(rest), bases), first);
    if (!monomial_of(term)) return std::nullopt;
    result.push_back(term);
    const auto product = product_of({term}, terms_of(denominator));
    if (!product) return std::nullopt;
    rest = make_sum({rest, make_negative(make_sum(*product))});
  }
  return std::nullopt;
}

}  // namespace

F expand(const F& formula) {
  F now = with_parts(formula, [](const F& part) { return expand(part); });
  std::vector<F> terms{make_number(1.0)};
  const std::vector<F> factors = now->is(Form::Product) ? now->parts : std::vector<F>{now};
  for (const F& factor : factors) {
    const Factored split = split_power(factor);
    const bool opens = split.base->is(Form::Sum) && split.exponent > 0.0 &&
                       is_whole(split.exponent) && split.exponent <= kLargestPower;
    const std::vector<F> inner = opens ? split.base->parts : std::vector<F>{factor};
    for (double k = 0.0; k < (opens ? split.exponent : 1.0); k += 1.0) {
      const auto product = product_of(terms, inner);
      if (!product) return now;
      terms = *product;
    }
  }
  return make_sum(terms);
}

F cancel(const F& formula) {
  F now = with_parts(formula, [](const F& part) { return cancel(part); });
  if (!now->is(Form::Product)) return now;
  for (const F& below : now->parts) {
    const Factored bottom = split_power(below);
    if (!bottom.base->is(Form::Sum) || bottom.exponent >= 0.0) continue;
    const F denominator = expand(bottom.base);
    for (const F& above : now->parts) {
      const Factored top = split_power(above);
      if (!top.base->is(Form::Sum) || top.exponent < 1.0) continue;
      const auto divided_by = quotient(expand(top.base), denominator);
      if (!divided_by) continue;
      return cancel(make_product({now, make_power(top.base, -1.0), bottom.base, *divided_by}));
    }
  }
  return now;
}

F factor_out(const F& formula) {
  F now = with_parts(formula, [](const F& part) { return factor_out(part); });
  return factored_sum(now, 0);
}

F simplify(const F& formula) {
  F best = formula;
  int least = operations(formula);
  const auto consider = [&](const F& candidate) {
    const int count = operations(candidate);
    if (count >= least) return;
    best = candidate;
    least = count;
  };
  const auto improve = [&](F now) {
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      now = apply_rules(now);
      consider(now);
      const F factored = cancel(factor_out(now));
      consider(factored);
      if (factored->key == now->key) break;
      now = factored;
    }
  };
  improve(formula);
  improve(cancel(formula));
  improve(expand(formula));
  return best;
}

}  // namespace tangent::algebra
