#include "runtime/binding.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tangent::runtime {

using python::view;

namespace {

bool same_name(PyObject* a, PyObject* b) {
  if (a == b) return true;
  const int same = PyUnicode_Compare(a, b);
  if (same == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return same == 0;
}

std::string call_of(std::string_view function_name) { return std::string(function_name) + "()"; }

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace

Binder::Binder(nb::handle function, const std::vector<std::string>& tangents) {
  if (PyMethod_Check(function.ptr()) != 0) {
    function_ = nb::borrow(PyMethod_GET_FUNCTION(function.ptr()));
    self_ = nb::borrow(PyMethod_GET_SELF(function.ptr()));
    hidden_ = 1;
  } else {
    function_ = nb::borrow(function);
  }
  if (PyFunction_Check(function_.ptr()) == 0) throw InternalError("a gradient of no function");
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function_.ptr()));
  const nb::object names = nb::steal(PyCode_GetVarnames(code));
  if (!names.is_valid()) throw nb::python_error();
  auto add = [&](Py_ssize_t index, ParameterKind form) {
    parameters_.push_back({nb::borrow(PyTuple_GET_ITEM(names.ptr(), index)), form});
  };
  positional_ = static_cast<std::size_t>(code->co_argcount);
  for (int i = 0; i < code->co_argcount; ++i) {
    add(i,
        i < code->co_posonlyargcount ? ParameterKind::PositionalOnly : ParameterKind::Positional);
  }
  const int named = code->co_argcount + code->co_kwonlyargcount;
  if ((code->co_flags & CO_VARARGS) != 0) {
    variadic_ = static_cast<int>(parameters_.size());
    add(named, ParameterKind::VariadicPositional);
  }
  for (int i = code->co_argcount; i < named; ++i) add(i, ParameterKind::KeywordOnly);
  if ((code->co_flags & CO_VARKEYWORDS) != 0) {
    extra_ = static_cast<int>(parameters_.size());
    add(named + (variadic_ >= 0 ? 1 : 0), ParameterKind::VariadicKeyword);
  }
  plain_ = parameters_.size() == positional_;
  init_grad_ = nb::steal(PyUnicode_InternFromString("init_grad"));
  for (const std::string& name : tangents)
    tangents_.push_back(nb::steal(PyUnicode_InternFromString(name.c_str())));
}

PyObject* Binder::default_of(std::size_t index) const {
  const Parameter& parameter = parameters_[index];
  if (parameter.form == ParameterKind::KeywordOnly) {
    PyObject* named = PyFunction_GET_KW_DEFAULTS(function_.ptr());
    return named == nullptr ? nullptr : PyDict_GetItem(named, parameter.name.ptr());
  }
  PyObject* defaults = PyFunction_GET_DEFAULTS(function_.ptr());
  if (defaults == nullptr || index >= positional_) return nullptr;
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(defaults));
  if (index + count < positional_) return nullptr;
  return PyTuple_GET_ITEM(defaults, static_cast<Py_ssize_t>(index + count - positional_));
}

void Binder::bind_keyword(Bound& bound, PyObject* name, PyObject* value,
                          std::string_view function_name, PyObject* seed_name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const ParameterKind form = parameters_[i].form;
    if ((form != ParameterKind::Positional && form != ParameterKind::KeywordOnly) ||
        !same_name(parameters_[i].name.ptr(), name)) {
      continue;
    }
    if (bound.values[i] != nullptr) {
      throw nb::type_error(
          (call_of(function_name) + " got multiple values for argument " + quoted(view(name)))
              .c_str());
    }
    bound.values[i] = value;
    return;
  }
  for (std::size_t i = 0; i < tangents_.size(); ++i) {
    if (!same_name(tangents_[i].ptr(), name)) continue;
    if (bound.tangents[i] != nullptr) {
      throw nb::type_error(
          (call_of(function_name) + " got multiple values for argument " + quoted(view(name)))
              .c_str());
    }
    bound.tangents[i] = value;
    return;
  }
  const bool takes_seed = tangents_.empty();
  const bool is_seed =
      takes_seed && (same_name(name, init_grad_.ptr()) ||
                     (seed_name != nullptr ? same_name(name, seed_name) : extra_ < 0));
  if (is_seed) {
    if (bound.seed != nullptr) {
      throw nb::type_error((call_of(function_name) + " got multiple values for the seed").c_str());
    }
    bound.seed = value;
    bound.seed_keyword = name;
    return;
  }
  if (extra_ < 0) {
    throw nb::type_error(
        (call_of(function_name) + " got an unexpected keyword argument " + quoted(view(name)))
            .c_str());
  }
  if (PyDict_SetItem(bound.values[static_cast<std::size_t>(extra_)], name, value) < 0) {
    throw nb::python_error();
  }
}

void Binder::fill_defaults(Bound& bound, std::string_view function_name) const {
  std::vector<std::string> missing;
  bool by_position = true;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (bound.values[i] != nullptr) continue;
    bound.values[i] = default_of(i);
    if (bound.values[i] != nullptr) continue;
    by_position = by_position && parameters_[i].form != ParameterKind::KeywordOnly;
    missing.push_back(quoted(view(parameters_[i].name)));
  }
  for (std::size_t i = 0; i < tangents_.size(); ++i) {
    if (bound.tangents[i] == nullptr) missing.push_back(quoted(view(tangents_[i])));
  }
  if (missing.empty()) return;
  std::string text = call_of(function_name) + " missing " + std::to_string(missing.size()) +
                     " required " + (by_position ? "positional " : "") + "argument" +
                     (missing.size() > 1 ? "s" : "") + ": ";
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (i > 0) text += i + 1 == missing.size() ? " and " : ", ";
    text += missing[i];
  }
  throw nb::type_error(text.c_str());
}

// The last positional arguments of a call are the tangents, unless one is given by name. Returns
// how many are left for the primal.
std::size_t Binder::bind_tangents(Bound& bound, PyObject* const* arguments, std::size_t count,
                                  PyObject* keywords) const {
  const std::size_t wanted = tangents_.size();
  if (wanted > count) return count;
  if (keywords != nullptr) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
      for (const nb::object& tangent : tangents_) {
        if (same_name(tangent.ptr(), PyTuple_GET_ITEM(keywords, i))) return count;
      }
    }
  }
  for (std::size_t i = 0; i < wanted; ++i) bound.tangents[i] = arguments[count - wanted + i];
  return count - wanted;
}

Bound Binder::bind(PyObject* const* arguments, std::size_t count, PyObject* keywords,
                   std::string_view function_name, PyObject* seed_name) const {
  const std::size_t given = count;
  Bound bound;
  bound.values.assign(parameters_.size(), nullptr);
  bound.tangents.assign(tangents_.size(), nullptr);
  count = bind_tangents(bound, arguments, count, keywords);
  bound.own = count;
  if (hidden_ != 0) bound.values[0] = self_.ptr();
  const std::size_t taken = std::min(count, positional());
  for (std::size_t i = 0; i < taken; ++i) bound.values[i + hidden_] = arguments[i];

  if (variadic_ >= 0) {
    nb::object rest = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count - taken)));
    if (!rest.is_valid()) throw nb::python_error();
    for (std::size_t i = taken; i < count; ++i) {
      PyTuple_SET_ITEM(rest.ptr(), static_cast<Py_ssize_t>(i - taken), Py_NewRef(arguments[i]));
    }
    bound.values[static_cast<std::size_t>(variadic_)] = rest.ptr();
    bound.made.push_back(std::move(rest));
  } else if (count == taken + 1 && tangents_.empty()) {
    bound.seed = arguments[taken];
  } else if (count > taken) {
    const std::size_t more = tangents_.empty() ? 1 : tangents_.size();
    const std::string rest = tangents_.empty() ? "the seed"
                             : more == 1       ? "the tangent"
                                               : std::to_string(more) + " tangents";
    throw nb::type_error((call_of(function_name) + " takes at most " +
                          std::to_string(positional() + more) + " positional arguments (" +
                          std::to_string(positional()) + " and " + rest + ") but " +
                          std::to_string(given) + " were given")
                             .c_str());
  }
  if (extra_ >= 0) {
    nb::object named = nb::steal(PyDict_New());
    if (!named.is_valid()) throw nb::python_error();
    bound.values[static_cast<std::size_t>(extra_)] = named.ptr();
    bound.made.push_back(std::move(named));
  }
  if (keywords != nullptr) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
      bind_keyword(bound, PyTuple_GET_ITEM(keywords, i),
                   arguments[given + static_cast<std::size_t>(i)], function_name, seed_name);
    }
  }
  fill_defaults(bound, function_name);
  return bound;
}

bool Binder::bind_fast(PyObject* const* arguments, std::size_t count, PyObject* keywords,
                       PyObject* seed_name, PyObject** values, PyObject** seed) const {
  const std::size_t total = parameters_.size();
  if (variadic_ >= 0 || extra_ >= 0 || total > kFastCount || !tangents_.empty()) return false;
  std::fill(values, values + total, nullptr);
  *seed = nullptr;
  if (hidden_ != 0) values[0] = self_.ptr();
  const std::size_t taken = std::min(count, positional());
  std::copy(arguments, arguments + taken, values + hidden_);
  if (count > taken) {
    if (count != taken + 1) return false;
    *seed = arguments[taken];
  }
  if (keywords != nullptr) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k) {
      PyObject* name = PyTuple_GET_ITEM(keywords, k);
      PyObject* value = arguments[count + static_cast<std::size_t>(k)];
      std::size_t i = 0;
      while (i < total && parameters_[i].name.ptr() != name) ++i;
      if (i < total) {
        if (values[i] != nullptr || parameters_[i].form == ParameterKind::PositionalOnly) {
          return false;
        }
        values[i] = value;
      } else if (name == seed_name && *seed == nullptr) {
        *seed = value;
      } else {
        return false;
      }
    }
  }
  for (std::size_t i = 0; i < total; ++i) {
    if (values[i] == nullptr) values[i] = default_of(i);
    if (values[i] == nullptr) return false;
  }
  return true;
}

int Binder::traverse(visitproc visit, void* arg) const {
  Py_VISIT(function_.ptr());
  Py_VISIT(self_.ptr());
  return 0;
}

}  // namespace tangent::runtime
