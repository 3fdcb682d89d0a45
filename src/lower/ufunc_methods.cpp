// Methods of ufuncs as the functions that they are, and library calls that write some elements of
// an array as stores.
//
//     np.add.reduce(x)                  np.sum(x, axis=0)
//     np.multiply.accumulate(x)         np.cumprod(x, axis=0)
//     np.subtract.outer(x, y)           np.subtract(np.reshape(x, np.shape(x) + (1,) * np.ndim(y)),
//     y) np.copyto(y, x, where=c)          y[...] = np.where(c, x, y) np.putmask(y, c, x) y[...] =
//     np.where(c, x, y) np.place(y, c, x)                 y[c] = x np.put(y, k, x) y[places of k] =
//     x np.fill_diagonal(y, x)            y[k, k] = x
//
// NumPy repeats values that are too few in the last four; an `assert` in the program says that
// there are as many as places, or one.
#include <algorithm>
#include <array>
#include <optional>

#include "lower/lowering.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

struct UfuncMethod {
  std::string_view ufunc;
  std::string_view method;
  std::string_view function;
};

constexpr std::array<UfuncMethod, 6> kReductions = {{
    {"add", "reduce", "sum"},
    {"multiply", "reduce", "prod"},
    {"maximum", "reduce", "max"},
    {"minimum", "reduce", "min"},
    {"add", "accumulate", "cumsum"},
    {"multiply", "accumulate", "cumprod"},
}};

constexpr std::array<std::string_view, 8> kOuter = {"add",   "subtract", "multiply", "divide",
                                                    "power", "maximum",  "minimum",  "hypot"};

}  // namespace

// np.add.reduce(x, 0), np.add.outer(x, y); null for anything else.
const Expr* Lowering::ufunc_method(const Call& it, std::string_view name, Destination destination) {
  const auto* path = as<Attribute>(it.function);
  const auto* ufunc = path != nullptr ? as<Attribute>(path->value) : nullptr;
  if (ufunc == nullptr || !name.starts_with("numpy.")) return nullptr;
  const std::size_t dot = name.rfind('.');
  const std::string_view of = name.substr(0, dot);
  const std::string_view method = name.substr(dot + 1);
  const auto named = [&](std::string_view word) {
    return std::string_view(of) == "numpy." + std::string(word);
  };
  const auto function = [&](std::string_view word) -> const Expr* {
    return context_.make<Attribute>(it.ranges, ufunc->value, context_.symbol(word));
  };
  const auto call_of = [&](std::string_view word, const std::vector<const Expr*>& arguments,
                           const std::vector<const Keyword*>& keywords) -> const Expr* {
    return context_.make<Call>(it.ranges, function(word), Symbol(), context_.list(arguments),
                               context_.list(keywords));
  };
  for (const UfuncMethod& known : kReductions) {
    if (!named(known.ufunc) || method != known.method) continue;
    if (it.arguments.empty() || it.arguments.size() > 2 || holds(&it, Kind::Starred))
      return nullptr;
    std::vector<const Keyword*> keywords;
    bool has_axis = it.arguments.size() == 2;
    if (has_axis) {
      keywords.push_back(
          context_.make<Keyword>(it.ranges, context_.symbol("axis"), it.arguments[1]));
    }
    for (const Keyword* keyword : it.keywords) {
      const std::string_view word = keyword->name ? keyword->name.text() : std::string_view();
      if (word != "axis" && (word != "keepdims" || method != "reduce")) return nullptr;
      has_axis = has_axis || word == "axis";
      keywords.push_back(keyword);
    }
    if (!has_axis) {
      keywords.push_back(context_.make<Keyword>(it.ranges, context_.symbol("axis"),
                                                static_cast<const Expr*>(context_.integer(0))));
    }
    const Expr* made = call_of(known.function, {it.arguments[0]}, keywords);
    return call(*static_cast<const Call*>(made), destination);
  }
  const bool outer = method == "outer" && it.arguments.size() == 2 && it.keywords.empty() &&
                     std::ranges::any_of(kOuter, named);
  if (!outer || holds(&it, Kind::Starred)) return nullptr;
  const Expr* values[2] = {nullptr, nullptr};
  operands(it.arguments, values);
  for (const Expr*& value : values) {
    if (!is_name_or_constant(value)) value = bind_temporary(value, "operand", it.ranges);
  }
  const Expr* one = context_.make<TupleDisplay>(
      it.ranges, context_.list<const Expr*>({static_cast<const Expr*>(context_.integer(1))}));
  const Expr* shape = context_.make<BinaryOperation>(
      it.ranges, BinaryOperator::Add, call_of("shape", {values[0]}, {}),
      static_cast<const Expr*>(context_.make<BinaryOperation>(
          it.ranges, BinaryOperator::Multiply, one, call_of("ndim", {copy(values[1], {})}, {}))));
  const Expr* first = call_of("reshape", {copy(values[0], {}), shape}, {});
  const Expr* made = call_of(ufunc->attribute.text(), {first, values[1]}, {});
  return call(*static_cast<const Call*>(made), destination);
}

// np.putmask(y, c, x) and its like; null for anything else.
const Expr* Lowering::chosen_elements(const Call& it, std::string_view name) {
  const auto* path = as<Attribute>(it.function);
  const bool copies = name == "numpy.copyto";
  const bool known = copies || name == "numpy.putmask" || name == "numpy.place" ||
                     name == "numpy.put" || name == "numpy.fill_diagonal";
  if (path == nullptr || !known || holds(&it, Kind::Starred)) return nullptr;
  std::vector<const Expr*> written(it.arguments.begin(), it.arguments.end());
  if (copies) {
    // np.copyto(y, x, where=c) as (y, c, x).
    if (written.size() != 2 || it.keywords.size() != 1 ||
        it.keywords[0]->name != context_.symbol("where"))
      return nullptr;
    written.push_back(it.keywords[0]->value);
  } else if (!it.keywords.empty() || written.size() != (name == "numpy.fill_diagonal" ? 2 : 3)) {
    return nullptr;
  }
  std::vector<const Expr*> values(written.size());
  operands(written, values);
  const auto* array = as<Name>(values[0]);
  if (array == nullptr || !is_place(array)) return nullptr;
  if (copies) std::swap(values[1], values[2]);
  const Ranges ranges = it.ranges;
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (!is_name_or_constant(values[k])) values[k] = bind_temporary(values[k], "value", ranges);
  }
  const Expr* filling = values.back();
  const auto again = [&](const Expr* value) { return copy(value, {}); };
  const auto numpy = [&](std::string_view word,
                         std::initializer_list<const Expr*> arguments) -> const Expr* {
    const Expr* function = context_.make<Attribute>(ranges, path->value, context_.symbol(word));
    return expression(context_.make<Call>(
        ranges, function, Symbol(), context_.list<const Expr*>(arguments), List<const Keyword*>()));
  };
  const auto compared = [&](const Expr* a, ComparisonOperator op, const Expr* b) -> const Expr* {
    return context_.make<Comparison>(ranges, a, context_.list<ComparisonOperator>({op}),
                                     context_.list<const Expr*>({b}));
  };
  const auto zero = [&] { return static_cast<const Expr*>(context_.integer(0, ranges)); };
  // One value, or as many as `count` says.
  const auto require = [&](const Expr* what, const Expr* count) {
    if (is<Constant>(filling)) return;
    const Expr* single =
        compared(numpy("ndim", {again(filling)}), ComparisonOperator::Equal, zero());
    const Expr* all = compared(what, ComparisonOperator::Equal, count);
    const Expr* test = context_.make<BooleanOperation>(ranges, BooleanOperator::Or,
                                                       context_.list<const Expr*>({single, all}));
    emit(context_.make<Assert>(at(it), test, static_cast<const Expr*>(nullptr)));
  };
  const auto store = [&](const Expr* index) {
    const Expr* place = context_.make<Subscript>(ranges, again(array), index);
    emit(context_.assign(place, filling, at(it)));
    return context_.none(ranges);
  };
  if (copies || name == "numpy.putmask") {
    if (!copies) require(numpy("shape", {again(filling)}), numpy("shape", {again(array)}));
    set_elements(again(array), numpy("where", {values[1], filling, again(array)}), ranges);
    return context_.none(ranges);
  }
  if (name == "numpy.place") {
    const Expr* mask = compared(values[1], ComparisonOperator::NotEqual, zero());
    mask = bind_temporary(mask, "mask", ranges);
    require(numpy("size", {again(filling)}), numpy("sum", {again(mask)}));
    return store(mask);
  }
  if (name == "numpy.fill_diagonal") {
    emit(context_.make<Assert>(at(it),
                               compared(numpy("ndim", {again(array)}), ComparisonOperator::Equal,
                                        static_cast<const Expr*>(context_.integer(2, ranges))),
                               static_cast<const Expr*>(nullptr)));
    const auto* shortest = context_.make<Call>(
        ranges, static_cast<const Expr*>(global(context_.symbol("min"), ranges)),
        context_.symbol("builtins.min"),
        context_.list<const Expr*>({numpy("shape", {again(array)})}), List<const Keyword*>());
    const Expr* diagonal =
        bind_temporary(numpy("arange", {static_cast<const Expr*>(shortest)}), "diagonal", ranges);
    require(numpy("size", {again(filling)}), numpy("size", {again(diagonal)}));
    return store(context_.make<TupleDisplay>(
        ranges, context_.list<const Expr*>({diagonal, again(diagonal)})));
  }
  const Expr* places = flat_places(again(array), values[1], ranges);
  if (places == nullptr) return nullptr;
  require(numpy("size", {again(filling)}), numpy("size", {again(values[1])}));
  return store(places);
}

// The indices of the elements of an array that `y.flat[index]` are, under a name.
const Expr* Lowering::flat_places(const Expr* array, const Expr* index, Ranges ranges) {
  const Thing runtime = outside_.module("tangent.runtime", context_);
  if (runtime.kind != ThingKind::Module) return nullptr;
  const Expr* helpers = imported_name(runtime, context_.symbol("runtime"), false, ranges);
  const Expr* function = context_.make<Attribute>(ranges, helpers, context_.symbol("_flat_places"));
  const Expr* shape = context_.make<Attribute>(ranges, array, context_.symbol("shape"));
  if (const auto* slice = as<Slice>(index)) {
    // As a value: slice(a, b, c).
    std::vector<const Expr*> parts;
    for (const Expr* part : {slice->lower, slice->upper, slice->step})
      parts.push_back(part != nullptr ? part : context_.none(ranges));
    index = context_.make<Call>(
        ranges, static_cast<const Expr*>(global(context_.symbol("slice"), ranges)),
        context_.symbol("builtins.slice"), Exprs(context_.list(parts)), List<const Keyword*>());
  }
  const Expr* places =
      context_.make<Call>(ranges, function, context_.symbol("tangent.runtime._flat_places"),
                          context_.list<const Expr*>({shape, index}), List<const Keyword*>());
  return bind_temporary(places, "places", ranges);
}

}  // namespace tangent::lowering
