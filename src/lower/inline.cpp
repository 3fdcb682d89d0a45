// Calls of the user's functions, inlined: arguments bound as Python binds them, then the body.
//
//     def h(a, b=2.0):                y = h(x * x)        a = x * x
//         t = a * b                                       t = a * 2.0
//         return t + 1                                    y = t + 1
//
// A parameter that the callee does not write and whose argument is a name or constant is that
// argument; an argument that is read once, in order, stands where it is read (substitute.cpp).
#include <algorithm>
#include <utility>

#include "lower/desugar.h"
#include "lower/fence.h"
#include "lower/lowering.h"
#include "lower/unbound.h"
#include "syntax/places.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

constexpr std::size_t kLargestInlined = 20000;  // nodes
// A callee of so many nodes may be worth a function of its own.
constexpr std::size_t kLongCallee = 45;
constexpr int kNeverKept = -1000000;

bool is_none_constant(const Expr* e) {
  const auto* constant = as<Constant>(e);
  return constant != nullptr && constant->value.kind == LiteralKind::None;
}

}  // namespace

bool mentions(const Node* root, Symbol wanted) {
  std::vector<const Node*> stack = {root};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (const auto* name = as<Name>(node); name != nullptr && name->symbol == wanted) return true;
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
  return false;
}

const Expr* only_return(Block body) {
  for (const Stmt* statement : body) {
    if (const auto* exit = as<Return>(statement)) return exit->value;
    const auto* text = as<ExpressionStatement>(statement);
    const bool nothing = is<Pass>(statement) || is<Global>(statement) ||
                         (text != nullptr && is<Constant>(text->value));
    if (!nothing) return nullptr;
  }
  return nullptr;
}

bool is_literal(const Expr* written) {
  if (is<Constant>(written)) return true;
  if (const auto* unary = as<UnaryOperation>(written)) return is<Constant>(unary->operand);
  const auto* tuple = as<TupleDisplay>(written);
  return tuple != nullptr && std::ranges::all_of(tuple->elements, is_literal);
}

const ScopeFacts& Lowering::facts_of(const Callee& callee) {
  const auto [place, added] = facts_.try_emplace(callee.identity);
  if (added) place->second = scope_facts(callee.parameters, callee.body);
  return place->second;
}

const Callee& Lowering::callee_of(const Thing& thing, const Call& it) {
  const auto found = outside_callees_.find(thing.handle);
  if (found != outside_callees_.end()) return *found->second;
  CapturedFunction captured;
  try {
    const auto known = known_.captured.find(thing.handle);
    captured = known != known_.captured.end() ? known->second : outside_.source_of(thing, context_);
    known_.captured.emplace(thing.handle, captured);
    refuse_unsupported(*captured.definition, true);
  } catch (Diagnostic& diagnostic) {
    // Which call it was; the first place, if there is one, is in the callee.
    const Ranges ranges = at(it);
    diagnostic.ranges.insert(diagnostic.ranges.end(), ranges.begin(), ranges.end());
    throw;
  }
  Callee& callee = callees_.emplace_back();
  callee.name = captured.definition->name;
  // A lambda of a module is known by the name that it is called by.
  if (captured.is_lambda) {
    if (const auto* name = as<Name>(it.function)) callee.name = name->symbol;
    if (const auto* path = as<Attribute>(it.function)) callee.name = path->attribute;
  }
  callee.parameters = captured.definition->parameters;
  callee.body = desugared(body_of(*captured.definition, thing.handle), callee.parameters, context_);
  callee.identity = captured.definition;
  callee.function = thing.handle;
  outside_callees_.emplace(thing.handle, &callee);
  return callee;
}

// Whether a call of a function inside itself is one that ends: it goes down a tree of objects, each
// of which is known.
bool Lowering::is_of_other_objects(const Callee& callee,
                                   const std::vector<const Object*>& given) const {
  constexpr int kDeepestTree = 24;
  if (given.empty()) return false;
  int depth = 0;
  for (const auto& [identity, objects] : active_objects_) {
    if (identity != callee.identity) continue;
    if (objects == given || ++depth > kDeepestTree) return false;
  }
  // The function that is differentiated is called anew, with objects of its own.
  return depth > 0;
}

const Expr* Lowering::inline_call(const Call& it, const Callee& callee, Destination destination,
                                  const Receiver& receiver) {
  const bool plain = receiver.self == nullptr && receiver.arguments.empty();
  if (plain && known_.kept_calls.contains(callee.identity))
    return call_pair(it, callee, destination);
  if (known_.recursive.contains(callee.identity)) {
    if (plain) return call_pair(it, callee, destination);
    refuse(it, "the method " + quoted(callee.name) + " calls itself, which is not supported yet",
           "write it as a function that takes the values it needs", DiagnosticKind::RecursiveCall);
  }
  if (next_consumer_ == nullptr && drained_.contains(&it) && find_yield(callee.body) != nullptr)
    return generator_list(it, callee, receiver);
  // A generator runs around the body of a loop: no call of it can stay one.
  written_out_[callee.identity] += plain && next_consumer_ == nullptr ? 1 : kNeverKept;
  const bool outermost = active_.size() == 1;
  if (outermost) inline_start_ = context_.id_bound();
  auto check_size = [&] {
    if (inlined_nodes_ + (context_.id_bound() - inline_start_) > kLargestInlined) {
      refuse(it, "the functions called here are too large to be written out at every call",
             "call them less often, or from a loop");
    }
  };
  check_size();

  Frame& frame = frames_.emplace_back();
  frame.facts = &facts_of(callee);
  frame.function = callee.function;
  frame.lexical = callee.lexical;
  frame.consumer = std::exchange(next_consumer_, nullptr);
  if (frame.consumer == nullptr && find_yield(callee.body) != nullptr) {
    refuse(it,
           quoted(callee.name) +
               " is a generator, which is supported in `for` loops over it, "
               "in comprehensions, and in `list`, `tuple`, `sum`, `min` and "
               "`max` of it alone",
           "loop over it, or call `list` on it first");
  }
  if (open_loops_ > 0) {
    const auto unbound = maybe_unbound(callee.parameters, callee.body, *frame.facts);
    // The first by name: a set has no order.
    const auto first = std::ranges::min_element(unbound, {}, [](Symbol s) { return s.text(); });
    if (first != unbound.end()) {
      refuse(it,
             quoted(*first) + " of " + quoted(callee.name) +
                 " may be read before it is assigned, which is not supported for calls in a "
                 "loop",
             "assign " + quoted(*first) + " on every path, for example before its loop");
    }
  }
  std::vector<Argument> arguments;
  if (receiver.self != nullptr)
    arguments.push_back({.written = it.function, .value = receiver.self});
  for (const Expr* value : receiver.arguments)
    arguments.push_back({.written = value, .value = value});
  for (const Argument& argument : arguments_of(it, &callee, arguments.size()))
    arguments.push_back(argument);
  std::vector<const Object*> given;
  for (const Argument& argument : arguments) {
    // None is where a tree ends.
    const Object* object = object_of(argument.value);
    if (object != nullptr || (argument.value != nullptr && is_none_constant(argument.value)))
      given.push_back(object);
  }
  if (std::ranges::find(active_, callee.identity) != active_.end() &&
      !is_of_other_objects(callee, given)) {
    known_.recursive.insert(callee.identity);
    throw LowerAgain();
  }
  frame.receiver = {.self = receiver.self, .owner = receiver.owner};
  bind_parameters(it, callee, frame, arguments, destination);
  std::vector<const Expr*> values;
  // A parameter is one more name of an object while the call lasts.
  std::vector<Object*> lent;
  for (const Argument& argument : arguments) {
    if (argument.value == nullptr) continue;
    values.push_back(argument.value);
    if (Object* object = object_of(argument.value)) lent.push_back(object);
  }
  for (Object* object : lent) ++object->names;
  const std::string wish = describe_call(callee.name.text(), values);
  if (destination.form == Destination::Form::Value) destination.wish = wish;
  frame.call_site = at(it);

  Frame* const caller = frame_;
  frame_ = &frame;
  active_.push_back(callee.identity);
  active_objects_.emplace_back(callee.identity, std::move(given));
  const Expr* result = inline_body(callee, destination);
  active_objects_.pop_back();
  active_.pop_back();
  frame_ = caller;
  for (Object* object : lent) --object->names;
  check_size();
  if (outermost) inlined_nodes_ += context_.id_bound() - inline_start_;
  return result;
}

std::unordered_set<const Node*> Lowering::long_callees() const {
  std::unordered_set<const Node*> found;
  for (const Callee& callee : callees_) {
    const auto times = written_out_.find(callee.identity);
    if (times == written_out_.end() || times->second < 2) continue;
    if (only_return(callee.body) != nullptr) continue;
    std::size_t nodes = 0;
    for (const Stmt* statement : callee.body)
      for_each_node(*statement, [&](const Node&) { ++nodes; });
    if (nodes >= kLongCallee) found.insert(callee.identity);
  }
  return found;
}

const Expr* Lowering::inline_body(const Callee& callee, Destination destination) {
  if (frame_->consumer != nullptr) {
    const Block body = restructure(collect([&] { block(callee.body); }), *frame_->facts, false);
    out_->insert(out_->end(), body.begin(), body.end());
    return context_.none(frame_->call_site);
  }
  if (const Expr* result = only_return(callee.body)) return value_for(result, destination);
  Statements statements = collect([&] { block(callee.body); });
  // With one return at the end there is nothing to move.
  ExitTable exits;
  int returns = 0;
  for (const Stmt* statement : statements) returns += exits.of(statement).return_count;
  const bool plain = returns == 1 && is<Return>(statements.back());
  const Block body = restructure(statements, *frame_->facts, !plain);
  return splice(body, destination, frame_->call_site);
}

// The body of an inlined function, its returns turned into what the destination asks for.
const Expr* Lowering::splice(Block body, Destination destination, Ranges ranges) {
  ExitTable exits;
  const int returns = exits.of_block(body).return_count;
  if (returns <= 1 && (returns == 0 || is<Return>(body.back()))) {
    const Block first = returns == 0 ? body : body.first(body.size() - 1);
    out_->insert(out_->end(), first.begin(), first.end());
    // Without a return the end is never reached.
    if (returns == 0) return context_.none(ranges);
    return static_cast<const Return*>(body.back())->value;
  }
  if (destination.form == Destination::Form::Tail) {
    out_->insert(out_->end(), body.begin(), body.end());
    return nullptr;
  }
  const bool named = destination.form == Destination::Form::Value;
  if (named) destination = Destination::to(names_.fresh(destination.wish));
  append_assigning(body, destination, *out_);
  return named ? variable_value(destination.name, *context_.none(ranges)) : nullptr;
}

void Lowering::append_assigning(Block body, Destination destination, Statements& out) {
  for (const Stmt* statement : body) {
    if (const auto* exit = as<Return>(statement)) {
      const Statements last = collect([&] { finish(destination, exit->value, exit->ranges); });
      out.insert(out.end(), last.begin(), last.end());
    } else if (const auto* branch = as<If>(statement);
               branch != nullptr && statement == body.back()) {
      Statements inner;
      Statements orelse;
      const auto leaves = [](const Statements& arm) {
        return !arm.empty() && (is<Raise>(arm.back()) || is<Break>(arm.back()));
      };
      const std::size_t held = held_log_.size();
      append_assigning(branch->body, destination, inner);
      const HeldChanges first = release_held(held);
      append_assigning(branch->orelse, destination, orelse);
      const HeldChanges other = release_held(held);
      const Expr* test = branch->test;
      const Statements before = collect([&] {
        test = join_held(test, first, leaves(inner), other, leaves(orelse), branch->ranges);
      });
      out.insert(out.end(), before.begin(), before.end());
      append_if(context_, test, context_.list(inner), context_.list(orelse), branch->ranges, out);
    } else {
      out.push_back(statement);
    }
  }
}

// ---------------------------------------------------------------------------------------------------
// Arguments

std::vector<std::size_t> Lowering::match(const Call& it, const Callee& callee,
                                         std::span<const Argument> arguments) {
  const List<const Parameter*> parameters = callee.parameters;
  std::vector<bool> taken(parameters.size());
  std::vector<std::size_t> positions;
  positions.reserve(arguments.size());
  auto wrong = [&](const Node& where, const std::string& what) {
    refuse(where, quoted(callee.name) + " " + what, "call it as it is defined",
           DiagnosticKind::UnresolvedCall);
  };
  std::size_t next = 0;
  for (const Argument& argument : arguments) {
    std::size_t position = 0;
    if (!argument.keyword) {
      while (next < parameters.size() && parameters[next]->form != ParameterKind::PositionalOnly &&
             parameters[next]->form != ParameterKind::Positional &&
             parameters[next]->form != ParameterKind::VariadicPositional) {
        ++next;
      }
      if (next == parameters.size()) wrong(it, "takes fewer positional arguments");
      position = next;
      if (parameters[next]->form != ParameterKind::VariadicPositional) ++next;
    } else {
      const auto found = std::ranges::find_if(parameters, [&](const Parameter* parameter) {
        return parameter->name == argument.keyword &&
               (parameter->form == ParameterKind::Positional ||
                parameter->form == ParameterKind::KeywordOnly);
      });
      if (found == parameters.end()) {
        const auto collects = std::ranges::find(parameters, ParameterKind::VariadicKeyword,
                                                [](const Parameter* one) { return one->form; });
        if (collects == parameters.end()) wrong(it, "has no parameter " + quoted(argument.keyword));
        positions.push_back(static_cast<std::size_t>(collects - parameters.begin()));
        continue;
      }
      position = static_cast<std::size_t>(found - parameters.begin());
      if (taken[position]) wrong(it, "gets " + quoted(argument.keyword) + " twice");
    }
    taken[position] = true;
    positions.push_back(position);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = *parameters[i];
    const bool variadic = parameter.form == ParameterKind::VariadicPositional ||
                          parameter.form == ParameterKind::VariadicKeyword;
    if (!taken[i] && !variadic && parameter.default_value == nullptr) {
      wrong(it, "needs an argument for " + quoted(parameter.name));
    }
  }
  return positions;
}

void Lowering::bind_parameters(const Call& it, const Callee& callee, Frame& frame,
                               std::span<const Argument> arguments, Destination destination) {
  const std::vector<std::size_t> positions = match(it, callee, arguments);
  const ScopeFacts& facts = *frame.facts;
  const List<const Parameter*> parameters = callee.parameters;
  const Symbol merged = returned_local(callee, arguments, positions, destination);
  if (merged) {
    frame.bindings[merged] = {.form = Binding::Form::Variable, .variable = destination.name};
  }

  // From the last to the first: what is evaluated before a value that is bound is bound, too.
  std::vector<bool> in_place = replaceable(callee, frame, arguments, positions);
  bool bound_later = false;
  for (std::size_t i = arguments.size(); i-- > 0;) {
    if (arguments[i].value == nullptr || is_simple(arguments[i].value)) continue;
    if (bound_later) in_place[i] = false;
    bound_later = bound_later || !in_place[i];
  }
  // Captured names are variables that the body, or what it calls, may assign before it reads the
  // parameter. So are attributes, which operators and properties may set, too: a copy of one that
  // is never set again is taken out in the end (copies.cpp).
  auto calls_user_function = [&](Block body) {
    Frame* const caller = frame_;
    frame_ = &frame;
    const bool calls = std::ranges::any_of(body, [&](const Stmt* statement) {
      return find_node(statement, [&](const Node* node) {
               const auto* call = as<Call>(node);
               if (call == nullptr) return false;
               const std::optional<Thing> thing = thing_of(call->function);
               return !thing || thing->kind != ThingKind::Library;
             }) != nullptr;
    });
    frame_ = caller;
    return calls;
  };
  auto may_assign = [&](const Argument& argument) {
    return argument.function != nullptr && (facts_of(*argument.function).writes_outside ||
                                            calls_user_function(argument.function->body));
  };
  const bool assigns_captured = facts.writes_outside ||
                                std::ranges::any_of(arguments, may_assign) ||
                                (callee.lexical != nullptr && calls_user_function(callee.body));
  // A function that it makes may be called after it, when the variables of the call have changed.
  const bool makes_functions = std::ranges::any_of(callee.body, [&](const Stmt* statement) {
    return find_node(statement, [&](const Node* node) {
             if (is<Lambda>(node) || is<FunctionDefinition>(node)) return true;
             const auto* call = as<Call>(node);
             return call != nullptr && looks_like_partial(*call);
           }) != nullptr;
  });
  auto names_attribute = [&](const Expr* value) {
    return find_node(value, [&](const Node* node) {
             const auto* name = as<Name>(node);
             return name != nullptr && attribute_variables_.contains(name->symbol);
           }) != nullptr;
  };
  auto may_be_assigned = [&](const Expr* value) {
    if (value == nullptr || is<Constant>(value) || object_of(value) != nullptr || is_known(value))
      return false;
    // A generator reads it while the loop that it runs for goes on.
    return assigns_captured || makes_functions || frame.consumer != nullptr ||
           names_attribute(value);
  };
  std::vector<bool> given(parameters.size());
  std::vector<const Expr*> variadic;
  std::vector<const Expr*> keys;
  std::vector<const Expr*> collected;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    const Parameter& parameter = *parameters[positions[i]];
    const bool stays = !may_be_assigned(argument.value);
    given[positions[i]] = true;
    if (parameter.form == ParameterKind::VariadicKeyword) {
      const bool again = std::ranges::any_of(keys, [&](const Expr* key) {
        return static_cast<const Constant*>(key)->value.text == argument.keyword.text();
      });
      if (again) {
        refuse(it, quoted(callee.name) + " gets " + quoted(argument.keyword) + " twice",
               "call it as it is defined", DiagnosticKind::UnresolvedCall);
      }
      keys.push_back(context_.make<Constant>(
          it.ranges, Literal{.kind = LiteralKind::String, .text = argument.keyword.text()}));
      const Expr* value =
          argument.function != nullptr
              ? function_handle({.callee = argument.function}, argument.function->name.text(),
                                argument.written->ranges)
              : argument.value;
      if (!is_known(value) && !is<Constant>(value) && object_of(value) == nullptr)
        value = bind_temporary(value, argument.keyword.text(), value->ranges);
      collected.push_back(value);
      continue;
    }
    if (parameter.form == ParameterKind::VariadicPositional) {
      const Expr* value =
          argument.function != nullptr
              ? function_handle({.callee = argument.function}, argument.function->name.text(),
                                argument.written->ranges)
              : argument.value;
      if (!is_known(value) && (!is_simple(value) || !stays))
        value = bind_temporary(value, describe(value), value->ranges);
      variadic.push_back(value);
      continue;
    }
    const bool written = facts.is_written(parameter.name);
    if (argument.function != nullptr && written) {
      hold(variable(frame, parameter.name),
           {.form = Held::Form::Known,
            .value = function_handle({.callee = argument.function}, argument.function->name.text(),
                                     argument.written->ranges)});
    } else if (argument.function != nullptr) {
      frame.bindings[parameter.name] = {.form = Binding::Form::Function,
                                        .function = argument.function};
    } else if (!written && stays && (is_simple(argument.value) || in_place[i])) {
      frame.bindings[parameter.name] = {.form = Binding::Form::Value, .value = argument.value};
    } else {
      const Symbol bound = variable(frame, parameter.name);
      // What a constructor is given goes into an attribute.
      if (may_be_replaced(callee, parameter.name) && is_none_constant(argument.value)) {
        hold(bound, {.form = Held::Form::Known, .value = argument.value});
        continue;
      }
      if (const Object* made =
              frame.receiver.self != nullptr ? object_of(frame.receiver.self) : nullptr;
          made != nullptr && made->under_construction)
        attribute_variables_.insert(bound);
      else if (makes_functions || (argument.value != nullptr && names_attribute(argument.value)))
        attribute_variables_.insert(bound);
      emit_assign(bound, argument.value, at(*argument.written));
    }
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = *parameters[i];
    const NameUse* use = facts.find(parameter.name);
    const bool written = facts.is_written(parameter.name);
    const Expr* value = nullptr;
    if (parameter.form == ParameterKind::VariadicPositional) {
      value = context_.make<TupleDisplay>(it.ranges, Exprs(context_.list(variadic)));
    } else if (parameter.form == ParameterKind::VariadicKeyword) {
      if (use == nullptr || (use->reads == 0 && use->writes == 0)) continue;
      value = context_.make<Dictionary>(it.ranges, Exprs(context_.list(keys)),
                                        Exprs(context_.list(collected)));
      if (only_reads_entries(callee, parameter.name)) {
        frame.bindings[parameter.name] = {.form = Binding::Form::Value, .value = value};
      } else {
        emit_assign(variable(frame, parameter.name), value, at(it));
      }
      continue;
    } else if (given[i]) {
      continue;
    } else {
      value = default_of(it, callee, i);
    }
    if (written && is_none_constant(value) && may_be_replaced(callee, parameter.name)) {
      hold(variable(frame, parameter.name), {.form = Held::Form::Known, .value = value});
    } else if (written) {
      emit_assign(variable(frame, parameter.name), value, at(it));
    } else {
      frame.bindings[parameter.name] = {.form = Binding::Form::Value, .value = value};
    }
  }
}

// Whether a `**` parameter is read by constant keys, or passed on as `**`, and nothing else.
bool Lowering::only_reads_entries(const Callee& callee, Symbol parameter) {
  if (facts_of(callee).is_written(parameter)) return false;
  const auto reads = [&](const auto& self, const Node* node) -> bool {
    const auto is_it = [&](const Node* e) {
      const auto* name = as<Name>(e);
      return name != nullptr && name->symbol == parameter;
    };
    if (is_it(node)) return false;
    if (is_statement(node->kind)) {
      // An entry that is set is set in the function's own dict.
      const Subscript* place = stored_place(static_cast<const Stmt*>(node));
      if (place != nullptr && is_it(place->value)) return false;
    }
    if (is<Delete>(node) && mentions(node, parameter)) return false;
    if (const auto* subscript = as<Subscript>(node);
        subscript != nullptr && is_it(subscript->value) && is<Constant>(subscript->index))
      return true;
    if (const auto* keyword = as<Keyword>(node);
        keyword != nullptr && !keyword->name && is_it(keyword->value))
      return true;
    bool good = true;
    for_each_child(*node, [&](const Node* child) { good = good && self(self, child); });
    return good;
  };
  return std::ranges::all_of(callee.body, [&](const Stmt* it) { return reads(reads, it); });
}

// Whether all that binds a parameter is `if p is None: p = …`, as a statement of the body.
bool Lowering::may_be_replaced(const Callee& callee, Symbol parameter) {
  const NameUse* use = facts_of(callee).find(parameter);
  if (use == nullptr || use->writes != 1 || use->nested_writes > 0) return false;
  return std::ranges::any_of(callee.body, [&](const Stmt* statement) {
    const auto* branch = as<If>(statement);
    const auto* test = branch != nullptr ? as<Comparison>(branch->test) : nullptr;
    if (test == nullptr || test->ops.size() != 1 || test->ops[0] != ComparisonOperator::Is ||
        !is_none_constant(test->comparators[0]))
      return false;
    const auto* tested = as<Name>(test->left);
    return tested != nullptr && tested->symbol == parameter &&
           std::ranges::any_of(branch->body, [&](const Stmt* inner) {
             const auto* assign = as<Assign>(inner);
             const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
             return target != nullptr && target->symbol == parameter;
           });
  });
}

const Expr* Lowering::default_of(const Call& it, const Callee& callee, std::size_t position) {
  const Parameter& parameter = *callee.parameters[position];
  if (callee.lexical != nullptr) return copy(callee.defaults[position], it.ranges);
  if (!is_literal(parameter.default_value) && !callee.defaults_are_fresh) {
    if (const Expr* value = known_default(callee, parameter, it.ranges)) return value;
    refuse(it,
           "the default of " + quoted(parameter.name) + " in " + quoted(callee.name) +
               " is computed, which is not supported yet",
           "pass " + quoted(parameter.name) + " in this call");
  }
  return expression(parameter.default_value);
}

// `z = g(a)` where g ends in `return y`: y may be z itself, unless z is still read by g under the
// name of an argument.
Symbol Lowering::returned_local(const Callee& callee, std::span<const Argument> arguments,
                                std::span<const std::size_t> positions, Destination destination) {
  if (destination.form != Destination::Form::Name || callee.lexical != nullptr) return {};
  const ScopeFacts& facts = facts_of(callee);
  if (facts.returns != 1 || facts.early_return || callee.body.size() < 2) return {};
  const auto* exit = as<Return>(callee.body.back());
  const auto* local = exit != nullptr ? as<Name>(exit->value) : nullptr;
  if (local == nullptr || !facts.is_written(local->symbol) || !facts.is_local(local->symbol)) {
    return {};
  }
  const bool is_parameter = facts.find(local->symbol)->is_parameter;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].function != nullptr) return {};
    const Parameter& parameter = *callee.parameters[positions[i]];
    const bool own = parameter.name == local->symbol;
    const bool read_in_body =
        is_simple(arguments[i].value) || parameter.form == ParameterKind::VariadicPositional;
    if (!own && (is_parameter || read_in_body) && mentions(arguments[i].value, destination.name)) {
      return {};
    }
  }
  const auto unbound = maybe_unbound(callee.parameters, callee.body, facts);
  return unbound.contains(local->symbol) ? Symbol() : local->symbol;
}

}  // namespace tangent::lowering
