// The printer's inside: one writer, an overload per kind of node.
//
// In: nodes. Out: text and source map. A logical line is written flat into `line_` together with
// the marks at which it could be broken; end_line() hands it on, broken if it is too long.
// Expressions are in write_expressions.cpp, statements in write_statements.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/line_breaker.h"
#include "syntax/nodes.h"
#include "syntax/precedence.h"
#include "syntax/printer.h"

namespace tangent {

class Writer {
 public:
  explicit Writer(const PrintOptions& options) : options_(options), level_(options.indent) {}

  void block(Block statements);
  // Any one node, on an unlimited line: no statement's header is ever broken.
  void node(const Node& node);

  PrintedText take_text() { return {std::move(text_), std::move(lines_), std::move(places_)}; }
  std::string take_line() { return std::move(line_); }

  void expression(const Expr* expression, Precedence loosest);

 private:
  // Text and marks of the line (writer.cpp).
  void put(std::string_view text) { line_ += text; }
  void put(Symbol symbol) { line_ += symbol.text(); }
  void open(char bracket);
  void close(char bracket);
  void open_optional();
  void close_optional();
  void delimiter(Delimiter kind);
  void comma();
  void note_place(const Expr& expression);
  void forget_place();
  void end_line(Ranges ranges);
  void blank_line(Ranges ranges);

  // Expressions.
  void bare(const Expr* expression);  // where `a := b` and `*a` need no parentheses
  void optional(const Expr* expression, Precedence loosest);  // parentheses if the line is broken
  void condition(const Expr* test);
  void elements(Exprs items);
  void arguments(Exprs positional, List<const Keyword*> keywords);
  void index(const Expr& index);
  void parameters(List<const Parameter*> parameters, bool breakable);
  void chain(const BinaryOperation& top);
  void generators(List<const Generator*> generators);
  void loop_target(const Expr& target);
  std::string detached(const Expr& expression);  // text without marks
  void replacement_field(std::string& out, const FormattedValue& field);
  void specification(std::string& out, const FormattedString& specification);

  // Statements.
  void statement(const Stmt& statement);
  void suite(Block body, Ranges ranges);
  void header_end(Ranges ranges);
  void arm(std::string_view keyword, Block body, Ranges ranges);
  void decorators(Exprs decorators, Ranges ranges);
  void documentation(std::string_view text, Ranges ranges);
  void names(Names names);

  void pattern(const Pattern* pattern, bool closed);
  void patterns(List<const Pattern*> patterns);

#define TANGENT_WRITE(kind) void write(const kind& it);
#define TANGENT_EXPRESSION(kind) TANGENT_WRITE(kind)
#define TANGENT_STATEMENT(kind) TANGENT_WRITE(kind)
#define TANGENT_PART(kind) TANGENT_WRITE(kind)
#include "syntax/nodes.def"
#undef TANGENT_WRITE

  const PrintOptions& options_;
  int level_;
  std::string line_;
  std::vector<LineMark> marks_;
  std::string text_;
  std::vector<Ranges> lines_;
  std::vector<SourceRange> places_;
  SourceRange place_;  // of the open line: an operation or a call, else a name
  bool place_is_final_ = false;
};

}  // namespace tangent
