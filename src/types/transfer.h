// Types of results from types of operands: used by inference on the primal and by differentiation
// on the expressions that it makes.
//
// In: an operator or a callee and the types of its operands. Out: the type of the result; Unknown
// where nothing is known. Errors that NumPy would raise are left to NumPy.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "rules/rule.h"
#include "syntax/build.h"
#include "types/type.h"

namespace tangent {

// Broadcast of two or more operands with NumPy's rules; dtype is the wider (Divide of integers:
// Float64).
Type type_of_binary(BinaryOperator op, const Type& left, const Type& right, Arena& arena);
Type type_of_unary(UnaryOperator op, const Type& operand, Arena& arena);
Type type_of_comparison(ComparisonOperator op, const Type& left, const Type& right, Arena& arena);
Type type_of_matmul(const Type& left, const Type& right, Arena& arena);
Type broadcast(std::span<const Type> operands, DType dtype, Arena& arena);

// value[index]: `index` is the node (its structure matters), `index_type` looks up types of its
// parts.
using TypeLookup = std::function<Type(const Expr*)>;
Type type_of_subscript(const Type& value, const Expr* index, const TypeLookup& types, Arena& arena);

// value.attribute for arrays and numbers: T, shape, size, ndim, dtype, real, imag, flat. nullopt:
// no such.
Type type_of_shape(const Type& value, Arena& arena);  // of value.shape
std::optional<Type> type_of_attribute(const Type& value, Symbol attribute, Arena& arena);

// A call of a library function. `arguments` are bound to the rule's parameters where there is a
// rule (bind_arguments in rules/rule.h): one entry per parameter of the rule without the result,
// null if left at its default. `rule` may be null: then a table of common functions without rules
// (zeros, arange, len, …; keyed by name) decides, else Unknown.
struct BoundCall {
  Symbol callee;
  const Rule* rule = nullptr;
  std::span<const Expr* const> arguments;  // by parameter with a rule, positional without
  List<const Keyword*> keywords;           // without a rule
};
Type type_of_call(const BoundCall& call, const TypeLookup& types, Arena& arena);

// The function that an array's or number's method equals ("sum" -> "numpy.sum"), whose first
// parameter is the receiver; nothing if there is none. `library` is whose arrays the program has.
std::optional<std::string> function_of_method(const Type& receiver, std::string_view method,
                                              Library library, RuleBook& rules);
// The same for NumPy's arrays.
std::optional<std::string> function_of_method(const Type& receiver, std::string_view method);

}  // namespace tangent
