// How the arguments of a call meet the parameters of the differentiated function.
//
// In: a function or bound method; the arguments of a vectorcall of its gradient. Out: one value per
// parameter and the seed, or the TypeError that Python itself would raise.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "syntax/nodes.h"

namespace tangent::runtime {

// The values of one call by parameter, in the order of CoreFunction::parameters.
struct Bound {
  std::vector<PyObject*> values;       // borrowed from the call, the defaults or `made`
  std::vector<nanobind::object> made;  // the tuple of *args, the dict of **kwargs
  PyObject* seed = nullptr;            // null: left at its default
  std::vector<PyObject*> tangents;     // of forward mode, all given
  std::size_t own = 0;                 // how many positional arguments are the primal's
  PyObject* seed_keyword = nullptr;    // the name under which it was given, if by keyword
};

class Binder {
 public:
  // `function` is a Python function, or a method bound to an object. `tangents` are the names of
  // what a call gives in place of the seed: its last positional arguments, or all by name.
  Binder(nanobind::handle function, const std::vector<std::string>& tangents);

  [[nodiscard]] nanobind::handle function() const { return function_; }  // without its object
  [[nodiscard]] nanobind::handle self() const { return self_; }          // null: not a method
  [[nodiscard]] std::size_t count() const { return parameters_.size(); }
  // How many positional arguments a caller may give, without the seed and the object of a method.
  [[nodiscard]] std::size_t positional() const { return positional_ - hidden_; }
  // 1 for a method, whose object comes before the caller's arguments.
  [[nodiscard]] std::size_t hidden() const { return hidden_; }
  // Only parameters that can be given by position.
  [[nodiscard]] bool plain() const { return plain_; }
  [[nodiscard]] bool has_variadic() const { return variadic_ >= 0; }
  [[nodiscard]] const std::vector<nanobind::object>& tangents() const { return tangents_; }

  struct Parameter {
    nanobind::object name;  // interned str
    ParameterKind form;
  };
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  // The default of a parameter as it is now, or null.
  [[nodiscard]] PyObject* default_of(std::size_t index) const;

  // `seed_name` is the seed's own name where it is known; `init_grad` always means the seed unless
  // the function has a parameter of that name.
  [[nodiscard]] Bound bind(PyObject* const* arguments, std::size_t count, PyObject* keywords,
                           std::string_view function_name, PyObject* seed_name) const;

  // The same for the common calls, without allocating: no *args or **kwargs, keywords whose names
  // are interned, at most kFastCount parameters. False: not such a call, or an error to be found by
  // bind. `values` are all parameters.
  static constexpr std::size_t kFastCount = 16;
  bool bind_fast(PyObject* const* arguments, std::size_t count, PyObject* keywords,
                 PyObject* seed_name, PyObject** values, PyObject** seed) const;

  int traverse(visitproc visit, void* arg) const;

 private:
  void bind_keyword(Bound& bound, PyObject* name, PyObject* value, std::string_view function_name,
                    PyObject* seed_name) const;
  void fill_defaults(Bound& bound, std::string_view function_name) const;
  std::size_t bind_tangents(Bound& bound, PyObject* const* arguments, std::size_t count,
                            PyObject* keywords) const;

  nanobind::object function_;
  nanobind::object self_;
  std::vector<Parameter> parameters_;
  std::size_t positional_ = 0;  // with the object of a method
  std::size_t hidden_ = 0;
  bool plain_ = true;
  int variadic_ = -1;                       // index of *args
  int extra_ = -1;                          // index of **kwargs
  std::vector<nanobind::object> tangents_;  // interned names
  nanobind::object init_grad_;
};

}  // namespace tangent::runtime
