// Functions of libraries that are written out where they are called: those of rules/written_*.py,
// and those whose arguments are displays that the text is made from.
//
//     np.select((c, t), (a, b), d)        np.where(c, a, np.where(t, b, d))
//     np.piecewise(x, (c,), (f, g))       y = np.zeros_like(x), y[c] = f(x[c]), …
//     np.r_[a, b]                         np.concatenate((np.atleast_1d(a), np.atleast_1d(b)))
//
// In: a call of a library's function, or a subscript of np.r_ or np.c_. Out: its value, or null if
// it is none of these.
#include <algorithm>
#include <string>

#include "lower/lowering.h"
#include "rules/written.h"

namespace tangent::lowering {

namespace {

const Exprs* elements_of_display(const Expr* written) {
  if (const auto* list = as<ListDisplay>(written)) return &list->elements;
  if (const auto* tuple = as<TupleDisplay>(written)) return &tuple->elements;
  return nullptr;
}

bool has_starred(Exprs elements) {
  return std::ranges::any_of(elements, [](const Expr* e) { return is<Starred>(e); });
}

std::string numbered(std::string_view stem, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) text += ", ";
    text += std::string(stem) + std::to_string(k);
  }
  return text;
}

const Expr* argument_of(const Call& it, std::size_t position, std::string_view name) {
  if (position < it.arguments.size()) return it.arguments[position];
  for (const Keyword* keyword : it.keywords) {
    if (keyword->name.text() == name) return keyword->value;
  }
  return nullptr;
}

// Arguments and keywords in all, all of which are among the given ones.
bool has_only(const Call& it, std::size_t positions,
              std::initializer_list<std::string_view> words) {
  if (it.arguments.size() > positions || has_starred(it.arguments)) return false;
  return std::ranges::all_of(it.keywords, [&](const Keyword* keyword) {
    return std::ranges::find(words, keyword->name.text()) != words.end();
  });
}

bool is_function_like(const Expr* written) {
  return is<Lambda>(written) || is<Name>(written) || is<Attribute>(written);
}

}  // namespace

const Expr* Lowering::written_function(const Call& it, std::string_view name,
                                       Destination destination) {
  const auto called = [&](const std::string& text, const std::vector<const Expr*>& arguments) {
    const auto* call = context_.make<Call>(it.ranges, it.function, it.callee,
                                           Exprs(context_.list(arguments)), List<const Keyword*>());
    return inline_call(*call, written_in_python(text), destination);
  };
  constexpr std::string_view kNumpy = "    import numpy as np\n";
  if (name == "numpy.select" && has_only(it, 3, {"condlist", "choicelist", "default"})) {
    const Exprs* tests = elements_of_display(argument_of(it, 0, "condlist"));
    const Exprs* values = elements_of_display(argument_of(it, 1, "choicelist"));
    const Expr* other = argument_of(it, 2, "default");
    if (tests == nullptr || values == nullptr || tests->empty() ||
        tests->size() != values->size() || has_starred(*tests) || has_starred(*values))
      return nullptr;
    const std::size_t count = tests->size();
    std::string value = "default";
    for (std::size_t k = count; k-- > 0;)
      value = "np.where(c" + std::to_string(k) + ", x" + std::to_string(k) + ", " + value + ")";
    std::vector<const Expr*> arguments(tests->begin(), tests->end());
    arguments.insert(arguments.end(), values->begin(), values->end());
    arguments.push_back(other != nullptr ? other : context_.number(0.0, it.ranges));
    return called("\ndef select(" + numbered("c", count) + ", " + numbered("x", count) +
                      ", default):\n" + std::string(kNumpy) + "    return " + value + "\n",
                  arguments);
  }
  if (name == "numpy.piecewise" && has_only(it, 3, {"x", "condlist", "funclist"})) {
    const Expr* x = argument_of(it, 0, "x");
    const Exprs* tests = elements_of_display(argument_of(it, 1, "condlist"));
    const Exprs* pieces = elements_of_display(argument_of(it, 2, "funclist"));
    if (x == nullptr || tests == nullptr || pieces == nullptr || tests->empty() ||
        has_starred(*tests) || has_starred(*pieces) ||
        (pieces->size() != tests->size() && pieces->size() != tests->size() + 1))
      return nullptr;
    const std::size_t count = tests->size();
    std::string text = "\ndef piecewise(x, " + numbered("c", count) + ", " +
                       numbered("f", pieces->size()) + "):\n" + std::string(kNumpy) +
                       "    result = np.zeros_like(x)\n";
    const auto piece = [&](std::size_t k, const std::string& where) {
      const std::string function = "f" + std::to_string(k);
      const bool calls = is_function_like((*pieces)[k]);
      text += "    result[" + where +
              "] = " + (calls ? function + "(x[" + where + "])" : function) + "\n";
    };
    if (pieces->size() > count) {
      std::string none = "~c0";
      for (std::size_t k = 1; k < count; ++k) none += " & ~c" + std::to_string(k);
      text += "    rest = " + none + "\n";
      piece(count, "rest");
    }
    for (std::size_t k = 0; k < count; ++k) piece(k, "c" + std::to_string(k));
    text += "    return result\n";
    std::vector<const Expr*> arguments{x};
    arguments.insert(arguments.end(), tests->begin(), tests->end());
    arguments.insert(arguments.end(), pieces->begin(), pieces->end());
    return called(text, arguments);
  }
  if (name == "numpy.fromfunction" && has_only(it, 2, {})) {
    const Exprs* lengths =
        it.arguments.size() == 2 ? elements_of_display(it.arguments[1]) : nullptr;
    if (lengths == nullptr || lengths->empty() || has_starred(*lengths)) return nullptr;
    std::string places;
    for (std::size_t k = 0; k < lengths->size(); ++k)
      places += (k > 0 ? ", grid[" : "grid[") + std::to_string(k) + "]";
    return called("\ndef fromfunction(function, shape):\n" + std::string(kNumpy) +
                      "    grid = np.indices(shape, float)\n    return function(" + places + ")\n",
                  {it.arguments[0], it.arguments[1]});
  }
  if (name == "numpy.fromiter" && has_only(it, 2, {"dtype"}) && !it.arguments.empty()) {
    // The items, as the list of them.
    const auto* generator = as<Comprehension>(it.arguments[0]);
    const Expr* items = it.arguments[0];
    if (generator != nullptr && generator->form == ComprehensionKind::Generator)
      items = context_.make<Comprehension>(it.ranges, ComprehensionKind::List, generator->key,
                                           generator->element, generator->generators);
    else if (!is<ListDisplay>(items) && generator == nullptr)
      return nullptr;
    const Expr* dtype = argument_of(it, 1, "dtype");
    if (dtype == nullptr) return nullptr;
    return called("\ndef fromiter(items, dtype):\n" + std::string(kNumpy) +
                      "    return np.array(items, dtype)\n",
                  {items, dtype});
  }
  if (name == "numpy.linalg.multi_dot" && has_only(it, 1, {})) {
    const Exprs* factors = it.arguments.empty() ? nullptr : elements_of_display(it.arguments[0]);
    if (factors == nullptr || factors->size() < 2 || has_starred(*factors)) return nullptr;
    // From the right, where vectors stand; NumPy looks for the cheapest order.
    std::string product = "x" + std::to_string(factors->size() - 1);
    for (std::size_t k = factors->size() - 1; k-- > 0;)
      product = "x" + std::to_string(k) + " @ " +
                (k + 2 == factors->size() ? product : "(" + product + ")");
    return called(
        "\ndef multi_dot(" + numbered("x", factors->size()) + "):\n    return " + product + "\n",
        {factors->begin(), factors->end()});
  }
  const auto written = written_functions();
  const auto found = std::ranges::lower_bound(written, name, {}, &WrittenFunction::name);
  if (found == written.end() || found->name != name || has_starred(it.arguments) ||
      std::ranges::any_of(it.keywords, [](const Keyword* k) { return k->name.empty(); }))
    return nullptr;
  return inline_call(it, written_in_python(found->text), destination);
}

// np.r_[…] and np.c_[…]; null if the subscript is another one.
const Expr* Lowering::joined_by_subscript(const Subscript& it) {
  const auto* path = as<Attribute>(it.value);
  if (path == nullptr) return nullptr;
  const bool rows = path->attribute.text() == "r_";
  if (!rows && path->attribute.text() != "c_") return nullptr;
  const std::optional<Thing> owner = thing_of(path->value);
  if (!owner || owner->kind != ThingKind::Module || owner->qualified_name.text() != "numpy")
    return nullptr;
  std::vector<const Expr*> items{it.index};
  if (const auto* tuple = as<TupleDisplay>(it.index))
    items.assign(tuple->elements.begin(), tuple->elements.end());
  const auto call = [&](std::string_view function, Exprs arguments, List<const Keyword*> keywords) {
    const Expr* callee =
        context_.make<Attribute>(it.ranges, path->value, context_.symbol(function));
    return static_cast<const Expr*>(
        context_.make<Call>(it.ranges, callee, Symbol(), arguments, keywords));
  };
  std::vector<const Expr*> parts;
  for (const Expr* item : items) {
    const auto* constant = as<Constant>(item);
    if (is<Starred>(item) || is<Slice>(item) ||
        (constant != nullptr && constant->value.kind == LiteralKind::String))
      refuse(it,
             "`np." + std::string(path->attribute.text()) +
                 "` of a slice, a text or `*` is not "
                 "supported",
             "write `np.arange`, `np.linspace` or `np.concatenate`");
    parts.push_back(rows ? call("atleast_1d", context_.list<const Expr*>({item}), {}) : item);
  }
  if (rows) {
    const Expr* joined = context_.make<TupleDisplay>(it.ranges, Exprs(context_.list(parts)));
    return expression(call("concatenate", context_.list<const Expr*>({joined}), {}));
  }
  // Columns of what has one axis; what has more is joined along its last.
  std::string text = "\ndef columns(" + numbered("x", parts.size()) +
                     "):\n    import numpy as np\n    return np.concatenate((";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string x = "x" + std::to_string(k);
    text += x + " if np.ndim(" + x + ") > 1 else np.reshape(" + x + ", (-1, 1)), ";
  }
  text += "), axis=-1)\n";
  const auto* columns = context_.make<Call>(it.ranges, it.value, Symbol(),
                                            Exprs(context_.list(parts)), List<const Keyword*>());
  return inline_call(*columns, written_in_python(text), {});
}

}  // namespace tangent::lowering
