// The road from a core program to the text of its gradient; see pipeline.h.
#include "pipeline.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "analysis/aliases.h"
#include "analysis/fresh_results.h"
#include "analysis/live_loops.h"
#include "analysis/renewed_items.h"
#include "analysis/views.h"
#include "analysis/wholes.h"
#include "autodiff/assemble.h"
#include "autodiff/checkpoints.h"
#include "autodiff/container_tests.h"
#include "autodiff/forward.h"
#include "autodiff/inputs.h"
#include "autodiff/list_names.h"
#include "autodiff/primitives.h"
#include "autodiff/rebound_lists.h"
#include "autodiff/reverse.h"
#include "autodiff/rule_objects.h"
#include "autodiff/save.h"
#include "autodiff/settle_pairs.h"
#include "autodiff/stored_arrays.h"
#include "autodiff/stored_reshapes.h"
#include "emit/attempts.h"
#include "emit/attribute_stores.h"
#include "emit/call_targets.h"
#include "emit/code_size.h"
#include "emit/dialect.h"
#include "emit/disk_tapes.h"
#include "emit/forward_function.h"
#include "emit/function.h"
#include "emit/hidden_builtins.h"
#include "emit/libraries.h"
#include "emit/saved_values.h"
#include "emit/whole_gradients.h"
#include "emit/written_halves.h"
#include "lower/functional_updates.h"
#include "lower/pair_fields.h"
#include "lower/prepare.h"
#include "lower/take_names.h"
#include "lower/torch_results.h"
#include "optimize/passes.h"
#include "optimize/settle_attempts.h"
#include "syntax/printer.h"
#include "syntax/visit.h"
#include "types/rebound_sums.h"

namespace tangent {

namespace {

// Views of views of views.
constexpr int kViewRounds = 4;

// How the text spells NumPy: as the user does, else "np" or a name that is free.
Symbol numpy_name(const CoreFunction& core, NamePool& names, bool& bound) {
  for (const GlobalBinding& global : core.globals) {
    if (global.thing.kind == ThingKind::Module && global.thing.qualified_name.text() == "numpy") {
      bound = true;
      return global.printed;
    }
  }
  bound = false;
  return names.fresh("np");
}

// The parameters that are stored into; a field's is the one that it is a part of.
Written written_parameters(const CoreFunction& core, std::size_t count,
                           const std::vector<NamedField>& fields, const std::vector<Symbol>& arrays,
                           const std::vector<Symbol>& lists) {
  Written written;
  written.objects = core.changed_objects;
  for (std::size_t k = 0; k < core.parameters.size(); ++k) {
    const Symbol name = core.parameters[k]->name;
    const std::size_t position = k < count ? k : fields[k - count].parameter;
    const auto among = [&](const std::vector<Symbol>& names) {
      return std::ranges::find(names, name) != names.end();
    };
    if (among(arrays)) written.arrays.push_back(position);
    if (among(lists)) written.lists.push_back(position);
  }
  return written;
}

// All functions of a program as one, for what they have in common: names.
CoreFunction together(const CoreFunction& top, const std::vector<CorePair>& pairs,
                      Context& context) {
  CoreFunction all = top;
  all.pairs.clear();
  std::vector<const Stmt*> body(top.body.begin(), top.body.end());
  std::vector<const Parameter*> parameters(top.parameters.begin(), top.parameters.end());
  for (const CorePair& pair : pairs) {
    body.insert(body.end(), pair.core.body.begin(), pair.core.body.end());
    parameters.insert(parameters.end(), pair.core.parameters.begin(), pair.core.parameters.end());
    for (const GlobalBinding& global : pair.core.globals) {
      if (all.find_global(global.printed) == nullptr) all.globals.push_back(global);
    }
  }
  all.body = context.list(body);
  all.parameters = context.list(parameters);
  return all;
}

// Calls cost time and a reader's jump: they have to be worth it.
constexpr double kShorter = 0.85;

// Calls of functions that are no recursion are for the plain gradient.
bool may_keep_calls(const CoreFunction& core, const GradientOptions& options) {
  return options.keeps_calls && !options.forward && !options.translates &&
         options.optimizations.optimized && !options.checkpoint.enabled &&
         options.checkpoint.disk.empty() && core.checkpoints.empty() && !core.tapes_on_disk;
}

using LoopNumbers = std::unordered_set<std::size_t>;

std::unordered_set<const Stmt*> numbered_loops(Block body, const LoopNumbers& numbers) {
  const std::vector<const Stmt*> loops = loops_of(body);
  std::unordered_set<const Stmt*> found;
  for (const std::size_t number : numbers) found.insert(loops.at(number));
  return found;
}

// Types of every expression; methods are resolved. Where one array is stored into through several
// names, the names of views are spelled out. `checkpoints` are the loops that keep snapshots.
TypedProgram type_program(CoreFunction& top, const std::vector<Type>& arguments,
                          std::vector<CorePair>& pairs, const GradientOptions& options,
                          const LoopNumbers& checkpoints, Outside& outside, RuleBook& rules,
                          Context& context) {
  TypedProgram program = infer_program(top, arguments, pairs, outside, rules, context);
  note_fresh_results(program, pairs);
  const auto rewrite = [&](auto&& step) {
    bool changed = false;
    const auto apply = [&](CoreFunction& core, const TypedFunction& typed) {
      if (typed.core == nullptr) return;
      const Block body = step(core, typed);
      changed = changed || body.data() != core.body.data();
      core.body = body;
    };
    apply(top, program.top);
    for (std::size_t k = 0; k < pairs.size(); ++k) apply(pairs[k].core, program.pairs[k]);
    if (changed) {
      program = infer_program(top, arguments, pairs, outside, rules, context);
      note_fresh_results(program, pairs);
    }
    return changed;
  };
  // What cannot raise is no attempt.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return settle_attempts(core.body, typed, rules, context);
  });
  // What is kept of a test is an answer.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return spell_out_container_tests(core, typed, context);
  });
  // Sums of what has no known type are bound anew.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return bind_sums_anew(core, typed, context);
  });
  // A name that stands for a list and then for an array is two names.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return part_rebound_lists(core, typed, context);
  });
  // Lists that are made inside of expressions have names.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return name_lists(core, typed, context);
  });
  // Arrays of lists that nothing else holds are stored anew where they are changed in place.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return renew_items(core.body, typed, context);
  });
  // Loops over what they store into read each element when its turn comes.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return count_live_loops(core.body, typed, context);
  });
  if (options.optimizations.algebraic || options.optimizations.cse) {
    rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
      return optimize_primal(core, typed, rules, context, options);
    });
  }
  if (!options.optimizations.optimized) {
    rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
      return split_primitives(core, typed, context);
    });
  }
  // Loops that are run again in parts count their items.
  if (!checkpoints.empty()) {
    rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
      if (&core != &top) return core.body;
      return count_loops(core.body, numbered_loops(core.body, checkpoints), typed, context);
    });
  }
  // Where one array is stored into through several names, the names of views are spelled out.
  const auto spell_out = [&](const CoreFunction& core, const TypedFunction& typed) {
    const std::unordered_set<Symbol> names = Aliases(typed).in_conflict();
    return names.empty() ? core.body : spell_out_views(core.body, typed, names, context);
  };
  for (int round = 0; round < kViewRounds && rewrite(spell_out); ++round) {
  }
  // Where that is not possible because only the run knows what is a view.
  const auto part_reshapes = [&](const CoreFunction& core, const TypedFunction& typed) {
    return part_stored_reshapes(core, typed, context);
  };
  for (int round = 0; round < kViewRounds && rewrite(part_reshapes); ++round) {
  }
  // Arrays in lists that are written in place.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return replace_stored_arrays(core, typed, context);
  });
  return program;
}

// A program as text: the body of the differentiated function, and the functions that stay calls.
std::string text_of(Block top, const std::vector<CorePair>& pairs,
                    const std::function<Block(std::size_t)>& body_of) {
  std::string text = print(top).text;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    text += "\ndef " + std::string(pairs[k].core.name.text()) + "(";
    std::string separator;
    for (const Parameter* parameter : pairs[k].core.parameters) {
      text += separator + std::string(parameter->name.text());
      separator = ", ";
    }
    text += "):\n";
    const std::string body = print(body_of(k)).text;
    for (std::size_t start = 0; start < body.size();) {
      const std::size_t end = body.find('\n', start);
      text += "    " + body.substr(start, end - start) + "\n";
      start = end == std::string::npos ? body.size() : end + 1;
    }
  }
  return text;
}

// The differentiated variables and the names of their tangents: dx, dp['w'].
std::vector<ForwardInput> forward_inputs(const CoreFunction& core, const Inputs& inputs,
                                         const GradientOptions& options,
                                         const std::vector<NamedField>& fields, Context& context) {
  std::vector<ForwardInput> found;
  for (std::size_t k = 0; k < inputs.names.size(); ++k) {
    const Symbol name = inputs.names[k];
    std::size_t parameter = 0;
    std::string step;
    const auto field = std::ranges::find(fields, name, &NamedField::name);
    if (field != fields.end()) {
      parameter = field->parameter;
      step = name.text().substr(core.parameters[parameter]->name.text().size());
    } else {
      while (core.parameters[parameter]->name != name) ++parameter;
    }
    const auto position =
        std::ranges::find(options.wrt, static_cast<int>(parameter)) - options.wrt.begin();
    const std::string tangent = options.tangents[static_cast<std::size_t>(position)] + step;
    found.push_back({name, context.symbol(tangent), inputs.types[k]});
  }
  return found;
}

// Forward mode from the typed core on: the program of the derivative, its passes, its text.
Emitted differentiate_forward(const CoreFunction& core, const CoreFunction& ready,
                              const TypedFunction& typed, const std::vector<Type>& given,
                              const Inputs& inputs, const GradientOptions& options,
                              const std::vector<NamedField>& fields, RuleBook& rules,
                              Context& context, const StageLog& log) {
  NamePool names(context, ready);
  for (const std::string& tangent : options.tangents) names.take(context.symbol(tangent));
  bool numpy_is_bound = false;
  const bool foreign = ready.library != Library::NumPy;
  DialectNames dialect;
  if (foreign) dialect = dialect_names(ready, names, context);
  dialect.translates = options.translates;
  const Symbol numpy = foreign ? dialect.numpy : numpy_name(ready, names, numpy_is_bound);
  const std::vector<ForwardInput> variables =
      forward_inputs(core, inputs, options, fields, context);
  ForwardResult forward =
      Forward(typed, variables, options.preserve_result, rules, context, numpy, names).run();
  Block body = context.list(forward.body);
  if (log) log("tangent", print(body).text);
  body = optimize(body, typed, forward, rules, context, names, options, log);
  if (foreign) body = spell_for_library(body, ready, dialect, *forward.typing, context);
  // Fields that the body binds anew get names of the body's own; so do their tangents.
  std::vector<NamedField> tangents;
  for (const ForwardInput& input : variables) {
    const auto field = std::ranges::find(fields, input.name, &NamedField::name);
    if (field != fields.end()) tangents.push_back({field->parameter, input.tangent, input.type});
  }
  body = bind_fields(
      body, tangents, [&](std::string_view wish) { return names.fresh("d" + std::string(wish)); },
      context);
  body =
      bind_fields(body, fields, [&](std::string_view wish) { return names.fresh(wish); }, context);
  if (!core.changed_objects.empty()) body = spell_attribute_stores(body, context);
  body = spell_hidden_builtins(body, core.parameters, context);
  body = spell_attempts(body, names, context);
  const ForwardFunction function{
      .core = core, .ranges = ready.ranges, .given = given, .options = options};
  body = with_ignored_errors(with_checks(function, body, context), core, numpy, context);

  Emitted emitted;
  const PrintedText text = print_function(function, body, context);
  emitted.text = text.text;
  emitted.lines = text.lines;
  emitted.places = text.places;
  emitted.function_name = options.function_name;
  emitted.globals = ready.globals;
  emitted.written = written_parameters(ready, given.size(), fields, forward.written_parameters,
                                       forward.changed_parameters);
  emitted.questions.assign(given.size(), {});
  for (std::size_t k = 0; k < given.size(); ++k) emitted.questions[k].ones = given[k].is_array();
  for (const int position : options.wrt)
    emitted.scalar_tangents.push_back(given[static_cast<std::size_t>(position)].is_number());
  ReverseResult used;
  used.helpers = std::move(forward.helpers);
  used.helpers.emplace_back("_check_tangent");
  used.modules = std::move(forward.modules);
  finish_names(emitted, body, used, numpy, numpy_is_bound);
  if (foreign) finish_dialect(emitted, body, ready, dialect);
  return emitted;
}

// `checkpoints` are the numbers of the loops that keep snapshots; if nobody has said yet which do
// (null), they are chosen from what the adjoint without them saves, and the road is taken again.
Emitted differentiate(const CoreFunction& core, const std::vector<Type>& given,
                      const std::vector<Structure>& structures, const GradientOptions& options,
                      Outside& outside, RuleBook& rules, Context& context, const StageLog& log,
                      const LoopNumbers* checkpoints) {
  // The parts of arguments that constants reach are variables.
  std::vector<NamedField> fields;
  const auto is_differentiated = [&](Symbol name) {
    return std::ranges::any_of(options.wrt, [&](int position) {
      return core.parameters[static_cast<std::size_t>(position)]->name == name;
    });
  };
  CoreFunction ready =
      prepare(spell_out_argument_dicts(core, structures, is_differentiated, context), context);
  if (options.forward) ready = take_names(ready, options.tangents, context);
  ready = name_fields(ready, structures, fields, context);
  ready.pairs.clear();
  std::vector<CorePair> pairs = core.pairs;
  if (options.forward && !pairs.empty()) {
    const CoreFunction& called = pairs[0].core;
    throw Diagnostic(DiagnosticKind::RecursiveCall,
                     "`" + std::string(called.name.text()) +
                         "` calls itself, which is not supported in forward mode yet",
                     called.ranges, "use reverse mode (`tangent.vjp`, `tangent.grad`)");
  }
  for (CorePair& pair : pairs) pair.core = prepare(pair.core, context);
  spread_fields(ready, pairs, structures, fields, context);
  std::vector<Type> arguments = given;
  for (std::size_t k = 0; k < structures.size(); ++k) {
    if (structures[k].is_items()) arguments[k] = structures[k].type;
  }
  const std::vector<Type> parameters = arguments;
  for (const NamedField& field : fields) arguments.push_back(field.type);
  ready.library = find_library(ready, arguments, outside, context);
  const bool translates =
      options.translates && (ready.library == Library::NumPy || ready.library == Library::Jax);
  if (translates) ready.library = Library::Jax;
  if (ready.library == Library::Jax) {
    NamePool names(context, ready);
    const auto fresh = [&](std::string_view wish) { return names.fresh(wish); };
    ready.body = spell_out_updates(ready.body, fresh, context);
  }
  if (ready.library == Library::Torch) {
    NamePool names(context, ready);
    const auto fresh = [&](std::string_view wish) { return names.fresh(wish); };
    ready.body = with_parts_of_results(ready.body, fresh, context);
  }
  const bool foreign = ready.library != Library::NumPy;
  const bool on_disk = !options.checkpoint.disk.empty();
  if (foreign && on_disk) {
    throw Diagnostic(DiagnosticKind::BadOption,
                     "checkpoint_config has 'disk', and tapes of arrays of another library than "
                     "NumPy stay in memory",
                     core.ranges, "leave 'disk' out");
  }
  if (foreign && !pairs.empty()) {
    const CoreFunction& called = pairs[0].core;
    throw Diagnostic(
        DiagnosticKind::RecursiveCall,
        "`" + std::string(called.name.text()) + "` calls itself, which is supported for NumPy only",
        called.ranges, "write the recursion as a loop");
  }
  const Inputs inputs = inputs_of(core, parameters, options.wrt, fields);
  if (log)
    log("core", text_of(ready.body, pairs, [&](std::size_t k) { return pairs[k].core.body; }));

  TypedProgram program =
      type_program(ready, arguments, pairs, options,
                   checkpoints != nullptr ? *checkpoints : LoopNumbers(), outside, rules, context);
  bind_rule_objects(ready, pairs, program, outside, rules, context);
  const TypedFunction& typed = program.top;
  if (log)
    log("typed", text_of(typed.body, pairs, [&](std::size_t k) { return program.pairs[k].body; }));
  check_result(typed, typed.body);
  check_wholes(typed, fields);
  if (!translates) check_one_library(ready, typed);
  check_shared_scalars(ready, typed);
  check_array_loops(ready, typed);
  check_sorting_methods(ready, typed);
  for (const TypedFunction& pair : program.pairs) {
    if (pair.core != nullptr) check_sorting_methods(*pair.core, pair);
  }

  if (options.forward) {
    GradientOptions forward = options;
    forward.translates = translates;
    return differentiate_forward(core, ready, typed, given, inputs, forward, fields, rules, context,
                                 log);
  }

  // Reverse mode: what flows back, what it reads of the primal, what of that has to be saved.
  const CoreFunction all = together(ready, pairs, context);
  NamePool all_names(context, all);
  bool numpy_is_bound = false;
  DialectNames dialect;
  if (foreign) dialect = dialect_names(ready, all_names, context);
  dialect.translates = translates;
  const Symbol numpy = foreign ? dialect.numpy : numpy_name(all, all_names, numpy_is_bound);
  PairTable table = find_active_pairs(program, pairs, inputs.names, rules);
  std::vector<std::unique_ptr<ReversedPair>> reversed =
      settle_pairs(table, rules, context, numpy, options.optimizations);
  NamePool names(context, ready);
  names.take(numpy);
  if (foreign) names.take(dialect.library);
  Checkpoints kept{.loops = {}, .options = options.checkpoint};
  if (checkpoints != nullptr) kept.loops = numbered_loops(typed.body, *checkpoints);
  ReverseResult reverse = Reverse(typed, inputs.names, inputs.types, rules, context, numpy, names,
                                  &table, nullptr, options.optimizations)
                              .with(&kept)
                              .run();
  if (checkpoints == nullptr && (options.checkpoint.enabled || !core.checkpoints.empty())) {
    NamePool taken = names;
    const LoopNumbers chosen =
        choose_checkpoints(typed, reverse, find_saves(typed.body, reverse.plan, taken),
                           options.checkpoint, core.checkpoints, rules);
    if (!chosen.empty()) {
      return differentiate(core, given, structures, options, outside, rules, context, log, &chosen);
    }
  }
  plan_snapshots(typed.body, reverse, names);
  if (fields.empty()) check_structure(ready, typed, arguments, options.wrt, reverse.gradients);
  const std::vector<const Expr*> parts = std::move(reverse.gradients);
  reverse.gradients =
      whole_gradients(core, structures, fields, options.wrt, parts, reverse, context);
  const Saves saves = options.optimizations.optimized
                          ? find_saves(typed.body, reverse.plan, names)
                          : save_everything(typed.body, reverse.plan, names, [&](Symbol name) {
                              return reverse.typing->of(context.local(name)).is_numeric();
                            });
  const Symbol result = names.fresh("result");
  Assembled assembled = assemble(typed.body, reverse, saves, result, names, context);

  // One function again: the primal, the backward part, the gradients.
  CoreFunction printed = ready;
  printed.parameters = core.parameters;
  EmittedFunction function{.core = printed,
                           .typed = typed,
                           .reverse = reverse,
                           .options = options,
                           .result = result,
                           .numpy = numpy};
  Block body = join_parts(function, assembled, context);
  if (log) log("adjoint", print(body).text);
  body = optimize(body, typed, reverse, assembled, rules, context, names, options, log);
  if (foreign) body = spell_for_library(body, ready, dialect, *reverse.typing, context);
  if (on_disk) {
    reverse.helpers.emplace_back(kTapeOnDisk);
    body = put_tapes_on_disk(
        body, options.checkpoint.disk, core.tapes_on_disk,
        [&](const Expr* value) {
          const Type type = reverse.typing->of(value);
          return type.is_number() || (type.kind == TypeKind::Tuple && !type.elements.empty() &&
                                      std::ranges::all_of(type.elements, &Type::is_number));
        },
        context);
  }
  body =
      bind_fields(body, fields, [&](std::string_view wish) { return names.fresh(wish); }, context);
  if (!core.changed_objects.empty()) body = spell_attribute_stores(body, context);
  body = spell_hidden_builtins(body, core.parameters, context);
  body = spell_attempts(body, names, context);
  body = with_ignored_errors(body, core, numpy, context);
  if (!pairs.empty()) body = spell_call_targets(body, context);
  std::vector<const Stmt*> definitions{define_function(function, body, context)};
  append_halves(table, reversed, numpy, rules, context, definitions, reverse, options);

  Emitted emitted;
  if (log) emitted.saved = saved_values(context.list(definitions), reverse.adjoint_names);
  const PrintedText text = print(context.list(definitions));
  emitted.text = text.text;
  emitted.lines = text.lines;
  emitted.places = text.places;
  emitted.function_name = options.function_name;
  emitted.seed_name = std::string(reverse.seed.text());
  emitted.scalar_result = typed.result.is_number();
  emitted.globals = all.globals;
  const Expr* standard = default_seed(options, reverse, core.ranges, context);
  if (!is<Constant>(standard)) emitted.default_seed = print(static_cast<const Node*>(standard));
  emitted.written = written_parameters(ready, given.size(), fields, reverse.written_parameters,
                                       reverse.changed_parameters);
  emitted.questions.assign(given.size(), {});
  for (std::size_t k = 0; k < given.size(); ++k) emitted.questions[k].ones = given[k].is_array();
  finish_names(emitted, context.list(definitions), reverse, numpy, numpy_is_bound);
  if (foreign) finish_dialect(emitted, body, ready, dialect);
  return emitted;
}

}  // namespace

Emitted differentiate(const CoreFunction& core, const std::vector<Type>& given,
                      const std::vector<Structure>& structures, const GradientOptions& options,
                      Outside& outside, RuleBook& rules, Context& context, const StageLog& log) {
  const auto made_of = [&](const CoreFunction& function, const StageLog& stages) {
    return differentiate(function, given, structures, options, outside, rules, context, stages,
                         nullptr);
  };
  if (core.with_calls.empty() || !may_keep_calls(core, options)) return made_of(core, log);
  // Both are made; the shorter one is taken.
  Emitted written_out = made_of(core, {});
  std::optional<Emitted> with_calls;
  try {
    with_calls = made_of(core.with_calls[0], {});
  } catch (const Diagnostic&) {
    with_calls.reset();  // a function that cannot be a pair
  }
  const bool shorter =
      with_calls && static_cast<double>(code_size(with_calls->text)) <
                        kShorter * static_cast<double>(code_size(written_out.text));
  if (log) return made_of(shorter ? core.with_calls[0] : core, log);
  return shorter ? std::move(*with_calls) : std::move(written_out);
}

}  // namespace tangent
