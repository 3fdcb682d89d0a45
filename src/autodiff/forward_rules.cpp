// Tangents of calls, from derivative records: partials of elementwise functions, tangent bodies,
// and functions that are linear; see forward.h and rules/README.md.
//
//     elementwise     d[y] = the sum over the parameters of their tangents times their partials
//     @tangent        its contributions add up; those of parameters without a tangent are left out
//     linear=(…)      the function itself, of the tangents
#include <algorithm>

#include "autodiff/forward_binding.h"
#include "autodiff/free_calls.h"
#include "autodiff/rule_binding.h"
#include "syntax/as_written.h"

namespace tangent {

namespace {

// How often an expression of a body reads a name; d[x] does not read x.
int reads_in_body(const Node* node, Symbol symbol) {
  int count = 0;
  SmallStack<const Node*> stack(node);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (is_expression(top->kind) && derivative_of(static_cast<const Expr*>(top))) continue;
    const auto* name = as<Name>(top);
    count += name != nullptr && name->symbol == symbol ? 1 : 0;
    push_children(stack, *top);
  }
  return count;
}

}  // namespace

Linear Forward::apply_rule(const Rule& rule, const Call* call,
                           const std::vector<const Expr*>& arguments, const Expr* node) {
  if (rule.constant) return {};
  bool flows = false;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] == nullptr || !active(arguments[k])) continue;
    flows = true;
    if (rule.parameters[k].differentiable) continue;
    refuse(DiagnosticKind::NoRule, arguments[k],
           "`" + std::string(rule.name.text()) + "` has no derivative with respect to `" +
               std::string(rule.parameters[k].name.text()) + "`",
           "pass a value there that does not depend on the differentiated arguments");
  }
  if (!flows) return {};
  Binding binding{.rule = rule,
                  .call = call,
                  .arguments = arguments,
                  .node = node,
                  .derivative = {},
                  .tangents = std::vector<std::optional<Linear>>(arguments.size()),
                  .locals = {},
                  .values = {}};
  if (rule.given && !rule.tangent.empty()) return by_twin(rule, binding);
  if (call != nullptr && !rule.linear.empty()) {
    if (const auto made = by_linearity(rule, call, arguments, node)) return *made;
  }
  if (rule.elementwise) return by_partials(rule, binding);
  if (!rule.tangent.empty()) return by_twin(rule, binding);
  refuse(DiagnosticKind::NoRule, node,
         "`" + std::string(rule.name.text()) + "` has no rule for forward mode",
         "use reverse mode (tangent.grad), or write it with functions that have one");
}

// The function is linear in all of its active arguments: f(dx).
std::optional<Linear> Forward::by_linearity(const Rule& rule, const Call* call,
                                            const std::vector<const Expr*>& arguments,
                                            const Expr* node) {
  auto is_linear = [&](std::size_t k) {
    return std::find(rule.linear.begin(), rule.linear.end(), rule.parameters[k].name) !=
           rule.linear.end();
  };
  bool reals = false;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] == nullptr || !active(arguments[k])) continue;
    // On purpose nothing flows through `d[a] = 0`, as in np.full_like(a, x).
    if (!is_linear(k)) {
      bool flows = false;
      for (const Stmt* statement : rule.adjoint) {
        const auto* assign = as<Assign>(statement);
        const auto* zero = assign != nullptr ? as<Constant>(assign->value) : nullptr;
        flows = flows || assign == nullptr ||
                (derivative_of(assign->targets[0]) == rule.parameters[k].name &&
                 (zero == nullptr || zero->value.kind != LiteralKind::Integer));
      }
      if (flows) return std::nullopt;
      continue;
    }
    const Type type = typing_.of(arguments[k]);
    reals = reals || !type.is_numeric() || type.dtype != DType::Integer;
  }
  // Integers that are made of real numbers have no slope; made of integers they keep it, but the
  // tangents are no integers.
  const Type whole = typing_.of(node);
  if (whole.is_numeric() && whole.dtype <= DType::Integer && !whole.mixed) {
    if (reals) return Linear();
    const bool named =
        std::any_of(call->keywords.begin(), call->keywords.end(),
                    [](const Keyword* each) { return each->name.text() == "dtype"; });
    const std::string_view shape = rule.shape.text();
    if (named || shape == "filled_like" || shape == "astype") {
      refuse(DiagnosticKind::UnsupportedType, node, "an array of integers that is differentiated",
             "make it an array of floats");
    }
  }
  // Numbers come out of a function that is linear in one argument: fewer passes over memory.
  bool any = false;
  Linear outside;
  std::size_t flowing = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    flowing += arguments[k] != nullptr && is_linear(k) && active(arguments[k]) ? 1 : 0;
  auto value_of = [&](const Expr* given) -> const Expr* {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (arguments[k] != given || !is_linear(k)) continue;
      if (!active(given)) return whole_tangent(given);
      any = true;
      if (flowing > 1 || !whole.is_numeric() || whole.is_array()) return whole_tangent(given);
      return algebra_.build(without_numbers(tangent(given), given, outside));
    }
    return primal(given);
  };
  const Expr* function = call->function;
  if (const auto* method = as<Attribute>(function); method != nullptr && is_receiver(method)) {
    function = context_.make<Attribute>(Ranges(), value_of(method->value), method->attribute);
  }
  std::vector<const Expr*> positional;
  for (const Expr* argument : call->arguments) positional.push_back(value_of(argument));
  std::vector<const Keyword*> keywords;
  for (const Keyword* keyword : call->keywords) {
    keywords.push_back(context_.make<Keyword>(Ranges(), keyword->name, value_of(keyword->value)));
  }
  if (!any) return Linear();
  const Expr* made = context_.make<Call>(Ranges(), function, call->callee,
                                         context_.list(positional), context_.list(keywords));
  Type type = whole;
  if (type.is_numeric()) {
    if (!is_floating(type.dtype)) type.dtype = DType::Float64;
    if (type.is_number()) type = Type::number(type.dtype);
  }
  typing_.set(made, type);
  if (outside.is_zero()) return Linear{.terms = {Term{.factors = {Factor{.base = made}}}}};
  return algebra_.multiply(outside, made);
}

// A tangent in the shape of the value, without the numbers that all of it is multiplied by; those
// are `outside` then.
Linear Forward::without_numbers(const Linear& value, const Expr* node, Linear& outside) {
  const Type type = typing_.of(node);
  if (value.terms.size() != 1 || !type.is_array() || value.terms.front().mask != nullptr)
    return algebra_.of(full(value, node));
  const Term& term = value.terms.front();
  Term numbers = term;
  Term arrays;
  numbers.factors.clear();
  for (const Factor& factor : term.factors)
    (typing_.of(factor.base).is_number() ? numbers : arrays).factors.push_back(factor);
  Linear inside{.terms = {arrays}, .lazy = value.lazy};
  const bool inverse = !arrays.factors.empty() && arrays.factors.front().inverse;
  if (arrays.factors.empty() || inverse || !covers(typing_.of(algebra_.build(inside)), type))
    return algebra_.of(full(value, node));
  outside = Linear{.terms = {numbers}};
  return inside;
}

Linear Forward::by_partials(const Rule& rule, Binding& binding) {
  Linear sum;
  run_body(rule.adjoint, binding, sum, false);
  return sum;
}

Linear Forward::by_twin(const Rule& rule, Binding& binding) {
  Linear sum;
  run_body(rule.tangent, binding, sum, true);
  sum.lazy = false;
  if (!rule.given && sum.terms.size() == 1 && typing_.of(binding.node).is_numeric()) {
    // What a helper gives has the type of the result.
    const Term& term = sum.terms.front();
    if (term.factors.size() == 1 && term.mask == nullptr) {
      const Expr* base = term.factors.front().base;
      if (typing_.of(base).kind == TypeKind::Unknown) {
        Type type = typing_.of(binding.node);
        if (!is_floating(type.dtype)) type.dtype = DType::Float64;
        typing_.set(base, type);
      }
    }
  }
  const Type type = typing_.of(binding.node);
  const auto* tuple =
      sum.is_zero() ? nullptr : as<TupleDisplay>(sum.terms.front().factors.front().base);
  if (tuple != nullptr) {
    // A part that nothing flows to has zeros of its own shape.
    std::vector<const Expr*> elements(tuple->elements.begin(), tuple->elements.end());
    for (std::size_t part = 0; part < elements.size(); ++part) {
      const bool number = part < type.elements.size() && type.elements[part].is_number();
      if (number || !is<Constant>(elements[part])) continue;
      const Type of = part < type.elements.size() ? type.elements[part] : Type::unknown();
      elements[part] = zero_like(part_value(part, binding), of);
    }
    const Expr* whole = context_.make<TupleDisplay>(Ranges(), context_.list(elements));
    typing_.set(whole, type);
    return Linear{.terms = {Term{.factors = {Factor{.base = whole}}}}};
  }
  if (!sum.is_zero() && !type.is_number()) {
    // A contribution may be smaller than the result: 0.0 of a part, a number for an array.
    const Type made = typing_.of(algebra_.build(sum));
    sum.lazy = rule.given ? !covers(made, type) : made.is_number();
  }
  return sum;
}

void Forward::run_body(Block body, Binding& binding, Linear& sum, bool twin) {
  RuleTests tests(binding.rule, binding.arguments, typing_);
  for (std::size_t k = 0; k < body.size(); ++k) {
    const Stmt* statement = body[k];
    if (const auto* branch = as<If>(statement)) {
      run_body(tests.decide(branch->test) == Truth::True ? branch->body : branch->orelse, binding,
               sum, twin);
      continue;
    }
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr) continue;
    const Symbol target = derivative_of(assign->targets[0]);
    if (!target) {
      const auto* name = as<Name>(assign->targets[0]);
      if (name == nullptr)
        throw InternalError("a rule assigns to something else than d[…] or a name");
      const int uses = uses_of(name->symbol, body.subspan(k + 1), binding);
      if (!has_derivative(assign->value, binding)) {
        const Expr* value = evaluate(assign->value, binding);
        if (uses > 1 && makes_call(value)) {
          value = algebra_.build(named(name->symbol.text(), algebra_.of(value), typing_.of(value)));
        }
        binding.values[name->symbol] = value;
        continue;
      }
      Linear value =
          vanishes(assign->value, binding) ? Linear() : evaluate_linear(assign->value, binding);
      if (uses > 1 && !value.is_cheap(false)) {
        const Type type = typing_.of(algebra_.build(value));
        value = named("d" + std::string(name->symbol.text()), value, type);
      }
      binding.locals[name->symbol] = value;
      continue;
    }
    if (!twin) {
      const int index = binding.rule.index_of(target);
      if (index < 0) throw InternalError("a rule gives a derivative to what is no parameter");
      const Expr* given = binding.arguments[static_cast<std::size_t>(index)];
      if (given == nullptr || !active(given)) continue;
      binding.derivative = target;
      if (!has_derivative(assign->value, binding)) continue;  // d[x] = 0
      const Linear& own = tangent_of(static_cast<std::size_t>(index), binding);
      if (own.is_zero()) continue;
      Linear contribution = evaluate_linear(assign->value, binding);
      if (binding.rule.singular != nullptr && may_vanish(own, given)) {
        const Expr* test = evaluate(binding.rule.singular, binding);
        if (!is<Constant>(test)) contribution = algebra_.mask(contribution, algebra_.negated(test));
      }
      algebra_.add(sum, widened(std::move(contribution), given, binding.node));
      continue;
    }
    if (!has_derivative(assign->value, binding) || vanishes(assign->value, binding)) continue;
    const auto* parts = as<TupleDisplay>(assign->value);
    if (parts == nullptr) {
      algebra_.add(sum, evaluate_linear(assign->value, binding));
      continue;
    }
    // A tuple: part by part.
    const auto* before =
        sum.is_zero() ? nullptr : as<TupleDisplay>(sum.terms.front().factors.front().base);
    std::vector<const Expr*> elements;
    const Type whole = typing_.of(binding.node);
    for (std::size_t part = 0; part < parts->elements.size(); ++part) {
      const Expr* each = parts->elements[part];
      Linear value;
      if (before != nullptr) value = algebra_.of(before->elements[part]);
      if (has_derivative(each, binding) && !vanishes(each, binding))
        algebra_.add(value, evaluate_linear(each, binding));
      const Type type = part < whole.elements.size() ? whole.elements[part] : Type::unknown();
      const Expr* made = algebra_.build(value);
      // The zero of an array is an array when the tuple is done; a number stands for it until then.
      typing_.set(made, type.is_numeric() && !value.is_zero() ? type : typing_.of(made));
      elements.push_back(made);
    }
    const Expr* tuple = context_.make<TupleDisplay>(Ranges(), context_.list(elements));
    typing_.set(tuple, whole);
    sum = Linear{.terms = {Term{.factors = {Factor{.base = tuple}}}}};
  }
}

// How often the statements that will be run read a local name of the body.
int Forward::uses_of(Symbol name, Block body, Binding& binding) {
  RuleTests tests(binding.rule, binding.arguments, typing_);
  int uses = 0;
  for (const Stmt* statement : body) {
    if (const auto* branch = as<If>(statement)) {
      const bool taken = tests.decide(branch->test) == Truth::True;
      uses += uses_of(name, taken ? branch->body : branch->orelse, binding);
      continue;
    }
    if (const auto* assign = as<Assign>(statement)) uses += reads_in_body(assign->value, name);
  }
  return uses;
}

bool Forward::has_derivative(const Expr* expression, const Binding& binding) {
  return find_node(expression, [&](const Node* node) {
           if (is_expression(node->kind) && derivative_of(static_cast<const Expr*>(node)))
             return true;
           const auto* name = as<Name>(node);
           return name != nullptr && binding.locals.contains(name->symbol);
         }) != nullptr;
}

// Whether all tangents that an expression reads are zero: it is linear in them.
bool Forward::vanishes(const Expr* expression, Binding& binding) {
  bool zero = true;
  SmallStack<const Node*> stack(expression);
  while (!stack.empty() && zero) {
    const Node* top = stack.pop();
    if (is_expression(top->kind)) {
      if (const Symbol of = derivative_of(static_cast<const Expr*>(top))) {
        const int index =
            binding.rule.index_of(of == binding.rule.result ? binding.derivative : of);
        if (index < 0) throw InternalError("a rule reads the tangent of what is no parameter");
        zero = tangent_of(static_cast<std::size_t>(index), binding).is_zero();
        continue;
      }
    }
    if (const auto* name = as<Name>(top)) {
      const auto local = binding.locals.find(name->symbol);
      zero = local == binding.locals.end() || local->second.is_zero();
    }
    push_children(stack, *top);
  }
  return zero;
}

// d[x] of a tangent body, and d[y] of the partial in x.
const Linear& Forward::tangent_of(std::size_t index, Binding& binding) {
  std::optional<Linear>& known = binding.tangents[index];
  if (known) return *known;
  const Expr* given = binding.arguments[index];
  if (given == nullptr || !active(given)) return known.emplace();
  const Type type = typing_.of(given);
  const bool items = display_elements(given) != nullptr || type.kind == TypeKind::List ||
                     type.kind == TypeKind::Tuple;
  if (binding.rule.elementwise && !items) return known.emplace(tangent(given));
  const Expr* made = full_tangent(given);
  if (made == nullptr) return known.emplace();
  if (items && !takes_lists(binding.rule)) made = algebra_.numpy_call("array", {made});
  return known.emplace(algebra_.of(made));
}

// Whether a tangent can be exactly zero at a singular point of a function of `argument`.
bool Forward::may_vanish(const Linear& tangent, const Expr* argument) {
  for (const Term& term : tangent.terms) {
    if (term.mask != nullptr) continue;  // already exact
    for (const Factor& factor : term.factors) {
      if (factor.inverse) continue;
      bool found = false;
      for_each_read(factor.base, [&](Symbol read) {
        found = found || (!tangent_names_.contains(read) && mentions(argument, read));
      });
      if (found || is_sparse(factor.base)) return true;
    }
  }
  return false;
}

bool Forward::is_sparse(const Expr* made) const {
  return find_node(made, [this](const Node* node) {
           if (is<Conditional>(node) || is<Subscript>(node)) return true;
           if (const auto* name = as<Name>(node)) return sparse_.contains(name->symbol);
           const auto* call = as<Call>(node);
           return call != nullptr && (call->callee.text() == "numpy.where" ||
                                      call->callee.text().starts_with("tangent.runtime."));
         }) != nullptr;
}

}  // namespace tangent
