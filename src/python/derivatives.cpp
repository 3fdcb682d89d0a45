// Gradients of the outside, and those that the function makes: live objects of `tangent`.
//
// In: gradients, functions, texts, types. Out: what they give, as things. tangent._inner makes
// them; the question that the guard asks again is which emitted function a gradient has.
#include <nanobind/stl/vector.h>

#include <string>

#include "base/diagnostics.h"
#include "python/outside.h"
#include "python/text.h"
#include "python/values.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

nb::object inner(const char* name) { return nb::module_::import_("tangent._inner").attr(name); }

nb::object live(const Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::True:
      return nb::bool_(true);
    case LiteralKind::False:
      return nb::bool_(false);
    case LiteralKind::Integer:
      return nb::steal(PyLong_FromLongLong(literal.integer));
    case LiteralKind::Float:
      return nb::float_(literal.number);
    case LiteralKind::String:
      return to_str(literal.text);
    default:
      return nb::none();
  }
}

// What tangent._inner makes an argument of this type of; None where it makes none.
nb::object described_for_example(const Type& type) {
  const auto list = [](const List<Type>& types) {
    nb::list parts;
    for (const Type& each : types) parts.append(described_for_example(each));
    return parts;
  };
  switch (type.kind) {
    case TypeKind::Number:
      return nb::make_tuple("number", static_cast<int>(type.dtype), nb::none());
    case TypeKind::Array: {
      if (type.rank < 0 || type.library != Library::NumPy || type.dtype == DType::Other)
        return nb::none();
      nb::list ones;
      for (const Dim& dim : type.dims) {
        // Whether an axis is of length 1 decides what is broadcast.
        if (dim.is_unknown()) return nb::none();
        ones.append(dim.is_one());
      }
      return nb::make_tuple("array", static_cast<int>(type.dtype), ones);
    }
    case TypeKind::Tuple:
      return nb::make_tuple("tuple", 0, list(type.elements));
    case TypeKind::List:
      if (!type.uniform) return nb::none();
      return nb::make_tuple("list", 0, list(type.elements));
    default:
      return nb::none();
  }
}

// A refusal of Python's as a diagnostic of this program.
[[noreturn]] void rethrow(nb::python_error& error) {
  if (!error.matches(PyExc_Exception)) throw error;
  const nb::object text = nb::steal(PyObject_Str(error.value().ptr()));
  std::string message = text.is_valid() ? std::string(view(text)) : std::string();
  message = message.substr(0, message.find('\n'));
  throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                   "this gradient inside a differentiated function cannot be made: " + message, {},
                   "try `tangent.grad` of that function alone");
}

}  // namespace

std::optional<DerivativeFacts> LiveOutside::derivative_of(const Thing& thing, Context& context) {
  if (thing.kind != ThingKind::Value) return std::nullopt;
  const nb::object gradient = nb::borrow(object(thing.handle));
  const std::string_view type(Py_TYPE(gradient.ptr())->tp_name);
  if (type != "tangent._core.Gradient") return std::nullopt;
  held_[static_cast<std::size_t>(thing.handle)].literal_asked = true;
  const nb::object found = inner("facts")(gradient);
  if (found.is_none()) return std::nullopt;
  const auto item = [&](Py_ssize_t k) { return nb::handle(PyTuple_GET_ITEM(found.ptr(), k)); };
  DerivativeFacts facts;
  facts.gradient = thing;
  facts.function = thing_of(item(0), {}, context);
  facts.wrt = nb::cast<std::vector<int>>(item(1));
  facts.single = nb::cast<bool>(item(2));
  facts.value_first = nb::cast<bool>(item(3));
  facts.value_last = nb::cast<bool>(item(4));
  facts.forward = nb::cast<bool>(item(5));
  return facts;
}

Thing LiveOutside::made_derivative(const Thing& maker, const Thing& function,
                                   std::span<const std::pair<Symbol, std::vector<Literal>>> options,
                                   Context& context) {
  nb::dict keywords;
  for (const auto& [name, literals] : options) {
    std::string_view word = name.text();
    if (!word.ends_with('*')) {
      keywords[to_str(word)] = live(literals.front());
      continue;
    }
    word.remove_suffix(1);
    nb::list values;
    for (const Literal& literal : literals) values.append(live(literal));
    keywords[to_str(word)] = nb::tuple(values);
  }
  try {
    const nb::object made = object(maker.handle)(object(function.handle), **keywords);
    return thing_of(made, {}, context);
  } catch (nb::python_error& error) {
    rethrow(error);
  }
}

Thing LiveOutside::known_derivative(const std::string& key, Context& context) {
  const auto found = derivatives_.find(key);
  if (found == derivatives_.end()) return {};
  // The gradient may get another function when what its own function reads changes.
  return attribute({.kind = ThingKind::Value, .handle = found->second, .qualified_name = {}},
                   context.symbol("function"), context);
}

void LiveOutside::settle_derivative(const std::string& key, ThingHandle gradient,
                                    std::span<const Type> arguments) {
  nb::list types;
  for (const Type& type : arguments) types.append(described_for_example(type));
  try {
    derivatives_[key] = handle_of(inner("settled")(object(gradient), types));
  } catch (nb::python_error& error) {
    rethrow(error);
  }
}

Thing LiveOutside::lifted_function(const Thing& around, const std::string& text,
                                   std::span<const std::pair<Symbol, Thing>> held,
                                   Context& context) {
  std::string key = std::to_string(around.handle) + "\n" + text;
  nb::dict objects;
  for (const auto& [name, thing] : held) {
    key += "\n" + std::string(name.text()) + "=" + std::to_string(thing.handle);
    objects[to_str(name.text())] = object(thing.handle);
  }
  const auto known = lifted_.find(key);
  if (known != lifted_.end()) return thing_of(object(known->second), {}, context);
  try {
    const nb::object made = inner("lifted")(object(around.handle), to_str(text), objects);
    lifted_.emplace(key, handle_of(made));
    return thing_of(made, {}, context);
  } catch (nb::python_error& error) {
    rethrow(error);
  }
}

}  // namespace tangent::python
