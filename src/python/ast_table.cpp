#include "python/ast_table.h"

#include <memory>

#include "syntax/nodes.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

void add_operators(AstTable& table, nb::handle module) {
  auto add = [&](const char* name, auto value) {
    nb::object type = module.attr(name);
    table.operators.emplace(reinterpret_cast<PyTypeObject*>(type.ptr()),
                            static_cast<std::uint8_t>(value));
  };
  add("Add", BinaryOperator::Add);
  add("Sub", BinaryOperator::Subtract);
  add("Mult", BinaryOperator::Multiply);
  add("Div", BinaryOperator::Divide);
  add("FloorDiv", BinaryOperator::FloorDivide);
  add("Mod", BinaryOperator::Modulo);
  add("Pow", BinaryOperator::Power);
  add("MatMult", BinaryOperator::MatrixMultiply);
  add("BitAnd", BinaryOperator::BitAnd);
  add("BitOr", BinaryOperator::BitOr);
  add("BitXor", BinaryOperator::BitXor);
  add("LShift", BinaryOperator::ShiftLeft);
  add("RShift", BinaryOperator::ShiftRight);
  add("And", BooleanOperator::And);
  add("Or", BooleanOperator::Or);
  add("USub", UnaryOperator::Minus);
  add("UAdd", UnaryOperator::Plus);
  add("Invert", UnaryOperator::Invert);
  add("Not", UnaryOperator::Not);
  add("Eq", ComparisonOperator::Equal);
  add("NotEq", ComparisonOperator::NotEqual);
  add("Lt", ComparisonOperator::Less);
  add("LtE", ComparisonOperator::LessEqual);
  add("Gt", ComparisonOperator::Greater);
  add("GtE", ComparisonOperator::GreaterEqual);
  add("Is", ComparisonOperator::Is);
  add("IsNot", ComparisonOperator::IsNot);
  add("In", ComparisonOperator::In);
  add("NotIn", ComparisonOperator::NotIn);
}

AstTable* make_table() {
  auto table = std::make_unique<AstTable>();
#define TANGENT_AST_FIELD(name)                          \
  table->field.name = PyUnicode_InternFromString(#name); \
  if (table->field.name == nullptr) throw nb::python_error();
#include "python/ast_classes.def"
  nb::module_ module = nb::module_::import_("_ast");
  // The module lives as long as the interpreter and keeps its classes: their addresses stay valid.
#define TANGENT_AST_CLASS(name)                                                                 \
  table->classes.emplace(reinterpret_cast<PyTypeObject*>(nb::object(module.attr(#name)).ptr()), \
                         AstClass::name);
#include "python/ast_classes.def"
  add_operators(*table, module);
  return table.release();
}

}  // namespace

const AstTable& AstTable::get() {
  // Never freed: it holds Python objects, which must not be released after the interpreter ends.
  static const AstTable& table = *make_table();
  return table;
}

}  // namespace tangent::python
