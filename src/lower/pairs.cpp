// Calls that stay calls: of functions that call themselves, directly or through others.
//
//     left = network(resistors[:n], contact)
//         ->   left, left_tape = network(resistors[:n], contact)
//
// In: a call of such a function. Out: a statement that gives its results and what stands for its
// tape, and the function as a core program of its own. What the function sees of the functions
// around it, and around functions that it is given, becomes further parameters; functions that it
// is given are part of what it is: with another function it is another pair.
#include <algorithm>

#include "lower/copies.h"
#include "lower/fence.h"
#include "lower/final_checks.h"
#include "lower/lowering.h"
#include "lower/try_statements.h"
#include "lower/unbound.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

bool reads_variable(const Expr* core) {
  return find_node(core, [](const Node* part) {
           const auto* name = as<Name>(part);
           return name != nullptr && name->scope == Scope::Local;
         }) != nullptr;
}

// Whether a body, or a function in it, declares a name nonlocal.
bool is_nonlocal(Block body, Symbol name) {
  return std::ranges::any_of(body, [&](const Stmt* statement) {
    return find_node(statement, [&](const Node* part) {
             const auto* declared = as<Global>(part);
             return declared != nullptr && declared->nonlocal &&
                    std::ranges::find(declared->names, name) != declared->names.end();
           }) != nullptr;
  });
}

// How many values a written return gives: 0 if that is not seen here (a call), 1 for anything that
// is no tuple.
std::size_t values_of(const Expr* written) {
  if (const auto* tuple = as<TupleDisplay>(written)) {
    const bool starred =
        std::ranges::any_of(tuple->elements, [](const Expr* it) { return is<Starred>(it); });
    return starred || tuple->elements.empty() ? 1 : tuple->elements.size();
  }
  if (const auto* choice = as<Conditional>(written)) {
    const std::size_t body = values_of(choice->body);
    const std::size_t orelse = values_of(choice->orelse);
    if (body == 0 || orelse == 0) return std::max(body, orelse);
    return body == orelse ? body : 1;
  }
  return is<Call>(written) ? 0 : 1;
}

// How many values every return of a function gives.
std::size_t results_of(Block body) {
  std::size_t found = 0;
  std::vector<const Node*> stack(body.begin(), body.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (is<FunctionDefinition>(node) || is<Lambda>(node)) continue;
    if (const auto* exit = as<Return>(node)) {
      const std::size_t values = exit->value != nullptr ? values_of(exit->value) : 1;
      if (found != 0 && values != 0 && values != found) return 1;
      found = std::max(found, values);
      continue;
    }
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
  return std::max<std::size_t>(found, 1);
}

// Whether the function itself can be called with the values that are passed, by position.
bool takes_as_passed(const Callee& callee, std::span<const Lowering::Given> given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    switch (callee.parameters[i]->form) {
      case ParameterKind::Positional:
      case ParameterKind::PositionalOnly:
        if (given[i].values.size() != 1) return false;
        break;
      case ParameterKind::VariadicPositional:
        break;
      default:
        return false;
    }
  }
  return true;
}

// Whether no return of a function gives a value.
bool gives_nothing(Block body) {
  bool gives = false;
  std::vector<const Node*> stack(body.begin(), body.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (is<FunctionDefinition>(node) || is<Lambda>(node)) continue;
    if (const auto* exit = as<Return>(node)) gives = gives || exit->value != nullptr;
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
  return !gives;
}

// Whether a function stores into elements or slices of a name that it does not bind anew, or in a
// function of its own.
bool stores_into(Block body, Symbol name) {
  bool stores = false;
  bool binds = false;
  const auto target = [&](const auto& self, const Expr* place) -> void {
    if (const auto* tuple = as<TupleDisplay>(place)) {
      for (const Expr* element : tuple->elements) self(self, element);
    } else if (const auto* list = as<ListDisplay>(place)) {
      for (const Expr* element : list->elements) self(self, element);
    } else if (const auto* starred = as<Starred>(place)) {
      self(self, starred->value);
    } else if (const Name* root = root_of(place); root != nullptr && root->symbol == name) {
      (is<Subscript>(place) ? stores : binds) = true;
    }
  };
  for (const Stmt* statement : body) {
    for_each_node(*statement, [&](const Node& node) {
      if (const auto* assign = as<Assign>(&node)) {
        for (const Expr* place : assign->targets) target(target, place);
      } else if (const auto* augmented = as<AugmentedAssign>(&node)) {
        target(target, augmented->target);
      } else if (const auto* loop = as<For>(&node)) {
        target(target, loop->target);
      } else if (is<FunctionDefinition>(&node) || is<Lambda>(&node)) {
        binds = true;
      }
    });
  }
  return stores && !binds;
}

// The variable that every return of a function gives back, if it is one.
Symbol returned_name(Block body) {
  Symbol found;
  bool one = true;
  std::vector<const Node*> stack(body.begin(), body.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (is<FunctionDefinition>(node) || is<Lambda>(node)) continue;
    if (const auto* exit = as<Return>(node)) {
      const auto* name = as<Name>(exit->value);
      if (exit->value == nullptr || name == nullptr || (found && name->symbol != found))
        one = false;
      if (name != nullptr) found = name->symbol;
      continue;
    }
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
  return one ? found : Symbol();
}

}  // namespace

// Whether a value is a function, class or module of the outside: such a parameter is no variable.
bool Lowering::is_known_outside(const Expr* core) {
  const auto thing = thing_of_core(core);
  return thing && thing->kind != ThingKind::Value && thing->kind != ThingKind::Missing;
}

const Expr* Lowering::call_pair(const Call& it, const Callee& callee, Destination destination) {
  std::vector<Argument> arguments = arguments_of(it);
  const std::vector<std::size_t> positions = match(it, callee, arguments);
  const List<const Parameter*> parameters = callee.parameters;
  // The emitted call takes them in the order of the parameters: what is evaluated in another order
  // is bound first.
  const bool ordered = std::ranges::is_sorted(positions);
  std::vector<Given> given(parameters.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t position = positions[i];
    const Expr* value = arguments[i].value;
    if (arguments[i].function != nullptr) {
      given[position].function = arguments[i].function;
      continue;
    }
    if (!ordered && !is_simple(value))
      value = bind_temporary(value, parameters[position]->name.text(), value->ranges);
    given[position].values.push_back(value);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Given& it_is = given[i];
    const ParameterKind form = parameters[i]->form;
    if (form == ParameterKind::VariadicPositional || form == ParameterKind::VariadicKeyword) {
      if (it_is.function == nullptr) continue;
      refuse(it, "passing a local function to `*` parameters is not supported yet",
             "give the callee a parameter of its own for it");
    }
    if (it_is.values.empty() && it_is.function == nullptr) {
      it_is.values.push_back(default_of(it, callee, i));
      if (callee.lexical != nullptr && reads_variable(it_is.values[0])) {
        refuse(it, "the default of " + quoted(parameters[i]->name) + " is a variable",
               "pass " + quoted(parameters[i]->name) + " in this call",
               DiagnosticKind::RecursiveCall);
      }
    }
    if (!it_is.values.empty() &&
        find_node(it_is.values[0], [&](const Node* node) {
          return is_expression(node->kind) &&
                 function_in_argument(static_cast<const Expr*>(node)).has_value();
        }) != nullptr) {
      refuse(it,
             "a function that is an argument is passed to " + quoted(callee.name) +
                 ", which calls itself",
             "call it by its own name", DiagnosticKind::RecursiveCall);
    }
    if (!it_is.values.empty() && is_known_outside(it_is.values[0])) {
      it_is.constant = it_is.values[0];
      it_is.values.clear();
    }
  }
  Pair& pair = pair_for(it, callee, given);

  std::vector<const Expr*> passed;
  for (const Given& one : given) passed.insert(passed.end(), one.values.begin(), one.values.end());
  Frame* const caller = frame_;
  for (const Pair::Captured& captured : pair.captured) {
    const Callee& sees = captured.slot < given.size() ? *given[captured.slot].function : callee;
    frame_ = sees.lexical;
    passed.push_back(name(*context_.make<Name>(it.ranges, captured.name, Scope::Unresolved)));
    frame_ = caller;
  }

  for (const Expr* value : passed) {
    if (object_of(value) == nullptr && !holding_of(value).has_reference()) continue;
    refuse(it, "an object is passed to " + quoted(callee.name) + ", which calls itself",
           "pass its attributes", DiagnosticKind::RecursiveCall);
  }

  // Its results, and the tape.
  std::vector<const Expr*> names;
  std::string wish = describe_call(callee.name.text(), context_.list(passed));
  const bool named = destination.form == Destination::Form::Name && pair.results == 1;
  if (named) {
    names.push_back(context_.local(destination.name, it.ranges));
    wish = std::string(destination.name.text());
  } else {
    if (destination.form == Destination::Form::Value && !destination.wish.empty())
      wish = std::string(destination.wish);
    const bool wanted = wanted_.call == &it && wanted_.names.size() == pair.results;
    for (std::size_t k = 0; k < pair.results; ++k) {
      if (wanted) {
        names.push_back(context_.local(wanted_.names[k], it.ranges));
        continue;
      }
      const std::string part = pair.results == 1 ? wish : describe_position(k);
      names.push_back(context_.local(names_.fresh(part), it.ranges));
    }
  }
  for (const std::size_t k : pair.written) {
    const auto* array = as<Name>(passed[k]);
    if (array != nullptr && std::ranges::any_of(names, [&](const Expr* result) {
          return mentions(result, array->symbol);
        }))
      written_argument(it, std::vector<const Expr*>{passed[k], passed[k]}, 0);
  }
  for (const Expr* result : names) {
    const Symbol symbol = static_cast<const Name*>(result)->symbol;
    if (held_.contains(symbol)) hold(symbol, {});
  }
  if (pair.results > 1) wish = std::string(callee.name.text());
  if (wish.ends_with("_value")) wish.resize(wish.size() - 6);
  std::vector<const Expr*> targets = names;
  if (!pair.written.empty()) {
    // Where it raises, a part may be written.
    for (const Frame& around : frames_) {
      const bool tries =
          around.facts != nullptr && around.facts->find(context_.symbol(kTryMarker)) != nullptr;
      if (!tries) continue;
      refuse(it, "a function that stays a call writes into its argument, inside of a `try`",
             "write into a copy, and return it", DiagnosticKind::RecursiveCall);
    }
    std::vector<const Expr*> written;
    for (const std::size_t k : pair.written) written.push_back(written_argument(it, passed, k));
    targets.push_back(context_.make<TupleDisplay>(it.ranges, Exprs(context_.list(written))));
  }
  targets.push_back(context_.local(names_.fresh(wish + "_tape"), it.ranges));

  const std::optional<Thing> thing = thing_of(it.function);
  const bool by_name = callee.lexical == nullptr && thing && thing->handle == callee.function &&
                       takes_as_passed(callee, given);
  const Expr* function =
      by_name ? expression(it.function)
              : static_cast<const Expr*>(context_.global(pair.forward, it.function->ranges));
  const auto* call = context_.make<Call>(it.ranges, function, pair.symbol,
                                         Exprs(context_.list(passed)), List<const Keyword*>());
  emit(context_.assign(context_.make<TupleDisplay>(it.ranges, Exprs(context_.list(targets))), call,
                       at(it)));
  if (named) return nullptr;
  if (pair.results == 0) return context_.none(it.ranges);
  if (pair.results == 1) return names[0];
  return context_.make<TupleDisplay>(it.ranges, Exprs(context_.list(names)));
}

// The array that a call stores into: a variable that no other argument and no result is.
const Expr* Lowering::written_argument(const Call& it, std::span<const Expr* const> passed,
                                       std::size_t position) {
  const auto* array = as<Name>(passed[position]);
  bool alone = array != nullptr && array->scope == Scope::Local;
  for (std::size_t k = 0; alone && k < passed.size(); ++k)
    alone = k == position || !mentions(passed[k], array->symbol);
  if (!alone) {
    refuse(it, "a function that stays a call writes into what is no variable of its own",
           "give what it writes into a name", DiagnosticKind::RecursiveCall);
  }
  return context_.local(array->symbol, it.ranges);
}

Lowering::Pair& Lowering::pair_for(const Call& it, const Callee& callee,
                                   std::span<const Given> given) {
  for (Pair& pair : pairs_) {
    if (pair.callee->identity != callee.identity) continue;
    bool same = true;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Given& now = given[i];
      const Given& before = pair.given[i];
      const bool form = (now.function == nullptr) == (before.function == nullptr) &&
                        (now.constant == nullptr) == (before.constant == nullptr) &&
                        now.values.size() == before.values.size();
      same = same && form &&
             (now.function == nullptr || now.function->identity == before.function->identity) &&
             (now.constant == nullptr || equal(now.constant, before.constant));
    }
    if (same) return pair;
  }
  constexpr std::size_t kMostPairs = 64;
  if (pairs_.size() >= kMostPairs) {
    refuse(it, quoted(callee.name) + " calls itself with ever other functions",
           "pass the function through unchanged", DiagnosticKind::RecursiveCall);
  }
  Pair& pair = pairs_.emplace_back();
  pair.callee = &callee;
  pair.given.assign(given.begin(), given.end());
  pair.functions.resize(given.size());
  pair.results = results_of(callee.body);
  // What calls itself writes into nothing.
  if (known_.kept_calls.contains(callee.identity)) {
    if (gives_nothing(callee.body)) pair.results = 0;
    std::size_t position = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i].values.size() == 1 && stores_into(callee.body, callee.parameters[i]->name))
        pair.written.push_back(position);
      position += given[i].values.size();
    }
  }
  std::string base(callee.name.text());
  base.erase(0, base.find_first_not_of('_'));
  std::string name = base;
  auto taken = [&](const std::string& text) {
    const Symbol forward = context_.symbol("_" + text + "_forward");
    const Symbol backward = context_.symbol("_" + text + "_backward");
    return global_index_.contains(forward) || global_index_.contains(backward) ||
           std::ranges::any_of(pairs_, [&](const Pair& it) { return it.forward == forward; });
  };
  for (int number = 2; taken(name); ++number) name = base + std::to_string(number);
  pair.forward = context_.symbol("_" + name + "_forward");
  pair.backward = context_.symbol("_" + name + "_backward");
  pair.symbol = context_.symbol(std::string(kPairPrefix) + std::string(pair.forward.text()));

  if (callee.lexical != nullptr) {
    pair.around = &surroundings(callee.function);
    capture(it, callee, given.size(), *pair.around, pair);
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].function == nullptr) continue;
    // Each function sees what is around it, and not what is around another.
    Frame& around = surroundings(given[i].function->function);
    capture(it, *given[i].function, i, around, pair);
    Callee& known = callees_.emplace_back(*given[i].function);
    known.lexical = &around;
    pair.functions[i] = &known;
  }
  return pair;
}

Frame& Lowering::surroundings(ThingHandle function) {
  Frame& around = frames_.emplace_back();
  around.facts = &environments_.emplace_back();
  around.function = function;
  return around;
}

// Makes the variables that a function sees around it known in `around`, those that the functions
// which it reaches see included.
void Lowering::capture(const Call& it, const Callee& callee, std::size_t slot, Frame& around,
                       Pair& pair) {
  for (const Expr* value : callee.defaults) {
    if (value == nullptr || !reads_variable(value)) continue;
    refuse(it, "a default of " + quoted(callee.name) + " is a variable", "pass it in the call",
           DiagnosticKind::RecursiveCall);
  }
  std::vector<Symbol> names;
  for (const Stmt* statement : callee.body) {
    for_each_node(*statement, [&](const Node& node) {
      const auto* name = as<Name>(&node);
      if (name != nullptr && std::ranges::find(names, name->symbol) == names.end())
        names.push_back(name->symbol);
    });
  }
  for (const Symbol name : names) {
    if (facts_of(callee).is_local(name)) continue;
    Frame* const caller = frame_;
    frame_ = callee.lexical;
    Frame* owner = nullptr;
    Binding* binding = frame_ != nullptr ? find_binding(name, &owner) : nullptr;
    frame_ = caller;
    if (binding == nullptr) continue;
    if (is_nonlocal(callee.body, name)) {
      refuse(it,
             quoted(callee.name) + ", which calls itself, may assign " + quoted(name) +
                 " of the function around it",
             "return the value instead", DiagnosticKind::RecursiveCall);
    }
    if (around.bindings.contains(name)) {
      const auto before = std::ranges::find_if(pair.captured, [&](const Pair::Captured& other) {
        return other.slot == slot && other.name == name;
      });
      if (before == pair.captured.end() || before->owner == owner) continue;
      refuse(it, "functions that call themselves see two variables " + quoted(name),
             "give them different names", DiagnosticKind::RecursiveCall);
    }
    for (ScopeFacts& facts : environments_) {
      if (&facts == around.facts) facts.names[name] = {.reads = 1, .is_parameter = true};
    }
    if (binding->form == Binding::Form::Function) {
      const Callee& inner = *binding->function;
      Callee& known = callees_.emplace_back(inner);
      known.lexical = &around;
      around.bindings[name] = {.form = Binding::Form::Function, .function = &known};
      capture(it, inner, slot, around, pair);
    } else if (binding->form == Binding::Form::OutOfReach ||
               (binding->form == Binding::Form::Value && !reads_variable(binding->value))) {
      around.bindings[name] = *binding;
    } else {
      around.bindings[name] = {.form = Binding::Form::Variable, .variable = name};
      pair.captured.push_back({.slot = slot, .name = name, .owner = owner, .parameter = name});
    }
  }
}

// The function as a core program of its own; the differentiated one is complete by now.
CorePair Lowering::lower_pair(Pair& pair) {
  const Callee& callee = *pair.callee;
  const ScopeFacts& facts = facts_of(callee);
  Frame& frame = frames_.emplace_back();
  frame.facts = &facts;
  frame.function = callee.function;
  frame.lexical = callee.lexical != nullptr ? pair.around : nullptr;
  frame.outermost = true;
  frame_ = &frame;
  root_ = &frame;
  names_ = FreshNames(context_);
  printed_.clear();
  for (const GlobalBinding& global : globals_) names_.take(global.printed);
  for (const auto& [name, use] : facts.names) names_.take(name);
  active_ = {callee.identity};
  open_loops_ = 0;
  inlined_nodes_ = 0;
  objects_.clear();
  retired_objects_.clear();
  object_names_.clear();
  outer_objects_.clear();
  attribute_variables_.clear();
  born_.clear();

  const auto unbound = maybe_unbound(callee.parameters, callee.body, facts);
  // The first by name: a set has no order.
  const auto first = std::ranges::min_element(unbound, {}, [](Symbol s) { return s.text(); });
  if (first != unbound.end()) {
    const Node* where = callee.identity;
    refuse(*where,
           quoted(*first) + " of " + quoted(callee.name) +
               ", which calls itself, may be read before it is assigned",
           "assign " + quoted(*first) + " on every path", DiagnosticKind::RecursiveCall);
  }

  std::vector<const Parameter*> parameters;
  auto add = [&](Symbol symbol, Ranges ranges) {
    parameters.push_back(context_.make<Parameter>(ranges, symbol, ParameterKind::Positional,
                                                  static_cast<const Expr*>(nullptr),
                                                  static_cast<const Expr*>(nullptr)));
  };
  for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
    const Parameter& parameter = *callee.parameters[i];
    const Given& given = pair.given[i];
    if (parameter.form == ParameterKind::VariadicKeyword) continue;
    if (parameter.form == ParameterKind::VariadicPositional) {
      // As many as there are: variables of their own.
      if (facts.is_written(parameter.name)) {
        refuse(parameter, quoted(callee.name) + " assigns its parameter " + quoted(parameter.name),
               "use another name in " + quoted(callee.name), DiagnosticKind::RecursiveCall);
      }
      std::vector<const Expr*> elements;
      for (std::size_t k = 0; k < given.values.size(); ++k) {
        const Symbol symbol =
            names_.fresh(std::string(parameter.name.text()) + "_" + std::to_string(k));
        add(symbol, parameter.ranges);
        elements.push_back(context_.local(symbol, parameter.ranges));
      }
      frame.bindings[parameter.name] = {
          .form = Binding::Form::Value,
          .value = context_.make<TupleDisplay>(parameter.ranges, Exprs(context_.list(elements)))};
      continue;
    }
    if (given.function == nullptr && given.constant == nullptr) {
      frame.bindings[parameter.name] = {.form = Binding::Form::Variable,
                                        .variable = parameter.name};
      add(parameter.name, parameter.ranges);
      continue;
    }
    if (facts.is_written(parameter.name)) {
      refuse(parameter,
             quoted(callee.name) + " assigns its parameter " + quoted(parameter.name) +
                 ", which is a function here",
             "use another name in " + quoted(callee.name));
    }
    if (given.function != nullptr) {
      frame.bindings[parameter.name] = {.form = Binding::Form::Function,
                                        .function = pair.functions[i]};
    } else {
      frame.bindings[parameter.name] = {.form = Binding::Form::Value, .value = given.constant};
    }
  }
  for (Pair::Captured& captured : pair.captured) {
    const bool own = captured.slot == callee.parameters.size();
    if (!own || facts.is_local(captured.name)) {
      captured.parameter = names_.fresh(captured.name.text());
    }
    Frame* seen_from = own ? pair.around : pair.functions[captured.slot]->lexical;
    seen_from->bindings[captured.name].variable = captured.parameter;
    add(captured.parameter, callee.identity->ranges);
  }

  CorePair lowered;
  lowered.callee = pair.symbol;
  lowered.forward = pair.forward;
  lowered.backward = pair.backward;
  lowered.results = pair.results;
  lowered.written = pair.written;
  CoreFunction& core = lowered.core;
  core.name = callee.name;
  core.parameters = context_.list(parameters);
  for (const std::size_t k : pair.written) core.given_back.push_back(parameters[k]->name);
  core.ranges = callee.identity->ranges;
  held_.clear();
  plain_reads_.clear();
  const Statements statements = collect([&] { block(callee.body); });
  core.body = with_known_values(with_results(restructure(statements, facts, true), pair));
  if (!attribute_variables_.empty()) {
    refuse_objects_left(core);
    core.body = without_needless_attributes(core, attribute_variables_, context_);
  }
  keep_used_globals(core, globals_);
  check_reads(core);
  check_nesting(core);
  for (const GlobalBinding& global : globals_) {
    if (global.printed == pair.forward || global.printed == pair.backward) {
      refuse(*callee.identity, "the name " + quoted(global.printed) + " is needed for a function",
             "rename what is called so");
    }
  }
  return lowered;
}

// Every return written as as many values as the calls take; those of a variable by their positions.
Block Lowering::with_results(Block body, const Pair& pair) {
  if (pair.results <= 1) return body;
  std::vector<const Stmt*> out;
  for (const Stmt* statement : body) {
    if (const auto* branch = as<If>(statement)) {
      out.push_back(context_.make<If>(branch->ranges, branch->test,
                                      with_results(branch->body, pair),
                                      with_results(branch->orelse, pair)));
      continue;
    }
    const auto* exit = as<Return>(statement);
    const auto* tuple = exit != nullptr ? as<TupleDisplay>(exit->value) : nullptr;
    if (exit == nullptr || (tuple != nullptr && tuple->elements.size() == pair.results)) {
      out.push_back(statement);
      continue;
    }
    const auto* variable = as<Name>(exit->value);
    if (variable == nullptr || variable->scope != Scope::Local) {
      refuse(*exit,
             quoted(pair.callee->name) +
                 ", which calls itself, gives back a tuple that is not "
                 "written out in every return",
             "write `return a, b` everywhere", DiagnosticKind::RecursiveCall);
    }
    std::vector<const Expr*> values;
    for (std::size_t k = 0; k < pair.results; ++k) {
      values.push_back(context_.make<Subscript>(
          exit->ranges, static_cast<const Expr*>(context_.local(variable->symbol, exit->ranges)),
          static_cast<const Expr*>(context_.integer(static_cast<std::int64_t>(k), exit->ranges))));
    }
    out.push_back(
        context_.make<Return>(exit->ranges, static_cast<const Expr*>(context_.make<TupleDisplay>(
                                                exit->ranges, Exprs(context_.list(values))))));
  }
  return context_.list(out);
}

std::vector<CorePair> Lowering::lower_pairs() {
  std::vector<CorePair> lowered;
  // Lowering one may find another.
  while (lowered.size() < pairs_.size()) lowered.push_back(lower_pair(pairs_[lowered.size()]));
  return lowered;
}

void Lowering::call_itself(const FunctionDefinition& definition, const Callee& callee) {
  std::vector<const Expr*> positional;
  std::vector<const Keyword*> keywords;
  for (const Parameter* parameter : definition.parameters) {
    const auto* value = context_.make<Name>(parameter->ranges, parameter->name, Scope::Unresolved);
    if (parameter->form == ParameterKind::KeywordOnly) {
      keywords.push_back(context_.make<Keyword>(parameter->ranges, parameter->name,
                                                static_cast<const Expr*>(value)));
    } else {
      positional.push_back(value);
    }
  }
  const auto* call = context_.make<Call>(
      definition.ranges,
      static_cast<const Expr*>(
          context_.make<Name>(definition.ranges, definition.name, Scope::Unresolved)),
      Symbol(), Exprs(context_.list(positional)), List<const Keyword*>(context_.list(keywords)));
  const Symbol returned = returned_name(definition.body);
  const Symbol result = names_.fresh(returned ? returned.text() : "y");
  const Expr* value = call_pair(*call, callee, Destination::to(result));
  if (value == nullptr) value = context_.local(result);
  emit(context_.make<Return>(definition.ranges, value));
}

}  // namespace tangent::lowering
