// Shape functions of complex numbers and of Fourier transforms.
#include "types/shapes.h"

namespace tangent::shapes {

Type complex_number(const CallView& /*call*/) { return Type::python_number(DType::Complex128); }

namespace {

Type transformed(const CallView& call, DType dtype, bool keeps_lengths) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  const Promoted promoted{.dtype = dtype};
  if (!operand.is_numeric()) return Type::unknown();
  Shape shape = shape_of(operand);
  if (!keeps_lengths)
    for (Dim& dim : shape.dims) dim = Dim();
  return typed(shape, promoted, call.arena);
}

}  // namespace

// As the argument, complex; other lengths where one is asked for.
Type complex_like(const CallView& call) {
  return transformed(call, DType::Complex128, !call.is_given(1));
}

Type half_spectrum(const CallView& call) { return transformed(call, DType::Complex128, false); }

Type signal(const CallView& call) { return transformed(call, DType::Float64, false); }

}  // namespace tangent::shapes
