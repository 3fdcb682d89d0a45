// Shape functions of calls that treat every element by itself, and of reductions.
#include <algorithm>

#include "types/shapes.h"

namespace tangent::shapes {

namespace {

bool is_module(std::string_view callee, std::string_view module) {
  return callee.size() > module.size() && callee.starts_with(module) &&
         callee[module.size()] == '.';
}

// `math` takes and gives Python's own numbers, `operator` and the builtins keep what they get.
bool is_math(const CallView& call) { return is_module(call.callee(), "math"); }
bool keeps_python(const CallView& call) {
  return is_module(call.callee(), "operator") || is_module(call.callee(), "builtins");
}

struct Operands {
  bool known = true;
  bool bottom = false;
  Shape shape = {};
  Promoted dtype = {};
  int count = 0;
};

Operands operands_of(const CallView& call) {
  Operands all;
  for (std::size_t i = 0; i < call.count(); ++i) {
    const Expr* expression = call.at(i);
    if (is_none(expression)) continue;
    const Type raw = call.type(expression);
    if (raw.kind == TypeKind::None) continue;
    const Type type = as_array(raw, call.arena);
    all.bottom = all.bottom || type.kind == TypeKind::Bottom;
    if (!type.is_numeric()) {
      all.known = false;
      continue;
    }
    all.shape = broadcast_shapes(all.shape, shape_of(type));
    all.dtype = all.count == 0 ? promoted(type) : promote(all.dtype, promoted(type));
    ++all.count;
  }
  all.known = all.known && all.count > 0;
  return all;
}

Type result_of(const CallView& call, const Operands& operands, Promoted dtype) {
  if (operands.bottom) return {};
  if (is_math(call)) {
    dtype.weak = true;
    dtype.mixed = false;
    return number_typed(dtype);
  }
  if (!operands.known) return Type::unknown();
  if (!keeps_python(call)) dtype.weak = false;
  return typed(operands.shape, dtype, call.arena);
}

DType real_of(DType dtype) {
  if (dtype == DType::Complex64) return DType::Float32;
  return dtype == DType::Complex128 ? DType::Float64 : dtype;
}

bool gives_real_part(std::string_view name) {
  return name == "abs" || name == "absolute" || name == "fabs" || name == "real" ||
         name == "imag" || name == "angle";
}

}  // namespace

Promoted strong(Promoted dtype) {
  dtype.weak = false;
  return dtype;
}

Type elementwise(const CallView& call) {
  const Operands operands = operands_of(call);
  if (is_math(call)) return result_of(call, operands, {.dtype = DType::Float64});
  Promoted dtype = operands.dtype;
  const std::string_view name = call.last_name();
  if (name == "floor" || name == "ceil" || name == "trunc") {
    // Ints stay ints from NumPy 2.1 on.
    dtype.mixed = dtype.mixed || dtype.dtype <= DType::Integer;
    dtype.dtype = dtype.dtype <= DType::Integer ? DType::Float64 : dtype.dtype;
    return result_of(call, operands, dtype);
  }
  return result_of(call, operands, as_floating(dtype));
}

Type arithmetic(const CallView& call) {
  const Operands operands = operands_of(call);
  if (is_math(call)) return result_of(call, operands, {.dtype = DType::Float64});
  Promoted dtype = operands.dtype;
  if (gives_real_part(call.last_name())) dtype.dtype = real_of(dtype.dtype);
  if (dtype.dtype == DType::Bool) {
    // Python's bools become ints, NumPy's stay or become ints, by function.
    dtype.dtype = DType::Integer;
    dtype.mixed = true;
  }
  const bool is_power = call.last_name() == "pow" || call.last_name() == "power";
  if (is_power && dtype.dtype <= DType::Integer && operands.shape.kind == TypeKind::Number) {
    dtype.dtype = DType::Float64;  // of Python ints with a negative exponent
    dtype.mixed = true;
  }
  return result_of(call, operands, dtype);
}

// The builtins min and max: of several numbers, or of the elements of one argument.
Type extremum(const CallView& call) {
  if (!call.is_given(1)) {
    const Type operand = call.array_at(0);
    if (operand.is_array() && operand.rank == 1) return Type::number(operand.dtype);
    return Type::unknown();
  }
  const Operands operands = operands_of(call);
  if (operands.shape.kind != TypeKind::Number) return Type::unknown();
  return result_of(call, operands, operands.dtype);
}

// The builtin sum: of numbers in a tuple or list, or of the elements of an array.
Type total(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  const bool plain = !call.is_given(1) || call.type_at(1).is_number();
  if (plain && operand.is_array() && operand.rank == 1) return Type::number(operand.dtype);
  return Type::unknown();
}

Type boolean(const CallView& call) {
  return result_of(call, operands_of(call), {.dtype = DType::Bool});
}

Type integer(const CallView& call) {
  const Operands operands = operands_of(call);
  const bool python = operands.dtype.weak && keeps_python(call);
  return result_of(call, operands, {.dtype = DType::Integer, .weak = python});
}

Type where(const CallView& call) {
  const Type condition = call.array_at(0);
  if (is_none(call.at(1)) && is_none(call.at(2))) {
    // The indices of what is true: a vector per axis.
    if (!condition.is_array() || condition.rank < 1) return Type::unknown();
    const Type indices = array_typed({Dim::unknown()}, {.dtype = DType::Integer}, call.arena);
    Type result = Type::of(TypeKind::Tuple);
    result.elements =
        call.arena.copy(std::vector<Type>(static_cast<std::size_t>(condition.rank), indices));
    return result;
  }
  const Type x = call.array_at(1);
  const Type y = call.array_at(2);
  for (const Type* it : {&condition, &x, &y}) {
    if (it->kind == TypeKind::Bottom) return {};
    if (!it->is_numeric()) return Type::unknown();
  }
  const Promoted dtype = strong(promote(promoted(x), promoted(y)));
  const Shape shape =
      broadcast_shapes(broadcast_shapes(shape_of(condition), shape_of(x)), shape_of(y));
  // Of three numbers NumPy makes a 0-d array.
  if (shape.kind == TypeKind::Number) return array_typed({}, dtype, call.arena);
  if (shape.kind == TypeKind::Array && shape.rank == 0) return array_typed({}, dtype, call.arena);
  return typed(shape, dtype, call.arena);
}

Type reduced(const Type& operand, const Axes& axes, std::optional<bool> keepdims,
             const Promoted& dtype, Arena& arena) {
  if (operand.kind == TypeKind::Bottom) return {};
  // Whatever it is that is reduced, all of it gives one number.
  if (!operand.is_numeric()) {
    const bool whole =
        axes.form == Axes::Form::All && keepdims == false && operand.kind == TypeKind::Unknown;
    return whole ? Type::number(DType::Float64) : Type::unknown();
  }
  if (operand.is_number()) return number_typed(dtype);
  if (axes.form == Axes::Form::All && keepdims == false) return number_typed(dtype);
  if (!operand.is_array() || operand.rank == 0) return numeric_typed(dtype);
  if (operand.rank < 0) {
    return keepdims == true ? array_typed(dtype) : numeric_typed(dtype);
  }
  if (!keepdims) return numeric_typed(dtype);

  const std::size_t rank = operand.dims.size();
  std::vector<Dim> dims(operand.dims.begin(), operand.dims.end());
  const auto finish = [&]() {
    if (dims.empty()) return number_typed(dtype);
    return array_typed(dims, dtype, arena);
  };
  switch (axes.form) {
    case Axes::Form::All:
      dims.assign(rank, Dim::one());
      return finish();
    case Axes::Form::Unclear:
      if (!*keepdims) return numeric_typed(dtype);
      dims.assign(rank, Dim::unknown());
      return finish();
    case Axes::Form::One:
      dims.assign(*keepdims ? rank : rank - 1, Dim::unknown());
      return finish();
    case Axes::Form::Listed:
      break;
  }
  std::vector<bool> gone(rank, false);
  for (const int axis : axes.listed) {
    const auto place = normal_axis(axis, rank);
    if (!place) return Type::unknown();  // NumPy raises
    gone[*place] = true;
  }
  std::vector<Dim> kept;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!gone[i]) {
      kept.push_back(dims[i]);
    } else if (*keepdims) {
      kept.push_back(Dim::one());
    }
  }
  dims = std::move(kept);
  return finish();
}

namespace {

Type reduce(const CallView& call, Promoted dtype) {
  dtype = call.dtype("dtype", strong(dtype));
  return reduced(call.array_at(0), call.axes(call.named("axis")), call.truth("keepdims", false),
                 dtype, call.arena);
}

Promoted summed(const CallView& call, const Type& operand) {
  const Promoted dtype = promoted(operand);
  const std::string_view name = call.last_name();
  const bool keeps_bools = name == "max" || name == "min" || name == "amax" || name == "amin";
  return keeps_bools ? dtype : as_arithmetic(dtype);
}

}  // namespace

Type reduction(const CallView& call) {
  return reduce(call, as_floating(promoted(call.array_at(0))));
}

Type sum(const CallView& call) { return reduce(call, summed(call, call.array_at(0))); }

Type boolean_reduction(const CallView& call) { return reduce(call, {.dtype = DType::Bool}); }

Type index(const CallView& call) { return reduce(call, {.dtype = DType::Integer}); }

Type norm(const CallView& call) {
  Promoted dtype = as_floating(promoted(call.array_at(0)));
  dtype.dtype = real_of(dtype.dtype);
  return reduce(call, dtype);
}

// A loss of torch: one number, or with reduction='none' one for each element.
Type loss(const CallView& call) {
  const Expr* written = call.named("reduction");
  const auto* reduction = as<Constant>(written);
  if (written != nullptr && reduction == nullptr) return Type::unknown();
  if (reduction == nullptr || reduction->value.text != "none") return scalar(call);
  const Type one = call.array_at(0);
  const Type other = call.array_at(1);
  if (!one.is_numeric() || !other.is_numeric()) return Type::unknown();
  const Promoted dtype = as_floating(promote(promoted(one), promoted(other)));
  return broadcast(std::vector<Type>{one, other}, dtype.dtype, call.arena);
}

Type scalar(const CallView& call) {
  if (is_math(call)) return Type::python_number(DType::Float64);
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric()) return Type::unknown();
  Promoted dtype = strong(promoted(operand));
  if (call.last_name() != "trace") dtype = as_floating(dtype);
  // Of a stack of matrices there is a number for each.
  const bool one =
      operand.is_number() || (operand.is_array() && operand.rank >= 0 && operand.rank <= 2);
  return one ? number_typed(dtype) : numeric_typed(dtype);
}

Type integer_scalar(const CallView& call) {
  const Type raw = call.type_at(0);
  const std::string_view name = call.last_name();
  if (name == "len") {
    if (raw.is_array() && raw.rank > 0) return length_typed(raw.dims[0], call.arena);
    if ((raw.kind == TypeKind::Tuple || raw.kind == TypeKind::List) && !raw.uniform) {
      return length_typed(Dim::length(static_cast<std::int64_t>(raw.elements.size())), call.arena);
    }
  } else if (name == "size" && is_none(call.named("axis"))) {
    if (raw.is_array() && raw.rank == 1) return length_typed(raw.dims[0], call.arena);
  } else if (name == "ndim") {
    if (raw.is_array() && raw.rank >= 0) {
      return length_typed(Dim::length(raw.rank), call.arena);
    }
  }
  return Type::python_number(DType::Integer);
}

Type same(const CallView& call) {
  const std::string_view name = call.last_name();
  if (name == "stop_gradient") return call.type_at(0);  // the value itself
  const Type operand = call.array_at(0);
  if (name == "sort" && call.axes(call.named("axis")).form != Axes::Form::Listed) {
    // Without an axis the array is flattened.
    if (!operand.is_numeric()) return operand;
    return array_typed({Dim::unknown()}, strong(promoted(operand)), call.arena);
  }
  if (operand.is_number() || (operand.is_array() && operand.rank == 0)) {
    Promoted dtype = promoted(operand);
    if (keeps_python(call)) return number_typed(dtype);
    if (name == "round" || name == "around") {
      dtype.mixed = dtype.mixed || dtype.dtype == DType::Bool;  // a bool becomes a float16
      dtype.dtype = dtype.dtype == DType::Bool ? DType::Float64 : dtype.dtype;
      return number_typed(strong(dtype));
    }
    // Most functions make a 0-d array of a number, while a scalar's own method gives a scalar.
    return numeric_typed(dtype);
  }
  if (operand.is_array() && operand.rank == 1 && (name == "triu" || name == "tril")) {
    return array_typed({operand.dims[0], operand.dims[0]}, promoted(operand), call.arena);
  }
  if (operand.is_numeric() && operand.dtype == DType::Bool && name != "copy") {
    // Rounded bools are floats.
    return typed(shape_of(operand), {.dtype = DType::Float64, .mixed = true}, call.arena);
  }
  return operand;
}

Type same_float(const CallView& call) {
  const Type operand = call.array_at(0);
  if (!operand.is_numeric()) return operand;
  const Promoted dtype = strong(as_floating(promoted(operand)));
  return typed(shape_of(operand), dtype, call.arena);
}

Type cumulative(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric()) return Type::unknown();
  const Promoted dtype = call.dtype("dtype", strong(summed(call, operand)));
  const Axes axes = call.axes(call.named("axis"));
  if (axes.form == Axes::Form::Unclear) return array_typed(dtype);
  if (operand.is_number() || (operand.is_array() && operand.rank == 0)) {
    return array_typed({Dim::one()}, dtype, call.arena);
  }
  if (operand.is_array() && (axes.form != Axes::Form::All || operand.rank == 1)) {
    return typed(shape_of(operand), dtype, call.arena);
  }
  if (axes.form != Axes::Form::All) return array_typed(dtype);
  return array_typed({Dim::unknown()}, dtype, call.arena);
}

}  // namespace tangent::shapes
