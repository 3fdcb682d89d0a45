// Varied forwards, useful backwards, both with the solver of dataflow.h; see activity.h.
#include "analysis/activity.h"

#include "analysis/dataflow.h"

namespace tangent {

namespace {

constexpr std::string_view kShapeAttributes[] = {"shape", "size",   "ndim",
                                                 "dtype", "nbytes", "itemsize"};

bool is_shape_attribute(Symbol attribute) {
  return std::find(std::begin(kShapeAttributes), std::end(kShapeAttributes), attribute.text()) !=
         std::end(kShapeAttributes);
}

}  // namespace

bool Activity::can_vary(const Expr* expression) const {
  const Type type = function_.type_of(expression);
  switch (type.kind) {
    case TypeKind::Number:
    case TypeKind::Array:
    case TypeKind::Numeric:
      // An int counts as the real number; what makes an int of a real number has a rule that says
      // so.
      return type.dtype != DType::Bool;
    case TypeKind::None:
    case TypeKind::String:
    case TypeKind::Slice:
    case TypeKind::Dtype:
    case TypeKind::Module:
    case TypeKind::Function:
    case TypeKind::Bottom:
      return false;
    default:
      return true;
  }
}

void Activity::for_each_operand(const Expr* expression,
                                const std::function<void(const Expr*)>& f) const {
  // A left-deep sum of thousands of terms is walked in a loop.
  while (const auto* operation = as<BinaryOperation>(expression)) {
    f(operation->right);
    if (!is<BinaryOperation>(operation->left)) return f(operation->left);
    expression = operation->left;
  }
  switch (expression->kind) {
    case Kind::UnaryOperation:
      if (static_cast<const UnaryOperation*>(expression)->op != UnaryOperator::Not) {
        f(static_cast<const UnaryOperation*>(expression)->operand);
      }
      return;
    case Kind::Conditional:
      f(static_cast<const Conditional*>(expression)->body);
      f(static_cast<const Conditional*>(expression)->orelse);
      return;
    case Kind::BooleanOperation:
      for (const Expr* value : static_cast<const BooleanOperation*>(expression)->values) f(value);
      return;
    case Kind::Subscript:
      return f(static_cast<const Subscript*>(expression)->value);
    case Kind::Attribute:
      if (!is_shape_attribute(static_cast<const Attribute*>(expression)->attribute)) {
        f(static_cast<const Attribute*>(expression)->value);
      }
      return;
    case Kind::TupleDisplay:
      for (const Expr* element : static_cast<const TupleDisplay*>(expression)->elements) f(element);
      return;
    case Kind::ListDisplay:
      for (const Expr* element : static_cast<const ListDisplay*>(expression)->elements) f(element);
      return;
    case Kind::Dictionary:
      for (const Expr* value : static_cast<const Dictionary*>(expression)->values) f(value);
      return;
    case Kind::Starred:
      return f(static_cast<const Starred*>(expression)->value);
    case Kind::Call: {
      const auto* call = static_cast<const Call*>(expression);
      if (call->callee) {
        const Rule* rule = rules_.find(call->callee.text());
        if (rule != nullptr && rule->constant) return;
      }
      const auto* method = as<Attribute>(call->function);
      // The keys of a dict carry nothing.
      if (method != nullptr && !call->callee && method->attribute.text() == "keys" &&
          function_.type_of(method->value).is_map())
        return;
      if (method != nullptr) f(method->value);
      const std::string_view callee = call->callee.text();
      const bool walks = callee == "builtins.list" || callee == "builtins.sorted" ||
                         callee == "builtins.tuple" || callee == "builtins.len";
      if (walks && call->arguments.size() == 1 && function_.type_of(call->arguments[0]).is_map())
        return;
      for (const Expr* argument : call->arguments) f(argument);
      // What a list is sorted by carries nothing.
      if (callee == "builtins.sorted") return;
      for (const Keyword* keyword : call->keywords) f(keyword->value);
      return;
    }
    default:
      return;
  }
}

bool Activity::store_flows(const Subscript* place, const Type& value) const {
  const Type whole = function_.type_of(place->value);
  const bool integers =
      whole.is_array() && (whole.dtype == DType::Integer || whole.dtype == DType::Bool);
  return !integers || value.dtype == DType::Integer;
}

bool Activity::carries(const Subscript* place, const Expr* value) const {
  return can_vary(value) && store_flows(place, function_.type_of(value));
}

// f(target, iterable) for the parts of a loop's target and what each of them walks; null for what
// `enumerate` counts.
template <class F>
void for_each_walked(const Expr* target, const Expr* iterable, F&& f) {
  const auto* call = as<Call>(iterable);
  const auto* targets = as<TupleDisplay>(target);
  const std::string_view callee = call != nullptr ? call->callee.text() : std::string_view();
  if (targets != nullptr && callee == "builtins.zip" && call->keywords.empty() &&
      call->arguments.size() == targets->elements.size()) {
    for (std::size_t k = 0; k < call->arguments.size(); ++k)
      for_each_walked(targets->elements[k], call->arguments[k], f);
  } else if (targets != nullptr && callee == "builtins.enumerate" &&
             targets->elements.size() == 2 && !call->arguments.empty()) {
    f(targets->elements[0], static_cast<const Expr*>(nullptr));
    for_each_walked(targets->elements[1], call->arguments[0], f);
  } else {
    f(target, iterable);
  }
}

// The variables that vary with an input.
struct Activity::Varied {
  using State = VariableSet;
  Activity& activity;

  bool varies(const Expr* expression, const State& state) const {
    bool found = false;
    activity.for_each_flow(expression, [&](Symbol read) {
      found = found || state.has(activity.variables_.number(read));
    });
    return found;
  }
  void define(const Expr* target, bool varied, State& state) const {
    for_each_target(target, [&](Symbol symbol) {
      const std::size_t number = activity.variables_.number(symbol);
      if (varied) {
        state.add(number);
        activity.varied_anywhere_.add(number);
      } else {
        state.remove(number);
      }
    });
  }
  void note(const Stmt* statement, const State& state) const {
    activity.varied_before_[statement].join(state);
  }
  void simple(const Stmt* statement, State& state) const {
    note(statement, state);
    if (const ListChange change = list_change(statement); change && change.appends) {
      if (varies(change.item, state)) define(change.list, true, state);
      return;
    }
    if (const Subscript* place = stored_place(statement)) {
      // The other elements keep what they hold.
      const Expr* value = assigned_value(statement);
      if (activity.carries(place, value) && varies(value, state)) define(place, true, state);
    } else if (const auto* assign = as<Assign>(statement)) {
      const bool varied = activity.can_vary(assign->value) && varies(assign->value, state);
      for (const Expr* target : assign->targets) define(target, varied, state);
    } else if (const auto* augmented = as<AugmentedAssign>(statement)) {
      if (varies(augmented->value, state)) define(augmented->target, true, state);
    }
  }
  void test(const Stmt* statement, State& state) const { note(statement, state); }
  void enter(const For* loop, State& state) const {
    note(loop, state);
    for_each_walked(loop->target, loop->iterable, [&](const Expr* target, const Expr* walked) {
      const bool keys = walked == nullptr || activity.function_.type_of(walked).is_map();
      define(target, !keys && varies(walked, state), state);
    });
  }
};

// The variables that have an adjoint.
struct Activity::Useful {
  using State = VariableSet;
  Activity& activity;

  void use(const Expr* expression, const Stmt* at, State& state) const {
    activity.for_each_flow(expression, [&](Symbol read) {
      if (activity.varies(read, at)) state.add(activity.variables_.number(read));
    });
  }
  bool take(const Expr* target, State& state) const {
    bool useful = false;
    for_each_target(target, [&](Symbol symbol) {
      const std::size_t number = activity.variables_.number(symbol);
      useful = useful || state.has(number);
      state.remove(number);
    });
    return useful;
  }
  void simple(const Stmt* statement, State& state) const {
    if (const ListChange change = list_change(statement); change && change.appends) {
      if (state.has(activity.variables_.number(change.list->symbol)))
        use(change.item, statement, state);
      return;
    }
    if (const Subscript* place = stored_place(statement)) {
      const Expr* value = assigned_value(statement);
      const Name* base = root_of(place);
      if (state.has(activity.variables_.number(base->symbol)) && activity.carries(place, value)) {
        use(value, statement, state);
      }
    } else if (const auto* assign = as<Assign>(statement)) {
      bool useful = false;
      for (const Expr* target : assign->targets) useful = take(target, state) || useful;
      if (useful && activity.can_vary(assign->value)) use(assign->value, statement, state);
    } else if (const auto* augmented = as<AugmentedAssign>(statement)) {
      if (take(augmented->target, state)) {
        use(augmented->target, statement, state);
        use(augmented->value, statement, state);
      }
    } else if (const auto* result = as<Return>(statement)) {
      if (result->value != nullptr) use(result->value, statement, state);
    }
  }
  void test(const Stmt* /*statement*/, State& /*state*/) const {}
  void enter(const For* loop, State& state) const {
    for_each_walked(loop->target, loop->iterable, [&](const Expr* target, const Expr* walked) {
      if (take(target, state) && walked != nullptr) use(walked, loop, state);
    });
  }
};

Activity::Activity(const TypedFunction& function, const std::vector<Symbol>& inputs,
                   RuleBook& rules)
    : function_(function), rules_(rules) {
  VariableSet entry;
  for (const Symbol input : inputs) {
    entry.add(variables_.number(input));
    varied_anywhere_.add(variables_.number(input));
  }
  Varied varied{*this};
  ForwardSolver<Varied>(varied).run(function.body, entry);

  Useful useful{*this};
  BackwardSolver<Useful> solver(useful);
  solver.run(function.body, VariableSet());
  solver.for_each_end(
      [&](const Stmt* loop, const VariableSet& state) { useful_at_end_[loop] = state; });
}

bool Activity::varies(Symbol variable, const Stmt* at) const {
  const auto found = varied_before_.find(at);
  return found != varied_before_.end() && found->second.has(variables_.number(variable));
}

bool Activity::varies(Symbol variable) const {
  return varied_anywhere_.has(variables_.number(variable));
}

bool Activity::varies(const Expr* expression, const Stmt* at) const {
  if (!can_vary(expression)) return false;
  bool found = false;
  for_each_flow(expression, [&](Symbol read) { found = found || varies(read, at); });
  return found;
}

bool Activity::useful_at_end(Symbol variable, const Stmt* loop) const {
  const auto found = useful_at_end_.find(loop);
  return found != useful_at_end_.end() && found->second.has(variables_.number(variable));
}

}  // namespace tangent
