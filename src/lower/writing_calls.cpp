// Library calls that write into an array: those that set all its elements become stores, the others
// are refused.
//
//     np.add(x, y, out=z)      z[...] = np.add(x, y)        z.fill(0.0)      z[...] = 0.0
//     np.copyto(z, x)          z[...] = x
#include <algorithm>
#include <array>

#include "lower/lowering.h"
#include "syntax/places.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// Functions of libraries that write one of their arguments.
constexpr std::array<std::string_view, 11> kWriters = {
    "numpy.copyto",         "numpy.put",           "numpy.place",     "numpy.putmask",
    "numpy.put_along_axis", "numpy.fill_diagonal", "numpy.add.at",    "numpy.subtract.at",
    "numpy.multiply.at",    "builtins.setattr",    "builtins.delattr"};

// Methods that write the value they are called on.
constexpr std::array<std::string_view, 19> kWritingMethods = {
    "append",   "extend",  "insert",   "remove",     "pop",      "popitem", "clear",
    "sort",     "reverse", "update",   "setdefault", "fill",     "itemset", "put",
    "setflags", "resize",  "setfield", "byteswap",   "partition"};

// `x.__setitem__(i, e)`, `operator.iadd(x, e)`: what the statement would do, as a call.
constexpr std::array<std::string_view, 15> kWritingOperators = {
    "setitem", "delitem", "iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow",
    "imod",    "imatmul", "iand", "ior",  "ixor", "ilshift",  "irshift"};

// Keywords by which a library function may use up an argument.
constexpr std::array<std::string_view, 8> kOverwriting = {
    "overwrite_input", "overwrite_a", "overwrite_b",    "overwrite_x",
    "overwrite_ab",    "overwrite_y", "overwrite_data", "inplace"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_writing_operator(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const bool of_operator = name.starts_with("operator.") || name.starts_with("_operator.");
  std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const bool dunder = last.size() > 4 && last.starts_with("__") && last.ends_with("__");
  if (!of_operator && !dunder) return false;
  if (dunder) last = last.substr(2, last.size() - 4);
  return among(kWritingOperators, last) || (of_operator && last == "iconcat");
}

bool is_constant(const Expr* value, LiteralKind kind) {
  const auto* constant = as<Constant>(value);
  return constant != nullptr && constant->value.kind == kind;
}

}  // namespace

bool writes_arguments(std::string_view function) { return among(kWriters, function); }

bool is_writing_method(std::string_view name) {
  return among(kWritingMethods, name) || is_writing_operator(name);
}

void Lowering::refuse_write_in_place(const Call& it, Symbol callee) {
  const std::string_view name = callee.text();
  auto writes = [&](const std::string& what) {
    refuse(it, what + " writes in place, which is not supported yet",
           "build a new value instead (np.where, np.concatenate, np.stack)",
           DiagnosticKind::WriteInPlace);
  };
  if (among(kWriters, name) || name == "numpy.random.shuffle" || is_writing_operator(name)) {
    writes("`" + print(it.function) + "`");
  }
  for (const Keyword* keyword : it.keywords) {
    const std::string_view word = keyword->name.text();
    const bool out = word == "out" && !is_constant(keyword->value, LiteralKind::None);
    const bool overwrites =
        among(kOverwriting, word) && !is_constant(keyword->value, LiteralKind::False);
    const bool keeps = name == "numpy.nan_to_num" && word == "copy" &&
                       !is_constant(keyword->value, LiteralKind::True);
    if (out || overwrites || keeps) {
      writes("`" + std::string(word) + "=` of `" + print(it.function) + "`");
    }
  }
}

// An array that has a name, or an element or slice of one.
bool Lowering::is_place(const Expr* core) {
  const Name* root = root_of(core);
  return root != nullptr && root->scope == Scope::Local && object_of(root) == nullptr;
}

void Lowering::set_elements(const Expr* place, const Expr* value, Ranges ranges) {
  if (!is<Subscript>(place)) {
    place = context_.make<Subscript>(
        place->ranges, place,
        context_.make<Constant>(place->ranges, Literal{.kind = LiteralKind::Ellipsis}));
  }
  emit(context_.assign(place, value, at(ranges)));
}

// np.divide(a, b, out=np.zeros_like(b), where=c): a / b where c holds, else 0. Null if it is
// another call.
const Expr* Lowering::masked_quotient(const Call& it) {
  const Expr* out = nullptr;
  const Expr* where = nullptr;
  for (const Keyword* keyword : it.keywords) {
    if (keyword->name.text() == "out") out = keyword->value;
    if (keyword->name.text() == "where") where = keyword->value;
  }
  const auto* zeros = out != nullptr ? as<Call>(out) : nullptr;
  const auto* path = as<Attribute>(it.function);
  if (zeros == nullptr || where == nullptr || path == nullptr || it.arguments.size() != 2 ||
      it.keywords.size() != 2)
    return nullptr;
  const std::optional<Thing> made = thing_of(zeros->function);
  const bool fits = made && made->qualified_name.text() == "numpy.zeros_like" &&
                    zeros->arguments.size() == 1 && zeros->keywords.empty() &&
                    equal(zeros->arguments[0], it.arguments[1]);
  if (!fits) return nullptr;
  const Expr* values[3] = {nullptr, nullptr, nullptr};
  const Expr* const written[3] = {it.arguments[0], it.arguments[1], where};
  operands(written, values);
  const Expr* condition = bind_temporary(values[2], "condition", it.ranges);
  const Symbol chooser = context_.symbol("where");
  const auto choose = [&](const Expr* value, double other) -> const Expr* {
    const Expr* function = context_.make<Attribute>(it.ranges, expression(path->value), chooser);
    return context_.make<Call>(
        it.ranges, function, context_.symbol("numpy.where"),
        Exprs(context_.list<const Expr*>(
            {copy(condition, {}), value, context_.number(other, it.ranges)})),
        List<const Keyword*>());
  };
  const Expr* divisor = choose(values[1], 1.0);
  return choose(
      context_.make<BinaryOperation>(it.ranges, BinaryOperator::Divide, values[0], divisor), 0.0);
}

// np.add.at(y, index, e): y += e added up where it goes, which an index names more than once. Null
// if it is another call.
const Expr* Lowering::added_at(const Call& it, BinaryOperator op) {
  const auto* path = as<Attribute>(it.function);
  const auto* ufunc = path != nullptr ? as<Attribute>(path->value) : nullptr;
  if (ufunc == nullptr || it.arguments.size() != 3 || !it.keywords.empty()) return nullptr;
  const Expr* values[3] = {nullptr, nullptr, nullptr};
  operands(it.arguments, values);
  const auto* place = as<Name>(values[0]);
  if (place == nullptr || !is_place(place) || is<TupleDisplay>(values[1])) return nullptr;
  const Thing runtime = outside_.module("tangent.runtime", context_);
  if (runtime.kind != ThingKind::Module) return nullptr;
  const auto library = [&](const Expr* owner, std::string_view name, std::string_view callee,
                           std::initializer_list<const Expr*> arguments) -> const Expr* {
    const Expr* function = context_.make<Attribute>(it.ranges, owner, context_.symbol(name));
    return context_.make<Call>(it.ranges, function, context_.symbol(callee),
                               Exprs(context_.list<const Expr*>(arguments)),
                               List<const Keyword*>());
  };
  const Expr* index = values[1];
  if (is<ListDisplay>(index))
    index = library(expression(ufunc->value), "array", "numpy.array", {index});
  index = bind_temporary(index, "index", it.ranges);
  const auto array = [&] { return context_.local(place->symbol, it.ranges); };
  const Expr* selected =
      context_.make<Subscript>(it.ranges, static_cast<const Expr*>(array()), copy(index, {}));
  const Expr* shape = context_.make<Attribute>(it.ranges, selected, context_.symbol("shape"));
  const Expr* spread =
      library(expression(ufunc->value), "broadcast_to", "numpy.broadcast_to", {values[2], shape});
  const Expr* helpers = imported_name(runtime, context_.symbol("runtime"), false, it.ranges);
  const Expr* added =
      library(helpers, "_unindex", "tangent.runtime._unindex", {spread, array(), copy(index, {})});
  added = bind_temporary(added, "added", it.ranges);
  emit(context_.make<AugmentedAssign>(at(it), static_cast<const Expr*>(array()), op, added));
  return context_.none(it.ranges);
}

// What a call that sets all elements of an array gives back; null if it is another call.
const Expr* Lowering::written_by(const Call& it, Symbol callee, Destination destination) {
  const std::string_view name = callee.text();
  if (name == "numpy.copyto" && it.arguments.size() == 2 && it.keywords.empty()) {
    const Expr* values[2] = {nullptr, nullptr};
    operands(it.arguments, values);
    if (!is_place(values[0])) return nullptr;
    set_elements(values[0], values[1], it.ranges);
    return context_.none(it.ranges);
  }
  if (!name.starts_with("numpy.")) return nullptr;
  if (const Expr* chosen = chosen_elements(it, name)) return chosen;
  if (name == "numpy.add.at") return added_at(it, BinaryOperator::Add);
  if (name == "numpy.subtract.at") return added_at(it, BinaryOperator::Subtract);
  if (name == "numpy.divide") {
    if (const Expr* quotient = masked_quotient(it)) return quotient;
  }
  std::vector<const Keyword*> others;
  const Expr* out = nullptr;
  for (const Keyword* keyword : it.keywords) {
    const std::string_view word = keyword->name.text();
    if (word == "where" || word == "casting") return nullptr;  // some elements, another conversion
    if (word != "out") {
      others.push_back(keyword);
    } else if (is<Name>(keyword->value) || is<Subscript>(keyword->value)) {
      out = keyword->value;
    }
  }
  if (out == nullptr) return nullptr;
  const auto* without = context_.make<Call>(it.ranges, it.function, it.callee, it.arguments,
                                            List<const Keyword*>(context_.list(others)));
  const Expr* value = plain_call(*without, nullptr, callee);
  const std::size_t mark = out_->size();
  const Expr* place = expression(out);
  if (out_->size() > mark) protect({&value, 1}, mark);
  const bool used = destination.form != Destination::Form::Nothing;
  if (!is_place(place) || (used && !is<Name>(place))) return nullptr;
  set_elements(place, value, it.ranges);
  return used ? copy(place, it.ranges) : context_.none(it.ranges);
}

}  // namespace tangent::lowering
