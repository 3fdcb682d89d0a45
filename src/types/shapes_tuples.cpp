// Shape functions of calls that give a tuple: factorisations, quotient and rest, pieces.
#include "types/shapes.h"

namespace tangent::shapes {

namespace {

Type tuple_of(const std::vector<Type>& elements, Arena& arena) {
  Type result = Type::of(TypeKind::Tuple);
  result.elements = arena.copy(elements);
  return result;
}

// An array whose dims are those of a stack of matrices without the last two, and then `last`.
Type stacked(const Type& matrices, const std::vector<Dim>& last, const Promoted& dtype,
             Arena& arena) {
  if (!matrices.is_array() || matrices.rank < 2) return array_typed(dtype);
  std::vector<Dim> dims(matrices.dims.begin(), matrices.dims.end() - 2);
  dims.insert(dims.end(), last.begin(), last.end());
  if (dims.empty()) return number_typed(dtype);
  return array_typed(dims, dtype, arena);
}

// A stack of matrices in a floating dtype, its last two lengths; unknown ones where there is none.
struct Matrices {
  Type type;
  Promoted dtype;
  Dim rows = Dim::unknown(), columns = Dim::unknown();
  [[nodiscard]] bool are_numeric() const { return type.is_numeric() && !type.is_number(); }
  // The lesser of the two lengths, where they are equal or say so.
  [[nodiscard]] Dim lesser() const {
    if (rows.is_same(columns)) return rows;
    if (rows.is_literal() && columns.is_literal()) {
      return Dim::length(std::min(rows.literal(), columns.literal()));
    }
    return Dim::unknown();
  }
};

Matrices matrices_of(const CallView& call) {
  Matrices result{.type = call.array_at(0), .dtype = {}};
  if (!result.are_numeric()) return result;
  result.dtype = as_floating(strong(promoted(result.type)));
  if (result.type.is_array() && result.type.rank >= 2) {
    result.rows = result.type.dims[result.type.dims.size() - 2];
    result.columns = result.type.dims.back();
  }
  return result;
}

// A result that has a value where the operand has one.
Type nothing(const Type& operand) {
  return operand.kind == TypeKind::Bottom ? Type() : Type::unknown();
}

}  // namespace

Type slogdet(const CallView& call) {
  const Matrices a = matrices_of(call);
  if (!a.are_numeric()) return nothing(a.type);
  const Type one = stacked(a.type, {}, a.dtype, call.arena);
  return tuple_of({one, one}, call.arena);
}

Type eigh(const CallView& call) {
  const Matrices a = matrices_of(call);
  if (!a.are_numeric()) return nothing(a.type);
  return tuple_of({stacked(a.type, {a.columns}, a.dtype, call.arena),
                   stacked(a.type, {a.rows, a.columns}, a.dtype, call.arena)},
                  call.arena);
}

Type eigvalsh(const CallView& call) {
  const Matrices a = matrices_of(call);
  if (!a.are_numeric()) return nothing(a.type);
  return stacked(a.type, {a.columns}, a.dtype, call.arena);
}

Type pinv(const CallView& call) {
  const Matrices a = matrices_of(call);
  if (!a.are_numeric()) return nothing(a.type);
  return stacked(a.type, {a.columns, a.rows}, a.dtype, call.arena);
}

Type svd(const CallView& call) {
  const Matrices a = matrices_of(call);
  if (!a.are_numeric()) return nothing(a.type);
  const Type values = stacked(a.type, {a.lesser()}, a.dtype, call.arena);
  const auto both = call.truth("compute_uv", true);
  if (!both) return Type::unknown();
  if (!*both) return values;
  const auto full = call.truth("full_matrices", true);
  const Dim rank = a.lesser();
  const Dim left = !full ? Dim::unknown() : *full ? a.rows : rank;
  const Dim right = !full ? Dim::unknown() : *full ? a.columns : rank;
  return tuple_of({stacked(a.type, {a.rows, left}, a.dtype, call.arena), values,
                   stacked(a.type, {right, a.columns}, a.dtype, call.arena)},
                  call.arena);
}

Type qr(const CallView& call) {
  const Matrices a = matrices_of(call);
  if (!a.are_numeric()) return nothing(a.type);
  const Expr* mode = call.named("mode");
  const auto* constant = as<Constant>(mode);
  if (mode != nullptr && constant == nullptr) return Type::unknown();
  const std::string_view text = constant != nullptr && constant->value.kind == LiteralKind::String
                                    ? constant->value.text
                                    : "reduced";
  const Dim rank = text == "reduced" ? a.lesser() : Dim::unknown();
  const Type r = stacked(a.type, {rank, a.columns}, a.dtype, call.arena);
  if (text == "r") return r;
  return tuple_of({stacked(a.type, {a.rows, rank}, a.dtype, call.arena), r}, call.arena);
}

Type lstsq(const CallView& call) {
  const Matrices a = matrices_of(call);
  const Type b = call.array_at(1);
  if (!a.are_numeric() || !b.is_numeric()) return nothing(a.type);
  Type x = array_typed(a.dtype);
  if (b.is_array() && b.rank == 1) x = array_typed({a.columns}, a.dtype, call.arena);
  if (b.is_array() && b.rank == 2) {
    x = array_typed({a.columns, b.dims[1]}, a.dtype, call.arena);
  }
  const Type values = array_typed({a.lesser()}, a.dtype, call.arena);
  const Type residuals = array_typed({Dim::unknown()}, a.dtype, call.arena);
  return tuple_of({x, residuals, Type::number(DType::Integer), values}, call.arena);
}

// Quotient and rest, or fraction and whole: two of what the operands broadcast to.
Type divmod(const CallView& call) {
  const Type one = arithmetic(call);
  return one.is_numeric() ? tuple_of({one, one}, call.arena) : nothing(one);
}

Type modf(const CallView& call) {
  const Type one = elementwise(call);
  return one.is_numeric() ? tuple_of({one, one}, call.arena) : nothing(one);
}

Type frexp(const CallView& call) {
  const Type one = elementwise(call);
  if (!one.is_numeric()) return nothing(one);
  return tuple_of({one, typed(shape_of(one), {.dtype = DType::Integer}, call.arena)}, call.arena);
}

// torch.max(x): one number; torch.max(x, dim): values along an axis, and where they are.
Type top(const CallView& call) {
  const Type values = sum(call);
  if (call.axes(call.named("axis")).form == Axes::Form::All) return values;
  if (call.type(call.named("axis")).is_array()) return Type::unknown();
  return values.is_numeric() ? tuple_of({values, index(call)}, call.arena) : nothing(values);
}

// torch.sort(x), torch.topk(x, k): values in another order along an axis, and where they were.
Type sorted(const CallView& call) {
  const Type operand = call.array_at(0);
  if (!operand.is_numeric()) return nothing(operand);
  Type values = operand;
  if (call.last_name() == "topk" && operand.is_array() && operand.rank > 0) {
    std::vector<Dim> dims(operand.dims.begin(), operand.dims.end());
    const Axes axes = call.axes(call.named("axis"));
    const auto place = axes.form == Axes::Form::Listed && axes.listed.size() == 1
                           ? normal_axis(axes.listed[0], dims.size())
                           : std::nullopt;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (!place || i == *place) dims[i] = Dim::unknown();
    }
    values = array_typed(dims, promoted(operand), call.arena);
  }
  return tuple_of({values, typed(shape_of(values), {.dtype = DType::Integer}, call.arena)},
                  call.arena);
}

// np.split(a, 3), np.split(a, [1, 4]): as many pieces as the second argument says.
Type split(const CallView& call) {
  const Type operand = call.array_at(0);
  if (!operand.is_array()) return nothing(operand);
  std::optional<std::int64_t> count = call.integer(call.at(1));
  if (!count) {
    if (const auto* list = as<ListDisplay>(call.at(1))) {
      count = static_cast<std::int64_t>(list->elements.size()) + 1;
    } else if (const auto* tuple = as<TupleDisplay>(call.at(1))) {
      count = static_cast<std::int64_t>(tuple->elements.size()) + 1;
    }
  }
  if (!count || *count < 1 || *count > 64) return Type::unknown();
  const auto axis =
      call.at(2) == nullptr ? std::optional<std::int64_t>(0) : call.integer(call.at(2));
  Type piece = array_typed(promoted(operand));
  if (operand.rank > 0) {
    std::vector<Dim> dims(operand.dims.begin(), operand.dims.end());
    const auto place = axis ? normal_axis(*axis, dims.size()) : std::nullopt;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (!place || i == *place) dims[i] = Dim::unknown();
    }
    piece = array_typed(dims, promoted(operand), call.arena);
  }
  Type pieces = tuple_of(std::vector<Type>(static_cast<std::size_t>(*count), piece), call.arena);
  pieces.kind = TypeKind::List;
  return pieces;
}

// np.gradient of a vector or along one axis: a list of arrays for several.
Type gradient(const CallView& call) {
  const Type operand = call.array_at(0);
  if (!operand.is_array()) return nothing(operand);
  const Axes axes = call.axes(call.named("axis"));
  const bool one = operand.rank == 1 || axes.form == Axes::Form::One ||
                   (axes.form == Axes::Form::Listed && axes.listed.size() == 1);
  const Type slopes = typed(shape_of(operand), as_floating(promoted(operand)), call.arena);
  if (one) return slopes;
  // One for each axis.
  const auto* given = as<Constant>(call.named("axis"));
  const bool all =
      call.named("axis") == nullptr || (given != nullptr && given->value.kind == LiteralKind::None);
  if (!all || operand.rank < 2) return Type::unknown();
  Type pieces =
      tuple_of(std::vector<Type>(static_cast<std::size_t>(operand.rank), slopes), call.arena);
  pieces.kind = TypeKind::List;
  return pieces;
}

// np.meshgrid(x, y): an axis for each argument, the first two exchanged unless indexing="ij".
Type meshgrid(const CallView& call) {
  std::vector<Dim> dims;
  Promoted dtype{.dtype = DType::Bool};
  for (std::size_t k = 0; k < 3 && call.is_given(k); ++k) {
    const Type axis = call.array_at(k);
    if (!axis.is_numeric()) return nothing(axis);
    dtype = k == 0 ? strong(promoted(axis)) : promote(dtype, strong(promoted(axis)));
    const bool vector = axis.is_array() && axis.rank == 1;
    dims.push_back(vector ? axis.dims[0] : axis.is_number() ? Dim::one() : Dim::unknown());
  }
  const auto* indexing = as<Constant>(call.named("indexing"));
  if (call.named("indexing") != nullptr && indexing == nullptr) return Type::unknown();
  const bool exchanged = indexing == nullptr || indexing->value.text != "ij";
  if (exchanged && dims.size() > 1) std::swap(dims[0], dims[1]);
  const Type grid = array_typed(dims, dtype, call.arena);
  return tuple_of(std::vector<Type>(dims.size(), grid), call.arena);
}

}  // namespace tangent::shapes
