// The entry of lowering (lower.h), and the small helpers that its parts share (lowering.h).
#include "lower/lower.h"

#include <algorithm>

#include "lower/checkpoints.h"
#include "lower/copies.h"
#include "lower/default_dicts.h"
#include "lower/deques.h"
#include "lower/desugar.h"
#include "lower/fence.h"
#include "lower/final_checks.h"
#include "lower/item_changes.h"
#include "lower/lowering.h"
#include "lower/second_names.h"
#include "lower/sets.h"
#include "lower/transposes.h"
#include "lower/try_statements.h"
#include "lower/unbound.h"
#include "lower/verify.h"
#include "syntax/visit.h"

namespace tangent {

const GlobalBinding* CoreFunction::find_global(Symbol printed) const {
  const auto found = std::ranges::find(globals, printed, &GlobalBinding::printed);
  return found == globals.end() ? nullptr : &*found;
}

void check_syntax(const CapturedFunction& function) {
  lowering::refuse_unsupported(*function.definition);
}

namespace {

// What cannot be a function of its own is written out, and there are no calls.
void lower_with_calls(CoreFunction& core, const CapturedFunction& function, ThingHandle handle,
                      Outside& outside, Context& context, lowering::Known known) {
  while (true) {
    try {
      CoreFunction other = lowering::Lowering(outside, context, known).run(function, handle);
      verify_core(other);
      for (const CorePair& pair : other.pairs) verify_core(pair.core);
      if (!other.pairs.empty()) core.with_calls.push_back(std::move(other));
      return;
    } catch (const lowering::LowerAgain&) {
      continue;
    } catch (const Diagnostic&) {
      return;
    }
  }
}
// Each round knows one thing more than the one before.
constexpr int kMostLowerings = 2000;

}  // namespace

CoreFunction lower(const CapturedFunction& function, ThingHandle handle, Outside& outside,
                   RuleBook& /*rules*/, Context& context) {
  lowering::Known known;
  std::optional<Diagnostic> refused;
  for (int round = 0;; ++round) {
    if (round == kMostLowerings) throw InternalError("lowering does not come to an end");
    lowering::Lowering lowering(outside, context, known);
    try {
      CoreFunction core = lowering.run(function, handle);
      verify_core(core);
      for (const CorePair& pair : core.pairs) verify_core(pair.core);
      known.kept_calls = lowering.long_callees();
      if (!known.kept_calls.empty())
        lower_with_calls(core, function, handle, outside, context, known);
      return core;
    } catch (const lowering::LowerAgain&) {
      continue;  // with one more thing known: there are as many as functions, classes, attributes
    } catch (const Diagnostic& diagnostic) {
      // What cannot be done with objects that are variables may be done with such as lie in
      // columns.
      if (refused) throw *refused;
      const std::vector<Thing> classes = lowering.classes_made();
      if (classes.empty()) throw;
      if (known.kept_classes.empty()) refused = diagnostic;
      for (const Thing& type : classes) known.kept_classes.emplace(type.handle, type);
    }
  }
}

bool is_pair_call(const Expr* expression) {
  const auto* call = as<Call>(expression);
  return call != nullptr && call->callee && call->callee.text().starts_with(kPairPrefix);
}

const Call* pair_call(const Stmt* statement) {
  const auto* assign = as<Assign>(statement);
  return assign != nullptr && is_pair_call(assign->value) ? static_cast<const Call*>(assign->value)
                                                          : nullptr;
}

Exprs written_by_call(const Stmt* statement) {
  if (pair_call(statement) == nullptr) return {};
  const auto* targets = as<TupleDisplay>(static_cast<const Assign*>(statement)->targets[0]);
  // A call that nothing flows through is the user's own, without a tape.
  if (targets == nullptr) return {};
  for (const Expr* target : targets->elements) {
    if (const auto* written = as<TupleDisplay>(target)) return written->elements;
  }
  return {};
}

const Expr* plain_targets(const Assign* call, Context& context) {
  const Expr* target = call->targets[0];
  const auto* tuple = as<TupleDisplay>(target);
  if (tuple == nullptr) return target;
  std::vector<const Expr*> plain(tuple->elements.begin(), tuple->elements.end());
  std::erase_if(plain, [](const Expr* element) { return is<TupleDisplay>(element); });
  return plain.size() == 1 ? plain[0]
                           : context.make<TupleDisplay>(target->ranges, Exprs(context.list(plain)));
}

namespace lowering {

namespace {

// Far below what the stack takes, far above what people write.
constexpr int kDeepest = 1000;

}  // namespace

Lowering::Lowering(Outside& outside, Context& context, Known& known)
    : outside_(outside),
      functions_outside_(dynamic_cast<OutsideFunctions*>(&outside) != nullptr
                             ? dynamic_cast<OutsideFunctions&>(outside)
                             : no_functions_),
      context_(context),
      known_(known),
      names_(context) {}

CoreFunction Lowering::run(const CapturedFunction& function, ThingHandle handle) {
  const FunctionDefinition& definition = *function.definition;
  functions_outside_.begin();
  refuse_unsupported(definition);
  Callee& callee = callees_.emplace_back();
  callee.name = definition.name;
  callee.parameters = definition.parameters;
  callee.body = desugared(body_of(definition, handle), definition.parameters, context_);
  callee.identity = &definition;
  callee.function = handle;
  outside_callees_.emplace(handle, &callee);
  active_.push_back(&definition);

  Frame& frame = frames_.emplace_back();
  frame.facts = &facts_of(callee);
  frame.function = handle;
  frame.outermost = true;
  frame_ = &frame;
  root_ = &frame;
  // The user's names are never given to anything else.
  for (const auto& [name, use] : frame.facts->names) names_.take(name);
  for (const Parameter* parameter : definition.parameters) {
    frame.bindings[parameter->name] = {.form = Binding::Form::Variable,
                                       .variable = parameter->name};
  }

  CoreFunction core;
  core.name = definition.name;
  core.parameters = definition.parameters;
  core.ranges = definition.ranges;
  if (known_.recursive.contains(&definition)) {
    // Nothing but a call of itself, as a function that is called like any other.
    names_ = FreshNames(context_);
    for (const Parameter* parameter : definition.parameters) names_.take(parameter->name);
    core.body = context_.list(collect([&] { call_itself(definition, callee); }));
    keep_used_globals(core, globals_);
    core.pairs = lower_pairs();
    return core;
  }
  Statements statements = collect([&] {
    for (std::size_t k = 0; k < definition.parameters.size(); ++k)
      if (!bind_function_argument(k, definition.parameters[k]->name,
                                  definition.parameters[k]->ranges))
        bind_argument(k, definition.parameters[k]->name, definition.parameters[k]->ranges);
    block(callee.body);
  });
  check_assumptions();
  if (keeps()) {
    check_references(statements);
    begin_columns(statements);
  }
  core.body = restructure(statements, *frame.facts, true);
  const auto unbound = maybe_unbound(definition.parameters, callee.body, *frame.facts);
  if (!unbound.empty()) {
    core.body = with_bare_reads(context_, definition.parameters, core.body, *frame.facts, unbound);
  }
  core.ignored_errors = ignored_errors_;
  core.array_loops = array_loops_;
  core.classes = argument_classes_;
  core.changed_objects = changed_arguments_;
  core.new_attributes = new_attributes_;
  core.body = with_known_values(core.body);
  if (!objects_made_.empty()) {
    core.body = with_outer_objects(core.body);
    refuse_objects_left(core);
  }
  if (!objects_made_.empty() || !attribute_variables_.empty())
    core.body = without_needless_attributes(core, attribute_variables_, context_);
  core.body = spell_out_list_items(
      core, [&] { return global(context_.symbol("list"), core.ranges); }, rebound_lists_, context_);
  if (!rebound_lists_.empty()) core.body = without_second_names(core, context_);
  check_rebound_lists(core, rebound_lists_);
  keep_used_globals(core, globals_);
  check_reads(core);
  check_nesting(core);
  core.pairs = lower_pairs();
  check_assumptions();
  core.checkpoints = checkpoints_;
  core.tapes_on_disk = tapes_on_disk_;
  return core;
}

// The statements of a function, without `with tangent.checkpoint():` around them.
Block Lowering::body_of(const FunctionDefinition& definition, ThingHandle function) {
  const auto named = [&](const Expr* called) -> Symbol {
    const auto* path = as<Attribute>(called);
    const auto* root = as<Name>(path != nullptr ? path->value : called);
    if (root == nullptr) return {};
    Thing thing = look_up(function, root->symbol);
    if (path != nullptr && thing.kind == ThingKind::Module)
      thing = attribute_of(thing, path->attribute);
    return thing.qualified_name;
  };
  Block body =
      without_checkpoints(context_, definition.body, checkpoints_, [&](const Expr* called) {
        const Symbol name = named(called);
        return name && name.text() == "tangent.runtime.checkpoint";
      });
  const auto is_builtin = [&](const Expr* called, std::string_view word) {
    const auto* name = as<Name>(called);
    return name != nullptr && name->symbol.text() == word &&
           named(called) == context_.symbol("builtins." + std::string(word));
  };
  const auto is_variadic = [&](Symbol symbol) {
    return std::ranges::any_of(definition.parameters, [&](const Parameter* parameter) {
      return parameter->name == symbol && parameter->form == ParameterKind::VariadicPositional;
    });
  };
  body = without_deques_and_defaults(body, named);
  body = without_transposes(context_, body, is_builtin, is_variadic);
  return without_sets(context_, body, is_builtin);
}

// Containers of `collections` that are lists or dicts to their reader.
Block Lowering::without_deques_and_defaults(Block body, FunctionView<Symbol(const Expr*)> named) {
  const auto mentions_word = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(body, [&](const Stmt* statement) {
      return find_node(statement, [&](const Node* node) {
               const auto* name = as<Name>(node);
               const auto* path = as<Attribute>(node);
               const Symbol word = name != nullptr   ? name->symbol
                                   : path != nullptr ? path->attribute
                                                     : Symbol();
               return word && std::ranges::find(words, word.text()) != words.end();
             }) != nullptr;
    });
  };
  if (mentions_word({"defaultdict", "Counter", "OrderedDict"})) {
    body = without_default_dicts(context_, body, [&](const Expr* called) {
      const auto* path = as<Attribute>(called);
      const auto* name = as<Name>(called);
      const Symbol word = path != nullptr   ? path->attribute
                          : name != nullptr ? name->symbol
                                            : Symbol();
      if (!word || (word.text() != "defaultdict" && word.text() != "Counter" &&
                    word.text() != "OrderedDict"))
        return DefaultDict::None;
      const Symbol found = named(called);
      const std::string_view text = found ? found.text() : std::string_view();
      if (text.ends_with("collections.defaultdict")) return DefaultDict::Default;
      if (text.ends_with("collections.Counter")) return DefaultDict::Counter;
      if (text.ends_with("collections.OrderedDict")) return DefaultDict::Ordered;
      return DefaultDict::None;
    });
  }
  if (!mentions_word({"deque"})) return body;
  return without_deques(context_, body, [&](const Expr* called) {
    const auto* path = as<Attribute>(called);
    const auto* name = as<Name>(called);
    const bool spelled = path != nullptr   ? path->attribute.text() == "deque"
                         : name != nullptr ? name->symbol.text() == "deque"
                                           : false;
    if (!spelled) return false;
    const Symbol found = named(called);
    return found && (found.text() == "collections.deque" || found.text() == "_collections.deque");
  });
}

Block Lowering::restructure(const Statements& statements, const ScopeFacts& facts,
                            bool with_returns) {
  Block body = context_.list(statements);
  if (facts.find(context_.symbol(kTryMarker)) != nullptr) body = with_attempts_of_frame(body);
  if (facts.has_loop_else) body = without_loop_else(context_, names_, body);
  if (facts.early_return) body = without_loop_returns(context_, names_, body);
  if (facts.has_continue) body = without_continues(context_, names_, body);
  if (with_returns) body = with_tail_returns(context_, names_, body);
  return body;
}

void Lowering::emit_assign(Symbol target, const Expr* value, Ranges ranges) {
  if (const auto* name = as<Name>(value);
      name != nullptr && name->scope == Scope::Local && name->symbol == target) {
    return;
  }
  if (object_of(value) != nullptr) {
    if (keeps() && variable_holding(target).has_reference()) {
      keep_if_object(value);
      refuse_mixture(ranges.empty() ? value->ranges : ranges);
    }
    return bind_object(target, value, ranges);
  }
  if (is_known(value))
    return hold(target, {.form = Held::Form::Known, .value = kept_known(value, ranges)});
  if (held_.contains(target)) {
    if (held_outside_.contains(std::string(target.text()))) {
      throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                       "a parameter that holds a function gets a plain value",
                       ranges.empty() ? value->ranges : ranges, "use a name of its own for each");
    }
    hold(target, {});
  }
  if (objects_.contains(target)) {
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "a variable that holds an object gets a plain value",
                     ranges.empty() ? value->ranges : ranges, "use a name of its own for each");
  }
  if (keeps()) {
    note_holding(target, holding_of(value), ranges.empty() ? value->ranges : ranges);
    value = or_nothing(value, variable_holding(target));
  }
  emit(context_.assign(context_.local(target, ranges), value, ranges));
}

void Lowering::finish(Destination destination, const Expr* value, Ranges ranges) {
  if (value == nullptr) return;
  switch (destination.form) {
    case Destination::Form::Value:
      throw InternalError("a value without a destination");
    case Destination::Form::Name:
      return emit_assign(destination.name, value, ranges);
    case Destination::Form::Tail:
      return emit(context_.make<Return>(ranges, value));
    case Destination::Form::Nothing:
      if (!is_name_or_constant(value)) emit(context_.make<ExpressionStatement>(ranges, value));
      return;
  }
}

Ranges Lowering::at(Ranges ranges) {
  if (frame_->call_site.empty()) return ranges;
  // The text of a library's loop is not the user's: the place is where it is called.
  for (const auto& [text, callees] : library_callees_) {
    for (const Callee* callee : callees) {
      if (!ranges.empty() && callee->identity->ranges[0].file == ranges[0].file)
        return context_.merge(frame_->call_site, ranges);
    }
  }
  return context_.merge(ranges, frame_->call_site);
}

void Lowering::refuse(const Node& node, std::string message, std::string remedy,
                      DiagnosticKind kind) {
  throw Diagnostic(kind, std::move(message), at(node), std::move(remedy));
}

Lowering::Deeper::Deeper(Lowering& lowering, const Node& node) : lowering_(lowering) {
  if (++lowering_.depth_ > kDeepest) {
    --lowering_.depth_;  // the destructor does not run
    lowering.refuse(node, "this is nested too deep", "split it into several statements",
                    DiagnosticKind::TooDeep);
  }
}

}  // namespace lowering

}  // namespace tangent
