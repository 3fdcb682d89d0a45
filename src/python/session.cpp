#include "python/session.h"

#include "base/sha256.h"
#include "python/outside.h"
#include "store/bytes.h"

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

void Session::rules_changed(std::optional<std::string_view> description) {
  ++rule_generation_;
  if (!description) rule_history_ = std::nullopt;
  if (!rule_history_) return;
  ByteWriter out;
  out.text(*rule_history_);
  out.text(*description);
  rule_history_ = to_hex(sha256(out.take()));
}

void Session::retire_text(nb::object filename) {
  constexpr std::size_t kKept = 128;
  if (Py_IsInitialized() == 0) {
    filename.release();
    return;
  }
  retired_.push_back(std::move(filename));
  if (retired_.size() <= kKept) return;
  const nb::object oldest = std::move(retired_.front());
  retired_.pop_front();
  // Called from destructors: an exception that is under way stays.
  const nb::error_scope kept;
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* linecache = modules != nullptr ? PyDict_GetItemString(modules, "linecache") : nullptr;
  PyObject* cache = linecache != nullptr ? PyObject_GetAttrString(linecache, "cache") : nullptr;
  if (cache != nullptr && PyDict_Check(cache) != 0) PyDict_DelItem(cache, oldest.ptr());
  Py_XDECREF(cache);
  PyErr_Clear();
}

Session& session() {
  // Never freed: it holds Python objects, and gradients may outlive the module.
  static Session& shared = *std::make_unique<Session>().release();
  return shared;
}

}  // namespace tangent::python
