// A parser of the Python subset that rule files and small test programs are written in, so that the
// core can be tested without CPython.
//
// In: the text of a record or function. Out: its statements. What is not in the subset throws.
#pragma once

#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/build.h"

namespace tangent::testing {

class RuleParser {
 public:
  RuleParser(std::string_view text, Context& context) : context_(context) { tokenize(text); }

  Block statements() {
    std::vector<const Stmt*> result;
    while (at_ < tokens_.size()) result.push_back(statement());
    return context_.list(result);
  }

 private:
  struct Token {
    enum Kind { Name, Number, String, Operator, Line } kind;
    std::string text;
    int indent = 0;  // Line: of the line that follows
  };

  void tokenize(std::string_view text) {
    int depth = 0;
    bool fresh = true;  // at the start of a line
    for (std::size_t i = 0; i < text.size();) {
      if (fresh && depth == 0) {
        std::size_t end = i;
        while (end < text.size() && text[end] == ' ') ++end;
        const int indent = static_cast<int>(end - i);
        i = end;
        if (i < text.size() && text[i] != '\n' && text[i] != '#') {
          tokens_.push_back({Token::Line, "", indent});
        }
        fresh = false;
        continue;
      }
      const char c = text[i];
      if (c == '\n') {
        fresh = depth == 0;
        ++i;
      } else if (c == ' ') {
        ++i;
      } else if (c == '#') {
        while (i < text.size() && text[i] != '\n') ++i;
      } else if (c == '"') {
        const std::size_t end = text.find('"', i + 1);
        tokens_.push_back({Token::String, std::string(text.substr(i + 1, end - i - 1))});
        i = end + 1;
      } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
        std::size_t end = i;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
          ++end;
        }
        tokens_.push_back({Token::Name, std::string(text.substr(i, end - i))});
        i = end;
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        std::size_t end = i;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.' ||
                (text[end] == '-' && text[end - 1] == 'e'))) {
          ++end;
        }
        tokens_.push_back({Token::Number, std::string(text.substr(i, end - i))});
        i = end;
      } else {
        std::size_t size = 1;
        for (const std::string_view two :
             {"**", "//", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/="}) {
          if (text.substr(i, 2) == two) size = 2;
        }
        if (text.substr(i, 3) == "...") size = 3;
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        tokens_.push_back({Token::Operator, std::string(text.substr(i, size))});
        i += size;
      }
    }
  }

  bool is(std::string_view text, std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].text == text &&
           tokens_[at_ + ahead].kind != Token::String;
  }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) {
      throw std::runtime_error("expected " + std::string(text) + " before " +
                               (at_ < tokens_.size() ? tokens_[at_].text : "the end"));
    }
  }
  Symbol name() {
    if (at_ >= tokens_.size() || tokens_[at_].kind != Token::Name) {
      throw std::runtime_error("expected a name");
    }
    return context_.symbol(tokens_[at_++].text);
  }

  static constexpr std::pair<std::string_view, BinaryOperator> kUpdates[] = {
      {"+=", BinaryOperator::Add},
      {"-=", BinaryOperator::Subtract},
      {"*=", BinaryOperator::Multiply},
      {"/=", BinaryOperator::Divide},
  };

  // A statement; the Line token before it is taken here.
  const Stmt* statement() {
    const int indent = tokens_[at_].indent;
    if (tokens_[at_].kind == Token::Line) ++at_;
    if (is("@") || is("def")) return definition();
    if (take("if")) return branch(indent);
    if (take("pass")) return context_.make<Pass>({});
    if (take("break")) return context_.make<Break>({});
    if (take("continue")) return context_.make<Continue>({});
    if (take("return")) return context_.make<Return>({}, expression());
    if (take("while")) {
      const Expr* test = expression();
      return context_.make<While>({}, test, block(indent), Block());
    }
    if (take("for")) {
      const Expr* target = atom();
      expect("in");
      const Expr* iterable = expression();
      return context_.make<For>({}, target, iterable, block(indent), Block(), false);
    }
    const Expr* value = expression();
    for (const auto& [text, op] : kUpdates) {
      if (take(text)) return context_.make<AugmentedAssign>({}, value, op, expression());
    }
    if (!take("=")) return context_.make<ExpressionStatement>({}, value);
    return context_.assign(value, expression());
  }

  const Stmt* branch(int indent) {
    const Expr* test = expression();
    const Block body = block(indent);
    if (at_ + 1 < tokens_.size() && tokens_[at_].kind == Token::Line &&
        tokens_[at_].indent == indent) {
      if (is("elif", 1)) {
        at_ += 2;
        return context_.make<If>({}, test, body, context_.list<const Stmt*>({branch(indent)}));
      }
      if (is("else", 1)) {
        at_ += 2;
        return context_.make<If>({}, test, body, block(indent));
      }
    }
    return context_.make<If>({}, test, body, Block());
  }

  Block block(int indent) {
    expect(":");
    std::vector<const Stmt*> body;
    if (tokens_[at_].kind != Token::Line) return context_.list<const Stmt*>({statement()});
    while (at_ < tokens_.size() && tokens_[at_].kind == Token::Line &&
           tokens_[at_].indent > indent) {
      body.push_back(statement());
    }
    return context_.list(body);
  }

  const Stmt* definition() {
    std::vector<const Expr*> decorators;
    while (take("@")) {
      decorators.push_back(expression());
      ++at_;  // the line
    }
    expect("def");
    const Symbol own = name();
    std::vector<const Parameter*> parameters;
    ParameterKind form = ParameterKind::Positional;
    expect("(");
    while (!take(")")) {
      if (is("**") || (is("*") && !is(",", 1))) {
        const ParameterKind any =
            take("**") ? ParameterKind::VariadicKeyword : ParameterKind::VariadicPositional;
        if (any == ParameterKind::VariadicPositional) expect("*");
        parameters.push_back(context_.make<Parameter>(
            {}, name(), any, static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr)));
      } else if (take("*")) {
        form = ParameterKind::KeywordOnly;
      } else {
        const Symbol parameter = name();
        const Expr* standard = take("=") ? expression() : nullptr;
        parameters.push_back(context_.make<Parameter>({}, parameter, form,
                                                      static_cast<const Expr*>(nullptr), standard));
      }
      take(",");
    }
    const Block body = block(0);
    return context_.make<FunctionDefinition>({}, own, context_.list(parameters), body,
                                             context_.list(decorators),
                                             static_cast<const Expr*>(nullptr), false);
  }

  // Expressions, by precedence.

  const Expr* expression() {
    const Expr* left = conjunction();
    if (!is("or")) return left;
    std::vector<const Expr*> values{left};
    while (take("or")) values.push_back(conjunction());
    return context_.make<BooleanOperation>({}, BooleanOperator::Or, context_.list(values));
  }

  const Expr* conjunction() {
    const Expr* left = negation();
    if (!is("and")) return left;
    std::vector<const Expr*> values{left};
    while (take("and")) values.push_back(negation());
    return context_.make<BooleanOperation>({}, BooleanOperator::And, context_.list(values));
  }

  const Expr* negation() {
    if (take("not")) return context_.make<UnaryOperation>({}, UnaryOperator::Not, negation());
    const Expr* left = binary(0);
    ComparisonOperator op{};
    if (take("==")) {
      op = ComparisonOperator::Equal;
    } else if (take("!=")) {
      op = ComparisonOperator::NotEqual;
    } else if (take("<=")) {
      op = ComparisonOperator::LessEqual;
    } else if (take(">=")) {
      op = ComparisonOperator::GreaterEqual;
    } else if (take("<")) {
      op = ComparisonOperator::Less;
    } else if (take(">")) {
      op = ComparisonOperator::Greater;
    } else if (take("is")) {
      op = take("not") ? ComparisonOperator::IsNot : ComparisonOperator::Is;
    } else {
      return left;
    }
    return context_.make<Comparison>({}, left, context_.list<ComparisonOperator>({op}),
                                     context_.list<const Expr*>({binary(0)}));
  }

  const Expr* binary(int level) {
    struct Level {
      std::string_view text;
      BinaryOperator op;
      int level;
    };
    static constexpr Level kLevels[] = {
        {"|", BinaryOperator::BitOr, 0},        {"&", BinaryOperator::BitAnd, 1},
        {"+", BinaryOperator::Add, 2},          {"-", BinaryOperator::Subtract, 2},
        {"*", BinaryOperator::Multiply, 3},     {"/", BinaryOperator::Divide, 3},
        {"//", BinaryOperator::FloorDivide, 3}, {"@", BinaryOperator::MatrixMultiply, 3},
        {"%", BinaryOperator::Modulo, 3},
    };
    if (level == 4) return unary();
    const Expr* left = binary(level + 1);
    for (bool found = true; found;) {
      found = false;
      for (const Level& it : kLevels) {
        if (it.level == level && take(it.text)) {
          left = context_.make<BinaryOperation>({}, it.op, left, binary(level + 1));
          found = true;
          break;
        }
      }
    }
    return left;
  }

  const Expr* unary() {
    if (take("-")) return context_.make<UnaryOperation>({}, UnaryOperator::Minus, unary());
    const Expr* base = trailer();
    if (!take("**")) return base;
    return context_.make<BinaryOperation>({}, BinaryOperator::Power, base, unary());
  }

  const Expr* trailer() {
    const Expr* value = atom();
    for (;;) {
      if (take(".")) {
        value = context_.make<Attribute>({}, value, name());
      } else if (take("[")) {
        const Expr* index = is(":") ? slice(nullptr) : expression();
        if (is(":")) index = slice(index);
        if (take(",")) {
          std::vector<const Expr*> parts{index};
          while (!is("]")) {
            parts.push_back(is(":") ? slice(nullptr) : expression());
            take(",");
          }
          index = context_.make<TupleDisplay>({}, context_.list(parts));
        }
        expect("]");
        value = context_.make<Subscript>({}, value, index);
      } else if (take("(")) {
        value = call(value);
      } else {
        return value;
      }
    }
  }

  const Expr* slice(const Expr* lower) {
    const Expr* none = nullptr;
    expect(":");
    const Expr* upper = is(":") || is("]") || is(",") ? none : expression();
    const Expr* step = take(":") && !is("]") ? expression() : none;
    return context_.make<Slice>({}, lower, upper, step);
  }

  const Expr* call(const Expr* function) {
    std::vector<const Expr*> arguments;
    std::vector<const Keyword*> keywords;
    while (!take(")")) {
      if (tokens_[at_].kind == Token::Name && is("=", 1)) {
        const Symbol keyword = name();
        ++at_;
        keywords.push_back(context_.make<Keyword>({}, keyword, expression()));
      } else if (take("*")) {
        arguments.push_back(context_.make<Starred>({}, expression()));
      } else {
        arguments.push_back(expression());
      }
      take(",");
    }
    return context_.make<Call>({}, function, Symbol(), context_.list(arguments),
                               context_.list(keywords));
  }

  const Expr* atom() {
    const Token token = tokens_.at(at_++);
    if (token.kind == Token::Number) {
      return token.text.find_first_of(".e") == std::string::npos
                 ? context_.integer(std::stoll(token.text))
                 : context_.number(std::stod(token.text));
    }
    if (token.kind == Token::String) {
      std::string text = token.text;
      while (at_ < tokens_.size() && tokens_[at_].kind == Token::String)
        text += tokens_[at_++].text;
      return context_.make<Constant>(
          {}, Literal{.kind = LiteralKind::String, .text = context_.arena().copy_text(text)});
    }
    if (token.kind == Token::Name) {
      if (token.text == "None") return context_.none();
      if (token.text == "True") return context_.boolean(true);
      if (token.text == "False") return context_.boolean(false);
      return context_.make<Name>({}, context_.symbol(token.text), Scope::Unresolved);
    }
    if (token.text == "...") {
      return context_.make<Constant>({}, Literal{.kind = LiteralKind::Ellipsis});
    }
    if (token.text == "(" || token.text == "[") {
      const std::string_view close = token.text == "(" ? ")" : "]";
      std::vector<const Expr*> elements;
      bool comma = false;
      while (!take(close)) {
        elements.push_back(expression());
        comma = take(",") || comma;
      }
      if (close == "]") return context_.make<ListDisplay>({}, context_.list(elements));
      if (elements.size() == 1 && !comma) return elements[0];
      return context_.make<TupleDisplay>({}, context_.list(elements));
    }
    throw std::runtime_error("not expected: " + token.text);
  }

  Context& context_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace tangent::testing
