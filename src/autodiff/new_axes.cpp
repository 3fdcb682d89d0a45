// Indices that only add axes, backwards: `x[:, None]`, `x[None, :]`; see reverse.h.
//
// In: the adjoint of such a view. Out: that of the array, without those axes. No buffer is made for
// it, as for other indices: nothing is left out.
#include "autodiff/free_calls.h"
#include "autodiff/reverse.h"

namespace tangent {

// x[:, None] backwards is b[:, 0]: an index that only adds axes takes nothing away. Of a sum that
// keeps such an axis it is the sum that does not.
bool Reverse::push_new_axes(const Subscript* node, const Linear& given) {
  const Type base = typing_.of(node->value);
  const Type whole = typing_.of(node);
  const auto* tuple = as<TupleDisplay>(node->index);
  if (tuple == nullptr || !base.is_array() || base.rank < 1 || !whole.is_array()) return false;
  std::vector<const Expr*> index;
  std::vector<std::int64_t> added;
  std::size_t used = 0;
  for (const Expr* part : tuple->elements) {
    const auto* slice = as<Slice>(part);
    const auto* constant = as<Constant>(part);
    if (slice != nullptr && slice->lower == nullptr && slice->upper == nullptr &&
        slice->step == nullptr) {
      index.push_back(part);
      ++used;
    } else if (constant != nullptr && constant->value.kind == LiteralKind::None) {
      added.push_back(static_cast<std::int64_t>(index.size()));
      index.push_back(context_.integer(0));
    } else {
      return false;
    }
  }
  if (added.empty() || used > static_cast<std::size_t>(base.rank)) return false;
  if (whole.rank != base.rank + static_cast<int>(added.size())) return false;
  while (is<Slice>(index.back())) index.pop_back();
  Type type = base;
  if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
  Linear adjoint = full(given, node);
  const Type shape = typing_.of(algebra_.build(adjoint));
  if (!shape.is_array() || shape.rank != whole.rank) return false;
  // One array factor, which is a sum along the axis that goes.
  if (adjoint.terms.size() == 1 && added.size() == 1 && adjoint.terms[0].mask == nullptr) {
    Factor* array = nullptr;
    int arrays = 0;
    for (Factor& factor : adjoint.terms[0].factors) {
      if (typing_.of(factor.base).is_number()) continue;
      array = &factor;
      ++arrays;
    }
    const auto* sum = arrays == 1 && !array->inverse ? as<Call>(array->base) : nullptr;
    if (sum != nullptr && sum->callee.text() == "numpy.sum" && sum->arguments.size() == 1 &&
        sum->keywords.size() == 2 && sum->keywords[0]->name.text() == "axis" &&
        sum->keywords[1]->name.text() == "keepdims" && is_always_true(sum->keywords[1]->value)) {
      const auto axis = literal_integer(sum->keywords[0]->value);
      if (axis && *axis == added[0]) {
        const Expr* shorter = algebra_.numpy_call("sum", {sum->arguments[0]}, {sum->keywords[0]});
        typing_.set(shorter, type);
        array->base = shorter;
        push(node->value, adjoint);
        return true;
      }
    }
  }
  const Expr* place =
      index.size() == 1
          ? index[0]
          : static_cast<const Expr*>(context_.make<TupleDisplay>({}, context_.list(index)));
  const Expr* value = context_.make<Subscript>({}, algebra_.build(adjoint), place);
  typing_.set(value, type);
  push(node->value, algebra_.of(value));
  return true;
}

}  // namespace tangent
