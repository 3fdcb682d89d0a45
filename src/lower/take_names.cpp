// Renaming of locals and globals; see take_names.h.
#include "lower/take_names.h"

#include <unordered_map>
#include <unordered_set>

#include "syntax/visit.h"

namespace tangent {

CoreFunction take_names(const CoreFunction& core, const std::vector<std::string>& names,
                        Context& context) {
  std::unordered_set<Symbol> used;
  for (const Parameter* parameter : core.parameters) used.insert(parameter->name);
  for (const GlobalBinding& global : core.globals) used.insert(global.printed);
  for (const Stmt* statement : core.body) {
    for_each_node(*statement, [&](const Node& node) {
      if (const auto* name = as<Name>(&node)) used.insert(name->symbol);
    });
  }
  std::unordered_map<Symbol, Symbol> renamed;
  for (const std::string& name : names) {
    const Symbol taken = context.symbol(name);
    if (!used.contains(taken)) continue;
    Symbol other = taken;
    for (int number = 2; used.contains(other); ++number)
      other = context.symbol(name + "_" + std::to_string(number));
    used.insert(other);
    renamed.emplace(taken, other);
  }
  if (renamed.empty()) return core;
  const std::function<const Node*(const Node*)> rename = [&](const Node* node) -> const Node* {
    if (const auto* name = as<Name>(node)) {
      const auto found = renamed.find(name->symbol);
      if (found == renamed.end()) return node;
      return context.make<Name>(name->ranges, found->second, name->scope);
    }
    return rewrite_children(context, *node, rename);
  };
  CoreFunction result = core;
  std::vector<const Stmt*> body;
  for (const Stmt* statement : core.body)
    body.push_back(static_cast<const Stmt*>(rename(statement)));
  result.body = context.list(body);
  for (GlobalBinding& global : result.globals) {
    const auto found = renamed.find(global.printed);
    if (found != renamed.end()) global.printed = found->second;
  }
  return result;
}

}  // namespace tangent
