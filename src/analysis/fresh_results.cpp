// The fixpoint over returns; see fresh_results.h.
#include "analysis/fresh_results.h"

#include "analysis/aliases.h"

namespace tangent {

namespace {

bool returns_outside(const Aliases& aliases, Block body) {
  for (const Stmt* statement : body) {
    if (const auto* branch = as<If>(statement)) {
      if (returns_outside(aliases, branch->body) || returns_outside(aliases, branch->orelse))
        return true;
    }
    const auto* exit = as<Return>(statement);
    if (exit == nullptr) continue;
    bool found = false;
    aliases.for_each_reference(exit->value,
                               [&](Symbol symbol) { found = found || aliases.is_outside(symbol); });
    if (found) return true;
  }
  return false;
}

}  // namespace

void note_fresh_results(TypedProgram& program, const std::vector<CorePair>& pairs) {
  std::unordered_set<Symbol> fresh;
  for (const CorePair& pair : pairs) fresh.insert(pair.callee);
  for (bool again = !pairs.empty(); again;) {
    again = false;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      TypedFunction& function = program.pairs[k];
      if (function.core == nullptr || !fresh.contains(pairs[k].callee)) continue;
      function.fresh_calls = fresh;
      if (!returns_outside(Aliases(function, true), function.body)) continue;
      fresh.erase(pairs[k].callee);
      again = true;
    }
  }
  program.top.fresh_calls = fresh;
  for (TypedFunction& function : program.pairs) function.fresh_calls = fresh;
}

}  // namespace tangent
