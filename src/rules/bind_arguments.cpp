// The arguments of a call in the order of a rule's parameters, as Python binds them.
//
// In: a rule and a call of its function. Out: an expression per parameter, null where the call
// leaves it at its default; or a Diagnostic that names what the record does not know.

#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostics.h"
#include "rules/rule.h"
#include "syntax/printer.h"

namespace tangent {
namespace {

[[noreturn]] void refuse(std::string message, Ranges ranges, std::string remedy) {
  throw Diagnostic(DiagnosticKind::NoSuchRuleArgument, std::move(message), ranges,
                   std::move(remedy));
}

Ranges place_of(const Node& node, const Call& call) {
  return node.ranges.empty() ? call.ranges : node.ranges;
}

bool is_positional(const RuleParameter& parameter) {
  return parameter.form != ParameterKind::KeywordOnly;
}

// "x, axis" for messages.
std::string parameter_list(const Rule& rule) {
  std::string text;
  for (const RuleParameter& parameter : rule.parameters) {
    if (!text.empty()) text += ", ";
    text += parameter.name.text();
  }
  return text;
}

// Libraries name some parameters in two ways: torch takes `axis=` for `dim=`.
int position_of(const Rule& rule, Symbol keyword) {
  if (const int position = rule.index_of(keyword); position >= 0) return position;
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"dim", "axis"}, {"axis", "dim"}, {"keepdim", "keepdims"}, {"keepdims", "keepdim"}};
  for (const auto& [given, known] : kNames) {
    if (keyword.text() != given) continue;
    for (std::size_t k = 0; k < rule.parameters.size(); ++k) {
      if (rule.parameters[k].name.text() == known) return static_cast<int>(k);
    }
  }
  return keyword.text() == "input" && !rule.parameters.empty() ? 0 : -1;
}

}  // namespace

std::vector<const Expr*> bind_arguments(const Rule& rule, const Call& call, const Expr* receiver) {
  std::vector<const Expr*> bound(rule.parameters.size(), nullptr);
  std::size_t next = 0;
  const auto bind_position = [&](const Expr* argument) {
    if (rule.variadic && next == bound.size()) return;
    if (is<Starred>(argument)) {
      refuse("`*` in the arguments of " + print(call.function) + " is not supported",
             place_of(*argument, call), "pass the arguments one by one");
    }
    if (next == bound.size() || !is_positional(rule.parameters[next])) {
      refuse("the derivative rule of " + print(call.function) + " knows " + std::to_string(next) +
                 (next == 1 ? " positional argument, not more" : " positional arguments, not more"),
             place_of(*argument, call), "the rule's arguments are: " + parameter_list(rule));
    }
    bound[next++] = argument;
  };
  if (receiver != nullptr) bind_position(receiver);
  for (const Expr* argument : call.arguments) bind_position(argument);

  for (const Keyword* keyword : call.keywords) {
    if (rule.variadic && (keyword->name.empty() || rule.index_of(keyword->name) < 0)) continue;
    if (keyword->name.empty()) {
      refuse("`**` in the arguments of " + print(call.function) + " is not supported",
             place_of(*keyword, call), "pass the arguments one by one");
    }
    const std::string name(keyword->name.text());
    const int position = position_of(rule, keyword->name);
    if (position < 0 ||
        rule.parameters[static_cast<std::size_t>(position)].form == ParameterKind::PositionalOnly) {
      refuse("`" + name + "=` of " + print(call.function) + " is not supported",
             place_of(*keyword, call), "the rule's arguments are: " + parameter_list(rule));
    }
    const Expr*& place = bound[static_cast<std::size_t>(position)];
    if (place != nullptr) {
      refuse("`" + name + "` of " + print(call.function) + " is given twice",
             place_of(*keyword, call), "pass it once");
    }
    place = keyword->value;
  }

  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] == nullptr && rule.parameters[i].default_value == nullptr) {
      refuse(print(call.function) + " misses its argument `" +
                 std::string(rule.parameters[i].name.text()) + "`",
             call.ranges, "the rule's arguments are: " + parameter_list(rule));
    }
  }
  return bound;
}

}  // namespace tangent
