// Functions, classes and modules as values: under local names, in tuples, lists and dicts, given
// back by functions, bound to arguments (functools.partial), chosen by a test or a key.
//
//     act = np.tanh if deep else relu        y = np.tanh(x) if deep else np.maximum(x, 0.0)
//     y = act(x)
//
// Such a value has no expression of its own in the core program: a variable that holds one is known
// to hold it, and what is read there is the value itself. Branches that leave a variable with
// different functions make a choice of both; what a loop would change is refused, because its body
// is lowered once. What a tuple, list or dict holds beside them gets a name when the display is
// evaluated, and is copied from there. A known value that is left in the end (given to a library,
// returned) is refused, unless it is a choice between global names, which can be written out.
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

bool same_held(const Held& a, const Held& b) {
  if (a.form != b.form) return false;
  return a.form != Held::Form::Known || equal(a.value, b.value);
}

}  // namespace

const Expr* Lowering::function_handle(KnownFunction function, std::string_view name,
                                      Ranges ranges) {
  // One function is one value.
  if (function.callee != nullptr) {
    for (const auto& [symbol, known] : functions_) {
      if (known.callee == function.callee) return context_.local(symbol, ranges);
    }
  }
  const Symbol handle = context_.symbol("<function " + std::string(name) + " " +
                                        std::to_string(functions_.size() + 1) + ">");
  functions_.emplace(handle, std::move(function));
  return context_.local(handle, ranges);
}

const KnownFunction* Lowering::known_function(const Expr* core) const {
  const auto* name = as<Name>(core);
  if (name == nullptr || name->scope != Scope::Local) return nullptr;
  const auto found = functions_.find(name->symbol);
  return found != functions_.end() ? &found->second : nullptr;
}

// A function, class or module, a choice of them, or what holds one of them or an object.
bool Lowering::is_known(const Expr* core) {
  if (core == nullptr) return false;
  const auto holds = [&](const Expr* e) { return is_known(e) || object_of(e) != nullptr; };
  switch (core->kind) {
    case Kind::Name:
      return known_function(core) != nullptr || is_known_outside(core);
    case Kind::Attribute:
    case Kind::Subscript:
      return is_known_outside(core);
    case Kind::Conditional: {
      const auto& it = static_cast<const Conditional&>(*core);
      return is_known(it.body) && is_known(it.orelse);
    }
    case Kind::TupleDisplay:
    case Kind::ListDisplay:
      return std::ranges::any_of(*display_elements(core), holds);
    case Kind::Dictionary:
      return std::ranges::any_of(static_cast<const Dictionary&>(*core).values, holds);
    default:
      return false;
  }
}

// Whether an argument is a function, class or module; its name is known to hold it.
bool Lowering::bind_function_argument(std::size_t parameter, Symbol name, Ranges ranges) {
  if (const Expr* container =
          container_argument(parameter, context_.local(name, ranges), {}, ranges)) {
    hold(name, {.form = Held::Form::Known, .value = container});
    return true;
  }
  const Thing thing = outside_.argument_thing(parameter, {}, context_);
  if (thing.kind == ThingKind::Missing) return false;
  argument_classes_.push_back({.parameter = parameter, .path = {}, .is_same = true});
  if (thing.kind == ThingKind::Module) {
    // Later steps would take `xp.sum(x)` for a method.
    hold(name, {.form = Held::Form::Known, .value = known_global(thing, name.text(), ranges)});
    return true;
  }
  held_outside_.emplace(std::string(name.text()), thing);
  hold(name, {.form = Held::Form::Known, .value = context_.local(name, ranges)});
  return true;
}

// What an argument, or a path of attributes of an object from outside, is known to be.
std::optional<Thing> Lowering::function_in_argument(const Expr* core) {
  if (held_outside_.empty() || (!is<Name>(core) && !is<Attribute>(core) && !is<Subscript>(core)))
    return std::nullopt;
  const auto found = held_outside_.find(print(core));
  if (found == held_outside_.end()) return std::nullopt;
  return found->second;
}

// The default of a parameter where it is a function, class, module or a plain number or text, as
// it was evaluated when the function was defined; null if it is something else.
const Expr* Lowering::known_default(const Callee& callee, const Parameter& parameter,
                                    Ranges ranges) {
  if (callee.function < 0 || callee.defaults_are_fresh) return nullptr;
  const Thing function{.kind = ThingKind::UserFunction, .handle = callee.function};
  const Thing value = outside_.default_value(function, parameter.name, context_);
  if (value.kind == ThingKind::Missing) return nullptr;
  if (const auto literal = outside_.literal_of(value, context_.arena()))
    return context_.make<Constant>(ranges, *literal);
  Frame& frame = frames_.emplace_back();
  static const ScopeFacts kNothing;
  frame.facts = &kNothing;
  frame.function = callee.function;
  Frame* const caller = frame_;
  frame_ = &frame;
  const std::optional<Thing> written = thing_of(parameter.default_value);
  const Expr* path = nullptr;
  if (written && written->kind == value.kind && written->handle == value.handle &&
      value.kind != ThingKind::Value)
    path = expression(parameter.default_value);
  frame_ = caller;
  return path;
}

// A known value as it is now, whatever becomes of the variables that it is made of.
const Expr* Lowering::kept_known(const Expr* value, Ranges ranges) {
  const auto kept = [&](Exprs elements) {
    std::vector<const Expr*> now;
    for (const Expr* element : elements) now.push_back(kept_known(element, ranges));
    return Exprs(context_.list(now));
  };
  if (Object* object = object_of(value)) {
    const Symbol symbol = names_.fresh(object->name);
    bind_object(symbol, value, ranges);
    return context_.local(symbol, value->ranges);
  }
  if (is<TupleDisplay>(value) || is<ListDisplay>(value)) {
    const Exprs elements = kept(*display_elements(value));
    if (is<TupleDisplay>(value)) return context_.make<TupleDisplay>(value->ranges, elements);
    return context_.make<ListDisplay>(value->ranges, elements);
  }
  if (const auto* dictionary = as<Dictionary>(value)) {
    return context_.make<Dictionary>(value->ranges, kept(dictionary->keys),
                                     kept(dictionary->values));
  }
  if (const auto* choice = as<Conditional>(value); choice != nullptr && is_known(choice)) {
    const Expr* test = kept_known(choice->test, ranges);
    return function_handle({.test = test,
                            .first = kept_known(choice->body, ranges),
                            .other = kept_known(choice->orelse, ranges)},
                           "choice", value->ranges);
  }
  if (is<Constant>(value) || is_known(value)) return copy(value, {});
  const Symbol symbol = names_.fresh(describe(value));
  attribute_variables_.insert(symbol);
  note_holding(symbol, holding_of(value), ranges);
  emit(context_.assign(context_.local(symbol, value->ranges), value, ranges));
  return context_.local(symbol, value->ranges);
}

// ---------------------------------------------------------------------------------------------------
// What variables hold

void Lowering::hold(Symbol symbol, Held held) {
  const auto found = held_.find(symbol);
  held_log_.emplace_back(symbol, found != held_.end() ? found->second : Held());
  held_[symbol] = held;
}

// What a variable is where it is read.
const Expr* Lowering::variable_value(Symbol symbol, const Node& where) {
  const auto held = held_.find(symbol);
  if (held != held_.end() && held->second.form == Held::Form::Known)
    return copy(held->second.value, where.ranges);
  if (held != held_.end() && held->second.form == Held::Form::Unclear) {
    refuse(where,
           quoted(symbol) + " holds a function or module only on some of the ways to this place",
           "bind it before the branch or loop");
  }
  if (object_names_.contains(symbol) && !objects_.contains(symbol)) {
    refuse(where, quoted(symbol) + " holds an object only in a branch or loop that has ended",
           "make the object before the branch or loop");
  }
  plain_reads_.insert(symbol);
  return context_.local(symbol, where.ranges);
}

// What has changed since the mark, taken back: a branch that has ended says nothing of the other.
Lowering::HeldChanges Lowering::release_held(std::size_t mark) {
  HeldChanges changes;
  for (std::size_t k = mark; k < held_log_.size(); ++k) {
    const auto& [symbol, before] = held_log_[k];
    if (std::ranges::find(changes, symbol, &HeldChange::symbol) != changes.end()) continue;
    changes.push_back({symbol, before, held_.at(symbol)});
  }
  held_log_.resize(mark);
  for (const HeldChange& change : changes) held_[change.symbol] = change.before;
  std::erase_if(changes,
                [](const HeldChange& change) { return same_held(change.before, change.after); });
  return changes;
}

// What was perhaps changed.
void Lowering::forget_held(const HeldChanges& changes) {
  for (const HeldChange& change : changes) hold(change.symbol, {.form = Held::Form::Unclear});
}

// A loop's body is lowered once: what it reads has to be the same in every round.
void Lowering::check_held_in_loop(const HeldChanges& changes, const Node& loop) {
  for (const auto& [symbol, before, after] : changes) {
    if (before.form == Held::Form::Known || plain_reads_.contains(symbol)) {
      refuse(loop,
             quoted(symbol) + " gets another function or module in a loop, which is not supported",
             "use a name of its own for each function");
    }
    hold(symbol, {.form = Held::Form::Unclear});
  }
}

// What variables hold after a branch; gives back its test, which a choice between functions keeps.
const Expr* Lowering::join_held(const Expr* test, const HeldChanges& body, bool body_leaves,
                                const HeldChanges& orelse, bool orelse_leaves, Ranges ranges) {
  std::vector<Symbol> symbols;
  for (const HeldChanges* changes : {&body, &orelse}) {
    for (const HeldChange& change : *changes) {
      if (std::ranges::find(symbols, change.symbol) == symbols.end())
        symbols.push_back(change.symbol);
    }
  }
  bool is_kept = false;
  for (const Symbol symbol : symbols) {
    const auto found = held_.find(symbol);
    const Held before = found != held_.end() ? found->second : Held();
    const auto after = [&](const HeldChanges& changes) {
      const auto change = std::ranges::find(changes, symbol, &HeldChange::symbol);
      return change != changes.end() ? change->after : before;
    };
    const Held first = after(body);
    const Held other = after(orelse);
    if (body_leaves && orelse_leaves) {
      hold(symbol, {.form = Held::Form::Unclear});
    } else if (body_leaves || same_held(first, other)) {
      hold(symbol, other);
    } else if (orelse_leaves) {
      hold(symbol, first);
    } else if (first.form == Held::Form::Known && other.form == Held::Form::Known &&
               display_elements(first.value) == nullptr && !is<Dictionary>(first.value) &&
               display_elements(other.value) == nullptr && !is<Dictionary>(other.value)) {
      if (!is_kept && !is<Constant>(test)) {
        const Symbol flag = names_.fresh("chosen");
        attribute_variables_.insert(flag);
        emit(context_.assign(context_.local(flag, ranges), test, ranges));
        test = context_.local(flag, ranges);
      }
      is_kept = true;
      hold(symbol, {.form = Held::Form::Known,
                    .value = function_handle(
                        {.test = copy(test, ranges), .first = first.value, .other = other.value},
                        symbol.text(), ranges)});
    } else {
      hold(symbol, {.form = Held::Form::Unclear});
    }
  }
  return test;
}

// ---------------------------------------------------------------------------------------------------
// Calls

// A call of a known value. Names that are lowered already stand in what is lowered here again.
const Expr* Lowering::call_known(const Call& it, const Expr* function, Destination destination) {
  if (Object* object = subject_of(function))
    return call_method(it, function, *object, context_.symbol("__call__"), destination);
  if (is<Conditional>(function)) function = kept_known(function, at(it));
  const KnownFunction* known = known_function(function);
  if (known == nullptr) {
    if (!is_known_outside(function)) {
      refuse(it, "`" + print(it.function) + "` cannot be called", "call a function",
             DiagnosticKind::UnresolvedCall);
    }
    return call(*context_.make<Call>(it.ranges, copy(function, it.function->ranges), Symbol(),
                                     it.arguments, it.keywords),
                destination);
  }
  if (known->callee != nullptr) return called_function(it, *known->callee, destination);
  if (known->derivative) return call_derivative(it, KnownFunction(*known), destination);
  if (known->base != nullptr) {
    std::vector<const Expr*> arguments;
    std::vector<const Keyword*> keywords;
    for (const Expr* value : known->arguments) arguments.push_back(copy(value, it.ranges));
    arguments.insert(arguments.end(), it.arguments.begin(), it.arguments.end());
    for (const auto& [name, value] : known->keywords) {
      const bool given = std::ranges::any_of(
          it.keywords, [&](const Keyword* keyword) { return keyword->name == name; });
      if (!given)
        keywords.push_back(context_.make<Keyword>(it.ranges, name, copy(value, it.ranges)));
    }
    keywords.insert(keywords.end(), it.keywords.begin(), it.keywords.end());
    return call(*context_.make<Call>(it.ranges, copy(known->base, it.function->ranges), Symbol(),
                                     Exprs(context_.list(arguments)),
                                     List<const Keyword*>(context_.list(keywords))),
                destination);
  }
  // A choice: the arguments are evaluated once, in front of it.
  const KnownFunction choice = *known;
  std::vector<Argument> arguments = arguments_of(it);
  for (Argument& argument : arguments) {
    if (argument.function != nullptr) {
      argument.value = function_handle({.callee = argument.function},
                                       argument.function->name.text(), argument.written->ranges);
    } else if (!is_simple(argument.value)) {
      argument.value = bind_temporary(argument.value, describe(argument.value), it.ranges);
    }
  }
  const auto with = [&](const Expr* chosen) -> const Expr* {
    std::vector<const Expr*> positional;
    std::vector<const Keyword*> keywords;
    for (const Argument& argument : arguments) {
      const Expr* value = copy(argument.value, {});
      if (argument.keyword) {
        keywords.push_back(context_.make<Keyword>(value->ranges, argument.keyword, value));
      } else {
        positional.push_back(value);
      }
    }
    return context_.make<Call>(it.ranges, copy(chosen, it.function->ranges), Symbol(),
                               Exprs(context_.list(positional)),
                               List<const Keyword*>(context_.list(keywords)));
  };
  return conditional(
      *context_.make<Conditional>(it.ranges, choice.test, with(choice.first), with(choice.other)),
      destination);
}

// functools.partial(f, …): what is given is evaluated now.
const Expr* Lowering::partial(const Call& it) {
  const std::vector<Argument> arguments = arguments_of(it);
  KnownFunction made;
  for (const Argument& argument : arguments) {
    const Expr* value =
        argument.function != nullptr
            ? function_handle({.callee = argument.function}, argument.function->name.text(),
                              argument.written->ranges)
            : kept_known(argument.value, at(it));
    if (argument.keyword) {
      made.keywords.emplace_back(argument.keyword, value);
    } else if (made.base == nullptr) {
      made.base = value;
    } else {
      made.arguments.push_back(value);
    }
  }
  if (made.base == nullptr || (!is_known(made.base) && object_of(made.base) == nullptr)) {
    refuse(it, "`" + print(it.function) + "` of what is not known to be a function",
           "name the function");
  }
  return function_handle(std::move(made), "partial", it.ranges);
}

bool looks_like_partial(const Call& it) {
  const auto* name = as<Name>(it.function);
  const auto* path = as<Attribute>(it.function);
  return (name != nullptr && name->symbol.text() == "partial") ||
         (path != nullptr && path->attribute.text() == "partial");
}

// Whether a class or function is the one of this name in a module of the standard library.
bool Lowering::is_of_module(const Thing& thing, std::string_view name, std::string_view module) {
  if (thing.qualified_name.text() != name) return false;
  const Thing held = attribute_of(thing, context_.symbol("__module__"));
  const auto text = outside_.literal_of(held, context_.arena());
  return text && text->kind == LiteralKind::String && text->text == module;
}

// ---------------------------------------------------------------------------------------------------
// What is left

// Choices between global names written out; every other known function that is left is refused.
Block Lowering::with_known_values(Block body) {
  if (functions_.empty()) return body;
  const auto written = [&](const auto& self, const Name& name) -> const Expr* {
    const KnownFunction* known = known_function(&name);
    if (known == nullptr) return &name;
    const auto arm = [&](const Expr* e) -> const Expr* {
      const auto* inner = as<Name>(e);
      if (inner != nullptr && inner->scope == Scope::Local) return self(self, *inner);
      return is_known_outside(e) ? copy(e, name.ranges) : nullptr;
    };
    if (known->test == nullptr) return nullptr;
    const Expr* first = arm(known->first);
    const Expr* other = arm(known->other);
    if (first == nullptr || other == nullptr) return nullptr;
    return context_.make<Conditional>(name.ranges, known->test, first, other);
  };
  const auto put = [&](const auto& self, const Node* node, Ranges statement) -> const Node* {
    if (const auto* name = as<Name>(node)) {
      if (known_function(name) == nullptr) return node;
      if (const Expr* value = written(written, *name)) return value;
      const KnownFunction& known = *known_function(name);
      const bool lambda = known.callee != nullptr && is<Lambda>(known.callee->identity);
      const std::string what =
          lambda ? "a lambda"
          : known.callee != nullptr
              ? "the local function " + quoted(known.callee->name)
              : (known.base != nullptr ? "a `functools.partial`" : "a choice between functions");
      throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                       what + " that is used as a value is not supported here",
                       name->ranges.empty() ? statement : name->ranges,
                       "call it, or pass it to a function of yours that calls it");
    }
    if (find_node(node, [&](const Node* part) {
          return is<Name>(part) && known_function(static_cast<const Expr*>(part)) != nullptr;
        }) == nullptr)
      return node;
    return rewrite_children(context_, *node, [&](const Node* child) {
      return self(self, child, is_statement(node->kind) ? node->ranges : statement);
    });
  };
  Statements out;
  for (const Stmt* statement : body)
    out.push_back(static_cast<const Stmt*>(put(put, statement, statement->ranges)));
  return context_.list(out);
}

}  // namespace tangent::lowering
