// Fields of arguments: `params['R']`, `model.rate`, `pair[0]` as variables of their own.
//
// In: a core program and what its arguments are made of. Out: the same program over more
// parameters: one for each part that is a number, an array or another plain value, spelled as the
// user reaches it. So a dict of parameters is differentiated as the numbers in it are, and its
// entries have types.
//
// A name like `params['R']` is a variable to every later stage, and prints as the expression that
// it is. Preconditions that are checked: the parameter is never bound anew, and no part of it is.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lower/lower.h"
#include "types/type.h"

namespace tangent {

// One step into an argument: params['R'], pair[0], model.rate.
struct FieldStep {
  enum class Form : std::uint8_t { Key, Index, Attribute };
  Form form = Form::Key;
  std::string text;        // Key, Attribute
  std::int64_t index = 0;  // Index; of a dict with integer keys, too
  bool operator==(const FieldStep&) const = default;
};

// What an argument is made of, as far as constants reach it.
struct StructurePart;
struct Structure {
  // Items: a list that goes by one element type, TupleItems: a tuple that does.
  enum class Form : std::uint8_t { Leaf, Dict, List, Tuple, Object, Items, TupleItems };
  Form form = Form::Leaf;
  Type type;  // of a leaf, or of items: a uniform list
  std::vector<StructurePart> parts;
  std::vector<std::string> absent;  // attributes that an object does not have
  bool is_same = false;             // of a leaf: it is this very function, class or module
  [[nodiscard]] bool is_items() const { return form == Form::Items || form == Form::TupleItems; }
  // Whether no part of it is a variable of its own.
  [[nodiscard]] bool is_leaf() const { return form == Form::Leaf || is_items(); }
};
struct StructurePart {
  FieldStep step;
  Structure structure;
};

// What a function reads of its parameters: of objects only these attributes count, a list that is
// used as a whole goes by one element type.
struct ReadField {
  std::size_t parameter;
  std::vector<FieldStep> steps;
  bool is_whole = false;   // no constant step follows, nor is it unpacked into names
  bool is_object = false;  // the class of what is there counts, too
  bool is_absent = false;  // it counts that there is nothing there
  bool is_same = false;    // it counts which function, class or module it is
};
std::vector<ReadField> read_fields(const CoreFunction& core);

// A leaf of an argument as a variable; of an entry that is not there no parameter is told.
constexpr std::size_t kNoParameter = static_cast<std::size_t>(-1);
struct NamedField {
  std::size_t parameter;
  Symbol name;  // "params['R']"
  Type type;
  bool is_tuple = false;  // of items: the argument holds a tuple
};

// A step as the user writes it: "['R']", "[0]", ".rate".
std::string spelled(const FieldStep& step);

// The program with loops over dicts in arguments, and their methods, by constant keys.
CoreFunction spell_out_argument_dicts(const CoreFunction& core,
                                      const std::vector<Structure>& structures,
                                      const std::function<bool(Symbol)>& is_wanted,
                                      Context& context);

// The program over named fields; its parameters are those of `core` and the fields behind them.
CoreFunction name_fields(const CoreFunction& core, const std::vector<Structure>& structures,
                         std::vector<NamedField>& fields, Context& context);

// A field that a finished body binds anew gets a name of the body's own, so that the caller's
// container keeps what it holds.
Block bind_fields(Block body, const std::vector<NamedField>& fields,
                  const std::function<Symbol(std::string_view)>& fresh, Context& context);

}  // namespace tangent
