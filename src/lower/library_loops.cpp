// Functions of the standard library that call a function for every item: written out as the loops
// that they are.
//
//     functools.reduce(f, xs)            value = xs[0]
//                                        for item in xs[1:]: value = f(value, item)
//
// In: a call of reduce, of accumulate that is used up at once, of min and max with a key or a
// default, of a function of `operator`. Out: its value, or null if the call is none of these.
#include <algorithm>
#include <array>
#include <utility>

#include "lower/desugar.h"
#include "lower/lowering.h"

namespace tangent::lowering {

namespace {

// As Python's documentation describes them; of the outside they read builtins alone.
constexpr std::string_view kReduce = R"(
def reduce(function, items):
    value = items[0]
    for item in items[1:]:
        value = function(value, item)
    return value
)";
constexpr std::string_view kReduceFrom = R"(
def reduce(function, items, value):
    for item in items:
        value = function(value, item)
    return value
)";
constexpr std::string_view kAccumulate = R"(
def accumulate(items):
    total = items[0]
    result = [total]
    for item in items[1:]:
        total = total + item
        result.append(total)
    return result
)";
constexpr std::string_view kAccumulateBy = R"(
def accumulate(items, function):
    total = items[0]
    result = [total]
    for item in items[1:]:
        total = function(total, item)
        result.append(total)
    return result
)";
constexpr std::string_view kMax = R"(
def best(items, key):
    found = items[0]
    size = key(found)
    for item in items[1:]:
        other = key(item)
        if other > size:
            found = item
            size = other
    return found
)";
constexpr std::string_view kMin = R"(
def best(items, key):
    found = items[0]
    size = key(found)
    for item in items[1:]:
        other = key(item)
        if other < size:
            found = item
            size = other
    return found
)";

constexpr std::string_view kMaxOr = R"(
def best(items, default):
    if len(items) == 0:
        return default
    return max(items)
)";
constexpr std::string_view kMinOr = R"(
def best(items, default):
    if len(items) == 0:
        return default
    return min(items)
)";

// By the places of the items in order, which no derivative flows through.
constexpr std::string_view kSortedBy = R"(
def ranked(items, key):
    keys = [key(item) for item in items]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [items[place] for place in order]
)";
constexpr std::string_view kSortedByReverse = R"(
def ranked(items, key):
    keys = [key(item) for item in items]
    order = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)
    return [items[place] for place in order]
)";
constexpr std::string_view kSortedReverse = R"(
def ranked(items):
    order = sorted(range(len(items)), key=items.__getitem__, reverse=True)
    return [items[place] for place in order]
)";
// Helpers of gradients that add to the adjoints in a list: differentiated again, they are the loops
// that they are.
constexpr std::string_view kAddToItems = R"(
def add_to_items(items, b):
    for k in range(len(items)):
        items[k] = items[k] + b[k]
)";
constexpr std::string_view kAddToAll = R"(
def add_to_all(items, b):
    for k in range(len(items)):
        items[k] = items[k] + b
)";

constexpr std::array<std::pair<std::string_view, BinaryOperator>, 8> kOperatorFunctions = {
    {{"add", BinaryOperator::Add},
     {"sub", BinaryOperator::Subtract},
     {"mul", BinaryOperator::Multiply},
     {"truediv", BinaryOperator::Divide},
     {"floordiv", BinaryOperator::FloorDivide},
     {"mod", BinaryOperator::Modulo},
     {"pow", BinaryOperator::Power},
     {"matmul", BinaryOperator::MatrixMultiply}}};

}  // namespace

const Callee& Lowering::written_in_python(std::string_view text) {
  std::vector<const Callee*>& known = library_callees_[std::string(text)];
  // One that is being written out now would count as a function that calls itself.
  for (const Callee* callee : known) {
    if (std::ranges::find(active_, callee->identity) == active_.end()) return *callee;
  }
  const Block parsed = outside_.parse(text, "<tangent library>", 1, context_);
  const auto& definition = static_cast<const FunctionDefinition&>(*parsed[0]);
  Callee& callee = callees_.emplace_back();
  callee.name = definition.name;
  callee.parameters = definition.parameters;
  callee.body = desugared(definition.body, definition.parameters, context_);
  callee.identity = &definition;
  callee.function = root_->function;
  known.push_back(&callee);
  return callee;
}

const Expr* Lowering::library_loop(const Call& it, std::string_view name, Destination destination) {
  const std::size_t count = it.arguments.size();
  const auto starred = [](const Expr* e) { return is<Starred>(e); };
  if (std::ranges::any_of(it.arguments, starred)) return nullptr;
  if (name.starts_with("_operator.") || name.starts_with("operator.")) {
    const std::string_view last = name.substr(name.find('.') + 1);
    for (const auto& [known, op] : kOperatorFunctions) {
      if (known != last || count != 2 || !it.keywords.empty()) continue;
      return binary(
          *context_.make<BinaryOperation>(it.ranges, op, it.arguments[0], it.arguments[1]));
    }
    if (last == "neg" && count == 1)
      return expression(
          context_.make<UnaryOperation>(it.ranges, UnaryOperator::Minus, it.arguments[0]));
    return nullptr;
  }
  if (const Expr* value = jax_loop(it, name, destination)) return value;
  const bool to_items = name == "tangent.runtime._add_to_items";
  if (to_items || name == "tangent.runtime._add_to_all") {
    if (count != 2)
      refuse(it, "the derivative of a gradient that adds to a slice of a list is not supported",
             "write the function without the slice of a list");
    return inline_call(it, written_in_python(to_items ? kAddToItems : kAddToAll), destination);
  }
  if ((name == "_functools.reduce" || name == "functools.reduce") && it.keywords.empty() &&
      (count == 2 || count == 3))
    return inline_call(it, written_in_python(count == 2 ? kReduce : kReduceFrom), destination);
  if (name == "builtins.sorted" && count == 1 && !it.keywords.empty()) {
    if (const Expr* value = sorted_by(it, destination)) return value;
  }
  const bool max = name == "builtins.max";
  if ((max || name == "builtins.min") && count == 1 && it.keywords.size() == 1 &&
      it.keywords[0]->name.text() == "key")
    return inline_call(it, written_in_python(max ? kMax : kMin), destination);
  if ((max || name == "builtins.min") && count == 1 && it.keywords.size() == 1 &&
      it.keywords[0]->name.text() == "default")
    return inline_call(it, written_in_python(max ? kMaxOr : kMinOr), destination);
  return nullptr;
}

// sorted(xs, key=f, reverse=True): null if it stays as it is.
const Expr* Lowering::sorted_by(const Call& it, Destination destination) {
  const Keyword* key = nullptr;
  bool reversed = false;
  for (const Keyword* keyword : it.keywords) {
    const auto* constant = as<Constant>(keyword->value);
    if (!keyword->name) return nullptr;
    if (keyword->name.text() == "key") {
      if (constant == nullptr) key = keyword;
    } else if (constant != nullptr && keyword->name.text() == "reverse") {
      reversed = constant->value.kind == LiteralKind::True;
    } else {
      return nullptr;
    }
  }
  // The places in order: this very function, written below.
  const auto* method = key != nullptr ? as<Attribute>(key->value) : nullptr;
  if (method != nullptr && method->attribute.text() == "__getitem__") return nullptr;
  if (key == nullptr && !reversed) return nullptr;
  std::vector<const Keyword*> keywords;
  if (key != nullptr) keywords.push_back(key);
  const auto* call = context_.make<Call>(it.ranges, it.function, it.callee, it.arguments,
                                         List<const Keyword*>(context_.list(keywords)));
  const std::string_view text = key == nullptr ? kSortedReverse
                                : reversed     ? kSortedByReverse
                                               : kSortedBy;
  return inline_call(*call, written_in_python(text), destination);
}

// itertools.accumulate(…), whose values are used at once, as the list of them.
const Expr* Lowering::accumulated(const Call& it, Destination destination) {
  if (!it.keywords.empty() || it.arguments.empty() || it.arguments.size() > 2 ||
      !consumed_.contains(&it)) {
    refuse(it, "`accumulate` is supported only where all of it is used at once",
           "write `list(accumulate(…))`, or a loop");
  }
  return inline_call(it, written_in_python(it.arguments.size() == 1 ? kAccumulate : kAccumulateBy),
                     destination);
}

}  // namespace tangent::lowering
