// Expressions of rule bodies: names replaced by values, forms expanded, d[…] by sums of products;
// see rules/README.md for the words.
#include <algorithm>

#include "autodiff/free_calls.h"
#include "autodiff/rule_binding.h"
#include "autodiff/rule_terms.h"
#include "syntax/as_written.h"

namespace tangent {

const Expr* Reverse::argument(std::size_t index, Binding& binding) {
  const Expr* given = binding.arguments[index];
  if (given != nullptr) {
    const Expr* value = operand(given);
    const Type type = typing_.of(given);
    if (type.is_array() && type.dtype == DType::Integer &&
        binding.rule.parameters[index].differentiable) {
      // Products of small integers overflow: rules compute with real numbers.
      const Expr* real = context_.make<BinaryOperation>(
          {}, BinaryOperator::Multiply, static_cast<const Expr*>(context_.number(1.0)), value);
      Type floating = type;
      floating.dtype = DType::Float64;
      typing_.set(real, floating);
      return real;
    }
    return value;
  }
  const Expr* standard = binding.rule.parameters[index].default_value;
  if (standard == nullptr) return context_.none();
  return evaluate(standard, binding);
}

const Expr* Reverse::result(Binding& binding) {
  if (binding.result != nullptr) return binding.result;
  if (binding.parts != nullptr && !binding.parts->values.empty()) {
    const std::vector<const Expr*>& values = binding.parts->values;
    const bool named =
        std::ranges::none_of(values, [](const Expr* each) { return each == nullptr; });
    if (named) return context_.make<TupleDisplay>({}, context_.list(values));
  }
  return primal(binding.node);
}

Linear Reverse::evaluate_linear(const Expr* expression, Binding& binding) {
  if (derivative_of(expression)) {
    return binding.parts != nullptr ? all_parts(binding) : binding.adjoint;
  }
  if (binding.parts != nullptr && vanishes(expression, binding)) return {};
  switch (expression->kind) {
    case Kind::Name: {
      const auto found = binding.locals.find(static_cast<const Name*>(expression)->symbol);
      if (found != binding.locals.end()) return found->second;
      break;
    }
    case Kind::UnaryOperation: {
      const auto* operation = static_cast<const UnaryOperation*>(expression);
      if (operation->op == UnaryOperator::Minus) {
        return Algebra::negate(evaluate_linear(operation->operand, binding));
      }
      break;
    }
    case Kind::BinaryOperation: {
      const auto* operation = static_cast<const BinaryOperation*>(expression);
      const bool left = has_derivative(operation->left, binding);
      const bool right = has_derivative(operation->right, binding);
      switch (operation->op) {
        case BinaryOperator::Add:
        case BinaryOperator::Subtract: {
          Linear sum = left ? evaluate_linear(operation->left, binding)
                            : algebra_.of(evaluate(operation->left, binding));
          Linear other = right ? evaluate_linear(operation->right, binding)
                               : algebra_.of(evaluate(operation->right, binding));
          if (operation->op == BinaryOperator::Subtract) other = Algebra::negate(other);
          algebra_.add(sum, other);
          return sum;
        }
        case BinaryOperator::Multiply:
          if (left && right) break;
          return times(evaluate_linear(left ? operation->left : operation->right, binding),
                       evaluate(left ? operation->right : operation->left, binding), binding.node);
        case BinaryOperator::Divide: {
          if (right) break;
          return times(evaluate_linear(operation->left, binding),
                       evaluate(operation->right, binding), binding.node, true);
        }
        default:
          break;
      }
      const Expr* a = left ? algebra_.build(evaluate_linear(operation->left, binding))
                           : evaluate(operation->left, binding);
      const Expr* b = right ? algebra_.build(evaluate_linear(operation->right, binding))
                            : evaluate(operation->right, binding);
      return algebra_.of(algebra_.binary(operation->op, a, b));
    }
    case Kind::Call: {
      const auto* call = static_cast<const Call*>(expression);
      if (call->callee.text().starts_with("rule.")) return form(call, binding);
      if (call->callee.text() == "tangent.runtime._unbroadcast") {
        Linear value = evaluate_linear(call->arguments[0], binding);
        if (binding.broadcasts || fits(value, call->arguments[1], binding)) return value;
      }
      return algebra_.of(evaluate_call(call, binding));
    }
    case Kind::Subscript: {
      const auto* subscript = static_cast<const Subscript*>(expression);
      if (derivative_of(subscript->value)) return part_adjoint(subscript->index, binding);
      return algebra_.of(
          context_.make<Subscript>({}, algebra_.build(evaluate_linear(subscript->value, binding)),
                                   evaluate(subscript->index, binding)));
    }
    case Kind::Attribute: {
      const auto* attribute = static_cast<const Attribute*>(expression);
      const Linear value = evaluate_linear(attribute->value, binding);
      const Expr* base = algebra_.build(value);
      if (attribute->attribute.text() == "T") return algebra_.of(transposed(base));
      return algebra_.of(
          context_.make<Attribute>({}, base, context_.symbol(attribute->attribute.text())));
    }
    default:
      break;
  }
  throw InternalError("the rule of " + std::string(binding.rule.name.text()) +
                      " uses d[…] in a way that is not known: " +
                      std::to_string(static_cast<int>(expression->kind)));
}

// The one operand of an elementwise operation that is no number: the result has its shape.
const Expr* Reverse::sole_array(const Expr* node) {
  std::vector<const Expr*> operands;
  if (const auto* operation = as<BinaryOperation>(node)) {
    if (operation->op == BinaryOperator::MatrixMultiply) return nullptr;
    operands = {operation->left, operation->right};
  } else if (const auto* unary = as<UnaryOperation>(node)) {
    operands = {unary->operand};
  } else if (const auto* call = as<Call>(node); call != nullptr && call->callee) {
    const Rule* rule = rules_.find(call->callee.text());
    const std::string_view shape = rule != nullptr ? rule->shape.text() : std::string_view();
    if (shape != "elementwise" && shape != "arithmetic") return nullptr;
    if (const auto* method = as<Attribute>(call->function); method && is_receiver(method)) {
      operands.push_back(method->value);
    }
    operands.insert(operands.end(), call->arguments.begin(), call->arguments.end());
    for (const Keyword* keyword : call->keywords) operands.push_back(keyword->value);
  }
  const Expr* sole = nullptr;
  for (const Expr* operand : operands) {
    const Type type = typing_.of(operand);
    if (type.is_number() || type.kind == TypeKind::None) continue;
    if (sole != nullptr || !type.is_array()) return nullptr;
    sole = operand;
  }
  return sole;
}

// Whether an expression has the shape of an operand because it is made of it and of numbers.
bool Reverse::follows(const Expr* expression, const Expr* operand) {
  for (int depth = 0; depth < 8 && operand != nullptr && expression != nullptr; ++depth) {
    if (equal(expression, operand)) return true;
    const auto kept = result_.plan.replaced.find(operand);
    const auto* name = as<Name>(expression);
    if (kept != result_.plan.replaced.end() && name && name->symbol == kept->second) return true;
    expression = sole_array(expression);
  }
  return false;
}

// Whether a value surely has the shape of a parameter's argument.
bool Reverse::fits(const Linear& value, const Expr* parameter, const Binding& binding) {
  const auto* name = as<Name>(parameter);
  const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
  const Expr* argument = index >= 0 ? binding.arguments[static_cast<std::size_t>(index)] : nullptr;
  if (argument == nullptr || value.lazy) return false;
  return same_shape(typing_.of(argument), typing_.of(algebra_.build(value)));
}

// The test of a mask, of True and False: masks are joined by `&` and given to where=.
const Expr* Reverse::mask_test(const Expr* test, Binding& binding) {
  const auto* name = as<Name>(test);
  const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
  const Expr* given = index >= 0 ? binding.arguments[static_cast<std::size_t>(index)] : nullptr;
  if (given == nullptr) return evaluate(test, binding);
  // A test of a whole array is made once and kept.
  if (is<Comparison>(given) && !typing_.of(given).is_number() && arm_depth_ == 0) {
    return hoist(given, "mask");
  }
  return primal(given);
}

// x.T, without turning twice.
const Expr* Reverse::transposed(const Expr* value) {
  if (typing_.of(value).is_number()) return value;
  if (const auto* again = as<Attribute>(value);
      again != nullptr && again->attribute.text() == "T") {
    return again->value;
  }
  // (A.T @ B).T is B.T @ A.
  if (const auto* product = as<BinaryOperation>(value);
      product != nullptr && product->op == BinaryOperator::MatrixMultiply) {
    const auto is_transposed = [](const Expr* operand) {
      const auto* attribute = as<Attribute>(operand);
      return attribute != nullptr && attribute->attribute.text() == "T";
    };
    const auto is_matrix = [&](const Expr* operand) {
      const Type type = typing_.of(operand);
      return type.is_array() && type.rank == 2;
    };
    if ((is_transposed(product->left) || is_transposed(product->right)) &&
        is_matrix(product->left) && is_matrix(product->right)) {
      const Expr* turned = context_.make<BinaryOperation>(
          {}, product->op, transposed(product->right), transposed(product->left));
      typing_.set(turned, typing_.of(context_.make<Attribute>({}, value, context_.symbol("T"))));
      return turned;
    }
  }
  return context_.make<Attribute>({}, value, context_.symbol("T"));
}

// A factor that has the whole shape makes a value that stands for an array into one.
Linear Reverse::times(const Linear& value, const Expr* factor, const Expr* node, bool inverse) {
  Linear result = inverse ? algebra_.divide(value, factor) : algebra_.multiply(value, factor);
  if (value.lazy) {
    const Type whole = typing_.of(node);
    const Type type = typing_.of(factor);
    bool covers = type.is_array() && whole.is_array() && type.rank >= 0 && type.rank == whole.rank;
    // A length that is known not to be 1 is the length of the result, or NumPy raises.
    for (std::size_t axis = 0; covers && axis < type.dims.size(); ++axis) {
      covers = type.dims[axis].is_same(whole.dims[axis]) || type.dims[axis].is_symbol();
    }
    result.lazy = !covers && !follows(factor, sole_array(node));
  }
  return result;
}

Linear Reverse::form(const Call* call, Binding& binding) {
  const std::string_view word = last_part(call->callee.text());
  if (word == "mask") {
    const Expr* test = nullptr;
    if (const auto* inverted = as<UnaryOperation>(call->arguments[0]);
        inverted != nullptr && inverted->op == UnaryOperator::Not) {
      test = algebra_.negated(mask_test(inverted->operand, binding));
    } else {
      test = mask_test(call->arguments[0], binding);
      if (!typing_.of(test).is_number() && !algebra_.is_boolean(test)) {
        test = algebra_.compared_with_zero(ComparisonOperator::NotEqual, test);
      }
    }
    return algebra_.mask(evaluate_linear(call->arguments[1], binding), test);
  }
  if (word == "refuse") {
    const Linear value = evaluate_linear(call->arguments[0], binding);
    if (value.is_zero()) return {};
    const auto* what = as<Constant>(call->arguments[1]);
    refuse(DiagnosticKind::NoRule, binding.node, std::string(what->value.text),
           "write it with functions that have a derivative rule");
  }
  if (word == "each") {
    // Of an array: a number that stands for all of it.
    const Type type = typing_.of(binding.arguments[0]);
    Linear value = evaluate_linear(call->arguments[0], binding);
    if (!type.is_array()) {
      refuse(DiagnosticKind::UnsupportedType, binding.arguments[0],
             "the sum of a container that depends on the differentiated arguments",
             "use a NumPy array, or write the terms out");
    }
    value.lazy = true;
    return value;
  }
  if (word == "layers") {
    Linear value = evaluate_linear(call->arguments[0], binding);
    const Expr* axis = evaluate(call->arguments[1], binding);
    if (literal_integer(axis) == 0) return value;
    return algebra_.of(
        algebra_.numpy_call("moveaxis", {algebra_.build(value), axis, context_.integer(0)}));
  }
  if (word == "pieces") {
    return algebra_.of(context_.make<Call>(
        {}, helper("_unconcatenate"), context_.symbol("tangent.runtime._unconcatenate"),
        context_.list<const Expr*>({algebra_.build(evaluate_linear(call->arguments[0], binding)),
                                    evaluate(call->arguments[1], binding),
                                    evaluate(call->arguments[2], binding)}),
        List<const Keyword*>()));
  }
  if (word == "full") {
    Linear value = evaluate_linear(call->arguments[0], binding);
    if (const auto part = part_of(call->arguments[1], binding)) {
      return full(value, part_value(*part, binding));
    }
    if (binding.parts != nullptr && derivative_of(call->arguments[0])) return value;
    const auto* name = as<Name>(call->arguments[1]);
    const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
    const Expr* like =
        index >= 0 ? binding.arguments[static_cast<std::size_t>(index)] : binding.node;
    return full(value, like);
  }
  if (word == "spread") {
    Linear value = evaluate_linear(call->arguments[0], binding);
    const auto* name = as<Name>(call->arguments[1]);
    const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
    if (index < 0) throw InternalError("spread() wants a parameter");
    const Expr* like = binding.arguments[static_cast<std::size_t>(index)];
    const Type type = typing_.of(like);
    if (type.is_number()) return value;
    const Expr* axis = evaluate(call->arguments[2], binding);
    const Expr* keepdims = evaluate(call->arguments[3], binding);
    const auto* constant = as<Constant>(axis);
    const auto* kept = as<Constant>(keepdims);
    const bool all = constant != nullptr && constant->value.kind == LiteralKind::None;
    const bool keeps = kept != nullptr && kept->value.kind == LiteralKind::True;
    const bool drops =
        kept != nullptr && (kept->value.kind == LiteralKind::False ||
                            (kept->value.kind == LiteralKind::Integer && kept->value.integer == 0));
    const bool known = type.is_array() && type.rank >= 0;
    double number = 0.0;
    bool integral = false;
    const bool single = Algebra::is_literal(axis, number, integral) && integral;
    if (all || keeps || (known && single && drops && number == 0.0)) {
      value.lazy = true;
      return value;
    }
    if (known && single && drops) {
      value = full(value, binding.node);
      const Expr* expanded = algebra_.numpy_call("expand_dims", {algebra_.build(value), axis});
      Linear result = algebra_.of(expanded);
      result.lazy = true;
      return result;
    }
    const Expr* spread =
        context_.make<Call>({}, helper("_spread"), context_.symbol("tangent.runtime._spread"),
                            context_.list<const Expr*>({algebra_.build(full(value, binding.node)),
                                                        primal(like), axis, keepdims}),
                            List<const Keyword*>());

    typing_.set(spread, Type::unknown());
    Linear result = algebra_.of(spread);
    result.lazy = true;
    return result;
  }
  throw InternalError("`" + std::string(word) + "` is no form of a rule");
}

// k for `y[k]` of a result that is a tuple.
std::optional<std::size_t> Reverse::part_of(const Expr* expression, const Binding& binding) {
  const auto* subscript = as<Subscript>(expression);
  const auto* name = subscript != nullptr ? as<Name>(subscript->value) : nullptr;
  if (binding.parts == nullptr || name == nullptr || name->symbol != binding.rule.result) {
    return std::nullopt;
  }
  const auto number = literal_integer(subscript->index);
  return number ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

const Expr* Reverse::evaluate_call(const Call* call, Binding& binding) {
  // np.size(x) of an array is x.size, read from what is at hand.
  const std::string_view callee = call->callee.text();
  if ((callee == "numpy.size" || callee == "numpy.shape") && call->arguments.size() == 1) {
    const auto* name = as<Name>(call->arguments[0]);
    const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
    const Expr* given = index >= 0 ? binding.arguments[static_cast<std::size_t>(index)] : nullptr;
    if (given != nullptr && typing_.of(given).is_array()) {
      return context_.make<Attribute>({}, is<Name>(given) ? given : witness(given),
                                      context_.symbol(last_part(callee)));
    }
  }
  const std::function<const Expr*(const Expr*)> value_of = [&](const Expr* part) -> const Expr* {
    if (!has_derivative(part, binding)) return evaluate(part, binding);
    if (display_elements(part) != nullptr) {
      return static_cast<const Expr*>(
          rewrite_children(context_, *part, [&](const Node* child) -> const Node* {
            return value_of(static_cast<const Expr*>(child));
          }));
    }
    return algebra_.build(evaluate_linear(part, binding));
  };
  std::vector<const Expr*> arguments;
  for (const Expr* part : call->arguments) arguments.push_back(value_of(part));
  std::vector<const Keyword*> keywords;
  for (const Keyword* keyword : call->keywords) {
    keywords.push_back(context_.make<Keyword>({}, context_.symbol(keyword->name.text()),
                                              value_of(keyword->value)));
  }
  return context_.make<Call>({}, rule_names_.function(call->function),
                             context_.symbol(call->callee.text()), context_.list(arguments),
                             context_.list(keywords));
}

const Expr* Reverse::evaluate(const Expr* expression, Binding& binding) {
  switch (expression->kind) {
    case Kind::Name: {
      const auto* name = static_cast<const Name*>(expression);
      if (name->symbol == binding.rule.result) return result(binding);
      const auto found = binding.values.find(name->symbol);
      if (found != binding.values.end()) return found->second;
      const int index = binding.rule.index_of(name->symbol);
      if (index >= 0) return argument(static_cast<std::size_t>(index), binding);
      return rule_names_.function(name);
    }
    case Kind::Constant:
      return term_of(static_cast<const Constant*>(expression), context_);
    case Kind::UnaryOperation: {
      const auto* operation = static_cast<const UnaryOperation*>(expression);
      return term_of(operation, evaluate(operation->operand, binding), algebra_, context_);
    }
    case Kind::Comparison: {
      const auto* comparison = static_cast<const Comparison*>(expression);
      const Expr* left = evaluate(comparison->left, binding);
      return term_of(comparison, left, evaluate(comparison->comparators[0], binding), context_);
    }
    case Kind::BinaryOperation: {
      const auto* operation = static_cast<const BinaryOperation*>(expression);
      const Expr* left = evaluate(operation->left, binding);
      return term_of(operation, left, evaluate(operation->right, binding), algebra_);
    }
    case Kind::Attribute: {
      const auto* attribute = static_cast<const Attribute*>(expression);
      const auto* name = as<Name>(attribute->value);
      const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
      const Symbol spelled = context_.symbol(attribute->attribute.text());
      if (index >= 0 && is_shape_of(attribute->attribute.text())) {
        const Expr* given = binding.arguments[static_cast<std::size_t>(index)];
        // Shapes are read from what is at hand: `(a ** 2).size` is `a.size`.
        return context_.make<Attribute>({}, is<Name>(given) ? given : witness(given), spelled);
      }
      if (name != nullptr && name->symbol == binding.rule.result &&
          is_shape_of(attribute->attribute.text())) {
        return context_.make<Attribute>({}, witness(binding.node), spelled);
      }
      const bool local = name != nullptr && name->scope == Scope::Local;
      if (!local && RuleNames::reaches_module(attribute)) return rule_names_.function(attribute);
      const Expr* value = evaluate(attribute->value, binding);
      if (spelled.text() == "T") return transposed(value);
      return context_.make<Attribute>({}, value, spelled);
    }
    case Kind::Call: {
      const auto* call = static_cast<const Call*>(expression);
      if (call->callee.text().starts_with("rule.")) {
        const std::string_view word = last_part(call->callee.text());
        if (word == "mask") {
          return algebra_.build(algebra_.mask(algebra_.of(evaluate(call->arguments[1], binding)),
                                              evaluate(call->arguments[0], binding)));
        }
        throw InternalError("`" + std::string(word) + "` without d[…] is no form of a rule");
      }
      return evaluate_call(call, binding);
    }
    case Kind::Subscript:
      if (const auto part = part_of(expression, binding)) return part_value(*part, binding);
      [[fallthrough]];
    default:
      return static_cast<const Expr*>(
          rewrite_children(context_, *expression, [&](const Node* child) -> const Node* {
            if (!is_expression(child->kind)) return child;
            return evaluate(static_cast<const Expr*>(child), binding);
          }));
  }
}

}  // namespace tangent
