#include "runtime/gradient_type.h"

#include <structmember.h>

#include <cstddef>
#include <memory>

#include "python/errors.h"
#include "runtime/gradient.h"

namespace nb = nanobind;

namespace tangent::runtime {

namespace {

struct GradientObject {
  PyObject ob_base;
  vectorcallfunc vectorcall;
  PyObject* dictionary;  // __name__, __doc__ and what users set
  PyObject* weak_references;
  PyObject* recipe;
  Gradient* gradient;
};

GradientObject* as_object(PyObject* self) { return reinterpret_cast<GradientObject*>(self); }
Gradient& gradient_of(PyObject* self) { return *as_object(self)->gradient; }

// f(), with C++ exceptions turned into a set Python error and null.
template <class F>
PyObject* guarded(F&& f) noexcept {
  static const python::FileTable kNoFiles;
  try {
    try {
      return python::translated(kNoFiles, f);
    } catch (nb::builtin_exception& error) {
      PyErr_SetString(PyExc_TypeError, error.what());
    }
  } catch (nb::python_error& error) {
    error.restore();
  }
  return nullptr;
}

PyObject* gradient_call(PyObject* self, PyObject* const* arguments, std::size_t flagged_count,
                        PyObject* keywords) {
  try {
    return gradient_of(self).call(arguments, flagged_count, keywords);
  } catch (...) {
    return guarded([]() -> PyObject* { throw; });
  }
}

// ---------------------------------------------------------------------------------------------------
// Methods and attributes

PyObject* gradient_source(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                          PyObject* keywords) {
  return guarded([&] {
    const std::shared_ptr<Variant> variant =
        gradient_of(self).variant_for(arguments, static_cast<std::size_t>(count), keywords);
    return Py_NewRef(variant->text().ptr());
  });
}

PyObject* gradient_variant(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                           PyObject* keywords) {
  return guarded([&] {
    const std::shared_ptr<Variant> variant =
        gradient_of(self).variant_for(arguments, static_cast<std::size_t>(count), keywords);
    return Py_NewRef(variant->callable());
  });
}

PyObject* gradient_reduce(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    const nb::object reduce = nb::module_::import_("tangent._pickle").attr("reduce");
    return reduce(nb::handle(self), nb::handle(as_object(self)->recipe)).release().ptr();
  });
}

PyObject* gradient_itself(PyObject* self, PyObject* /*unused*/) { return Py_NewRef(self); }

PyObject* get_source(PyObject* self, void* /*unused*/) {
  return guarded([&] { return gradient_of(self).source().release().ptr(); });
}

// The function that was given to `grad`: a copy of it with another text says which that is.
nb::object primal_of(PyObject* self) {
  const nb::handle primal = gradient_of(self).primal();
  PyObject* own = PyFunction_Check(primal.ptr()) != 0
                      ? reinterpret_cast<PyFunctionObject*>(primal.ptr())->func_dict
                      : nullptr;
  PyObject* given = own != nullptr ? PyDict_GetItemString(own, "__tangent_copy_of__") : nullptr;
  // functools.wraps copies the attributes of one function to another.
  const bool is_own = given != nullptr && PyTuple_Check(given) != 0 &&
                      PyTuple_GET_SIZE(given) == 2 && PyTuple_GET_ITEM(given, 0) == primal.ptr();
  return nb::borrow(is_own ? PyTuple_GET_ITEM(given, 1) : primal.ptr());
}

PyObject* get_primal(PyObject* self, void* /*unused*/) {
  return guarded([&] { return primal_of(self).release().ptr(); });
}

PyObject* get_entries(PyObject* self, void* /*unused*/) {
  return guarded([&] {
    nb::list entries;
    if (const Variant* variant = gradient_of(self).last()) {
      for (const nb::object& name : variant->entries()) entries.append(name);
    } else {
      entries.append(gradient_of(self).options().function_name.c_str());
    }
    return entries.release().ptr();
  });
}

PyObject* get_motion(PyObject* /*self*/, void* /*unused*/) { return PyUnicode_FromString("joint"); }

PyObject* get_wrapped(PyObject* self, void* /*unused*/) {
  return guarded([&] {
    nb::object function = gradient_of(self).emitted_function();
    if (!function.is_valid()) {
      PyErr_SetString(PyExc_AttributeError,
                      "no gradient function has been made yet: call the gradient, or use "
                      "variant(*args)");
    }
    return function.release().ptr();
  });
}

PyObject* get_signature(PyObject* self, void* /*unused*/) {
  return guarded([&] {
    const nb::object make = nb::module_::import_("tangent._signature").attr("of_gradient");
    nb::list further;
    for (const std::string& name : gradient_of(self).further_names()) further.append(name.c_str());
    const bool required = gradient_of(self).further_required();
    return make(gradient_of(self).primal(), further, required).release().ptr();
  });
}

PyObject* get_variant_count(PyObject* self, void* /*unused*/) {
  return PyLong_FromSize_t(gradient_of(self).size());
}

PyObject* get_outputs(PyObject* self, void* /*unused*/) {
  return PyLong_FromSize_t(gradient_of(self).literal_outputs());
}

PyObject* get_is_current(PyObject* self, void* /*unused*/) {
  return PyBool_FromLong(gradient_of(self).is_current() ? 1 : 0);
}

PyObject* gradient_repr(PyObject* self) {
  return guarded([&] {
    const std::string& name = gradient_of(self).options().function_name;
    return PyUnicode_FromFormat("<tangent gradient %s of %R>", name.c_str(), primal_of(self).ptr());
  });
}

// As a function does: an attribute of a class becomes a method of its objects.
PyObject* gradient_bind(PyObject* self, PyObject* object, PyObject* /*type*/) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

// ---------------------------------------------------------------------------------------------------
// Life

int gradient_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_object(self)->dictionary);
  Py_VISIT(as_object(self)->recipe);
  Gradient* gradient = as_object(self)->gradient;
  return gradient != nullptr ? gradient->traverse(visit, arg) : 0;
}

int gradient_clear(PyObject* self) {
  Py_CLEAR(as_object(self)->dictionary);
  Py_CLEAR(as_object(self)->recipe);
  if (as_object(self)->gradient != nullptr) as_object(self)->gradient->clear();
  return 0;
}

void gradient_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (as_object(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  gradient_clear(self);
  const std::unique_ptr<Gradient> owned(as_object(self)->gradient);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef type_methods[] = {
    {"source", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(gradient_source)),
     METH_FASTCALL | METH_KEYWORDS,
     "source(*args, **kwargs)\n--\n\nThe text of the gradient that a call with these arguments "
     "runs."},
    {"variant", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(gradient_variant)),
     METH_FASTCALL | METH_KEYWORDS,
     "variant(*args, **kwargs)\n--\n\nThe function that a call with these arguments runs."},
    {"__reduce__", gradient_reduce, METH_NOARGS, nullptr},
    {"__copy__", gradient_itself, METH_NOARGS, nullptr},
    {"__deepcopy__", gradient_itself, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef type_attributes[] = {
    {"__tangent_source__", get_source, nullptr,
     "The text of the gradient that ran last, or that covers all arguments.", nullptr},
    {"__tangent_primal__", get_primal, nullptr, "The function that was differentiated.", nullptr},
    {"__tangent_entries__", get_entries, nullptr, "The names of the functions in the text.",
     nullptr},
    {"__tangent_motion__", get_motion, nullptr, "How forward and backward part are laid out.",
     nullptr},
    {"__tangent_variants__", get_variant_count, nullptr, "How many variants there are.", nullptr},
    {"__tangent_outputs__", get_outputs, nullptr,
     "How many values the function returns, where each return writes a tuple out; else 0.",
     nullptr},
    {"__tangent_current__", get_is_current, nullptr,
     "Whether the primal still has the code that was differentiated.", nullptr},
    {"__wrapped__", get_wrapped, nullptr,
     "The emitted function that ran last, or that covers all arguments.", nullptr},
    {"__signature__", get_signature, nullptr, "The parameters of the primal, and the seed.",
     nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef type_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(GradientObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(GradientObject, dictionary), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(GradientObject, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot type_slots[] = {
    {Py_tp_doc, const_cast<char*>("A gradient function: call it with the primal's arguments and, "
                                  "if wanted, the adjoint of the result.")},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(gradient_repr)},
    {Py_tp_descr_get, reinterpret_cast<void*>(gradient_bind)},
    {Py_tp_traverse, reinterpret_cast<void*>(gradient_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(gradient_clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(gradient_dealloc)},
    {Py_tp_methods, type_methods},
    {Py_tp_getset, type_attributes},
    {Py_tp_members, type_members},
    {0, nullptr},
};

PyType_Spec type_spec = {
    "tangent._core.Gradient",
    sizeof(GradientObject),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
        Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    type_slots,
};

// The type, as the module holds it.
PyTypeObject* gradient_type() {
  static PyTypeObject* const kType = [] {
    PyObject* made = PyType_FromSpec(&type_spec);
    if (made == nullptr) throw nb::python_error();
    return reinterpret_cast<PyTypeObject*>(made);
  }();
  return kType;
}

// The names under which tools look at functions.
void describe(PyObject* self, nb::handle primal, const std::string& name) {
  const nb::object function = nb::borrow(
      PyMethod_Check(primal.ptr()) != 0 ? PyMethod_GET_FUNCTION(primal.ptr()) : primal.ptr());
  const nb::handle object(self);
  object.attr("__name__") = nb::str(name.c_str(), name.size());
  object.attr("__qualname__") = nb::str(name.c_str(), name.size());
  object.attr("__doc__") = function.attr("__doc__");
  object.attr("__module__") = function.attr("__module__");
  object.attr("__annotations__") = function.attr("__annotations__").attr("copy")();
}

}  // namespace

void add_gradient_type(nb::module_& module) {
  module.attr("Gradient") = nb::handle(reinterpret_cast<PyObject*>(gradient_type()));
}

nb::object make_gradient(nb::handle primal, GradientOptions options, int verbose,
                         nb::handle recipe) {
  const std::string name = options.function_name;
  auto gradient = std::make_unique<Gradient>(primal, std::move(options), verbose);
  PyTypeObject* type = gradient_type();
  nb::object self = nb::steal(type->tp_alloc(type, 0));
  if (!self.is_valid()) throw nb::python_error();
  GradientObject* object = as_object(self.ptr());
  object->vectorcall = gradient_call;
  object->recipe = Py_NewRef(recipe.ptr());
  object->gradient = gradient.release();
  describe(self.ptr(), primal, name);
  return self;
}

namespace {

Gradient& required(nb::handle gradient) {
  if (Py_TYPE(gradient.ptr()) != gradient_type()) throw nb::type_error("this is no gradient");
  return gradient_of(gradient.ptr());
}

}  // namespace

std::string gradient_library(nb::handle gradient) {
  const Variant* variant = required(gradient).last();
  if (variant == nullptr) return "numpy";
  switch (variant->emitted().library) {
    case Library::Jax:
      return "jax";
    case Library::Torch:
      return "torch";
    case Library::Tinygrad:
      return "tinygrad";
    case Library::NumPy:
      break;
  }
  return "numpy";
}

nb::object translated_gradient(nb::handle gradient) {
  const Gradient& plain = required(gradient);
  GradientOptions options = plain.options();
  options.translates = true;
  return make_gradient(plain.primal(), std::move(options), 0,
                       nb::handle(as_object(gradient.ptr())->recipe));
}

nb::object written_out_gradient(nb::handle gradient) {
  const Gradient& plain = required(gradient);
  GradientOptions options = plain.options();
  options.keeps_calls = false;
  return make_gradient(plain.primal(), std::move(options), 0,
                       nb::handle(as_object(gradient.ptr())->recipe));
}

nb::list gradient_stages(nb::handle gradient, const nb::args& arguments) {
  return required(gradient).stages(PySequence_Fast_ITEMS(arguments.ptr()), arguments.size(),
                                   nullptr);
}

nb::dict gradient_record(nb::handle gradient, const nb::args& arguments) {
  return required(gradient).record(PySequence_Fast_ITEMS(arguments.ptr()), arguments.size());
}

nb::object gradient_lines(nb::handle gradient) { return required(gradient).line_places(); }

}  // namespace tangent::runtime
