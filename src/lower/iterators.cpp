// Iterators of `itertools` that are gone through once, as the lists of what they give.
//
//     for i, j in itertools.combinations(range(3), 2):     for i, j in [(0, 1), (0, 2), (1, 2)]:
//
// In: a call of combinations, permutations, product, pairwise, chain, islice or accumulate that is
// used up where it stands. Out: a list, written out where all is known, else filled by loops; null
// for another class.
#include <algorithm>

#include "lower/lowering.h"

namespace tangent::lowering {

namespace {

constexpr std::size_t kMostWritten = 64;

// As Python's documentation describes them; of the outside they read builtins alone.
constexpr std::string_view kPairs = R"(
def combinations(items):
    pool = []
    for item in items:
        pool.append(item)
    pairs = []
    for k in range(len(pool)):
        for m in range(k + 1, len(pool)):
            pairs.append((pool[k], pool[m]))
    return pairs
)";
constexpr std::string_view kPairsOfRange = R"(
def combinations(size):
    pairs = []
    for k in range(size):
        for m in range(k + 1, size):
            pairs.append((k, m))
    return pairs
)";
constexpr std::string_view kOrderedPairs = R"(
def permutations(items):
    pool = []
    for item in items:
        pool.append(item)
    pairs = []
    for k in range(len(pool)):
        for m in range(len(pool)):
            if k != m:
                pairs.append((pool[k], pool[m]))
    return pairs
)";
constexpr std::string_view kOrderedPairsOfRange = R"(
def permutations(size):
    pairs = []
    for k in range(size):
        for m in range(size):
            if k != m:
                pairs.append((k, m))
    return pairs
)";
constexpr std::string_view kProduct = R"(
def product(first, second):
    pairs = []
    for a in first:
        for b in second:
            pairs.append((a, b))
    return pairs
)";
constexpr std::string_view kSquare = R"(
def product(items):
    pairs = []
    for a in items:
        for b in items:
            pairs.append((a, b))
    return pairs
)";
constexpr std::string_view kPairwise = R"(
def pairwise(items):
    return zip(items[:-1], items[1:])
)";
constexpr std::string_view kChain = R"(
def chain(first, second):
    items = []
    for a in first:
        items.append(a)
    for b in second:
        items.append(b)
    return items
)";
constexpr std::string_view kSlice = R"(
def islice(items, stop):
    return items[:stop]
)";

// The tuples of so many positions, in the order in which itertools gives them.
std::vector<std::vector<std::size_t>> positions(std::string_view name, std::size_t count,
                                                std::size_t size) {
  std::vector<std::vector<std::size_t>> all{{}};
  for (std::size_t place = 0; place < size; ++place) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& start : all) {
      const std::size_t first = name == "combinations" && !start.empty() ? start.back() + 1 : 0;
      for (std::size_t k = first; k < count; ++k) {
        if (name == "permutations" && std::ranges::find(start, k) != start.end()) continue;
        longer.push_back(start);
        longer.back().push_back(k);
        if (longer.size() > 4 * kMostWritten) return {};
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

// The iterables of a `for` that are used up there.
void Lowering::use_up(const Expr* iterable) {
  const auto* call = as<Call>(iterable);
  if (call == nullptr) return;
  consumed_.insert(call);
  const auto* name = as<Name>(call->function);
  if (name == nullptr || (name->symbol.text() != "enumerate" && name->symbol.text() != "zip"))
    return;
  for (const Expr* argument : call->arguments) {
    if (const auto* inner = as<Call>(argument)) consumed_.insert(inner);
  }
}

const Expr* Lowering::iterator_call(const Call& it, const Thing& thing, Destination destination) {
  static constexpr std::string_view kNames[] = {
      "combinations", "permutations", "product", "pairwise", "chain", "islice", "accumulate"};
  const auto name = std::ranges::find_if(
      kNames, [&](std::string_view each) { return is_of_module(thing, each, "itertools"); });
  if (name == std::end(kNames)) return nullptr;
  if (*name == "accumulate") return accumulated(it, destination);
  const std::string called = "`" + std::string(*name) + "`";
  if (!consumed_.contains(&it)) {
    refuse(it, called + " is supported only where all of it is used at once",
           "write `list(" + std::string(*name) + "(…))`, or use it as what a loop goes over");
  }
  const auto starred = [](const Expr* e) { return is<Starred>(e); };
  std::vector<const Expr*> written(it.arguments.begin(), it.arguments.end());
  std::size_t size = written.size();
  const bool sized = *name == "combinations" || *name == "permutations";
  const auto wrong = [&] {
    refuse(it, "this form of " + called + " is not supported yet", "write the loops out");
  };
  if (std::ranges::any_of(written, starred)) wrong();
  if (*name == "product" && it.keywords.size() == 1 && written.size() == 1 &&
      it.keywords[0]->name.text() == "repeat") {
    const auto* repeat = as<Constant>(it.keywords[0]->value);
    if (repeat == nullptr || repeat->value.kind != LiteralKind::Integer ||
        repeat->value.integer < 1 || repeat->value.integer > 6)
      wrong();
    size = static_cast<std::size_t>(repeat->value.integer);
    written.resize(size, written[0]);
  } else if (!it.keywords.empty()) {
    wrong();
  }
  if (sized) {
    const auto* length = written.size() == 2 ? as<Constant>(written[1]) : nullptr;
    if (length == nullptr || length->value.kind != LiteralKind::Integer ||
        length->value.integer < 1 || length->value.integer > 6)
      wrong();
    size = static_cast<std::size_t>(length->value.integer);
    written.resize(1);
  }
  // Where every item is an integer that is known, so is every tuple.
  if (sized || *name == "product") {
    std::vector<std::vector<const Expr*>> columns;
    const std::vector<const Expr*> distinct(
        written.begin(),
        *name == "product" && !it.keywords.empty() ? written.begin() + 1 : written.end());
    for (const Expr* iterable : distinct) {
      auto items = written_counted_items(iterable);
      if (!items) break;
      columns.push_back(std::move(*items));
    }
    if (columns.size() == distinct.size()) {
      while (columns.size() < size) columns.push_back(columns[0]);
      std::vector<const Expr*> tuples;
      if (sized || !it.keywords.empty()) {
        for (const auto& places : positions(*name, columns[0].size(), size)) {
          std::vector<const Expr*> parts;
          for (const std::size_t place : places) parts.push_back(copy(columns[0][place], {}));
          tuples.push_back(context_.make<TupleDisplay>(it.ranges, Exprs(context_.list(parts))));
        }
      } else if (columns.size() == 2) {
        for (const Expr* a : columns[0]) {
          for (const Expr* b : columns[1])
            tuples.push_back(context_.make<TupleDisplay>(
                it.ranges, context_.list<const Expr*>({copy(a, {}), copy(b, {})})));
        }
      }
      if (!tuples.empty() && tuples.size() <= kMostWritten)
        return context_.make<ListDisplay>(it.ranges, Exprs(context_.list(tuples)));
    }
  }
  const auto inlined = [&](std::string_view text, const std::vector<const Expr*>& arguments) {
    const auto* call = context_.make<Call>(it.ranges, it.function, Symbol(),
                                           Exprs(context_.list(arguments)), List<const Keyword*>());
    return inline_call(*call, written_in_python(text), destination);
  };
  if (sized) {
    if (size != 2) wrong();
    const Call* range = written_range(written[0]);
    const bool ordered = *name == "permutations";
    if (range != nullptr && range->arguments.size() == 1 && range->keywords.empty())
      return inlined(ordered ? kOrderedPairsOfRange : kPairsOfRange, {range->arguments[0]});
    return inlined(ordered ? kOrderedPairs : kPairs, written);
  }
  if (*name == "product" && !it.keywords.empty() && size == 2)
    return inlined(kSquare, {written[0]});
  if (*name == "pairwise" && written.size() == 1) return inlined(kPairwise, written);
  if (written.size() != 2) wrong();
  if (*name == "product") return inlined(kProduct, written);
  if (*name == "chain") return inlined(kChain, written);
  if (*name == "islice") return inlined(kSlice, written);
  wrong();
  return nullptr;
}

}  // namespace tangent::lowering
