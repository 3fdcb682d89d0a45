// The arguments of a library call as shape functions ask for them: by position, by name, with the
// defaults of the rule. Internal to src/types.
//
// In: a bound call and the types of its parts. Out: expressions, types, and what literals say.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "types/literals.h"
#include "types/promote.h"
#include "types/transfer.h"

namespace tangent {

// Which axes an argument names.
struct Axes {
  enum class Form : std::uint8_t { All, Listed, One, Unclear };  // One: a single axis, not known
  Form form = Form::All;
  std::vector<int> listed = {};  // as written, negative ones count from the end
};

class CallView {
 public:
  // `names` are the parameters of a function without a rule; a rule brings its own.
  CallView(const BoundCall& call, std::span<const std::string_view> names, const TypeLookup& types,
           Arena& arena)
      : arena(arena), call_(call), names_(names), types_(types) {}

  // The argument, else its default, else null.
  [[nodiscard]] const Expr* at(std::size_t position) const;
  [[nodiscard]] const Expr* named(std::string_view name) const;
  [[nodiscard]] std::size_t count() const;  // of parameters
  [[nodiscard]] bool is_given(std::size_t position) const;

  // Bottom for what is null.
  [[nodiscard]] Type type(const Expr* expression) const;
  [[nodiscard]] Type type_at(std::size_t position) const { return type(at(position)); }
  // As NumPy would convert it: Number, Array or Numeric, else Unknown.
  [[nodiscard]] Type array_at(std::size_t position) const {
    return as_array(type_at(position), arena);
  }

  [[nodiscard]] std::optional<bool> truth(std::string_view name, bool missing) const;
  [[nodiscard]] std::optional<std::int64_t> integer(const Expr* expression) const;
  [[nodiscard]] Axes axes(const Expr* expression) const;
  // The dtype that an argument names; `missing` if it is left out or None.
  [[nodiscard]] Promoted dtype(std::string_view name, Promoted missing) const;
  // The lengths that an int or a tuple of ints says; nothing if their number is not known. Negative
  // ones are unknown.
  [[nodiscard]] std::optional<std::vector<Dim>> lengths(const Expr* expression) const;
  [[nodiscard]] Dim length(const Expr* expression) const;

  // "sum" of "numpy.sum".
  [[nodiscard]] std::string_view last_name() const;
  [[nodiscard]] std::string_view callee() const { return call_.callee.text(); }

  // A default of the rule: a node of the rule book, whose id means nothing in the program.
  [[nodiscard]] bool is_default(const Expr* expression) const;

  Arena& arena;

 private:
  const BoundCall& call_;
  std::span<const std::string_view> names_;
  const TypeLookup& types_;
};

// The type of a literal by itself.
Type type_of_literal(const Literal& literal, Arena& arena);
// The dtype that "numpy.float32", "builtins.int" or the text 'float32' stands for.
std::optional<DType> dtype_of_name(std::string_view name);

// Axis counted from the front, or nothing if there is no such axis.
std::optional<std::size_t> normal_axis(std::int64_t axis, std::size_t rank);

// A shape function gives the type of the result of a call; library.h has the table.
using ShapeFunction = Type (*)(const CallView&);

}  // namespace tangent
