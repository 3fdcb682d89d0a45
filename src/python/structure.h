// What a live argument is made of: dicts, lists and tuples by their parts, objects by the
// attributes that the function reads.
//
// In: an object, and the fields that the function reads of its parameter. Out: its Structure, and a
// guard that says whether another object is made of the same parts of the same types. No code of
// the user runs: attributes are found in the object's own dictionary and slots, and in its class.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "lower/fields.h"
#include "python/values.h"

namespace tangent::python {

// A plain instance of a Python class, of a namedtuple, or of types.SimpleNamespace.
bool is_plain_object(PyObject* value);

// An attribute that is found without running code: in the object's dictionary, a slot, or a plain
// value of its class. Nothing if there is none.
nanobind::object plain_attribute(PyObject* object, PyObject* name);

// The number of elements of a list, a tuple, or an array along its first axis.
std::optional<std::int64_t> length_of(PyObject* value);

// A leaf for everything that is no dict, list, tuple or object of a Python class.
Structure structure_of(PyObject* value, std::size_t parameter, const std::vector<ReadField>& fields,
                       Arena& arena, std::uint32_t& next_dim);

// The part of a value that a step of its structure leads to (null if it is gone), and the key or
// the name of it, which positions have not.
struct HeldPart {
  nanobind::object value;
  nanobind::object key;
};
HeldPart held_part(PyObject* value, const Structure& structure, const FieldStep& step,
                   Py_ssize_t position);

// Whether an object has a structure, leaf by leaf.
class StructureGuard {
 public:
  StructureGuard(PyObject* value, const Structure& structure);
  [[nodiscard]] bool accepts(PyObject* value) const { return accepts(root_, value); }

 private:
  struct Part {
    Structure::Form form = Structure::Form::Leaf;
    Type type;
    nanobind::object key;                  // how its whole reaches it: a key, an attribute's name
    nanobind::object type_object;          // the class of an object
    nanobind::object same;                 // the leaf itself, where no other will do
    std::int64_t length = -1;              // where it counts
    std::vector<nanobind::object> absent;  // names of attributes that it does not have
    std::vector<Part> parts;
  };
  static Part part_of(PyObject* value, const Structure& structure);
  static bool accepts(const Part& part, PyObject* value);

  Part root_;
};

}  // namespace tangent::python
