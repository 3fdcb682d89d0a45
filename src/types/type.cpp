// The lattice: equality, joins, and types as text.
#include "types/type.h"

#include <algorithm>
#include <vector>

namespace tangent {

int class_of(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return 0;
    case DType::Integer:
      return 1;
    case DType::Float16:
    case DType::Float32:
    case DType::Float64:
      return 2;
    case DType::Complex64:
    case DType::Complex128:
      return 3;
    case DType::Other:
      return 4;
  }
  return 4;
}

namespace {

// What is known of a dtype as arrays know it: {Other, mixed} is "real", {Other, not mixed} is top.
struct Dtypes {
  DType dtype;
  bool mixed;
  bool operator==(const Dtypes&) const = default;
};
constexpr Dtypes kReal{DType::Other, true};
constexpr Dtypes kAny{DType::Other, false};

Dtypes lifted(const Type& type) {
  if (type.kind == TypeKind::Number && type.mixed) return class_of(type.dtype) <= 2 ? kReal : kAny;
  return {type.dtype, type.mixed};
}

bool is_real(Dtypes dtypes) { return dtypes == kReal || class_of(dtypes.dtype) <= 2; }

Dtypes join_dtypes(Dtypes a, Dtypes b) {
  if (a == b) return a;
  if (a.dtype != DType::Other && b.dtype != DType::Other && class_of(a.dtype) == class_of(b.dtype))
    return {std::max(a.dtype, b.dtype), false};
  return is_real(a) && is_real(b) ? kReal : kAny;
}

Type join_numbers(const Type& a, const Type& b) {
  Type result = Type::number(std::max(a.dtype, b.dtype));
  result.mixed = result.dtype != DType::Other &&
                 (a.mixed || b.mixed || class_of(a.dtype) != class_of(b.dtype));
  result.weak = a.weak && b.weak;
  if (!a.dims.empty() && !b.dims.empty() && a.dims[0] == b.dims[0]) result.dims = a.dims;
  return result;
}

List<Dim> join_dims(List<Dim> a, List<Dim> b, Arena& arena) {
  if (std::ranges::equal(a, b)) return a;
  std::vector<Dim> dims(a.begin(), a.end());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != b[i]) dims[i] = Dim::unknown();
  }
  return arena.copy(dims);
}

Type join_numeric(const Type& a, const Type& b, Arena& arena) {
  if (a.is_number() && b.is_number()) return join_numbers(a, b);
  const Dtypes dtypes = join_dtypes(lifted(a), lifted(b));
  Type result = a.is_array() && b.is_array() && (a.rank == 0) == (b.rank == 0)
                    ? Type::array(dtypes.dtype)
                    : Type::numeric(dtypes.dtype);
  result.mixed = dtypes.mixed;
  if (a.library == b.library) result.library = a.library;
  // A number beside an array leaves the array's shape as it is.
  if (a.is_number() || b.is_number()) {
    const Type& other = a.is_number() ? b : a;
    if (other.rank > 0) {
      result.rank = other.rank;
      result.dims = other.dims;
    }
  } else if (a.rank == b.rank && (a.rank > 0 || result.is_array())) {
    result.rank = a.rank;
    result.dims = join_dims(a.dims, b.dims, arena);
  }
  return result;
}

Type join_elements(const Type& list, Arena& arena) {
  Type joined;
  for (const Type& element : list.elements) joined = join(joined, element, arena);
  return joined;
}

Type join_positions(const Type& a, const Type& b, Arena& arena) {
  std::vector<Type> elements(a.elements.begin(), a.elements.end());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = join(elements[i], b.elements[i], arena);
  }
  Type result = a;
  result.elements = arena.copy(elements);
  return result;
}

Type join_lists(const Type& a, const Type& b, Arena& arena) {
  if (!a.uniform && !b.uniform && a.elements.size() == b.elements.size()) {
    return join_positions(a, b, arena);
  }
  Type result = Type::of(TypeKind::List);
  result.uniform = true;
  const std::vector<Type> element = {join(join_elements(a, arena), join_elements(b, arena), arena)};
  result.elements = arena.copy(element);
  return result;
}

std::string dtype_text(const Type& type) {
  switch (type.dtype) {
    case DType::Bool:
      return "bool";
    case DType::Integer:
      return "i64";
    case DType::Float16:
      return "f16";
    case DType::Float32:
      return "f32";
    case DType::Float64:
      return "f64";
    case DType::Complex64:
      return "c64";
    case DType::Complex128:
      return "c128";
    case DType::Other:
      return type.mixed ? "real" : "any";
  }
  return "any";
}

std::string number_text(const Type& type) {
  switch (type.dtype) {
    case DType::Bool:
      return "bool";
    case DType::Integer:
      return "int";
    case DType::Float64:
      return "float";
    case DType::Complex128:
      return "complex";
    default:
      return dtype_text(type);
  }
}

std::string dim_text(Dim dim) {
  if (dim.id == 0) return "_";
  if (dim.is_literal()) return std::to_string(dim.literal());
  if (dim.form() == Dim::kParameter) return "n" + std::to_string(dim.id);
  if (dim.form() == Dim::kOther) return "m" + std::to_string(dim.id - Dim::kOther);
  const std::string base = "n" + std::to_string(dim.base());
  const std::string constant = std::to_string(dim.constant());
  return dim.form() == Dim::kLess ? base + " - " + constant : "min(" + base + ", " + constant + ")";
}

std::string dims_text(List<Dim> dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += dim_text(dims[i]);
  }
  return text + "]";
}

std::string elements_text(const Type& type) {
  if (type.elements.empty()) return "()";
  std::string text;
  for (const Type& element : type.elements) {
    if (!text.empty()) text += ", ";
    text += to_text(element);
  }
  return text;
}

}  // namespace

bool Type::may_be_active() const {
  switch (kind) {
    case TypeKind::Number:
    case TypeKind::Array:
    case TypeKind::Numeric:
      return dtype != DType::Bool;
    case TypeKind::Tuple:
    case TypeKind::List:
    case TypeKind::Iterator:
      return std::ranges::any_of(elements, [](const Type& it) { return it.may_be_active(); });
    case TypeKind::Dict:
      return !is_map() || elements[0].may_be_active();
    case TypeKind::Unknown:
      return true;
    default:
      return false;
  }
}

bool holds_fields(const Type& type) {
  return !type.fields.empty() || std::ranges::any_of(type.elements, holds_fields);
}

const Type* field_of(const Type& type, std::string_view name) {
  for (const Field& field : type.fields) {
    if (field.name == name) return &field.type;
  }
  return nullptr;
}

namespace {

bool same_fields(const Type& a, const Type& b) {
  return std::ranges::equal(a.fields, b.fields, [](const Field& one, const Field& other) {
    return one.name == other.name && one.type == other.type;
  });
}

// What is known of both.
Type join_fields(const Type& a, const Type& b, Arena& arena) {
  std::vector<Field> fields;
  for (const Field& field : a.fields) {
    if (const Type* other = field_of(b, field.name))
      fields.push_back({field.name, join(field.type, *other, arena)});
  }
  Type result = Type::of(a.kind);
  result.fields = arena.copy(fields);
  return result;
}

}  // namespace

bool operator==(const Type& a, const Type& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case TypeKind::Number:
    case TypeKind::Array:
    case TypeKind::Numeric:
      return a.dtype == b.dtype && a.rank == b.rank && a.mixed == b.mixed && a.weak == b.weak &&
             a.library == b.library && std::ranges::equal(a.dims, b.dims);
    case TypeKind::Dict:
    case TypeKind::Opaque:
      if (!same_fields(a, b)) return false;
      [[fallthrough]];
    case TypeKind::Tuple:
    case TypeKind::List:
    case TypeKind::Iterator:
      return a.uniform == b.uniform && a.elements.size() == b.elements.size() &&
             (a.elements.data() == b.elements.data() || std::ranges::equal(a.elements, b.elements));
    case TypeKind::Dtype:
      return a.rank == b.rank && (a.rank < 0 || a.dtype == b.dtype);
    default:
      return true;
  }
}

Type join(const Type& a, const Type& b, Arena& arena) {
  if (a == b || b.kind == TypeKind::Bottom) return a;
  if (a.kind == TypeKind::Bottom) return b;
  if (a.is_numeric() && b.is_numeric()) return join_numeric(a, b, arena);
  if (a.kind != b.kind) return Type::unknown();
  switch (a.kind) {
    case TypeKind::Tuple:
      if (a.elements.size() == b.elements.size()) return join_positions(a, b, arena);
      return Type::unknown();
    case TypeKind::List:
      return join_lists(a, b, arena);
    case TypeKind::Iterator:
      if (a.elements.size() == b.elements.size()) return join_positions(a, b, arena);
      return Type::unknown();
    case TypeKind::Dict:
      return a.is_map() && b.is_map() ? join_positions(a, b, arena) : join_fields(a, b, arena);
    case TypeKind::Opaque:
      return join_fields(a, b, arena);
    case TypeKind::Dtype:
      return Type::of(TypeKind::Dtype);  // two different ones
    default:
      return a;
  }
}

std::string to_text(const Type& type) {
  switch (type.kind) {
    case TypeKind::Bottom:
      return "never";
    case TypeKind::None:
      return "None";
    case TypeKind::Number:
      return number_text(type);
    case TypeKind::Array:
      if (type.rank < 0) return dtype_text(type) + "[...]";
      return dtype_text(type) + (type.rank == 0 ? "[()]" : dims_text(type.dims));
    case TypeKind::Numeric:
      return type.rank > 0 ? "numeric" + dims_text(type.dims) : "numeric";
    case TypeKind::String:
      return "str";
    case TypeKind::Tuple:
      return "tuple[" + elements_text(type) + "]";
    case TypeKind::List:
      return type.uniform ? "list[" + elements_text(type) + ", ...]"
                          : "list[" + elements_text(type) + "]";
    case TypeKind::Dict:
      return type.is_map()
                 ? "dict[" + to_text(type.elements[1]) + ", " + to_text(type.elements[0]) + "]"
                 : "dict";
    case TypeKind::Slice:
      return "slice";
    case TypeKind::Dtype:
      return "dtype";
    case TypeKind::Module:
      return "module";
    case TypeKind::Function:
      return "function";
    case TypeKind::Iterator:
      return "iterator[" + elements_text(type) + "]";
    case TypeKind::Opaque:
      return "object";
    case TypeKind::Unknown:
      return "Any";
  }
  return "Any";
}

}  // namespace tangent
