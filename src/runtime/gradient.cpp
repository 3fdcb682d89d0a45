#include "runtime/gradient.h"

#include <algorithm>
#include <array>

#include "base/diagnostics.h"
#include "python/errors.h"
#include "python/session.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tangent::runtime {

using python::is_scalar;
using python::NumpyTypes;
using python::Program;
using python::Session;
using python::session;
using python::to_str;

namespace {

constexpr std::size_t kMostVariants = 64;
constexpr std::size_t kManyVariants = 9;  // worth a line in the log

[[noreturn]] void refuse_shared_memory(const SharedMemory& shared, const CoreFunction& core) {
  const List<const Parameter*> parameters = core.parameters;
  const std::string written(parameters[shared.written]->name.text());
  std::string message;
  if (shared.other == kOutside) {
    message = "the argument `" + written + "` shares memory with a value that the function reads";
  } else if (shared.other == shared.written) {
    message = "parts of the argument `" + written + "` share memory";
  } else {
    message = "the arguments `" + written + "` and `" +
              std::string(parameters[shared.other]->name.text()) + "` share memory";
  }
  throw Diagnostic(DiagnosticKind::WriteInPlace,
                   message + ", and `" + written + "` is written in place",
                   parameters[shared.written]->ranges, "pass a copy of one of them");
}

}  // namespace

Gradient::Gradient(nb::handle primal, GradientOptions options, int verbose)
    : session_(session()),
      primal_(nb::borrow(primal)),
      generation_(session_.rule_generation()),
      options_(std::move(options)),
      verbose_(verbose),
      binder_(primal, options_.tangents) {
  code_ = nb::borrow(PyFunction_GET_CODE(binder_.function().ptr()));
  // Whoever asks to see how it is made has it made.
  if (verbose_ == 0) stored_ = StoredVariants::find(binder_.function(), options_);
  if (stored_.empty())
    program_ = std::make_shared<Program>(session_, binder_.function(), options_.forward);
  // A count that no call has switches the fast path off.
  fast_count_ = binder_.plain() && !options_.seed_required
                    ? binder_.positional() + options_.tangents.size()
                    : static_cast<std::size_t>(-1);
}

// ---------------------------------------------------------------------------------------------------
// Choosing a variant

Bound Gradient::bind(PyObject* const* arguments, std::size_t count, PyObject* keywords) const {
  PyObject* seed = hot_ != nullptr ? hot_->seed_name().ptr() : nullptr;
  return binder_.bind(arguments, count, keywords, options_.function_name, seed);
}

std::shared_ptr<Variant> Gradient::find(const Bound& bound) {
  const NumpyTypes& numpy = NumpyTypes::get();
  // The newest first, and a copy of the list: looking at names may run code that calls this
  // gradient.
  const std::vector<std::shared_ptr<Variant>> variants = variants_;
  for (auto variant = variants.rbegin(); variant != variants.rend(); ++variant) {
    if ((*variant)->accepts(bound.values.data(), 0, bound.values.size(), numpy)) return *variant;
  }
  return nullptr;
}

// The program, made anew where a name that it was lowered with stands for something else by now.
std::shared_ptr<Program> Gradient::current_program() {
  if (program_ == nullptr || !is_current() ||
      !NameGuard(program_->outside(), {}, nb::handle()).holds()) {
    if (!is_current()) start_anew();
    program_ = std::make_shared<Program>(session_, binder_.function(), options_.forward);
  }
  return program_;
}

// What is captured from now on is the code as it is now, by the rules as they are.
void Gradient::start_anew() {
  code_ = nb::borrow(PyFunction_GET_CODE(binder_.function().ptr()));
  generation_ = session_.rule_generation();
  program_ = nullptr;
  stored_ = StoredVariants();
}

std::shared_ptr<Variant> Gradient::make(const Bound& bound, const StageLog& log) {
  const std::shared_ptr<Program> program = current_program();
  try {
    return python::translated(program->files(), [&] {
      VariantParts parts = differentiate_for(program, binder_, &bound.values, options_, log);
      const CoreFunction& core = *parts.core;
      const std::vector<ReadField> fields = std::move(parts.fields);
      auto variant = std::make_shared<Variant>(std::move(parts), binder_, &bound.values, options_);
      if (const auto shared = variant->shared(bound.values)) refuse_shared_memory(*shared, core);
      if (verbose_ == 0 && !log) store_variant(*variant, binder_, &bound.values, fields, options_);
      return variant;
    });
  } catch (...) {
    // What was asked on the way to the failure is forgotten with the program.
    program_ = nullptr;
    throw;
  }
}

std::shared_ptr<Variant> Gradient::require(const Bound& bound) {
  if (std::shared_ptr<Variant> found = is_current() ? find(bound) : nullptr) return found;
  const Session::Lock lock(session_);
  if (!is_current()) {
    forget_variants();
    start_anew();
  }
  // Another thread may have made it while this one waited.
  if (std::shared_ptr<Variant> found = find(bound)) return found;
  StageLog log;
  nb::list stages;
  if (verbose_ >= 1) {
    log = [&](std::string_view stage, std::string_view text) {
      stages.append(nb::make_tuple(to_str(stage), to_str(text)));
      // At once: what comes next may be an exception.
      if (verbose_ >= 2)
        nb::module_::import_("tangent._report").attr("stage")(to_str(stage), to_str(text));
    };
  }
  std::shared_ptr<Variant> variant = stored_.restore(binder_, &bound.values, options_);
  if (variant == nullptr) variant = make(bound, log);
  if (variants_.size() == kMostVariants) {
    if (variants_.front() == hot_) hot_ = nullptr;
    // Destroying it may run Python code, which finds the list in order.
    const std::shared_ptr<Variant> oldest = std::move(variants_.front());
    variants_.erase(variants_.begin());
  }
  variants_.push_back(variant);
  report(*variant, stages);
  return variant;
}

void Gradient::report(const Variant& variant, nb::handle stages) const {
  if (verbose_ > 0 || variants_.size() == kManyVariants) {
    nb::module_::import_("tangent._report")
        .attr("variant")(to_str(options_.function_name), variants_.size(), variant.text(), verbose_,
                         stages);
  }
}

void Gradient::use(const std::shared_ptr<Variant>& variant) {
  const bool kept = std::find(variants_.begin(), variants_.end(), variant) != variants_.end();
  if (kept) hot_ = variant;
}

std::shared_ptr<Variant> Gradient::variant_for(PyObject* const* arguments, std::size_t count,
                                               PyObject* keywords) {
  std::shared_ptr<Variant> variant = require(bind(arguments, count, keywords));
  use(variant);
  return variant;
}

void Gradient::require_seed(PyObject* seed) const {
  if (!options_.seed_required || seed != nullptr) return;
  throw nb::type_error((options_.function_name +
                        "() missing 1 required argument: the seed, the adjoint of the result, "
                        "behind the positional ones")
                           .c_str());
}

// The seed of a scalar result is a scalar; the text checks the others.
void Gradient::check_seed(PyObject* seed, const Variant& variant) const {
  if (seed == nullptr || !options_.check_dims) return;
  if (variant.default_seed().is_valid() && PyFloat_CheckExact(variant.default_seed().ptr()) == 0) {
    nb::module_::import_("tangent.errors")
        .attr("check_seed_parts")(to_str(options_.function_name), nb::handle(seed),
                                  variant.default_seed());
    return;
  }
  if (!variant.emitted().scalar_result) return;
  if (!is_scalar(seed)) {
    nb::module_::import_("tangent.errors")
        .attr("raise_seed_error")(to_str(options_.function_name), nb::handle(seed));
  }
}

// The tangent of a number is a number; the text checks the others.
void Gradient::check_tangents(const std::vector<PyObject*>& tangents,
                              const Variant& variant) const {
  if (!options_.check_dims) return;
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    if (!variant.emitted().scalar_tangents[i] || is_scalar(tangents[i])) continue;
    nb::module_::import_("tangent.errors")
        .attr("raise_tangent_error")(to_str(options_.function_name), to_str(options_.tangents[i]),
                                     nb::handle(tangents[i]));
  }
}

PyObject* Gradient::call_slowly(PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  // Kept alive: a guard, a warning or the gradient itself may run code that calls this object.
  if (const std::shared_ptr<Variant> hot = hot_; hot != nullptr && is_current()) {
    std::array<PyObject*, Binder::kFastCount> values;
    PyObject* seed = nullptr;
    if (binder_.bind_fast(arguments, count, keywords, hot->seed_name().ptr(), values.data(),
                          &seed) &&
        hot->accepts(values.data() + binder_.hidden(), binder_.hidden(),
                     binder_.count() - binder_.hidden(), NumpyTypes::get())) {
      require_seed(seed);
      hot->refresh_defaults(binder_);
      check_seed(seed, *hot);
      return finished(hot->vectorcall()(hot->callable(), arguments, count, keywords));
    }
  }
  const Bound bound = bind(arguments, count, keywords);
  require_seed(bound.seed);
  const std::shared_ptr<Variant> variant = require(bound);
  use(variant);
  variant->refresh_defaults(binder_);
  check_seed(bound.seed, *variant);
  check_tangents(bound.tangents, *variant);
  nb::object renamed;
  if (bound.seed_keyword != nullptr) {
    if (PyUnicode_Compare(bound.seed_keyword, variant->seed_name().ptr()) != 0) {
      const bool alias = PyUnicode_CompareWithASCIIString(bound.seed_keyword, "init_grad") == 0;
      if (!alias) {
        throw nb::type_error((options_.function_name + "() got an unexpected keyword argument '" +
                              PyUnicode_AsUTF8(bound.seed_keyword) + "'")
                                 .c_str());
      }
      const Py_ssize_t size = PyTuple_GET_SIZE(keywords);
      renamed = nb::steal(PyTuple_New(size));
      for (Py_ssize_t i = 0; i < size; ++i) {
        PyObject* name = PyTuple_GET_ITEM(keywords, i);
        PyTuple_SET_ITEM(renamed.ptr(), i,
                         Py_NewRef(name == bound.seed_keyword ? variant->seed_name().ptr() : name));
      }
      keywords = renamed.ptr();
    }
  }
  if (!options_.forward) {
    return finished(variant->vectorcall()(variant->callable(), arguments, count, keywords));
  }
  // To the function the tangents go by name, behind what the caller named.
  std::vector<PyObject*> values(arguments, arguments + bound.own);
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  std::vector<PyObject*> names;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* name = PyTuple_GET_ITEM(keywords, i);
    const bool tangent = std::any_of(
        binder_.tangents().begin(), binder_.tangents().end(),
        [&](const nb::object& each) { return PyUnicode_Compare(each.ptr(), name) == 0; });
    if (tangent) continue;
    names.push_back(name);
    values.push_back(arguments[count + static_cast<std::size_t>(i)]);
  }
  for (std::size_t i = 0; i < bound.tangents.size(); ++i) {
    names.push_back(binder_.tangents()[i].ptr());
    values.push_back(bound.tangents[i]);
  }
  const nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(names.size())));
  if (!all.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < names.size(); ++i)
    PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(names[i]));
  return finished(variant->vectorcall()(variant->callable(), values.data(), bound.own, all.ptr()));
}

// ---------------------------------------------------------------------------------------------------
// Looking at it

std::shared_ptr<Variant> Gradient::general(std::string* reason) {
  const Session::Lock lock(session_);
  if (general_ != nullptr && is_current() && general_->names_hold()) return general_;
  if (!is_current()) {
    forget_variants();
    start_anew();
  }
  general_ = stored_.restore(binder_, nullptr, options_);
  if (general_ != nullptr) return general_;
  const std::shared_ptr<Program> program = current_program();
  try {
    VariantParts parts = differentiate_for(program, binder_, nullptr, options_, StageLog());
    general_ = std::make_shared<Variant>(std::move(parts), binder_, nullptr, options_);
    if (verbose_ == 0) store_variant(*general_, binder_, nullptr, {}, options_);
  } catch (const Diagnostic& diagnostic) {
    general_ = nullptr;
    if (reason != nullptr) *reason = diagnostic.message.substr(0, diagnostic.message.find('\n'));
    program_ = nullptr;
  }
  return general_;
}

nb::object Gradient::source() {
  if (hot_ != nullptr) return nb::borrow(hot_->text());
  std::string reason;
  if (const auto form = general(&reason)) return nb::borrow(form->text());
  return to_str("# The text of " + options_.function_name + " depends on its arguments: see " +
                options_.function_name + ".source(*args).\n# (" + reason + ")\n");
}

nb::object Gradient::emitted_function() {
  if (hot_ != nullptr) return nb::borrow(hot_->function());
  const auto form = general(nullptr);
  return form != nullptr ? nb::borrow(form->function()) : nb::object();
}

std::string Gradient::seed_name() {
  if (hot_ != nullptr) return hot_->emitted().seed_name;
  const auto form = general(nullptr);
  return form != nullptr ? form->emitted().seed_name : "init_grad";
}

std::vector<std::string> Gradient::further_names() {
  return options_.forward ? options_.tangents : std::vector<std::string>{seed_name()};
}

std::size_t Gradient::literal_outputs() const {
  return program_ != nullptr ? python::literal_outputs(*program_->captured().definition)
                             : stored_.literal_outputs();
}

nb::list Gradient::stages(PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  const Bound bound = bind(arguments, count, keywords);
  const Session::Lock lock(session_);
  nb::list result;
  const std::shared_ptr<Variant> variant =
      make(bound, [&](std::string_view stage, std::string_view text) {
        result.append(nb::make_tuple(to_str(stage), to_str(text)));
      });
  result.append(nb::make_tuple("source", variant->text()));
  return result;
}

int Gradient::traverse(visitproc visit, void* arg) const {
  Py_VISIT(primal_.ptr());
  if (const int stop = binder_.traverse(visit, arg)) return stop;
  // Variants share programs; each is visited once.
  std::vector<const Program*> programs;
  if (program_ != nullptr) programs.push_back(program_.get());
  std::vector<const Variant*> variants;
  for (const auto& variant : variants_) variants.push_back(variant.get());
  if (general_ != nullptr) variants.push_back(general_.get());
  for (const Variant* variant : variants) {
    if (const int stop = variant->traverse(visit, arg)) return stop;
    const Program* program = variant->program().get();
    if (std::find(programs.begin(), programs.end(), program) == programs.end()) {
      programs.push_back(program);
    }
  }
  for (const Program* program : programs) {
    if (const int stop = program->outside().traverse(visit, arg)) return stop;
  }
  return 0;
}

void Gradient::forget_variants() {
  // Destroying a variant may run Python code that looks at this object.
  const std::shared_ptr<Variant> hot = std::move(hot_);
  const std::vector<std::shared_ptr<Variant>> variants = std::move(variants_);
  hot_ = nullptr;
  variants_.clear();
  const std::shared_ptr<Variant> general = std::move(general_);
  general_ = nullptr;
}

void Gradient::clear() {
  forget_variants();
  const std::shared_ptr<Program> program = std::move(program_);
}

}  // namespace tangent::runtime
