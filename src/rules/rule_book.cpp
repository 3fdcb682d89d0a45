// Finding and reading records: the index is searched, one record is parsed, its names are bound.

#include <algorithm>
#include <string>

#include "base/diagnostics.h"
#include "rules/bind.h"
#include "rules/rule.h"

namespace tangent {
namespace {

[[noreturn]] void bad_rule(std::string message, Ranges ranges) {
  throw Diagnostic(DiagnosticKind::BadRule, std::move(message), ranges,
                   "a rule is written as rules/README.md describes");
}

const Literal& literal_string(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  if (constant == nullptr || constant->value.kind != LiteralKind::String) {
    bad_rule("a string is expected here", expression->ranges);
  }
  return constant->value;
}

Exprs elements_of(const Expr* expression) {
  const auto* tuple = as<TupleDisplay>(expression);
  if (tuple == nullptr) bad_rule("a tuple is expected here", expression->ranges);
  return tuple->elements;
}

bool is_true(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->value.kind == LiteralKind::True;
}

// @adjoint("name", …) above a record.
struct Header {
  std::string_view kind;
  const Call* call = nullptr;

  [[nodiscard]] const Expr* option(std::string_view name) const {
    for (const Keyword* keyword : call->keywords) {
      if (keyword->name.text() == name) return keyword->value;
    }
    return nullptr;
  }
};

Header header_of(const FunctionDefinition& definition) {
  Header header;
  if (definition.decorators.size() == 1) header.call = as<Call>(definition.decorators[0]);
  const auto* word = header.call != nullptr ? as<Name>(header.call->function) : nullptr;
  if (word == nullptr || header.call->arguments.size() != 1) {
    bad_rule("a record stands under @adjoint, @tangent or @constant, with one name",
             definition.ranges);
  }
  header.kind = word->symbol.text();
  return header;
}

}  // namespace

int Rule::index_of(Symbol parameter) const {
  const auto found = std::ranges::find(parameters, parameter, &RuleParameter::name);
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

std::string_view known_name(std::string_view name) {
  const auto synonyms = rule_synonyms();
  const auto found = std::ranges::lower_bound(synonyms, name, {}, &RuleSynonym::name);
  return found != synonyms.end() && found->name == name ? found->known_as : name;
}

RuleBook::RuleBook(std::shared_ptr<Symbols> symbols, Parser parser)
    : context_(std::move(symbols)), parser_(std::move(parser)) {}

bool RuleBook::is_library(std::string_view package) {
  return std::ranges::binary_search(rule_packages(), package);
}

const Rule* RuleBook::find(std::string_view qualified_name) {
  if (const auto known = rules_.find(qualified_name); known != rules_.end()) {
    return known->second.get();
  }
  const auto index = rule_index();
  const auto found = std::ranges::lower_bound(index, qualified_name, {}, &RuleSource::name);
  if (found == index.end() || found->name != qualified_name) return nullptr;
  auto rule = read(found->text, found->filename, found->line, found->name);
  return rules_.emplace(found->name, std::move(rule)).first->second.get();
}

const Rule* RuleBook::add(std::string_view text, std::string_view filename, int line,
                          std::string_view key) {
  auto rule = read(text, filename, line, key);
  const std::string_view name = key.empty() ? rule->name.text() : context_.symbol(key).text();
  auto& place = rules_[name];
  // A program made with the old record may still refer to it.
  if (place != nullptr) replaced_.push_back(std::move(place));
  place = std::move(rule);
  return place.get();
}

std::unique_ptr<Rule> RuleBook::read(std::string_view text, std::string_view filename, int line,
                                     std::string_view called) {
  const Block block = parser_(text, filename, line, context_);
  const auto* definition = block.empty() ? nullptr : as<FunctionDefinition>(block[0]);
  if (definition == nullptr || block.size() > 2) {
    bad_rule("a record is one function, and perhaps its @tangent", {});
  }
  const Header header = header_of(*definition);
  auto rule = std::make_unique<Rule>();
  rule->name = context_.symbol(literal_string(header.call->arguments[0]).text);
  if (called.empty()) called = rule->name.text();
  if (definition->parameters.empty()) {
    bad_rule("the first parameter of a record is the result", definition->ranges);
  }
  rule->result = definition->parameters[0]->name;
  for (const Parameter* parameter : definition->parameters.subspan(1)) {
    if (parameter->form == ParameterKind::VariadicPositional ||
        parameter->form == ParameterKind::VariadicKeyword) {
      rule->variadic = true;
      if (header.kind == "constant") continue;
      bad_rule("a record has no * and ** parameters", parameter->ranges);
    }
    rule->parameters.push_back(RuleParameter{.name = parameter->name,
                                             .default_value = parameter->default_value,
                                             .form = parameter->form});
  }
  if (const Expr* shape = header.option("shape")) {
    rule->shape = context_.symbol(literal_string(shape).text);
  }
  if (const Expr* random = header.option("random")) rule->random = is_true(random);
  if (const Expr* given = header.option("given")) rule->given = is_true(given);
  if (const Expr* objects = header.option("objects")) {
    for (const Expr* name : elements_of(objects))
      rule->objects.push_back(context_.symbol(literal_string(name).text));
  }
  if (header.kind == "constant") {
    rule->constant = true;
    return rule;
  }
  if (header.kind != "adjoint") bad_rule("a record starts with its adjoint", definition->ranges);
  rule->adjoint = BodyBinder(context_, *rule, called).block(definition->body);
  if (const Expr* linear = header.option("linear")) {
    for (const Expr* name : elements_of(linear)) {
      rule->linear.push_back(context_.symbol(literal_string(name).text));
    }
  }
  if (const Expr* singular = header.option("singular")) {
    const Block test = parser_(literal_string(singular).text, filename, line, context_);
    const auto* statement = test.size() == 1 ? as<ExpressionStatement>(test[0]) : nullptr;
    if (statement == nullptr) bad_rule("singular= is a test", singular->ranges);
    rule->singular = BodyBinder(context_, *rule, called).expression(statement->value);
  }
  for_each_target(rule->adjoint, [&](Symbol target) {
    const int position = rule->index_of(target);
    if (position < 0) {
      bad_rule("d[" + std::string(target.text()) + "] is of no parameter", definition->ranges);
    }
    rule->parameters[static_cast<std::size_t>(position)].differentiable = true;
  });
  const std::string_view shape = rule->shape.text();
  const Expr* parts = header.option("parts");
  rule->parts = shape == "split" || reads_parts(rule->adjoint, rule->result) ||
                (parts != nullptr && is_true(parts));
  rule->elementwise = (shape == "elementwise" || shape == "arithmetic" || shape == "where") &&
                      is_elementwise_body(rule->adjoint, rule->result);
  if (block.size() == 2) {
    const auto* twin = as<FunctionDefinition>(block[1]);
    if (twin == nullptr || header_of(*twin).kind != "tangent") {
      bad_rule("below a record stands nothing but its @tangent", block[1]->ranges);
    }
    rule->tangent = BodyBinder(context_, *rule, called).block(twin->body);
  }
  return rule;
}

}  // namespace tangent
