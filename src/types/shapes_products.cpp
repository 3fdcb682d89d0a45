// Shape functions of products and solves.
#include "types/shapes.h"

namespace tangent::shapes {

namespace {

// Two numeric operands, or what to answer at once.
struct Pair {
  Type left, right;
  std::optional<Type> answer = std::nullopt;
  [[nodiscard]] Promoted dtype() const { return strong(promote(promoted(left), promoted(right))); }
};

Pair pair_of(const CallView& call) {
  Pair pair{.left = call.array_at(0), .right = call.array_at(1)};
  if (pair.left.kind == TypeKind::Bottom || pair.right.kind == TypeKind::Bottom) {
    pair.answer = Type();
  } else if (!pair.left.is_numeric() || !pair.right.is_numeric()) {
    pair.answer = Type::unknown();
  }
  return pair;
}

Shape array_of(std::vector<Dim> dims) {
  return {.kind = TypeKind::Array,
          .rank = static_cast<std::int8_t>(dims.size()),
          .dims = std::move(dims)};
}

bool has_rank(const Type& type) { return type.is_array() && type.rank > 0; }

}  // namespace

Type matmul(const CallView& call) {
  const Pair pair = pair_of(call);
  return pair.answer ? *pair.answer : type_of_matmul(pair.left, pair.right, call.arena);
}

Type dot(const CallView& call) {
  const Pair pair = pair_of(call);
  if (pair.answer) return *pair.answer;
  const Promoted dtype = pair.dtype();
  if (pair.left.is_scalar() || pair.right.is_scalar()) {
    return typed(broadcast_shapes(shape_of(pair.left), shape_of(pair.right)), dtype, call.arena);
  }
  if (!has_rank(pair.left) || !has_rank(pair.right)) return numeric_typed(dtype);
  std::vector<Dim> dims(pair.left.dims.begin(), pair.left.dims.end() - 1);
  const List<Dim> right = pair.right.dims;
  if (right.size() > 1) {
    dims.insert(dims.end(), right.begin(), right.end() - 2);
    dims.push_back(right.back());
  }
  return typed(array_of(std::move(dims)), dtype, call.arena);
}

Type inner(const CallView& call) {
  const Pair pair = pair_of(call);
  if (pair.answer) return *pair.answer;
  const Promoted dtype = pair.dtype();
  if (pair.left.is_scalar() || pair.right.is_scalar()) {
    return typed(broadcast_shapes(shape_of(pair.left), shape_of(pair.right)), dtype, call.arena);
  }
  if (!has_rank(pair.left) || !has_rank(pair.right)) return numeric_typed(dtype);
  std::vector<Dim> dims(pair.left.dims.begin(), pair.left.dims.end() - 1);
  dims.insert(dims.end(), pair.right.dims.begin(), pair.right.dims.end() - 1);
  return typed(array_of(std::move(dims)), dtype, call.arena);
}

Type outer(const CallView& call) {
  const Pair pair = pair_of(call);
  if (pair.answer) return *pair.answer;
  const auto length = [](const Type& type) {
    if (type.is_scalar()) return Dim::one();
    return type.is_array() && type.rank == 1 ? type.dims[0] : Dim::unknown();
  };
  return array_typed({length(pair.left), length(pair.right)}, pair.dtype(), call.arena);
}

Type solve(const CallView& call) {
  const Pair pair = pair_of(call);
  if (pair.answer) return *pair.answer;
  const Promoted dtype = as_floating(pair.dtype());
  // A matrix with a vector gives a vector; a matrix with a matrix, its columns.
  if (pair.left.is_array() && pair.left.rank == 2 && has_rank(pair.right) && pair.right.rank <= 2) {
    return typed(shape_of(pair.right), dtype, call.arena);
  }
  return array_typed(dtype);
}

}  // namespace tangent::shapes
