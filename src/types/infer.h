// Abstract interpretation of a core program: the type of every expression, and the meaning of every
// method.
//
// In: a core program and the types of its arguments. Out: the same program with Call::callee set
// for methods of arrays and numbers, and a side table of types for every expression node. A loop is
// stable after at most three rounds (the lattice has finite height; joins widen).
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/outside.h"
#include "lower/lower.h"
#include "types/type.h"

namespace tangent {

struct TypedFunction {
  const CoreFunction* core = nullptr;
  Block body;                                  // callees resolved
  NodeTable<Type> types;                       // of every expression in body
  std::unordered_map<Symbol, Type> variables;  // the join of all values a local ever has
  Type result;                                 // the join of all returned values
  // Callees of pairs whose results share memory with no argument; analysis says which.
  std::unordered_set<Symbol> fresh_calls;

  [[nodiscard]] Type type_of(const Expr* expression) const {
    const Type* found = types.find(expression);
    return found != nullptr ? *found : Type::unknown();
  }
};

// `arguments` has one type per parameter (defaults included; *args as a Tuple, **kwargs as a Dict).
// Throws Diagnostic: WriteInPlace (a write that is not followed), UnsupportedType (what
// issue containers and objects would need), NoRule only where a value that depends on `active`
// parameters enters a library function without a rule is left to differentiation.
TypedFunction infer(const CoreFunction& core, const std::vector<Type>& arguments, Outside& outside,
                    RuleBook& rules, Context& context);

}  // namespace tangent
