// Calls under abstract interpretation: library functions, methods of values, and what writes in
// place.
#include <algorithm>
#include <array>

#include "base/diagnostics.h"
#include "syntax/attempts.h"
#include "syntax/places.h"
#include "syntax/printer.h"
#include "types/call_view.h"
#include "types/inference.h"

namespace tangent {

namespace {

bool is_one_of(std::span<const std::string_view> sorted, std::string_view name) {
  return std::ranges::binary_search(sorted, name);
}

// Library functions that change an argument.
constexpr auto kWriters = std::to_array<std::string_view>({
    "bisect.insort",
    "bisect.insort_left",
    "bisect.insort_right",
    "heapq.heapify",
    "heapq.heappop",
    "heapq.heappush",
    "heapq.heappushpop",
    "heapq.heapreplace",
    "numpy.copyto",
    "numpy.fill_diagonal",
    "numpy.place",
    "numpy.put",
    "numpy.put_along_axis",
    "numpy.putmask",
    "numpy.random.shuffle",
    "random.shuffle",
});
static_assert(std::ranges::is_sorted(kWriters));

// Methods that change their receiver (or, `shuffle`, their argument), whatever it is.
constexpr auto kMutators = std::to_array<std::string_view>({
    "add",     "append",     "clear",   "discard", "extend",    "fill",   "insert",
    "itemset", "pop",        "popitem", "put",     "partition", "remove", "resize",
    "reverse", "setdefault", "shuffle", "sort",    "update",
});

bool is_mutator(std::string_view name) {
  return std::ranges::find(kMutators, name) != kMutators.end();
}

std::string without_arguments(const Call& call) { return print(call.function) + "(…)"; }

}  // namespace

void Inference::infer_arguments(const Call& call) {
  for (const Expr* argument : call.arguments) infer(argument);
  for (const Keyword* keyword : call.keywords) infer(keyword->value);
}

void Inference::refuse_writes(const Call& call) const {
  const std::string_view callee = call.callee.text();
  const bool scatters = callee.starts_with("numpy.") && callee.ends_with(".at");
  if (!scatters && !is_one_of(kWriters, callee)) return;
  throw Diagnostic(
      DiagnosticKind::WriteInPlace,
      "`" + without_arguments(call) + "` writes into its argument, which is not supported yet",
      call.ranges, "make a new array instead");
}

// np.add(x, y, z): an array behind the arguments that the rule knows is where the result goes.
void Inference::refuse_positional_out(const Rule& rule, const Call& call, const Expr* receiver) {
  const std::size_t known = rule.parameters.size() - (receiver != nullptr ? 1 : 0);
  for (std::size_t k = known; k < call.arguments.size(); ++k) {
    const Expr* extra = call.arguments[k];
    const TypeKind kind = infer(extra).kind;
    const bool array = kind == TypeKind::Array || kind == TypeKind::Numeric ||
                       kind == TypeKind::Tuple || kind == TypeKind::Unknown;
    if (!array) continue;
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "`" + without_arguments(call) + "` may write into `" + print(extra) +
                         "`, its last argument, which is not supported yet",
                     call.ranges, "use the result of the call");
  }
}

void Inference::refuse_mutation(const Call& call, const Attribute& method,
                                const Type& receiver) const {
  const std::string_view name = method.attribute.text();
  // Methods of tensors that end so change them: `x.add_(y)`.
  const bool changes =
      core_.library == Library::Torch && name.ends_with('_') && !name.ends_with("__");
  if (!is_mutator(name) && !changes) return;
  const std::string what = "`" + without_arguments(call) + "`";
  switch (receiver.kind) {
    case TypeKind::Array:
    case TypeKind::Numeric:
      throw Diagnostic(DiagnosticKind::WriteInPlace,
                       what + " writes into an array in place, which is not supported yet",
                       call.ranges,
                       name == "sort" ? "write `np.sort(…)`, which makes a new array"
                                      : "make a new array instead");
    case TypeKind::List:
    case TypeKind::Dict:
    case TypeKind::Opaque:
    case TypeKind::Unknown:
      throw Diagnostic(
          DiagnosticKind::UnsupportedType,
          what + " may change an object in place, which is not supported yet", call.ranges,
          "collect the values in variables, or in an array made by np.array or np.stack");
    default:
      return;
  }
}

// A function that calls itself.
Type Inference::pair_call(const Call& call) {
  std::vector<Type> arguments;
  for (const Expr* argument : call.arguments) arguments.push_back(infer(argument));
  if (pairs_ == nullptr) {
    throw Diagnostic(DiagnosticKind::RecursiveCall,
                     "`" + print(call.function) + "` calls itself, which is not supported here",
                     call.ranges, "write the recursion as a loop");
  }
  return pairs_->call(call.callee, arguments);
}

Type Inference::call(const Call& call) {
  if (is_pair_call(&call)) return pair_call(call);
  if (call.callee) {
    infer_arguments(call);
    refuse_writes(call);
    return library_call(call, call.callee, nullptr);
  }
  if (const auto* method = as<Attribute>(call.function)) return method_call(call, *method);
  infer(call.function);
  infer_arguments(call);
  return Type::unknown();
}

Type Inference::library_call(const Call& call, Symbol callee, const Expr* receiver) {
  if (callee.text() == kAttempt) {
    const bool single = call.arguments.size() == kAttemptClasses + 1;
    return Type::python_number(single ? DType::Bool : DType::Integer);
  }
  if (callee.text() == kCaught) return Type::of(TypeKind::Opaque);
  const bool spreads =
      std::ranges::any_of(call.arguments, [](const Expr* it) { return is<Starred>(it); });
  if (spreads) return Type::unknown();
  const Rule* rule = rules_.find(callee.text());
  if (rule != nullptr) {
    std::vector<const Expr*> arguments;
    try {
      arguments = bind_arguments(*rule, call, receiver);
    } catch (const Diagnostic&) {
      // Whether that matters is for differentiation to say, but what is written must be refused.
      const bool writes = std::ranges::any_of(
          call.keywords, [](const Keyword* it) { return it->name.text() == "out"; });
      if (writes) throw;
      refuse_positional_out(*rule, call, receiver);
      return Type::unknown();
    }
    if (rule->given && callee.text().starts_with(kUserFunctions)) {
      std::vector<Type> types;
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        const auto* standard = as<Constant>(rule->parameters[k].default_value);
        types.push_back(arguments[k] != nullptr ? lookup_(arguments[k])
                        : standard != nullptr   ? type_of_literal(standard->value, arena_)
                                                : Type::unknown());
      }
      const Type result = outside_.result_of(callee, types, context_);
      if (rule->shape.empty()) return result;
    }
    return type_of_call({.callee = callee, .rule = rule, .arguments = arguments, .keywords = {}},
                        lookup_, arena_);
  }
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text() != "out") continue;
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "`out=` writes in place, which is not supported yet", keyword->ranges,
                     "use the result of the call");
  }
  std::vector<const Expr*> arguments;
  arguments.reserve(call.arguments.size() + 1);
  if (receiver != nullptr) arguments.push_back(receiver);
  arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
  return type_of_call(
      {.callee = callee, .rule = nullptr, .arguments = arguments, .keywords = call.keywords},
      lookup_, arena_);
}

// What the methods of a dict give that do not change it.
std::optional<Type> Inference::map_method(const Call& call, const Attribute& method,
                                          const Type& map) {
  const std::string_view name = method.attribute.text();
  const std::size_t count = call.arguments.size();
  if (!call.keywords.empty()) return std::nullopt;
  const auto iterator = [&](const Type& item) {
    Type result = Type::of(TypeKind::Iterator);
    result.elements = arena_.copy(std::vector<Type>{item});
    return result;
  };
  if (name == "get" && count == 2) return join(map.elements[0], lookup_(call.arguments[1]), arena_);
  if (count != 0) return std::nullopt;
  if (name == "keys") return iterator(map.elements[1]);
  if (name == "values") return iterator(map.elements[0]);
  if (name == "copy") return map;
  if (name != "items") return std::nullopt;
  Type pair = Type::of(TypeKind::Tuple);
  pair.elements = arena_.copy(std::vector<Type>{map.elements[1], map.elements[0]});
  return iterator(pair);
}

Type Inference::method_call(const Call& call, const Attribute& method) {
  const Type receiver = infer(method.value);
  infer_arguments(call);
  if (receiver.is_map()) {
    if (const auto given = map_method(call, method, receiver)) return *given;
    const bool removes = method.attribute.text() == "pop" && call.arguments.size() == 1 &&
                         call.keywords.empty() && is<Name>(method.value);
    if (removes) return receiver.elements[0];
  }
  // The elements of a list or dict in others change with it.
  const auto* row = as<Subscript>(method.value);
  const bool is_row = row != nullptr && root_of(row) != nullptr && stores_into_row(*row);
  if (receiver.kind == TypeKind::List && (is<Name>(method.value) || is_row)) {
    const std::string_view name = method.attribute.text();
    if (name == "append" && call.arguments.size() == 1) return Type::of(TypeKind::None);
    if (name == "pop" && call.arguments.empty()) return type_of_item(receiver, arena_);
    if (name == "copy" && call.arguments.empty()) return receiver;
    if (name == "index" || name == "count") return Type::python_number(DType::Integer);
  }
  const auto function =
      function_of_method(receiver, method.attribute.text(), core_.library, rules_);
  // `x.add(y)` of a tensor makes a new one.
  const bool tensors = core_.library == Library::Torch || core_.library == Library::Tinygrad;
  if (!tensors || !function) refuse_mutation(call, method, receiver);
  // A later round over a loop may know less of the receiver, so the last word counts.
  const Symbol callee = function ? context_.symbol(*function) : Symbol();
  if (function || callees_.contains(&call)) callees_[&call] = callee;
  if (!function) {
    if (receiver.kind == TypeKind::Bottom) return {};
    // What a string gives holds no numbers that a derivative flows through.
    if (receiver.kind == TypeKind::String) return Type::of(TypeKind::Opaque);
    return Type::unknown();
  }
  // The lengths of a new shape may be written one by one.
  const bool takes_one = takes_one_by_one(*function);
  if (!takes_one || call.arguments.size() < 2) return library_call(call, callee, method.value);
  const auto* together = static_cast<const Call*>(resolved_call(call, callee));
  return library_call(*together, callee, method.value);
}

}  // namespace tangent
