// What the tests of lowering share: short forms of surface nodes, and an outside made of tables.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "capture/outside.h"
#include "lower/lower.h"
#include "lower/verify.h"
#include "syntax/printer.h"

namespace tangent::lower_tests {

// Handle 0 is the function that is lowered.
class TableOutside final : public Outside {
 public:
  Thing lookup(ThingHandle function, Symbol name, Context&) override {
    const auto own = names.find({function, std::string(name.text())});
    if (own != names.end()) return own->second;
    const auto shared = names.find({-1, std::string(name.text())});
    return shared != names.end() ? shared->second : Thing{};
  }
  Thing attribute(const Thing& thing, Symbol name, Context& context) override {
    if (thing.kind != ThingKind::Module) return {};
    const std::string path =
        std::string(thing.qualified_name.text()) + "." + std::string(name.text());
    return {.kind = ThingKind::Library, .handle = 900, .qualified_name = context.symbol(path)};
  }
  Type type_of(const Thing&, Arena&) override { return Type::number(DType::Float64); }
  std::optional<Literal> literal_of(const Thing&, Arena&) override { return std::nullopt; }
  CapturedFunction source_of(const Thing& function, Context&) override {
    return {.definition = sources.at(function.handle)};
  }
  Block parse(std::string_view, std::string_view, int, Context&) override {
    throw InternalError("nothing to parse");
  }

  std::map<std::pair<ThingHandle, std::string>, Thing> names;  // -1: for every function
  std::map<ThingHandle, const FunctionDefinition*> sources;
};

// Surface nodes in few words. Every node stands on a line of its own.
struct Builder {
  Context context{std::make_shared<Symbols>()};
  TableOutside outside;
  std::uint32_t line = 0;

  Ranges here() {
    ++line;
    return context.list({SourceRange{0, line, 0, line, 1}});
  }
  const Expr* name(std::string_view text) {
    return context.make<Name>(here(), context.symbol(text), Scope::Unresolved);
  }
  const Expr* number(double value) { return context.number(value, here()); }
  const Expr* binary(const Expr* left, BinaryOperator op, const Expr* right) {
    return context.make<BinaryOperation>(here(), op, left, right);
  }
  const Expr* add(const Expr* left, const Expr* right) {
    return binary(left, BinaryOperator::Add, right);
  }
  const Expr* multiply(const Expr* left, const Expr* right) {
    return binary(left, BinaryOperator::Multiply, right);
  }
  const Expr* less(const Expr* left, const Expr* right) {
    return context.make<Comparison>(here(), left, context.list({ComparisonOperator::Less}),
                                    context.list({right}));
  }
  const Expr* call(const Expr* function, const std::vector<const Expr*>& arguments) {
    return context.make<Call>(here(), function, Symbol(), context.list(arguments),
                              List<const Keyword*>());
  }
  const Stmt* assign(std::string_view target, const Expr* value) {
    return context.assign(name(target), value, here());
  }
  const Stmt* returns(const Expr* value) { return context.make<Return>(here(), value); }
  const Stmt* branch(const Expr* test, const std::vector<const Stmt*>& body,
                     const std::vector<const Stmt*>& orelse = {}) {
    return context.make<If>(here(), test, context.list(body), context.list(orelse));
  }
  const Stmt* loop(std::string_view target, const Expr* iterable,
                   const std::vector<const Stmt*>& body,
                   const std::vector<const Stmt*>& orelse = {}) {
    return context.make<For>(here(), name(target), iterable, context.list(body),
                             context.list(orelse), false);
  }
  const FunctionDefinition* function(std::string_view name,
                                     const std::vector<std::string_view>& parameters,
                                     const std::vector<const Stmt*>& body) {
    std::vector<const Parameter*> list;
    for (const std::string_view parameter : parameters) {
      list.push_back(context.make<Parameter>(
          here(), context.symbol(parameter), ParameterKind::Positional,
          static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr)));
    }
    return context.make<FunctionDefinition>(here(), context.symbol(name), context.list(list),
                                            context.list(body), Exprs(),
                                            static_cast<const Expr*>(nullptr), false);
  }

  void module(std::string_view name, std::string_view qualified, ThingHandle handle) {
    outside.names[{-1, std::string(name)}] = {ThingKind::Module, handle, context.symbol(qualified)};
  }
  void library(std::string_view name, std::string_view qualified, ThingHandle handle) {
    outside.names[{-1, std::string(name)}] = {ThingKind::Library, handle,
                                              context.symbol(qualified)};
  }
  void value(ThingHandle function, std::string_view name, ThingHandle handle) {
    outside.names[{function, std::string(name)}] = {ThingKind::Value, handle, Symbol()};
  }
  void user(const FunctionDefinition* definition, ThingHandle handle) {
    outside.names[{-1, std::string(definition->name.text())}] = {ThingKind::UserFunction, handle,
                                                                 definition->name};
    outside.sources[handle] = definition;
  }

  CoreFunction lower(const FunctionDefinition* definition) {
    RuleBook rules(context.symbols(), nullptr);
    CoreFunction core = tangent::lower({.definition = definition}, 0, outside, rules, context);
    verify_core(core);
    return core;
  }
  std::string text(const FunctionDefinition* definition) {
    return print(lower(definition).body).text;
  }
};

// The kind of the diagnostic that f throws, by name; "" if it throws none.
template <class F>
std::string refused(F&& f) {
  try {
    f();
  } catch (const Diagnostic& diagnostic) {
    return std::string(diagnostic_name(diagnostic.kind));
  }
  return "";
}

}  // namespace tangent::lower_tests
