#include "python/session.h"

#include "python/outside.h"

namespace nb = nanobind;

namespace tangent::python {

Session::Session()
    : symbols_(std::make_shared<Symbols>()),
      rules_(symbols_, parse_rules),
      lock_(nb::module_::import_("_thread").attr("RLock")()) {}

Session::Lock::Lock(Session& session) : lock_(session.lock_) { lock_.attr("acquire")(); }

Session::Lock::~Lock() {
  PyObject* done = PyObject_CallMethod(lock_.ptr(), "release", nullptr);
  if (done == nullptr) PyErr_WriteUnraisable(lock_.ptr());
  Py_XDECREF(done);
}

Session& session() {
  // Never freed: it holds Python objects, and gradients may outlive the module.
  static Session& shared = *new Session();
  return shared;
}

}  // namespace tangent::python
