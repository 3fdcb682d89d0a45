// Shape functions of the helpers in tangent.runtime, which texts that are differentiated again
// call.
#include "types/shapes.h"

namespace tangent::shapes {

namespace {

// The shape of one argument; the dtype is the first's, which is an adjoint.
Type like(const CallView& call, std::size_t position) {
  const Type adjoint = call.array_at(0);
  const Type whole = call.array_at(position);
  if (adjoint.kind == TypeKind::Bottom || whole.kind == TypeKind::Bottom) return {};
  if (!whole.is_numeric()) return Type::unknown();
  const Promoted dtype = strong(as_floating(promoted(adjoint.is_numeric() ? adjoint : whole)));
  return typed(shape_of(whole), dtype, call.arena);
}

}  // namespace

Type like_second(const CallView& call) { return like(call, 1); }
Type like_third(const CallView& call) { return like(call, 2); }

// The adjoint of a reduction, with axes of length 1 where the reduction took them away.
Type spread(const CallView& call) {
  const Type adjoint = call.array_at(0);
  const Type whole = call.array_at(1);
  if (adjoint.kind == TypeKind::Bottom || whole.kind == TypeKind::Bottom) return {};
  if (!adjoint.is_numeric()) return Type::unknown();
  const Promoted dtype = strong(as_floating(promoted(adjoint)));
  if (adjoint.is_number()) return typed(shape_of(adjoint), dtype, call.arena);
  return adjoint.is_array() ? array_typed(dtype) : numeric_typed(dtype);
}

}  // namespace tangent::shapes
