// Tuples, lists and dicts that hold known values: functions, classes, objects.
//
// In: such a display, lowered. Out: its parts by position, slice and key, also by one that only the
// run decides (a choice between them); what its methods give; its items, where a loop or a call
// takes it apart. What it holds beside known values has a name already (known_values.cpp).
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

constexpr std::size_t kMostItems = 64;

}  // namespace

// whole[index] of a display that holds a known value; null if it is none.
const Expr* Lowering::part_of_known(const Subscript& it, const Expr* whole, const Expr* index) {
  const Exprs* sequence = display_elements(whole);
  const auto* dictionary = as<Dictionary>(whole);
  if ((sequence == nullptr && dictionary == nullptr) || !is_known(whole)) return nullptr;
  const std::size_t count = sequence != nullptr ? sequence->size() : dictionary->values.size();
  const Exprs values = sequence != nullptr ? *sequence : dictionary->values;
  if (const auto* slice = as<Slice>(index); slice != nullptr && sequence != nullptr) {
    const auto bound = [&](const Expr* e, std::int64_t otherwise) -> std::optional<std::int64_t> {
      if (e == nullptr) return otherwise;
      std::optional<std::int64_t> value = integer_literal(e);
      if (value && *value < 0) *value += static_cast<std::int64_t>(count);
      if (value) *value = std::clamp<std::int64_t>(*value, 0, static_cast<std::int64_t>(count));
      return value;
    };
    const auto first = bound(slice->lower, 0);
    const auto last = bound(slice->upper, static_cast<std::int64_t>(count));
    if (!first || !last || slice->step != nullptr) {
      refuse(it, "this slice of what holds functions or objects is not supported yet",
             "write the elements out");
    }
    std::vector<const Expr*> taken;
    for (std::int64_t k = *first; k < *last; ++k)
      taken.push_back(copy(values[static_cast<std::size_t>(k)], {}));
    const Exprs elements = context_.list(taken);
    if (is<TupleDisplay>(whole)) return context_.make<TupleDisplay>(it.ranges, elements);
    return context_.make<ListDisplay>(it.ranges, elements);
  }
  const auto missing = [&]() {
    refuse(it, "`" + print(&it) + "` is not there", "use a key or position that is");
  };
  if (sequence != nullptr) {
    if (auto place = constant_integer(index)) {
      if (*place < 0) *place += static_cast<std::int64_t>(count);
      if (*place < 0 || *place >= static_cast<std::int64_t>(count)) missing();
      return copy(values[static_cast<std::size_t>(*place)], it.ranges);
    }
  } else if (is<Constant>(index)) {
    for (std::size_t k = count; k-- > 0;) {
      if (equal(dictionary->keys[k], index)) return copy(values[k], it.ranges);
    }
    missing();
  }
  // A key that only the run tells: one test for each.
  const bool functions =
      count > 0 && std::ranges::all_of(values, [&](const Expr* value) {
        return is_known(value) && display_elements(value) == nullptr && !is<Dictionary>(value);
      });
  const bool keys =
      dictionary == nullptr ||
      std::ranges::all_of(dictionary->keys, [](const Expr* key) { return is<Constant>(key); });
  write_out_around(index);
  if (!functions || !keys) {
    refuse(it, "a variable index into what holds functions or objects is not supported yet",
           "use constant indices");
  }
  const Ranges ranges = at(it);
  const Expr* key = is<Constant>(index) ? index : kept_known(index, ranges);
  std::vector<const Expr*> tests;
  std::vector<const Expr*> all;
  for (std::size_t k = 0; k < count; ++k) {
    const auto number = static_cast<std::int64_t>(k);
    const Expr* other = dictionary != nullptr ? dictionary->keys[k] : context_.integer(number);
    all.push_back(other);
    ComparisonOperator op = ComparisonOperator::Equal;
    if (dictionary == nullptr) {
      all.push_back(context_.integer(number - static_cast<std::int64_t>(count)));
      op = ComparisonOperator::In;
      other =
          context_.make<TupleDisplay>(it.ranges, context_.list<const Expr*>({other, all.back()}));
    }
    tests.push_back(context_.make<Comparison>(it.ranges, copy(key, {}),
                                              context_.list<ComparisonOperator>({op}),
                                              context_.list<const Expr*>({copy(other, {})})));
  }
  const Symbol error = context_.symbol(dictionary != nullptr ? "KeyError" : "IndexError");
  const Expr* outside = context_.make<Comparison>(
      it.ranges, copy(key, {}), context_.list<ComparisonOperator>({ComparisonOperator::NotIn}),
      context_.list<const Expr*>({context_.make<TupleDisplay>(it.ranges, context_.list(all))}));
  const Expr* raised =
      context_.make<Call>(it.ranges, static_cast<const Expr*>(global(error, it.ranges)),
                          context_.symbol("builtins." + std::string(error.text())),
                          context_.list<const Expr*>({copy(key, {})}), List<const Keyword*>());
  emit(context_.make<If>(ranges, outside,
                         context_.list<const Stmt*>({context_.make<Raise>(
                             ranges, raised, static_cast<const Expr*>(nullptr))}),
                         Block()));
  const Expr* chosen = values[count - 1];
  for (std::size_t k = count - 1; k-- > 0;) {
    chosen = function_handle({.test = tests[k], .first = values[k], .other = chosen}, "choice",
                             it.ranges);
  }
  return copy(chosen, it.ranges);
}

// d.items() and its like; null if it is none of them.
const Expr* Lowering::known_dict_method(const Call& it, const Expr* receiver, Symbol method) {
  const auto* dictionary = as<Dictionary>(receiver);
  if (dictionary == nullptr || !is_known(dictionary) || !it.keywords.empty()) return nullptr;
  const std::string_view name = method.text();
  if (it.arguments.empty() && (name == "items" || name == "keys" || name == "values")) {
    std::vector<const Expr*> items;
    for (std::size_t k = 0; k < dictionary->keys.size(); ++k) {
      const Expr* key = copy(dictionary->keys[k], {});
      const Expr* value = copy(dictionary->values[k], {});
      items.push_back(name == "keys" ? key
                      : name == "values"
                          ? value
                          : static_cast<const Expr*>(context_.make<TupleDisplay>(
                                it.ranges, context_.list<const Expr*>({key, value}))));
    }
    return context_.make<ListDisplay>(it.ranges, context_.list(items));
  }
  if (name == "get" && !it.arguments.empty() && it.arguments.size() <= 2) {
    std::vector<const Expr*> values(it.arguments.size());
    operands(it.arguments, values);
    if (is<Constant>(values[0])) {
      for (std::size_t k = 0; k < dictionary->keys.size(); ++k) {
        if (equal(dictionary->keys[k], values[0])) return copy(dictionary->values[k], it.ranges);
      }
      return values.size() == 2 ? values[1] : context_.none(it.ranges);
    }
    if (values.size() == 2 && is_known(values[1])) {
      const Expr* key = kept_known(values[0], at(it));
      const Expr* chosen = kept_known(values[1], at(it));
      for (std::size_t k = dictionary->keys.size(); k-- > 0;) {
        const Expr* test = context_.make<Comparison>(
            it.ranges, copy(key, {}),
            context_.list<ComparisonOperator>({ComparisonOperator::Equal}),
            context_.list<const Expr*>({copy(dictionary->keys[k], {})}));
        chosen = function_handle({.test = test, .first = dictionary->values[k], .other = chosen},
                                 "choice", it.ranges);
      }
      return chosen;
    }
  }
  refuse(it, "`." + std::string(name) + "()` of a dict that holds functions is not supported here",
         "reach its entries by their keys");
}

// Whether an iterable holds known values.
bool Lowering::goes_over_known(const Expr* core) {
  const auto* call = as<Call>(core);
  if (call == nullptr) return is_known(core);
  const std::string_view callee = call->callee.text();
  return call->keywords.empty() &&
         (callee == "builtins.enumerate" || callee == "builtins.zip" ||
          callee == "builtins.reversed") &&
         std::ranges::any_of(call->arguments,
                             [&](const Expr* argument) { return goes_over_known(argument); });
}

// list(value)
const Expr* Lowering::list_of(const Expr* value) {
  return context_.make<Call>(
      value->ranges, static_cast<const Expr*>(global(context_.symbol("list"), value->ranges)),
      context_.symbol("builtins.list"), context_.list<const Expr*>({value}),
      List<const Keyword*>());
}

// The items of an iterable that holds known values; nothing of others.
std::optional<std::vector<const Expr*>> Lowering::known_items(const Expr* core) {
  const auto elements_of = [&](const Expr* e) -> std::optional<std::vector<const Expr*>> {
    if (const Exprs* sequence = display_elements(e)) {
      const bool simple = std::ranges::all_of(*sequence, [&](const Expr* one) {
        return is_simple(one) || is_known(one) || display_elements(one) != nullptr;
      });
      if (simple) return std::vector<const Expr*>(sequence->begin(), sequence->end());
    }
    return std::nullopt;
  };
  if (const auto* call = as<Call>(core)) {
    const std::string_view callee = call->callee.text();
    if (!goes_over_known(call)) return std::nullopt;
    std::vector<std::optional<std::vector<const Expr*>>> columns;
    std::size_t shortest = kMostItems;
    for (const Expr* argument : call->arguments) {
      columns.push_back(goes_over_known(argument) ? known_items(argument) : elements_of(argument));
      if (columns.back()) shortest = std::min(shortest, columns.back()->size());
    }
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const Expr* argument = call->arguments[column];
      if (columns[column]) continue;
      if (callee != "builtins.zip" || !is<Name>(argument)) return std::nullopt;
      // A list or array beside what is known: its elements by their positions. One that is shorter
      // raises an IndexError.
      const Expr* list = lists_.contains(static_cast<const Name*>(argument)->symbol)
                             ? argument
                             : bind_temporary(list_of(argument), "items", argument->ranges);
      columns[column].emplace();
      for (std::size_t k = 0; k < shortest; ++k) {
        const Expr* place = context_.integer(static_cast<std::int64_t>(k), argument->ranges);
        columns[column]->push_back(
            bind_temporary(context_.make<Subscript>(argument->ranges, copy(list, {}), place),
                           "item", argument->ranges));
      }
    }
    std::vector<const Expr*> items;
    if (callee == "builtins.enumerate" && columns.size() == 1) {
      for (std::size_t k = 0; k < columns[0]->size(); ++k) {
        items.push_back(context_.make<TupleDisplay>(
            call->ranges,
            context_.list<const Expr*>(
                {context_.integer(static_cast<std::int64_t>(k), call->ranges), (*columns[0])[k]})));
      }
      return items;
    }
    if (callee == "builtins.zip") {
      std::size_t count = columns[0]->size();
      for (const auto& column : columns) count = std::min(count, column->size());
      for (std::size_t k = 0; k < count; ++k) {
        std::vector<const Expr*> row;
        for (const auto& column : columns) row.push_back((*column)[k]);
        items.push_back(context_.make<TupleDisplay>(call->ranges, context_.list(row)));
      }
      return items;
    }
    if (callee == "builtins.reversed" && columns.size() == 1) {
      std::ranges::reverse(*columns[0]);
      return columns[0];
    }
    return std::nullopt;
  }
  if (!is_known(core)) return std::nullopt;
  if (const auto* dictionary = as<Dictionary>(core))
    return std::vector<const Expr*>(dictionary->keys.begin(), dictionary->keys.end());
  return elements_of(core);
}

// len(), list() and tuple() of what holds known values are known.
const Expr* Lowering::settled_call(const Expr* call) {
  const auto* it = as<Call>(call);
  if (it == nullptr || it->arguments.size() != 1 || !it->keywords.empty()) return call;
  const std::string_view callee = it->callee.text();
  if (callee == "builtins.callable" && is_known(it->arguments[0]))
    return context_.boolean(true, it->ranges);
  if (callee != "builtins.len" && callee != "builtins.list" && callee != "builtins.tuple")
    return call;
  const auto items = known_items(it->arguments[0]);
  if (!items || items->size() > kMostItems) return call;
  if (callee == "builtins.len")
    return context_.integer(static_cast<std::int64_t>(items->size()), it->ranges);
  std::vector<const Expr*> elements;
  for (const Expr* item : *items) elements.push_back(copy(item, {}));
  const Exprs list = context_.list(elements);
  if (callee == "builtins.tuple") return context_.make<TupleDisplay>(it->ranges, list);
  return context_.make<ListDisplay>(it->ranges, list);
}

}  // namespace tangent::lowering
