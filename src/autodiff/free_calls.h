// Small questions about expressions that both modes ask.
//
// In: an expression of the primal or of a record. Out: whether it costs as little as reading a
// name, calls something, is always true.
#pragma once

#include "analysis/variables.h"
#include "syntax/visit.h"

namespace tangent {

inline bool is_free_call(const Call* call) {
  const std::string_view callee = call->callee.text();
  return callee == "builtins.len" || callee == "numpy.shape" || callee == "numpy.size" ||
         callee == "numpy.ndim" || callee == "builtins.range" || callee == "builtins.float";
}

inline bool reads_locals(const Node* node) {
  bool found = false;
  for_each_read(node, [&](Symbol) { found = true; });
  return found;
}

inline bool makes_call(const Expr* value) {
  return find_node(value, [](const Node* node) {
           const auto* operation = as<BinaryOperation>(node);
           return is<Call>(node) ||
                  (operation != nullptr && operation->op == BinaryOperator::MatrixMultiply);
         }) != nullptr;
}

inline bool is_always_true(const Expr* test) {
  const auto* constant = as<Constant>(test);
  return constant != nullptr &&
         (constant->value.kind == LiteralKind::True ||
          (constant->value.kind == LiteralKind::Integer && constant->value.integer != 0));
}

inline bool is_shape_of(std::string_view attribute) {
  return attribute == "shape" || attribute == "size" || attribute == "ndim" || attribute == "dtype";
}

}  // namespace tangent
