#include "python/program.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "python/entries.h"
#include "python/errors.h"
#include "python/structure.h"
#include "python/text.h"
#include "python/user_rules.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace nb = nanobind;

namespace tangent::python {

Program::Program(Session& session, bool forward)
    : session_(session), context_(session.symbols()), outside_(session.rules(), forward) {}

Program::Program(Session& session, nb::handle function, bool forward) : Program(session, forward) {
  translated(outside_.files(), [&] {
    handle_ = outside_.handle_of(function);
    captured_ = outside_.source_of({.kind = ThingKind::UserFunction, .handle = handle_}, context_);
    if (rule_slot(function, forward).is_valid()) {
      call_instead(function);
    } else {
      check_syntax(captured_);
    }
  });
}

std::size_t literal_outputs(const FunctionDefinition& definition) {
  std::size_t size = 0;
  std::vector<const Node*> stack(definition.body.begin(), definition.body.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (is_expression(node->kind) || is<FunctionDefinition>(node) || is<ClassDefinition>(node))
      continue;
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
    const auto* exit = as<Return>(node);
    if (exit == nullptr) continue;
    const auto* tuple = as<TupleDisplay>(exit->value);
    if (tuple == nullptr || (size != 0 && tuple->elements.size() != size)) return 0;
    for (const Expr* element : tuple->elements) {
      if (is<Starred>(element)) return 0;
    }
    size = tuple->elements.size();
  }
  return size;
}

void Program::call_instead(nb::handle function) {
  const FunctionDefinition& definition = *captured_.definition;
  std::vector<const Expr*> arguments;
  std::vector<const Keyword*> keywords;
  std::string name(view(function.attr("__name__")));
  if (captured_.is_lambda) name = "function";
  for (const Parameter* parameter : definition.parameters) {
    const Expr* value = context_.make<Name>(parameter->ranges, parameter->name, Scope::Unresolved);
    switch (parameter->form) {
      case ParameterKind::KeywordOnly:
        keywords.push_back(context_.make<Keyword>(parameter->ranges, parameter->name, value));
        break;
      case ParameterKind::VariadicPositional:
      case ParameterKind::VariadicKeyword:
        throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                         "`*` and `**` parameters of a function with a rule of its own",
                         parameter->ranges, "name the parameters");
      default:
        arguments.push_back(value);
    }
    if (parameter->name.text() == name) name += '_';
  }
  const Symbol alias = context_.symbol(name);
  const ThingHandle meaning = outside_.handle_of(function);
  outside_.set_alias(handle_, alias, meaning);
  const Expr* call = context_.make<Call>(
      definition.ranges,
      static_cast<const Expr*>(context_.make<Name>(definition.ranges, alias, Scope::Unresolved)),
      Symbol(), Exprs(context_.list(arguments)), List<const Keyword*>(context_.list(keywords)));
  std::vector<const Stmt*> body;
  if (const std::size_t size = literal_outputs(definition); size > 0) {
    // The parts of a tuple have names.
    std::vector<const Expr*> targets;
    std::vector<const Expr*> values;
    for (std::size_t k = 0; k < size; ++k) {
      const Symbol part = context_.symbol("part" + std::to_string(k));
      targets.push_back(context_.make<Name>(definition.ranges, part, Scope::Unresolved));
      values.push_back(context_.make<Name>(definition.ranges, part, Scope::Unresolved));
    }
    const Expr* unpacked = context_.make<TupleDisplay>(definition.ranges, context_.list(targets));
    body.push_back(context_.assign(unpacked, call, definition.ranges));
    call = context_.make<TupleDisplay>(definition.ranges, context_.list(values));
  }
  body.push_back(context_.make<Return>(definition.ranges, call));
  captured_.definition = context_.make<FunctionDefinition>(
      definition.ranges, definition.name, definition.parameters, context_.list(body), Exprs(),
      static_cast<const Expr*>(nullptr), false);
  captured_.is_lambda = false;
}

const CoreFunction& Program::core() {
  if (core_) return *core_;
  core_ = lower(captured_, handle_, outside_, session_.rules(), context_);
  if (outside_.wanted_derivatives().empty()) return *core_;
  // It is another program for arguments of other types.
  of_objects_.push_back(std::move(*core_));
  core_.reset();
  return of_objects_.back();
}

const CoreFunction& Program::core(const std::vector<PyObject*>& arguments) {
  // Of these lowering asks what they are.
  const bool plain = std::ranges::none_of(arguments, [](PyObject* value) {
    return is_plain_object(value) || !is_plain_value(value) || holds_functions(value);
  });
  if (plain && !needs_arguments_) {
    try {
      return core();
    } catch (const Diagnostic&) {
      if (!outside_.missed_arguments()) throw;
      needs_arguments_ = true;  // it depends on how long they are, or on their keys
    }
  }
  return lowered_for(arguments);
}

const CoreFunction& Program::lowered_for(const std::vector<PyObject*>& arguments) {
  struct Given {
    Given(LiveOutside& outside, const std::vector<PyObject*>& arguments) : outside(outside) {
      outside.set_arguments(&arguments);
    }
    ~Given() { outside.set_arguments(nullptr); }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
    LiveOutside& outside;
  };
  const Given given(outside_, arguments);
  return of_objects_.emplace_back(lower(captured_, handle_, outside_, session_.rules(), context_));
}

namespace {

std::string print_function(const CoreFunction& core, Block body, Context& context,
                           const PrintOptions& options) {
  const Stmt* definition =
      context.make<FunctionDefinition>(core.ranges, core.name, core.parameters, body, Exprs(),
                                       static_cast<const Expr*>(nullptr), false);
  return print(context.list({definition}), options).text;
}

}  // namespace

std::string print_core(const CoreFunction& core, Context& context) {
  return print_function(core, core.body, context, {});
}

std::string print_typed(const CoreFunction& core, const TypedFunction& typed, Context& context) {
  PrintOptions options;
  options.annotation = [&](const Expr* target) {
    if (const Type* type = typed.types.find(target)) return to_text(*type);
    if (const auto* name = as<Name>(target)) {
      auto found = typed.variables.find(name->symbol);
      if (found != typed.variables.end()) return to_text(found->second);
    }
    return std::string();
  };
  return print_function(core, typed.body, context, options);
}

}  // namespace tangent::python
