// The gradient of one function: all of its variants, and the choice between them.
//
// In: the primal, options, the arguments of calls. Out: the variant that is right for a call, made
// where there is none. The CPython type around it is in gradient_type.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "python/session.h"
#include "runtime/binding.h"
#include "runtime/stored.h"
#include "runtime/user_lines.h"
#include "runtime/variant.h"

namespace tangent::runtime {

class Gradient {
 public:
  // Captures and parses the function; refuses syntax that is never supported. Throws python_error.
  // Where the disk cache has something for this very text, that was done before.
  Gradient(nanobind::handle primal, GradientOptions options, int verbose);

  // The call of the emitted function with the caller's arguments.
  PyObject* call(PyObject* const* arguments, std::size_t flagged_count, PyObject* keywords) {
    if (hot_ != nullptr && keywords == nullptr) {
      const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
      if (count == fast_count_ && is_current() &&
          hot_->accepts_at_once(arguments, binder_.hidden(), binder_.positional(),
                                python::NumpyTypes::get()) &&
          hot_->takes_tangents(arguments + binder_.positional())) {
        return finished(hot_->vectorcall()(hot_->callable(), arguments, flagged_count, nullptr));
      }
    }
    return call_slowly(arguments, static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count)),
                       keywords);
  }

  // The variant for these arguments, made if there is none yet.
  std::shared_ptr<Variant> variant_for(PyObject* const* arguments, std::size_t count,
                                       PyObject* keywords);
  // The variant that was used last, or null.
  [[nodiscard]] Variant* last() const { return hot_.get(); }
  // The text of the last variant, else the general form, else a comment that says why there is
  // none.
  nanobind::object source();
  // The emitted function of the last variant, else of the general form; null if there is none.
  nanobind::object emitted_function();
  // The name of the seed in the last variant or in the general form.
  std::string seed_name();
  // The parameters behind those of the primal, and whether a call may leave them out.
  std::vector<std::string> further_names();
  [[nodiscard]] bool further_required() const { return options_.forward || options_.seed_required; }
  // Every stage of the road for these arguments: (name, text) in order.
  nanobind::list stages(PyObject* const* arguments, std::size_t count, PyObject* keywords);

  [[nodiscard]] nanobind::handle primal() const { return primal_; }
  [[nodiscard]] const GradientOptions& options() const { return options_; }
  [[nodiscard]] std::size_t size() const { return variants_.size(); }
  // Whether the code that was captured is still the function's own, and the rules are those that
  // it was differentiated by.
  [[nodiscard]] bool is_current() const {
    return PyFunction_GET_CODE(binder_.function().ptr()) == code_.ptr() &&
           generation_ == session_.rule_generation();
  }

  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  PyObject* call_slowly(PyObject* const* arguments, std::size_t count, PyObject* keywords);
  // What an emitted function returned; the traceback of its exception shows the user's line too.
  PyObject* finished(PyObject* result) {
    if (result == nullptr) show_user_lines(variants_, binder_.function());
    return result;
  }
  [[nodiscard]] Bound bind(PyObject* const* arguments, std::size_t count, PyObject* keywords) const;
  std::shared_ptr<Variant> find(const Bound& bound);
  std::shared_ptr<Variant> require(const Bound& bound);
  std::shared_ptr<Variant> make(const Bound& bound, const StageLog& log);
  void require_seed(PyObject* seed) const;
  void check_seed(PyObject* seed, const Variant& variant) const;
  void check_tangents(const std::vector<PyObject*>& tangents, const Variant& variant) const;
  void forget_variants();
  void use(const std::shared_ptr<Variant>& variant);
  void report(const Variant& variant) const;
  std::shared_ptr<python::Program> current_program();
  // The form for all numbers and arrays, or null and the reason why there is none.
  std::shared_ptr<Variant> general(std::string* reason);

  void start_anew();

  python::Session& session_;
  nanobind::object primal_;
  nanobind::object code_;
  std::uint64_t generation_;
  GradientOptions options_;
  int verbose_;
  Binder binder_;
  std::shared_ptr<python::Program> program_;  // null: nothing is captured yet, or not any more
  StoredVariants stored_;                     // what the disk cache had when this was made
  std::vector<std::shared_ptr<Variant>> variants_;  // the newest last
  std::shared_ptr<Variant> hot_;                    // one of variants_
  std::shared_ptr<Variant> general_;                // is only looked at, never called
  std::size_t fast_count_ = 0;  // how many arguments the fast path takes; none if not plain
};

}  // namespace tangent::runtime
