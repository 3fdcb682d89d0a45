// How the emitted text spells what rule bodies call: modules, functions of modules, helpers.
//
// In: the function's own globals and the names that are taken. Out: expressions that name a
// function, and the list of modules and run-time helpers that the emitted namespace must hold.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/symbol_set.h"
#include "lower/lower.h"
#include "syntax/build.h"

namespace tangent {

// The last step of a field: "R" of "params['R']", "rate" of "model.rate".
std::string_view last_step(std::string_view text);

// Names of one function: what is taken, and fresh ones.
class NamePool {
 public:
  NamePool(Context& context, const CoreFunction& core);
  Symbol fresh(std::string_view wish);
  void take(Symbol symbol) { taken_.insert(symbol); }
  [[nodiscard]] bool is_taken(Symbol symbol) const { return taken_.contains(symbol); }
  void take_all(const NamePool& other) { taken_.insert(other.taken_.begin(), other.taken_.end()); }

 private:
  Context& context_;
  SymbolSet taken_;
  std::unordered_map<Symbol, int> next_number_;  // by the name that is wished for
};

class RuleNames {
 public:
  // `numpy` is how the text spells NumPy.
  RuleNames(const CoreFunction& core, NamePool& names, Context& context, Symbol numpy)
      : core_(core), names_(names), context_(context), numpy_(numpy) {}

  // np.linalg.solve as the emitted text spells NumPy; other modules under a name of the emitted
  // namespace.
  const Expr* function(const Expr* function);
  // A function of tangent.runtime.
  const Expr* helper(std::string_view name);
  // Whether an attribute chain starts at a global name.
  static bool reaches_module(const Attribute* attribute);

  [[nodiscard]] std::vector<std::string> helpers() const;
  // Qualified name, as printed.
  [[nodiscard]] std::vector<std::pair<std::string, Symbol>> modules() const;

 private:
  const Expr* module(const std::string& path);

  const CoreFunction& core_;
  NamePool& names_;
  Context& context_;
  Symbol numpy_;
  std::map<std::string, Symbol> modules_;  // modules that rules use, as printed
  std::set<std::string> helpers_;
};

}  // namespace tangent
