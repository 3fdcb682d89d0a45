// Expressions of the tree reader (tree_reader.h).
#include <cctype>
#include <charconv>

#include "python/tree_reader.h"

namespace nb = nanobind;

namespace tangent::python {

const Expr* TreeReader::expression(nb::handle node) {
  auto found = table_.classes.find(Py_TYPE(node.ptr()));
  if (found == table_.classes.end()) refuse(node);
  const Level level(*this, node);
  return expression_of(found->second, node);
}

const Expr* TreeReader::expression_of(AstClass kind, nb::handle node) {
  switch (kind) {
    case AstClass::Attribute: {
      const Expr* value = child(node, field_.value);
      return context_.make<Attribute>(place(node), value, get_symbol(node, field_.attr));
    }
    case AstClass::Await:
      return context_.make<Await>(place(node), child(node, field_.value));
    case AstClass::BinOp:
      return binary(node);
    case AstClass::BoolOp: {
      const Exprs values = children(node, field_.values);
      return context_.make<BooleanOperation>(
          place(node), operator_of<BooleanOperator>(get(node, field_.op)), values);
    }
    case AstClass::Call:
      return call(node);
    case AstClass::Compare:
      return comparison(node);
    case AstClass::Constant:
      return constant(node);
    case AstClass::Dict: {
      const Exprs keys = children(node, field_.keys);
      const Exprs values = children(node, field_.values);
      return context_.make<Dictionary>(place(node), keys, values);
    }
    case AstClass::DictComp:
      return comprehension(ComprehensionKind::Dictionary, node);
    case AstClass::FormattedValue:
      return formatted_value(node);
    case AstClass::GeneratorExp:
      return comprehension(ComprehensionKind::Generator, node);
    case AstClass::IfExp: {
      const Expr* test = child(node, field_.test);
      const Expr* body = child(node, field_.body);
      const Expr* orelse = child(node, field_.orelse);
      return context_.make<Conditional>(place(node), test, body, orelse);
    }
    case AstClass::JoinedStr:
      return context_.make<FormattedString>(place(node), children(node, field_.values));
    case AstClass::Lambda: {
      const List<const Parameter*> list = parameters(get(node, field_.args));
      return context_.make<Lambda>(place(node), list, child(node, field_.body));
    }
    case AstClass::List:
      return context_.make<ListDisplay>(place(node), children(node, field_.elts));
    case AstClass::ListComp:
      return comprehension(ComprehensionKind::List, node);
    case AstClass::Name:
      return context_.make<Name>(place(node), get_symbol(node, field_.id), Scope::Unresolved);
    case AstClass::NamedExpr: {
      const Expr* target = child(node, field_.target);
      return context_.make<NamedExpression>(place(node), target, child(node, field_.value));
    }
    case AstClass::Set:
      return context_.make<SetDisplay>(place(node), children(node, field_.elts));
    case AstClass::SetComp:
      return comprehension(ComprehensionKind::Set, node);
    case AstClass::Slice: {
      const Expr* lower = optional_child(node, field_.lower);
      const Expr* upper = optional_child(node, field_.upper);
      const Expr* step = optional_child(node, field_.step);
      return context_.make<Slice>(place(node), lower, upper, step);
    }
    case AstClass::Starred:
      return context_.make<Starred>(place(node), child(node, field_.value));
    case AstClass::Subscript: {
      const Expr* value = child(node, field_.value);
      return context_.make<Subscript>(place(node), value, child(node, field_.slice));
    }
    case AstClass::Tuple:
      return context_.make<TupleDisplay>(place(node), children(node, field_.elts));
    case AstClass::UnaryOp: {
      const auto op = operator_of<UnaryOperator>(get(node, field_.op));
      return context_.make<UnaryOperation>(place(node), op, child(node, field_.operand));
    }
    case AstClass::Yield:
      return context_.make<Yield>(place(node), optional_child(node, field_.value), false);
    case AstClass::YieldFrom:
      return context_.make<Yield>(place(node), child(node, field_.value), true);
    default:
      refuse(node);
  }
}

// a + b + c + … nests to the left, one level for every term: a loop, so that the number of terms is
// not bounded by the stack.
const Expr* TreeReader::binary(nb::handle node) {
  std::vector<nb::object> spine{nb::borrow(node)};
  nb::object left = get(node, field_.left);
  while (true) {
    auto found = table_.classes.find(Py_TYPE(left.ptr()));
    if (found == table_.classes.end() || found->second != AstClass::BinOp) break;
    nb::object next = get(left, field_.left);
    spine.push_back(std::move(left));
    left = std::move(next);
  }
  const Expr* result = expression(left);
  while (!spine.empty()) {
    const nb::object& outer = spine.back();
    const auto op = operator_of<BinaryOperator>(get(outer, field_.op));
    const Expr* right = child(outer, field_.right);
    result = context_.make<BinaryOperation>(place(outer), op, result, right);
    spine.pop_back();
  }
  return result;
}

const Expr* TreeReader::call(nb::handle node) {
  const Expr* function = child(node, field_.func);
  const Exprs arguments = children(node, field_.args);
  const List<const Keyword*> named = keywords(get(node, field_.keywords));
  return context_.make<Call>(place(node), function, Symbol(), arguments, named);
}

List<const Keyword*> TreeReader::keywords(nb::handle list) {
  return each(list, [&](nb::handle item) {
    // CPython mangles parameters, but not the keywords of a call.
    const nb::object written = get(item, field_.arg);
    const Symbol name = written.is_none() ? Symbol() : context_.symbol(text_of(written));
    return context_.make<Keyword>(place(item), name, child(item, field_.value));
  });
}

const Expr* TreeReader::comparison(nb::handle node) {
  const Expr* left = child(node, field_.left);
  const nb::object ops = get(node, field_.ops);
  const List<ComparisonOperator> list =
      each(ops, [&](nb::handle op) { return operator_of<ComparisonOperator>(op); });
  return context_.make<Comparison>(place(node), left, list, children(node, field_.comparators));
}

const Expr* TreeReader::comprehension(ComprehensionKind form, nb::handle node) {
  const bool keyed = form == ComprehensionKind::Dictionary;
  const nb::object list = get(node, field_.generators);
  const List<const Generator*> generators = each(list, [&](nb::handle item) {
    const Expr* target = child(item, field_.target);
    const Expr* iterable = child(item, field_.iter);
    const Exprs conditions = children(item, field_.ifs);
    const Node* last = conditions.empty() ? iterable : conditions.back();
    return context_.make<Generator>(spanning(target, last), target, iterable, conditions,
                                    get_int(item, field_.is_async) != 0);
  });
  const Expr* key = keyed ? child(node, field_.key) : nullptr;
  const Expr* element = child(node, keyed ? field_.value : field_.elt);
  return context_.make<Comprehension>(place(node), form, key, element, generators);
}

const Expr* TreeReader::formatted_value(nb::handle node) {
  const Expr* value = child(node, field_.value);
  const int conversion = get_int(node, field_.conversion);
  const Expr* specification = optional_child(node, field_.format_spec);
  return context_.make<FormattedValue>(
      place(node), value, conversion > 0 ? static_cast<char>(conversion) : '\0', specification);
}

// ---------------------------------------------------------------------------------------------------
// Literals

namespace {

bool is_number_text(std::string_view text) {
  if (text.empty() || text.front() == '_' ||
      !(text.front() == '.' || std::isdigit(static_cast<unsigned char>(text.front())) != 0))
    return false;
  for (const char c : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                      c == '+' || c == '-';
    if (!fits) return false;
  }
  return true;
}

std::string without_underscores(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '_') plain += c;
  }
  return plain;
}

// Whether the text, as CPython reads it, is this number: places inside f-strings are not reliable
// before Python 3.12.
bool spells(std::string_view text, double value) {
  const std::string plain = without_underscores(text);
  double read = 0.0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), read);
  return error == std::errc() && end == plain.data() + plain.size() && read == value;
}

bool spells(std::string_view text, std::int64_t value) {
  const std::string plain = without_underscores(text);
  std::string_view digits = plain;
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char mark = static_cast<char>(std::tolower(static_cast<unsigned char>(digits[1])));
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    if (base != 10) digits.remove_prefix(2);
  }
  std::int64_t read = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), read, base);
  return error == std::errc() && end == digits.data() + digits.size() && read == value;
}

}  // namespace

std::string_view TreeReader::number_spelling(nb::handle node) {
  const std::string_view text =
      text_.slice(get_int(node, field_.lineno), get_int(node, field_.col_offset),
                  get_int(node, field_.end_lineno), get_int(node, field_.end_col_offset));
  return is_number_text(text) ? text : std::string_view();
}

const Expr* TreeReader::constant(nb::handle node) {
  const nb::object value = get(node, field_.value);
  return context_.make<Constant>(place(node), literal(value, node));
}

Literal TreeReader::literal(nb::handle value, nb::handle node) {
  PyObject* object = value.ptr();
  if (object == Py_None) return {.kind = LiteralKind::None};
  if (object == Py_True) return {.kind = LiteralKind::True};
  if (object == Py_False) return {.kind = LiteralKind::False};
  if (object == Py_Ellipsis) return {.kind = LiteralKind::Ellipsis};
  Arena& arena = context_.arena();
  if (PyFloat_CheckExact(object)) {
    Literal result{.kind = LiteralKind::Float, .number = PyFloat_AS_DOUBLE(object)};
    const std::string_view text = number_spelling(node);
    if (spells(text, result.number)) result.text = arena.copy_text(text);
    return result;
  }
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) {
      const nb::object digits = nb::steal(PyObject_Str(object));
      if (!digits.is_valid()) throw nb::python_error();
      return {.kind = LiteralKind::BigInteger, .text = arena.copy_text(text_of(digits))};
    }
    Literal result{.kind = LiteralKind::Integer, .integer = number};
    const std::string_view text = number_spelling(node);
    if (spells(text, result.integer)) result.text = arena.copy_text(text);
    return result;
  }
  if (PyComplex_CheckExact(object)) {
    return {.kind = LiteralKind::Imaginary, .number = PyComplex_ImagAsDouble(object)};
  }
  if (PyUnicode_CheckExact(object)) {
    // A lone surrogate has no UTF-8 form: it is kept as CPython's own encoding of it.
    const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
    if (!bytes.is_valid()) throw nb::python_error();
    const std::string_view text(PyBytes_AS_STRING(bytes.ptr()),
                                static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
    return {.kind = LiteralKind::String, .text = arena.copy_text(text)};
  }
  if (PyBytes_CheckExact(object)) {
    const std::string_view text(PyBytes_AS_STRING(object),
                                static_cast<std::size_t>(PyBytes_GET_SIZE(object)));
    return {.kind = LiteralKind::Bytes, .text = arena.copy_text(text)};
  }
  throw InternalError("a constant of a kind that Python's grammar does not have");
}

// ---------------------------------------------------------------------------------------------------
// Parameters

const Parameter* TreeReader::parameter(nb::handle argument, ParameterKind form,
                                       nb::handle default_value) {
  const Symbol name = get_symbol(argument, field_.arg);
  const Expr* annotation = optional_child(argument, field_.annotation);
  const Expr* value =
      default_value.is_valid() && !default_value.is_none() ? expression(default_value) : nullptr;
  return context_.make<Parameter>(place(argument), name, form, annotation, value);
}

List<const Parameter*> TreeReader::parameters(nb::handle arguments) {
  std::vector<const Parameter*> list;
  const nb::object only = get(arguments, field_.posonlyargs);
  const nb::object plain = get(arguments, field_.args);
  const nb::object defaults = get(arguments, field_.defaults);
  const Py_ssize_t count_only = PyList_GET_SIZE(only.ptr());
  const Py_ssize_t count = count_only + PyList_GET_SIZE(plain.ptr());
  const Py_ssize_t required = count - PyList_GET_SIZE(defaults.ptr());
  for (Py_ssize_t i = 0; i < count; ++i) {
    const bool positional_only = i < count_only;
    PyObject* argument = positional_only ? PyList_GET_ITEM(only.ptr(), i)
                                         : PyList_GET_ITEM(plain.ptr(), i - count_only);
    PyObject* value = i < required ? nullptr : PyList_GET_ITEM(defaults.ptr(), i - required);
    list.push_back(parameter(
        argument, positional_only ? ParameterKind::PositionalOnly : ParameterKind::Positional,
        value));
  }
  const nb::object variadic = get(arguments, field_.vararg);
  if (!variadic.is_none()) {
    list.push_back(parameter(variadic, ParameterKind::VariadicPositional, nb::handle()));
  }
  const nb::object named = get(arguments, field_.kwonlyargs);
  const nb::object named_defaults = get(arguments, field_.kw_defaults);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(named.ptr()); ++i) {
    list.push_back(parameter(PyList_GET_ITEM(named.ptr(), i), ParameterKind::KeywordOnly,
                             PyList_GET_ITEM(named_defaults.ptr(), i)));
  }
  const nb::object extra = get(arguments, field_.kwarg);
  if (!extra.is_none()) {
    list.push_back(parameter(extra, ParameterKind::VariadicKeyword, nb::handle()));
  }
  return context_.list(list);
}

}  // namespace tangent::python
