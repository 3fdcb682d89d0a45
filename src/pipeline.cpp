// The road from a core program to the text of its gradient; see pipeline.h.
#include "pipeline.h"

#include <algorithm>
#include <initializer_list>

#include "analysis/aliases.h"
#include "analysis/fresh_results.h"
#include "analysis/live_loops.h"
#include "analysis/views.h"
#include "analysis/wholes.h"
#include "autodiff/assemble.h"
#include "autodiff/forward.h"
#include "autodiff/list_names.h"
#include "autodiff/rebound_lists.h"
#include "autodiff/reverse.h"
#include "autodiff/save.h"
#include "autodiff/settle_pairs.h"
#include "emit/attribute_stores.h"
#include "emit/forward_function.h"
#include "emit/function.h"
#include "emit/halves.h"
#include "emit/hidden_builtins.h"
#include "lower/pair_fields.h"
#include "lower/prepare.h"
#include "lower/take_names.h"
#include "optimize/passes.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

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

// A list of real numbers or arrays, by one element type.
bool is_list_of_numbers(const Type& type) {
  return type.kind == TypeKind::List && type.uniform && type.elements.front().is_numeric();
}

bool is_active_leaf(const Type& type) {
  if (is_list_of_numbers(type)) return true;
  return (type.is_number() || type.is_array()) && type.dtype != DType::Bool &&
         type.dtype != DType::Complex64 && type.dtype != DType::Complex128;
}

// What is differentiated, in the order of wrt: a parameter, or the numbers and arrays in it. The
// parameters that are made of those come last: nothing may flow to one as a whole.
struct Inputs {
  std::vector<Symbol> names;
  std::vector<Type> types;
};

Inputs inputs_of(const CoreFunction& core, const std::vector<Type>& arguments,
                 const GradientOptions& options, const std::vector<NamedField>& fields) {
  Inputs inputs;
  Inputs wholes;
  for (const int position : options.wrt) {
    const auto index = static_cast<std::size_t>(position);
    const Parameter* parameter = core.parameters[index];
    const Type& type = arguments[index];
    bool made_of_fields = false;
    for (const NamedField& field : fields) {
      if (field.parameter != index) continue;
      made_of_fields = true;
      if (!is_active_leaf(field.type)) continue;
      inputs.names.push_back(field.name);
      inputs.types.push_back(field.type);
    }
    if (made_of_fields) {
      wholes.names.push_back(parameter->name);
      wholes.types.push_back(type);
      continue;
    }
    const bool numeric = type.kind == TypeKind::Number || type.kind == TypeKind::Array ||
                         type.kind == TypeKind::Numeric;
    const std::string name(parameter->name.text());
    if (is_list_of_numbers(type) && parameter->form != ParameterKind::VariadicPositional) {
      inputs.names.push_back(parameter->name);
      inputs.types.push_back(type);
      continue;
    }
    if (parameter->form == ParameterKind::VariadicPositional ||
        parameter->form == ParameterKind::VariadicKeyword || type.kind == TypeKind::Tuple ||
        type.kind == TypeKind::List || type.kind == TypeKind::Dict ||
        type.kind == TypeKind::Opaque || type.kind == TypeKind::Unknown) {
      throw Diagnostic(DiagnosticKind::UnsupportedType,
                       "the argument `" + name + "` is differentiated and is no number or array (" +
                           to_text(type) + ")",
                       parameter->ranges, "pass numbers or NumPy arrays as arguments of their own");
    }
    if (!numeric || type.dtype == DType::Other) {
      throw Diagnostic(
          DiagnosticKind::NotNumeric,
          "the argument `" + name + "` is differentiated and is no number (" + to_text(type) + ")",
          parameter->ranges, "leave it out of wrt");
    }
    if (type.dtype == DType::Bool && !type.mixed) {
      throw Diagnostic(DiagnosticKind::NotNumeric,
                       "the argument `" + name + "` is a truth value: it has no derivative",
                       parameter->ranges, "leave `" + name + "` out of wrt, or pass a number");
    }
    if (type.dtype == DType::Complex64 || type.dtype == DType::Complex128) {
      throw Diagnostic(DiagnosticKind::UnsupportedType, "the argument `" + name + "` is complex",
                       parameter->ranges,
                       "differentiate with respect to its real and imaginary parts");
    }
    inputs.names.push_back(parameter->name);
    inputs.types.push_back(type);
  }
  inputs.names.insert(inputs.names.end(), wholes.names.begin(), wholes.names.end());
  inputs.types.insert(inputs.types.end(), wholes.types.begin(), wholes.types.end());
  return inputs;
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

// The gradients of whole arguments from those of their parts: of the same kind as the argument.
class GradientBuilder {
 public:
  GradientBuilder(const CoreFunction& core, const std::vector<Structure>& structures,
                  const std::vector<NamedField>& fields, ReverseResult& reverse, Context& context)
      : core_(core),
        structures_(structures),
        fields_(fields),
        reverse_(reverse),
        context_(context) {}

  std::vector<const Expr*> build(const GradientOptions& options,
                                 const std::vector<const Expr*>& parts) {
    std::vector<const Expr*> gradients;
    part_ = parts.begin();
    for (const int position : options.wrt) {
      const auto index = static_cast<std::size_t>(position);
      field_ = std::ranges::find(fields_, index, &NamedField::parameter);
      if (field_ == fields_.end()) {
        const bool items = index < structures_.size() && structures_[index].is_items();
        gradients.push_back(items ? items_of(*part_++, structures_[index].type,
                                             core_.parameters[index]->name,
                                             structures_[index].form == Structure::Form::TupleItems)
                                  : *part_++);
      } else {
        gradients.push_back(
            whole(structures_[index], std::string(core_.parameters[index]->name.text())));
      }
    }
    return gradients;
  }

 private:
  const Expr* text_of(const std::string& text) {
    return context_.make<Constant>(
        {}, Literal{.kind = LiteralKind::String, .text = context_.arena().copy_text(text)});
  }

  // The adjoint of a list is a list: arrays in it get their items' shapes, a tuple is made one.
  const Expr* items_of(const Expr* part, const Type& type, Symbol name, bool is_tuple) {
    const Expr* result = part;
    if (!type.elements.front().is_number()) {
      reverse_.helpers.emplace_back("_items_like");
      result = context_.make<Call>({}, context_.global(context_.symbol("_items_like")),
                                   context_.symbol("tangent.runtime._items_like"),
                                   context_.list<const Expr*>({context_.local(name), part}),
                                   List<const Keyword*>());
    }
    if (!is_tuple) return result;
    return context_.make<Call>({}, context_.global(context_.symbol("tuple")),
                               context_.symbol("builtins.tuple"),
                               context_.list<const Expr*>({result}), List<const Keyword*>());
  }

  const Expr* whole(const Structure& structure, const std::string& text) {
    if (structure.is_leaf()) {
      const NamedField& field = *field_++;
      if (is_list_of_numbers(field.type))
        return items_of(*part_++, field.type, field.name, field.is_tuple);
      if (is_active_leaf(field.type)) return *part_++;
      // A truth value counts as a number that nothing depends on; a text stays what it is.
      if (field.type.is_number()) return context_.number(0.0);
      return context_.local(field.name);
    }
    std::vector<const Expr*> keys;
    std::vector<const Expr*> values;
    std::vector<const Keyword*> keywords;
    for (const auto& [step, part] : structure.parts) {
      const Expr* value = whole(part, text + spelled(step));
      values.push_back(value);
      if (structure.form == Structure::Form::Dict) {
        keys.push_back(step.form == FieldStep::Form::Key ? text_of(step.text)
                                                         : context_.integer(step.index));
      } else if (structure.form == Structure::Form::Object) {
        keywords.push_back(context_.make<Keyword>(Ranges(), context_.symbol(step.text), value));
      }
    }
    switch (structure.form) {
      case Structure::Form::Dict:
        return context_.make<Dictionary>({}, context_.list(keys), context_.list(values));
      case Structure::Form::List:
        return context_.make<ListDisplay>({}, context_.list(values));
      case Structure::Form::Tuple:
        return context_.make<TupleDisplay>({}, context_.list(values));
      default:
        break;
    }
    // What the object did not have when it was given is no part of it.
    std::vector<const Expr*> added;
    for (const auto& [object, attribute] : core_.new_attributes) {
      if (object == text) added.push_back(text_of(std::string(attribute.text())));
    }
    if (!added.empty()) {
      keywords.push_back(context_.make<Keyword>(
          Ranges(), context_.symbol("_without"),
          context_.make<TupleDisplay>(Ranges(), Exprs(context_.list(added)))));
    }
    // An object of the same class: the fields that were not read have no derivative.
    reverse_.helpers.emplace_back("_object_like");
    return context_.make<Call>({}, context_.global(context_.symbol("_object_like")),
                               context_.symbol("tangent.runtime._object_like"),
                               context_.list<const Expr*>({context_.local(context_.symbol(text))}),
                               context_.list(keywords));
  }

  const CoreFunction& core_;
  const std::vector<Structure>& structures_;
  const std::vector<NamedField>& fields_;
  ReverseResult& reverse_;
  Context& context_;
  std::vector<const Expr*>::const_iterator part_;
  std::vector<NamedField>::const_iterator field_;
};

bool is_no_number(const Type& type) {
  switch (type.kind) {
    case TypeKind::None:
    case TypeKind::String:
    case TypeKind::Slice:
    case TypeKind::Dtype:
    case TypeKind::Module:
    case TypeKind::Function:
    case TypeKind::Opaque:
      return true;
    case TypeKind::Array:
      return type.dtype == DType::Other && !type.mixed;
    case TypeKind::Tuple:
      return std::ranges::any_of(type.elements, is_no_number);
    default:
      return false;
  }
}

Ranges first_place(std::initializer_list<Ranges> candidates) {
  for (const Ranges& ranges : candidates) {
    if (!ranges.empty()) return ranges;
  }
  return {};
}

// Every path returns what a seed can be given for.
void check_result(const TypedFunction& typed, Block body) {
  for (const Stmt* statement : body) {
    for_each_child(*statement, [&](const Node* child) {
      if (is_statement(child->kind)) {
        const auto* inner = static_cast<const Stmt*>(child);
        check_result(typed, Block(&inner, 1));
      }
    });
    const auto* leaves = as<Return>(statement);
    if (leaves == nullptr || !is_no_number(typed.type_of(leaves->value))) continue;
    const bool nothing = typed.type_of(leaves->value).kind == TypeKind::None;
    throw Diagnostic(DiagnosticKind::NotNumeric,
                     nothing ? "the function returns None on this path"
                             : "the function returns what is no number",
                     first_place({leaves->value->ranges, leaves->ranges, typed.core->ranges}),
                     "return the value to differentiate");
  }
}

// An integer argument counts as the real number that it is; one that decides only shapes, trip
// counts, indices or branches has no derivative that would say anything.
void check_structure(const CoreFunction& core, const TypedFunction& typed,
                     const std::vector<Type>& arguments, const GradientOptions& options,
                     const ReverseResult& reverse) {
  for (std::size_t k = 0; k < options.wrt.size() && k < reverse.gradients.size(); ++k) {
    const auto index = static_cast<std::size_t>(options.wrt[k]);
    const auto* zero = as<Constant>(reverse.gradients[k]);
    if (zero == nullptr || arguments[index].dtype > DType::Integer) continue;
    const Symbol name = core.parameters[index]->name;
    bool read = false;
    for (const Stmt* statement : typed.body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* found = as<Name>(&node);
        read = read || (found != nullptr && found->symbol == name);
      });
    }
    if (!read) continue;  // an argument that is not used has a zero gradient
    const std::string text(name.text());
    throw Diagnostic(DiagnosticKind::OnlyDecidesStructure,
                     "the argument `" + text +
                         "` is an integer that only decides shapes, trip counts, indices or " +
                         "branches: it has no derivative",
                     core.parameters[index]->ranges,
                     "leave `" + text + "` out of wrt, or pass a float");
  }
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

// Types of every expression; methods are resolved. Where one array is stored into through several
// names, the names of views are spelled out.
TypedProgram type_program(CoreFunction& top, const std::vector<Type>& arguments,
                          std::vector<CorePair>& pairs, Outside& outside, RuleBook& rules,
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
  // A name that stands for a list and then for an array is two names.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return part_rebound_lists(core, typed, context);
  });
  // Lists that are made inside of expressions have names.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return name_lists(core, typed, context);
  });
  // Loops over what they store into read each element when its turn comes.
  rewrite([&](const CoreFunction& core, const TypedFunction& typed) {
    return count_live_loops(core.body, typed, context);
  });
  // Where one array is stored into through several names, the names of views are spelled out.
  const auto spell_out = [&](const CoreFunction& core, const TypedFunction& typed) {
    const std::unordered_set<Symbol> names = Aliases(typed).in_conflict();
    return names.empty() ? core.body : spell_out_views(core.body, typed, names, context);
  };
  for (int round = 0; round < kViewRounds && rewrite(spell_out); ++round) {
  }
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

bool reads_name(Block body, Symbol symbol) {
  return std::ranges::any_of(body, [&](const Stmt* statement) {
    return find_node(statement, [&](const Node* node) {
             const auto* name = as<Name>(node);
             return name != nullptr && name->scope == Scope::Global && name->symbol == symbol;
           }) != nullptr;
  });
}

// The halves of the functions that stay calls, those that the text so far and they themselves use.
class HalvesWriter {
 public:
  HalvesWriter(const PairTable& table, std::vector<std::unique_ptr<ReversedPair>>& reversed,
               Symbol numpy, RuleBook& rules, Context& context)
      : table_(table), reversed_(reversed), numpy_(numpy), rules_(rules), context_(context) {}

  // Appends definitions to `definitions`, and what they need to `reverse`.
  void append(std::vector<const Stmt*>& definitions, ReverseResult& reverse) {
    for (std::unique_ptr<ReversedPair>& pair : reversed_) {
      const PairHalves& halves = table_.halves[pair->index];
      const TypedFunction& typed = *halves.typed;
      const Saves saves = find_saves(typed.body, pair->reverse.plan, pair->names);
      const Symbol result = pair->names.fresh("result");
      const Assembled parts =
          assemble(typed.body, pair->reverse, saves, result, pair->names, context_);
      const Block joint = optimize(join_halves(*pair, parts, result, context_), typed,
                                   pair->reverse, parts, rules_, context_, {});
      Halves split = split_halves(joint, halves, *pair, result, numpy_, context_);
      split.backward = optimize_half(split.backward, typed, pair->reverse, parts, rules_, context_);
      const CoreFunction& core = halves.pair->core;
      made_.push_back(define(halves.pair->forward, core.parameters, split.forward, core.ranges));
      made_.push_back(
          define(halves.pair->backward, split.backward_parameters, split.backward, core.ranges));
      reverse.helpers.insert(reverse.helpers.end(), pair->reverse.helpers.begin(),
                             pair->reverse.helpers.end());
      for (const auto& module : pair->reverse.modules) {
        if (std::ranges::find(reverse.modules, module) == reverse.modules.end())
          reverse.modules.push_back(module);
      }
    }
    // In the order in which they were made, as far as something reads them.
    std::vector<const FunctionDefinition*> used;
    for (bool again = true; again;) {
      again = false;
      for (const FunctionDefinition* function : made_) {
        if (std::ranges::find(used, function) != used.end()) continue;
        auto reads = [&](const Stmt* definition) {
          return reads_name(static_cast<const FunctionDefinition*>(definition)->body,
                            function->name);
        };
        if (!std::ranges::any_of(definitions, reads) && !std::ranges::any_of(used, reads)) continue;
        used.push_back(function);
        again = true;
      }
    }
    for (const FunctionDefinition* function : made_) {
      if (std::ranges::find(used, function) != used.end()) definitions.push_back(function);
    }
  }

 private:
  const FunctionDefinition* define(Symbol name, List<const Parameter*> parameters, Block body,
                                   Ranges ranges) {
    std::vector<const Parameter*> plain;
    for (const Parameter* parameter : parameters) {
      plain.push_back(context_.make<Parameter>(
          parameter->ranges, parameter->name, ParameterKind::Positional,
          static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr)));
    }
    return context_.make<FunctionDefinition>(ranges, name,
                                             List<const Parameter*>(context_.list(plain)),
                                             spell_hidden_builtins(body, parameters, context_),
                                             Exprs(), static_cast<const Expr*>(nullptr), false);
  }

  const PairTable& table_;
  std::vector<std::unique_ptr<ReversedPair>>& reversed_;
  Symbol numpy_;
  RuleBook& rules_;
  Context& context_;
  std::vector<const FunctionDefinition*> made_;
};

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
  const Symbol numpy = numpy_name(ready, names, numpy_is_bound);
  const std::vector<ForwardInput> variables =
      forward_inputs(core, inputs, options, fields, context);
  ForwardResult forward =
      Forward(typed, variables, options.preserve_result, rules, context, numpy, names).run();
  Block body = context.list(forward.body);
  if (log) log("tangent", print(body).text);
  body = optimize(body, typed, forward, rules, context, log);
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
  const ForwardFunction function{
      .core = core, .ranges = ready.ranges, .given = given, .options = options};
  body = with_checks(function, body, context);

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
  return emitted;
}

}  // namespace

Emitted differentiate(const CoreFunction& core, const std::vector<Type>& given,
                      const std::vector<Structure>& structures, const GradientOptions& options,
                      Outside& outside, RuleBook& rules, Context& context, const StageLog& log) {
  // The parts of arguments that constants reach are variables.
  std::vector<NamedField> fields;
  CoreFunction ready = prepare(spell_out_argument_dicts(core, structures, context), context);
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
  const Inputs inputs = inputs_of(core, parameters, options, fields);
  if (log)
    log("core", text_of(ready.body, pairs, [&](std::size_t k) { return pairs[k].core.body; }));

  const TypedProgram program = type_program(ready, arguments, pairs, outside, rules, context);
  const TypedFunction& typed = program.top;
  if (log)
    log("typed", text_of(typed.body, pairs, [&](std::size_t k) { return program.pairs[k].body; }));
  check_result(typed, typed.body);
  check_wholes(typed, fields);

  if (options.forward) {
    return differentiate_forward(core, ready, typed, given, inputs, options, fields, rules, context,
                                 log);
  }

  // Reverse mode: what flows back, what it reads of the primal, what of that has to be saved.
  const CoreFunction all = together(ready, pairs, context);
  NamePool all_names(context, all);
  bool numpy_is_bound = false;
  const Symbol numpy = numpy_name(all, all_names, numpy_is_bound);
  PairTable table = find_active_pairs(program, pairs, inputs.names, rules);
  std::vector<std::unique_ptr<ReversedPair>> reversed = settle_pairs(table, rules, context, numpy);
  NamePool names(context, ready);
  names.take(numpy);
  ReverseResult reverse =
      Reverse(typed, inputs.names, inputs.types, rules, context, numpy, names, &table).run();
  if (fields.empty()) check_structure(ready, typed, arguments, options, reverse);
  const std::vector<const Expr*> parts = std::move(reverse.gradients);
  reverse.gradients =
      GradientBuilder(core, structures, fields, reverse, context).build(options, parts);
  const Saves saves = find_saves(typed.body, reverse.plan, names);
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
  body = optimize(body, typed, reverse, assembled, rules, context, log);
  body =
      bind_fields(body, fields, [&](std::string_view wish) { return names.fresh(wish); }, context);
  if (!core.changed_objects.empty()) body = spell_attribute_stores(body, context);
  body = spell_hidden_builtins(body, core.parameters, context);

  std::vector<const Stmt*> definitions{define_function(function, body, context)};
  HalvesWriter(table, reversed, numpy, rules, context).append(definitions, reverse);

  Emitted emitted;
  const PrintedText text = print(context.list(definitions));
  emitted.text = text.text;
  emitted.lines = text.lines;
  emitted.places = text.places;
  emitted.function_name = options.function_name;
  emitted.seed_name = std::string(reverse.seed.text());
  emitted.scalar_result = typed.result.is_number();
  emitted.globals = all.globals;
  emitted.seed_size = reverse.tuple_size;
  emitted.written = written_parameters(ready, given.size(), fields, reverse.written_parameters,
                                       reverse.changed_parameters);
  emitted.questions.assign(given.size(), {});
  for (std::size_t k = 0; k < given.size(); ++k) emitted.questions[k].ones = given[k].is_array();
  finish_names(emitted, context.list(definitions), reverse, numpy, numpy_is_bound);
  return emitted;
}

}  // namespace tangent
