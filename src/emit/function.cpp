// The gradient function from its parts; see function.h.
#include "emit/function.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/variables.h"
#include "emit/hidden_builtins.h"

namespace tangent {

namespace {

// What the result of the primal, and what its inputs are in the user's text.
Ranges result_ranges(const EmittedFunction& function) {
  const Block body = function.typed.body;
  return body.empty() ? function.core.ranges : body.back()->ranges;
}

// What is computed where it is given back comes from the statements that it differentiates.
void add_computed(const Expr* value, Ranges& ranges, Context& context) {
  const auto add_all = [&](Exprs parts) {
    for (const Expr* part : parts) add_computed(part, ranges, context);
  };
  if (const auto* tuple = as<TupleDisplay>(value)) return add_all(tuple->elements);
  if (const auto* list = as<ListDisplay>(value)) return add_all(list->elements);
  if (const auto* dict = as<Dictionary>(value)) return add_all(dict->values);
  if (!is<Name>(value) && !is<Constant>(value)) ranges = context.merge(ranges, value->ranges);
}

Ranges input_ranges(const EmittedFunction& function, const std::vector<const Expr*>& gradients,
                    Context& context) {
  Ranges ranges;
  for (const Expr* gradient : gradients) add_computed(gradient, ranges, context);
  for (const int position : function.options.wrt) {
    const auto index = static_cast<std::size_t>(position);
    if (index < function.core.parameters.size())
      ranges = context.merge(ranges, function.core.parameters[index]->ranges);
  }
  return ranges.empty() ? function.core.ranges : ranges;
}

const Expr* call_helper(std::string_view name, const std::vector<const Expr*>& arguments,
                        Context& context) {
  return context.make<Call>({}, context.global(context.symbol(name)),
                            context.symbol("tangent.runtime." + std::string(name)),
                            context.list(arguments), List<const Keyword*>());
}

std::unordered_set<Symbol> globals_of(Block body) {
  std::unordered_set<Symbol> found;
  for (const Stmt* statement : body) {
    for_each_node(*statement, [&](const Node& node) {
      const auto* name = as<Name>(&node);
      if (name != nullptr && name->scope == Scope::Global) found.insert(name->symbol);
    });
  }
  return found;
}

}  // namespace

Block join_parts(const EmittedFunction& function, const Assembled& parts, Context& context) {
  std::vector<const Stmt*> body = parts.tapes;
  body.insert(body.end(), parts.forward.begin(), parts.forward.end());
  const TypeKind kind = function.typed.result.kind;
  const bool scalar =
      kind != TypeKind::Array && kind != TypeKind::Numeric && kind != TypeKind::Unknown;
  if (!scalar && function.options.check_dims && function.reverse.tuple_size == 0) {
    body.push_back(context.make<ExpressionStatement>(
        result_ranges(function),
        call_helper("_check_seed",
                    {context.local(function.reverse.seed), context.local(function.result)},
                    context)));
  }
  if (!parts.backward.empty() && !parts.forward.empty()) {
    body.push_back(context.make<Comment>({}, std::string_view()));
  }
  body.insert(body.end(), parts.backward.begin(), parts.backward.end());

  std::vector<const Expr*> gradients = function.reverse.gradients;
  for (std::size_t k = 1; k < gradients.size(); ++k) {
    // The same parameter asked for twice: two arrays all the same.
    const bool again = std::any_of(
        gradients.begin(), gradients.begin() + static_cast<std::ptrdiff_t>(k),
        [&](const Expr* other) { return is<Name>(other) && equal(other, gradients[k]); });
    const auto* name = as<Name>(gradients[k]);
    if (name != nullptr && function.reverse.number_names.contains(name->symbol)) continue;
    if (again) {
      gradients[k] = context.make<Call>(
          {}, context.make<Attribute>({}, context.global(function.numpy), context.symbol("copy")),
          context.symbol("numpy.copy"), context.list<const Expr*>({gradients[k]}),
          List<const Keyword*>());
    }
  }
  const Expr* value = context.local(function.result);
  const Expr* returned = nullptr;
  if (function.options.value_first) {
    const Expr* inner = function.options.single && gradients.size() == 1
                            ? gradients[0]
                            : context.make<TupleDisplay>({}, context.list(gradients));
    returned = context.make<TupleDisplay>({}, context.list<const Expr*>({value, inner}));
  } else {
    if (function.options.preserve_result) gradients.push_back(value);
    returned = gradients.size() == 1 && function.options.single
                   ? gradients[0]
                   : context.make<TupleDisplay>({}, context.list(gradients));
  }
  body.push_back(context.make<Return>(input_ranges(function, gradients, context), returned));
  return context.list(body);
}

namespace {

// The number of each part of a result that is a tuple of that size; nothing of any other.
std::vector<double> default_seeds(const GradientOptions& options, std::size_t size, Ranges ranges) {
  const std::string parts =
      size == 0 ? "the result is one value"
                : "the result has " + std::to_string(size) + (size == 1 ? " part" : " parts");
  if (options.output_index >= 0) {
    // One value is its own first part.
    const auto index = static_cast<std::size_t>(options.output_index);
    if (index >= std::max<std::size_t>(size, 1)) {
      throw Diagnostic(DiagnosticKind::BadOption,
                       "output_index=" + std::to_string(options.output_index) + ": " + parts,
                       ranges, "count from 0");
    }
    std::vector<double> seeds(size, 0.0);
    if (size > 0) seeds[index] = 1.0;
    return seeds;
  }
  if (options.output_weights.empty()) return std::vector<double>(size, 1.0);
  if (options.output_weights.size() != size) {
    throw Diagnostic(DiagnosticKind::BadOption,
                     "output_weights has " + std::to_string(options.output_weights.size()) +
                         " numbers: " + parts,
                     ranges, "give one weight for each value of the returned tuple");
  }
  return options.output_weights;
}

// A seed of ones, times a number.
const Expr* times(const Expr* ones, double weight, Context& context) {
  const auto all = [&](Exprs elements) {
    std::vector<const Expr*> parts;
    for (const Expr* element : elements) parts.push_back(times(element, weight, context));
    return context.list(parts);
  };
  if (const auto* tuple = as<TupleDisplay>(ones))
    return context.make<TupleDisplay>({}, all(tuple->elements));
  if (const auto* list = as<ListDisplay>(ones))
    return context.make<ListDisplay>({}, all(list->elements));
  if (const auto* dict = as<Dictionary>(ones))
    return context.make<Dictionary>({}, dict->keys, all(dict->values));
  return context.number(weight);
}

}  // namespace

const Expr* default_seed(const GradientOptions& options, const ReverseResult& reverse,
                         Ranges ranges, Context& context) {
  const std::vector<double> weights = default_seeds(options, reverse.tuple_size, ranges);
  const auto* tuple = as<TupleDisplay>(reverse.seed_parts);
  if (weights.empty())
    return reverse.seed_parts == nullptr ? context.number(1.0) : reverse.seed_parts;
  std::vector<const Expr*> parts;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Expr* ones = tuple != nullptr && tuple->elements.size() == weights.size()
                           ? tuple->elements[k]
                           : context.number(1.0);
    parts.push_back(times(ones, weights[k], context));
  }
  return context.make<TupleDisplay>({}, context.list(parts));
}

const FunctionDefinition* define_function(const EmittedFunction& function, Block body,
                                          Context& context) {
  std::vector<const Parameter*> parameters;
  const Expr* one = default_seed(function.options, function.reverse, function.core.ranges, context);
  const Parameter* seed = nullptr;
  bool defaults = false;
  auto place_seed = [&](ParameterKind form) {
    if (seed != nullptr) return;
    // A parameter behind one with a default has one, too; calls are refused without it.
    const Expr* standard = one;
    if (function.options.seed_required)
      standard = defaults && form == ParameterKind::Positional ? context.none() : nullptr;
    seed = context.make<Parameter>({}, function.reverse.seed, form,
                                   static_cast<const Expr*>(nullptr), standard);
    parameters.push_back(seed);
  };
  for (const Parameter* parameter : function.core.parameters) {
    if (parameter->form == ParameterKind::KeywordOnly ||
        parameter->form == ParameterKind::VariadicKeyword) {
      place_seed(seed == nullptr ? ParameterKind::Positional : ParameterKind::KeywordOnly);
    }
    // A default that is no literal is an object of the primal: the caller puts it in place of this
    // one.
    const Expr* standard = parameter->default_value;
    defaults = defaults || standard != nullptr;
    if (standard != nullptr && !is<Constant>(standard)) standard = context.none();
    parameters.push_back(context.make<Parameter>(parameter->ranges, parameter->name,
                                                 parameter->form, static_cast<const Expr*>(nullptr),
                                                 standard));
    if (parameter->form == ParameterKind::VariadicPositional)
      place_seed(ParameterKind::KeywordOnly);
  }
  place_seed(ParameterKind::Positional);
  return context.make<FunctionDefinition>(
      function.core.ranges, context.symbol(function.options.function_name),
      context.list(parameters), body, Exprs(), static_cast<const Expr*>(nullptr), false);
}

Block with_ignored_errors(Block body, const CoreFunction& core, Symbol numpy, Context& context) {
  if (core.ignored_errors.empty()) return body;
  std::vector<const Keyword*> keywords;
  for (const std::string& name : core.ignored_errors) {
    const Expr* ignore =
        context.make<Constant>({}, Literal{.kind = LiteralKind::String, .text = "ignore"});
    keywords.push_back(context.make<Keyword>({}, context.symbol(name), ignore));
  }
  const Expr* errstate = context.make<Attribute>(
      {}, static_cast<const Expr*>(context.global(numpy)), context.symbol("errstate"));
  const Expr* call = context.make<Call>({}, errstate, Symbol(), Exprs(),
                                        List<const Keyword*>(context.list(keywords)));
  const auto* item = context.make<WithItem>({}, call, static_cast<const Expr*>(nullptr));
  return context.list<const Stmt*>(
      {context.make<With>({}, context.list<const WithItem*>({item}), body, false)});
}

void finish_names(Emitted& emitted, Block body, const ReverseResult& reverse, Symbol numpy,
                  bool numpy_is_bound) {
  const std::unordered_set<Symbol> globals = globals_of(body);
  const auto reads_global = [&](std::string_view text) {
    return std::ranges::any_of(globals, [&](Symbol name) { return name.text() == text; });
  };
  emitted.helpers.clear();
  for (const std::string& helper : reverse.helpers) {
    if (reads_global(helper)) emitted.helpers.push_back(helper);
  }
  if (reads_global("_check_seed")) emitted.helpers.emplace_back("_check_seed");
  emitted.numpy_name = std::string(numpy.text());
  emitted.uses_numpy = !numpy_is_bound && reads_global(emitted.numpy_name);
  if (reads_global(kBuiltinsName))
    emitted.modules.emplace_back("builtins", std::string(kBuiltinsName));
  for (const auto& [module, printed] : reverse.modules) {
    emitted.modules.emplace_back(module, std::string(printed.text()));
  }
}

}  // namespace tangent
