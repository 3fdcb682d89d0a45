// Shape functions of calls that take samples or indices together: interpolation, polynomials by
// their coefficients, quantiles, integrals and convolutions of samples, sums over named axes.
#include <algorithm>
#include <map>
#include <string>

#include "types/shapes.h"

namespace tangent::shapes {

// interp(x, xp, fp): as many values as x, always float64.
Type interpolated(const CallView& call) {
  const Type points = call.array_at(0);
  if (!points.is_numeric()) return points.kind == TypeKind::Bottom ? Type() : Type::unknown();
  return typed(shape_of(points), strong(promoted(Type::numeric(DType::Float64))), call.arena);
}

// polyval(p, x): as many values as x.
Type polynomial(const CallView& call) {
  const Type coefficients = call.array_at(0);
  const Type points = call.array_at(1);
  if (coefficients.kind == TypeKind::Bottom || points.kind == TypeKind::Bottom) return {};
  if (!coefficients.is_numeric() || !points.is_numeric()) return Type::unknown();
  const Promoted dtype = promote(promoted(coefficients), promoted(points));
  return typed(shape_of(points), strong(dtype), call.arena);
}

// quantile(a, q, axis): a number where q is one and the array is taken as a whole.
Type quantile(const CallView& call) {
  const Type samples = call.array_at(0);
  const Type fractions = call.array_at(1);
  if (samples.kind == TypeKind::Bottom || fractions.kind == TypeKind::Bottom) return {};
  const bool whole = call.axes(call.named("axis")).form == Axes::Form::All &&
                     call.truth("keepdims", false) == false;
  if (!samples.is_numeric() || !fractions.is_number() || !whole) return Type::unknown();
  return number_typed(strong(as_floating(promoted(samples))));
}

// trapezoid(y) of one axis is a number.
Type trapezoid(const CallView& call) {
  const Type samples = call.array_at(0);
  if (samples.kind == TypeKind::Bottom) return {};
  if (!samples.is_array() || samples.rank != 1) return Type::unknown();
  Promoted dtype = as_floating(promoted(samples));
  for (const std::string_view spacing : {"x", "dx"}) {
    const Expr* given = call.named(spacing);
    if (is_none(given) || call.is_default(given)) continue;
    const Type type = as_array(call.type(given), call.arena);
    if (type.kind == TypeKind::Bottom) return {};
    // A spacing of more axes than the samples gives more than one integral.
    if (!type.is_number() && !(type.is_array() && type.rank == 1)) return Type::unknown();
    dtype = promote(dtype, promoted(type));
  }
  return number_typed(strong(dtype));
}

// convolve(a, v): one axis, whose length inference has no sums for.
Type convolved(const CallView& call) {
  const Type first = call.array_at(0);
  const Type second = call.array_at(1);
  if (first.kind == TypeKind::Bottom || second.kind == TypeKind::Bottom) return {};
  if (!first.is_numeric() || !second.is_numeric()) return Type::unknown();
  return array_typed({Dim::unknown()}, strong(promote(promoted(first), promoted(second))),
                     call.arena);
}

// det(a): one for each matrix.
Type determinant(const CallView& call) {
  const Type matrix = call.array_at(0);
  if (matrix.kind == TypeKind::Bottom) return {};
  if (!matrix.is_array() || matrix.rank < 2) return Type::unknown();
  Shape shape = shape_of(matrix);
  shape.rank = static_cast<std::int8_t>(shape.rank - 2);
  shape.dims.resize(shape.dims.size() - 2);
  return typed(shape, strong(as_floating(promoted(matrix))), call.arena);
}

// einsum("ij,jk->ik", a, b): the lengths of the letters behind the arrow; without an arrow the
// letters that stand once, in the order of the alphabet.
Type einsum(const CallView& call) {
  const auto* constant = as<Constant>(call.at(0));
  if (constant == nullptr || constant->value.kind != LiteralKind::String) return Type::unknown();
  std::string text(constant->value.text);
  std::erase(text, ' ');
  if (text.find('.') != std::string::npos) return Type::unknown();
  const std::size_t arrow = text.find("->");
  const std::string inputs = text.substr(0, arrow);
  std::map<char, Dim> lengths;
  std::map<char, int> counts;
  Promoted dtype;
  std::size_t position = 1;
  for (std::size_t start = 0; start <= inputs.size(); ++position) {
    const std::size_t end = std::min(inputs.find(',', start), inputs.size());
    const std::string letters = inputs.substr(start, end - start);
    start = end + 1;
    const Type operand = position < call.count() ? call.array_at(position) : Type::unknown();
    if (operand.kind == TypeKind::Bottom) return {};
    if (!operand.is_numeric()) return Type::unknown();
    dtype = position == 1 ? promoted(operand) : promote(dtype, promoted(operand));
    const Shape shape = shape_of(operand);
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      ++counts[letters[axis]];
      const Dim length = axis < shape.dims.size() && shape.dims.size() == letters.size()
                             ? shape.dims[axis]
                             : Dim::unknown();
      const auto known = lengths.emplace(letters[axis], length);
      // An axis of length 1 takes the length that the other has.
      if (!known.second && !known.first->second.is_same(length))
        known.first->second = Dim::unknown();
    }
  }
  std::string outputs;
  if (arrow != std::string::npos) {
    outputs = text.substr(arrow + 2);
  } else {
    for (const auto& [letter, count] : counts) {
      if (count == 1) outputs += letter;
    }
  }
  std::vector<Dim> dims;
  for (const char letter : outputs) {
    const auto found = lengths.find(letter);
    if (found == lengths.end()) return Type::unknown();
    dims.push_back(found->second);
  }
  if (dims.empty()) return number_typed(strong(dtype));
  return array_typed(dims, strong(dtype), call.arena);
}

}  // namespace tangent::shapes
