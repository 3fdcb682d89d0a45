// The lattice of types: what inference knows of a value.
//
// A `Type` is a small value; its lists live in the variant's arena. Bottom is "no value yet",
// Unknown is the top. Numbers: a Python int, float, np.float64 or 0-d result is a Number with a
// dtype. Arrays have a dtype, a rank (-1: not known) and, where the rank is known, one Dim per
// axis. Numeric is "a number or an array, not known which": what the parameters of the general form
// are.
#pragma once

#include <cstdint>
#include <string>

#include "base/arena.h"
#include "base/symbols.h"

namespace tangent {

enum class TypeKind : std::uint8_t {
  Bottom,
  None,
  Number,
  Array,
  Numeric,  // Number or Array
  String,   // str or bytes
  Tuple,    // by position: elements
  List,     // by position if elements are known, else one element type (elements[0], uniform)
  Dict,     // not yet looked into
  Slice,
  Dtype,  // np.float64, float as an argument, x.dtype
  Module,
  Function,  // callable known by name
  Iterator,  // range, zip, enumerate, reversed, …: elements[0] is the type of an item
  Opaque,    // a value that is none of the above: passes through, never active
  Unknown,
};

// Ordered so that the wider of two is the greater one.
enum class DType : std::uint8_t {
  Bool,
  Integer,
  Float16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  Other,
};
constexpr bool is_floating(DType dtype) {
  return dtype >= DType::Float16 && dtype <= DType::Float64;
}

// A length of an axis. One is exactly 1; a symbol is known not to be 1 and equal ids mean equal
// lengths; Unknown may be anything. Whether a parameter's axis is 1 is answered by its variant's
// guard.
struct Dim {
  std::uint32_t id = 0;  // 0 unknown, 1 one, from 2 on symbols
  static constexpr Dim unknown() { return {0}; }
  static constexpr Dim one() { return {1}; }
  [[nodiscard]] constexpr bool is_unknown() const { return id == 0; }
  [[nodiscard]] constexpr bool is_one() const { return id == 1; }
  bool operator==(const Dim&) const = default;
};

struct Type {
  TypeKind kind = TypeKind::Bottom;
  DType dtype = DType::Float64;  // Number, Array, Numeric
  std::int8_t rank = -1;         // Array
  bool uniform = false;          // List: one element type, length unknown
  List<Dim> dims = {};           // Array of known rank
  List<Type> elements = {};      // Tuple, List, Iterator

  static Type number(DType dtype) { return {.kind = TypeKind::Number, .dtype = dtype, .rank = 0}; }
  static Type array(DType dtype) { return {.kind = TypeKind::Array, .dtype = dtype}; }
  static Type array(DType dtype, List<Dim> dims) {
    return {.kind = TypeKind::Array,
            .dtype = dtype,
            .rank = static_cast<std::int8_t>(dims.size()),
            .dims = dims};
  }
  static Type numeric(DType dtype) { return {.kind = TypeKind::Numeric, .dtype = dtype}; }
  static Type of(TypeKind kind) { return {.kind = kind}; }
  static Type unknown() { return of(TypeKind::Unknown); }

  [[nodiscard]] bool is_number() const { return kind == TypeKind::Number; }
  [[nodiscard]] bool is_array() const { return kind == TypeKind::Array; }
  // May hold real numbers that a derivative flows through.
  [[nodiscard]] bool may_be_active() const;
};

bool operator==(const Type& a, const Type& b);

// The least type above both. Numbers join to the wider one; a Number with an Array gives Numeric; a
// rank or a dim that differs becomes unknown. `arena` holds the lists of the result.
Type join(const Type& a, const Type& b, Arena& arena);

// "f64[n2, 1]", "float", "int", "tuple[float, int]": the annotations of printed stages, and
// messages.
std::string to_text(const Type& type);

}  // namespace tangent
