// Types of subscripts and of attributes.
//
// In: the type of the value, the index as written and the types of its parts. Out: the type of the
// result, by NumPy's rules for basic and advanced indices, and Python's for sequences.
#include <algorithm>
#include <limits>

#include "types/literals.h"
#include "types/promote.h"
#include "types/transfer.h"

namespace tangent {

namespace {

enum class IndexKind : std::uint8_t { Integer, Slice, NewAxis, Ellipsis, Array, Mask, Unclear };

struct IndexItem {
  IndexKind kind = IndexKind::Unclear;
  const Slice* slice = nullptr;
  Type array = {};  // of Array and Mask
  [[nodiscard]] int consumed() const {
    switch (kind) {
      case IndexKind::Integer:
      case IndexKind::Slice:
      case IndexKind::Array:
        return 1;
      case IndexKind::Mask:
        return array.rank;
      default:
        return 0;
    }
  }
  [[nodiscard]] bool is_advanced() const {
    return kind == IndexKind::Array || kind == IndexKind::Mask;
  }
};

IndexItem item_of_type(const Type& type, Arena& arena) {
  switch (type.kind) {
    case TypeKind::None:
      return {.kind = IndexKind::NewAxis};
    case TypeKind::Slice:
      return {.kind = IndexKind::Slice};
    case TypeKind::Number:
      // A bool adds an axis; what may be one is unclear.
      if (type.dtype == DType::Integer && !type.mixed) return {.kind = IndexKind::Integer};
      return {};
    case TypeKind::Array:
      if (type.rank == 0 && type.dtype == DType::Integer) return {.kind = IndexKind::Integer};
      if (type.rank <= 0) return {};
      if (type.dtype == DType::Integer) return {.kind = IndexKind::Array, .array = type};
      if (type.dtype == DType::Bool) return {.kind = IndexKind::Mask, .array = type};
      return {};
    case TypeKind::Tuple:
    case TypeKind::List: {
      const Type array = as_array(type, arena);
      return array.is_array() ? item_of_type(array, arena) : IndexItem{};
    }
    default:
      return {};
  }
}

IndexItem item_of(const Expr* node, const TypeLookup& types, Arena& arena) {
  if (const auto* slice = as<Slice>(node)) return {.kind = IndexKind::Slice, .slice = slice};
  if (const auto* constant = as<Constant>(node)) {
    switch (constant->value.kind) {
      case LiteralKind::None:
        return {.kind = IndexKind::NewAxis};
      case LiteralKind::Ellipsis:
        return {.kind = IndexKind::Ellipsis};
      case LiteralKind::Integer:
        return {.kind = IndexKind::Integer};
      default:
        return {};
    }
  }
  if (integer_literal(node)) return {.kind = IndexKind::Integer};
  return item_of_type(types(node), arena);
}

std::vector<IndexItem> items_of(const Expr* index, const TypeLookup& types, Arena& arena) {
  std::vector<IndexItem> items;
  if (const auto* display = as<TupleDisplay>(index)) {
    items.reserve(display->elements.size() + 1);
    for (const Expr* element : display->elements) items.push_back(item_of(element, types, arena));
    return items;
  }
  if (!is<Slice>(index) && !is<Constant>(index)) {
    const Type type = types(index);
    if (type.kind == TypeKind::Tuple) {
      for (const Type& element : type.elements) items.push_back(item_of_type(element, arena));
      return items;
    }
  }
  items.push_back(item_of(index, types, arena));
  return items;
}

// The length of axis[lower:upper:step].
Dim sliced(Dim axis, const Slice* slice, const TypeLookup& types) {
  if (slice == nullptr) return Dim::unknown();
  const auto step =
      is_none(slice->step) ? std::optional<std::int64_t>(1) : integer_value(slice->step, types);
  const bool all = is_none(slice->lower) && is_none(slice->upper);
  if (step == -1 && all) return axis;
  if (step != 1) return Dim::unknown();
  const auto lower =
      is_none(slice->lower) ? std::optional<std::int64_t>(0) : integer_value(slice->lower, types);
  if (!lower) return Dim::unknown();

  if (is_none(slice->upper)) {
    if (*lower >= 0) return axis.less(*lower);
    return *lower > std::numeric_limits<std::int32_t>::min() ? axis.at_most(-*lower)
                                                             : Dim::unknown();
  }
  std::optional<std::int64_t> cut;  // how much of the end is left away
  if (const auto upper = integer_value(slice->upper, types)) {
    if (*upper < 0) {
      if (*upper < -0xfff) return Dim::unknown();
      cut = -*upper;
    } else if (*lower == 0) {
      return axis.at_most(*upper);
    } else if (axis.is_literal() && *lower > 0) {
      return axis.at_most(*upper).less(*lower);
    }
  } else {
    // x[:n] and x[1:n - 1] where n is the length of this axis. A negative n - 3 would count from
    // the end and leave something; n - 2 leaves nothing whatever n is.
    const Type type = types(slice->upper);
    if (type.is_number() && !type.dims.empty()) {
      const Dim end = type.dims[0];
      if (end.is_comparable() && end == axis) cut = 0;
      if (end.form() == Dim::kLess && end.base() == axis.id && end.constant() <= 2) {
        cut = end.constant();
      }
    }
  }
  if (!cut || *lower < 0 || *lower > 0xffff) return Dim::unknown();
  return axis.less(*lower + *cut);
}

// Without a known rank of the value, only whether the result is surely an array can be told.
Type subscript_of_unknown_rank(const Type& value, const std::vector<IndexItem>& items) {
  const Promoted dtype = promoted(value);
  bool drops = false;
  bool keeps = false;
  for (const IndexItem& item : items) {
    if (item.kind == IndexKind::Unclear) return numeric_typed(dtype);
    if (item.kind == IndexKind::Integer) drops = true;
    if (item.kind != IndexKind::Integer && item.kind != IndexKind::Ellipsis) keeps = true;
  }
  if (keeps || (!drops && value.is_array())) return array_typed(dtype);
  return numeric_typed(dtype);
}

// The axes that arrays in an index make together.
Shape advanced_shape(const std::vector<IndexItem>& items) {
  Shape shape;
  for (const IndexItem& item : items) {
    if (item.kind == IndexKind::Array) {
      shape = broadcast_shapes(shape, shape_of(item.array));
    } else if (item.kind == IndexKind::Mask) {
      shape =
          broadcast_shapes(shape, {.kind = TypeKind::Array, .rank = 1, .dims = {Dim::unknown()}});
    }
  }
  return shape;
}

Type subscript_of_array(const Type& value, std::vector<IndexItem> items, const TypeLookup& types,
                        Arena& arena) {
  if (value.rank < 0) return subscript_of_unknown_rank(value, items);
  int consumed = 0;
  bool advanced = false;
  bool has_ellipsis = false;
  for (const IndexItem& item : items) {
    if (item.kind == IndexKind::Unclear) return numeric_typed(promoted(value));
    consumed += item.consumed();
    advanced = advanced || item.is_advanced();
    has_ellipsis = has_ellipsis || item.kind == IndexKind::Ellipsis;
  }
  if (consumed > value.rank) return Type::unknown();  // NumPy raises
  if (!has_ellipsis) items.push_back({.kind = IndexKind::Ellipsis});

  std::vector<Dim> dims;
  std::size_t axis = 0;
  std::size_t first_advanced = 0;  // where in the result
  bool seen = false;
  bool ended = false;
  bool separated = false;  // arrays that do not stand together put their axes in front
  for (const IndexItem& item : items) {
    const bool joins_arrays = item.is_advanced() || (advanced && item.kind == IndexKind::Integer);
    if (joins_arrays) {
      if (!seen) first_advanced = dims.size();
      separated = separated || ended;
      seen = true;
    } else if (seen) {
      ended = true;
    }
    switch (item.kind) {
      case IndexKind::Slice:
        dims.push_back(sliced(value.dims[axis++], item.slice, types));
        break;
      case IndexKind::NewAxis:
        dims.push_back(Dim::one());
        break;
      case IndexKind::Ellipsis:
        for (int kept = value.rank - consumed; kept > 0; --kept) dims.push_back(value.dims[axis++]);
        break;
      default:
        axis += static_cast<std::size_t>(item.consumed());
    }
  }
  if (advanced) {
    const Shape together = advanced_shape(items);
    const auto place = separated ? dims.begin() : dims.begin() + static_cast<long>(first_advanced);
    dims.insert(place, together.dims.begin(), together.dims.end());
  }
  // x[...] of a vector's element is a 0-d array, x[i] a number.
  if (dims.empty() && has_ellipsis) return array_typed({}, promoted(value), arena);
  Shape shape{.kind = TypeKind::Array, .rank = static_cast<std::int8_t>(dims.size()), .dims = {}};
  shape.dims = std::move(dims);
  return typed(shape, promoted(value), arena);
}

Type subscript_of_sequence(const Type& value, const Expr* index, const TypeLookup& types,
                           Arena& arena) {
  const auto count = static_cast<std::int64_t>(value.elements.size());
  if (const auto* slice = as<Slice>(index)) {
    if (value.uniform) return value;
    const auto bound = [&](const Expr* part, std::int64_t missing) -> std::optional<std::int64_t> {
      if (is_none(part)) return missing;
      auto literal = integer_value(part, types);
      if (literal && *literal < 0) literal = *literal + count;
      if (literal) literal = std::clamp<std::int64_t>(*literal, 0, count);
      return literal;
    };
    const auto lower = bound(slice->lower, 0);
    const auto upper = bound(slice->upper, count);
    if (!lower || !upper || !is_none(slice->step)) {
      if (value.kind != TypeKind::List) return Type::unknown();
      // Which items these are is not known, but their type is.
      Type items = Type::of(TypeKind::List);
      items.uniform = true;
      items.elements = arena.copy(std::vector<Type>{type_of_item(value, arena)});
      return items;
    }
    Type result = value;
    result.elements = *lower < *upper
                          ? value.elements.subspan(static_cast<std::size_t>(*lower),
                                                   static_cast<std::size_t>(*upper - *lower))
                          : List<Type>{};
    return result;
  }
  if (!value.uniform) {
    if (auto literal = integer_value(index, types)) {
      if (*literal < 0) *literal += count;
      if (*literal < 0 || *literal >= count) return Type::unknown();  // Python raises
      return value.elements[static_cast<std::size_t>(*literal)];
    }
  }
  const Type type = types(index);
  if (type.is_number() && type.dtype <= DType::Integer) return type_of_item(value, arena);
  // One of several numbers, whatever says which: nothing but an index does.
  const bool numbers = !value.uniform && !value.elements.empty() &&
                       std::ranges::all_of(value.elements, &Type::is_number);
  if (numbers && type.kind == TypeKind::Unknown) return type_of_item(value, arena);
  return Type::unknown();
}

Type transposed(const Type& value, Arena& arena) {
  if (value.rank > 1) {
    Type result = value;
    result.dims = arena.copy(std::vector<Dim>(value.dims.rbegin(), value.dims.rend()));
    return result;
  }
  return value;
}

Type shape_tuple(const Type& value, Arena& arena) {
  std::vector<Type> elements;
  if (value.kind == TypeKind::Numeric || (value.is_array() && value.rank < 0)) {
    elements.push_back(Type::python_number(DType::Integer));
    Type result = Type::of(TypeKind::List);
    result.uniform = true;
    result.elements = arena.copy(elements);
    return result;
  }
  if (value.is_array()) {
    for (const Dim dim : value.dims) elements.push_back(length_typed(dim, arena));
  }
  Type result = Type::of(TypeKind::Tuple);
  result.elements = arena.copy(elements);
  return result;
}

// .real and .imag: floating where the value is complex.
Type real_part(Type value) {
  if (value.dtype == DType::Complex64) value.dtype = DType::Float32;
  if (value.dtype == DType::Complex128) value.dtype = DType::Float64;
  if (!value.is_number()) return value;
  value.dims = {};
  if (value.dtype == DType::Bool) {
    // True.real is 1, np.True_.real is np.True_.
    value.dtype = DType::Integer;
    value.mixed = true;
  }
  return value;
}

}  // namespace

Type type_of_shape(const Type& value, Arena& arena) { return shape_tuple(value, arena); }

Type type_of_subscript(const Type& value, const Expr* index, const TypeLookup& types,
                       Arena& arena) {
  switch (value.kind) {
    case TypeKind::Bottom:
    case TypeKind::String:
      return value;
    case TypeKind::Array:
      return subscript_of_array(value, items_of(index, types, arena), types, arena);
    case TypeKind::Numeric: {
      std::vector<IndexItem> items = items_of(index, types, arena);
      // A number takes no index that consumes an axis.
      const bool is_array = std::ranges::any_of(items, [](const IndexItem& item) {
        return item.kind != IndexKind::Unclear && item.consumed() > 0;
      });
      if (is_array && value.rank > 0) {
        return subscript_of_array(as_surely_array(value), std::move(items), types, arena);
      }
      return subscript_of_unknown_rank(value, items);
    }
    case TypeKind::Tuple:
    case TypeKind::List:
      return subscript_of_sequence(value, index, types, arena);
    case TypeKind::Dict:
      if (const auto* key = as<Constant>(index);
          key != nullptr && key->value.kind == LiteralKind::String) {
        if (const Type* known = field_of(value, key->value.text)) return *known;
      }
      return value.is_map() && !is<Slice>(index) ? value.elements[0] : Type::unknown();
    case TypeKind::Iterator:  // a range: no other takes an index
      if (is<Slice>(index) || value.elements.empty()) return value;
      return value.elements[0];
    default:
      return Type::unknown();
  }
}

std::optional<Type> type_of_attribute(const Type& value, Symbol attribute, Arena& arena) {
  const std::string_view name = attribute.text();
  if (value.kind == TypeKind::Dtype) return Type::of(TypeKind::Opaque);
  if (value.kind == TypeKind::Opaque) {
    const Type* known = field_of(value, name);
    return known != nullptr ? std::optional(*known) : std::nullopt;
  }
  if (!value.is_numeric()) return std::nullopt;
  if (name == "T") return transposed(value, arena);
  if (name == "shape") return shape_tuple(value, arena);
  if (name == "ndim") {
    if (value.is_number() || (value.is_array() && value.rank >= 0)) {
      return length_typed(Dim::length(value.rank), arena);
    }
    return Type::python_number(DType::Integer);
  }
  if (name == "size") {
    if (value.is_array() && value.rank == 1) return length_typed(value.dims[0], arena);
    return Type::python_number(DType::Integer);
  }
  if (name == "itemsize" || name == "nbytes") return Type::python_number(DType::Integer);
  if (name == "dtype") {
    return value.mixed ? Type::of(TypeKind::Dtype) : Type::dtype_value(value.dtype);
  }
  if (name == "real" || name == "imag") return real_part(value);
  if (name == "flat") {
    Type result = Type::of(TypeKind::Iterator);
    Promoted dtype = promoted(value);
    result.elements = arena.copy(std::vector<Type>{number_typed(dtype)});
    return result;
  }
  return std::nullopt;
}

}  // namespace tangent
