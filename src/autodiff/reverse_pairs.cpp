// Functions that stay calls, backwards: their calls, and what differs in one of their own halves;
// see reverse.h and pairs.h.
//
// A call `y, y_tape = g(x, c)` becomes `bc = _g_backward(y_tape, by, bx)`. It runs once and changes
// buffers, so it is written down at once, and never moved or repeated.
#include <algorithm>

#include "autodiff/reverse.h"

namespace tangent {

namespace {

// The variable that every return gives back at a position, if it is one.
Symbol returned_variable(Block body, std::size_t position, std::size_t results) {
  Symbol found;
  bool one = true;
  std::vector<const Node*> stack(body.rbegin(), body.rend());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (const auto* exit = as<Return>(node)) {
      const auto* tuple = results > 1 ? as<TupleDisplay>(exit->value) : nullptr;
      const auto* name = as<Name>(tuple != nullptr ? tuple->elements[position] : exit->value);
      if (name == nullptr || name->scope != Scope::Local || (found && found != name->symbol)) {
        one = false;
      } else {
        found = name->symbol;
      }
    }
    if (!is_statement(node->kind)) continue;
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
  return one ? found : Symbol();
}

// What nothing is known of (a path returns None, an attribute of an object) is a number or an array
// where a derivative flows.
bool may_be_numeric(const Type& type) {
  return type.is_numeric() || type.kind == TypeKind::Unknown;
}

// The type of an adjoint of a value of this type.
Type adjoint_type(const Type& type) {
  Type result = type;
  if (!type.is_numeric()) return Type::numeric(DType::Float64);
  if (type.is_number()) return Type::number(DType::Float64);
  if (!is_floating(result.dtype)) result.dtype = DType::Float64;
  return result;
}

}  // namespace

// The backward half of a function that stays a call: its seeds and buffers, then the body.
void Reverse::reverse_half() {
  const std::size_t results = own_->pair->results;
  for (std::size_t k = 0; k < results; ++k) {
    const Symbol returned = returned_variable(function_.body, k, results);
    // A parameter's own adjoint is something else.
    const bool is_parameter =
        std::any_of(core_.parameters.begin(), core_.parameters.end(),
                    [&](const Parameter* parameter) { return parameter->name == returned; });
    const bool named = returned && !is_parameter && !bars_.contains(returned);
    const Symbol seed = named ? bar(returned) : names_.fresh("by");
    adjoint_names_.insert(seed);
    typing_.declare(seed, adjoint_type(own_->results[k]));
    result_.seeds.push_back(seed);
  }
  if (!result_.seeds.empty()) seed_ = result_.seeds.front();
  for (std::size_t k = 0; k < own_->flows.size(); ++k) {
    if (own_->flows[k] != Flow::Added) continue;
    const Symbol parameter = core_.parameters[k]->name;
    const Symbol name = bar(parameter);
    typing_.declare(name, adjoint_type(typing_.of(context_.local(parameter))));
    owned_.insert(name);
    assigned_.insert(name);
    sparse_.insert(name);
    adjoint_of(parameter) = algebra_.of(context_.local(name));
    result_.buffers.push_back(name);
  }
  out_ = &result_.plan.backward;
  reverse_block(function_.body);
  current_ = nullptr;
  current_value_ = nullptr;
  current_target_ = {};
  for (std::size_t k = 0; k < own_->flows.size(); ++k) {
    const Symbol parameter = core_.parameters[k]->name;
    Flow flow = own_->flows[k];
    if (flow == Flow::Added) {
      materialize(parameter, true);
      const Symbol name = bar(parameter);
      result_.misses_buffer =
          result_.misses_buffer || adjoint_of(parameter).as_name() != name || !owns(name);
    } else if (flow != Flow::Inactive && !adjoint_of(parameter).is_zero()) {
      const Type& type = typing_.of(context_.local(parameter));
      const bool by_destination = type.is_array() && buffered_.contains(parameter) &&
                                  !own_->by_value_only && !is_bound_again(parameter);
      flow = by_destination ? Flow::Added : Flow::Returned;
    }
    result_.flows.push_back(flow);
    if (own_->flows[k] == Flow::Returned)
      result_.gradients.push_back(
          gradient_of(parameter, typing_.of(context_.local(parameter)), false));
  }
  set_position(function_.body, 0);
  for (const Expr* gradient : result_.gradients) need(gradient);
  for (const Symbol name : result_.buffers)
    result_.misses_buffer = result_.misses_buffer || assigns(result_.plan.backward, name);
}

bool Reverse::is_bound_again(Symbol variable) const {
  bool found = false;
  for (const Stmt* statement : function_.body)
    for_each_binding(statement, [&](Symbol bound) { found = found || bound == variable; });
  return found;
}

// Whether a name is bound to something else.
bool Reverse::assigns(const Stream& items, Symbol name) {
  return std::any_of(items.begin(), items.end(), [&](const Back& item) {
    if (assigns(item.body, name) || assigns(item.orelse, name)) return true;
    const auto* assign = item.form == Back::Form::Statement ? as<Assign>(item.statement) : nullptr;
    if (assign == nullptr || is<Subscript>(assign->targets[0])) return false;
    bool found = false;
    for_each_target(assign->targets[0], [&](Symbol target) { found = found || target == name; });
    return found;
  });
}

void Reverse::reverse_half_return(const Return* statement) {
  if (!active(statement->value)) return;
  const auto* tuple = as<TupleDisplay>(statement->value);
  const std::size_t results = own_->pair->results;
  if (results == 1 && tuple != nullptr) {
    refuse(DiagnosticKind::UnsupportedType, statement->value,
           "a function that calls itself gives back a tuple",
           "write a tuple of the same length in every return");
  }
  if (results == 0) return;
  current_value_ = statement->value;
  for (std::size_t k = 0; k < results; ++k) {
    const Expr* value = results > 1 ? tuple->elements[k] : statement->value;
    if (!active(value)) continue;
    const Type type = typing_.of(value);
    if (!may_be_numeric(type)) {
      refuse(DiagnosticKind::UnsupportedType, value,
             "a function that calls itself gives back what is no number or array here",
             "return numbers or arrays");
    }
    // The seed has the shape of what is given back here.
    typing_.declare(result_.seeds[k], adjoint_type(type));
    const Expr* seed = context_.local(result_.seeds[k]);
    push(value, algebra_.of(seed));
  }
}

// The adjoint of a result of a call as an expression of the result's shape.
const Expr* Reverse::seed_of(const Linear& adjoint, const Expr* result) {
  const Type type = typing_.of(result);
  if (!may_be_numeric(type)) {
    refuse(DiagnosticKind::UnsupportedType, current_,
           "this call gives what is no number or array on every path",
           "return numbers, or arrays, on every path");
  }
  if (adjoint.is_zero()) {
    if (type.is_number()) return context_.number(0.0);
    return algebra_.numpy_call(
        "zeros_like", {result},
        {algebra_.keyword("dtype", context_.global(context_.symbol("float")))});
  }
  return algebra_.build(full(adjoint, result));
}

// The buffer that the adjoint of an argument is added into: the adjoint's own, or a view of it. For
// what is no variable or part of one a new one, whose `pushed` name is passed on after the call.
const Expr* Reverse::buffer_of(const Expr* argument, Symbol& pushed) {
  if (active(argument)) {
    if (const auto* name = as<Name>(argument)) return context_.local(buffer(name->symbol));
    if (const Expr* view = view_of_buffer(argument)) return view;
  }
  const Type type = typing_.of(argument);
  std::vector<const Keyword*> keywords;
  if (!type.is_array() || !is_floating(type.dtype))
    keywords.push_back(algebra_.keyword("dtype", context_.global(context_.symbol("float"))));
  const Symbol name = names_.fresh("b" + name_for(argument));
  adjoint_names_.insert(name);
  const Expr* zeros = algebra_.numpy_call("zeros_like", {primal(argument)}, keywords);
  emit(context_.assign(context_.local(name), zeros));
  typing_.declare(name, adjoint_type(type));
  owned_.insert(name);
  if (active(argument)) pushed = name;
  return context_.local(name);
}

void Reverse::reverse_pair_call(Block block, std::size_t index, const Call* call) {
  const auto* assign = static_cast<const Assign*>(block[index]);
  const auto* targets = static_cast<const TupleDisplay*>(assign->targets[0]);
  const PairHalves* halves = pairs_ != nullptr ? pairs_->find(call) : nullptr;
  if (halves == nullptr) throw InternalError("a call of an unknown pair");
  const std::size_t results = halves->pair->results;
  const auto* tape = static_cast<const Name*>(targets->elements.back());
  const Exprs written = written_by_call(assign);
  flush_primal(changes(assign), {});
  current_value_ = assign->value;

  // An argument that is named like a result is read as it was before the call.
  bool self = false;
  for_each_target(targets, [&](Symbol symbol) { self = self || mentions(call, symbol); });
  std::vector<Linear> adjoints(results);
  bool flows = false;
  for (std::size_t k = 0; k < results; ++k) {
    const Symbol symbol = static_cast<const Name*>(targets->elements[k])->symbol;
    Linear& adjoint = adjoint_of(symbol);
    if (self && !adjoint.is_zero()) materialize(symbol, true);
    adjoints[k] = adjoint_of(symbol);
    adjoint_of(symbol) = Linear();
    flows = flows || !adjoints[k].is_zero();
  }
  for (const Expr* array : written)
    flows = flows || !adjoint_of(static_cast<const Name*>(array)->symbol).is_zero();
  bool takes = false;
  for (std::size_t k = 0; k < call->arguments.size(); ++k)
    takes = takes || halves->flows[k] > Flow::Nothing;
  if (!flows || !takes || !active(call)) {
    mark(block, index);
    return;
  }
  const std::size_t first = in_flight_.size();
  for (Linear& adjoint : adjoints) in_flight_.push_back(&adjoint);
  for (std::size_t k = 0; k < results; ++k) {
    const auto* result = static_cast<const Name*>(targets->elements[k]);
    const Expr* seed = seed_of(adjoints[k], result);
    adjoints[k] = algebra_.of(seed);
    // What reads a result is written down while the name holds it.
    bool reads = false;
    for_each_target(targets, [&](Symbol symbol) { reads = reads || mentions(seed, symbol); });
    if (reads) adjoints[k] = write_as(result->symbol, adjoints[k], typing_.of(result));
  }
  result_.plan.defined_at.emplace(tape->symbol, after_current_);
  mark(block, index);

  // Buffers are made before the call; what is given back has a place after it.
  std::vector<const Expr*> buffers;
  std::vector<std::pair<const Expr*, Symbol>> pushed;
  for (std::size_t k = 0; k < call->arguments.size(); ++k) {
    if (halves->flows[k] != Flow::Added) continue;
    Symbol name;
    if (halves->pair->writes(k)) {
      // The call's own array: what it overwrote is cleared there.
      buffers.push_back(
          context_.local(buffer(static_cast<const Name*>(call->arguments[k])->symbol)));
      continue;
    }
    buffers.push_back(buffer_of(call->arguments[k], name));
    if (name) pushed.emplace_back(call->arguments[k], name);
  }
  std::vector<const Expr*> passed{context_.local(tape->symbol)};
  for (const Linear& adjoint : adjoints) passed.push_back(algebra_.build(adjoint));
  passed.insert(passed.end(), buffers.begin(), buffers.end());
  in_flight_.resize(first);
  const auto* backward = context_.make<Call>(
      call->ranges, static_cast<const Expr*>(context_.global(halves->pair->backward)),
      context_.symbol(std::string(kPairPrefix) + std::string(halves->pair->backward.text())),
      context_.list(passed), List<const Keyword*>());
  std::vector<const Expr*> given;
  for (std::size_t k = 0; k < call->arguments.size(); ++k) {
    if (halves->flows[k] == Flow::Returned) given.push_back(call->arguments[k]);
  }
  take_adjoints(backward, given, Exprs(passed).subspan(1, results));
  for (const auto& [argument, name] : pushed) push(argument, algebra_.of(context_.local(name)));
}

// `ba, bb = _g_backward(…)`: the adjoints of arguments, under names, and passed on. They may be the
// arrays that were given as seeds.
void Reverse::take_adjoints(const Call* backward, const std::vector<const Expr*>& arguments,
                            Exprs seeds) {
  const bool any = std::any_of(arguments.begin(), arguments.end(),
                               [&](const Expr* argument) { return active(argument); });
  if (!any) return emit(context_.make<ExpressionStatement>({}, static_cast<const Expr*>(backward)));
  const auto* alone = arguments.size() == 1 ? as<Name>(arguments[0]) : nullptr;
  if (alone != nullptr && typing_.of(alone).is_number()) {
    // A sum of numbers takes the call in; it is evaluated here, once.
    typing_.set(backward, adjoint_type(typing_.of(alone)));
    Linear given = algebra_.of(backward);
    for (Term& term : given.terms) term.origin = current_;
    algebra_.add(adjoint_of(alone->symbol), given);
    return materialize(alone->symbol);
  }
  std::vector<const Expr*> targets;
  std::vector<std::pair<const Expr*, Symbol>> taken;
  for (const Expr* argument : arguments) {
    if (!active(argument)) {
      const Symbol unread = context_.symbol("_");
      targets.push_back(context_.local(names_.is_taken(unread) ? names_.fresh("unread") : unread));
      continue;
    }
    const auto* variable = as<Name>(argument);
    const Symbol own = variable != nullptr ? bar(variable->symbol) : Symbol();
    const bool repeated = std::any_of(taken.begin(), taken.end(),
                                      [&](const auto& other) { return other.second == own; });
    Symbol name = own;
    if (variable != nullptr && !repeated && adjoint_of(variable->symbol).is_zero()) {
      flush_mentions(name, variable->symbol);
      protect(name);
    } else {
      name = names_.fresh(
          "b" + (variable != nullptr ? std::string(variable->symbol.text()) : name_for(argument)));
      adjoint_names_.insert(name);
    }
    typing_.declare(name, adjoint_type(typing_.of(argument)));
    owned_.erase(name);
    sparse_.insert(name);
    targets.push_back(context_.local(name));
    taken.emplace_back(argument, name);
  }
  const Expr* target = targets.size() == 1
                           ? targets[0]
                           : context_.make<TupleDisplay>({}, Exprs(context_.list(targets)));
  emit(context_.assign(target, backward));
  std::vector<Linear> waiting;
  for (const auto& [argument, name] : taken) {
    assigned_.insert(name);
    waiting.push_back(algebra_.of(context_.local(name)));
    if (typing_.of(argument).is_number()) continue;
    for (const Expr* seed : seeds) lend(seed);
    if (loop_depth_ > 0) {
      emit(context_.assign(context_.local(name),
                           algebra_.numpy_call("copy", {context_.local(name)})));
    }
  }
  // All of them wait while one is passed on.
  const std::size_t first = in_flight_.size();
  for (Linear& adjoint : waiting) in_flight_.push_back(&adjoint);
  for (std::size_t k = 0; k < taken.size(); ++k) push(taken[k].first, waiting[k]);
  in_flight_.resize(first);
}

}  // namespace tangent
