// Algebra on the expressions of a program: each becomes a formula, the formula a shorter one, and
// that an expression again, if it takes fewer operations and has the same type.
//
// What is no arithmetic (elements, unknown calls, what is taken from tapes) is an atom, and its own
// arguments are taken by themselves. Tests and indices stay as they are: rounding may decide there.
// Arrays stay arrays of their shape: where nothing of that shape is left, nothing changes.
#include <cmath>

#include "optimize/algebra.h"
#include "optimize/formula_writer.h"
#include "optimize/passes.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

using algebra::F;
using algebra::Formula;

constexpr std::size_t kLargestFormula = 120;  // nodes of an expression

struct KnownFunction {
  std::string_view callee;
  std::string_view name;
};
constexpr KnownFunction kFunctions[] = {
    {"numpy.sin", "sin"},         {"numpy.cos", "cos"},       {"numpy.tan", "tan"},
    {"numpy.exp", "exp"},         {"numpy.log", "log"},       {"numpy.sqrt", "sqrt"},
    {"numpy.sinh", "sinh"},       {"numpy.cosh", "cosh"},     {"numpy.tanh", "tanh"},
    {"numpy.arcsin", "arcsin"},   {"numpy.arccos", "arccos"}, {"numpy.arctan", "arctan"},
    {"numpy.arctanh", "arctanh"}, {"numpy.absolute", "abs"},  {"numpy.square", "square"},
    {"math.sin", "sin"},          {"math.cos", "cos"},        {"math.tan", "tan"},
    {"math.exp", "exp"},          {"math.log", "log"},        {"math.sqrt", "sqrt"},
    {"math.sinh", "sinh"},        {"math.cosh", "cosh"},      {"math.tanh", "tanh"},
    {"numpy.abs", "abs"},
};

std::string_view function_name(const Expr* node) {
  const auto* call = as<Call>(node);
  if (call == nullptr || call->arguments.size() != 1 || !call->keywords.empty()) return {};
  if (!is<Attribute>(call->function)) return {};
  for (const KnownFunction& known : kFunctions) {
    if (call->callee.text() == known.callee) return known.name;
  }
  return {};
}

// Makes expressions of formulas.
struct ExpressionSink {
  using Value = const Expr*;
  Context& context;
  const std::unordered_map<std::string, const Expr*>& atoms;
  const Call* like;  // a call of a known function: others are spelled the same way
  std::function<int(const Expr*)> rank_of;

  Value number(double value, bool integral) const {
    return integral ? static_cast<Value>(context.integer(static_cast<std::int64_t>(value)))
                    : context.number(value);
  }
  Value atom(const Formula& formula) const { return atoms.at(formula.name); }
  Value negative(Value operand) const {
    return context.make<UnaryOperation>({}, UnaryOperator::Minus, operand);
  }
  Value binary(char op, Value left, Value right) const {
    using enum BinaryOperator;
    const auto made = [&](BinaryOperator is, Value a, Value b) {
      return context.make<BinaryOperation>({}, is, a, b);
    };
    if (op == '^') {
      const auto* power = as<Constant>(right);
      const bool cube = power != nullptr && power->value.kind == LiteralKind::Integer &&
                        power->value.integer == 3 && is<Name>(left);
      return cube ? made(Multiply, made(Multiply, left, left), left) : made(Power, left, right);
    }
    return made(op == '+'   ? Add
                : op == '-' ? Subtract
                : op == '*' ? Multiply
                            : Divide,
                left, right);
  }
  Value call(std::string_view name, const std::vector<Value>& arguments) const {
    const auto* spelled = static_cast<const Attribute*>(like->function);
    const std::string_view callee = like->callee.text();
    const bool numpy = callee.starts_with("numpy.");
    const std::string_view own = name == "abs" ? (numpy ? "abs" : "fabs") : name;
    return context.make<Call>(
        {}, context.make<Attribute>({}, spelled->value, context.symbol(own)),
        context.symbol(std::string(callee.substr(0, callee.rfind('.') + 1)) + std::string(own)),
        context.list(arguments), List<const Keyword*>());
  }
  // The rank of the arrays in a formula: numbers are multiplied first.
  int rank(const F& formula) const {
    if (formula->is(algebra::Form::Atom)) return rank_of(atoms.at(formula->name));
    int most = 0;
    for (const F& part : formula->parts) most = std::max(most, rank(part));
    return most;
  }
  bool has_root() const { return like != nullptr; }
};

class ExpressionSimplifier {
 public:
  ExpressionSimplifier(std::function<Type(const Expr*)> type_of, const Effects& effects,
                       Context& context,
                       const std::function<std::string(const std::string&)>& other)
      : type_of_(std::move(type_of)), effects_(effects), context_(context), other_(other) {}

  Block block(Block statements) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : statements) {
      const Stmt* now = with_blocks(context_, statement, [&](Block inner) { return block(inner); });
      if (is<Assign>(now) || is<AugmentedAssign>(now) || is<Return>(now) || is<Push>(now)) {
        now = static_cast<const Stmt*>(
            rewrite_children(context_, *now, [&](const Node* child) -> const Node* {
              return is_expression(child->kind) ? simplified(static_cast<const Expr*>(child))
                                                : child;
            }));
      }
      changed = changed || now != statement;
      out.push_back(now);
    }
    return changed ? context_.list(out) : statements;
  }

 private:
  // One expression as a formula.
  struct Reading {
    std::unordered_map<std::string, const Expr*> atoms;
    std::vector<const Expr*> order;
    const Call* like = nullptr;
    int operations = 0;
  };

  static bool is_arithmetic(const Expr* node) {
    using enum BinaryOperator;
    const auto* operation = as<BinaryOperation>(node);
    if (operation != nullptr) {
      return operation->op == Add || operation->op == Subtract || operation->op == Multiply ||
             operation->op == Divide || operation->op == Power;
    }
    const auto* sign = as<UnaryOperation>(node);
    if (sign != nullptr) return sign->op == UnaryOperator::Minus || sign->op == UnaryOperator::Plus;
    return !function_name(node).empty();
  }

  bool is_known(const Expr* node) const {
    const Type type = type_of_(node);
    const bool whole = type.is_number() && type.dtype == DType::Integer;
    return (type.is_number() || type.is_array()) && !type.mixed &&
           (whole || type.dtype == DType::Float64);
  }

  const Expr* simplified(const Expr* node) {
    if (is<Comparison>(node) || is<BooleanOperation>(node) || is<Subscript>(node) ||
        is<Comprehension>(node) || is<Lambda>(node) || is<Constant>(node)) {
      return node;
    }
    if (!is_arithmetic(node) || !is_known(node) || !is_small(node)) return with_children(node);
    Reading reading;
    const F formula = read(node, reading);
    F best = other_ ? by_other(formula) : algebra::simplify(formula);
    // A sum that is 1 is the float.
    if (best != nullptr && best->is(algebra::Form::Number))
      best = algebra::make_number(best->number, type_of_(node).dtype == DType::Integer);
    if (best == nullptr || algebra::operations(best) >= reading.operations)
      return with_children(node);
    for (const auto& [name, atom] : reading.atoms) {
      if (!effects_.is_pure(atom)) return with_children(node);
    }
    ExpressionSink sink{.context = context_,
                        .atoms = reading.atoms,
                        .like = reading.like,
                        .rank_of = [this](const Expr* atom) { return rank_of(atom); }};
    if (!is_writable(best, reading)) return with_children(node);
    const Expr* made = algebra::FormulaWriter<ExpressionSink>(sink).write(best);
    // `v * 1.0` is a new array, v is not.
    if (type_of_(node).is_array() && !is_arithmetic(made)) return with_children(node);
    return fits(type_of_(made), type_of_(node)) ? made : with_children(node);
  }

  const Expr* with_children(const Expr* node) {
    // np.divide(a, b, out=np.zeros_like(b), where=test) is known by its two b.
    if (const auto* call = as<Call>(node); call != nullptr && !call->keywords.empty()) return node;
    const auto* conditional = as<Conditional>(node);
    return static_cast<const Expr*>(
        rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
          if (conditional != nullptr && child == conditional->test) return child;
          return is_expression(child->kind) ? simplified(static_cast<const Expr*>(child)) : child;
        }));
  }

  static bool is_small(const Expr* node) {
    std::size_t size = 0;
    return find_node(node, [&](const Node*) { return ++size > kLargestFormula; }) == nullptr;
  }

  int rank_of(const Expr* atom) const {
    const Type type = type_of_(atom);
    return type.is_array() ? std::max<int>(type.rank, 1) : 0;
  }

  static bool fits(const Type& made, const Type& wanted) {
    if (made.dtype != wanted.dtype || made.is_array() != wanted.is_array()) return false;
    return made.is_array() ? same_shape(made, wanted) : made.is_number();
  }

  F read(const Expr* node, Reading& reading) {
    if (const auto* constant = as<Constant>(node)) {
      const Literal& literal = constant->value;
      if (literal.kind == LiteralKind::Integer && std::abs(literal.integer) < (1LL << 50))
        return algebra::make_number(static_cast<double>(literal.integer));
      if (literal.kind == LiteralKind::Float && std::isfinite(literal.number))
        return algebra::make_number(literal.number, false);
    }
    if (!is_arithmetic(node) || !is_known(node)) return atom(node, reading);
    if (const std::string_view name = function_name(node); !name.empty()) {
      const auto* call = static_cast<const Call*>(node);
      if (reading.like == nullptr || call->callee.text().starts_with("numpy.")) reading.like = call;
      ++reading.operations;
      return algebra::make_function(name, {read(call->arguments[0], reading)});
    }
    if (const auto* sign = as<UnaryOperation>(node)) {
      F operand = read(sign->operand, reading);
      if (sign->op == UnaryOperator::Plus) return operand;
      if (!is<Constant>(sign->operand)) ++reading.operations;
      return algebra::make_negative(operand);
    }
    const auto* operation = static_cast<const BinaryOperation*>(node);
    ++reading.operations;
    const F left = read(operation->left, reading);
    const F right = read(operation->right, reading);
    switch (operation->op) {
      case BinaryOperator::Add:
        return algebra::make_sum({left, right});
      case BinaryOperator::Subtract:
        return algebra::make_sum({left, algebra::make_negative(right)});
      case BinaryOperator::Multiply:
        return algebra::make_product({left, right});
      case BinaryOperator::Divide:
        return algebra::make_quotient(left, right);
      default:
        return algebra::make_power(left, right);
    }
  }

  F atom(const Expr* node, Reading& reading) {
    const Expr* now = simplified(node);
    for (std::size_t k = 0; k < reading.order.size(); ++k) {
      if (equal(reading.order[k], now)) return algebra::make_atom("a" + std::to_string(k));
    }
    std::string name = "a" + std::to_string(reading.order.size());
    reading.order.push_back(now);
    reading.atoms.emplace(name, now);
    return algebra::make_atom(std::move(name));
  }

  F by_other(const F& formula) const {
    if (algebra::operations(formula) == 0) return nullptr;
    return algebra::parse_formula(other_(algebra::text(formula)));
  }

  // Whether there is a spelling for all that is in a formula.
  static bool is_writable(const F& formula, const Reading& reading) {
    if (formula->is(algebra::Form::Atom)) return reading.atoms.contains(formula->name);
    if (formula->is(algebra::Form::Number)) return std::isfinite(formula->number);
    if (formula->is(algebra::Form::Function)) {
      const bool known = std::ranges::any_of(
          kFunctions, [&](const KnownFunction& one) { return one.name == formula->name; });
      if (!known || reading.like == nullptr) return false;
    }
    return std::ranges::all_of(formula->parts,
                               [&](const F& part) { return is_writable(part, reading); });
  }

  std::function<Type(const Expr*)> type_of_;
  const Effects& effects_;
  Context& context_;
  const std::function<std::string(const std::string&)>& other_;
};

}  // namespace

Block simplify_algebra(Block body, const PassInput& input) {
  return ExpressionSimplifier(input.type_of, input.effects, input.context, input.simplify_formula)
      .block(body);
}

}  // namespace tangent
