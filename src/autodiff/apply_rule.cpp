// Rule bodies run while differentiating: statements, contributions, guards at singular points; see
// reverse.h and rules/README.md for the words.
#include "autodiff/rule_binding.h"

namespace tangent {

namespace {

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

}  // namespace tangent
