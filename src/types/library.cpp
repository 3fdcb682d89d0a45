// What library functions give: by the shape name of their rule, or, for builtins and for NumPy's
// functions that make or measure arrays, by their own name.
#include <algorithm>
#include <array>

#include "types/shapes.h"

namespace tangent {

namespace {

using shapes::strong;

struct NamedShape {
  std::string_view name;
  ShapeFunction function;
};
constexpr auto kShapes = std::to_array<NamedShape>({
    {"arange", shapes::arange},
    {"arithmetic", shapes::arithmetic},
    {"array", shapes::array},
    {"astype", shapes::astype},
    {"boolean", shapes::boolean},
    {"boolean_reduction", shapes::boolean_reduction},
    {"broadcast_to", shapes::broadcast_to},
    {"column_stack", shapes::column_stack},
    {"complex_like", shapes::complex_like},
    {"complex_number", shapes::complex_number},
    {"concatenate", shapes::concatenate},
    {"convolved", shapes::convolved},
    {"cumulative", shapes::cumulative},
    {"determinant", shapes::determinant},
    {"diagonal", shapes::diagonal},
    {"diff", shapes::diff},
    {"divmod", shapes::divmod},
    {"dot", shapes::dot},
    {"dstack", shapes::dstack},
    {"eigh", shapes::eigh},
    {"eigvalsh", shapes::eigvalsh},
    {"einsum", shapes::einsum},
    {"elementwise", shapes::elementwise},
    {"expand_dims", shapes::expand_dims},
    {"extremum", shapes::extremum},
    {"eye", shapes::eye},
    {"filled", shapes::filled},
    {"filled_like", shapes::filled_like},
    {"frexp", shapes::frexp},
    {"gradient", shapes::gradient},
    {"half_spectrum", shapes::half_spectrum},
    {"hstack", shapes::hstack},
    {"index", shapes::index},
    {"inner", shapes::inner},
    {"integer", shapes::integer},
    {"integer_scalar", shapes::integer_scalar},
    {"interpolated", shapes::interpolated},
    {"like_second", shapes::like_second},
    {"like_third", shapes::like_third},
    {"linspace", shapes::linspace},
    {"loss", shapes::loss},
    {"lstsq", shapes::lstsq},
    {"matmul", shapes::matmul},
    {"meshgrid", shapes::meshgrid},
    {"modf", shapes::modf},
    {"moveaxis", shapes::moveaxis},
    {"norm", shapes::norm},
    {"outer", shapes::outer},
    {"pinv", shapes::pinv},
    {"polynomial", shapes::polynomial},
    {"qr", shapes::qr},
    {"quantile", shapes::quantile},
    {"ravel", shapes::ravel},
    {"reduction", shapes::reduction},
    {"repeat", shapes::repeat},
    {"reshape", shapes::reshape},
    {"same", shapes::same},
    {"same_float", shapes::same_float},
    {"scalar", shapes::scalar},
    {"shape", shapes::shape},
    {"signal", shapes::signal},
    {"slogdet", shapes::slogdet},
    {"solve", shapes::solve},
    {"sorted", shapes::sorted},
    {"split", shapes::split},
    {"spread", shapes::spread},
    {"squeeze", shapes::squeeze},
    {"stack", shapes::stack},
    {"sum", shapes::sum},
    {"svd", shapes::svd},
    {"swapaxes", shapes::swapaxes},
    {"take", shapes::take},
    {"top", shapes::top},
    {"total", shapes::total},
    {"transpose", shapes::transpose},
    {"trapezoid", shapes::trapezoid},
    {"vstack", shapes::vstack},
    {"where", shapes::where},
});

// ---------------------------------------------------------------------------------------------------
// Builtins

Type iterator_of(const Type& item, Arena& arena) {
  Type result = Type::of(TypeKind::Iterator);
  result.elements = arena.copy(std::vector<Type>{item});
  return result;
}

Type list_of(const Type& item, Arena& arena) {
  Type result = Type::of(TypeKind::List);
  result.uniform = true;
  result.elements = arena.copy(std::vector<Type>{item});
  return result;
}

Type tuple_of(const std::vector<Type>& elements, Arena& arena) {
  Type result = Type::of(TypeKind::Tuple);
  result.elements = arena.copy(elements);
  return result;
}

Type range_type(const CallView& call) {
  return iterator_of(Type::python_number(DType::Integer), call.arena);
}

Type item_at(const CallView& call, std::size_t position) {
  return type_of_item(call.type_at(position), call.arena);
}

Type enumerate_type(const CallView& call) {
  const Type counter = Type::python_number(DType::Integer);
  return iterator_of(tuple_of({counter, item_at(call, 0)}, call.arena), call.arena);
}

Type zip_type(const CallView& call) {
  std::vector<Type> items;
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (call.at(i) != nullptr) items.push_back(item_at(call, i));
  }
  return iterator_of(tuple_of(items, call.arena), call.arena);
}

Type reversed_type(const CallView& call) { return iterator_of(item_at(call, 0), call.arena); }

Type list_type(const CallView& call) {
  if (call.at(0) == nullptr) return Type::of(TypeKind::List);
  const Type from = call.type_at(0);
  if (from.kind == TypeKind::List) return from;
  if (from.kind == TypeKind::Tuple) {
    Type result = from;
    result.kind = TypeKind::List;
    return result;
  }
  return list_of(type_of_item(from, call.arena), call.arena);
}

Type tuple_type(const CallView& call) {
  if (call.at(0) == nullptr) return tuple_of({}, call.arena);
  const Type from = call.type_at(0);
  if (from.kind == TypeKind::Tuple) return from;
  if (from.kind == TypeKind::List && !from.uniform) {
    Type result = from;
    result.kind = TypeKind::Tuple;
    return result;
  }
  return Type::unknown();
}

Type sorted_type(const CallView& call) { return list_of(item_at(call, 0), call.arena); }

// Steps of a loop that keeps snapshots: never changed, so a tuple serves for all of them.
Type steps_type(const CallView& call) {
  Type result = tuple_of({Type::python_number(DType::Integer)}, call.arena);
  result.uniform = true;
  return result;
}

// (first, start, kept) for each stretch of such a loop.
Type stretches_type(const CallView& call) {
  const Type step = Type::python_number(DType::Integer);
  return iterator_of(tuple_of({step, step, steps_type(call)}, call.arena), call.arena);
}

Type float_type(const CallView&) { return Type::python_number(DType::Float64); }
Type int_type(const CallView&) { return Type::python_number(DType::Integer); }
Type bool_type(const CallView&) { return Type::python_number(DType::Bool); }
Type string_type(const CallView&) { return Type::of(TypeKind::String); }
Type none_type(const CallView&) { return Type::of(TypeKind::None); }

// round(x) is an int, round(x, 2) a float; of an array NumPy's own.
Type round_type(const CallView& call) {
  const Type operand = call.type_at(0);
  if (operand.is_number()) {
    if (is_none(call.at(1))) return Type::python_number(DType::Integer);
    Promoted dtype = promoted(operand);
    if (dtype.dtype == DType::Bool) dtype = {.dtype = DType::Float64, .mixed = true};
    return number_typed(dtype);
  }
  return operand.is_array() ? operand : Type::unknown();
}

// max(a, b, …) and max(iterable): one of what there is.
Type extreme_type(const CallView& call) {
  if (!call.is_given(1)) return item_at(call, 0);
  Type joined;
  for (std::size_t i = 0; i < call.count(); ++i) {
    // What is not given is None, by the rule's default.
    if (call.is_given(i)) joined = join(joined, call.type_at(i), call.arena);
  }
  return joined;
}

// sum(iterable) starts at the int 0, which it also is for no items.
Type sum_type(const CallView& call) {
  Type start = Type::python_number(DType::Integer);
  if (call.at(1) != nullptr) start = call.type_at(1);
  const Type item = item_at(call, 0);
  if (item.kind == TypeKind::Bottom) return start;  // of nothing
  if (!item.is_numeric() || !start.is_numeric()) return Type::unknown();
  const Type once = type_of_binary(BinaryOperator::Add, start, item, call.arena);
  const Type twice = type_of_binary(BinaryOperator::Add, once, item, call.arena);
  return join(join(start, once, call.arena), twice, call.arena);
}

// ---------------------------------------------------------------------------------------------------
// NumPy's functions without a rule

Type integer_same(const CallView& call) {
  const Type operand = call.array_at(0);
  if (!operand.is_numeric()) return operand;
  if (operand.is_number()) {
    return array_typed({Dim::one()}, {.dtype = DType::Integer}, call.arena);
  }
  return typed(shape_of(operand), {.dtype = DType::Integer}, call.arena);
}

Type searchsorted_type(const CallView& call) {
  const Type operand = call.array_at(1);
  if (!operand.is_numeric()) return operand;
  return typed(shape_of(operand), {.dtype = DType::Integer}, call.arena);
}

struct KnownFunction {
  std::string_view name;
  ShapeFunction function;
  std::array<std::string_view, 6> parameters = {};
};
constexpr auto kFunctions = std::to_array<KnownFunction>({
    {"builtins.all", bool_type, {}},
    {"builtins.any", bool_type, {}},
    {"builtins.bool", bool_type, {}},
    {"builtins.callable", bool_type, {}},
    {"builtins.enumerate", enumerate_type, {"iterable", "start"}},
    {"builtins.float", float_type, {}},
    {"builtins.hasattr", bool_type, {}},
    {"builtins.int", int_type, {}},
    {"builtins.isinstance", bool_type, {}},
    {"builtins.len", shapes::integer_scalar, {}},
    {"builtins.list", list_type, {}},
    {"builtins.max", extreme_type, {}},
    {"builtins.min", extreme_type, {}},
    {"builtins.print", none_type, {}},
    {"builtins.range", range_type, {}},
    {"builtins.repr", string_type, {}},
    {"builtins.reversed", reversed_type, {}},
    {"builtins.round", round_type, {"number", "ndigits"}},
    {"builtins.sorted", sorted_type, {}},
    {"builtins.str", string_type, {}},
    {"builtins.sum", sum_type, {"iterable", "start"}},
    {"builtins.tuple", tuple_type, {}},
    {"builtins.zip", zip_type, {}},
    {"math.ceil", int_type, {}},
    {"math.comb", int_type, {}},
    {"math.factorial", int_type, {}},
    {"math.floor", int_type, {}},
    {"math.gcd", int_type, {}},
    {"math.isclose", bool_type, {}},
    {"math.isfinite", bool_type, {}},
    {"math.isinf", bool_type, {}},
    {"math.isnan", bool_type, {}},
    {"math.isqrt", int_type, {}},
    {"math.trunc", int_type, {}},
    {"numpy.all", shapes::boolean_reduction, {"a", "axis", "out", "keepdims"}},
    {"numpy.allclose", bool_type, {}},
    {"numpy.any", shapes::boolean_reduction, {"a", "axis", "out", "keepdims"}},
    {"numpy.arange", shapes::arange, {"start", "stop", "step", "dtype"}},
    {"numpy.argmax", shapes::index, {"a", "axis", "out", "keepdims"}},
    {"numpy.argmin", shapes::index, {"a", "axis", "out", "keepdims"}},
    {"numpy.argsort", integer_same, {"a", "axis"}},
    {"numpy.array", shapes::array, {"object", "dtype"}},
    {"numpy.array_equal", bool_type, {}},
    {"numpy.asarray", shapes::array, {"a", "dtype"}},
    {"numpy.ceil", shapes::arithmetic, {"x"}},
    {"numpy.copy", shapes::same, {"a"}},
    {"numpy.count_nonzero", shapes::index, {"a", "axis", "out", "keepdims"}},
    {"numpy.empty", shapes::filled, {"shape", "dtype"}},
    {"numpy.empty_like", shapes::filled_like, {"a", "dtype"}},
    {"numpy.eye", shapes::eye, {"N", "M", "k", "dtype"}},
    {"numpy.floor", shapes::arithmetic, {"x"}},
    {"numpy.full", shapes::filled, {"shape", "fill_value", "dtype"}},
    {"numpy.full_like", shapes::filled_like, {"a", "fill_value", "dtype"}},
    {"numpy.identity", shapes::eye, {"n", "dtype"}},
    {"numpy.isfinite", shapes::boolean, {"x"}},
    {"numpy.isinf", shapes::boolean, {"x"}},
    {"numpy.isnan", shapes::boolean, {"x"}},
    {"numpy.linspace", shapes::linspace, {"start", "stop", "num", "endpoint"}},
    {"numpy.logical_and", shapes::boolean, {"x1", "x2"}},
    {"numpy.logical_not", shapes::boolean, {"x"}},
    {"numpy.logical_or", shapes::boolean, {"x1", "x2"}},
    {"numpy.logical_xor", shapes::boolean, {"x1", "x2"}},
    {"numpy.ndim", shapes::integer_scalar, {"a"}},
    {"numpy.ones", shapes::filled, {"shape", "dtype"}},
    {"numpy.ones_like", shapes::filled_like, {"a", "dtype"}},
    {"numpy.rint", shapes::elementwise, {"x"}},
    {"numpy.searchsorted", searchsorted_type, {"a", "v"}},
    {"numpy.shape", shapes::shape, {"a"}},
    {"numpy.sign", shapes::arithmetic, {"x"}},
    {"numpy.size", shapes::integer_scalar, {"a", "axis"}},
    {"numpy.trunc", shapes::arithmetic, {"x"}},
    {"numpy.zeros", shapes::filled, {"shape", "dtype"}},
    {"numpy.zeros_like", shapes::filled_like, {"a", "dtype"}},
    {"tangent.runtime._distinct", sorted_type, {}},
    {"tangent.runtime._segment_size", int_type, {}},
    {"tangent.runtime._snapshot_steps", steps_type, {}},
    {"tangent.runtime._stretches", stretches_type, {}},
});

template <class Table>
const auto* find_sorted(const Table& table, std::string_view name) {
  const auto found =
      std::ranges::lower_bound(table, name, {}, [](const auto& it) { return it.name; });
  return found != table.end() && found->name == name ? &*found : nullptr;
}

static_assert(std::ranges::is_sorted(kShapes, {}, &NamedShape::name));
static_assert(std::ranges::is_sorted(kFunctions, {}, &KnownFunction::name));

// Parameters that change the result and that the table does not name.
bool names_all_keywords(const KnownFunction& known, const BoundCall& call) {
  return std::ranges::all_of(call.keywords, [&](const Keyword* keyword) {
    return std::ranges::find(known.parameters, keyword->name.text()) != known.parameters.end();
  });
}

}  // namespace

ShapeFunction find_shape(std::string_view name) {
  const auto* found = find_sorted(kShapes, name);
  return found != nullptr ? found->function : nullptr;
}

std::optional<Type> type_of_known_function(const BoundCall& call, const TypeLookup& types,
                                           Arena& arena) {
  if (const auto* known = find_sorted(kFunctions, call.callee.text())) {
    // print(end=…) and max(key=…) are what they are whatever their keywords say.
    const bool indifferent = known->function == none_type || known->function == extreme_type ||
                             known->function == sorted_type || known->function == bool_type ||
                             known->function == zip_type;
    if (!indifferent && !names_all_keywords(*known, call)) return Type::unknown();
    const auto used = std::ranges::find(known->parameters, std::string_view());
    const std::span<const std::string_view> names(known->parameters.begin(), used);
    return known->function(CallView(call, names, types, arena));
  }
  return std::nullopt;
}

namespace {

// np.float32(x), np.int64(x): of that dtype, whatever x is.
std::optional<Type> type_of_cast(const BoundCall& call, const TypeLookup& types, Arena& arena) {
  if (!call.callee.text().starts_with("numpy.") || call.arguments.size() != 1 ||
      call.arguments[0] == nullptr || !call.keywords.empty()) {
    return std::nullopt;
  }
  const auto dtype = dtype_of_name(call.callee.text());
  if (!dtype) return std::nullopt;
  const Type operand = CallView(call, {}, types, arena).array_at(0);
  if (!operand.is_numeric()) return Type::unknown();
  return typed(shape_of(operand), {.dtype = *dtype}, arena);
}

Type call_type(const BoundCall& call, const TypeLookup& types, Arena& arena) {
  if (const auto cast = type_of_cast(call, types, arena)) return *cast;
  if (call.rule == nullptr) {
    return type_of_known_function(call, types, arena).value_or(Type::unknown());
  }
  // A builtin's own entry says more than its rule: Python's numbers, the parts of a list.
  if (call.callee.text().starts_with("builtins.") || call.rule->shape.empty()) {
    if (const auto known = type_of_known_function(call, types, arena)) return *known;
  }
  const ShapeFunction shape = find_shape(call.rule->shape.text());
  if (shape == nullptr) return Type::unknown();
  return shape(CallView(call, {}, types, arena));
}

}  // namespace

Type type_of_call(const BoundCall& call, const TypeLookup& types, Arena& arena) {
  // A first argument that is a number or an array of known dims is tried as either.
  const Expr* first = call.arguments.empty() ? nullptr : call.arguments[0];
  if (first != nullptr && !is<Constant>(first)) {
    const Type type = types(first);
    if (type.kind == TypeKind::Numeric && type.rank > 0) {
      const auto as = [&](const Type& instead) {
        return call_type(
            call,
            [&](const Expr* expression) {
              return expression == first ? instead : types(expression);
            },
            arena);
      };
      // A narrower dtype than the array's is not claimed of the number.
      const Type number = number_typed(promoted(type));
      return join(as(number), as(as_surely_array(type)), arena);
    }
  }
  return call_type(call, types, arena);
}

namespace {

// A method of a tensor: as the rules know it by itself, else as the function of the same name.
std::optional<std::string> function_of_tensor(std::string_view method, Library library,
                                              RuleBook& rules) {
  const bool torch = library == Library::Torch;
  for (const std::string_view place :
       {torch ? std::string_view("torch.Tensor.") : std::string_view("tinygrad.Tensor."),
        torch ? std::string_view("torch.") : std::string_view()}) {
    if (place.empty()) continue;
    const std::string name = std::string(place) + std::string(method);
    std::string known(known_name(name));
    if (known != name || rules.find(name) != nullptr) return known;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> function_of_method(const Type& receiver, std::string_view method,
                                              Library library, RuleBook& rules) {
  if (library == Library::Torch || library == Library::Tinygrad) {
    if (!receiver.is_numeric() && receiver.kind != TypeKind::Unknown) return std::nullopt;
    return function_of_tensor(method, library, rules);
  }
  return function_of_method(receiver, method);
}

std::optional<std::string> function_of_method(const Type& receiver, std::string_view method) {
  static constexpr auto kMethods = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"all", "numpy.all"},
      {"any", "numpy.any"},
      {"argmax", "numpy.argmax"},
      {"argmin", "numpy.argmin"},
      {"argsort", "numpy.argsort"},
      {"astype", "numpy.astype"},
      {"clip", "numpy.clip"},
      {"conj", "numpy.conjugate"},
      {"conjugate", "numpy.conjugate"},
      {"copy", "numpy.copy"},
      {"cumprod", "numpy.cumprod"},
      {"cumsum", "numpy.cumsum"},
      {"diagonal", "numpy.diagonal"},
      {"dot", "numpy.dot"},
      {"flatten", "numpy.ravel"},
      {"max", "numpy.max"},
      {"mean", "numpy.mean"},
      {"min", "numpy.min"},
      {"nonzero", "numpy.nonzero"},
      {"prod", "numpy.prod"},
      {"ravel", "numpy.ravel"},
      {"repeat", "numpy.repeat"},
      {"reshape", "numpy.reshape"},
      {"round", "numpy.round"},
      {"searchsorted", "numpy.searchsorted"},
      {"squeeze", "numpy.squeeze"},
      {"std", "numpy.std"},
      {"sum", "numpy.sum"},
      {"swapaxes", "numpy.swapaxes"},
      {"take", "numpy.take"},
      {"trace", "numpy.trace"},
      {"transpose", "numpy.transpose"},
      {"var", "numpy.var"},
  });
  if (!receiver.is_numeric()) return std::nullopt;
  // What `x.item()` gives of a floating number is that number.
  if (method == "item" && receiver.is_scalar() && is_floating(receiver.dtype))
    return "builtins.float";
  const auto found = std::ranges::lower_bound(
      kMethods, method, {}, &std::pair<std::string_view, std::string_view>::first);
  if (found == kMethods.end() || found->first != method) return std::nullopt;
  return std::string(found->second);
}

}  // namespace tangent
