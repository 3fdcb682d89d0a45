// Calls: what is called, and what becomes of it.
//
//   a library's function       stays a Call, with its qualified name as callee
//   a function of the user     inlined (inline.cpp)
//   a method of a value        stays a Call with an empty callee; inference settles it
//   anything else              refused
#include <algorithm>
#include <array>
#include <utility>

#include "lower/desugar.h"
#include "lower/lowering.h"
#include "lower/sets.h"
#include "syntax/places.h"
#include "syntax/printer.h"

namespace tangent::lowering {

namespace {

// Builtins that look at the names of the function they are in, or at its place.
constexpr std::array<std::string_view, 9> kReflecting = {
    "builtins.locals", "builtins.globals", "builtins.vars", "builtins.dir", "builtins.eval",
    "builtins.exec",   "builtins.super",   "builtins.iter", "builtins.next"};

constexpr std::array<std::string_view, 12> kCalmBuiltins = {
    "abs", "len", "float", "int", "bool", "min", "max", "sum", "round", "range", "pow", "tuple"};

// What to write in place of a library's function that is given a function of the user's.
std::string_view instead_of(std::string_view callee) {
  if (callee.starts_with("scipy.integrate.odeint") || callee.starts_with("scipy.integrate.solve"))
    return "use `tangent.odeint(func, y0, ts, args)`, which is differentiated with the function";
  if (callee.starts_with("scipy.integrate."))
    return "sum over the nodes of `np.polynomial.legendre.leggauss`";
  if (callee.starts_with("scipy.optimize."))
    return "take Newton's steps in a loop: `x = x - g(x) / tangent.grad(g)(x)`";
  return "write the computation out";
}

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_calm(Symbol callee) {
  const std::string_view name = callee.text();
  if (name.starts_with("builtins.")) return among(kCalmBuiltins, name.substr(9));
  if (name.starts_with("numpy."))
    return !name.starts_with("numpy.random") && !writes_arguments(name);
  return name.starts_with("math.");
}

const Expr* Lowering::call(const Call& it, Destination destination) {
  const Expr* function = it.function;
  const bool raised = std::exchange(in_raise_, false);
  if (const auto* name = as<Name>(function); name != nullptr && name->symbol.text() == kEnter)
    return entered(it);
  if (const auto* name = as<Name>(function); name != nullptr && name->scope == Scope::Unresolved &&
                                             name->symbol.text().starts_with(kHelper))
    return helper_call(it, name->symbol);
  if (is_try_marker(function)) return try_marker(it);
  if (const Callee* local = function_value(function)) {
    return called_function(it, *local, destination);
  }
  const auto* method = as<Attribute>(function);
  if (method != nullptr && is_super(method->value)) return call_super(it, *method, destination);
  if (const auto* name = as<Name>(function); name != nullptr && name->scope != Scope::Unresolved) {
    if (Object* object = subject_of(name))
      return call_method(it, name, *object, context_.symbol("__call__"), destination);
    if (known_function(name) != nullptr) return call_known(it, name, destination);
  } else if (name != nullptr) {
    const Binding* binding = find_binding(name->symbol);
    if (binding != nullptr &&
        (binding->form == Binding::Form::Variable || binding->form == Binding::Form::Value)) {
      const Expr* value = this->name(*name);
      if (Object* object = subject_of(value))
        return call_method(it, value, *object, context_.symbol("__call__"), destination);
      const bool path = binding->form == Binding::Form::Value && is_known_outside(value);
      if (!path && is_known(value)) return call_known(it, value, destination);
    }
    if (binding != nullptr &&
        (binding->form == Binding::Form::Variable || binding->form == Binding::Form::Unset)) {
      refuse(it,
             "calling `" + std::string(name->symbol.text()) +
                 "`, a value of this function, is not supported yet",
             "call a function by the name under which it is defined");
    }
    if (binding != nullptr && binding->form == Binding::Form::OutOfReach) this->name(*name);
  }
  const std::optional<Thing> thing = thing_of(function);
  if (!thing) {
    if (method != nullptr) {
      if (const Expr* value = frozen_distribution(it, *method, destination)) return value;
      return method_call(it, *method, destination);
    }
    if (is<Name>(function)) this->name(static_cast<const Name&>(*function));
    const Expr* value = expression(function);
    if (is_known(value) || subject_of(value) != nullptr) return call_known(it, value, destination);
    refuse(it, "calling the result of an expression is not supported yet",
           "call a function by the name under which it is defined");
  }
  switch (thing->kind) {
    case ThingKind::Missing:
      refuse(it, "`" + print(function) + "` is not defined: its gradient cannot be found",
             "define or import it before `tangent.grad` is called", DiagnosticKind::UnresolvedCall);
    case ThingKind::Module:
      if (thing->qualified_name.text().starts_with("scipy.stats.")) {
        // d = norm(m, s): its methods are those of norm, with the parameters behind.
        KnownFunction frozen;
        frozen.base = expression(function);
        for (const Argument& argument : arguments_of(it)) {
          if (argument.value == nullptr)
            refuse(it, "a function is no parameter of a distribution", "pass numbers or arrays");
          const Expr* value = kept_known(argument.value, at(it));
          if (argument.keyword) {
            frozen.keywords.emplace_back(argument.keyword, value);
          } else {
            frozen.arguments.push_back(value);
          }
        }
        return function_handle(std::move(frozen), "distribution", it.ranges);
      }
      refuse(it, "`" + print(function) + "` is a module and cannot be called",
             "call one of its functions", DiagnosticKind::UnresolvedCall);
    case ThingKind::Library:
      return library_call(it, *thing, destination);
    case ThingKind::UserFunction:
      if (!it.arguments.empty() && is_of_module(*thing, "replace", "dataclasses")) {
        const Expr* self = nullptr;
        Object* object = named_object(it.arguments[0], &self);
        const Symbol after = context_.symbol("__post_init__");
        if (object != nullptr && object->outer == nullptr &&
            facts_of_class(object->type).is_dataclass &&
            member_of(object->type, -1, after).form == Member::Form::Missing &&
            std::ranges::all_of(facts_of_class(object->type).fields,
                                &DataclassField::in_constructor))
          return replaced_tuple(it, self, *object);
      }
      for (const std::string_view ours : {"grad", "value_and_grad", "jvp"}) {
        if (is_of_module(*thing, ours, "tangent")) return make_derivative(it, *thing);
      }
      for (const std::string_view ours : {"vjp", "autodiff", "jacobian", "hessian", "hvp"}) {
        if (!is_of_module(*thing, ours, "tangent")) continue;
        refuse(it,
               "`" + print(it.function) + "` inside a differentiated function is not supported yet",
               "use `tangent.grad`, or differentiate the outer function again");
      }
      return called_function(it, callee_of(*thing, it), destination);
    case ThingKind::UserClass:
      if (raised) return library_call(it, *thing, destination);
      if (is_of_module(*thing, "partial", "functools")) return partial(it);
      if (const Expr* list = iterator_call(it, *thing, destination)) return list;
      return make_object(it, *thing, destination);
    case ThingKind::BoundMethod:
      if (method != nullptr) {
        const std::optional<Thing> owner = thing_of(method->value);
        if (owner && owner->kind == ThingKind::UserClass) {
          const Member& member = member_of(*owner, -1, method->attribute);
          if (member.form == Member::Form::ClassMethod)
            return inline_call(it, callee_of(member.thing, it), destination,
                               {.self = expression(method->value), .owner = member.owner});
        }
      }
      refuse(it,
             "`" + print(function) + "(…)` is a method of an object, which is not supported yet",
             "write it as a function that takes the values it needs");
    case ThingKind::Value:
      if (const Expr* held = value_of_outside(*thing, describe(function), it.function->ranges))
        return call_known(it, held, destination);
      if (method != nullptr) return method_call(it, *method, destination);
      if (const Expr* outer = outer_object(*thing, expression(function)))
        return call_method(it, outer, *object_of(outer), context_.symbol("__call__"), destination);
      refuse(it, "calling the object `" + print(function) + "` is not supported yet",
             "call a function by the name under which it is defined");
  }
  throw InternalError("a thing of no kind");
}

// A call that an earlier step put in place of a construct.
const Expr* Lowering::helper_call(const Call& it, Symbol helper) {
  std::vector<const Expr*> values(it.arguments.size());
  operands(it.arguments, values);
  const Thing runtime = outside_.module("tangent.runtime", context_);
  if (runtime.kind != ThingKind::Module)
    throw InternalError("the helpers of tangent.runtime are not there");
  const Expr* helpers = imported_name(runtime, context_.symbol("runtime"), false, it.ranges);
  const Expr* path = context_.make<Attribute>(
      it.ranges, helpers, context_.symbol(helper.text().substr(kHelper.size())));
  return context_.make<Call>(it.ranges, path, helper, Exprs(context_.list(values)),
                             List<const Keyword*>());
}

const Expr* Lowering::library_call(const Call& it, const Thing& thing, Destination destination) {
  const std::string_view name = thing.qualified_name.text();
  if (name.starts_with("tangent.") && !name.starts_with("tangent.runtime.")) {
    refuse(it, "`" + print(it.function) + "` inside a differentiated function is not supported yet",
           "differentiate the outer function again instead");
  }
  // A check of what a backward function of the user's returned: it has been made.
  if (name == "tangent.runtime._parts" && !it.arguments.empty()) return expression(it.arguments[0]);
  // A tape of a gradient is a list, wherever it lies.
  if (name == "tangent.runtime._tape_on_disk") {
    tapes_on_disk_ = true;
    return context_.make<ListDisplay>(it.ranges, Exprs());
  }
  if (among(kReflecting, name)) {
    refuse(it, "`" + print(it.function) + "` is not supported", "use plain names and loops");
  }
  if (name == "builtins.getattr" && it.arguments.size() == 2 && it.keywords.empty()) {
    // getattr(x, 'real') is x.real.
    const auto* attribute = as<Constant>(it.arguments[1]);
    if (attribute != nullptr && attribute->value.kind == LiteralKind::String)
      return expression(context_.make<Attribute>(it.ranges, it.arguments[0],
                                                 context_.symbol(attribute->value.text)));
  }
  if (name.starts_with("builtins.")) {
    if (const Expr* value = of_builtin(it, name.substr(9))) return value;
  }
  // A value, never a return or assignment in place: no value means that it is another function.
  Destination as_value;
  if (destination.form == Destination::Form::Value) as_value = destination;
  if (destination.form == Destination::Form::Name) as_value.wish = destination.name.text();
  if (const Expr* value = library_loop(it, name, as_value)) return value;
  if (const Expr* value = distribution(it, name, as_value)) return value;
  if (const Expr* value = ufunc_method(it, name, as_value)) return value;
  if (const Expr* value = written_function(it, name, as_value)) return value;
  if (const Expr* written = written_by(it, thing.qualified_name, destination)) return written;
  refuse_write_in_place(it, thing.qualified_name);
  const bool filters = name == "builtins.filter";
  const bool maps = name == "builtins.map" && it.arguments.size() >= 2;
  if (((filters && it.arguments.size() == 2) || maps) && it.keywords.empty() &&
      consumed_.contains(&it) && !is<Constant>(it.arguments[0])) {
    return mapped(it, filters);
  }
  if (name == "builtins.dict" && it.arguments.size() == 1 && it.keywords.empty()) {
    // dict(zip(ks, vs)) is {k: v for k, v in zip(ks, vs)}.
    const auto* pairs = as<Call>(it.arguments[0]);
    const std::optional<Thing> zip = pairs != nullptr ? thing_of(pairs->function) : std::nullopt;
    if (zip && zip->qualified_name.text() == "builtins.zip" && pairs->arguments.size() == 2 &&
        pairs->keywords.empty()) {
      const auto written = [&](std::string_view wish) {
        return static_cast<const Expr*>(
            context_.make<Name>(it.ranges, names_.fresh(wish), Scope::Unresolved));
      };
      const Expr* key = written("key");
      const Expr* value = written("value");
      const Expr* target =
          context_.make<TupleDisplay>(it.ranges, context_.list<const Expr*>({key, value}));
      const auto* generator =
          context_.make<Generator>(it.ranges, target, it.arguments[0], Exprs(), false);
      return comprehension(
          *context_.make<Comprehension>(it.ranges, ComprehensionKind::Dictionary, key, value,
                                        context_.list<const Generator*>({generator})),
          destination);
    }
  }
  if (name == "builtins.dict" && it.arguments.empty() &&
      std::ranges::all_of(it.keywords,
                          [](const Keyword* keyword) { return bool(keyword->name); })) {
    // dict(a=x) is {'a': x}.
    std::vector<const Expr*> keys;
    std::vector<const Expr*> values;
    for (const Keyword* keyword : it.keywords) {
      keys.push_back(context_.make<Constant>(
          keyword->ranges, Literal{.kind = LiteralKind::String, .text = keyword->name.text()}));
      values.push_back(keyword->value);
    }
    return dictionary(
        *context_.make<Dictionary>(it.ranges, context_.list(keys), context_.list(values)));
  }
  return settled_call(plain_call(it, nullptr, thing.qualified_name));
}

// xs.append(e) and xs.pop() of a variable of the function, or of a list in it: a statement of its
// own.
bool Lowering::changes_list(const Call& it, const Attribute& method, const Expr* receiver) {
  const Name* local = root_of(receiver);
  if (local == nullptr || local->scope != Scope::Local || !it.keywords.empty()) return false;
  const std::string_view name = method.attribute.text();
  return (name == "append" && it.arguments.size() == 1) || (name == "pop" && it.arguments.empty());
}

const Expr* Lowering::method_call(const Call& it, const Attribute& method,
                                  Destination destination) {
  const Expr* receiver = entry_by_default(method.value);
  if (receiver == nullptr) receiver = expression(method.value);
  if (Object* object = subject_of(receiver))
    return call_method(it, receiver, *object, method.attribute, destination);
  if (const KnownFunction* known = known_function(receiver);
      known != nullptr && known->base != nullptr) {
    const std::optional<Thing> base = thing_of_core(known->base);
    if (!base || base->kind != ThingKind::Module)
      refuse(it, "a function has no method `" + std::string(method.attribute.text()) + "`",
             "call the function");
    const KnownFunction frozen = *known;
    std::vector<const Expr*> arguments(it.arguments.begin(), it.arguments.end());
    for (const Expr* value : frozen.arguments) arguments.push_back(copy(value, it.ranges));
    std::vector<const Keyword*> keywords(it.keywords.begin(), it.keywords.end());
    for (const auto& [name, value] : frozen.keywords)
      keywords.push_back(context_.make<Keyword>(it.ranges, name, copy(value, it.ranges)));
    const Expr* path =
        context_.make<Attribute>(method.ranges, copy(frozen.base, method.ranges), method.attribute);
    return call(*context_.make<Call>(it.ranges, path, Symbol(), Exprs(context_.list(arguments)),
                                     List<const Keyword*>(context_.list(keywords))),
                destination);
  }
  if (const Expr* value = known_dict_method(it, receiver, method.attribute)) return value;
  if (changes_list(it, method, receiver)) {
    const Expr* call = plain_call(it, method.value, Symbol(), receiver);
    if (method.attribute.text() == "append") call = appended(static_cast<const Call&>(*call));
    if (destination.form != Destination::Form::Value) return call;
    if (method.attribute.text() == "pop") return bind_temporary(call, "item", it.ranges);
    refuse(it, "the result of `append` is None", "append in a statement of its own",
           DiagnosticKind::WriteInPlace);
  }
  if (changes_dict(it, method)) return changed_dict(it, method, destination);
  // `v, i = x.sort(0)` of a tensor: what gives a value is not the method of a list.
  const bool sorts =
      method.attribute.text() == "sort" && destination.form == Destination::Form::Value;
  if (!sorts && rebinds_list(it, method)) return list_method(it, method, destination);
  const std::optional<Thing> owner = thing_of(method.value);
  if (owner && owner->kind == ThingKind::Value) {
    const Type type = outside_.type_of(*owner, context_.arena());
    if (type.kind == TypeKind::Opaque || type.kind == TypeKind::Unknown) {
      if (const Expr* outer = outer_object(*owner, receiver))
        return call_method(it, outer, *object_of(outer), method.attribute, destination);
      refuse(it,
             "`" + print(it.function) +
                 "(…)` is a method of an object, which is not supported "
                 "yet",
             "write it as a function that takes the values it needs");
    }
  }
  const std::string_view called = method.attribute.text();
  if (called == "fill" && it.arguments.size() == 1 && it.keywords.empty() && is_place(receiver)) {
    const std::size_t mark = out_->size();
    const Expr* value = expression(it.arguments[0]);
    if (out_->size() > mark) protect({&receiver, 1}, mark);
    set_elements(receiver, value, it.ranges);
    return context_.none(it.ranges);
  }
  if (!sorts && is_writing_method(called)) {
    refuse(it,
           "`." + std::string(method.attribute.text()) +
               "()` writes in place, which is not supported yet",
           "build a new value instead (np.where, np.concatenate, np.stack)",
           DiagnosticKind::WriteInPlace);
  }
  refuse_write_in_place(it, Symbol());
  return plain_call(it, method.value, Symbol(), receiver);
}

// A call that stays one. `receiver`: the value whose method is called.
const Expr* Lowering::plain_call(const Call& it, const Expr* receiver, Symbol callee,
                                 const Expr* lowered) {
  const Expr* function =
      lowered != nullptr ? lowered : expression(receiver != nullptr ? receiver : it.function);
  if (const auto* path = as<Attribute>(function); path != nullptr && receiver == nullptr) {
    // Later steps take `value.name(x)` for a method, whose first argument is the value.
    const Expr* root = path;
    while (const auto* attribute = as<Attribute>(root)) root = attribute->value;
    const auto* name = as<Name>(root);
    const Object* object = object_of(root);
    const std::optional<Thing> owner = thing_of_core(path->value);
    const bool of_module =
        owner && owner->kind != ThingKind::Value && name != nullptr && name->scope == Scope::Global;
    if (!of_module && (object == nullptr || !object->is_argument)) {
      refuse(it, "calling `" + print(it.function) + "`, which a value holds, is not supported yet",
             "call the function by the name under which it is defined");
    }
  }
  const std::size_t mark = out_->size();
  const std::vector<Argument> arguments = arguments_of(it);
  if (out_->size() > mark && receiver != nullptr) protect({&function, 1}, mark);
  if (receiver != nullptr) {
    function = context_.make<Attribute>(it.function->ranges, function,
                                        static_cast<const Attribute*>(it.function)->attribute);
  }
  std::vector<const Expr*> positional;
  std::vector<const Keyword*> keywords;
  positional.reserve(arguments.size());
  for (const Argument& argument : arguments) {
    if (argument.function != nullptr) {
      refuse(*argument.written,
             "passing a function of this function to `" + print(it.function) +
                 "` is not supported yet",
             std::string(instead_of(callee.text())));
    }
    if (argument.keyword) {
      // What `zip` does anyhow.
      const auto* constant = as<Constant>(argument.value);
      if (callee && callee.text() == "builtins.zip" && argument.keyword.text() == "strict" &&
          constant != nullptr && constant->value.kind == LiteralKind::False)
        continue;
      keywords.push_back(
          context_.make<Keyword>(argument.value->ranges, argument.keyword, argument.value));
    } else {
      positional.push_back(argument.value);
    }
  }
  return context_.make<Call>(it.ranges, function, callee, Exprs(context_.list(positional)),
                             List<const Keyword*>(context_.list(keywords)));
}

// The keys of a dict of this function that is bound once, to a display in front of the statement,
// and not mentioned in between.
std::vector<Symbol> Lowering::keys_of_dict(const Expr& written) {
  const auto* name = as<Name>(&written);
  const Binding* binding = name != nullptr ? find_binding(name->symbol) : nullptr;
  const NameUse* use = name != nullptr ? frame_->facts->find(name->symbol) : nullptr;
  if (binding == nullptr || binding->form != Binding::Form::Variable || use == nullptr ||
      use->writes != 1 || use->nested_writes > 0)
    return {};
  for (auto it = out_->rbegin(); it != out_->rend(); ++it) {
    const auto* assign = as<Assign>(*it);
    const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    if (target == nullptr || target->symbol != binding->variable) {
      if (mentions(*it, binding->variable)) return {};
      continue;
    }
    const auto* display = as<Dictionary>(assign->value);
    if (display == nullptr) return {};
    std::vector<Symbol> keys;
    for (const Expr* key : display->keys) {
      const auto* text = as<Constant>(key);
      if (text == nullptr || text->value.kind != LiteralKind::String) return {};
      keys.push_back(context_.symbol(text->value.text));
    }
    return keys;
  }
  return {};
}

// The arguments in the order in which Python evaluates them, *(…) and **{…} written out.
std::vector<Lowering::Argument> Lowering::arguments_of(const Call& it, const Callee* callee,
                                                       std::size_t before) {
  std::vector<Argument> arguments;
  arguments.reserve(it.arguments.size() + it.keywords.size());
  allow_generators(it);
  // Evaluated from left to right; what is bound to a name meanwhile is changed in place.
  std::vector<const Expr*> values;
  std::size_t evaluated = 0;
  const auto evaluate_up_to = [&](std::size_t count) {
    values.resize(count);
    for (; evaluated < count; ++evaluated) {
      Argument& argument = arguments[evaluated];
      const Expr*& value = values[evaluated];
      value = argument.value;
      const std::size_t mark = out_->size();
      if (value == nullptr) {
        argument.function = function_value(argument.written);
        if (argument.function == nullptr) value = expression(argument.written);
      }
      if (const KnownFunction* known = known_function(value);
          known != nullptr && known->callee != nullptr) {
        argument.function = known->callee;
        value = nullptr;
      }
      if (out_->size() > mark) protect(std::span(values).first(evaluated), mark);
    }
  };
  auto refuse_unpacking = [&](const Node& node) {
    refuse(node, "unpacking arguments of unknown number is not supported yet",
           "write the arguments out");
  };
  for (const Expr* written : it.arguments) {
    const auto* starred = as<Starred>(written);
    if (starred == nullptr) {
      arguments.push_back({.written = written});
      continue;
    }
    if (const auto* tuple = as<TupleDisplay>(starred->value)) {
      for (const Expr* element : tuple->elements) arguments.push_back({.written = element});
    } else if (const auto* list = as<ListDisplay>(starred->value)) {
      for (const Expr* element : list->elements) arguments.push_back({.written = element});
    } else {
      // A *args of an inlined function, whose elements are names and constants.
      const auto* name = as<Name>(starred->value);
      if (name != nullptr && find_binding(name->symbol) != nullptr) {
        if (const auto elements = elements_of_tuple(this->name(*name))) {
          for (const Expr* element : *elements)
            arguments.push_back({.written = written, .value = element});
          continue;
        }
      }
      const Binding* binding = name != nullptr ? find_binding(name->symbol) : nullptr;
      const auto* tuple = binding != nullptr && binding->form == Binding::Form::Value
                              ? as<TupleDisplay>(binding->value)
                              : nullptr;
      if (tuple == nullptr) {
        if (const auto parts = callee != nullptr ? spread(it, *starred, callee, before)
                                                 : std::vector<const Expr*>();
            !parts.empty()) {
          for (const Expr* part : parts) arguments.push_back({.written = written, .value = part});
          continue;
        }
        // What stands before it is evaluated before it.
        evaluate_up_to(arguments.size());
        const std::size_t mark = out_->size();
        const Expr* value = expression(starred->value);
        std::vector<std::string_view> names;
        for (const Parameter* parameter :
             callee != nullptr ? callee->parameters : List<const Parameter*>()) {
          if (parameter->form == ParameterKind::Positional ||
              parameter->form == ParameterKind::PositionalOnly)
            names.push_back(parameter->name.text());
        }
        names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                       names.size(), before + arguments.size())));
        const auto parts = elements_of_known_length(*starred, value, names, at(it));
        if (!parts) refuse_unpacking(*written);
        if (out_->size() > mark) protect(std::span(values).first(evaluated), mark);
        for (const Expr* part : *parts) arguments.push_back({.written = written, .value = part});
        continue;
      }
      if (tuple == nullptr) refuse_unpacking(*written);
      for (const Expr* element : tuple->elements) {
        arguments.push_back({.written = written, .value = copy(element, starred->ranges)});
      }
    }
  }
  for (const Keyword* keyword : it.keywords) {
    if (keyword->name) {
      arguments.push_back({.keyword = keyword->name, .written = keyword->value});
      continue;
    }
    const auto* dictionary = as<Dictionary>(keyword->value);
    if (const auto* name = as<Name>(keyword->value); name != nullptr && dictionary == nullptr) {
      // A **kwargs of an inlined function.
      const Binding* binding = find_binding(name->symbol);
      const auto* known = binding != nullptr && binding->form == Binding::Form::Value
                              ? as<Dictionary>(binding->value)
                              : nullptr;
      const std::vector<Symbol> keys =
          known == nullptr ? keys_of_dict(*keyword->value) : std::vector<Symbol>();
      if (known == nullptr && keys.empty()) {
        evaluate_up_to(arguments.size());
        if (unpack_known_keys(*keyword, arguments)) continue;
        refuse_unpacking(*keyword);
      }
      for (const Symbol key : keys) {
        const Expr* index = context_.make<Constant>(
            keyword->ranges, Literal{.kind = LiteralKind::String, .text = key.text()});
        arguments.push_back(
            {.keyword = key,
             .written = context_.make<Subscript>(keyword->ranges, keyword->value, index)});
      }
      for (std::size_t i = 0; known != nullptr && i < known->keys.size(); ++i) {
        const std::string_view text = static_cast<const Constant*>(known->keys[i])->value.text;
        arguments.push_back({.keyword = context_.symbol(text),
                             .written = keyword->value,
                             .value = copy(known->values[i], keyword->ranges)});
      }
      continue;
    }
    if (dictionary == nullptr) {
      evaluate_up_to(arguments.size());
      if (unpack_known_keys(*keyword, arguments)) continue;
      refuse_unpacking(*keyword);
    }
    for (std::size_t i = 0; i < dictionary->keys.size(); ++i) {
      const auto* key = as<Constant>(dictionary->keys[i]);
      if (key == nullptr || key->value.kind != LiteralKind::String) refuse_unpacking(*keyword);
      arguments.push_back(
          {.keyword = context_.symbol(key->value.text), .written = dictionary->values[i]});
    }
  }
  evaluate_up_to(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].value = values[i];
  return arguments;
}

// f(**d) of a dict of an argument, of a display, or of what holds functions: by its keys.
bool Lowering::unpack_known_keys(const Keyword& keyword, std::vector<Argument>& arguments) {
  const Expr* value = expression(keyword.value);
  if (const auto* display = as<Dictionary>(value)) {
    for (std::size_t k = 0; k < display->keys.size(); ++k) {
      const auto* key = as<Constant>(display->keys[k]);
      if (key == nullptr || key->value.kind != LiteralKind::String) return false;
      arguments.push_back({.keyword = context_.symbol(key->value.text),
                           .written = keyword.value,
                           .value = display->values[k]});
    }
    return true;
  }
  const auto path = path_of_argument(value);
  if (!path) return false;
  const auto keys = functions_outside_.argument_keys(path->first, path->second, context_);
  if (!keys) return false;
  for (const Symbol key : *keys) {
    const Expr* index = context_.make<Constant>(
        keyword.ranges, Literal{.kind = LiteralKind::String, .text = key.text()});
    arguments.push_back(
        {.keyword = key,
         .written = keyword.value,
         .value = context_.make<Subscript>(keyword.ranges, copy(value, {}), index)});
  }
  return true;
}

// f(*xs) of a function that takes a known number of arguments: `a, b = xs`, f(a, b).
std::vector<const Expr*> Lowering::spread(const Call& it, const Starred& starred,
                                          const Callee* callee, std::size_t before) {
  std::size_t taken = before;
  std::size_t wanted = 0;
  std::vector<std::string_view> names;
  for (const Expr* written : it.arguments) {
    const bool spreads = is<Starred>(written);
    if (spreads && written != &starred) return {};
    taken += spreads ? 0 : 1;
  }
  for (const Keyword* keyword : it.keywords) {
    if (!keyword->name) return {};
  }
  // What stands before it is evaluated before it.
  if (it.arguments[0] != &starred &&
      !std::ranges::all_of(it.arguments.first(it.arguments.size() - 1),
                           [](const Expr* e) { return is<Name>(e) || is<Constant>(e); }))
    return {};
  for (const Parameter* parameter : callee->parameters) {
    if (parameter->form == ParameterKind::VariadicPositional) return {};
    if (parameter->form != ParameterKind::Positional &&
        parameter->form != ParameterKind::PositionalOnly)
      continue;
    const bool by_name = std::ranges::any_of(
        it.keywords, [&](const Keyword* keyword) { return keyword->name == parameter->name; });
    if (by_name) continue;
    if (parameter->default_value != nullptr) return {};
    ++wanted;
    if (wanted > taken) names.push_back(parameter->name.text());
  }
  if (names.size() < 2) return {};
  const Expr* value = expression(starred.value);
  std::vector<const Expr*> targets;
  std::vector<const Expr*> parts;
  for (const std::string_view name : names) {
    const Symbol symbol = names_.fresh(name);
    targets.push_back(context_.local(symbol, starred.ranges));
    parts.push_back(context_.local(symbol, starred.ranges));
  }
  emit(context_.assign(context_.make<TupleDisplay>(starred.ranges, Exprs(context_.list(targets))),
                       value, at(it)));
  return parts;
}

// ---------------------------------------------------------------------------------------------------
// Names of the outside

Thing Lowering::look_up(ThingHandle function, Symbol name) {
  const auto [place, added] = looked_up_.try_emplace(Query{function, name});
  if (added) place->second = outside_.lookup(function, name, context_);
  return place->second;
}

Thing Lowering::attribute_of(const Thing& thing, Symbol name) {
  const auto [place, added] = attributes_.try_emplace(Query{thing.handle, name});
  if (added) place->second = outside_.attribute(thing, name, context_);
  return place->second;
}

// What a path of names means; nothing if it does not start at a global. Attributes of values are
// not looked up: what an array or object answers may be made anew each time.
std::optional<Thing> Lowering::thing_of(const Expr* written) {
  if (const auto* name = as<Name>(written)) {
    if (name->scope != Scope::Unresolved) return thing_of_core(name);
    const Binding* binding = find_binding(name->symbol);
    if (binding == nullptr) return look_up(frame_->function, name->symbol);
    if (binding->form == Binding::Form::Value) return thing_of_core(binding->value);
    if (binding->form == Binding::Form::Variable) {
      const auto held = held_.find(binding->variable);
      if (held != held_.end() && held->second.form == Held::Form::Known)
        return thing_of_core(held->second.value);
    }
    return std::nullopt;
  }
  if (const auto* attribute = as<Attribute>(written)) {
    const std::optional<Thing> owner = thing_of(attribute->value);
    if (!owner || owner->kind == ThingKind::Value) {
      // A function that an object of the outside holds, whose path is lowered already.
      const Expr* root = attribute->value;
      while (const auto* path = as<Attribute>(root)) root = path->value;
      const auto* name = as<Name>(root);
      if (name == nullptr || name->scope == Scope::Unresolved) return std::nullopt;
      return function_in_argument(written);
    }
    if (owner->kind == ThingKind::Missing) return owner;
    return attribute_of(*owner, attribute->attribute);
  }
  return std::nullopt;
}

std::optional<Thing> Lowering::thing_of_core(const Expr* core) {
  if (const auto* name = as<Name>(core)) {
    if (name->scope != Scope::Global) return function_in_argument(name);
    return globals_[global_index_.at(name->symbol)].thing;
  }
  if (const auto* attribute = as<Attribute>(core)) {
    const std::optional<Thing> owner = thing_of_core(attribute->value);
    if (!owner || owner->kind == ThingKind::Value) return function_in_argument(core);
    if (owner->kind == ThingKind::Missing) return owner;
    return attribute_of(*owner, attribute->attribute);
  }
  return std::nullopt;
}

// A global under the user's name, or under an alias where a local or another object has that name.
const Name* Lowering::global(Symbol name, Ranges ranges) {
  const ThingHandle function = frame_->function;
  const auto [place, added] = printed_.try_emplace(Query{function, name});
  if (!added) return context_.global(place->second, ranges);
  const Thing thing = look_up(function, name);
  Symbol printed = name;
  const Frame& top = *root_;
  // A local name that an import or `sin = np.sin` binds is no variable of the core program.
  auto stands_for_global = [&](Symbol local) {
    const auto found = top.bindings.find(local);
    return found != top.bindings.end() && found->second.form == Binding::Form::Value;
  };
  auto same = [&](const Thing& other) {
    return other.kind == thing.kind && other.handle == thing.handle;
  };
  const auto known = global_index_.find(name);
  if (known != global_index_.end()) {
    const bool is_variable = top.facts->is_local(name) && !stands_for_global(name);
    if (same(globals_[known->second].thing) && !is_variable) {
      place->second = name;
      return context_.global(name, ranges);
    }
    printed = names_.fresh(name.text());
  } else if (function != top.function && names_.is_taken(name)) {
    // A name of the differentiated function is its own global, or a local of some function.
    const NameUse* use = top.facts->find(name);
    const bool free = use != nullptr && !top.facts->is_local(name);
    if (!free || !same(look_up(top.function, name))) printed = names_.fresh(name.text());
  } else if (function == top.function && top.facts->is_local(name) && !stands_for_global(name)) {
    printed = names_.fresh(name.text());
  }
  names_.take(printed);
  place->second = printed;
  global_index_.emplace(printed, globals_.size());
  globals_.push_back({.printed = printed, .original = name, .function = function, .thing = thing});
  return context_.global(printed, ranges);
}

}  // namespace tangent::lowering
