// Sums of products: joining, factoring, and the expression that an expert would write; see
// linear.h.
#include "autodiff/linear.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "analysis/variables.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

bool same_factor(const Factor& a, const Factor& b) {
  return a.inverse == b.inverse && equal(a.base, b.base);
}

// Whether two terms have the same factors, in any order.
bool same_factors(const Term& a, const Term& b) {
  if (a.factors.size() != b.factors.size()) return false;
  if ((a.mask == nullptr) != (b.mask == nullptr) || (a.mask && !equal(a.mask, b.mask)))
    return false;
  std::vector<bool> used(b.factors.size(), false);
  for (const Factor& factor : a.factors) {
    bool found = false;
    for (std::size_t k = 0; k < b.factors.size() && !found; ++k) {
      if (!used[k] && same_factor(factor, b.factors[k])) used[k] = found = true;
    }
    if (!found) return false;
  }
  return true;
}

bool whole(double value) { return std::nearbyint(value) == value && std::fabs(value) < 1e15; }

// numerator *= value. What a whole number has in common with the denominator is cancelled first:
// three times 0.1 / 3.0 is 0.1.
void scale_numerator(Term& term, double value) {
  if (term.denominator != 1.0 && whole(value) && value != 0.0 && whole(term.denominator)) {
    const auto common = static_cast<double>(
        std::gcd(static_cast<std::int64_t>(value), static_cast<std::int64_t>(term.denominator)));
    value /= common;
    term.denominator /= common;
  }
  term.numerator *= value;
}

// A quotient of coefficients is folded where it reads well and is exact.
void reduce(Term& term) {
  if (term.denominator == 1.0) return;
  const double quotient = term.numerator / term.denominator;
  int exponent = 0;
  const bool power_of_two = std::fabs(std::frexp(term.denominator, &exponent)) == 0.5;
  if (term.integral ? whole(quotient) : (whole(quotient) || power_of_two)) {
    term.numerator = quotient;
    term.denominator = 1.0;
  } else if (term.integral && power_of_two) {
    term.numerator = quotient;
    term.denominator = 1.0;
    term.integral = false;
  }
}

}  // namespace

bool Linear::is_cheap(bool coefficient_is_free) const {
  if (terms.size() != 1) return terms.empty();
  const Term& term = terms.front();
  if (term.factors.empty()) return true;
  if (term.factors.size() > 1 || term.factors.front().inverse || term.mask) return false;
  const Expr* base = term.factors.front().base;
  if (!is<Name>(base) && !is<Constant>(base)) return false;
  return coefficient_is_free || (term.numerator == 1.0 && term.denominator == 1.0);
}

Symbol Linear::as_name() const {
  if (terms.size() != 1) return {};
  const Term& term = terms.front();
  if (term.numerator != 1.0 || term.denominator != 1.0 || term.factors.size() != 1 || term.mask) {
    return {};
  }
  const auto* name = as<Name>(term.factors.front().base);
  return name != nullptr && !term.factors.front().inverse ? name->symbol : Symbol();
}

bool Linear::mentions(Symbol symbol) const {
  for (const Term& term : terms) {
    if (term.mask != nullptr && tangent::mentions(term.mask, symbol)) return true;
    for (const Factor& factor : term.factors) {
      if (tangent::mentions(factor.base, symbol)) return true;
    }
  }
  return false;
}

bool Algebra::is_literal(const Expr* expression, double& value, bool& integral) {
  if (const auto* minus = as<UnaryOperation>(expression)) {
    if (minus->op != UnaryOperator::Minus || !is_literal(minus->operand, value, integral))
      return false;
    value = -value;
    return true;
  }
  const auto* constant = as<Constant>(expression);
  if (constant == nullptr) return false;
  if (constant->value.kind == LiteralKind::Integer) {
    value = static_cast<double>(constant->value.integer);
    integral = true;
    return whole(value);
  }
  if (constant->value.kind == LiteralKind::Float && std::isfinite(constant->value.number)) {
    value = constant->value.number;
    integral = false;
    return true;
  }
  return false;
}

const Expr* Algebra::literal(double value, bool integral) {
  const bool below = std::signbit(value);
  const double size = std::fabs(value);
  const Expr* constant = integral && whole(size) ? context_.integer(static_cast<std::int64_t>(size))
                                                 : context_.number(size);
  if (!below) return constant;
  return context_.make<UnaryOperation>({}, UnaryOperator::Minus, constant);
}

int Algebra::rank_of(const Expr* expression) {
  const Type type = typing_.of(expression);
  if (type.kind == TypeKind::Number) return 0;
  return type.kind == TypeKind::Array && type.rank >= 0 ? type.rank : 64;
}

void Algebra::multiply_term(Term& term, const Expr* base, bool inverse) {
  double value = 0.0;
  bool integral = false;
  if (is_literal(base, value, integral) && value != 0.0) {
    if (inverse) {
      term.denominator *= value;
    } else {
      scale_numerator(term, value);
    }
    term.integral = term.integral && integral;
    if (term.denominator < 0.0) {
      term.denominator = -term.denominator;
      term.numerator = -term.numerator;
    }
    reduce(term);
    return;
  }
  if (const auto* minus = as<UnaryOperation>(base); minus && minus->op == UnaryOperator::Minus) {
    term.numerator = -term.numerator;
    return multiply_term(term, minus->operand, inverse);
  }
  if (const auto* product = as<BinaryOperation>(base);
      product != nullptr && product->op == BinaryOperator::Multiply && !inverse) {
    multiply_term(term, product->left, inverse);
    return multiply_term(term, product->right, inverse);
  }
  // x / x cancels: the quotient of equal values.
  const auto opposite = std::find_if(
      term.factors.begin(), term.factors.end(),
      [&](const Factor& other) { return other.inverse != inverse && equal(other.base, base); });
  if (opposite != term.factors.end() && rank_of(base) == 0) {
    term.factors.erase(opposite);
    return;
  }
  term.factors.push_back({base, inverse});
}

Linear Algebra::of(const Expr* value) {
  Term term;
  multiply_term(term, value, false);
  double number = 0.0;
  bool integral = false;
  if (is_literal(value, number, integral) && number == 0.0) return {};
  return {.terms = {term}};
}

void Algebra::add(Linear& sum, const Linear& more) {
  if (more.is_zero()) return;
  sum.lazy = more.lazy && (sum.lazy || sum.is_zero());
  for (const Term& term : more.terms) {
    auto same = std::find_if(sum.terms.begin(), sum.terms.end(),
                             [&](const Term& other) { return same_factors(term, other); });
    if (same == sum.terms.end()) {
      sum.terms.push_back(term);
      continue;
    }
    if (same->denominator == term.denominator) {
      same->numerator += term.numerator;
    } else {
      same->numerator = same->numerator / same->denominator + term.numerator / term.denominator;
      same->denominator = 1.0;
    }
    same->integral = same->integral && term.integral && whole(same->numerator);
    if (term.origin != nullptr) same->origin = term.origin;
    reduce(*same);
    if (same->numerator != 0.0) continue;
    // What is left may be a number, also where what cancelled had the whole shape.
    sum.terms.erase(same);
    sum.lazy = true;
  }
  if (sum.is_zero()) sum.lazy = false;
}

Linear Algebra::scale(Linear value, double coefficient, bool integral) {
  if (coefficient == 0.0) return {};
  for (Term& term : value.terms) {
    scale_numerator(term, coefficient);
    term.integral = term.integral && integral;
    reduce(term);
  }
  return value;
}

Linear Algebra::multiply(const Linear& value, const Expr* factor) {
  if (value.is_zero()) return {};
  double number = 0.0;
  bool integral = false;
  if (is_literal(factor, number, integral)) return scale(value, number, integral);
  Linear result = single(value);
  multiply_term(result.terms.front(), factor, false);
  settle_mask(result);
  return result;
}

Linear Algebra::single(const Linear& value) {
  if (value.terms.size() == 1) return value;
  // A mask that all terms share stays outside.
  const Expr* mask = value.terms.front().mask;
  Linear bare = value;
  for (Term& term : bare.terms) {
    if (mask == nullptr || term.mask == nullptr || !equal(mask, term.mask)) {
      mask = nullptr;
      break;
    }
    term.mask = nullptr;
  }
  Linear result = of(build(mask != nullptr ? bare : value));
  result.terms.front().mask = mask;
  result.lazy = value.lazy;
  return result;
}

const Expr* Algebra::combined(const Expr* first, const Expr* second, bool both) {
  if (rank_of(first) == 0 && rank_of(second) == 0 && typing_.library() == Library::NumPy)
    return context_.make<BooleanOperation>({}, both ? BooleanOperator::And : BooleanOperator::Or,
                                           context_.list<const Expr*>({first, second}));
  return context_.make<BinaryOperation>({}, both ? BinaryOperator::BitAnd : BinaryOperator::BitOr,
                                        first, second);
}

const Expr* Algebra::mask_of(const Linear& value) {
  std::vector<const Expr*> masks;
  for (const Term& term : value.terms) {
    if (term.mask == nullptr) return nullptr;
    const bool is_new =
        std::ranges::none_of(masks, [&](const Expr* other) { return equal(other, term.mask); });
    if (is_new) masks.push_back(term.mask);
  }
  const Expr* result = nullptr;
  for (const Expr* mask : masks) result = result != nullptr ? combined(result, mask, false) : mask;
  return result;
}

Linear Algebra::mask(const Linear& value, const Expr* test) {
  Linear result = value;
  for (Term& term : result.terms) {
    if (term.mask == nullptr) {
      term.mask = test;
    } else if (!equal(term.mask, test)) {
      term.mask = combined(term.mask, test, true);
    }
  }
  settle_mask(result);
  return result;
}

const Keyword* Algebra::keyword(std::string_view name, const Expr* value) {
  return context_.make<Keyword>({}, context_.symbol(name), value);
}

const Call* Algebra::numpy_call(std::string_view name, const std::vector<const Expr*>& arguments,
                                const std::vector<const Keyword*>& keywords) {
  const Expr* function = context_.global(numpy_);
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t dot = rest.find('.');
    function = context_.make<Attribute>({}, function, context_.symbol(rest.substr(0, dot)));
    rest = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
  }
  return context_.make<Call>({}, function, context_.symbol("numpy." + std::string(name)),
                             context_.list(arguments), context_.list(keywords));
}

Linear Algebra::divide(const Linear& value, const Expr* divisor) {
  if (value.is_zero()) return {};
  Linear result = single(value);
  // What is zero may be divided by zero.
  if (value.terms.size() > 1) result.terms.front().mask = mask_of(value);
  multiply_term(result.terms.front(), divisor, true);
  settle_mask(result);
  return result;
}

// Whether a factor of an array may stand outside of a test of one number: sums and products of what
// the primal holds are finite where they are read at all.
bool Algebra::stands_outside(const Factor& factor) {
  if (factor.inverse) return false;
  SmallStack<const Node*> stack(factor.base);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (const auto* operation = as<BinaryOperation>(top)) {
      using enum BinaryOperator;
      if (operation->op != Add && operation->op != Subtract && operation->op != Multiply)
        return false;
    }
    if (const auto* call = as<Call>(top)) {
      if (call->callee.text() != "numpy.mean" && call->callee.text() != "numpy.subtract")
        return false;
    }
    push_children(stack, *top);
  }
  return true;
}

// `a if test else 0.0` of an array a is a number where the test fails.
void Algebra::settle_mask(Linear& value) {
  for (const Term& term : value.terms) {
    if (term.mask == nullptr || rank_of(term.mask) != 0) continue;
    if (typing_.library() != Library::NumPy) continue;
    for (const Factor& factor : term.factors) {
      if (rank_of(factor.base) > 0 && !stands_outside(factor)) value.lazy = true;
    }
  }
}

// Terms under one test as one term: `a + b if test else 0.0`. Numbers alone, or arrays that divide
// by none: what stands beside a test of arrays is evaluated everywhere.
std::vector<Term> Algebra::join_masked(const std::vector<Term>& terms) {
  const auto may_join = [&](const Term& term) {
    const bool number = term.mask != nullptr && rank_of(term.mask) == 0;
    return term.mask != nullptr && std::ranges::none_of(term.factors, [&](const Factor& factor) {
             return rank_of(factor.base) > 0 && (number || factor.inverse);
           });
  };
  std::vector<Term> joined;
  std::vector<bool> taken(terms.size(), false);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (taken[k]) continue;
    Linear group{.terms = {terms[k]}};
    for (std::size_t j = k + 1; may_join(terms[k]) && j < terms.size(); ++j) {
      if (taken[j] || !may_join(terms[j]) || !equal(terms[k].mask, terms[j].mask)) continue;
      group.terms.push_back(terms[j]);
      taken[j] = true;
    }
    if (group.terms.size() == 1) {
      joined.push_back(terms[k]);
      continue;
    }
    for (Term& term : group.terms) term.mask = nullptr;
    joined.push_back({.factors = {{.base = build(group)}}, .mask = terms[k].mask});
  }
  return joined;
}

const Expr* Algebra::build_masked(const Term& term) {
  Term bare = term;
  bare.mask = nullptr;
  bool below = false;
  // What is no array of NumPy's may be traced: nothing branches on it.
  const bool foreign = typing_.library() != Library::NumPy;
  if (rank_of(term.mask) == 0 && !foreign) {
    // Arrays stand outside of the test, so that the value is one in either case.
    Term arrays;
    const auto is_outside = [&](const Factor& factor) {
      return rank_of(factor.base) > 0 && stands_outside(factor);
    };
    std::ranges::copy_if(bare.factors, std::back_inserter(arrays.factors), is_outside);
    std::erase_if(bare.factors, is_outside);
    const Expr* value = build_term(bare, below);
    value = context_.make<Conditional>({}, term.mask, below ? negative(value) : value,
                                       context_.number(0.0));
    if (arrays.factors.empty()) return value;
    arrays.factors.insert(arrays.factors.begin(), {.base = value});
    return build_term(arrays, below);
  }
  // Where nothing flows back nothing is divided: no warning, and no nan from 0 / 0.
  const auto divisor =
      std::find_if(bare.factors.begin(), bare.factors.end(), [&](const Factor& factor) {
        return factor.inverse && (foreign || rank_of(factor.base) > 0);
      });
  if (divisor == bare.factors.end()) {
    const Expr* value = build_term(bare, below);
    return numpy_call("where", {term.mask, below ? negative(value) : value, context_.number(0.0)});
  }
  const Expr* base = divisor->base;
  bare.factors.erase(divisor);
  const Expr* value = build_term(bare, below);
  if (below) value = negative(value);
  const Type quotient =
      type_of_binary(BinaryOperator::Divide, typing_.of(value), typing_.of(base), context_.arena());
  const Expr* result = nullptr;
  if (!foreign && holds(typing_.of(base), quotient, typing_.of(term.mask))) {
    result =
        numpy_call("divide", {value, base},
                   {keyword("out", numpy_call("zeros_like", {base})), keyword("where", term.mask)});
  } else {
    // The divisor may be smaller than the quotient, or of another dtype: no array to divide into.
    result = context_.make<BinaryOperation>(
        {}, BinaryOperator::Divide, numpy_call("where", {term.mask, value, context_.number(0.0)}),
        numpy_call("where", {term.mask, base, context_.number(1.0)}));
  }
  const std::vector<Type> operands{quotient, typing_.of(term.mask)};
  typing_.set(result, broadcast(operands, quotient.dtype, context_.arena()));
  return result;
}

// Whether an array like `divisor` surely has the shape and the dtype of the quotient under a mask.
bool Algebra::holds(const Type& divisor, const Type& quotient, const Type& mask) {
  if (!divisor.is_array() || !quotient.is_array() || divisor.rank < 0) return false;
  if (divisor.dtype != quotient.dtype || !is_floating(divisor.dtype) || divisor.mixed) return false;
  const std::vector<Type> operands{quotient, mask};
  const Type whole = broadcast(operands, quotient.dtype, context_.arena());
  if (!whole.is_array() || whole.rank != divisor.rank) return false;
  for (std::size_t axis = 0; axis < whole.dims.size(); ++axis) {
    // A length that is known not to be 1 is the quotient's, or NumPy raises.
    const Dim own = divisor.dims[axis];
    if (!own.is_same(whole.dims[axis]) && !own.is_symbol()) return false;
  }
  return true;
}

const Expr* Algebra::build_term(const Term& term, bool& negative) {
  if (term.mask != nullptr) {
    negative = false;
    return build_masked(term);
  }
  negative = term.numerator < 0.0;
  const double numerator = std::fabs(term.numerator);
  std::vector<Factor> factors = term.factors;
  // Scalars first, then arrays of rising rank: as few passes over memory as possible.
  std::stable_sort(factors.begin(), factors.end(), [&](const Factor& a, const Factor& b) {
    return std::pair(rank_of(a.base), a.inverse) < std::pair(rank_of(b.base), b.inverse);
  });
  const Expr* result = nullptr;
  bool pending_denominator = term.denominator != 1.0;
  if (numerator != 1.0 || factors.empty() || factors.front().inverse) {
    result = literal(numerator, term.integral);
  }
  auto attach = [&](const Expr* base, bool inverse) {
    if (result == nullptr) {
      result = base;
    } else {
      result = context_.make<BinaryOperation>(
          {}, inverse ? BinaryOperator::Divide : BinaryOperator::Multiply, result, base);
    }
  };
  for (const auto& factor : factors) {
    // The constant divisor stands where the scalars end.
    if (pending_denominator && result != nullptr && rank_of(factor.base) > 0) {
      attach(literal(term.denominator, term.integral), true);
      pending_denominator = false;
    }
    attach(factor.base, factor.inverse);
  }
  if (pending_denominator) attach(literal(term.denominator, term.integral), true);
  return result;
}

const Expr* Algebra::build_sum(const std::vector<Term>& terms) {
  // A positive term first, if there is one: `b - a` rather than `-a + b`.
  std::vector<const Term*> order;
  for (const Term& term : terms) order.push_back(&term);
  const auto first = std::find_if(order.begin(), order.end(),
                                  [](const Term* term) { return term->numerator > 0.0; });
  if (first != order.end()) std::rotate(order.begin(), first, first + 1);
  const Expr* result = nullptr;
  const bool integral =
      std::all_of(terms.begin(), terms.end(), [](const Term& term) { return term.integral; });
  for (const Term* term : order) {
    bool below = false;
    // A lone constant is spelled as the coefficients beside it: 1.0 - 0.2 * x, but 3 * x - 1.
    Term spelled = *term;
    if (spelled.factors.empty()) spelled.integral = integral;
    const Expr* value = build_term(spelled, below);
    if (result == nullptr) {
      result = below ? negative(value) : value;
    } else {
      result = context_.make<BinaryOperation>(
          {}, below ? BinaryOperator::Subtract : BinaryOperator::Add, result, value);
    }
  }
  return result;
}

const Expr* Algebra::build(const Linear& value) {
  if (value.terms.empty()) return context_.number(0.0);
  if (value.terms.size() == 1) {
    bool below = false;
    const Expr* result = build_term(value.terms.front(), below);
    return below ? negative(result) : result;
  }
  // A factor outside a mask would be evaluated, and be inf or nan, where the mask is false.
  if (std::any_of(value.terms.begin(), value.terms.end(),
                  [](const Term& term) { return term.mask != nullptr; })) {
    const std::vector<Term> joined = join_masked(value.terms);
    if (joined.size() > 1) return build_sum(joined);
    bool below = false;
    const Expr* result = build_term(joined.front(), below);
    return below ? negative(result) : result;
  }
  // The factors and the coefficient that every term has.
  Term common;
  std::vector<Term> rest = value.terms;
  for (const Factor& factor : value.terms.front().factors) {
    const bool everywhere = std::all_of(rest.begin(), rest.end(), [&](const Term& term) {
      return std::any_of(term.factors.begin(), term.factors.end(),
                         [&](const Factor& other) { return same_factor(factor, other); });
    });
    if (!everywhere) continue;
    for (Term& term : rest) {
      term.factors.erase(
          std::find_if(term.factors.begin(), term.factors.end(),
                       [&](const Factor& other) { return same_factor(factor, other); }));
    }
    common.factors.push_back(factor);
  }
  // The sum of two truths is a truth, not a number: they stay multiples of what they have in
  // common.
  const auto is_truth = [&](const Term& term) {
    return std::fabs(term.numerator) == 1.0 && term.denominator == 1.0 && !term.factors.empty() &&
           std::ranges::all_of(term.factors, [&](const Factor& factor) {
             const Type type = typing_.of(factor.base);
             return type.is_numeric() && type.dtype == DType::Bool;
           });
  };
  if (!common.factors.empty() && std::ranges::count_if(rest, is_truth) > 1)
    return build_sum(value.terms);
  const double size = std::fabs(rest.front().numerator);
  const bool shared = size != 1.0 && std::all_of(rest.begin(), rest.end(), [&](const Term& term) {
                        return std::fabs(term.numerator) == size && term.denominator == 1.0;
                      });
  if (shared) {
    common.numerator = size;
    for (Term& term : rest) {
      common.integral = common.integral && term.integral;
      term.numerator /= size;
      term.integral = true;
    }
  }
  if (std::all_of(rest.begin(), rest.end(),
                  [](const Term& term) { return term.numerator < 0.0; })) {
    common.numerator = -common.numerator;
    for (Term& term : rest) term.numerator = -term.numerator;
  }
  if (common.factors.empty() && common.numerator == 1.0) return build_sum(rest);
  // Only a coefficient in common: `0.5 * (a + b)` is shorter and cheaper than `0.5 * a + 0.5 * b`.
  bool constants_only = true;
  for (const Term& term : rest) constants_only = constants_only && term.factors.empty();
  const Expr* sum = build_sum(rest);
  if (constants_only) {
    double total = 0.0;
    bool integral = true;
    for (const Term& term : rest) {
      total += term.numerator / term.denominator;
      integral = integral && term.integral && term.denominator == 1.0;
    }
    sum = literal(total, integral);
  }
  multiply_term(common, sum, false);
  bool below = false;
  const Expr* result = build_term(common, below);
  return below ? negative(result) : result;
}

const Expr* Algebra::negative(const Expr* operand) {
  double value = 0.0;
  bool integral = false;
  if (is_literal(operand, value, integral)) return literal(-value, integral);
  if (const auto* minus = as<UnaryOperation>(operand); minus && minus->op == UnaryOperator::Minus) {
    return minus->operand;
  }
  // The sign goes to the first factor: -a * b binds as (-a) * b and needs no parentheses.
  if (const auto* product = as<BinaryOperation>(operand);
      product != nullptr &&
      (product->op == BinaryOperator::Multiply || product->op == BinaryOperator::Divide)) {
    return context_.make<BinaryOperation>({}, product->op, negative(product->left), product->right);
  }
  return context_.make<UnaryOperation>({}, UnaryOperator::Minus, operand);
}

const Expr* Algebra::binary(BinaryOperator op, const Expr* left, const Expr* right) {
  double a = 0.0;
  double b = 0.0;
  bool whole_a = false;
  bool whole_b = false;
  const bool left_literal = is_literal(left, a, whole_a);
  const bool right_literal = is_literal(right, b, whole_b);
  const bool integral = whole_a && whole_b;
  switch (op) {
    case BinaryOperator::Add:
      if (left_literal && right_literal) return literal(a + b, integral);
      if (left_literal && a == 0.0) return right;
      if (right_literal && b == 0.0) return left;
      break;
    case BinaryOperator::Subtract:
      if (left_literal && right_literal) return literal(a - b, integral);
      if (right_literal && b == 0.0) return left;
      if (left_literal && a == 0.0) return negative(right);
      break;
    case BinaryOperator::Multiply:
      if (left_literal && right_literal) return literal(a * b, integral);
      if (left_literal && a == 1.0) return right;
      if (right_literal && b == 1.0) return left;
      break;
    case BinaryOperator::Divide:
      if (right_literal && b == 1.0) return left;
      break;
    case BinaryOperator::Power:
      if (right_literal && b == 1.0) return left;
      if (right_literal && b == 0.0) return context_.number(1.0);
      break;
    default:
      break;
  }
  return context_.make<BinaryOperation>({}, op, left, right);
}

}  // namespace tangent
