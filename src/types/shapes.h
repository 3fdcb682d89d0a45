// The shape functions: how the type of a library call's result follows from its arguments, under
// the names that rules give to it (rules/README.md, "Shapes"). Internal to src/types.
#pragma once

#include "types/call_view.h"

namespace tangent::shapes {

// shapes_elementwise.cpp: every element by itself, and reductions.
Type elementwise(const CallView& call);
Type arithmetic(const CallView& call);
Type extremum(const CallView& call);
Type total(const CallView& call);
Type boolean(const CallView& call);
Type integer(const CallView& call);
Type where(const CallView& call);
Type reduction(const CallView& call);
Type sum(const CallView& call);
Type boolean_reduction(const CallView& call);
Type index(const CallView& call);
Type norm(const CallView& call);
Type scalar(const CallView& call);
Type integer_scalar(const CallView& call);
Type loss(const CallView& call);
Type same(const CallView& call);
Type same_float(const CallView& call);
Type cumulative(const CallView& call);
Type determinant(const CallView& call);
Type einsum(const CallView& call);
Type interpolated(const CallView& call);
Type polynomial(const CallView& call);
Type quantile(const CallView& call);
Type trapezoid(const CallView& call);
Type convolved(const CallView& call);

// shapes_products.cpp
Type matmul(const CallView& call);
Type dot(const CallView& call);
Type inner(const CallView& call);
Type outer(const CallView& call);
Type solve(const CallView& call);

// shapes_arrange.cpp: the same elements in another shape.
Type transpose(const CallView& call);
Type swapaxes(const CallView& call);
Type moveaxis(const CallView& call);
Type reshape(const CallView& call);
Type broadcast_to(const CallView& call);
Type ravel(const CallView& call);
Type expand_dims(const CallView& call);
Type squeeze(const CallView& call);
Type concatenate(const CallView& call);
Type stack(const CallView& call);
Type hstack(const CallView& call);
Type vstack(const CallView& call);
Type column_stack(const CallView& call);
Type dstack(const CallView& call);
Type take(const CallView& call);
Type diff(const CallView& call);
Type diagonal(const CallView& call);
Type repeat(const CallView& call);
Type shape(const CallView& call);

// shapes_tuples.cpp: factorisations (of which some parts are arrays by themselves), pieces.
Type slogdet(const CallView& call);
Type eigh(const CallView& call);
Type eigvalsh(const CallView& call);
Type pinv(const CallView& call);
Type svd(const CallView& call);
Type qr(const CallView& call);
Type lstsq(const CallView& call);
Type divmod(const CallView& call);
Type modf(const CallView& call);
Type frexp(const CallView& call);
Type top(const CallView& call);
Type sorted(const CallView& call);
Type split(const CallView& call);
Type meshgrid(const CallView& call);
Type gradient(const CallView& call);

// shapes_make.cpp: new arrays.
Type filled(const CallView& call);
Type filled_like(const CallView& call);
Type arange(const CallView& call);
Type linspace(const CallView& call);
Type eye(const CallView& call);
Type array(const CallView& call);
Type astype(const CallView& call);

// shapes_complex.cpp: complex numbers and Fourier transforms.
Type complex_number(const CallView& call);
Type complex_like(const CallView& call);
Type half_spectrum(const CallView& call);
Type signal(const CallView& call);

// shapes_helpers.cpp: helpers of texts that are differentiated again.
Type like_second(const CallView& call);
Type like_third(const CallView& call);
Type spread(const CallView& call);

// A reduction of a number or array over `axes`.
Type reduced(const Type& operand, const Axes& axes, std::optional<bool> keepdims,
             const Promoted& dtype, Arena& arena);
// The result is NumPy's own scalar or array.
Promoted strong(Promoted dtype);

}  // namespace tangent::shapes

namespace tangent {

// The function of a shape's name, or null.
ShapeFunction find_shape(std::string_view name);

// library.cpp: functions that need no rule: builtins, and NumPy's that make or measure arrays.
// Nothing if the function is not known.
std::optional<Type> type_of_known_function(const BoundCall& call, const TypeLookup& types,
                                           Arena& arena);

}  // namespace tangent
