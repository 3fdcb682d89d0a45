// Signature, checks and text of the function of forward mode; see forward_function.h.
#include "emit/forward_function.h"

namespace tangent {

Block with_checks(const ForwardFunction& function, Block body, Context& context) {
  if (!function.options.check_dims) return body;
  std::vector<const Stmt*> statements;
  for (std::size_t k = 0; k < function.options.wrt.size(); ++k) {
    const auto position = static_cast<std::size_t>(function.options.wrt[k]);
    if (function.given[position].is_number()) continue;
    const Symbol tangent = context.symbol(function.options.tangents[k]);
    const std::vector<const Expr*> arguments{
        context.local(tangent), context.local(function.core.parameters[position]->name)};
    const Expr* call =
        context.make<Call>(Ranges(), context.global(context.symbol("_check_tangent")),
                           context.symbol("tangent.runtime._check_tangent"),
                           context.list(arguments), List<const Keyword*>());
    statements.push_back(
        context.make<ExpressionStatement>(function.core.parameters[position]->ranges, call));
  }
  statements.insert(statements.end(), body.begin(), body.end());
  return context.list(statements);
}

PrintedText print_function(const ForwardFunction& function, Block body, Context& context) {
  std::vector<const Parameter*> parameters;
  bool placed = false;
  bool defaults = false;
  auto place = [&](ParameterKind form) {
    if (placed) return;
    placed = true;
    for (const std::string& tangent : function.options.tangents) {
      // A parameter behind one with a default has one, too; calls are refused without it.
      const Expr* standard =
          defaults && form == ParameterKind::Positional ? context.none() : nullptr;
      parameters.push_back(context.make<Parameter>(Ranges(), context.symbol(tangent), form,
                                                   static_cast<const Expr*>(nullptr), standard));
    }
  };
  for (const Parameter* parameter : function.core.parameters) {
    if (parameter->form == ParameterKind::KeywordOnly ||
        parameter->form == ParameterKind::VariadicKeyword) {
      place(ParameterKind::Positional);
    }
    // A default that is no literal is an object of the primal: the caller puts it in place of this
    // one.
    const Expr* standard = parameter->default_value;
    defaults = defaults || standard != nullptr;
    if (standard != nullptr && !is<Constant>(standard)) standard = context.none();
    parameters.push_back(context.make<Parameter>(parameter->ranges, parameter->name,
                                                 parameter->form, static_cast<const Expr*>(nullptr),
                                                 standard));
    if (parameter->form == ParameterKind::VariadicPositional) place(ParameterKind::KeywordOnly);
  }
  place(ParameterKind::Positional);
  const Stmt* definition = context.make<FunctionDefinition>(
      function.ranges, context.symbol(function.options.function_name), context.list(parameters),
      body, Exprs(), static_cast<const Expr*>(nullptr), false);
  return print(context.list<const Stmt*>({definition}));
}

}  // namespace tangent
