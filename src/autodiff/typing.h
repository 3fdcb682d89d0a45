// Types of the expressions that differentiation makes, beside those that inference found.
//
// In: a typed function, then types for new names. Out: the type of any expression of primal and
// adjoint.
#pragma once

#include <unordered_map>

#include "rules/rule.h"
#include "types/infer.h"
#include "types/transfer.h"

namespace tangent {

// Whether two types are proven to have the same shape.
bool same_shape(const Type& a, const Type& b);

// Complex64 or Complex128.
constexpr bool is_complex(DType dtype) {
  return dtype == DType::Complex64 || dtype == DType::Complex128;
}
// A dtype that derivatives are kept in.
constexpr bool has_slopes(DType dtype) { return is_floating(dtype) || is_complex(dtype); }
// The dtype that an array made like one of type `like` has to be given to hold what `type` has
// ("float", "complex"), or nothing where it has it; `widens` where a narrower one will not do.
std::string_view dtype_for(const Type& like, const Type& type, bool widens);

class Typing {
 public:
  Typing(const TypedFunction& function, RuleBook& rules, Context& context)
      : function_(function), rules_(rules), context_(context) {}

  // The type of an expression: inferred for the user's, computed (once) for new ones.
  Type of(const Expr* expression);
  // What a variable of the program ever holds; nothing is known of a new name.
  [[nodiscard]] Type of_variable(Symbol symbol) const {
    const auto found = function_.variables.find(symbol);
    return found != function_.variables.end() ? found->second : Type();
  }
  // What a new local name holds. A later call for the same name joins.
  void declare(Symbol symbol, const Type& type) {
    names_[symbol] = type;
    seen(type);
  }
  void set(const Expr* expression, const Type& type) {
    made_.set(expression, type);
    seen(type);
  }
  // Whether a complex value was met so far.
  [[nodiscard]] bool has_complex() const { return has_complex_; }
  // Whose arrays the program computes with.
  [[nodiscard]] Library library() const { return function_.core->library; }

 private:
  Type compute(const Expr* expression);
  void seen(const Type& type) { has_complex_ = has_complex_ || is_complex(type.dtype); }

  const TypedFunction& function_;
  RuleBook& rules_;
  Context& context_;
  NodeTable<Type> made_;
  bool has_complex_ = false;
  std::unordered_map<Symbol, Type> names_;
};

}  // namespace tangent
