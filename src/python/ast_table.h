// What the reader needs of CPython's `_ast` module: its classes by address and interned field
// names.
//
// In: nothing. Out: one constant table, made at first use. Classes are looked up by pointer, so
// that reading a node costs one hash of an address.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <unordered_map>

namespace tangent::python {

// The classes of `ast` that stand for expressions, statements and patterns.
enum class AstClass : std::uint8_t {
#define TANGENT_AST_CLASS(name) name,
#include "python/ast_classes.def"
};

// A field name as an interned str per name: table.field.lineno.
struct AstFields {
#define TANGENT_AST_FIELD(name) PyObject* name;
#include "python/ast_classes.def"
};

struct AstTable {
  AstFields field;
  std::unordered_map<const PyTypeObject*, AstClass> classes;
  std::unordered_map<const PyTypeObject*, std::uint8_t> operators;  // value of our enum

  static const AstTable& get();
};

}  // namespace tangent::python
