#include "python/program.h"

#include <algorithm>

#include "python/errors.h"
#include "python/structure.h"
#include "syntax/printer.h"

namespace nb = nanobind;

namespace tangent::python {

Program::Program(Session& session, nb::handle function)
    : session_(session), context_(session.symbols()), outside_(session.rules()) {
  translated(outside_.files(), [&] {
    handle_ = outside_.handle_of(function);
    captured_ = outside_.source_of({.kind = ThingKind::UserFunction, .handle = handle_}, context_);
    check_syntax(captured_);
  });
}

const CoreFunction& Program::core() {
  if (!core_) core_ = lower(captured_, handle_, outside_, session_.rules(), context_);
  return *core_;
}

const CoreFunction& Program::core(const std::vector<PyObject*>& arguments) {
  // Of these lowering asks what they are.
  const bool plain = std::ranges::none_of(
      arguments, [](PyObject* value) { return is_plain_object(value) || !is_plain_value(value); });
  if (plain) return core();
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
