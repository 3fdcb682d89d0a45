// One emitted gradient function and the questions under which it is right.
//
// In: the text and names that the pipeline emitted for certain argument types. Out: a Python
// function in a namespace of its own, registered with linecache under a file name of its own, and
// its guard.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline.h"
#include "python/program.h"
#include "runtime/binding.h"
#include "runtime/guard.h"
#include "runtime/memory.h"

namespace tangent::runtime {

// What a variant is made of.
struct VariantParts {
  std::shared_ptr<python::Program> program;  // its outside answered, its files are those of lines
  std::unique_ptr<Context> context;          // holds what the others point to
  std::vector<Type> types;                   // of the values, or of the general form's parameters
  std::vector<Structure> structures;         // of the values; none: the general form
  Emitted emitted;
  const CoreFunction* core = nullptr;  // of the program; null: another process lowered it
  std::vector<ReadField> fields;       // of the parameters whose values have parts
};

// The road for these values. `values`: one per parameter; null: the general form, for parameters of
// which nothing is known but that they are numbers or arrays. Throws Diagnostic and python_error.
VariantParts differentiate_for(std::shared_ptr<python::Program> program, const Binder& binder,
                               const std::vector<PyObject*>* values, const GradientOptions& options,
                               const StageLog& log);

// What arguments are made of, as far as the function reads it. Most are numbers and arrays: the
// fields are asked for only where one is not.
std::vector<Structure> structures_of(const Binder& binder, const std::vector<PyObject*>& values,
                                     const std::function<std::vector<ReadField>()>& read,
                                     Arena& arena);
std::vector<Type> types_of(const std::vector<PyObject*>& values, Arena& arena);

class Variant {
 public:
  // `values` are those that the parts are for; null: the general form. Leaves nothing behind where
  // it throws.
  Variant(VariantParts parts, const Binder& binder, const std::vector<PyObject*>* values,
          const GradientOptions& options);
  ~Variant();
  Variant(const Variant&) = delete;
  Variant& operator=(const Variant&) = delete;

  // Whether it is right for `count` values, the first being that of parameter `first`. May run
  // Python code, which may let go of this variant: the caller holds it.
  [[nodiscard]] bool accepts(PyObject* const* values, std::size_t first, std::size_t count,
                             const python::NumpyTypes& numpy) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!arguments_[first + i].accepts(values[i], numpy)) return false;
    }
    return names_.holds() && is_apart(values, first, count);
  }
  // Whether its names stand for what they stood for; all that the general form asks.
  [[nodiscard]] bool names_hold() { return names_.holds(); }

  // The same where no Python code has to run for the answer; false: not known.
  [[nodiscard]] bool accepts_at_once(PyObject* const* values, std::size_t first, std::size_t count,
                                     const python::NumpyTypes& numpy) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (!arguments_[first + i].accepts_at_once(values[i], numpy)) return false;
    }
    return names_.is_unchanged() && is_apart(values, first, count);
  }

  // Whether tangents, as many as there are, are plain numbers where numbers are differentiated.
  [[nodiscard]] bool takes_tangents(PyObject* const* tangents) const {
    for (std::size_t i = 0; i < emitted_.scalar_tangents.size(); ++i) {
      if (emitted_.scalar_tangents[i] && PyFloat_CheckExact(tangents[i]) == 0) return false;
    }
    return true;
  }

  // What is called with the caller's arguments: the function, bound to the object of a method.
  [[nodiscard]] PyObject* callable() const { return callable_.ptr(); }
  [[nodiscard]] vectorcallfunc vectorcall() const { return vectorcall_; }
  [[nodiscard]] nanobind::handle function() const { return function_; }
  [[nodiscard]] nanobind::handle text() const { return text_; }
  [[nodiscard]] nanobind::handle filename() const { return filename_; }  // of the text
  [[nodiscard]] nanobind::handle seed_name() const { return seed_name_; }
  // A number, or one for each part of a result with parts.
  [[nodiscard]] nanobind::handle default_seed() const { return default_seed_; }
  [[nodiscard]] const Emitted& emitted() const { return emitted_; }
  [[nodiscard]] const std::vector<nanobind::object>& entries() const { return entries_; }
  [[nodiscard]] const python::FileTable& files() const { return program_->files(); }

  // Which two of the values it was made for share memory, if one of them is stored into.
  [[nodiscard]] std::optional<SharedMemory> shared(const std::vector<PyObject*>& values) const;

  // The defaults of the primal, as they are now, are those of the emitted function.
  void refresh_defaults(const Binder& binder);

  [[nodiscard]] const std::shared_ptr<python::Program>& program() const { return program_; }
  int traverse(visitproc visit, void* arg) const;  // without the program, which variants share

 private:
  // Whether what is stored into shares its memory with nothing else that is read.
  [[nodiscard]] bool is_apart(PyObject* const* values, std::size_t first, std::size_t count) const {
    return emitted_.written.empty() ||
           !shared_memory(
               PyMethod_Check(callable_.ptr()) ? PyMethod_GET_SELF(callable_.ptr()) : nullptr,
               values, first, count, emitted_.written, names_.values());
  }
  void make_function(const Binder& binder);
  void fill_namespace(const Binder& binder);

  std::shared_ptr<python::Program> program_;
  std::unique_ptr<Context> context_;  // holds what emitted_ and the guards point to
  Emitted emitted_;
  nanobind::object filename_;
  nanobind::object text_;
  nanobind::object seed_name_;
  nanobind::object default_seed_;
  bool seed_required_ = false;
  nanobind::object names_dict_;
  nanobind::object function_;
  nanobind::object callable_;
  vectorcallfunc vectorcall_ = nullptr;
  std::vector<nanobind::object> entries_;  // names of the functions in the text
  nanobind::object defaults_;              // of the primal, when they were last taken over
  nanobind::object named_defaults_;
  bool has_defaults_ = false;
  std::vector<ArgumentGuard> arguments_;
  NameGuard names_;
};

}  // namespace tangent::runtime
