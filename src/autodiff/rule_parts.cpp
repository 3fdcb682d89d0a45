// Rules of functions whose result is a tuple: w, v = np.linalg.eigh(a).
//
// In: a call and the adjoints of the parts of its result, those that have one. Out: contributions
// to its arguments. In the rule's body `d[y][k]` is the adjoint of part k and `y[k]` its value;
// what is linear in adjoints that are all zero is dropped.
#include "autodiff/rule_binding.h"

namespace tangent {

// The call, if a value is one whose rule speaks of the parts of its result.
const Call* Reverse::tuple_call(const Expr* value) {
  const auto* call = as<Call>(value);
  if (call == nullptr || !call->callee) return nullptr;
  const Rule* rule = rules_.find(call->callee.text());
  if (rule == nullptr || !rule->parts) return nullptr;
  const Type type = typing_.of(value);
  const bool by_position =
      type.kind == TypeKind::Tuple || (type.kind == TypeKind::List && !type.uniform);
  return by_position ? call : nullptr;
}

void Reverse::push_parts(const Call* call, const Parts& parts) {
  const Rule* rule = rules_.find(call->callee.text());
  const auto* method = as<Attribute>(call->function);
  const std::vector<const Expr*> arguments = bind_arguments(
      *rule, *call, method != nullptr && is_receiver(method) ? method->value : nullptr);
  apply_rule(*rule, call, arguments, Linear(), call, nullptr, &parts);
}

void Reverse::push_part(const Call* call, std::size_t index, const Linear& adjoint) {
  Parts parts;
  parts.adjoints.resize(typing_.of(call).elements.size());
  if (index >= parts.adjoints.size()) return;  // Python raises
  parts.values.resize(parts.adjoints.size(), nullptr);
  parts.adjoints[index] = adjoint;
  const InFlight waiting(*this, parts.adjoints[index]);
  push_parts(call, parts);
}

// y[k] of a body.
const Expr* Reverse::part_value(std::size_t index, Binding& binding) {
  if (index < binding.parts->values.size() && binding.parts->values[index] != nullptr) {
    return binding.parts->values[index];
  }
  const Expr* part = context_.make<Subscript>({}, primal(binding.node),
                                              context_.integer(static_cast<std::int64_t>(index)));
  const Type whole = typing_.of(binding.node);
  if (index < whole.elements.size()) typing_.set(part, whole.elements[index]);
  return part;
}

// d[y][k] of a body.
Linear Reverse::part_adjoint(const Expr* index, Binding& binding) {
  const auto number = literal_integer(index);
  if (binding.parts == nullptr || !number) {
    refuse(DiagnosticKind::UnsupportedType, binding.node,
           "a tuple that depends on the differentiated arguments is kept as a value",
           "unpack it where it is made: `a, b = …`");
  }
  const auto place = static_cast<std::size_t>(*number);
  return place < binding.parts->adjoints.size() ? binding.parts->adjoints[place] : Linear();
}

// d[y] of a body, all parts in a list.
Linear Reverse::all_parts(Binding& binding) {
  std::vector<const Expr*> list;
  for (std::size_t k = 0; k < binding.parts->adjoints.size(); ++k) {
    const Linear& adjoint = binding.parts->adjoints[k];
    const Expr* value = part_value(k, binding);
    list.push_back(adjoint.is_zero() ? algebra_.numpy_call("zeros_like", {value})
                                     : algebra_.build(full(adjoint, value)));
  }
  // A function of the user's gets them as it gave the result.
  if (binding.rule.given) return algebra_.of(context_.make<TupleDisplay>({}, context_.list(list)));
  return algebra_.of(context_.make<ListDisplay>({}, context_.list(list)));
}

// Whether all adjoints that an expression reads are zero.
bool Reverse::vanishes(const Expr* expression, Binding& binding) {
  bool zero = true;
  SmallStack<const Node*> stack(expression);
  while (!stack.empty() && zero) {
    const Node* top = stack.pop();
    if (const auto* subscript = as<Subscript>(top); subscript && derivative_of(subscript->value)) {
      zero = part_adjoint(subscript->index, binding).is_zero();
      continue;
    }
    if (is_expression(top->kind) && derivative_of(static_cast<const Expr*>(top))) {
      zero = false;
      continue;
    }
    if (const auto* name = as<Name>(top)) {
      const auto local = binding.locals.find(name->symbol);
      zero = local == binding.locals.end() || local->second.is_zero();
    }
    push_children(stack, *top);
  }
  return zero;
}

}  // namespace tangent
