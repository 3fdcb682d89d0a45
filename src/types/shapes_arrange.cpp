// Shape functions of calls that give the same elements in another shape.
#include <algorithm>
#include <cstdlib>

#include "types/shapes.h"

namespace tangent::shapes {

namespace {

std::vector<Dim> dims_of(const Type& array) { return {array.dims.begin(), array.dims.end()}; }

// An array of a rank whose lengths are not known.
Type of_rank(std::size_t rank, const Promoted& dtype, Arena& arena) {
  return array_typed(std::vector<Dim>(rank, Dim::unknown()), dtype, arena);
}

// The number of elements as a length, where it is one of the lengths.
Dim product(std::span<const Dim> dims) {
  Dim total = Dim::one();
  for (const Dim dim : dims) {
    if (dim.is_one()) continue;
    if (total.is_one()) {
      total = dim;
    } else if (total.is_literal() && dim.is_literal()) {
      total = total.literal() < (1 << 15) && dim.literal() < (1 << 15)
                  ? Dim::length(total.literal() * dim.literal())
                  : Dim::unknown();
    } else {
      return Dim::unknown();
    }
    if (!total.is_comparable()) return total;
  }
  return total;
}

// Nothing for an operand without a known rank; `answer` is what to say then.
const Type* ranked(const Type& operand, Type& answer, bool may_be_number) {
  if (operand.kind == TypeKind::Bottom) {
    answer = {};
  } else if (!operand.is_numeric()) {
    answer = Type::unknown();
  } else if (operand.is_array() && operand.rank >= 0) {
    return &operand;
  } else {
    const Promoted dtype = strong(promoted(operand));
    answer = may_be_number ? numeric_typed(dtype) : array_typed(dtype);
  }
  return nullptr;
}

// NumPy's functions make a 0-d array of a number, a scalar's own methods give a scalar.
Type unranked_permutation(const Type& operand) {
  if (operand.is_number()) return numeric_typed(promoted(operand));
  return operand.is_numeric() || operand.kind == TypeKind::Bottom ? operand : Type::unknown();
}

}  // namespace

Type transpose(const CallView& call) {
  const Type operand = call.array_at(0);
  if (!operand.is_array() || operand.rank < 0) return unranked_permutation(operand);
  const Axes axes = call.axes(call.at(1));
  std::vector<Dim> dims = dims_of(operand);
  if (axes.form == Axes::Form::All) {
    std::ranges::reverse(dims);
  } else if (axes.form == Axes::Form::Listed && axes.listed.size() == dims.size()) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const auto from = normal_axis(axes.listed[i], dims.size());
      if (!from) return Type::unknown();
      dims[i] = operand.dims[*from];
    }
  } else {
    return of_rank(dims.size(), promoted(operand), call.arena);
  }
  return array_typed(dims, promoted(operand), call.arena);
}

Type swapaxes(const CallView& call) {
  const Type operand = call.array_at(0);
  if (!operand.is_array() || operand.rank < 0) return unranked_permutation(operand);
  std::vector<Dim> dims = dims_of(operand);
  const auto first = call.integer(call.at(1));
  const auto second = call.integer(call.at(2));
  if (!first || !second) return of_rank(dims.size(), promoted(operand), call.arena);
  const auto a = normal_axis(*first, dims.size());
  const auto b = normal_axis(*second, dims.size());
  if (!a || !b) return Type::unknown();
  std::swap(dims[*a], dims[*b]);
  return array_typed(dims, promoted(operand), call.arena);
}

Type moveaxis(const CallView& call) {
  const Type operand = call.array_at(0);
  if (!operand.is_array() || operand.rank < 0) return unranked_permutation(operand);
  std::vector<Dim> dims = dims_of(operand);
  const auto source = call.integer(call.at(1));
  const auto target = call.integer(call.at(2));
  if (!source || !target) return of_rank(dims.size(), promoted(operand), call.arena);
  const auto from = normal_axis(*source, dims.size());
  const auto to = normal_axis(*target, dims.size());
  if (!from || !to) return Type::unknown();
  const Dim moved = dims[*from];
  dims.erase(dims.begin() + static_cast<long>(*from));
  dims.insert(dims.begin() + static_cast<long>(*to), moved);
  return array_typed(dims, promoted(operand), call.arena);
}

Type reshape(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric()) return Type::unknown();
  const Promoted dtype = strong(promoted(operand));
  const Expr* shape = call.at(1);
  auto dims = call.lengths(shape);
  if (!dims || (dims->empty() && operand.is_number())) return numeric_typed(dtype);
  // -1 stands for what is left; it may also come from a difference of lengths, which is why one
  // that may be negative says nothing here.
  for (Dim& dim : *dims) {
    if (dim.form() == Dim::kLess) dim = Dim::unknown();
  }
  const auto open = std::ranges::find_if(*dims, [](Dim dim) { return !dim.is_comparable(); });
  if (open != dims->end() && operand.is_array() && operand.rank > 0) {
    const bool others_are_one =
        std::ranges::all_of(*dims, [&](const Dim& dim) { return &dim == &*open || dim.is_one(); });
    if (others_are_one) *open = product(operand.dims);
  }
  return array_typed(*dims, dtype, call.arena);
}

Type broadcast_to(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric()) return Type::unknown();
  const Promoted dtype = strong(promoted(operand));
  auto dims = call.lengths(call.at(1));
  if (!dims) return numeric_typed(dtype);
  return array_typed(*dims, dtype, call.arena);
}

Type ravel(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric()) return Type::unknown();
  const Promoted dtype = strong(promoted(operand));
  if (operand.is_scalar()) return array_typed({Dim::one()}, dtype, call.arena);
  const bool known = operand.is_array() && operand.rank > 0;
  return array_typed({known ? product(operand.dims) : Dim::unknown()}, dtype, call.arena);
}

Type expand_dims(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.is_number()) {
    const Axes axes = call.axes(call.at(1));
    const Promoted dtype = strong(promoted(operand));
    if (axes.form != Axes::Form::Listed) return array_typed(dtype);
    return array_typed(std::vector<Dim>(axes.listed.size(), Dim::one()), dtype, call.arena);
  }
  Type answer;
  if (ranked(operand, answer, false) == nullptr) return answer;
  const Axes axes = call.axes(call.at(1));
  const Promoted dtype = promoted(operand);
  const std::size_t rank = operand.dims.size();
  if (axes.form == Axes::Form::One) return of_rank(rank + 1, dtype, call.arena);
  if (axes.form != Axes::Form::Listed) return array_typed(dtype);
  std::vector<Dim> dims(rank + axes.listed.size(), Dim::unknown());
  std::vector<bool> is_new(dims.size(), false);
  for (const int axis : axes.listed) {
    const auto place = normal_axis(axis, dims.size());
    if (!place) return Type::unknown();
    is_new[*place] = true;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!is_new[i] && next == rank) return Type::unknown();  // an axis named twice
    dims[i] = is_new[i] ? Dim::one() : operand.dims[next++];
  }
  return array_typed(dims, dtype, call.arena);
}

Type squeeze(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.is_number()) return numeric_typed(promoted(operand));
  Type answer;
  if (ranked(operand, answer, true) == nullptr) return answer;
  const Axes axes = call.axes(call.named("axis"));
  const Promoted dtype = promoted(operand);
  std::vector<Dim> dims;
  if (axes.form == Axes::Form::All) {
    for (const Dim dim : operand.dims) {
      if (dim.is_unknown()) return numeric_typed(dtype);
      if (!dim.is_one()) dims.push_back(dim);
    }
  } else if (axes.form == Axes::Form::Listed) {
    dims = dims_of(operand);
    std::vector<std::size_t> gone;
    for (const int axis : axes.listed) {
      const auto place = normal_axis(axis, dims.size());
      if (!place) return Type::unknown();
      gone.push_back(*place);
    }
    std::ranges::sort(gone, std::greater<>());
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    for (const std::size_t place : gone) dims.erase(dims.begin() + static_cast<long>(place));
  } else {
    return numeric_typed(dtype);
  }
  return array_typed(dims, dtype, call.arena);
}

namespace {

// The arrays that a display or a list holds: their types, or nothing if their number is not known.
struct Parts {
  std::vector<Type> types = {};
  bool open = false;     // any number of the one type
  bool unclear = false;  // nothing is known
};

Parts parts_of(const CallView& call) {
  Parts parts;
  const Type all = call.type_at(0);
  if (all.kind == TypeKind::Tuple || all.kind == TypeKind::List) {
    for (const Type& element : all.elements) {
      parts.types.push_back(as_array(element, call.arena));
      parts.unclear = parts.unclear || !parts.types.back().is_numeric();
    }
    parts.open = all.uniform;
  } else if (all.is_array()) {
    parts.types.push_back(type_of_item(all, call.arena));
    parts.open = true;
  } else {
    parts.unclear = true;
  }
  parts.unclear = parts.unclear || parts.types.empty();
  return parts;
}

Promoted dtype_of(const Parts& parts) {
  Promoted dtype = strong(promoted(parts.types[0]));
  for (const Type& type : parts.types) dtype = promote(dtype, strong(promoted(type)));
  return dtype;
}

// The one rank of all parts, -1 if it is not known or differs.
int rank_of(const Parts& parts) {
  int rank = -2;
  for (const Type& type : parts.types) {
    const int here = type.is_number() ? 0 : type.is_array() ? type.rank : -1;
    if (rank != -2 && rank != here) return -1;
    rank = here;
  }
  return rank;
}

// Of lengths that NumPy demands to be equal, one that says something.
Dim common(const Parts& parts, std::size_t axis) {
  Dim best = Dim::unknown();
  for (const Type& type : parts.types) {
    const Dim dim = type.dims[axis];
    if (dim.is_symbol() || dim.is_one()) return dim;
    if (!best.is_comparable()) best = dim;
  }
  return best;
}

Dim total(const Parts& parts, std::size_t axis) {
  if (parts.open) return Dim::unknown();
  if (parts.types.size() == 1) return parts.types[0].dims[axis];
  std::int64_t sum = 0;
  for (const Type& type : parts.types) {
    const Dim dim = type.dims[axis];
    if (!dim.is_literal()) return Dim::unknown();
    sum += dim.literal();
  }
  return Dim::length(sum);
}

// The parts one behind the other along an axis.
Type joined(const Parts& parts, std::size_t place, Arena& arena) {
  std::vector<Dim> dims;
  const auto rank = static_cast<std::size_t>(rank_of(parts));
  dims.reserve(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    dims.push_back(i == place ? total(parts, i) : common(parts, i));
  }
  return array_typed(dims, dtype_of(parts), arena);
}

Dim count(const Parts& parts) {
  return parts.open ? Dim::unknown() : Dim::length(static_cast<std::int64_t>(parts.types.size()));
}

}  // namespace

Type concatenate(const CallView& call) {
  const Parts parts = parts_of(call);
  if (parts.unclear) return Type::unknown();
  const Promoted dtype = dtype_of(parts);
  if (const Expr* axis = call.at(1); axis != nullptr && is_none(axis)) {
    return array_typed({Dim::unknown()}, dtype, call.arena);
  }
  const int rank = rank_of(parts);
  if (rank <= 0) return array_typed(dtype);  // of numbers NumPy raises
  const auto axis =
      call.at(1) == nullptr ? std::optional<std::int64_t>(0) : call.integer(call.at(1));
  if (!axis) return of_rank(static_cast<std::size_t>(rank), dtype, call.arena);
  const auto place = normal_axis(*axis, static_cast<std::size_t>(rank));
  return place ? joined(parts, *place, call.arena) : Type::unknown();
}

// Numbers and vectors one behind the other, anything else along the second axis.
Type hstack(const CallView& call) {
  Parts parts = parts_of(call);
  if (parts.unclear) return Type::unknown();
  for (Type& type : parts.types) {
    if (type.is_number()) type = array_typed({Dim::one()}, promoted(type), call.arena);
  }
  const int rank = rank_of(parts);
  if (rank <= 0) return array_typed(dtype_of(parts));
  return joined(parts, rank == 1 ? 0 : 1, call.arena);
}

Type vstack(const CallView& call) {
  const Parts parts = parts_of(call);
  if (parts.unclear) return Type::unknown();
  const int rank = rank_of(parts);
  if (rank == 1) {
    return array_typed({count(parts), common(parts, 0)}, dtype_of(parts), call.arena);
  }
  return rank > 1 ? joined(parts, 0, call.arena) : array_typed(dtype_of(parts));
}

Type column_stack(const CallView& call) {
  const Parts parts = parts_of(call);
  if (parts.unclear) return Type::unknown();
  const int rank = rank_of(parts);
  if (rank == 1) {
    return array_typed({common(parts, 0), count(parts)}, dtype_of(parts), call.arena);
  }
  if (rank > 1) return joined(parts, 1, call.arena);
  return rank == 0 ? of_rank(2, dtype_of(parts), call.arena) : array_typed(dtype_of(parts));
}

Type dstack(const CallView& call) {
  const Parts parts = parts_of(call);
  if (parts.unclear) return Type::unknown();
  const Promoted dtype = dtype_of(parts);
  const int rank = rank_of(parts);
  if (rank == 1) {
    return array_typed({Dim::one(), common(parts, 0), count(parts)}, dtype, call.arena);
  }
  if (rank == 2) {
    return array_typed({common(parts, 0), common(parts, 1), count(parts)}, dtype, call.arena);
  }
  if (rank > 2) return joined(parts, 2, call.arena);
  return rank == 0 ? of_rank(3, dtype, call.arena) : array_typed(dtype);
}

Type stack(const CallView& call) {
  const Parts parts = parts_of(call);
  if (parts.unclear) return Type::unknown();
  const Promoted dtype = dtype_of(parts);
  const int rank = rank_of(parts);
  if (rank < 0) return array_typed(dtype);
  const auto width = static_cast<std::size_t>(rank) + 1;
  const auto axis =
      call.at(1) == nullptr ? std::optional<std::int64_t>(0) : call.integer(call.at(1));
  if (!axis) return of_rank(width, dtype, call.arena);
  const auto place = normal_axis(*axis, width);
  if (!place) return Type::unknown();
  std::vector<Dim> dims;
  dims.reserve(width);
  for (std::size_t i = 0; i + 1 < width; ++i) dims.push_back(common(parts, i));
  dims.insert(dims.begin() + static_cast<long>(*place), count(parts));
  return array_typed(dims, dtype, call.arena);
}

Type take(const CallView& call) {
  const Type operand = call.array_at(0);
  const Type indices = call.array_at(1);
  if (operand.kind == TypeKind::Bottom || indices.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric() || !indices.is_numeric()) return Type::unknown();
  const Promoted dtype = strong(promoted(operand));
  const Axes axes = call.axes(call.named("axis"));
  if (axes.form == Axes::Form::All) return typed(shape_of(indices), dtype, call.arena);
  const bool known = axes.form == Axes::Form::Listed && axes.listed.size() == 1 &&
                     operand.is_array() && operand.rank > 0 &&
                     (indices.is_number() || (indices.is_array() && indices.rank >= 0));
  if (!known) return numeric_typed(dtype);
  std::vector<Dim> dims = dims_of(operand);
  const auto place = normal_axis(axes.listed[0], dims.size());
  if (!place) return Type::unknown();
  dims.erase(dims.begin() + static_cast<long>(*place));
  dims.insert(dims.begin() + static_cast<long>(*place), indices.dims.begin(), indices.dims.end());
  if (indices.is_number()) {
    dims = dims_of(operand);
    dims.erase(dims.begin() + static_cast<long>(*place));
  }
  if (dims.empty()) return number_typed(dtype);
  return array_typed(dims, dtype, call.arena);
}

Type diff(const CallView& call) {
  const Type operand = call.array_at(0);
  Type answer;
  if (ranked(operand, answer, false) == nullptr) return answer;
  if (operand.rank == 0) return Type::unknown();  // NumPy raises
  std::vector<Dim> dims = dims_of(operand);
  const Expr* order = call.named("n");
  const Expr* along = call.named("axis");
  const auto n = order == nullptr ? std::optional<std::int64_t>(1) : call.integer(order);
  const auto axis = along == nullptr ? std::optional<std::int64_t>(-1) : call.integer(along);
  if (!n || !axis) return of_rank(dims.size(), promoted(operand), call.arena);
  const auto place = normal_axis(*axis, dims.size());
  if (!place) return Type::unknown();
  dims[*place] = dims[*place].less(*n);
  return array_typed(dims, promoted(operand), call.arena);
}

Type diagonal(const CallView& call) {
  const Type operand = call.array_at(0);
  Type answer;
  if (ranked(operand, answer, false) == nullptr) return answer;
  const Promoted dtype = promoted(operand);
  const auto offset =
      call.at(1) == nullptr ? std::optional<std::int64_t>(0) : call.integer(call.at(1));
  if (operand.rank == 1 && call.last_name() == "diag") {
    const Dim length = offset == 0 ? operand.dims[0] : Dim::unknown();
    return array_typed({length, length}, dtype, call.arena);
  }
  if (operand.rank < 2) return Type::unknown();  // NumPy raises
  std::vector<Dim> dims = dims_of(operand);
  const Dim rows = dims[0];
  dims.erase(dims.begin(), dims.begin() + 2);
  const bool square = operand.rank == 2 && offset == 0 && rows == operand.dims[1];
  dims.push_back(square ? rows : Dim::unknown());
  return array_typed(dims, dtype, call.arena);
}

Type repeat(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  if (!operand.is_numeric()) return Type::unknown();
  const Promoted dtype = strong(promoted(operand));
  const std::string_view name = call.last_name();
  if (name == "repeat" && is_none(call.named("axis"))) {
    return array_typed({Dim::unknown()}, dtype, call.arena);
  }
  std::size_t rank = operand.is_number() && name != "repeat" ? 0 : 1;
  if (operand.is_array() && operand.rank >= 0) rank = operand.dims.size();
  if (operand.kind == TypeKind::Numeric || (operand.is_array() && operand.rank < 0)) {
    return array_typed(dtype);
  }
  if (name == "tile") {
    const auto repeats = call.lengths(call.at(1));
    if (!repeats) return numeric_typed(dtype);
    rank = std::max(rank, repeats->size());
  }
  return of_rank(rank, dtype, call.arena);
}

Type shape(const CallView& call) {
  const Type operand = call.array_at(0);
  if (operand.kind == TypeKind::Bottom) return {};
  return operand.is_numeric() ? type_of_shape(operand, call.arena) : Type::unknown();
}

}  // namespace tangent::shapes
