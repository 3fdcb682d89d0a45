// Expressions of rule bodies in forward mode: names replaced by values, forms expanded, d[…] by
// tangents; see forward.h and rules/README.md.
#include "autodiff/forward_binding.h"
#include "autodiff/free_calls.h"
#include "autodiff/rule_binding.h"
#include "autodiff/rule_terms.h"
#include "syntax/as_written.h"

namespace tangent {

const Expr* Forward::argument(std::size_t index, Binding& binding) {
  const Expr* given = binding.arguments[index];
  if (given == nullptr) {
    const Expr* standard = binding.rule.parameters[index].default_value;
    return standard == nullptr ? context_.none() : evaluate(standard, binding);
  }
  const Type type = typing_.of(given);
  // An array that is computed and read more than once is computed once.
  const bool computed = is<BinaryOperation>(given) || is<UnaryOperation>(given);
  if (computed && type.is_array() && arm_depth_ == 0 && given != current_value_) {
    const Block body = binding.rule.elementwise ? binding.rule.adjoint : binding.rule.tangent;
    if (uses_of(binding.rule.parameters[index].name, body, binding) > 1) hoist(given);
  }
  const Expr* value = primal(given);
  if (!binding.rule.parameters[index].differentiable) return value;
  if (type.kind == TypeKind::List && !takes_lists(binding.rule))
    return algebra_.numpy_call("array", {value});
  if (type.is_array() && type.dtype == DType::Integer) {
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

const Expr* Forward::mask_test(const Expr* test, Binding& binding) {
  const Expr* value = evaluate(test, binding);
  const Type type = typing_.of(value);
  // A test of a whole array is made once and kept.
  if (is<Comparison>(value) && !type.is_number() && arm_depth_ == 0) {
    const auto* name = as<Name>(test);
    const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
    if (index >= 0 && is<Comparison>(binding.arguments[static_cast<std::size_t>(index)]))
      return hoist(binding.arguments[static_cast<std::size_t>(index)]);
  }
  return value;
}

Linear Forward::form(const Call* call, Binding& binding) {
  const std::string_view word = last_part(call->callee.text());
  if (word == "mask") {
    const Linear value = evaluate_linear(call->arguments[1], binding);
    if (value.is_zero()) return {};
    const Expr* test = nullptr;
    if (const auto* inverted = as<UnaryOperation>(call->arguments[0]);
        inverted != nullptr && inverted->op == UnaryOperator::Not) {
      test = algebra_.negated(mask_test(inverted->operand, binding));
    } else {
      test = mask_test(call->arguments[0], binding);
      if (!typing_.of(test).is_number() && !algebra_.is_boolean(test))
        test = algebra_.compared_with_zero(ComparisonOperator::NotEqual, test);
    }
    return algebra_.mask(value, test);
  }
  if (word == "full") return evaluate_linear(call->arguments[0], binding);
  if (word == "refuse") {
    if (vanishes(call->arguments[0], binding)) return {};
    const auto* what = as<Constant>(call->arguments[1]);
    refuse(DiagnosticKind::NoRule, binding.node, std::string(what->value.text),
           "write it with functions that have a derivative rule");
  }
  refuse(DiagnosticKind::NoRule, binding.node,
         "`" + std::string(binding.rule.name.text()) + "` has no rule for forward mode",
         "use reverse mode (tangent.grad), or write it with functions that have one");
}

Linear Forward::evaluate_linear(const Expr* expression, Binding& binding) {
  if (const Symbol of = derivative_of(expression)) {
    const int index = binding.rule.index_of(of == binding.rule.result ? binding.derivative : of);
    if (index < 0) throw InternalError("a rule reads the tangent of what is no parameter");
    const Linear& own = tangent_of(static_cast<std::size_t>(index), binding);
    const Expr* given = binding.arguments[static_cast<std::size_t>(index)];
    if (!binding.rule.given || !own.is_zero() || given == nullptr) return own;
    // What a user's function is given beside a tangent is no number for an array of zeros.
    return algebra_.of(zero_like(primal(given), typing_.of(given)));
  }
  switch (expression->kind) {
    case Kind::Name: {
      const auto found = binding.locals.find(static_cast<const Name*>(expression)->symbol);
      if (found != binding.locals.end()) return found->second;
      break;
    }
    case Kind::UnaryOperation: {
      const auto* operation = static_cast<const UnaryOperation*>(expression);
      if (operation->op == UnaryOperator::Minus)
        return Algebra::negate(evaluate_linear(operation->operand, binding));
      break;
    }
    case Kind::BinaryOperation: {
      const auto* operation = static_cast<const BinaryOperation*>(expression);
      const bool left = has_derivative(operation->left, binding);
      const bool right = has_derivative(operation->right, binding);
      auto linear = [&](const Expr* part, bool flows) {
        return flows ? evaluate_linear(part, binding) : algebra_.of(evaluate(part, binding));
      };
      switch (operation->op) {
        case BinaryOperator::Add:
        case BinaryOperator::Subtract: {
          Linear sum = linear(operation->left, left);
          Linear other = linear(operation->right, right);
          if (operation->op == BinaryOperator::Subtract) other = Algebra::negate(other);
          algebra_.add(sum, other);
          return sum;
        }
        case BinaryOperator::Multiply:
          if (left && right) break;
          return times(evaluate_linear(left ? operation->left : operation->right, binding),
                       evaluate(left ? operation->right : operation->left, binding));
        case BinaryOperator::Divide:
          if (right) break;
          return times(evaluate_linear(operation->left, binding),
                       evaluate(operation->right, binding), true);
        default:
          break;
      }
      auto built = [&](const Expr* part, bool flows) {
        return flows ? algebra_.build(evaluate_linear(part, binding)) : evaluate(part, binding);
      };
      return algebra_.of(algebra_.binary(operation->op, built(operation->left, left),
                                         built(operation->right, right)));
    }
    case Kind::Call: {
      const auto* call = static_cast<const Call*>(expression);
      if (call->callee.text().starts_with("rule.")) return form(call, binding);
      return algebra_.of(evaluate_call(call, binding));
    }
    case Kind::Subscript: {
      const auto* subscript = static_cast<const Subscript*>(expression);
      return algebra_.of(
          context_.make<Subscript>({}, algebra_.build(evaluate_linear(subscript->value, binding)),
                                   evaluate(subscript->index, binding)));
    }
    case Kind::Attribute: {
      const auto* attribute = static_cast<const Attribute*>(expression);
      const Expr* base = algebra_.build(evaluate_linear(attribute->value, binding));
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

const Expr* Forward::evaluate_call(const Call* call, Binding& binding) {
  // np.size(x) of an array is x.size.
  const std::string_view callee = call->callee.text();
  if ((callee == "numpy.size" || callee == "numpy.shape") && call->arguments.size() == 1) {
    const auto* name = as<Name>(call->arguments[0]);
    const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
    const Expr* given = index >= 0 ? binding.arguments[static_cast<std::size_t>(index)] : nullptr;
    if (given != nullptr && typing_.of(given).is_array()) {
      const Expr* value = primal(given);
      if (is<Name>(value))
        return context_.make<Attribute>({}, value, context_.symbol(last_part(callee)));
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
    const Expr* value = value_of(keyword->value);
    // What the function does by itself is not said.
    const auto* constant = as<Constant>(value);
    const bool standard =
        constant != nullptr &&
        ((keyword->name.text() == "axis" && constant->value.kind == LiteralKind::None) ||
         (keyword->name.text() == "keepdims" && constant->value.kind == LiteralKind::False));
    if (standard && callee.starts_with("numpy.")) continue;
    keywords.push_back(
        context_.make<Keyword>(Ranges(), context_.symbol(keyword->name.text()), value));
  }
  return context_.make<Call>(Ranges(), rule_names_.function(call->function),
                             context_.symbol(call->callee.text()), context_.list(arguments),
                             context_.list(keywords));
}

// y[k] of a body, whose result is a tuple.
const Expr* Forward::part_value(std::size_t part, Binding& binding) {
  if (binding.node == current_value_ && part < current_parts_.size())
    return context_.local(current_parts_[part]);
  const Expr* whole = binding.node == current_value_ && current_result_
                          ? context_.local(current_result_)
                          : primal(binding.node);
  const Expr* made = context_.make<Subscript>(
      Ranges(), whole, static_cast<const Expr*>(context_.integer(static_cast<std::int64_t>(part))));
  const Type type = typing_.of(binding.node);
  if (part < type.elements.size()) typing_.set(made, type.elements[part]);
  return made;
}

const Expr* Forward::evaluate(const Expr* expression, Binding& binding) {
  switch (expression->kind) {
    case Kind::Name: {
      const auto* name = static_cast<const Name*>(expression);
      if (name->symbol == binding.rule.result) {
        if (binding.node == current_value_ && current_result_)
          return context_.local(current_result_);
        return primal(binding.node);
      }
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
      const Symbol spelled = context_.symbol(attribute->attribute.text());
      const bool local = name != nullptr && name->scope == Scope::Local;
      if (!local && RuleNames::reaches_module(attribute)) return rule_names_.function(attribute);
      const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
      if (index >= 0 && is_shape_of(attribute->attribute.text())) {
        const Expr* given = binding.arguments[static_cast<std::size_t>(index)];
        if (given != nullptr) return context_.make<Attribute>(Ranges(), primal(given), spelled);
      }
      return context_.make<Attribute>(Ranges(), evaluate(attribute->value, binding), spelled);
    }
    case Kind::Call: {
      const auto* call = static_cast<const Call*>(expression);
      if (call->callee.text() == "rule.mask") {
        return algebra_.build(algebra_.mask(algebra_.of(evaluate(call->arguments[1], binding)),
                                            evaluate(call->arguments[0], binding)));
      }
      return evaluate_call(call, binding);
    }
    case Kind::Subscript: {
      // y[k] of a result that is unpacked: the name that gets it.
      const auto* subscript = static_cast<const Subscript*>(expression);
      const auto* name = as<Name>(subscript->value);
      const auto* constant = as<Constant>(subscript->index);
      if (name != nullptr && name->symbol == binding.rule.result && constant != nullptr &&
          constant->value.kind == LiteralKind::Integer) {
        return part_value(static_cast<std::size_t>(constant->value.integer), binding);
      }
      [[fallthrough]];
    }
    default:
      return static_cast<const Expr*>(
          rewrite_children(context_, *expression, [&](const Node* child) -> const Node* {
            if (!is_expression(child->kind)) return child;
            return evaluate(static_cast<const Expr*>(child), binding);
          }));
  }
}

}  // namespace tangent
