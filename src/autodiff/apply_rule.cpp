// Rule bodies run while differentiating: tests decided, names replaced, adjoints accumulated; see
// reverse.h and rules/README.md for the words.
#include <cmath>

#include "autodiff/reverse.h"

namespace tangent {

struct Reverse::Binding {
  const Rule& rule;
  const Call* call;  // null for an operator
  const std::vector<const Expr*>& arguments;
  const Linear& adjoint;
  const Expr* node;
  const Expr* result;  // the value under a name, if there is one already
  bool broadcasts;     // operands are reduced to their own shapes here, not by the rule
  std::unordered_map<Symbol, Linear> locals;
  std::unordered_map<Symbol, const Expr*> values;
};

namespace {

bool is_shape_of(std::string_view attribute) {
  return attribute == "shape" || attribute == "size" || attribute == "ndim" || attribute == "dtype";
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

int count_reads(const Node* node, Symbol derivative) {
  int count = 0;
  std::vector<const Node*> stack{node};
  while (!stack.empty()) {
    const Node* top = stack.back();
    stack.pop_back();
    if (is_expression(top->kind) && derivative_of(static_cast<const Expr*>(top)) == derivative)
      ++count;
    for_each_child(*top, [&](const Node* child) { stack.push_back(child); });
  }
  return count;
}

}  // namespace

void Reverse::apply_rule(const Rule& rule, const Call* call,
                         const std::vector<const Expr*>& arguments, const Linear& adjoint,
                         const Expr* node, const Expr* result) {
  if (rule.constant) return;
  int actives = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] == nullptr || !active(arguments[k])) continue;
    ++actives;
    if (!rule.parameters[k].differentiable) {
      refuse(DiagnosticKind::NoRule, arguments[k],
             "`" + std::string(rule.name.text()) + "` has no derivative with respect to `" +
                 std::string(rule.parameters[k].name.text()) + "`",
             "pass a value there that does not depend on the differentiated arguments");
    }
  }
  const std::string_view shape = rule.shape.text();
  const bool broadcasts = shape == "elementwise" || shape == "arithmetic" || shape == "where";
  Linear shared = adjoint;
  const bool numbers = typing_.of(node).is_number();
  if (actives > 0 && !shared.is_cheap(numbers) &&
      (actives > 1 || reads_of_adjoint(rule.adjoint, rule, arguments, node) > 1)) {
    shared = actives > 1 && broadcasts ? named_if_shared(node, shared) : name_adjoint(node, shared);
  }
  Binding binding{.rule = rule,
                  .call = call,
                  .arguments = arguments,
                  .adjoint = shared,
                  .node = node,
                  .result = result,
                  .broadcasts = broadcasts,
                  .locals = {},
                  .values = {}};
  const std::size_t mark = in_flight_.size();
  in_flight_.push_back(&shared);
  run_body(rule.adjoint, binding);
  in_flight_.resize(mark);
}

// How often a body reads d[y] for the arguments that are active.
int Reverse::reads_of_adjoint(Block body, const Rule& rule,
                              const std::vector<const Expr*>& arguments, const Expr* node) {
  Binding binding{.rule = rule,
                  .call = nullptr,
                  .arguments = arguments,
                  .adjoint = Linear(),
                  .node = node,
                  .result = nullptr,
                  .broadcasts = false,
                  .locals = {},
                  .values = {}};
  int reads = 0;
  for (const Stmt* statement : body) {
    if (const auto* branch = as<If>(statement)) {
      const bool taken = decide(branch->test, binding) == Truth::True;
      reads += reads_of_adjoint(taken ? branch->body : branch->orelse, rule, arguments, node);
      continue;
    }
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr) continue;
    const Symbol parameter = derivative_of(assign->targets[0]);
    const int index = parameter ? rule.index_of(parameter) : -1;
    const bool wanted =
        !parameter || (index >= 0 && arguments[static_cast<std::size_t>(index)] != nullptr &&
                       active(arguments[static_cast<std::size_t>(index)]));
    if (wanted) reads += count_reads(assign->value, rule.result);
  }
  return reads;
}

void Reverse::run_body(Block body, Binding& binding) {
  for (std::size_t k = 0; k < body.size(); ++k) {
    const Stmt* statement = body[k];
    if (const auto* branch = as<If>(statement)) {
      run_body(decide(branch->test, binding) == Truth::True ? branch->body : branch->orelse,
               binding);
      continue;
    }
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr) continue;
    if (const Symbol parameter = derivative_of(assign->targets[0])) {
      contribute(parameter, assign->value, binding);
      continue;
    }
    const auto* name = as<Name>(assign->targets[0]);
    if (name == nullptr)
      throw InternalError("a rule assigns to something else than d[…] or a name");
    if (!has_derivative(assign->value, binding)) {
      binding.values[name->symbol] = evaluate(assign->value, binding);
      continue;
    }
    Linear value = evaluate_linear(assign->value, binding);
    // Used for more than one active argument: computed once.
    int uses = 0;
    for (const Stmt* later : body.subspan(k + 1)) {
      const auto* contribution = as<Assign>(later);
      if (contribution == nullptr) {
        uses += 2;
        continue;
      }
      const Symbol target = derivative_of(contribution->targets[0]);
      const int index = target ? binding.rule.index_of(target) : -1;
      const bool wanted =
          index < 0 || (binding.arguments[static_cast<std::size_t>(index)] != nullptr &&
                        active(binding.arguments[static_cast<std::size_t>(index)]));
      if (wanted && mentions(contribution->value, name->symbol)) ++uses;
    }
    if (uses > 1 && !value.is_cheap(false)) {
      const Type type = typing_.of(algebra_.build(value));
      value = named(name->symbol.text(), value, type);
    }
    binding.locals[name->symbol] = value;
    in_flight_.push_back(&binding.locals[name->symbol]);
  }
}

void Reverse::contribute(Symbol parameter, const Expr* value, Binding& binding) {
  const int index = binding.rule.index_of(parameter);
  if (index < 0) throw InternalError("a rule gives a derivative to what is no parameter");
  const Expr* argument = binding.arguments[static_cast<std::size_t>(index)];
  if (argument == nullptr || !active(argument)) return;
  if (const auto* each = as<Call>(value); each != nullptr && each->callee.text() == "rule.each") {
    Exprs elements;
    if (const auto* list = as<ListDisplay>(argument)) elements = list->elements;
    if (const auto* tuple = as<TupleDisplay>(argument)) elements = tuple->elements;
    if (elements.empty()) {
      refuse(DiagnosticKind::UnsupportedType, argument,
             "the sum of a container that depends on the differentiated arguments",
             "use a NumPy array, or write the terms out");
    }
    const Linear part = evaluate_linear(each->arguments[0], binding);
    for (const Expr* element : elements) {
      if (active(element)) push(element, unbroadcast(part, binding.node, element));
    }
    return;
  }
  Linear contribution = has_derivative(value, binding) ? evaluate_linear(value, binding) : Linear();
  if (contribution.is_zero()) return;
  if (binding.rule.singular != nullptr && may_vanish(binding.adjoint, argument)) {
    const Expr* test = evaluate(binding.rule.singular, binding);
    const auto* never = as<Constant>(test);
    if (never == nullptr) contribution = algebra_.mask(contribution, negated(test));
  }
  if (binding.broadcasts)
    contribution = unbroadcast(std::move(contribution), binding.node, argument);
  push(argument, std::move(contribution));
}

Linear Reverse::partial_of(const Rule& rule, const Call* call,
                           const std::vector<const Expr*>& arguments, const Linear& adjoint,
                           const Expr* result) {
  Binding binding{.rule = rule,
                  .call = call,
                  .arguments = arguments,
                  .adjoint = adjoint,
                  .node = call,
                  .result = result,
                  .broadcasts = true,
                  .locals = {},
                  .values = {}};
  return evaluate_linear(static_cast<const Assign*>(rule.adjoint[0])->value, binding);
}

// Whether an adjoint can be exactly zero at a singular point of a function of `argument`.
bool Reverse::may_vanish(const Linear& adjoint, const Expr* argument) {
  for (const Term& term : adjoint.terms) {
    if (term.mask != nullptr) continue;  // already exact
    for (const Factor& factor : term.factors) {
      if (factor.inverse) continue;
      bool found = false;
      for_each_read(factor.base, [&](Symbol read) {
        found = found || sparse_.contains(read) ||
                (!adjoint_names_.contains(read) && mentions(argument, read));
      });
      if (found || is_sparse(factor.base)) return true;
    }
  }
  return false;
}

bool Reverse::is_sparse(const Expr* value) const {
  bool found = false;
  std::vector<const Node*> stack{value};
  while (!stack.empty()) {
    const Node* top = stack.back();
    stack.pop_back();
    if (is<Conditional>(top)) found = true;
    if (const auto* name = as<Name>(top)) found = found || sparse_.contains(name->symbol);
    if (const auto* call = as<Call>(top)) {
      const std::string_view callee = call->callee.text();
      found = found || callee == "numpy.where" || callee.starts_with("tangent.runtime.");
    }
    for_each_child(*top, [&](const Node* child) { stack.push_back(child); });
  }
  return found;
}

const Expr* Reverse::negated(const Expr* test) {
  if (const auto* comparison = as<Comparison>(test); comparison && comparison->ops.size() == 1) {
    using enum ComparisonOperator;
    const ComparisonOperator op = comparison->ops[0];
    if (op == Equal || op == NotEqual) {
      return context_.make<Comparison>(
          {}, comparison->left, context_.list<ComparisonOperator>({op == Equal ? NotEqual : Equal}),
          comparison->comparators);
    }
  }
  if (const auto* inverted = as<UnaryOperation>(test);
      inverted && (inverted->op == UnaryOperator::Invert || inverted->op == UnaryOperator::Not)) {
    return inverted->operand;
  }
  const bool number = typing_.of(test).is_number();
  return context_.make<UnaryOperation>({}, number ? UnaryOperator::Not : UnaryOperator::Invert,
                                       test);
}

bool Reverse::has_derivative(const Expr* expression, const Binding& binding) {
  std::vector<const Node*> stack{expression};
  while (!stack.empty()) {
    const Node* top = stack.back();
    stack.pop_back();
    if (is_expression(top->kind) && derivative_of(static_cast<const Expr*>(top))) return true;
    if (const auto* name = as<Name>(top); name && binding.locals.contains(name->symbol))
      return true;
    for_each_child(*top, [&](const Node* child) { stack.push_back(child); });
  }
  return false;
}

const Expr* Reverse::argument(std::size_t index, Binding& binding) {
  const Expr* given = binding.arguments[index];
  if (given != nullptr) {
    const Expr* value = primal(given);
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
  return primal(binding.node);
}

Linear Reverse::evaluate_linear(const Expr* expression, Binding& binding) {
  if (derivative_of(expression)) return binding.adjoint;
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
      if (call->callee.text() == "tangent.runtime._unbroadcast" && binding.broadcasts) {
        return evaluate_linear(call->arguments[0], binding);
      }
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
      const Linear value = evaluate_linear(attribute->value, binding);
      const Expr* base = algebra_.build(value);
      if (attribute->attribute.text() == "T" && typing_.of(base).is_number()) return value;
      return algebra_.of(context_.make<Attribute>({}, base, attribute->attribute));
    }
    default:
      break;
  }
  throw InternalError("the rule of " + std::string(binding.rule.name.text()) +
                      " uses d[…] in a way that is not known: " +
                      std::to_string(static_cast<int>(expression->kind)));
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
    result.lazy = !covers;
  }
  return result;
}

Linear Reverse::form(const Call* call, Binding& binding) {
  const std::string_view word = last_part(call->callee.text());
  if (word == "mask") {
    const Expr* test = nullptr;
    if (const auto* inverted = as<UnaryOperation>(call->arguments[0]);
        inverted != nullptr && inverted->op == UnaryOperator::Not) {
      test = negated(evaluate(inverted->operand, binding));
    } else {
      test = evaluate(call->arguments[0], binding);
      // A test of a whole array is made once and kept.
      const auto* name = as<Name>(call->arguments[0]);
      const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
      const Expr* given = index >= 0 ? binding.arguments[static_cast<std::size_t>(index)] : nullptr;
      if (is<Comparison>(given) && !typing_.of(given).is_number() && arm_depth_ == 0)
        test = hoist(given, "mask");
    }
    return algebra_.mask(evaluate_linear(call->arguments[1], binding), test);
  }
  if (word == "full") {
    Linear value = evaluate_linear(call->arguments[0], binding);
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

const Expr* Reverse::function_name(const Call* call, const Binding& /*binding*/) {
  return module_name(call->function);
}

// np.linalg.solve as the emitted text spells NumPy; other modules under a name of the emitted
// namespace.
const Expr* Reverse::module_name(const Expr* function) {
  if (const auto* attribute = as<Attribute>(function)) {
    return context_.make<Attribute>({}, module_name(attribute->value),
                                    context_.symbol(attribute->attribute.text()));
  }
  const auto* name = as<Name>(function);
  if (name == nullptr) throw InternalError("a rule calls what is no function");
  const std::string_view text = name->symbol.text();
  if (text == "np" || text == "numpy") return context_.global(numpy_);
  if (text.starts_with('_')) return helper(text);
  if (text == "math" || text == "scipy") {
    const auto known = modules_.find(std::string(text));
    if (known != modules_.end()) return context_.global(known->second);
    Symbol printed;
    for (const GlobalBinding& global : core_.globals) {
      if (global.thing.kind == ThingKind::Module && global.thing.qualified_name.text() == text) {
        printed = global.printed;
      }
    }
    if (printed.empty()) printed = names_.fresh(text);
    modules_.emplace(text, printed);
    return context_.global(printed);
  }
  return context_.global(context_.symbol(text));  // a builtin
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
  auto value_of = [&](const Expr* part) -> const Expr* {
    if (has_derivative(part, binding)) return algebra_.build(evaluate_linear(part, binding));
    return evaluate(part, binding);
  };
  std::vector<const Expr*> arguments;
  for (const Expr* part : call->arguments) arguments.push_back(value_of(part));
  std::vector<const Keyword*> keywords;
  for (const Keyword* keyword : call->keywords) {
    keywords.push_back(context_.make<Keyword>({}, context_.symbol(keyword->name.text()),
                                              value_of(keyword->value)));
  }
  return context_.make<Call>({}, function_name(call, binding), context_.symbol(call->callee.text()),
                             context_.list(arguments), context_.list(keywords));
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
      return module_name(name);
    }
    case Kind::Constant: {
      Literal value = static_cast<const Constant*>(expression)->value;
      value.text = context_.arena().copy_text(value.text);
      return context_.make<Constant>({}, value);
    }
    case Kind::UnaryOperation: {
      const auto* operation = static_cast<const UnaryOperation*>(expression);
      const Expr* operand = evaluate(operation->operand, binding);
      if (operation->op == UnaryOperator::Minus) return algebra_.negative(operand);
      if (operation->op == UnaryOperator::Not) return negated(operand);
      return context_.make<UnaryOperation>({}, operation->op, operand);
    }
    case Kind::Comparison: {
      const auto* comparison = static_cast<const Comparison*>(expression);
      const Expr* left = evaluate(comparison->left, binding);
      const Expr* right = evaluate(comparison->comparators[0], binding);
      double a = 0.0;
      double b = 0.0;
      bool integral = false;
      if (comparison->ops.size() == 1 && Algebra::is_literal(left, a, integral) &&
          Algebra::is_literal(right, b, integral)) {
        switch (comparison->ops[0]) {
          case ComparisonOperator::Equal:
            return context_.boolean(a == b);
          case ComparisonOperator::NotEqual:
            return context_.boolean(a != b);
          case ComparisonOperator::Less:
            return context_.boolean(a < b);
          case ComparisonOperator::LessEqual:
            return context_.boolean(a <= b);
          case ComparisonOperator::Greater:
            return context_.boolean(a > b);
          case ComparisonOperator::GreaterEqual:
            return context_.boolean(a >= b);
          default:
            break;
        }
      }
      return context_.make<Comparison>({}, left, context_.arena().copy(comparison->ops),
                                       context_.list<const Expr*>({right}));
    }
    case Kind::BinaryOperation: {
      const auto* operation = static_cast<const BinaryOperation*>(expression);
      const Expr* left = evaluate(operation->left, binding);
      const Expr* right = evaluate(operation->right, binding);
      // True & test is test, False & test is False.
      if (operation->op == BinaryOperator::BitAnd) {
        for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
          const auto* constant = as<Constant>(one);
          if (constant != nullptr && constant->value.kind == LiteralKind::False) return one;
          if (constant != nullptr && constant->value.kind == LiteralKind::True) return other;
        }
      }
      return algebra_.binary(operation->op, left, right);
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
      if (!local && reaches_module(attribute)) return module_name(attribute);
      const Expr* value = evaluate(attribute->value, binding);
      if (spelled.text() == "T" && typing_.of(value).is_number()) return value;
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
    default:
      return static_cast<const Expr*>(
          rewrite_children(context_, *expression, [&](const Node* child) -> const Node* {
            if (!is_expression(child->kind)) return child;
            return evaluate(static_cast<const Expr*>(child), binding);
          }));
  }
}

bool Reverse::reaches_module(const Attribute* attribute) {
  const Expr* root = attribute;
  while (const auto* inner = as<Attribute>(root)) root = inner->value;
  const auto* name = as<Name>(root);
  return name != nullptr && name->scope == Scope::Global;
}

Reverse::Truth Reverse::decide(const Expr* test, Binding& binding) {
  if (const auto* operation = as<BooleanOperation>(test)) {
    const bool conjunction = operation->op == BooleanOperator::And;
    Truth truth = conjunction ? Truth::True : Truth::False;
    for (const Expr* value : operation->values) {
      const Truth part = decide(value, binding);
      if (part == (conjunction ? Truth::False : Truth::True)) return part;
      if (part == Truth::Open) truth = Truth::Open;
    }
    return truth;
  }
  if (const auto* inverted = as<UnaryOperation>(test);
      inverted && inverted->op == UnaryOperator::Not) {
    const Truth inner = decide(inverted->operand, binding);
    if (inner == Truth::Open) return inner;
    return inner == Truth::True ? Truth::False : Truth::True;
  }
  auto given = [&](const Expr* expression) -> const Expr* {
    const auto* name = as<Name>(expression);
    const int index = name != nullptr ? binding.rule.index_of(name->symbol) : -1;
    if (index < 0) return expression;
    const Expr* argument = binding.arguments[static_cast<std::size_t>(index)];
    return argument != nullptr
               ? argument
               : binding.rule.parameters[static_cast<std::size_t>(index)].default_value;
  };
  auto truth = [](bool value) { return value ? Truth::True : Truth::False; };
  auto rank = [&](const Expr* expression) -> std::optional<int> {
    const Type type = typing_.of(given(expression));
    if (type.is_number()) return 0;
    if (type.is_array() && type.rank >= 0) return type.rank;
    return std::nullopt;
  };
  if (const auto* call = as<Call>(test)) {
    const std::string_view word = last_part(call->callee.text());
    const Expr* argument = given(call->arguments[0]);
    double value = 0.0;
    bool integral = false;
    if (word == "known") return truth(rank(call->arguments[0]).has_value());
    if (word == "literal")
      return truth(Algebra::is_literal(argument, value, integral) || is<Constant>(argument));
    if (word == "integer") {
      const Type type = typing_.of(argument);
      return truth((type.is_number() || type.is_array()) && type.dtype <= DType::Integer);
    }
    if (word == "positive")
      return truth(Algebra::is_literal(argument, value, integral) && value > 0.0);
    throw InternalError("`" + std::string(word) + "` is no test of a rule");
  }
  if (const auto* comparison = as<Comparison>(test); comparison && comparison->ops.size() == 1) {
    const ComparisonOperator op = comparison->ops[0];
    const Expr* right = comparison->comparators[0];
    std::optional<double> a;
    double value = 0.0;
    bool integral = false;
    const auto* call = as<Call>(comparison->left);
    if (call != nullptr && last_part(call->callee.text()) == "rank") {
      if (const auto known = rank(call->arguments[0])) a = *known;
    } else {
      const Expr* left = given(comparison->left);
      const auto* constant = as<Constant>(left);
      if (op == ComparisonOperator::Is || op == ComparisonOperator::IsNot) {
        // Only None is asked for.
        const bool none = constant != nullptr && constant->value.kind == LiteralKind::None;
        if (!none && !Algebra::is_literal(left, value, integral) && !is<TupleDisplay>(left) &&
            typing_.of(left).kind == TypeKind::Unknown) {
          return Truth::Open;
        }
        return truth(none == (op == ComparisonOperator::Is));
      }
      if (constant != nullptr && constant->value.kind == LiteralKind::String) {
        const auto* wanted = as<Constant>(right);
        if (wanted == nullptr) return Truth::Open;
        const bool same = wanted->value == constant->value;
        return truth(same == (op == ComparisonOperator::Equal));
      }
      if (Algebra::is_literal(left, value, integral)) a = value;
    }
    double b = 0.0;
    const auto* other = as<Call>(right);
    if (other != nullptr && last_part(other->callee.text()) == "rank") {
      const auto known = rank(other->arguments[0]);
      if (!known) return Truth::Open;
      b = *known;
    } else if (!Algebra::is_literal(given(right), b, integral)) {
      return Truth::Open;
    }
    if (!a) return Truth::Open;
    switch (op) {
      case ComparisonOperator::Equal:
        return truth(*a == b);
      case ComparisonOperator::NotEqual:
        return truth(*a != b);
      case ComparisonOperator::Less:
        return truth(*a < b);
      case ComparisonOperator::LessEqual:
        return truth(*a <= b);
      case ComparisonOperator::Greater:
        return truth(*a > b);
      case ComparisonOperator::GreaterEqual:
        return truth(*a >= b);
      default:
        return Truth::Open;
    }
  }
  // A literal argument by itself: `if keepdims:`.
  const auto* constant = as<Constant>(given(test));
  if (constant == nullptr) return Truth::Open;
  switch (constant->value.kind) {
    case LiteralKind::True:
      return Truth::True;
    case LiteralKind::False:
    case LiteralKind::None:
      return Truth::False;
    case LiteralKind::Integer:
      return truth(constant->value.integer != 0);
    default:
      return Truth::Open;
  }
}

}  // namespace tangent
