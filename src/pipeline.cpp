// The road from a core program to the text of its gradient; see pipeline.h.
#include "pipeline.h"

#include <algorithm>
#include <initializer_list>

#include "analysis/aliases.h"
#include "analysis/views.h"
#include "autodiff/assemble.h"
#include "autodiff/list_names.h"
#include "autodiff/reverse.h"
#include "autodiff/save.h"
#include "emit/function.h"
#include "lower/prepare.h"
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
                           const std::vector<NamedField>& fields, const ReverseResult& reverse) {
  Written written;
  for (std::size_t k = 0; k < core.parameters.size(); ++k) {
    const Symbol name = core.parameters[k]->name;
    const std::size_t position = k < count ? k : fields[k - count].parameter;
    const auto among = [&](const std::vector<Symbol>& names) {
      return std::ranges::find(names, name) != names.end();
    };
    if (among(reverse.written_parameters)) written.arrays.push_back(position);
    if (among(reverse.changed_parameters)) written.lists.push_back(position);
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

}  // namespace

Emitted differentiate(const CoreFunction& core, const std::vector<Type>& given,
                      const std::vector<Structure>& structures, const GradientOptions& options,
                      Outside& outside, RuleBook& rules, Context& context, const StageLog& log) {
  // The parts of arguments that constants reach are variables.
  std::vector<NamedField> fields;
  CoreFunction ready =
      name_fields(prepare(spell_out_argument_dicts(core, structures, context), context), structures,
                  fields, context);
  std::vector<Type> arguments = given;
  for (std::size_t k = 0; k < structures.size(); ++k) {
    if (structures[k].is_items()) arguments[k] = structures[k].type;
  }
  const std::vector<Type> parameters = arguments;
  for (const NamedField& field : fields) arguments.push_back(field.type);
  const Inputs inputs = inputs_of(core, parameters, options, fields);
  if (log) log("core", print(ready.body).text);

  // Types of every expression; methods are resolved.
  TypedFunction typed = infer(ready, arguments, outside, rules, context);
  // Lists that are made inside of expressions have names.
  if (const Block body = name_lists(ready, typed, context); body.data() != ready.body.data()) {
    ready.body = body;
    typed = infer(ready, arguments, outside, rules, context);
  }
  // Where one array is stored into through several names, the names of views are spelled out.
  for (int round = 0; round < kViewRounds; ++round) {
    const std::unordered_set<Symbol> names = Aliases(typed).in_conflict();
    if (names.empty()) break;
    const Block body = spell_out_views(ready.body, typed, names, context);
    if (body.data() == ready.body.data()) break;
    ready.body = body;
    typed = infer(ready, arguments, outside, rules, context);
  }
  if (log) log("typed", print(typed.body).text);
  check_result(typed, typed.body);

  // Reverse mode: what flows back, what it reads of the primal, what of that has to be saved.
  NamePool names(context, ready);
  bool numpy_is_bound = false;
  const Symbol numpy = numpy_name(ready, names, numpy_is_bound);
  ReverseResult reverse =
      Reverse(typed, inputs.names, inputs.types, rules, context, numpy, names).run();
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

  Emitted emitted;
  const PrintedText text = print_function(function, body, context);
  emitted.text = text.text;
  emitted.lines = text.lines;
  emitted.places = text.places;
  emitted.function_name = options.function_name;
  emitted.seed_name = std::string(reverse.seed.text());
  emitted.scalar_result = typed.result.is_number();
  emitted.globals = ready.globals;
  emitted.seed_size = reverse.tuple_size;
  emitted.written = written_parameters(ready, given.size(), fields, reverse);
  emitted.questions.assign(given.size(), {});
  for (std::size_t k = 0; k < given.size(); ++k) emitted.questions[k].ones = given[k].is_array();
  finish_names(emitted, body, reverse, numpy, numpy_is_bound);
  return emitted;
}

}  // namespace tangent
