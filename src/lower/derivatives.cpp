// Gradients that the function takes: `tangent.grad(g)(x)`, `force = tangent.grad(energy)`.
//
//     def step(x, c):                               def step(x, c):
//         return x - g(x, c) / dg(x, c)                 return x - (x * x - c) / (2.0 * x)
//
// In: a call of tangent.grad, or of a gradient that the outside holds. Out: the emitted function of
// the gradient, written out like any other. Which one that is depends on the types of the
// arguments, which lowering does not know: at first what has the type of the result stands in its
// place (DerivativeCall), and when types are known the program is lowered again. A
// function inside the function becomes one of its own, whose further parameters are the variables
// that it sees (`lift`).
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

bool collect_literals(const Expr* written, std::vector<Literal>& found) {
  if (const auto* constant = as<Constant>(written)) {
    found.push_back(constant->value);
    return true;
  }
  const Exprs* elements = display_elements(written);
  return elements != nullptr && std::ranges::all_of(*elements, [&](const Expr* element) {
           return is<Constant>(element) && collect_literals(element, found);
         });
}

}  // namespace

// tangent.grad(g, …): what it is called with is known before the function runs.
const Expr* Lowering::make_derivative(const Call& it, const Thing& maker) {
  const auto refuse_options = [&](const Node& where) {
    refuse(where,
           "`" + print(it.function) +
               "` inside a differentiated function takes a function and "
               "options that are written out",
           "write the options as constants");
  };
  if (it.arguments.empty() || it.arguments.size() > 2 || is<Starred>(it.arguments[0]))
    refuse_options(it);
  std::vector<std::pair<Symbol, std::vector<Literal>>> options;
  const auto add = [&](Symbol name, const Expr* value) {
    // A star says that it is a tuple.
    const std::string word = std::string(name.text()) + (is<Constant>(value) ? "" : "*");
    std::vector<Literal> literals;
    if (!name || !collect_literals(value, literals)) refuse_options(*value);
    options.emplace_back(context_.symbol(word), std::move(literals));
  };
  if (it.arguments.size() == 2) add(context_.symbol("wrt"), it.arguments[1]);
  for (const Keyword* keyword : it.keywords) add(keyword->name, keyword->value);
  KnownFunction made;
  Thing function;
  const Callee* callee = function_value(it.arguments[0]);
  const Expr* value = callee == nullptr ? expression(it.arguments[0]) : nullptr;
  if (const KnownFunction* known = known_function(value); known != nullptr) callee = known->callee;
  if (callee != nullptr && callee->lexical == nullptr) {
    function = {.kind = ThingKind::UserFunction, .handle = callee->function};
    callee = nullptr;
  } else if (callee != nullptr) {
    Lifted lifted = lift(*callee, *it.arguments[0]);
    function = lifted.function;
    made.captured = std::move(lifted.captured);
    made.sees = callee;
  } else {
    const std::optional<Thing> thing = value != nullptr ? thing_of_core(value) : std::nullopt;
    if (!thing || thing->kind != ThingKind::UserFunction) {
      refuse(*it.arguments[0],
             "`" + print(it.function) + "` of `" + print(it.arguments[0]) +
                 "` inside a differentiated function is not supported: it is no plain function",
             "give it a function of the module, or one that is defined here");
    }
    function = *thing;
  }
  Thing gradient;
  try {
    gradient = functions_outside_.made_derivative(maker, function, options, context_);
  } catch (Diagnostic& diagnostic) {
    if (diagnostic.ranges.empty()) {
      const Ranges ranges = at(it);
      diagnostic.ranges.assign(ranges.begin(), ranges.end());
    }
    throw;
  }
  made.derivative = functions_outside_.derivative_of(gradient, context_);
  if (!made.derivative) refuse_options(it);
  return function_handle(std::move(made), "gradient", it.ranges);
}

// The call of a gradient: that of its emitted function, once it is known which that is.
const Expr* Lowering::call_derivative(const Call& it, const KnownFunction& known,
                                      Destination destination) {
  const DerivativeFacts& facts = *known.derivative;
  const Callee& primal = known.sees != nullptr ? *known.sees : callee_of(facts.function, it);
  const std::vector<Argument> all = arguments_of(it);
  std::vector<Argument> arguments = all;
  std::vector<const Expr*> tangents;
  if (facts.forward) {
    const std::size_t count = std::min(facts.wrt.size(), arguments.size());
    for (std::size_t k = arguments.size() - count; k < arguments.size(); ++k) {
      if (arguments[k].keyword || arguments[k].value == nullptr)
        refuse(it, "this call of a derivative is not supported", "pass its arguments by position");
      tangents.push_back(arguments[k].value);
    }
    arguments.resize(arguments.size() - count);
  }
  const std::vector<std::size_t> positions = match(it, primal, arguments);
  std::size_t count = 0;
  std::vector<const Expr*> given(primal.parameters.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Parameter& parameter = *primal.parameters[positions[k]];
    const bool positional = parameter.form == ParameterKind::Positional ||
                            parameter.form == ParameterKind::PositionalOnly;
    if (arguments[k].value == nullptr || !positional || is_known(arguments[k].value) ||
        object_of(arguments[k].value) != nullptr) {
      refuse(*arguments[k].written,
             "this argument of the gradient of " + quoted(primal.name) +
                 " is not supported inside a differentiated function",
             "pass numbers and arrays, to parameters that have a position");
    }
    given[positions[k]] = arguments[k].value;
    count = std::max(count, positions[k] + 1);
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (given[k] == nullptr) given[k] = default_of(it, primal, k);
  }
  given.resize(count);
  const std::size_t own = given.size();
  given.insert(given.end(), tangents.begin(), tangents.end());
  for (const Symbol name : known.captured) {
    Frame* const here = frame_;
    frame_ = primal.lexical;
    given.push_back(this->name(*context_.make<Name>(it.ranges, name, Scope::Unresolved)));
    frame_ = here;
  }
  // Numbers of files are other ones each time.
  std::string key = std::to_string(facts.gradient.handle) + "." + std::to_string(frame_->function);
  for (const SourceRange& range : at(it)) {
    key += ":" + std::to_string(range.line) + "." + std::to_string(range.column) + "." +
           std::to_string(range.end_column);
  }
  key += "#" + std::to_string(derivative_places_[key]++);
  const Thing emitted = functions_outside_.known_derivative(key, context_);
  if (emitted.kind != ThingKind::Missing) {
    std::vector<const Keyword*> keywords;
    for (std::size_t k = 0; k < known.captured.size(); ++k) {
      keywords.push_back(
          context_.make<Keyword>(it.ranges, known.captured[k], given[own + tangents.size() + k]));
    }
    const Exprs positional = context_.list(std::vector<const Expr*>(
        given.begin(), given.begin() + static_cast<std::ptrdiff_t>(own + tangents.size())));
    const auto* call = context_.make<Call>(it.ranges, it.function, Symbol(), positional,
                                           List<const Keyword*>(context_.list(keywords)));
    return inline_call(*call, callee_of(emitted, it), destination);
  }
  // What has the type of the result, until the types of these variables are known.
  DerivativeCall place;
  place.key = key;
  place.gradient = facts.gradient.handle;
  place.ranges = at(it);
  for (const Expr* value : given) {
    const Symbol symbol = names_.fresh("argument");
    emit(context_.assign(context_.local(symbol, it.ranges), value, at(it)));
    place.arguments.push_back(symbol);
  }
  const std::vector<Symbol> variables = place.arguments;
  functions_outside_.want_derivative(place);
  std::vector<const Expr*> parts;
  for (const int position : facts.wrt) {
    if (facts.forward) break;
    if (static_cast<std::size_t>(position) >= own)
      refuse(it, "this gradient is one for a parameter that the call leaves out", "pass it");
    parts.push_back(context_.make<BinaryOperation>(
        it.ranges, BinaryOperator::Multiply,
        context_.local(variables[static_cast<std::size_t>(position)], it.ranges),
        context_.make<Constant>(it.ranges, Literal{.kind = LiteralKind::Float, .number = 1.0})));
  }
  const auto value = [&]() -> const Expr* {
    std::vector<const Expr*> passed;
    for (std::size_t k = 0; k < own; ++k) passed.push_back(context_.local(variables[k], it.ranges));
    const auto* call = context_.make<Call>(it.ranges, it.function, Symbol(),
                                           Exprs(context_.list(passed)), List<const Keyword*>());
    const Expr* result = inline_call(*call, primal, {});
    if (!is<TupleDisplay>(result)) return result;
    refuse(it, "this derivative of a function that returns a tuple is not supported here",
           "let it return one value");
  };
  if (facts.forward) return value();
  const auto tuple = [&](const std::vector<const Expr*>& elements) -> const Expr* {
    return context_.make<TupleDisplay>(it.ranges, Exprs(context_.list(elements)));
  };
  if (facts.value_first) {
    const Expr* gradient = facts.single ? parts[0] : tuple(parts);
    return tuple({value(), gradient});
  }
  if (facts.value_last) parts.push_back(value());
  return facts.single && !facts.value_last ? parts[0] : tuple(parts);
}

// A function inside the function as one of the outside: what it sees of the variables around it
// are further parameters, the functions that it sees are written inside of it.
Lowering::Lifted Lowering::lift(const Callee& callee, const Node& where) {
  std::vector<Symbol> captured;
  std::vector<std::pair<Symbol, Thing>> held;
  std::vector<const Stmt*> definitions;
  std::vector<const Callee*> done;
  const auto refuse_name = [&](Symbol name) {
    refuse(where,
           "the gradient of " + quoted(callee.name) + ", which sees " + quoted(name) +
               ", is not supported inside a differentiated function",
           "pass " + quoted(name) + " as an argument of " + quoted(callee.name));
  };
  const auto definition = [&](const Callee& one, Symbol name,
                              const std::vector<const Parameter*>& parameters) {
    const bool plain = std::ranges::all_of(parameters, [](const Parameter* parameter) {
      return parameter->default_value == nullptr || is_literal(parameter->default_value);
    });
    if (!plain || facts_of(one).writes_outside) refuse_name(name);
    return context_.make<FunctionDefinition>(
        Ranges(), name, List<const Parameter*>(context_.list(parameters)), one.body, Exprs(),
        static_cast<const Expr*>(nullptr), false);
  };
  const auto look = [&](const auto& self, const Callee& one) -> void {
    if (std::ranges::find(done, &one) != done.end()) return;
    done.push_back(&one);
    std::vector<Symbol> names;
    for (const auto& [name, use] : facts_of(one).names) {
      if (!facts_of(one).is_local(name)) names.push_back(name);
    }
    std::ranges::sort(names, {}, [](Symbol symbol) { return symbol.text(); });
    for (const Symbol name : names) {
      Frame* const here = frame_;
      frame_ = one.lexical;
      Binding* binding = one.lexical != nullptr ? find_binding(name) : nullptr;
      frame_ = callee.lexical;
      const bool same = find_binding(name) == binding;
      frame_ = here;
      if (!same) refuse_name(name);
      if (binding == nullptr) {
        const Thing thing = look_up(one.function, name);
        if (one.function != callee.function && thing.kind != ThingKind::Missing)
          held.emplace_back(name, thing);
        continue;
      }
      const Callee* function = nullptr;
      const Expr* value = nullptr;
      switch (binding->form) {
        case Binding::Form::Function:
          function = binding->function;
          break;
        case Binding::Form::Value:
          value = binding->value;
          break;
        case Binding::Form::Variable: {
          const auto known = held_.find(binding->variable);
          if (known != held_.end() && known->second.form == Held::Form::Unclear) refuse_name(name);
          if (known != held_.end() && known->second.form == Held::Form::Known)
            value = known->second.value;
          if (object_names_.contains(binding->variable)) refuse_name(name);
          break;
        }
        default:
          refuse_name(name);
      }
      if (const KnownFunction* known = known_function(value)) {
        function = known->callee;
        if (function == nullptr) refuse_name(name);
      }
      if (function != nullptr && function->lexical == nullptr) {
        held.emplace_back(name,
                          Thing{.kind = ThingKind::UserFunction, .handle = function->function});
      } else if (function != nullptr) {
        self(self, *function);
        const List<const Parameter*> own = function->parameters;
        definitions.push_back(definition(*function, name, {own.begin(), own.end()}));
      } else if (value != nullptr && is_known_outside(value)) {
        held.emplace_back(name, *thing_of_core(value));
      } else if (value != nullptr && (is_known(value) || object_of(value) != nullptr)) {
        refuse_name(name);
      } else if (std::ranges::find(captured, name) == captured.end()) {
        captured.push_back(name);
      }
    }
  };
  look(look, callee);
  std::vector<const Parameter*> parameters(callee.parameters.begin(), callee.parameters.end());
  for (const Parameter* parameter : parameters) {
    if (parameter->form == ParameterKind::VariadicKeyword ||
        parameter->form == ParameterKind::VariadicPositional)
      refuse(where, "a gradient of a function with `*` or `**` is not supported here",
             "name its parameters");
  }
  for (const Symbol name : captured) {
    parameters.push_back(context_.make<Parameter>(Ranges(), name, ParameterKind::KeywordOnly,
                                                  static_cast<const Expr*>(nullptr),
                                                  static_cast<const Expr*>(nullptr)));
  }
  std::vector<const Stmt*> body = definitions;
  body.insert(body.end(), callee.body.begin(), callee.body.end());
  const Symbol name = is<Lambda>(callee.identity) ? context_.symbol("function") : callee.name;
  const auto* made = context_.make<FunctionDefinition>(
      Ranges(), name, List<const Parameter*>(context_.list(parameters)), context_.list(body),
      Exprs(), static_cast<const Expr*>(nullptr), false);
  definition(callee, name, {callee.parameters.begin(), callee.parameters.end()});
  const std::string text = print(context_.list<const Stmt*>({made})).text;
  const Thing around{.kind = ThingKind::UserFunction, .handle = callee.function};
  const Thing function = functions_outside_.lifted_function(around, text, held, context_);
  if (function.kind != ThingKind::UserFunction) {
    refuse(where,
           "the gradient of " + quoted(callee.name) +
               " is not supported inside a differentiated function",
           "define " + quoted(callee.name) + " outside of it");
  }
  return {.function = function, .captured = captured};
}

}  // namespace tangent::lowering
