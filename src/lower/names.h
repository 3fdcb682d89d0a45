// The names that lowering gives: locals of inlined functions, and temporaries.
//
// In: the name that one would like to have. Out: that name if it is free, else the same with a
// trailing number. Names never depend on addresses or on the order of a hash table.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "syntax/build.h"

namespace tangent::lowering {

class FreshNames {
 public:
  explicit FreshNames(Context& context) : context_(&context) {}

  [[nodiscard]] bool is_taken(Symbol symbol) const { return taken_.contains(symbol); }
  void take(Symbol symbol) { taken_.insert(symbol); }
  // A name nobody has, taken from now on.
  Symbol fresh(std::string_view wish);

 private:
  Context* context_;
  std::unordered_set<Symbol> taken_;
  std::unordered_map<Symbol, int> next_number_;
};

// What a person would call the value of this core expression: "product", "h_of_x", "x_item".
std::string describe(const Expr* expression);
// The same for a call of `function` with these arguments.
std::string describe_call(std::string_view function, Exprs arguments);
// "first", "second", …: the name of a part by its position.
std::string describe_position(std::size_t position);

}  // namespace tangent::lowering
