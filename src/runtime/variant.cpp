#include "runtime/variant.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "lower/argument_steps.h"
#include "python/collector_pause.h"
#include "python/session.h"
#include "python/text.h"
#include "python/user_rules.h"
#include "types/variable_types.h"

namespace nb = nanobind;

namespace tangent::runtime {

using python::FileTable;
using python::interned;
using python::NumpyTypes;
using python::Program;
using python::to_str;

namespace {

nb::object checked(PyObject* result) {
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

void set_item(nb::handle dictionary, nb::handle key, nb::handle value) {
  if (PyDict_SetItem(dictionary.ptr(), key.ptr(), value.ptr()) < 0) throw nb::python_error();
}

// Puts the text where linecache finds it: tracebacks, pdb and inspect show the emitted lines.
void register_text(nb::handle filename, nb::handle text) {
  const nb::object cache = nb::module_::import_("linecache").attr("cache");
  const nb::object lines = text.attr("splitlines")(true);
  // Without a modification time, linecache.checkcache leaves the entry alone.
  set_item(cache, filename,
           nb::make_tuple(PyUnicode_GET_LENGTH(text.ptr()), nb::none(), lines, filename));
}

// Numbers or arrays, except what the defaults say is neither.
std::vector<Type> general_types(const Binder& binder, Arena& arena) {
  std::vector<Type> types;
  std::uint32_t next_dim = 2;
  for (std::size_t i = 0; i < binder.count(); ++i) {
    Type type = Type::numeric(DType::Float64);
    const ParameterKind form = binder.parameters()[i].form;
    if (form == ParameterKind::VariadicPositional) type = Type::of(TypeKind::Tuple);
    if (form == ParameterKind::VariadicKeyword) type = Type::of(TypeKind::Dict);
    if (i < binder.hidden()) {
      type = python::type_of_value(binder.self().ptr(), arena, next_dim);
    } else if (PyObject* value = binder.default_of(i)) {
      // A default says what is no number: a string, None, a flag.
      const Type given = python::type_of_value(value, arena, next_dim);
      if (!given.may_be_active()) type = given;
    }
    types.push_back(type);
  }
  return types;
}

}  // namespace

std::vector<Type> types_of(const std::vector<PyObject*>& values, Arena& arena) {
  std::vector<Type> types;
  types.reserve(values.size());
  std::uint32_t next_dim = 2;
  for (PyObject* value : values) types.push_back(python::type_of_value(value, arena, next_dim));
  return types;
}

std::vector<Structure> structures_of(const Binder& binder, const std::vector<PyObject*>& values,
                                     const std::function<std::vector<ReadField>()>& read,
                                     Arena& arena) {
  std::vector<Structure> structures(values.size());
  std::vector<ReadField> fields;
  bool asked = false;
  // Symbols of lengths that no argument's own type uses.
  std::uint32_t next_dim = 1U << 12U;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ParameterKind form = binder.parameters()[k].form;
    const bool variadic =
        form == ParameterKind::VariadicPositional || form == ParameterKind::VariadicKeyword;
    const bool array = python::is_array(values[k], NumpyTypes::get());
    if (variadic ||
        (!array && python::signature_of(values[k], NumpyTypes::get()) != python::kNoSignature))
      continue;
    if (!asked) fields = read();
    asked = true;
    // Of an array it may count how long it is.
    if (array && std::ranges::none_of(fields, [&](const ReadField& field) {
          return field.parameter == k && field.steps.size() == 1 && is_length_step(field.steps[0]);
        }))
      continue;
    structures[k] = python::structure_of(values[k], k, fields, arena, next_dim);
  }
  return structures;
}

VariantParts differentiate_for(std::shared_ptr<Program> program, const Binder& binder,
                               const std::vector<PyObject*>* values, const GradientOptions& options,
                               const StageLog& log) {
  // Which function a gradient has that the program calls is another one for other arguments.
  program->outside().forget_derivatives();
  const CoreFunction* core = values != nullptr ? &program->core(*values) : &program->core();
  VariantParts parts;
  parts.context = program->context().child();
  Arena& arena = parts.context->arena();
  parts.types = values != nullptr ? types_of(*values, arena) : general_types(binder, arena);
  const auto take_structures = [&] {
    if (values == nullptr) return;
    parts.structures =
        structures_of(binder, *values, [&] { return parts.fields = read_fields(*core); }, arena);
  };
  take_structures();
  constexpr int kMostRounds = 16;  // gradients under gradients
  for (int round = 0; !program->outside().wanted_derivatives().empty(); ++round) {
    if (round == kMostRounds) throw InternalError("the gradients inside do not settle");
    // Which function a gradient has that the program calls: now the types of its arguments are
    // known.
    python::LiveOutside& outside = program->outside();
    const auto types = variable_types(*core, parts.types, parts.structures, outside,
                                      python::session().rules(), *parts.context);
    const std::vector<DerivativeCall> wanted = outside.wanted_derivatives();
    for (const DerivativeCall& call : wanted) {
      std::vector<Type> given;
      for (const Symbol variable : call.arguments) {
        const auto found = types.find(variable);
        given.push_back(found != types.end() ? found->second : Type::unknown());
      }
      try {
        outside.settle_derivative(call.key, call.gradient, given);
      } catch (Diagnostic& diagnostic) {
        if (diagnostic.ranges.empty())
          diagnostic.ranges.assign(call.ranges.begin(), call.ranges.end());
        throw;
      }
    }
    core = &program->lowered_for(values != nullptr ? *values : std::vector<PyObject*>());
    take_structures();
  }
  parts.core = core;
  parts.emitted = differentiate(*core, parts.types, parts.structures, options, program->outside(),
                                python::session().rules(), *parts.context, log);
  parts.program = std::move(program);
  return parts;
}

Variant::Variant(VariantParts parts, const Binder& binder, const std::vector<PyObject*>* values,
                 const GradientOptions& options)
    : program_(std::move(parts.program)),
      context_(std::move(parts.context)),
      emitted_(std::move(parts.emitted)),
      filename_(to_str("<tangent " + options.function_name + " " +
                       std::to_string(python::session().next_number()) + ">")),
      text_(to_str(emitted_.text)),
      seed_name_(interned(emitted_.seed_name)),
      seed_required_(options.seed_required),
      names_dict_(checked(PyDict_New())),
      names_(program_->outside(), emitted_.globals, names_dict_) {
  if (values != nullptr) {
    for (std::size_t i = 0; i < values->size(); ++i) {
      const bool ones = i < emitted_.questions.size() && emitted_.questions[i].ones;
      arguments_.emplace_back((*values)[i], parts.types[i], parts.structures[i], ones);
    }
  }
  fill_namespace(binder);
  make_function(binder);
  refresh_defaults(binder);
  register_text(filename_, text_);
}

std::optional<SharedMemory> Variant::shared(const std::vector<PyObject*>& values) const {
  if (emitted_.written.empty()) return std::nullopt;
  return shared_memory(nullptr, values.data(), 0, values.size(), emitted_.written, names_.values());
}

Variant::~Variant() {
  if (!filename_.is_valid()) return;
  // An exception that is on its way out may still want to show lines of this text: the texts of the
  // last few dead variants stay.
  python::session().retire_text(std::move(filename_));
}

void Variant::fill_namespace(const Binder& binder) {
  set_item(names_dict_, interned("__builtins__"), nb::handle(PyEval_GetBuiltins()));
  PyObject* globals = PyFunction_GET_GLOBALS(binder.function().ptr());
  if (PyObject* name = PyDict_GetItemString(globals, "__name__")) {
    set_item(names_dict_, interned("__name__"), name);
  }
  for (const GlobalBinding& binding : emitted_.globals) {
    // A name that stands for nothing stays unknown: using it is the NameError of the primal.
    if (binding.thing.handle < 0) continue;
    set_item(names_dict_, interned(binding.printed.text()),
             python::emitted_object(program_->outside().object(binding.thing.handle)));
  }
  if (!emitted_.helpers.empty()) {
    nb::object helpers = nb::module_::import_("tangent.runtime");
    if (emitted_.library != Library::NumPy) {
      // The same for arrays of another library.
      helpers = nb::module_::import_("tangent._libraries")
                    .attr("helpers")(static_cast<int>(emitted_.library));
    }
    for (const std::string& helper : emitted_.helpers) {
      set_item(names_dict_, interned(helper), helpers.attr(helper.c_str()));
    }
  }
  if (emitted_.uses_numpy) {
    set_item(names_dict_, interned(emitted_.numpy_name), nb::module_::import_("numpy"));
  }
  for (const auto& [module, printed] : emitted_.modules) {
    set_item(names_dict_, interned(printed), nb::module_::import_(module.c_str()));
  }
}

void Variant::make_function(const Binder& binder) {
  const nb::object module = [&] {
    const python::CollectorPause pause;
    return checked(
        Py_CompileStringObject(emitted_.text.c_str(), filename_.ptr(), Py_file_input, nullptr, -1));
  }();
  // The functions are made from their code objects: running the module would evaluate the user's
  // expressions for defaults and annotations a second time.
  const nb::object constants = module.attr("co_consts");
  for (nb::handle constant : nb::borrow<nb::tuple>(constants)) {
    if (PyCode_Check(constant.ptr()) == 0) continue;
    const nb::object name = constant.attr("co_name");
    if (PyUnicode_READ_CHAR(name.ptr(), 0) == '<') continue;
    nb::object function = checked(PyFunction_New(constant.ptr(), names_dict_.ptr()));
    entries_.push_back(name);
    if (PyUnicode_CompareWithASCIIString(name.ptr(), emitted_.function_name.c_str()) == 0 ||
        name.equal(to_str(emitted_.function_name))) {
      function_ = std::move(function);
    } else {
      set_item(names_dict_, name, function);
    }
  }
  if (!function_.is_valid()) throw InternalError("the emitted text does not define its function");
  const nb::handle primal = binder.function();
  for (const char* attribute : {"__doc__", "__module__"}) {
    function_.attr(attribute) = primal.attr(attribute);
  }
  function_.attr("__annotations__") = primal.attr("__annotations__").attr("copy")();
  callable_ = binder.self().is_valid() ? checked(PyMethod_New(function_.ptr(), binder.self().ptr()))
                                       : function_;
  vectorcall_ = PyVectorcall_Function(callable_.ptr());
}

void Variant::refresh_defaults(const Binder& binder) {
  PyObject* primal = binder.function().ptr();
  PyObject* defaults = PyFunction_GET_DEFAULTS(primal);
  PyObject* named = PyFunction_GET_KW_DEFAULTS(primal);
  if (has_defaults_ && defaults == defaults_.ptr() && named == named_defaults_.ptr()) return;
  if (!default_seed_.is_valid()) {
    // A result with parts has a seed for each.
    default_seed_ = emitted_.default_seed.empty()
                        ? checked(PyFloat_FromDouble(1.0))
                        : checked(PyRun_String(emitted_.default_seed.c_str(), Py_eval_input,
                                               names_dict_.ptr(), names_dict_.ptr()));
  }
  const nb::object& seed = default_seed_;
  defaults_ = nb::borrow(defaults);
  named_defaults_ = nb::borrow(named);
  nb::object positional;
  if (defaults != nullptr) positional = nb::borrow(defaults);
  // What has no default of its own still has one behind those of the primal.
  const auto required = static_cast<Py_ssize_t>(binder.tangents().size());
  const bool optional_seed = required == 0 && !seed_required_;
  const Py_ssize_t count = defaults == nullptr ? 0 : PyTuple_GET_SIZE(defaults);
  if (!binder.has_variadic() && (optional_seed || count > 0)) {
    const Py_ssize_t more = required > 0 ? required : 1;
    PyObject* standard = optional_seed ? seed.ptr() : Py_None;
    positional = checked(PyTuple_New(count + more));
    for (Py_ssize_t i = 0; i < count + more; ++i) {
      PyTuple_SET_ITEM(positional.ptr(), i,
                       Py_NewRef(i < count ? PyTuple_GET_ITEM(defaults, i) : standard));
    }
  }
  nb::object keyword_only;
  if (named != nullptr) keyword_only = checked(PyDict_Copy(named));
  if (binder.has_variadic() && optional_seed) {
    if (!keyword_only.is_valid()) keyword_only = checked(PyDict_New());
    set_item(keyword_only, seed_name_, seed);
  }
  PyObject* none = Py_None;
  if (PyFunction_SetDefaults(function_.ptr(), positional.is_valid() ? positional.ptr() : none) <
          0 ||
      PyFunction_SetKwDefaults(function_.ptr(),
                               keyword_only.is_valid() ? keyword_only.ptr() : none) < 0) {
    throw nb::python_error();
  }
  has_defaults_ = true;
}

int Variant::traverse(visitproc visit, void* arg) const {
  Py_VISIT(names_dict_.ptr());
  Py_VISIT(function_.ptr());
  Py_VISIT(callable_.ptr());  // a reference of its own, also where it is the function
  Py_VISIT(defaults_.ptr());
  Py_VISIT(named_defaults_.ptr());
  Py_VISIT(default_seed_.ptr());
  return names_.traverse(visit, arg);
}

}  // namespace tangent::runtime
