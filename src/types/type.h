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
  Dict,     // uniform: of one type of values, elements[0], by keys of elements[1]; else not known
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

// Bool, Integer, floating, complex, other, as 0 to 4: dtypes of one class widen into each other,
// dtypes of two classes differ in more than precision.
int class_of(DType dtype);

// Whose arrays a program computes with. NumPy's where nothing says otherwise.
enum class Library : std::uint8_t { NumPy, Jax, Torch, Tinygrad };

// A length of an axis. One is exactly 1; a symbol is known not to be 1 (it may be 0) and equal ids
// mean equal lengths. Whether a parameter's axis is 1 is answered by its variant's guard.
//
// Ids: 0 unknown, 1 one, from 2 the symbols of parameters, from 2^30 those of other values, and
// lengths that are derived: a literal length, a length less a constant (`x[1:]`; it may be 1), the
// lesser of a length and a constant (`x[:3]`). Derived ids compare like all others, so
// `x[1:] - x[:-1]` has one shape.
struct Dim {
  std::uint32_t id = 0;
  static constexpr Dim unknown() { return {0}; }
  static constexpr Dim one() { return {1}; }
  // Exactly this length.
  static constexpr Dim length(std::int64_t value) {
    if (value == 1) return one();
    if (value < 0 || value >= kLiteral) return unknown();
    return {kLiteral | static_cast<std::uint32_t>(value)};
  }

  // May be any length, 1 included: a broadcast over it can only be settled at run time, unless the
  // two dims are equal (==) and comparable, which has to be asked first.
  [[nodiscard]] constexpr bool is_unknown() const { return id == 0 || form() == kLess; }
  [[nodiscard]] constexpr bool is_one() const { return id == 1; }
  [[nodiscard]] constexpr bool is_symbol() const { return !is_unknown() && !is_one(); }
  // Whether an equal id says that the lengths are equal (all but the id 0).
  [[nodiscard]] constexpr bool is_comparable() const { return id != 0; }
  // Proven to be the same length. To be asked before is_unknown.
  [[nodiscard]] constexpr bool is_same(Dim other) const { return id != 0 && id == other.id; }
  [[nodiscard]] constexpr bool is_literal() const { return form() == kLiteral || is_one(); }
  [[nodiscard]] constexpr std::int64_t literal() const {
    return is_one() ? 1 : id & (kLiteral - 1);
  }

  // max(length - count, 0) and min(length, count), for a count that is not negative.
  [[nodiscard]] constexpr Dim less(std::int64_t count) const {
    if (count < 0 || count >= kLiteral || id == 0) return unknown();
    if (count == 0) return *this;
    if (is_literal()) return length(literal() > count ? literal() - count : 0);
    if (form() == kLess) return derived(kLess, base(), count + constant());
    return form() == kParameter ? derived(kLess, id, count) : unknown();
  }
  [[nodiscard]] constexpr Dim at_most(std::int64_t count) const {
    if (count < 0) return unknown();
    if (count == 0) return length(0);
    if (id == 0) return unknown();
    if (is_literal()) return length(literal() < count ? literal() : count);
    if (count == 1) return unknown();
    if (form() == kLesser) return derived(kLesser, base(), constant() < count ? constant() : count);
    return form() == kParameter ? derived(kLesser, id, count) : unknown();
  }

  bool operator==(const Dim&) const = default;

  // The parts of an id.
  static constexpr std::uint32_t kParameter = 0U;
  static constexpr std::uint32_t kLiteral = 1U << 29U;
  static constexpr std::uint32_t kOther = 1U << 30U;
  static constexpr std::uint32_t kLess = 2U << 30U;
  static constexpr std::uint32_t kLesser = 3U << 30U;
  [[nodiscard]] constexpr std::uint32_t form() const {
    const std::uint32_t high = id & (3U << 30U);
    return high != 0 ? high : id & kLiteral;
  }
  [[nodiscard]] constexpr std::uint32_t base() const { return (id & kPayload) >> 12U; }
  [[nodiscard]] constexpr std::int64_t constant() const { return id & 0xfffU; }

 private:
  static constexpr std::uint32_t kPayload = (1U << 30U) - 1;
  static constexpr Dim derived(std::uint32_t form, std::uint32_t base, std::int64_t count) {
    if (base >= (1U << 18U) || count > 0xfff) return unknown();
    return {form | (base << 12U) | static_cast<std::uint32_t>(count)};
  }
};

struct Field;

struct Type {
  TypeKind kind = TypeKind::Bottom;
  DType dtype = DType::Float64;  // Number, Array, Numeric
  // Array; -1: 1 or more, not known; 0: what np.array(0.5) makes. A Numeric of rank 1 or more is a
  // number or an array of these dims, one of rank -1 a number or any array, 0-d ones included.
  std::int8_t rank = -1;
  bool uniform = false;  // List: one element type, length unknown
  // Joined from several kinds of numbers. A Number has the widest dtype and may hold a narrower
  // one; an Array or Numeric has dtype Other, and this says that it is real all the same.
  bool mixed = false;
  // Number: surely Python's own int, float, bool or complex, which leaves the dtype of an array
  // that it meets alone. Every np.float64 may stand where this is not set.
  bool weak = false;
  // Array: what it is, as the live value says. Results of operations do not say it: a program
  // computes with arrays of one library (`CoreFunction::library`).
  Library library = Library::NumPy;
  // Array or Numeric of known rank. An Integer Number may have one: its value is this length
  // (unless it is negative): what `len(x)`, `x.shape[0]` and small literals give.
  List<Dim> dims = {};
  List<Type> elements = {};  // Tuple, List, Iterator, Dict
  // Opaque, Dict: what is known of attributes or of entries by texts, of an item of a list or tuple
  // that is no variable of the program.
  List<Field> fields = {};

  static Type number(DType dtype) { return {.kind = TypeKind::Number, .dtype = dtype, .rank = 0}; }
  static Type array(DType dtype) { return {.kind = TypeKind::Array, .dtype = dtype}; }
  static Type array(DType dtype, List<Dim> dims) {
    return {.kind = TypeKind::Array,
            .dtype = dtype,
            .rank = static_cast<std::int8_t>(dims.size()),
            .dims = dims};
  }
  static Type python_number(DType dtype) {
    return {.kind = TypeKind::Number, .dtype = dtype, .rank = 0, .weak = true};
  }
  static Type dtype_value(DType dtype) {
    return {.kind = TypeKind::Dtype, .dtype = dtype, .rank = 0};
  }
  static Type numeric(DType dtype) { return {.kind = TypeKind::Numeric, .dtype = dtype}; }
  static Type of(TypeKind kind) { return {.kind = kind}; }
  static Type unknown() { return of(TypeKind::Unknown); }

  [[nodiscard]] bool is_number() const { return kind == TypeKind::Number; }
  [[nodiscard]] bool is_array() const { return kind == TypeKind::Array; }
  // A dict whose values have one type.
  [[nodiscard]] bool is_map() const {
    return kind == TypeKind::Dict && uniform && elements.size() == 2;
  }
  // A number, or an array without axes.
  [[nodiscard]] bool is_scalar() const { return is_number() || (is_array() && rank == 0); }
  [[nodiscard]] bool is_numeric() const {
    return kind == TypeKind::Number || kind == TypeKind::Array || kind == TypeKind::Numeric;
  }
  // May hold real numbers that a derivative flows through.
  [[nodiscard]] bool may_be_active() const;
};

struct Field {
  std::string_view name;
  Type type;
};

bool operator==(const Type& a, const Type& b);
// Whether it, or a type of elements in it, says what fields there are.
bool holds_fields(const Type& type);
// The type of a field that is known, or null.
const Type* field_of(const Type& type, std::string_view name);

// The least type above both. Numbers join to the wider one; a Number with an Array gives Numeric; a
// rank or a dim that differs becomes unknown. `arena` holds the lists of the result.
Type join(const Type& a, const Type& b, Arena& arena);

// "f64[n2, 1]", "float", "int", "tuple[float, int]", "numeric", "Any"; a length that is not known
// is
// `_`, a rank `...`: the annotations of printed stages, which CPython can read, and messages.
std::string to_text(const Type& type);

}  // namespace tangent
