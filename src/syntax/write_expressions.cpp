// Expressions -> text: one overload of Writer::write per kind.
//
// Who calls decides what may stand there without parentheses and says so by a Precedence; the kinds
// themselves only say what their operands may be.
#include <array>
#include <utility>

#include "syntax/literals.h"
#include "syntax/visit.h"
#include "syntax/writer.h"

namespace tangent {

namespace {

std::string_view spelling(BinaryOperator op) {
  constexpr std::array<std::string_view, 13> kSpellings = {"+", "-", "*", "/", "//", "%", "**",
                                                           "@", "&", "|", "^", "<<", ">>"};
  return kSpellings.at(static_cast<std::size_t>(op));
}

std::string_view spelling(ComparisonOperator op) {
  constexpr std::array<std::string_view, 10> kSpellings = {"==", "!=", "<",      "<=", ">",
                                                           ">=", "is", "is not", "in", "not in"};
  return kSpellings.at(static_cast<std::size_t>(op));
}

std::string_view spelling(UnaryOperator op) {
  constexpr std::array<std::string_view, 4> kSpellings = {"-", "+", "~", "not "};
  return kSpellings.at(static_cast<std::size_t>(op));
}

Delimiter delimiter_of(BinaryOperator op) {
  switch (precedence_of(op)) {
    case Precedence::BitOr:
      return Delimiter::BitOr;
    case Precedence::BitXor:
      return Delimiter::BitXor;
    case Precedence::BitAnd:
      return Delimiter::BitAnd;
    case Precedence::Shift:
      return Delimiter::Shift;
    case Precedence::Sum:
      return Delimiter::Sum;
    case Precedence::Product:
      return Delimiter::Product;
    default:
      return Delimiter::Power;
  }
}

// The operands that an operator takes without parentheses. Everything groups to the left, but for
// the power, which groups to the right and takes a sign there.
struct Operands {
  Precedence left;
  Precedence right;
};
Operands operands_of(BinaryOperator op) {
  if (op == BinaryOperator::Power) return {Precedence::Await, Precedence::Unary};
  const Precedence own = precedence_of(op);
  return {own, tighter(own)};
}

// What PEP 8 lets stand next to the colon of a slice without a space.
bool is_short(const Expr* bound) {
  if (bound == nullptr || is<Name>(bound) || is<Constant>(bound)) return true;
  if (const auto* minus = as<UnaryOperation>(bound)) {
    return minus->op != UnaryOperator::Not && is_short(minus->operand);
  }
  return is<Attribute>(bound);
}

}  // namespace

void Writer::expression(const Expr* expression, Precedence loosest) {
  const bool wrapped = precedence_of(*expression) < loosest;
  note_place(*expression);
  if (wrapped) open('(');
  dispatch(*expression, [this](const auto& it) { write(it); });
  if (wrapped) close(')');
}

void Writer::bare(const Expr* expression) {
  this->expression(expression,
                   is<NamedExpression>(expression) ? Precedence::Named : Precedence::Test);
}

void Writer::optional(const Expr* expression, Precedence loosest) {
  open_optional();
  this->expression(expression, loosest);
  close_optional();
}

void Writer::condition(const Expr* test) {
  open_optional();
  bare(test);
  close_optional();
}

void Writer::elements(Exprs items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) comma();
    bare(items[i]);
  }
}

void Writer::arguments(Exprs positional, List<const Keyword*> keywords) {
  open('(');
  const auto* only =
      positional.size() == 1 && keywords.empty() ? as<Comprehension>(positional.front()) : nullptr;
  if (only != nullptr && only->form == ComprehensionKind::Generator) {
    expression(only->element, Precedence::Test);
    generators(only->generators);
  } else {
    elements(positional);
    for (std::size_t i = 0; i < keywords.size(); ++i) {
      if (i > 0 || !positional.empty()) comma();
      write(*keywords[i]);
    }
  }
  close(')');
}

void Writer::write(const Attribute& it) {
  // A point after digits would be read as part of the number.
  const auto* constant = as<Constant>(it.value);
  const bool number = constant != nullptr && (constant->value.kind == LiteralKind::Integer ||
                                              constant->value.kind == LiteralKind::BigInteger ||
                                              constant->value.kind == LiteralKind::Float);
  if (number) {
    open('(');
    write(*constant);
    close(')');
  } else {
    expression(it.value, Precedence::Atom);
  }
  put(".");
  put(it.attribute);
}

void Writer::write(const Await& it) {
  put("await ");
  expression(it.value, Precedence::Atom);
}

void Writer::write(const BinaryOperation& it) {
  if (it.op != BinaryOperator::Power) return chain(it);
  const Operands allowed = operands_of(it.op);
  expression(it.left, allowed.left);
  put(" ");
  delimiter(Delimiter::Power);
  put("** ");
  expression(it.right, allowed.right);
}

// A sum of thousands of terms leans to the left as deeply: that side is walked, not recursed into.
void Writer::chain(const BinaryOperation& top) {
  std::vector<const BinaryOperation*> spine = {&top};
  for (;;) {
    const auto* left = as<BinaryOperation>(spine.back()->left);
    if (left == nullptr || left->op == BinaryOperator::Power ||
        precedence_of(left->op) < operands_of(spine.back()->op).left) {
      break;
    }
    spine.push_back(left);
  }
  expression(spine.back()->left, operands_of(spine.back()->op).left);
  for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
    const BinaryOperation& operation = **it;
    put(" ");
    delimiter(delimiter_of(operation.op));
    put(spelling(operation.op));
    put(" ");
    expression(operation.right, operands_of(operation.op).right);
  }
}

void Writer::write(const BooleanOperation& it) {
  const bool is_or = it.op == BooleanOperator::Or;
  // A group of the same operator is a tree of its own and keeps its parentheses.
  const Precedence operand = tighter(is_or ? Precedence::Or : Precedence::And);
  for (std::size_t i = 0; i < it.values.size(); ++i) {
    if (i > 0) {
      put(" ");
      delimiter(Delimiter::Logic);
      put(is_or ? "or " : "and ");
    }
    expression(it.values[i], operand);
  }
}

void Writer::write(const Call& it) {
  expression(it.function, Precedence::Atom);
  arguments(it.arguments, it.keywords);
}

void Writer::write(const Comparison& it) {
  expression(it.left, tighter(Precedence::Comparison));
  for (std::size_t i = 0; i < it.ops.size(); ++i) {
    put(" ");
    delimiter(Delimiter::Comparison);
    put(spelling(it.ops[i]));
    put(" ");
    expression(it.comparators[i], tighter(Precedence::Comparison));
  }
}

void Writer::write(const Comprehension& it) {
  constexpr std::array<std::pair<char, char>, 4> kBrackets = {
      {{'[', ']'}, {'{', '}'}, {'{', '}'}, {'(', ')'}}};
  const auto [opening, closing] = kBrackets.at(static_cast<std::size_t>(it.form));
  open(opening);
  if (it.key != nullptr) {
    expression(it.key, Precedence::Test);
    put(": ");
  }
  expression(it.element, Precedence::Test);
  generators(it.generators);
  close(closing);
}

void Writer::write(const Conditional& it) {
  expression(it.body, tighter(Precedence::Test));
  put(" ");
  delimiter(Delimiter::Ternary);
  put("if ");
  expression(it.test, tighter(Precedence::Test));
  put(" ");
  delimiter(Delimiter::Ternary);
  put("else ");
  expression(it.orelse, Precedence::Test);
}

void Writer::write(const Constant& it) { append_literal(line_, it.value); }

void Writer::write(const Dictionary& it) {
  open('{');
  for (std::size_t i = 0; i < it.values.size(); ++i) {
    if (i > 0) comma();
    if (it.keys[i] == nullptr) {
      put("**");
      expression(it.values[i], Precedence::BitOr);
    } else {
      expression(it.keys[i], Precedence::Test);
      put(": ");
      expression(it.values[i], Precedence::Test);
    }
  }
  close('}');
}

// The expressions of an f-string cannot hold its own quote (before Python 3.12), so they are
// written first, and the quote is one that none of them has.
void Writer::write(const FormattedString& it) {
  std::string fields;
  std::string literals;
  for (const Expr* part : it.values) {
    if (const auto* text = as<Constant>(part)) {
      literals += text->value.text;
    } else {
      replacement_field(fields, *as<FormattedValue>(part));
    }
  }
  std::string_view quote = preferred_quote(literals);
  const std::array<std::string_view, 5> candidates = {quote, "'", "\"", "'''", "\"\"\""};
  for (const std::string_view candidate : candidates) {
    if (fields.find(candidate) == std::string::npos) {
      quote = candidate;
      break;
    }
  }

  put("f");
  put(quote);
  for (const Expr* part : it.values) {
    const auto* text = as<Constant>(part);
    if (text == nullptr) {
      replacement_field(line_, *as<FormattedValue>(part));
      continue;
    }
    std::string escaped;
    append_escaped(escaped, text->value.text, quote);
    for (const char c : escaped) {
      line_ += c == '\n' ? std::string_view("\\n") : std::string_view(&c, 1);
      if (c == '{' || c == '}') line_ += c;
    }
  }
  put(quote);
}

void Writer::write(const FormattedValue& it) { replacement_field(line_, it); }

void Writer::replacement_field(std::string& out, const FormattedValue& field) {
  const std::string text = detached(*field.value);
  out += '{';
  if (text.front() == '{') out += ' ';  // two braces in a row are one written brace
  out += text;
  if (field.conversion != 0) {
    out += '!';
    out += field.conversion;
  }
  if (field.specification != nullptr) {
    out += ':';
    specification(out, *as<FormattedString>(field.specification));
  }
  out += '}';
}

void Writer::specification(std::string& out, const FormattedString& specification) {
  for (const Expr* part : specification.values) {
    const auto* text = as<Constant>(part);
    if (text == nullptr) {
      replacement_field(out, *as<FormattedValue>(part));
      continue;
    }
    for (const char c : text->value.text) {
      if (c == '\\') out += '\\';
      out += c == '\n' ? std::string_view("\\n") : std::string_view(&c, 1);
    }
  }
}

std::string Writer::detached(const Expr& expression) {
  std::string outer = std::exchange(line_, {});
  const std::size_t marks = marks_.size();
  // A lambda's colon would begin the format, also at the end of a ternary.
  const Expr* tail = &expression;
  while (const auto* conditional = as<Conditional>(tail)) tail = conditional->orelse;
  this->expression(&expression, is<Lambda>(tail) ? Precedence::Or : Precedence::Test);
  marks_.resize(marks);
  return std::exchange(line_, std::move(outer));
}

void Writer::write(const Lambda& it) {
  put(it.parameters.empty() ? "lambda" : "lambda ");
  parameters(it.parameters, false);
  put(": ");
  expression(it.body, Precedence::Test);
}

void Writer::write(const ListDisplay& it) {
  open('[');
  elements(it.elements);
  close(']');
}

void Writer::write(const Name& it) { put(it.symbol); }

void Writer::write(const NamedExpression& it) {
  expression(it.target, Precedence::Atom);
  put(" := ");
  expression(it.value, Precedence::Test);
}

void Writer::write(const Pop& it) {
  put(it.tape);
  put(".pop()");
}

void Writer::write(const SetDisplay& it) {
  if (it.elements.empty()) return put("{*()}");  // `{}` is a dictionary
  open('{');
  elements(it.elements);
  close('}');
}

void Writer::write(const Slice& it) {
  const bool spaced = it.lower != nullptr && it.upper != nullptr &&
                      !(is_short(it.lower) && is_short(it.upper) && is_short(it.step));
  const std::string_view colon = spaced ? " : " : ":";
  if (it.lower != nullptr) expression(it.lower, Precedence::Test);
  put(colon);
  if (it.upper != nullptr) expression(it.upper, Precedence::Test);
  if (it.step != nullptr) {
    put(colon);
    expression(it.step, Precedence::Test);
  }
}

void Writer::write(const Starred& it) {
  put("*");
  expression(it.value, Precedence::BitOr);
}

void Writer::index(const Expr& index) {
  const auto* tuple = as<TupleDisplay>(&index);
  if (tuple == nullptr || tuple->elements.empty()) return expression(&index, Precedence::Test);
  for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
    if (i > 0) comma();
    expression(tuple->elements[i], Precedence::Test);
  }
  if (tuple->elements.size() == 1) put(",");
}

void Writer::write(const Subscript& it) {
  expression(it.value, Precedence::Atom);
  open('[');
  index(*it.index);
  close(']');
}

void Writer::write(const TupleDisplay& it) {
  // With two elements and more, parentheses are the place's business.
  const auto element = [this](const Expr* item) { expression(item, Precedence::Test); };
  if (it.elements.size() < 2) {
    open('(');
    if (!it.elements.empty()) {
      element(it.elements.front());
      put(",");
    }
    return close(')');
  }
  for (std::size_t i = 0; i < it.elements.size(); ++i) {
    if (i > 0) comma();
    element(it.elements[i]);
  }
}

void Writer::write(const UnaryOperation& it) {
  put(spelling(it.op));
  if (it.op == UnaryOperator::Not) return expression(it.operand, Precedence::Not);
  // `--x` is correct, but nobody writes it.
  const auto* inner = as<UnaryOperation>(it.operand);
  const auto* constant = as<Constant>(it.operand);
  const bool repeated = (inner != nullptr && inner->op == it.op) ||
                        (constant != nullptr && is_negative(constant->value));
  expression(it.operand, repeated ? Precedence::Power : Precedence::Unary);
}

void Writer::write(const Yield& it) {
  put(it.from ? "yield from" : "yield");
  if (it.value == nullptr) return;
  put(" ");
  expression(it.value, it.from ? Precedence::Test : Precedence::Tuple);
}

void Writer::generators(List<const Generator*> generators) {
  for (const Generator* generator : generators) {
    put(" ");
    delimiter(Delimiter::Comprehension);
    write(*generator);
  }
}

void Writer::write(const Generator& it) {
  put(it.is_async ? "async for " : "for ");
  loop_target(*it.target);
  put(" in ");
  expression(it.iterable, Precedence::Or);
  for (const Expr* condition : it.conditions) {
    put(" ");
    delimiter(Delimiter::Comprehension);
    put("if ");
    expression(condition, Precedence::Or);
  }
}

// The commas of a comprehension's target are no places to break at.
void Writer::loop_target(const Expr& target) {
  const auto* tuple = as<TupleDisplay>(&target);
  if (tuple == nullptr || tuple->elements.size() < 2) return expression(&target, Precedence::Tuple);
  for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
    if (i > 0) put(", ");
    expression(tuple->elements[i], Precedence::Test);
  }
}

void Writer::write(const Keyword& it) {
  if (it.name.empty()) {
    put("**");
    return expression(it.value, Precedence::BitOr);
  }
  put(it.name);
  put("=");
  expression(it.value, Precedence::Test);
}

void Writer::parameters(List<const Parameter*> parameters, bool breakable) {
  bool first = true;
  const auto separate = [&] {
    if (!first && breakable) comma();
    if (!first && !breakable) put(", ");
    first = false;
  };
  bool starred = false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = *parameters[i];
    if (parameter.form == ParameterKind::KeywordOnly && !starred) {
      separate();
      put("*");
      starred = true;
    }
    starred = starred || parameter.form == ParameterKind::VariadicPositional;
    separate();
    write(parameter);
    const bool last_positional_only =
        parameter.form == ParameterKind::PositionalOnly &&
        (i + 1 == parameters.size() || parameters[i + 1]->form != ParameterKind::PositionalOnly);
    if (last_positional_only) {
      separate();
      put("/");
    }
  }
}

void Writer::write(const Parameter& it) {
  if (it.form == ParameterKind::VariadicPositional) put("*");
  if (it.form == ParameterKind::VariadicKeyword) put("**");
  put(it.name);
  if (it.annotation != nullptr) {
    put(": ");
    expression(it.annotation, Precedence::Test);
  }
  if (it.default_value != nullptr) {
    put(it.annotation != nullptr ? " = " : "=");
    expression(it.default_value, Precedence::Test);
  }
}

}  // namespace tangent
