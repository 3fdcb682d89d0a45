// The questions that decide whether a variant fits a call: types of arguments, and what the names
// that the function reads stand for.
//
// In: the arguments and the outside that a variant was made for. Out: yes or no, in a few
// nanoseconds each. A name that stands for another value of the same type is put into the
// variant's namespace, so that the variant follows the live global.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "pipeline.h"
#include "python/outside.h"
#include "python/structure.h"
#include "python/values.h"

namespace tangent::runtime {

// What one argument has to be.
class ArgumentGuard {
 public:
  // `type` is that of `value`; its lists outlive the guard.
  ArgumentGuard(PyObject* value, const Type& type, const Structure& structure, bool ones);

  [[nodiscard]] bool accepts(PyObject* value, const python::NumpyTypes& numpy) const {
    if (structure_ != nullptr)
      return structure_->accepts(value) && (!has_fields_ || python::has_type(value, type_, ones_));
    if (signature_ == python::kNoSignature) return python::has_type(value, type_, ones_);
    if (python::signature_of(value, numpy) != signature_) return false;
    return !ones_ || mask_of_ones(value) == mask_;
  }

  // Whether it is accepted by a look at its head alone; false: not known.
  [[nodiscard]] bool accepts_at_once(PyObject* value, const python::NumpyTypes& numpy) const {
    if (structure_ != nullptr) return false;
    return signature_ != python::kNoSignature &&
           python::signature_at_once(value, numpy) == signature_ &&
           (!ones_ || mask_of_ones(value) == mask_);
  }

 private:
  static std::uint64_t mask_of_ones(PyObject* array);

  python::Signature signature_;
  bool ones_;
  std::uint64_t mask_ = 0;
  Type type_;
  bool has_fields_ = false;  // the type says what records in a list or tuple hold
  std::unique_ptr<python::StructureGuard> structure_;  // of what is made of parts
};

// What the names have to stand for.
class NameGuard {
 public:
  // Watches every name that `outside` was asked for. `printed` names of `names` (a dict, or null)
  // are kept up to date.
  NameGuard(const python::LiveOutside& outside, const std::vector<GlobalBinding>& printed,
            nanobind::handle names);

  // Whether all names stand for what they stood for, or for values of the same types.
  // May run Python code.
  bool holds() { return is_unchanged() || (has_same_code() && check_all()); }
  // Whether nothing that the names stand for can have changed since they were last looked up.
  [[nodiscard]] bool is_unchanged() const {
    for (const Dictionary& dictionary : dictionaries_) {
      if (version_of(dictionary.object) != dictionary.version) return false;
    }
    for (const Cell& cell : cells_) {
      if (PyCell_GET(cell.object) != watched_[cell.watched].expected.ptr()) return false;
    }
    return !always_checked_ && has_same_code();
  }

  // What the names stood for when they were last looked up.
  [[nodiscard]] std::vector<PyObject*> values() const;

  int traverse(visitproc visit, void* arg) const;

 private:
  struct Watched {
    nanobind::object owner;  // a function for free names, else what has the attribute
    nanobind::object name;   // interned str
    bool attribute = false;
    bool member = false;        // what the class `owner` itself holds
    nanobind::object expected;  // invalid: there was none
    bool any_value = false;     // another value of this type does as well
    bool typed = false;
    Type type;
    std::vector<nanobind::object> printed;
  };
  struct Dictionary {
    PyObject* object;  // held by a function or module that is watched
    std::uint64_t version;
  };
  struct Cell {
    PyObject* object;
    std::size_t watched;
  };
  struct Function {
    nanobind::object object;
    nanobind::object code;  // that was read
  };

  // Whether every function whose source was read still runs the code that was read: an editor that
  // brings a function up to date puts new code into the old object.
  [[nodiscard]] bool has_same_code() const {
    for (const Function& function : functions_) {
      if (PyFunction_GET_CODE(function.object.ptr()) != function.code.ptr()) return false;
    }
    return true;
  }
  static std::uint64_t version_of(PyObject* dictionary);
  static bool is_mutable(const Watched& watched);
  static nanobind::object now_of(const Watched& watched);
  bool check_all();
  void add_place(const Watched& watched, std::size_t index);
  void add_dictionary(PyObject* dictionary);

  Arena arena_;  // of the types
  std::vector<Watched> watched_;
  std::vector<Dictionary> dictionaries_;
  std::vector<Cell> cells_;
  std::vector<Function> functions_;
  // Some answer can change without a trace: an attribute of an object, the length of a list.
  bool always_checked_ = false;
  nanobind::object names_;
};

}  // namespace tangent::runtime
