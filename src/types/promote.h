// What the parts of type transfer share: dtypes of results, and shapes put together.
//
// In: types of operands. Out: the dtype of a result with what is sure of it; types made of a dtype
// and a shape. Internal to src/types.
#pragma once

#include <span>
#include <vector>

#include "types/type.h"

namespace tangent {

// A dtype as an upper bound: `mixed` if the value may be narrower by a class (an int where a float
// stands), `weak` if it is surely a Python number.
struct Promoted {
  DType dtype = DType::Bool;
  bool mixed = false;
  bool weak = false;
};

Promoted promoted(const Type& type);                     // of a number or an array by itself
Promoted promote(const Promoted& a, const Promoted& b);  // of an operation on two
Promoted as_floating(Promoted from);                     // integers become float64
Promoted as_arithmetic(Promoted from);                   // bools become integers

// Which of several kinds of shape a result has.
struct Shape {
  TypeKind kind = TypeKind::Number;  // Number, Array, Numeric
  std::int8_t rank = 0;              // Array, -1: not known
  std::vector<Dim> dims = {};
};

Shape shape_of(const Type& type);
Shape broadcast_shapes(const Shape& a, const Shape& b);
Dim broadcast_dims(Dim a, Dim b);

// A number if the rank is 0, so that what NumPy gives back for an operation is a scalar.
Type typed(const Shape& shape, const Promoted& dtype, Arena& arena);
Type array_typed(const std::vector<Dim>& dims, const Promoted& dtype, Arena& arena);
Type array_typed(const Promoted& dtype);  // of unknown rank
Type numeric_typed(const Promoted& dtype);
Type number_typed(const Promoted& dtype);

// What np.asarray would make of a value: lists and tuples of numbers and arrays become arrays,
// numbers stay numbers; Unknown where that is not known.
Type as_array(const Type& type, Arena& arena);

// A Numeric of known dims as the array that it has to be where a number would raise.
Type as_surely_array(const Type& type);

// What iterating over a value gives.
Type type_of_item(const Type& iterable, Arena& arena);

// An int that is surely this length.
Type length_typed(Dim dim, Arena& arena);

}  // namespace tangent
