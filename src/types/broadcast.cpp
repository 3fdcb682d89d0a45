// Operators on numbers and arrays: NumPy's promotion and broadcasting, and Python's own operators
// on strings, tuples and lists.
#include <algorithm>
#include <array>

#include "types/promote.h"
#include "types/transfer.h"

namespace tangent {

namespace {

// The dtype of an array of `strong` that meets a Python number, by classes alone.
DType with_python_number(DType strong, DType weak) {
  if (class_of(weak) <= class_of(strong)) return strong;
  if (weak == DType::Complex128 && strong <= DType::Float32 && strong >= DType::Float16) {
    return DType::Complex64;
  }
  return weak;
}

DType wider(DType a, DType b) {
  const DType low = std::min(a, b);
  const DType high = std::max(a, b);
  if (high == DType::Other) return high;
  // An int64 fits no smaller float, and a float64 no complex64.
  if (low == DType::Integer && class_of(high) == 2) return DType::Float64;
  if ((low == DType::Integer || low == DType::Float64) && high == DType::Complex64) {
    return DType::Complex128;
  }
  return high;
}

Type concatenation(const Type& left, const Type& right, Arena& arena) {
  if (left.uniform || right.uniform) return join(left, right, arena);
  std::vector<Type> elements(left.elements.begin(), left.elements.end());
  elements.insert(elements.end(), right.elements.begin(), right.elements.end());
  Type result = left;
  result.elements = arena.copy(elements);
  return result;
}

Type repetition(const Type& sequence, Arena& arena) {
  if (sequence.kind != TypeKind::List) return Type::unknown();
  Type result = Type::of(TypeKind::List);
  result.uniform = true;
  const std::vector<Type> element = {type_of_item(sequence, arena)};
  result.elements = arena.copy(element);
  return result;
}

bool is_sequence(const Type& type) {
  return type.kind == TypeKind::Tuple || type.kind == TypeKind::List;
}

// Operators where one side is no number and no array.
Type type_of_other_binary(BinaryOperator op, const Type& left, const Type& right, Arena& arena) {
  if (left.kind == TypeKind::Bottom || right.kind == TypeKind::Bottom) return {};
  if (left.kind == TypeKind::String) {
    const bool is_text = op == BinaryOperator::Modulo ||
                         (op == BinaryOperator::Add && right.kind == TypeKind::String) ||
                         (op == BinaryOperator::Multiply && right.is_number());
    return is_text ? Type::of(TypeKind::String) : Type::unknown();
  }
  if (op == BinaryOperator::Add && is_sequence(left) && left.kind == right.kind) {
    return concatenation(left, right, arena);
  }
  // A repeat count is a Python or NumPy int; a list times a NumPy float is an array.
  if (op == BinaryOperator::Multiply && is_sequence(left) && right.is_number() && right.weak &&
      right.dtype <= DType::Integer) {
    return repetition(left, arena);
  }
  if (op == BinaryOperator::Multiply && is_sequence(right) && left.is_number() && left.weak &&
      left.dtype <= DType::Integer) {
    return repetition(right, arena);
  }
  if (left.is_array() && is_sequence(right)) {
    return type_of_binary(op, left, as_array(right, arena), arena);
  }
  if (right.is_array() && is_sequence(left)) {
    return type_of_binary(op, as_array(left, arena), right, arena);
  }
  return Type::unknown();
}

bool is_bitwise(BinaryOperator op) { return op >= BinaryOperator::BitAnd; }

Promoted dtype_of_binary(BinaryOperator op, const Type& left, const Type& right) {
  Promoted result = promote(promoted(left), promoted(right));
  switch (op) {
    case BinaryOperator::Divide:
      return as_floating(result);
    case BinaryOperator::Power:
      // A Python int to a negative int is a float; NumPy raises there.
      if (left.is_number() && right.is_number() && result.dtype <= DType::Integer) {
        const bool is_length = !right.dims.empty() && right.dims[0].form() != Dim::kLess;
        const bool may_be_float = right.dtype != DType::Bool && !is_length;
        result = as_arithmetic(result);
        if (may_be_float) {
          result.dtype = DType::Float64;
          result.mixed = true;
        }
      }
      return as_arithmetic(result);
    case BinaryOperator::BitAnd:
    case BinaryOperator::BitOr:
    case BinaryOperator::BitXor:
      return result;
    case BinaryOperator::Add:
    case BinaryOperator::Multiply:
      // NumPy's own bools stay bools; of two numbers it is not known whose they are.
      if (result.dtype == DType::Bool && !(left.is_number() && right.is_number())) return result;
      if (result.dtype == DType::Bool && !result.weak) {
        return {.dtype = DType::Integer, .mixed = true, .weak = false};
      }
      return as_arithmetic(result);
    default:
      return as_arithmetic(result);
  }
}

Dim last(const Shape& shape) { return shape.dims.back(); }

}  // namespace

Promoted promoted(const Type& type) {
  Promoted result{.dtype = type.dtype, .mixed = type.mixed, .weak = type.weak};
  if (type.dtype == DType::Other && type.mixed) result.dtype = DType::Float64;
  return result;
}

Promoted promote(const Promoted& a, const Promoted& b) {
  Promoted result;
  if (a.weak == b.weak) {
    result.dtype = wider(a.dtype, b.dtype);
  } else {
    result.dtype =
        a.weak ? with_python_number(b.dtype, a.dtype) : with_python_number(a.dtype, b.dtype);
  }
  result.weak = a.weak && b.weak;
  // The class is sure if one operand of the widest class is.
  const auto settles = [&](const Promoted& it) {
    return !it.mixed && class_of(it.dtype) == class_of(result.dtype);
  };
  result.mixed = result.dtype != DType::Other && !settles(a) && !settles(b);
  return result;
}

Promoted as_floating(Promoted from) {
  if (from.dtype == DType::Other || class_of(from.dtype) == 3) return from;
  if (from.mixed || from.dtype <= DType::Integer) from.dtype = DType::Float64;
  from.mixed = false;
  return from;
}

Promoted as_arithmetic(Promoted from) {
  if (from.dtype == DType::Bool) from.dtype = DType::Integer;
  return from;
}

Shape shape_of(const Type& type) {
  Shape shape{.kind = type.kind, .rank = -1, .dims = {}};
  if (type.is_number()) {
    shape.rank = 0;
  } else if (type.rank >= 0) {
    shape.rank = type.rank;
    shape.dims.assign(type.dims.begin(), type.dims.end());
  }
  return shape;
}

Dim broadcast_dims(Dim a, Dim b) {
  if (a == b) return a;
  if (a.is_one()) return b;
  if (b.is_one()) return a;
  // What is not 1 is the result: the other is 1 or equal, or NumPy raises.
  if (a.is_symbol()) return a;
  if (b.is_symbol()) return b;
  return Dim::unknown();
}

namespace {

// Of two arrays, or of what they are where they are arrays.
Shape broadcast_arrays(const Shape& a, const Shape& b) {
  if (a.rank < 0 || b.rank < 0) return {.kind = TypeKind::Array, .rank = -1, .dims = {}};
  const bool first_is_longer = a.rank >= b.rank;
  const Shape& longer = first_is_longer ? a : b;
  const Shape& shorter = first_is_longer ? b : a;
  Shape result = longer;
  const std::size_t offset = longer.dims.size() - shorter.dims.size();
  for (std::size_t i = 0; i < shorter.dims.size(); ++i) {
    // The first operand's symbol goes before the second's.
    const Dim first = first_is_longer ? longer.dims[offset + i] : shorter.dims[i];
    const Dim second = first_is_longer ? shorter.dims[i] : longer.dims[offset + i];
    result.dims[offset + i] = broadcast_dims(first, second);
  }
  return result;
}

// What both shapes say.
Shape either(const Shape& a, const Shape& b) {
  if (a.rank != b.rank || a.rank < 0) return {.kind = a.kind, .rank = -1, .dims = {}};
  Shape result = a;
  for (std::size_t i = 0; i < result.dims.size(); ++i) {
    if (result.dims[i] != b.dims[i]) result.dims[i] = Dim::unknown();
  }
  return result;
}

}  // namespace

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  if (a.kind == TypeKind::Number) return b;
  if (b.kind == TypeKind::Number) return a;
  if (a.kind == TypeKind::Array && b.kind == TypeKind::Array) return broadcast_arrays(a, b);
  // Where one is a number the result is the other, else the broadcast of two arrays.
  const Shape both = broadcast_arrays(a, b);
  if (a.kind == TypeKind::Array || b.kind == TypeKind::Array) {
    const Shape& array = a.kind == TypeKind::Array ? a : b;
    // A 0-d array with a number is a number again.
    if (array.rank == 0) return {.kind = TypeKind::Numeric, .rank = -1, .dims = {}};
    Shape result = either(array, both);
    result.kind = TypeKind::Array;
    // A length that is not 1 is the result's in any case.
    for (std::size_t i = 0; i < result.dims.size(); ++i) {
      if (array.dims[i].is_symbol()) result.dims[i] = array.dims[i];
    }
    return result;
  }
  Shape result = either(either(a, both), b);
  result.kind = TypeKind::Numeric;
  return result;
}

Type number_typed(const Promoted& dtype) {
  Type result = Type::number(dtype.dtype);
  result.mixed = dtype.mixed;
  result.weak = dtype.weak;
  return result;
}

namespace {

// Arrays know a dtype for sure or not at all.
void set_array_dtype(Type& type, const Promoted& dtype) {
  type.dtype = dtype.dtype;
  if (!dtype.mixed) return;
  type.dtype = DType::Other;
  type.mixed = class_of(dtype.dtype) <= 2;
}

}  // namespace

Type array_typed(const std::vector<Dim>& dims, const Promoted& dtype, Arena& arena) {
  Type result = Type::array(dtype.dtype, arena.copy(dims));
  set_array_dtype(result, dtype);
  return result;
}

Type array_typed(const Promoted& dtype) {
  Type result = Type::array(dtype.dtype);
  set_array_dtype(result, dtype);
  return result;
}

Type numeric_typed(const Promoted& dtype) {
  Type result = Type::numeric(dtype.dtype);
  set_array_dtype(result, dtype);
  return result;
}

Type typed(const Shape& shape, const Promoted& dtype, Arena& arena) {
  if (shape.kind == TypeKind::Number || (shape.kind == TypeKind::Array && shape.rank == 0)) {
    return number_typed(dtype);
  }
  if (shape.kind == TypeKind::Numeric) {
    Type result = numeric_typed(dtype);
    if (shape.rank > 0) {
      result.rank = shape.rank;
      result.dims = arena.copy(shape.dims);
    }
    return result;
  }
  if (shape.rank < 0) return array_typed(dtype);
  return array_typed(shape.dims, dtype, arena);
}

Type length_typed(Dim dim, Arena& arena) {
  Type result = Type::python_number(DType::Integer);
  if (!dim.is_comparable()) return result;
  result.dims = arena.copy(std::span<const Dim>(&dim, 1));
  return result;
}

Type as_array(const Type& type, Arena& arena) {
  if (type.is_numeric() || type.kind == TypeKind::Bottom) return type;
  if (!is_sequence(type)) return Type::unknown();
  Type element;
  for (const Type& it : type.elements) {
    const Type item = as_array(it, arena);
    if (!item.is_numeric()) return Type::unknown();
    element = join(element, item, arena);
  }
  if (!element.is_numeric()) return Type::unknown();
  Promoted dtype = promoted(element);
  dtype.weak = false;
  // Of a display of ints and floats NumPy takes the wider: one that is surely a float settles it.
  if (!type.uniform) {
    dtype = {};
    for (const Type& it : type.elements) {
      Promoted item = promoted(as_array(it, arena));
      item.weak = false;
      dtype = promote(dtype, item);
    }
  }
  const auto count = static_cast<std::int64_t>(type.elements.size());
  const Dim length = type.uniform ? Dim::unknown() : Dim::length(count);
  if (element.is_number()) return array_typed({length}, dtype, arena);
  if (!element.is_array() || element.rank < 0) return array_typed(dtype);
  std::vector<Dim> dims(element.dims.begin(), element.dims.end());
  dims.insert(dims.begin(), length);
  return array_typed(dims, dtype, arena);
}

Type as_surely_array(const Type& type) {
  Type result = type;
  if (type.kind == TypeKind::Numeric && type.rank > 0) result.kind = TypeKind::Array;
  return result;
}

Type type_of_item(const Type& iterable, Arena& arena) {
  switch (iterable.kind) {
    case TypeKind::Bottom:
      return {};
    case TypeKind::Array: {
      if (iterable.rank < 0) return numeric_typed(promoted(iterable));
      if (iterable.rank == 0) return Type::unknown();
      const Shape row{.kind = TypeKind::Array,
                      .rank = static_cast<std::int8_t>(iterable.rank - 1),
                      .dims = {iterable.dims.begin() + 1, iterable.dims.end()}};
      return typed(row, promoted(iterable), arena);
    }
    case TypeKind::Numeric:
      if (iterable.rank > 0) return type_of_item(as_surely_array(iterable), arena);
      return numeric_typed(promoted(iterable));
    case TypeKind::Tuple:
    case TypeKind::List:
    case TypeKind::Iterator: {
      Type joined;
      for (const Type& element : iterable.elements) joined = join(joined, element, arena);
      return joined;
    }
    case TypeKind::Dict:
      return iterable.is_map() ? iterable.elements[1] : Type::unknown();
    case TypeKind::String:
      return iterable;
    default:
      return Type::unknown();
  }
}

Type broadcast(std::span<const Type> operands, DType dtype, Arena& arena) {
  Shape shape;
  for (const Type& operand : operands) {
    if (operand.kind == TypeKind::Bottom) return {};
    if (!operand.is_numeric()) return Type::unknown();
    shape = broadcast_shapes(shape, shape_of(operand));
  }
  return typed(shape, {.dtype = dtype, .mixed = false, .weak = false}, arena);
}

Type type_of_matmul(const Type& left, const Type& right, Arena& arena) {
  const Promoted dtype = promote(promoted(left), promoted(right));
  // Of a number NumPy raises, so what may be one is none.
  const Shape a = shape_of(as_surely_array(left));
  const Shape b = shape_of(as_surely_array(right));
  if (a.rank > 2 && b.rank < 0) return array_typed(dtype);
  if (a.rank < 0 && b.rank > 2) return array_typed(dtype);
  if (a.rank == 2 && b.rank < 0) return array_typed(dtype);
  if (a.rank < 0 && b.rank == 2) return array_typed(dtype);
  if (a.rank < 0 || b.rank < 0) return numeric_typed(dtype);
  if (a.rank == 0 || b.rank == 0) return Type::unknown();  // NumPy raises
  // Batch axes first, then the rows of the left, then the columns of the right; vectors have none.
  const auto batch = [](const Shape& it) {
    Shape result{.kind = TypeKind::Number, .rank = 0, .dims = {}};
    if (it.rank <= 2) return result;
    result.kind = TypeKind::Array;
    result.rank = static_cast<std::int8_t>(it.rank - 2);
    result.dims.assign(it.dims.begin(), it.dims.end() - 2);
    return result;
  };
  Shape result = broadcast_shapes(batch(a), batch(b));
  if (a.rank >= 2) result.dims.push_back(a.dims[a.dims.size() - 2]);
  if (b.rank >= 2) result.dims.push_back(last(b));
  result.kind = TypeKind::Array;
  result.rank = static_cast<std::int8_t>(result.dims.size());
  return typed(result, dtype, arena);
}

Type type_of_binary(BinaryOperator op, const Type& left, const Type& right, Arena& arena) {
  if (!left.is_numeric() || !right.is_numeric()) {
    return type_of_other_binary(op, left, right, arena);
  }
  if (op == BinaryOperator::MatrixMultiply) return type_of_matmul(left, right, arena);
  const Promoted dtype = dtype_of_binary(op, left, right);
  if (is_bitwise(op) && class_of(dtype.dtype) > 1) return Type::unknown();
  if (left.is_number() && right.is_number()) {
    Type result = number_typed(dtype);
    if (left.dims.empty() || !right.weak || right.dims.empty()) return result;
    // len(x) - 1 is a length again.
    const Dim length = left.dims[0];
    const Dim count = right.dims[0];
    if (op == BinaryOperator::Subtract && count.is_literal() && !length.is_literal()) {
      return length_typed(length.less(count.literal()), arena);
    }
    return result;
  }
  return typed(broadcast_shapes(shape_of(left), shape_of(right)), dtype, arena);
}

Type type_of_unary(UnaryOperator op, const Type& operand, Arena& arena) {
  (void)arena;
  if (operand.kind == TypeKind::Bottom) return {};
  if (op == UnaryOperator::Not) return Type::python_number(DType::Bool);
  if (!operand.is_numeric()) return Type::unknown();
  Type result = operand;
  if (result.is_number()) {
    if (op != UnaryOperator::Plus) result.dims = {};
    if (result.dtype == DType::Bool) {
      // ~True is an int, ~np.True_ a bool.
      result.dtype = DType::Integer;
      result.mixed = op == UnaryOperator::Invert && !result.weak;
    }
  }
  if (result.is_array() && result.rank == 0) return number_typed(promoted(result));
  return result;
}

Type type_of_comparison(ComparisonOperator op, const Type& left, const Type& right, Arena& arena) {
  if (op >= ComparisonOperator::Is) return Type::python_number(DType::Bool);
  if (left.kind == TypeKind::Bottom || right.kind == TypeKind::Bottom) return {};
  if (left.is_numeric() && right.is_numeric()) {
    const bool python = left.weak && right.weak;
    return typed(broadcast_shapes(shape_of(left), shape_of(right)),
                 {.dtype = DType::Bool, .mixed = false, .weak = python}, arena);
  }
  // Comparing what holds no array gives a bool; an array or an object may answer anything.
  const auto plain = [](const Type& type) {
    return type.is_number() || type.kind == TypeKind::None || type.kind == TypeKind::String;
  };
  if (plain(left) && plain(right)) return Type::python_number(DType::Bool);
  const Type converted_left = left.is_array() ? left : as_array(left, arena);
  const Type converted_right = right.is_array() ? right : as_array(right, arena);
  if ((left.is_array() || right.is_array()) && converted_left.is_numeric() &&
      converted_right.is_numeric()) {
    return type_of_comparison(op, converted_left, converted_right, arena);
  }
  return Type::unknown();
}

}  // namespace tangent
