// The rules of algebra, searched for in any order of terms and factors; see algebra_rules.def.
//
// A rule for a sum of two terms is tried on every pair of terms, and holds with any factor that
// both have in common; a rule for a product of two factors is tried on every pair of factors.
#include <map>
#include <optional>

#include "optimize/algebra.h"

namespace tangent::algebra {

namespace {

using Bindings = std::map<std::string, F>;

struct AlgebraRule {
  F from;
  F to;
};

const std::vector<AlgebraRule>& rules() {
  static const std::vector<AlgebraRule> kRules = [] {
    std::vector<AlgebraRule> found;
#define RULE(from, to, example, result) found.push_back({parse_formula(from), parse_formula(to)});
#include "optimize/algebra_rules.def"
    return found;
  }();
  return kRules;
}

F substituted(const F& pattern, const Bindings& bindings) {
  if (pattern->is(Form::Atom)) return bindings.at(pattern->name);
  return with_parts(pattern, [&](const F& part) { return substituted(part, bindings); });
}

bool matches(const F& pattern, const F& formula, Bindings& bindings);

// Every pattern its own part, in any order; what is left over goes to `rest`.
bool match_parts(const std::vector<F>& patterns, std::size_t next, std::vector<F> parts,
                 Bindings& bindings, std::vector<F>& rest) {
  if (next == patterns.size()) {
    rest = std::move(parts);
    return true;
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Bindings tried = bindings;
    if (!matches(patterns[next], parts[k], tried)) continue;
    std::vector<F> others = parts;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    std::vector<F> left;
    if (!match_parts(patterns, next + 1, std::move(others), tried, left)) continue;
    bindings = std::move(tried);
    rest = std::move(left);
    return true;
  }
  return false;
}

bool matches(const F& pattern, const F& formula, Bindings& bindings) {
  if (pattern->is(Form::Atom)) {
    const auto [known, is_new] = bindings.try_emplace(pattern->name, formula);
    return is_new || known->second->key == formula->key;
  }
  if (pattern->form != formula->form) return false;
  switch (pattern->form) {
    case Form::Number:
      return pattern->number == formula->number;
    case Form::Product: {
      if (coefficient_of(pattern) != coefficient_of(formula)) return false;
      const std::vector<F> wanted = factors_of(pattern);
      // -x is the negative of any product.
      if (wanted.size() == 1 && wanted[0]->is(Form::Atom))
        return matches(wanted[0], make_product(factors_of(formula)), bindings);
      std::vector<F> rest;
      return match_parts(wanted, 0, factors_of(formula), bindings, rest) && rest.empty();
    }
    case Form::Sum: {
      std::vector<F> rest;
      return match_parts(pattern->parts, 0, formula->parts, bindings, rest) && rest.empty();
    }
    default: {
      if (pattern->name != formula->name || pattern->parts.size() != formula->parts.size())
        return false;
      for (std::size_t k = 0; k < pattern->parts.size(); ++k) {
        if (!matches(pattern->parts[k], formula->parts[k], bindings)) return false;
      }
      return true;
    }
  }
}

// A term as coefficient * pattern * rest: the rest, with what the coefficient is more than the
// pattern's.
std::optional<F> rest_of_term(const F& pattern, const F& term, Bindings& bindings) {
  std::vector<F> rest;
  if (!match_parts(factors_of(pattern), 0, factors_of(term), bindings, rest)) return std::nullopt;
  const bool has_number = term->is(Form::Number) || term->is(Form::Product);
  const F& number = term->is(Form::Product) ? term->parts[0] : term;
  const bool integral = !has_number || !number->is(Form::Number) || number->integral;
  rest.push_back(make_number(coefficient_of(term) / coefficient_of(pattern), integral));
  return make_product(std::move(rest));
}

F try_sum(const AlgebraRule& rule, const F& formula) {
  const std::vector<F>& terms = formula->parts;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = 0; j < terms.size(); ++j) {
      if (i == j) continue;
      // The pattern with fewer choices first: its variables are known then.
      const bool second_first = rule.from->parts[0]->is(Form::Number);
      const F& first = rule.from->parts[second_first ? 1 : 0];
      const F& second = rule.from->parts[second_first ? 0 : 1];
      Bindings bindings;
      const std::optional<F> rest = rest_of_term(first, terms[i], bindings);
      if (!rest) continue;
      const std::optional<F> other = rest_of_term(second, terms[j], bindings);
      if (!other || (*other)->key != (*rest)->key) continue;
      std::vector<F> sum{make_product({*rest, substituted(rule.to, bindings)})};
      for (std::size_t k = 0; k < terms.size(); ++k) {
        if (k != i && k != j) sum.push_back(terms[k]);
      }
      return make_sum(sum);
    }
  }
  return nullptr;
}

F try_product(const AlgebraRule& rule, const F& formula) {
  const double wanted = coefficient_of(rule.from);
  const double ratio = coefficient_of(formula) / wanted;
  // Half of a rule is none.
  if (wanted != 1.0 && ratio > -1.0 && ratio < 1.0) return nullptr;
  Bindings bindings;
  std::vector<F> rest;
  if (!match_parts(factors_of(rule.from), 0, factors_of(formula), bindings, rest)) return nullptr;
  const bool integral = !formula->is(Form::Product) || formula->parts[0]->integral;
  rest.push_back(make_number(ratio, integral));
  rest.push_back(substituted(rule.to, bindings));
  return make_product(std::move(rest));
}

F try_rule(const AlgebraRule& rule, const F& formula) {
  if (rule.from->is(Form::Sum)) return formula->is(Form::Sum) ? try_sum(rule, formula) : nullptr;
  if (rule.from->is(Form::Product))
    return formula->is(Form::Product) ? try_product(rule, formula) : nullptr;
  Bindings bindings;
  return matches(rule.from, formula, bindings) ? substituted(rule.to, bindings) : nullptr;
}

}  // namespace

F apply_rules(const F& formula) {
  constexpr int kMostSteps = 100;
  F now = with_parts(formula, [](const F& part) { return apply_rules(part); });
  for (int step = 0; step < kMostSteps; ++step) {
    F next;
    for (const AlgebraRule& rule : rules()) {
      next = try_rule(rule, now);
      if (next != nullptr && next->key != now->key) break;
      next = nullptr;
    }
    if (next == nullptr) return now;
    // What came together may be the left side of another rule.
    now = with_parts(next, [](const F& part) { return apply_rules(part); });
  }
  return now;
}

}  // namespace tangent::algebra
