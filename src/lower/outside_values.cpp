// What values of the outside hold of functions: dicts, lists and tuples of a module, partial
// functions, arguments that are such containers.
//
//     ACTIVATIONS = {'relu': relu, 'tanh': np.tanh}       if kind not in ('relu', 'tanh'): raise …
//     y = ACTIVATIONS[kind](x)                            if kind == 'relu': … else: y = np.tanh(x)
//
// In: a thing, or a parameter. Out: the display that it is, whose functions are named as the text
// names them; known_values.cpp and known_containers.cpp do the rest. Which function an entry is was
// asked, so that a gradient notices an entry that is bound anew.
#include <algorithm>

#include "lower/argument_steps.h"
#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

// A function, class or module of the outside as the text can name it: as it does already, as the
// module of a library holds it, or by a name of its own.
const Expr* Lowering::known_global(const Thing& thing, std::string_view wish, Ranges ranges) {
  for (const GlobalBinding& binding : globals_) {
    if (binding.thing.kind == thing.kind && binding.thing.handle == thing.handle)
      return context_.global(binding.printed, ranges);
  }
  const std::string_view path = thing.qualified_name.text();
  const std::size_t dot = path.rfind('.');
  if (thing.kind == ThingKind::Library && dot != std::string_view::npos) {
    const Thing module = outside_.module(path.substr(0, dot), context_);
    const Symbol name = context_.symbol(path.substr(dot + 1));
    if (module.kind == ThingKind::Module) {
      const Thing held = attribute_of(module, name);
      if (held.handle == thing.handle && path.starts_with("builtins."))
        return imported_name(thing, name, !names_.is_taken(name), ranges);
      if (held.handle == thing.handle)
        return context_.make<Attribute>(ranges, known_global(module, {}, ranges), name);
    }
  }
  if (thing.kind == ThingKind::Module) {
    wish = path == "numpy" ? "np" : path.substr(dot == std::string_view::npos ? 0 : dot + 1);
    const Symbol usual = context_.symbol(wish);
    if (find_binding(usual) == nullptr) {
      const Thing held = look_up(frame_->function, usual);
      if (held.kind == thing.kind && held.handle == thing.handle) return global(usual, ranges);
    }
  }
  if (thing.kind == ThingKind::UserFunction || thing.kind == ThingKind::UserClass)
    wish = path == "<lambda>" ? wish : path;
  const Symbol name = context_.symbol(wish.empty() ? std::string_view("held") : wish);
  return imported_name(thing, name, !names_.is_taken(name), ranges);
}

// What an entry of a container is, where it is written: known, a number or text, or a value under a
// name of its own.
const Expr* Lowering::held_by_outside(const Thing& thing, std::string_view wish, Ranges ranges) {
  if (thing.kind != ThingKind::Value) return known_global(thing, wish, ranges);
  if (const auto literal = outside_.literal_of(thing, context_.arena()))
    return context_.make<Constant>(ranges, *literal);
  if (const Expr* known = value_of_outside(thing, wish, ranges)) return known;
  const Symbol name = context_.symbol(wish);
  const Expr* path = imported_name(thing, name, !names_.is_taken(name), ranges);
  if (const Expr* object = outer_object(thing, path)) return object;
  return path;
}

// The display of a container that holds functions, or a partial function; null for other values.
const Expr* Lowering::value_of_outside(const Thing& thing, std::string_view wish, Ranges ranges) {
  if (thing.kind != ThingKind::Value || thing.handle < 0 || plain_outside_.contains(thing.handle))
    return nullptr;
  if (auto facts = functions_outside_.derivative_of(thing, context_))
    return function_handle({.derivative = std::move(facts)}, "gradient", ranges);
  if (const auto made = functions_outside_.partial(thing, context_)) {
    KnownFunction known;
    known.base = held_by_outside(made->base, wish, ranges);
    for (const Thing& argument : made->arguments)
      known.arguments.push_back(held_by_outside(argument, std::string(wish) + "_argument", ranges));
    for (const auto& [name, value] : made->keywords)
      known.keywords.emplace_back(name, held_by_outside(value, name.text(), ranges));
    return function_handle(std::move(known), "partial", ranges);
  }
  const std::vector<Entry> entries = functions_outside_.entries(thing, context_);
  if (entries.empty()) {
    plain_outside_.insert(thing.handle);
    return nullptr;
  }
  std::vector<const Expr*> keys;
  std::vector<const Expr*> values;
  for (const Entry& entry : entries) {
    const bool named = entry.key.kind == LiteralKind::String && !entry.key.text.empty();
    keys.push_back(context_.make<Constant>(ranges, entry.key));
    values.push_back(held_by_outside(
        entry.value, named ? std::string(entry.key.text) : std::string(wish), ranges));
  }
  return display_of(entries.front().form, keys, values, ranges);
}

const Expr* Lowering::display_of(Entry::Form form, const std::vector<const Expr*>& keys,
                                 const std::vector<const Expr*>& values, Ranges ranges) {
  const Exprs elements = context_.list(values);
  if (form == Entry::Form::Tuple) return context_.make<TupleDisplay>(ranges, elements);
  if (form == Entry::Form::List) return context_.make<ListDisplay>(ranges, elements);
  return context_.make<Dictionary>(ranges, Exprs(context_.list(keys)), elements);
}

// An argument that is a container of functions is known by its entries; null if it is none.
const Expr* Lowering::container_argument(std::size_t parameter, const Expr* path,
                                         const std::vector<Symbol>& steps, Ranges ranges) {
  const std::vector<Entry> entries =
      functions_outside_.argument_entries(parameter, steps, context_);
  if (entries.empty()) return nullptr;
  count_argument(parameter, steps);
  std::vector<const Expr*> keys;
  std::vector<const Expr*> values;
  for (const Entry& entry : entries) {
    const bool named = entry.key.kind == LiteralKind::String;
    std::vector<Symbol> inner = steps;
    inner.push_back(context_.symbol(named ? "['" + std::string(entry.key.text) + "']"
                                          : "[" + std::to_string(entry.key.integer) + "]"));
    keys.push_back(context_.make<Constant>(ranges, entry.key));
    if (entry.value.kind != ThingKind::Value) {
      argument_classes_.push_back({.parameter = parameter, .path = inner, .is_same = true});
      values.push_back(known_global(entry.value, named ? entry.key.text : "held", ranges));
      continue;
    }
    const Expr* part = context_.make<Subscript>(ranges, copy(path, {}), copy(keys.back(), {}));
    held_outside_.emplace(print(part), Thing{.kind = ThingKind::Value});
    const Expr* container = container_argument(parameter, part, inner, ranges);
    values.push_back(container != nullptr ? container : part);
  }
  return display_of(entries.front().form, keys, values, ranges);
}

// What a path of the core is of an argument: its parameter, and the steps that lead there; nothing
// for what is no part of one, or of one that the function writes.
std::optional<std::pair<std::size_t, std::vector<Symbol>>> Lowering::path_of_argument(
    const Expr* core) {
  std::vector<Symbol> steps;
  while (!is<Name>(core)) {
    if (const auto* attribute = as<Attribute>(core)) {
      steps.push_back(attribute->attribute);
      core = attribute->value;
      continue;
    }
    const auto* subscript = as<Subscript>(core);
    const auto* key = subscript != nullptr ? as<Constant>(subscript->index) : nullptr;
    if (key == nullptr ||
        (key->value.kind != LiteralKind::String && key->value.kind != LiteralKind::Integer))
      return std::nullopt;
    steps.push_back(context_.symbol(key->value.kind == LiteralKind::String
                                        ? "['" + std::string(key->value.text) + "']"
                                        : "[" + std::to_string(key->value.integer) + "]"));
    core = subscript->value;
  }
  const auto& name = static_cast<const Name&>(*core);
  if (name.scope != Scope::Local || root_ != &frames_.front()) return std::nullopt;
  const List<const Parameter*> parameters = callees_.front().parameters;
  const auto found = std::ranges::find(parameters, name.symbol, &Parameter::name);
  if (found == parameters.end() || root_->facts->is_written(name.symbol)) return std::nullopt;
  const Parameter& parameter = **found;
  if (parameter.form == ParameterKind::VariadicKeyword) return std::nullopt;
  for (const Symbol step : steps) {
    // What is set may have another length.
    for (const std::string& set : known_.set_attributes) {
      if (set.ends_with("." + std::string(step.text()))) return std::nullopt;
    }
  }
  std::ranges::reverse(steps);
  return std::pair(static_cast<std::size_t>(found - parameters.begin()), std::move(steps));
}

namespace {

// Whether a statement of a body may change how many elements a variable has.
bool changes_length(Block body, Symbol variable) {
  static constexpr std::string_view kMethods[] = {"append", "extend", "insert",
                                                  "pop",    "remove", "clear"};
  const auto is_it = [&](const Expr* e) {
    while (const auto* subscript = as<Subscript>(e)) e = subscript->value;
    const auto* name = as<Name>(e);
    return name != nullptr && name->symbol == variable;
  };
  return std::ranges::any_of(body, [&](const Stmt* statement) {
    return find_node(statement, [&](const Node* node) {
             if (is<Delete>(node)) return mentions(node, variable);
             const auto* call = as<Call>(node);
             const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
             return method != nullptr && is_it(method->value) &&
                    std::ranges::find(kMethods, method->attribute.text()) != std::end(kMethods);
           }) != nullptr;
  });
}

// From where to where a slice by constants of so many elements goes.
std::optional<std::pair<std::int64_t, std::int64_t>> bounds_of(const Slice& slice,
                                                               std::int64_t whole) {
  const auto bound = [&](const Expr* e, std::int64_t otherwise) -> std::optional<std::int64_t> {
    if (e == nullptr) return otherwise;
    std::optional<std::int64_t> value = integer_literal(e);
    if (value && *value < 0) *value += whole;
    if (value) *value = std::clamp<std::int64_t>(*value, 0, whole);
    return value;
  };
  const auto first = bound(slice.lower, 0);
  const auto last = bound(slice.upper, whole);
  if (!first || !last) return std::nullopt;
  return std::pair(*first, std::max(*first, *last));
}

}  // namespace

// It counts how many elements a part of an argument has.
void Lowering::count_argument(std::size_t parameter, std::vector<Symbol> steps) {
  steps.push_back(context_.symbol(kLengthStep));
  argument_classes_.push_back({.parameter = parameter, .path = std::move(steps)});
}

// How many elements a value has, where this is known before the function is called.
std::optional<std::int64_t> Lowering::known_length(const Expr* core) {
  if (const Exprs* elements = display_elements(core))
    return static_cast<std::int64_t>(elements->size());
  if (const auto path = path_of_argument(core)) {
    const Symbol root = callees_.front().parameters[path->first]->name;
    if (changes_length(callees_.front().body, root)) return std::nullopt;
    const auto length = functions_outside_.argument_length(path->first, path->second);
    if (length) count_argument(path->first, path->second);
    return length;
  }
  if (const auto* subscript = as<Subscript>(core)) {
    const auto* slice = as<Slice>(subscript->index);
    if (slice == nullptr || slice->step != nullptr) return std::nullopt;
    const auto whole = known_length(subscript->value);
    if (!whole) return std::nullopt;
    const auto bounds = bounds_of(*slice, *whole);
    if (!bounds) return std::nullopt;
    return bounds->second - bounds->first;
  }
  const auto* name = as<Name>(core);
  if (name == nullptr) return std::nullopt;
  if (name->scope == Scope::Global) {
    const std::optional<Thing> thing = thing_of_core(name);
    if (!thing || thing->kind != ThingKind::Value) return std::nullopt;
    const Type type = outside_.type_of(*thing, context_.arena());
    if (type.kind != TypeKind::Tuple) return std::nullopt;
    return static_cast<std::int64_t>(type.elements.size());
  }
  // Bound in front of the statement to a display, and changed by appending at most.
  std::int64_t appended = 0;
  for (auto it = out_->rbegin(); it != out_->rend(); ++it) {
    const auto* assign = as<Assign>(*it);
    const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    if (target != nullptr && target->symbol == name->symbol) {
      const auto length = is<Name>(assign->value) ? std::nullopt : known_length(assign->value);
      if (!length) return std::nullopt;
      return *length + appended;
    }
    if (!mentions(*it, name->symbol)) continue;
    const auto* statement = as<ExpressionStatement>(*it);
    const auto* call = statement != nullptr ? as<Call>(statement->value) : nullptr;
    const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
    const auto* list = method != nullptr ? as<Name>(method->value) : nullptr;
    if (list == nullptr || list->symbol != name->symbol || method->attribute.text() != "append" ||
        call->arguments.size() != 1 || mentions(call->arguments[0], name->symbol))
      return std::nullopt;
    ++appended;
  }
  return std::nullopt;
}

// The elements of `*value` where their number is known; nothing where it is not. `names`: what they
// are called, as far as that is known.
std::optional<std::vector<const Expr*>> Lowering::elements_of_known_length(
    const Starred& starred, const Expr* value, std::span<const std::string_view> names,
    Ranges ranges) {
  if (const Exprs* display = display_elements(value))
    return std::vector<const Expr*>(display->begin(), display->end());
  if (auto elements = elements_of_tuple(value)) return elements;
  const auto length = known_length(value);
  if (!length || *length > kMostUnpacked) return std::nullopt;
  const auto count = static_cast<std::size_t>(*length);
  std::vector<const Expr*> targets;
  std::vector<const Expr*> parts;
  if (count == 0) return parts;
  if (const auto* subscript = as<Subscript>(value);
      subscript != nullptr && is<Slice>(subscript->index) && is<Name>(subscript->value)) {
    // The elements of what it is a slice of.
    const auto whole = known_length(subscript->value);
    const auto bounds = bounds_of(static_cast<const Slice&>(*subscript->index), whole.value_or(0));
    for (std::size_t k = 0; bounds && k < count; ++k) {
      parts.push_back(context_.make<Subscript>(
          starred.ranges, copy(subscript->value, {}),
          context_.integer(bounds->first + static_cast<std::int64_t>(k), starred.ranges)));
    }
    return parts;
  }
  if (count == 1) {
    parts.push_back(
        context_.make<Subscript>(starred.ranges, value, context_.integer(0, starred.ranges)));
    return parts;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Symbol symbol = names_.fresh(k < names.size() ? names[k] : std::string_view("item"));
    targets.push_back(context_.local(symbol, starred.ranges));
    parts.push_back(context_.local(symbol, starred.ranges));
  }
  emit(context_.assign(context_.make<TupleDisplay>(starred.ranges, Exprs(context_.list(targets))),
                       value, ranges));
  return parts;
}

}  // namespace tangent::lowering
