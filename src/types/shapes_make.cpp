// Shape functions of calls that make new arrays.
#include "types/shapes.h"

namespace tangent::shapes {

namespace {

// A number that only says how many: no part of a dtype.
Promoted strong_dtype_of(const Type& type) { return strong(promoted(type)); }

Type of_lengths(const CallView& call, const Expr* lengths, const Promoted& dtype) {
  auto dims = call.lengths(lengths);
  if (!dims) return numeric_typed(dtype);
  return array_typed(*dims, dtype, call.arena);
}

// np.full takes the dtype of its value.
Promoted filling(const CallView& call) {
  if (const Expr* value = call.named("fill_value")) {
    const Type type = as_array(call.type(value), call.arena);
    return type.is_numeric() ? strong_dtype_of(type) : Promoted{.dtype = DType::Other};
  }
  return {.dtype = DType::Float64};
}

}  // namespace

Type filled(const CallView& call) {
  return of_lengths(call, call.at(0), call.dtype("dtype", filling(call)));
}

Type filled_like(const CallView& call) {
  const Type like = call.array_at(0);
  if (like.kind == TypeKind::Bottom) return {};
  if (!like.is_numeric()) return Type::unknown();
  const Promoted dtype = call.dtype("dtype", strong_dtype_of(like));
  if (const Expr* lengths = call.named("shape"); !is_none(lengths)) {
    return of_lengths(call, lengths, dtype);
  }
  if (like.is_number()) return array_typed({}, dtype, call.arena);
  if (!like.is_array()) return numeric_typed(dtype);
  if (like.rank < 0) return array_typed(dtype);
  return array_typed({like.dims.begin(), like.dims.end()}, dtype, call.arena);
}

Type arange(const CallView& call) {
  Promoted dtype = {.dtype = DType::Integer};
  for (std::size_t i = 0; i < 3 && i < call.count(); ++i) {
    const Expr* expression = call.at(i);
    if (is_none(expression)) continue;
    const Type type = call.type(expression);
    if (type.kind == TypeKind::Bottom) return {};
    dtype =
        type.is_numeric() ? promote(dtype, strong_dtype_of(type)) : Promoted{.dtype = DType::Other};
  }
  dtype = call.dtype("dtype", dtype);
  Dim length = Dim::unknown();
  if (is_none(call.at(2))) {
    if (is_none(call.at(1))) {
      length = call.length(call.at(0));
      const auto literal = call.integer(call.at(0));
      if (literal && *literal < 0) length = Dim::length(0);
    } else {
      const auto start = call.integer(call.at(0));
      const auto stop = call.integer(call.at(1));
      if (start && stop) {
        length = *stop > *start ? Dim::length(*stop - *start) : Dim::length(0);
      } else if (start == 0) {
        length = call.length(call.at(1));
      } else if (start && *start > 0) {
        // arange(1, n) of a length n, which cannot be negative unless it is a difference.
        const Dim end = call.length(call.at(1));
        if (end.form() != Dim::kLess) length = end.less(*start);
      }
    }
  }
  return array_typed({length}, dtype, call.arena);
}

Type linspace(const CallView& call) {
  const Type start = call.array_at(0);
  const Type stop = call.array_at(1);
  if (start.kind == TypeKind::Bottom || stop.kind == TypeKind::Bottom) return {};
  if (!start.is_numeric() || !stop.is_numeric()) return Type::unknown();
  const Promoted dtype =
      call.dtype("dtype", as_floating(promote(strong_dtype_of(start), strong_dtype_of(stop))));
  const Dim count = call.at(2) == nullptr ? Dim::length(50) : call.length(call.at(2));
  Shape ends = broadcast_shapes(shape_of(start), shape_of(stop));
  if (ends.kind == TypeKind::Numeric || ends.rank < 0) return array_typed(dtype);
  if (const Expr* axis = call.named("axis"); axis != nullptr && call.integer(axis) != 0) {
    return ends.rank == 0 ? array_typed({count}, dtype, call.arena) : array_typed(dtype);
  }
  ends.dims.insert(ends.dims.begin(), count);
  return array_typed(ends.dims, dtype, call.arena);
}

Type eye(const CallView& call) {
  const Dim rows = call.length(call.at(0));
  const Expr* width = call.named("M");
  const Dim columns = is_none(width) ? rows : call.length(width);
  return array_typed({rows, columns}, call.dtype("dtype", {.dtype = DType::Float64}), call.arena);
}

Type array(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric()) return Type::unknown();
  const Promoted dtype = call.dtype("dtype", strong_dtype_of(operand));
  if (operand.is_number()) {
    // A 0-d array, which can be written in place; only ascontiguousarray makes it a vector.
    if (call.last_name() == "ascontiguousarray") {
      return array_typed({Dim::one()}, dtype, call.arena);
    }
    return array_typed({}, dtype, call.arena);
  }
  if (!operand.is_array()) return numeric_typed(dtype);
  if (operand.rank < 0) return array_typed(dtype);
  return array_typed({operand.dims.begin(), operand.dims.end()}, dtype, call.arena);
}

Type astype(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric()) return Type::unknown();
  const Promoted dtype = call.dtype("dtype", {.dtype = DType::Other});
  // A scalar's astype gives a scalar, np.astype of a 0-d array an array.
  if (operand.is_number()) return number_typed(dtype);
  if (!operand.is_array()) return numeric_typed(dtype);
  if (operand.rank < 0) return array_typed(dtype);
  return array_typed({operand.dims.begin(), operand.dims.end()}, dtype, call.arena);
}

}  // namespace tangent::shapes
