// Rule bodies run while differentiating: statements, contributions, guards at singular points; see
// reverse.h and rules/README.md for the words.
#include <algorithm>

#include "autodiff/free_calls.h"
#include "autodiff/rule_binding.h"
#include "syntax/as_written.h"

namespace tangent {

namespace {

int count_reads(const Node* node, Symbol derivative) {
  int count = 0;
  SmallStack<const Node*> stack(node);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (is_expression(top->kind) && derivative_of(static_cast<const Expr*>(top)) == derivative)
      ++count;
    push_children(stack, *top);
  }
  return count;
}

}  // namespace

void Reverse::apply_rule(const Rule& rule, const Call* call,
                         const std::vector<const Expr*>& arguments, const Linear& adjoint,
                         const Expr* node, const Expr* result, const Parts* parts) {
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
  // A user's record that does more than multiply may have summed already.
  const bool broadcasts = (shape == "elementwise" || shape == "arithmetic" || shape == "where") &&
                          (!rule.given || rule.elementwise);
  Linear shared = adjoint;
  const bool numbers = typing_.of(node).is_number();
  if (actives > 0 && !shared.is_cheap(numbers) &&
      (actives > 1 || reads_of_adjoint(rule.adjoint, rule, arguments, node) > 1)) {
    shared = actives > 1 && broadcasts ? named_if_shared(node, shared) : name_adjoint(node, shared);
  }
  // Masks in place of a test for the singular points.
  if (rule.singular != nullptr) shared = masked_throughout(std::move(shared));
  Binding binding{.rule = rule,
                  .call = call,
                  .arguments = arguments,
                  .adjoint = shared,
                  .node = node,
                  .result = result,
                  .broadcasts = broadcasts,
                  .parts = parts,
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
                  .parts = nullptr,
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
    // What is used more than once is computed once.
    const int uses = uses_of(name->symbol, body.subspan(k + 1), binding);
    if (!has_derivative(assign->value, binding)) {
      const Expr* value = evaluate(assign->value, binding);
      if (uses > 1 && makes_call(value)) {
        value = algebra_.build(named(name->symbol.text(), algebra_.of(value), typing_.of(value)));
      }
      binding.values[name->symbol] = value;
      continue;
    }
    Linear value = evaluate_linear(assign->value, binding);
    if (uses > 1 && !value.is_cheap(false)) {
      const Type type = typing_.of(algebra_.build(value));
      value = named(name->symbol.text(), value, type);
    }
    binding.locals[name->symbol] = value;
    in_flight_.push_back(&binding.locals[name->symbol]);
  }
}

// How often the statements that will be run read a local name of the body.
int Reverse::uses_of(Symbol name, Block body, Binding& binding) {
  int uses = 0;
  for (const Stmt* statement : body) {
    if (const auto* branch = as<If>(statement)) {
      const bool taken = decide(branch->test, binding) == Truth::True;
      uses += uses_of(name, taken ? branch->body : branch->orelse, binding);
      continue;
    }
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr) continue;
    const Symbol target = derivative_of(assign->targets[0]);
    const int index = target ? binding.rule.index_of(target) : -1;
    const Expr* argument = index < 0 ? nullptr : binding.arguments[static_cast<std::size_t>(index)];
    if (index >= 0 && (argument == nullptr || !active(argument))) continue;
    uses += count_name(assign->value, name);
  }
  return uses;
}

void Reverse::contribute(Symbol parameter, const Expr* value, Binding& binding) {
  const int index = binding.rule.index_of(parameter);
  if (index < 0) throw InternalError("a rule gives a derivative to what is no parameter");
  const Expr* argument = binding.arguments[static_cast<std::size_t>(index)];
  if (argument == nullptr || !active(argument)) return;
  if (binding.rule.given && !binding.broadcasts && binding.adjoint.lazy &&
      !same_shape(typing_.of(binding.node), typing_.of(argument))) {
    // A number that stands for an array is one only where the argument has that array's shape.
    const Linear whole = full(binding.adjoint, binding.node);
    Binding made{.rule = binding.rule,
                 .call = binding.call,
                 .arguments = binding.arguments,
                 .adjoint = whole,
                 .node = binding.node,
                 .result = binding.result,
                 .broadcasts = false,
                 .parts = binding.parts,
                 .locals = binding.locals,
                 .values = binding.values};
    return contribute(parameter, value, made);
  }
  if (const Exprs* elements = display_elements(argument)) {
    if (const auto* each = as<Call>(value); each != nullptr && each->callee.text() == "rule.each") {
      Linear part = evaluate_linear(each->arguments[0], binding);
      const InFlight waiting(*this, part);
      for (const Expr* element : *elements) {
        if (active(element)) push(element, unbroadcast(part, binding.node, element));
      }
      return;
    }
    return contribute_to_elements(*elements, argument, value, binding);
  }
  if (const auto* each = as<Call>(value);
      is_list(argument) && each != nullptr && each->callee.text() == "rule.each") {
    return add_to_list(argument, evaluate_linear(each->arguments[0], binding), true);
  }
  Linear contribution = has_derivative(value, binding) ? evaluate_linear(value, binding) : Linear();
  if (contribution.is_zero()) return;
  if (is_list(argument)) return add_to_list(argument, contribution, false);
  if (binding.rule.singular != nullptr && may_vanish(binding.adjoint, argument)) {
    const Expr* test = evaluate(binding.rule.singular, binding);
    const auto* never = as<Constant>(test);
    if (never == nullptr) contribution = algebra_.mask(contribution, algebra_.negated(test));
  }
  if (binding.rule.given && !binding.broadcasts) {
    // What a function of numbers gives for numbers is a number.
    const bool numbers = std::ranges::all_of(binding.arguments, [&](const Expr* each) {
      return each == nullptr || typing_.of(each).is_number();
    });
    if (!numbers || !typing_.of(binding.node).is_number())
      contribution = fitted(std::move(contribution), argument);
    push(argument, std::move(contribution));
    return;
  }
  if (!binding.broadcasts) settle_shape(contribution, argument);
  // What was summed down to another array's shape had more axes, or longer ones.
  if (binding.rule.shape.text() == "like_second" && index == 0) {
    const auto is_known = [](const Type& type) {
      return type.is_number() || (type.is_array() && type.rank >= 0);
    };
    if (!is_known(typing_.of(argument)) || !is_known(typing_.of(binding.node)))
      contribution.lazy = true;
  }
  // The array whose shape the adjoint has is kept, as a naive adjoint does, to compare.
  if (!optimizations_.tape_liveness && typing_.of(argument).is_array())
    contribution = full(contribution, argument);
  if (binding.broadcasts)
    contribution = unbroadcast(std::move(contribution), binding.node, argument);
  push(argument, std::move(contribution));
}

// A contribution of a user's record, which may have any shape that broadcasts against the
// argument's.
Linear Reverse::fitted(Linear contribution, const Expr* argument) {
  const Type wanted = typing_.of(argument);
  if (contribution.lazy) return contribution;
  const Expr* made = algebra_.build(contribution);
  const Type type = typing_.of(made);
  if (same_shape(type, wanted)) return contribution;
  if (wanted.is_array() && type.is_number()) {
    contribution.lazy = true;
    return contribution;
  }
  const Expr* call = context_.make<Call>(
      {}, helper("_unbroadcast"), context_.symbol("tangent.runtime._unbroadcast"),
      context_.list<const Expr*>({made, operand(argument)}), List<const Keyword*>());
  Type settled = wanted;
  if (!has_slopes(settled.dtype)) settled.dtype = DType::Float64;
  if (settled.is_numeric()) typing_.set(call, settled);
  return algebra_.of(call);
}

// A contribution that no broadcast is left in has the argument's shape, or one that broadcasts to
// it.
void Reverse::settle_shape(Linear& contribution, const Expr* argument) {
  const Type wanted = typing_.of(argument);
  if (!wanted.is_array() || contribution.terms.size() != 1) return;
  const Term& term = contribution.terms.front();
  if (contribution.lazy) {
    // A factor or a mask of the argument's own shape makes it whole.
    std::vector<const Expr*> bases{term.mask};
    for (const Factor& factor : term.factors) bases.push_back(factor.base);
    for (const Expr* base : bases) {
      if (base == nullptr) continue;
      if (same_shape(typing_.of(base), wanted) || equal(base, argument)) contribution.lazy = false;
    }
    return;
  }
  if (term.factors.size() != 1 || term.mask != nullptr) return;
  const Expr* base = term.factors.front().base;
  if (typing_.of(base).kind != TypeKind::Unknown) return;
  Type type = wanted;
  if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
  typing_.set(base, type);
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
                  .parts = nullptr,
                  .locals = {},
                  .values = {}};
  return evaluate_linear(static_cast<const Assign*>(rule.adjoint[0])->value, binding);
}

// Whether a test that had its value somewhere behind has it here: all that it reads has one value
// throughout.
bool Reverse::is_still(const Expr* test, const Position& where) {
  std::vector<Symbol> lasting;
  bool all = true;
  for_each_read(test, [&](Symbol read) {
    if (result_.plan.defined_at.contains(read)) return;
    lasting.push_back(read);
    all = all && enclosing_.size() == 1 && !aliases_.is_written(read) &&
          is_bound_once(core_, function_.body, read);
  });
  if (!all) return false;
  for (const Symbol read : lasting) result_.plan.defined_at.emplace(read, where);
  return true;
}

// The adjoint with the masks of the names in it: what is multiplied or divided by may be infinite
// or undefined elsewhere.
Linear Reverse::with_masks(Linear adjoint) {
  for (Term& term : adjoint.terms) {
    if (term.mask != nullptr) continue;
    for (const Factor& factor : term.factors) {
      const auto* name = factor.inverse ? nullptr : as<Name>(factor.base);
      const auto found = name != nullptr ? masks_.find(name->symbol) : masks_.end();
      if (found == masks_.end() || !is_still(found->second.first, found->second.second)) continue;
      term.mask = found->second.first;
      break;
    }
  }
  return adjoint;
}

// The same if it leaves no term without one.
Linear Reverse::masked_throughout(Linear adjoint) {
  if (masks_.empty()) return adjoint;
  Linear masked = with_masks(adjoint);
  const bool all =
      std::ranges::all_of(masked.terms, [](const Term& term) { return term.mask != nullptr; });
  return all ? masked : adjoint;
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
  SmallStack<const Node*> stack(value);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (is<Conditional>(top)) found = true;
    if (const auto* name = as<Name>(top)) found = found || sparse_.contains(name->symbol);
    if (const auto* call = as<Call>(top)) {
      const std::string_view callee = call->callee.text();
      found = found || callee == "numpy.where" || callee.starts_with("tangent.runtime.");
    }
    push_children(stack, *top);
  }
  return found;
}

Truth Reverse::decide(const Expr* test, Binding& binding) {
  return RuleTests(binding.rule, binding.arguments, typing_).decide(test);
}

bool Reverse::has_derivative(const Expr* expression, const Binding& binding) {
  SmallStack<const Node*> stack(expression);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (is_expression(top->kind) && derivative_of(static_cast<const Expr*>(top))) return true;
    if (const auto* name = as<Name>(top); name && binding.locals.contains(name->symbol))
      return true;
    push_children(stack, *top);
  }
  return false;
}

}  // namespace tangent
