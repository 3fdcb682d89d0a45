// Functions inside the function: a nested `def` or a lambda that is only called is inlined there.
//
// It sees the variables of the function around it as they are when it is called, as in Python. A
// name that is bound once is known in the block that defines it; other names hold a function as
// they hold other values (known_values.cpp).
#include "lower/lowering.h"

namespace tangent::lowering {

const Callee* Lowering::function_value(const Expr* written) {
  if (const auto* lambda = as<Lambda>(written)) return lambda_callee(*lambda, Symbol());
  if (const auto* name = as<Name>(written); name != nullptr && name->scope != Scope::Unresolved) {
    const KnownFunction* known = known_function(name);
    return known != nullptr ? known->callee : nullptr;
  }
  if (const auto* name = as<Name>(written)) {
    const Binding* binding = find_binding(name->symbol);
    if (binding != nullptr && binding->form == Binding::Form::Function) return binding->function;
  }
  return nullptr;
}

// Defaults are evaluated where the function is defined.
std::vector<const Expr*> Lowering::defaults_of(List<const Parameter*> parameters) {
  std::vector<const Expr*> defaults(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = *parameters[i];
    if (parameter.default_value == nullptr) continue;
    const Expr* value = expression(parameter.default_value);
    // A local may change until the call.
    const auto* name = as<Name>(value);
    const bool kept = is_simple(value) && !is<TupleDisplay>(value) &&
                      (name == nullptr || name->scope == Scope::Global);
    if (!kept) value = bind_temporary(value, parameter.name.text(), parameter.ranges);
    defaults[i] = value;
  }
  return defaults;
}

const Callee* Lowering::lambda_callee(const Lambda& it, Symbol name) {
  Callee& callee = callees_.emplace_back();
  callee.name = name ? name : context_.symbol("lambda");
  callee.parameters = it.parameters;
  callee.body = context_.list<const Stmt*>({context_.make<Return>(it.body->ranges, it.body)});
  callee.identity = &it;
  callee.lexical = frame_;
  callee.function = frame_->function;
  callee.defaults = defaults_of(it.parameters);
  return &callee;
}

void Lowering::define_function(const FunctionDefinition& it) {
  const NameUse* use = frame_->facts->find(it.name);
  if (use == nullptr || use->is_global || use->is_nonlocal) {
    refuse(it, "a function that is bound to a name of the function around is not supported",
           "give it a local name");
  }
  Callee& callee = callees_.emplace_back();
  callee.name = it.name;
  callee.parameters = it.parameters;
  callee.body = it.body;
  callee.identity = &it;
  callee.lexical = frame_;
  callee.function = frame_->function;
  callee.defaults = defaults_of(it.parameters);
  if (use->writes != 1 || use->nested_writes > 0 || use->is_parameter) {
    const Symbol symbol = variable(*frame_, it.name);
    return hold(symbol, {.form = Held::Form::Known,
                         .value = function_handle({.callee = &callee}, it.name.text(), it.ranges)});
  }
  frame_->bindings[it.name] = {.form = Binding::Form::Function, .function = &callee};
  frame_->declared.push_back(it.name);
}

}  // namespace tangent::lowering
