// The road from a core program to the text of its gradient; see pipeline.h.
#include "pipeline.h"

#include <algorithm>
#include <initializer_list>

#include "autodiff/assemble.h"
#include "autodiff/reverse.h"
#include "autodiff/save.h"
#include "emit/function.h"
#include "lower/prepare.h"
#include "optimize/passes.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

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

std::vector<Symbol> inputs_of(const CoreFunction& core, const std::vector<Type>& arguments,
                              const GradientOptions& options) {
  std::vector<Symbol> inputs;
  for (const int position : options.wrt) {
    const auto index = static_cast<std::size_t>(position);
    const Parameter* parameter = core.parameters[index];
    const Type& type = arguments[index];
    const bool numeric = type.kind == TypeKind::Number || type.kind == TypeKind::Array ||
                         type.kind == TypeKind::Numeric;
    const std::string name(parameter->name.text());
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
    inputs.push_back(parameter->name);
  }
  return inputs;
}

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

Emitted differentiate(const CoreFunction& core, const std::vector<Type>& arguments,
                      const GradientOptions& options, Outside& outside, RuleBook& rules,
                      Context& context, const StageLog& log) {
  const std::vector<Symbol> inputs = inputs_of(core, arguments, options);
  const CoreFunction ready = prepare(core, context);
  if (log) log("core", print(ready.body).text);

  // Types of every expression; methods are resolved.
  const TypedFunction typed = infer(ready, arguments, outside, rules, context);
  if (log) log("typed", print(typed.body).text);
  check_result(typed, typed.body);

  // Reverse mode: what flows back, what it reads of the primal, what of that has to be saved.
  NamePool names(context, ready);
  bool numpy_is_bound = false;
  const Symbol numpy = numpy_name(ready, names, numpy_is_bound);
  std::vector<Type> input_types;
  for (const int position : options.wrt) {
    input_types.push_back(arguments[static_cast<std::size_t>(position)]);
  }
  ReverseResult reverse = Reverse(typed, inputs, input_types, rules, context, numpy, names).run();
  check_structure(ready, typed, arguments, options, reverse);
  const Saves saves = find_saves(typed.body, reverse.plan, names);
  const Symbol result = names.fresh("result");
  Assembled assembled = assemble(typed.body, reverse, saves, result, names, context);

  // One function again: the primal, the backward part, the gradients.
  EmittedFunction function{.core = ready,
                           .typed = typed,
                           .reverse = reverse,
                           .options = options,
                           .result = result,
                           .numpy = numpy};
  Block body = join_parts(function, assembled, context);
  if (log) log("adjoint", print(body).text);
  body = optimize(body, typed, reverse, assembled, rules, context, log);

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
  emitted.questions.assign(arguments.size(), {});
  for (std::size_t k = 0; k < arguments.size(); ++k)
    emitted.questions[k].ones = arguments[k].is_array();
  finish_names(emitted, body, reverse, numpy, numpy_is_bound);
  return emitted;
}

}  // namespace tangent
