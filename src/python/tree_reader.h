// The reader of one tree: what read_tree.h's functions are made of.
//
// In: `ast` objects. Out: nodes. Left-deep chains of binary operations are read in a loop; every
// other nesting is bounded and refused as TooDeep before the stack is at risk.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "python/ast_table.h"
#include "python/read_tree.h"

namespace tangent::python {

class TreeReader {
 public:
  TreeReader(const ParsedText& text, std::string_view private_class, Context& context)
      : text_(text),
        private_class_(private_class),
        context_(context),
        table_(AstTable::get()),
        field_(table_.field) {}

  Block block(nanobind::handle list);
  const Expr* expression(nanobind::handle node);
  const Stmt* statement(nanobind::handle node);
  // The function that a FunctionDef or a Lambda is.
  const FunctionDefinition* function(nanobind::handle node);

 private:
  class Level;  // one level of nesting, for as long as it lives

  // Fields of ast objects.
  static nanobind::object get(nanobind::handle node, PyObject* field);
  static int get_int(nanobind::handle node, PyObject* field);
  Symbol get_symbol(nanobind::handle node, PyObject* field);  // None is the empty symbol
  Symbol symbol_of(nanobind::handle text);
  Symbol mangled(std::string_view text);
  static std::string_view text_of(nanobind::handle text);

  Ranges place(nanobind::handle node);
  Ranges spanning(const Node* first, const Node* last);
  Ranges header(nanobind::handle node, const Node* last);
  template <class F>
  auto each(nanobind::handle list, F&& read);

  // Children.
  const Expr* child(nanobind::handle node, PyObject* field);
  const Expr* optional_child(nanobind::handle node, PyObject* field);
  Exprs children(nanobind::handle node, PyObject* field);
  Block statements(nanobind::handle node, PyObject* field);
  template <class Operator>
  Operator operator_of(nanobind::handle op);

  // Expressions.
  const Expr* expression_of(AstClass kind, nanobind::handle node);
  const Expr* binary(nanobind::handle node);
  const Expr* call(nanobind::handle node);
  const Expr* comparison(nanobind::handle node);
  const Expr* comprehension(ComprehensionKind form, nanobind::handle node);
  const Expr* constant(nanobind::handle node);
  const Expr* formatted_value(nanobind::handle node);
  Literal literal(nanobind::handle value, nanobind::handle node);
  std::string_view number_spelling(nanobind::handle node);
  List<const Keyword*> keywords(nanobind::handle list);
  List<const Parameter*> parameters(nanobind::handle arguments);
  const Parameter* parameter(nanobind::handle argument, ParameterKind form,
                             nanobind::handle default_value);

  // Statements.
  const Stmt* statement_of(AstClass kind, nanobind::handle node);
  const Stmt* class_definition(nanobind::handle node);
  const Stmt* function_definition(nanobind::handle node, bool is_async);
  const Stmt* import(nanobind::handle node, bool from);
  const Stmt* match(nanobind::handle node);
  const Stmt* try_statement(nanobind::handle node, bool is_star);
  const Stmt* with(nanobind::handle node, bool is_async);
  Names names(nanobind::handle list);
  const Pattern* pattern(nanobind::handle node);
  List<const Pattern*> patterns(nanobind::handle node, PyObject* field);

  [[noreturn]] void refuse(nanobind::handle node);

  const ParsedText& text_;
  std::string private_class_;
  Context& context_;
  const AstTable& table_;
  const AstFields& field_;
  int depth_ = 0;
};

// One level of nesting. Deeper than CPython itself nests statements and parentheses, and shallow
// enough for every recursive pass on a thread's stack.
class TreeReader::Level {
 public:
  Level(TreeReader& reader, nanobind::handle node) : reader_(reader) {
    if (++reader_.depth_ > kMaximum) {
      throw Diagnostic(DiagnosticKind::TooDeep,
                       "the code is nested more than " + std::to_string(kMaximum) + " levels deep",
                       reader_.place(node), "split it into several statements or functions");
    }
  }
  ~Level() { --reader_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  static constexpr int kMaximum = 600;
  TreeReader& reader_;
};

template <class F>
auto TreeReader::each(nanobind::handle list, F&& read) {
  using Item = decltype(read(list));
  std::vector<Item> items;
  const Py_ssize_t size = PyList_GET_SIZE(list.ptr());
  items.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) items.push_back(read(PyList_GET_ITEM(list.ptr(), i)));
  return context_.list(items);
}

template <class Operator>
Operator TreeReader::operator_of(nanobind::handle op) {
  auto found = table_.operators.find(Py_TYPE(op.ptr()));
  if (found == table_.operators.end()) throw InternalError("an operator that ast does not name");
  return static_cast<Operator>(found->second);
}

}  // namespace tangent::python
