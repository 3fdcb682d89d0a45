#include "lower/bound_names.h"

#include "syntax/places.h"

namespace tangent {

void find_bound(Block block, std::unordered_set<Symbol>& bound) {
  auto target = [&](const auto& self, const Expr* expression) -> void {
    if (const auto* name = as<Name>(expression)) bound.insert(name->symbol);
    if (const auto* tuple = as<TupleDisplay>(expression)) {
      for (const Expr* element : tuple->elements) self(self, element);
    }
  };
  for (const Stmt* statement : block) {
    if (const ListChange change = list_change(statement)) bound.insert(change.list->symbol);
    if (const auto* assign = as<Assign>(statement)) {
      target(target, assign->targets[0]);
    } else if (const auto* augmented = as<AugmentedAssign>(statement)) {
      target(target, augmented->target);
    } else if (const auto* branch = as<If>(statement)) {
      find_bound(branch->body, bound);
      find_bound(branch->orelse, bound);
    } else if (const auto* loop = as<For>(statement)) {
      target(target, loop->target);
      find_bound(loop->body, bound);
    } else if (const auto* repeat = as<While>(statement)) {
      find_bound(repeat->body, bound);
    }
  }
}

}  // namespace tangent
