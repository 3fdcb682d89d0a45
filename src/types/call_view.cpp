// The arguments of a library call as shape functions ask for them.
#include "types/call_view.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tangent {

std::size_t CallView::count() const {
  return call_.rule != nullptr ? call_.arguments.size()
                               : std::max(names_.size(), call_.arguments.size());
}

bool CallView::is_given(std::size_t position) const {
  if (position < call_.arguments.size()) return call_.arguments[position] != nullptr;
  if (call_.rule != nullptr || position >= names_.size()) return false;
  for (const Keyword* keyword : call_.keywords) {
    if (keyword->name.text() == names_[position]) return true;
  }
  return false;
}

const Expr* CallView::at(std::size_t position) const {
  if (position < call_.arguments.size() && call_.arguments[position] != nullptr) {
    return call_.arguments[position];
  }
  if (call_.rule != nullptr) {
    return position < call_.rule->parameters.size() ? call_.rule->parameters[position].default_value
                                                    : nullptr;
  }
  return position < names_.size() ? named(names_[position]) : nullptr;
}

const Expr* CallView::named(std::string_view name) const {
  if (call_.rule != nullptr) {
    const auto& parameters = call_.rule->parameters;
    // What NumPy calls axis and keepdims is dim and keepdim in torch.
    const std::string_view other = name == "axis" ? "dim" : name == "keepdims" ? "keepdim" : name;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string_view known = parameters[i].name.text();
      if (known == name || known == other) return at(i);
    }
    return nullptr;
  }
  for (const Keyword* keyword : call_.keywords) {
    if (keyword->name.text() == name) return keyword->value;
  }
  for (std::size_t i = 0; i < names_.size() && i < call_.arguments.size(); ++i) {
    if (names_[i] == name) return call_.arguments[i];
  }
  return nullptr;
}

bool CallView::is_default(const Expr* expression) const {
  if (call_.rule == nullptr || expression == nullptr) return false;
  return std::ranges::any_of(call_.rule->parameters, [&](const RuleParameter& parameter) {
    return parameter.default_value == expression;
  });
}

std::optional<std::int64_t> CallView::integer(const Expr* expression) const {
  return is_default(expression) ? integer_literal(expression) : integer_value(expression, types_);
}

Type CallView::type(const Expr* expression) const {
  if (expression == nullptr) return {};
  if (const auto* constant = as<Constant>(expression)) {
    return type_of_literal(constant->value, arena);
  }
  return is_default(expression) ? Type::unknown() : types_(expression);
}

std::optional<bool> CallView::truth(std::string_view name, bool missing) const {
  const Expr* expression = named(name);
  if (expression == nullptr) return missing;
  const auto* constant = as<Constant>(expression);
  if (constant == nullptr) return std::nullopt;
  switch (constant->value.kind) {
    case LiteralKind::True:
      return true;
    case LiteralKind::False:
    case LiteralKind::None:
      return false;
    case LiteralKind::Integer:
      return constant->value.integer != 0;
    default:
      return std::nullopt;
  }
}

Axes CallView::axes(const Expr* expression) const {
  if (is_none(expression)) return {};
  Axes axes{.form = Axes::Form::Listed, .listed = {}};
  const auto add = [&](const Expr* part) {
    const auto axis = integer(part);
    if (!axis || *axis < -64 || *axis > 64) return false;
    axes.listed.push_back(static_cast<int>(*axis));
    return true;
  };
  if (const auto* display = as<TupleDisplay>(expression)) {
    for (const Expr* element : display->elements) {
      if (!add(element)) return {.form = Axes::Form::Unclear, .listed = {}};
    }
    return axes;
  }
  if (add(expression)) return axes;
  const Type kind = type(expression);
  if (kind.kind == TypeKind::None) return {};
  if (kind.is_number() && kind.dtype == DType::Integer && !kind.mixed) {
    return {.form = Axes::Form::One, .listed = {}};
  }
  return {.form = Axes::Form::Unclear, .listed = {}};
}

Promoted CallView::dtype(std::string_view name, Promoted missing) const {
  const Expr* expression = named(name);
  if (is_none(expression)) return missing;
  if (const auto* constant = as<Constant>(expression)) {
    if (constant->value.kind == LiteralKind::String) {
      if (const auto found = dtype_of_name(constant->value.text)) return {.dtype = *found};
    }
    return {.dtype = DType::Other};
  }
  if (is_default(expression)) {
    const auto* name = as<Name>(expression);
    const auto found = name != nullptr ? dtype_of_name(name->symbol.text()) : std::nullopt;
    return {.dtype = found.value_or(DType::Other)};
  }
  const Type kind = types_(expression);
  if (kind.kind == TypeKind::None) return missing;
  if (kind.kind == TypeKind::Dtype && kind.rank == 0) return {.dtype = kind.dtype};
  return {.dtype = DType::Other};
}

Dim CallView::length(const Expr* expression) const {
  if (const auto literal = integer(expression)) return Dim::length(*literal);
  const Type kind = type(expression);
  return kind.is_number() && !kind.dims.empty() ? kind.dims[0] : Dim::unknown();
}

std::optional<std::vector<Dim>> CallView::lengths(const Expr* expression) const {
  std::vector<Dim> dims;
  const auto parts = [&](Exprs elements) {
    for (const Expr* element : elements) dims.push_back(length(element));
    return dims;
  };
  if (const auto* display = as<TupleDisplay>(expression)) return parts(display->elements);
  if (const auto* display = as<ListDisplay>(expression)) return parts(display->elements);
  const Type kind = type(expression);
  if (kind.is_number()) return std::vector<Dim>{length(expression)};
  if ((kind.kind == TypeKind::Tuple || kind.kind == TypeKind::List) && !kind.uniform) {
    for (const Type& element : kind.elements) {
      dims.push_back(element.is_number() && !element.dims.empty() ? element.dims[0]
                                                                  : Dim::unknown());
    }
    return dims;
  }
  return std::nullopt;
}

std::string_view CallView::last_name() const {
  const std::string_view name = callee();
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

Type type_of_literal(const Literal& literal, Arena& arena) {
  switch (literal.kind) {
    case LiteralKind::None:
      return Type::of(TypeKind::None);
    case LiteralKind::False:
    case LiteralKind::True:
      return Type::python_number(DType::Bool);
    case LiteralKind::Integer:
      return length_typed(Dim::length(literal.integer), arena);
    case LiteralKind::BigInteger:
      return Type::python_number(DType::Integer);
    case LiteralKind::Float:
      return Type::python_number(DType::Float64);
    case LiteralKind::Imaginary:
      return Type::python_number(DType::Complex128);
    case LiteralKind::String:
    case LiteralKind::Bytes:
      return Type::of(TypeKind::String);
    case LiteralKind::Ellipsis:
      return Type::of(TypeKind::Opaque);
  }
  return Type::unknown();
}

std::optional<DType> dtype_of_name(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::pair<std::string_view, DType>>({
      {"builtins.bool", DType::Bool},
      {"numpy.bool", DType::Bool},
      {"numpy.bool_", DType::Bool},
      {"bool", DType::Bool},
      {"builtins.int", DType::Integer},
      {"numpy.int64", DType::Integer},
      {"numpy.int32", DType::Integer},
      {"numpy.int16", DType::Integer},
      {"numpy.int8", DType::Integer},
      {"numpy.uint8", DType::Integer},
      {"numpy.uint16", DType::Integer},
      {"numpy.uint32", DType::Integer},
      {"numpy.uint64", DType::Integer},
      {"numpy.intp", DType::Integer},
      {"int", DType::Integer},
      {"int64", DType::Integer},
      {"int32", DType::Integer},
      {"builtins.float", DType::Float64},
      {"numpy.float64", DType::Float64},
      {"float", DType::Float64},
      {"float64", DType::Float64},
      {"numpy.float32", DType::Float32},
      {"float32", DType::Float32},
      {"numpy.float16", DType::Float16},
      {"float16", DType::Float16},
      {"builtins.complex", DType::Complex128},
      {"numpy.complex128", DType::Complex128},
      {"complex", DType::Complex128},
      {"complex128", DType::Complex128},
      {"numpy.complex64", DType::Complex64},
      {"complex64", DType::Complex64},
  });
  for (const auto& [known, dtype] : kNames) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

std::optional<std::size_t> normal_axis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

}  // namespace tangent
