#include "emit/hidden_builtins.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/symbol_set.h"
#include "syntax/visit.h"

namespace tangent {

Block spell_hidden_builtins(Block body, List<const Parameter*> parameters, Context& context) {
  SymbolSet locals;
  SymbolSet globals;
  for (const Parameter* parameter : parameters) locals.insert(parameter->name);
  for (const Stmt* statement : body) {
    for_each_node(*statement, [&](const Node& node) {
      const auto* name = as<Name>(&node);
      if (name != nullptr) (name->scope == Scope::Global ? globals : locals).insert(name->symbol);
    });
  }
  if (std::ranges::none_of(globals, [&](Symbol name) { return locals.contains(name); }))
    return body;
  // Helpers begin with an underscore, and no module has their names.
  const auto is_hidden = [&](const Node* node) {
    const auto* name = as<Name>(node);
    return name != nullptr && name->scope == Scope::Global && locals.contains(name->symbol) &&
           !name->symbol.text().starts_with("_");
  };
  const std::function<const Node*(const Node*)> spell = [&](const Node* node) -> const Node* {
    if (!is_hidden(node)) return rewrite_children(context, *node, spell);
    return context.make<Attribute>(
        node->ranges,
        static_cast<const Expr*>(context.global(context.symbol(kBuiltinsName), node->ranges)),
        static_cast<const Name*>(node)->symbol);
  };
  std::vector<const Stmt*> out;
  bool changed = false;
  for (const Stmt* statement : body) {
    const bool hides = find_node(statement, is_hidden) != nullptr;
    out.push_back(hides ? static_cast<const Stmt*>(spell(statement)) : statement);
    changed = changed || hides;
  }
  return changed ? context.list(out) : body;
}

}  // namespace tangent
