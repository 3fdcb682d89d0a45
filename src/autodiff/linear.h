// Adjoints as sums of products, so that constants fold, equal terms join and common factors come
// out.
//
// An adjoint value is a `Linear`: a sum of terms, each a coefficient times factors and over
// factors. Rules are applied to Linears; what is emitted is the expression that `build` makes of
// one. No terms is zero. Coefficients keep numerator and denominator apart (x / 3.0 stays a
// division) and integers stay integers.
#pragma once

#include <vector>

#include "autodiff/typing.h"

namespace tangent {

struct Factor {
  const Expr* base;
  bool inverse = false;
};

struct Term {
  double numerator = 1.0;
  double denominator = 1.0;
  bool integral = true;  // both are whole numbers that the user or a rule wrote as ints
  std::vector<Factor> factors;
  // Where this is false the term is exactly zero, whatever the factors are there (inf, nan).
  const Expr* mask = nullptr;
  const Stmt* origin = nullptr;  // the statement of the primal that contributed it last
};

struct Linear {
  std::vector<Term> terms;
  // May be smaller than the value whose adjoint it is: a number that stands for an array of it.
  bool lazy = false;

  [[nodiscard]] bool is_zero() const { return terms.empty(); }
  // One factor at most, and it is a plain name: using it twice costs nothing worth a name.
  [[nodiscard]] bool is_cheap(bool coefficient_is_free) const;
  // The name that the value is, if it is just that.
  [[nodiscard]] Symbol as_name() const;
  [[nodiscard]] bool mentions(Symbol symbol) const;
};

class Algebra {
 public:
  // `numpy` is how the text spells NumPy.
  Algebra(Typing& typing, Context& context, Symbol numpy)
      : typing_(typing), context_(context), numpy_(numpy) {}

  static Linear zero() { return {}; }
  Linear of(const Expr* value);  // 1 * value, products and constants taken apart
  void add(Linear& sum, const Linear& more);
  Linear multiply(const Linear& value, const Expr* factor);
  // The same value as one term.
  Linear single(const Linear& value);
  // A test without which the value is exactly zero, if all of its terms have such; or null.
  const Expr* mask_of(const Linear& value);
  // The value where the test holds, exactly zero elsewhere.
  Linear mask(const Linear& value, const Expr* test);
  Linear divide(const Linear& value, const Expr* divisor);
  static Linear scale(Linear value, double coefficient, bool integral = false);
  static Linear negate(Linear value) { return scale(std::move(value), -1.0, true); }

  // The expression of a value: common factors first, scalars before arrays.
  const Expr* build(const Linear& value);

  // Primal arithmetic with the obvious simplifications (x ** 1, 1 * x, x + 0, constants), for rule
  // bodies.
  const Expr* binary(BinaryOperator op, const Expr* left, const Expr* right);
  const Expr* negative(const Expr* operand);

  // Tests: `not test` of numbers, `~test` of arrays; whether its elements are surely True and
  // False.
  const Expr* negated(const Expr* test);
  bool is_boolean(const Expr* test);
  const Expr* compared_with_zero(ComparisonOperator op, const Expr* value);

  // The numeric value of a literal, if an expression is one.
  static bool is_literal(const Expr* expression, double& value, bool& integral);
  const Expr* literal(double value, bool integral);
  // np.name(arguments, keywords); `name` may be dotted.
  const Call* numpy_call(std::string_view name, const std::vector<const Expr*>& arguments,
                         const std::vector<const Keyword*>& keywords = {});
  const Keyword* keyword(std::string_view name, const Expr* value);

  Typing& typing() { return typing_; }
  Context& context() { return context_; }

 private:
  // Where both tests hold, or one of them.
  const Expr* combined(const Expr* first, const Expr* second, bool both);
  // Multiplies a term by base ** ±1; takes constants, negations and products apart.
  void multiply_term(Term& term, const Expr* base, bool inverse);
  const Expr* build_term(const Term& term, bool& negative);
  const Expr* build_masked(const Term& term);
  std::vector<Term> join_masked(const std::vector<Term>& terms);
  static bool stands_outside(const Factor& factor);
  void settle_mask(Linear& value);
  bool holds(const Type& divisor, const Type& quotient, const Type& mask);
  const Expr* build_sum(const std::vector<Term>& terms);
  [[nodiscard]] int rank_of(const Expr* expression);

  Typing& typing_;
  Context& context_;
  Symbol numpy_;
};

}  // namespace tangent
