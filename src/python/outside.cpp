#include "python/outside.h"

#include <algorithm>
#include <array>
#include <string>

#include "analysis/aliases.h"
#include "base/diagnostics.h"
#include "lower/lower.h"
#include "python/collector_pause.h"
#include "python/read_tree.h"
#include "python/session.h"
#include "python/text.h"
#include "python/user_rules.h"
#include "python/values.h"
#include "types/infer.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

// object.name, or an invalid object where there is none.
nb::object find_attribute(nb::handle object, nb::handle name) {
  PyObject* found = PyObject_GetAttr(object.ptr(), name.ptr());
  if (found == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
    PyErr_Clear();
  }
  return nb::steal(found);
}

nb::object find_attribute(nb::handle object, const char* name) {
  return find_attribute(object, to_str(name));
}

// A str attribute's text, or nothing.
std::string text_attribute(nb::handle object, const char* name) {
  const nb::object found = find_attribute(object, name);
  return found.is_valid() && PyUnicode_Check(found.ptr()) != 0 ? std::string(view(found))
                                                               : std::string();
}

std::string_view first_part(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

// A ufunc says "numpy" or nothing of its module, whoever made it: these are the modules to look in.
constexpr std::array kUfuncModules = {"numpy", "scipy.special"};

// Functions of private modules that these packages show under public names.
constexpr std::array kPublicModules = {"jax.numpy",
                                       "jax.nn",
                                       "jax.lax",
                                       "jax.numpy.linalg",
                                       "jax.scipy.special",
                                       "jax.scipy.linalg",
                                       "torch.nn.functional",
                                       "torch.special",
                                       "torch.linalg"};

bool is_ufunc(nb::handle object) { return Py_TYPE(object.ptr()) == NumpyTypes::get().ufunc; }

}  // namespace

bool is_library_module(std::string_view name) {
  const std::string_view package = first_part(name);
  return package == "builtins" || RuleBook::is_library(package);
}

bool is_known_as(nb::handle object, const std::string& module, std::string_view path) {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* start = PyDict_GetItemString(modules, module.c_str());
  if (start == nullptr) return false;
  nb::object here = nb::borrow(start);
  while (!path.empty()) {
    const std::string_view part = first_part(path);
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    here = find_attribute(here, to_str(part));
    if (!here.is_valid()) return false;
  }
  return here.is(object);
}

// ---------------------------------------------------------------------------------------------------
// Names

nb::object find_free_name(nb::handle function, nb::handle name) {
  PyObject* callee =
      PyMethod_Check(function.ptr()) != 0 ? PyMethod_GET_FUNCTION(function.ptr()) : function.ptr();
  if (PyFunction_Check(callee) == 0) return {};
  PyObject* closure = PyFunction_GET_CLOSURE(callee);
  if (closure != nullptr) {
    const nb::object free_names =
        nb::steal(PyCode_GetFreevars(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(callee))));
    if (!free_names.is_valid()) throw nb::python_error();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(free_names.ptr()); ++i) {
      const int same =
          PyObject_RichCompareBool(PyTuple_GET_ITEM(free_names.ptr(), i), name.ptr(), Py_EQ);
      if (same < 0) throw nb::python_error();
      // A cell that is still empty is a name that has no value yet.
      if (same != 0) return nb::borrow(PyCell_GET(PyTuple_GET_ITEM(closure, i)));
    }
  }
  PyObject* globals = PyFunction_GET_GLOBALS(callee);
  PyObject* found = PyDict_GetItemWithError(globals, name.ptr());
  if (found == nullptr) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    PyObject* builtins = PyDict_GetItemString(globals, "__builtins__");
    if (builtins == nullptr) builtins = PyEval_GetBuiltins();
    if (builtins != nullptr && PyModule_Check(builtins) != 0) {
      builtins = PyModule_GetDict(builtins);
    }
    if (builtins != nullptr && PyDict_Check(builtins) != 0) {
      found = PyDict_GetItemWithError(builtins, name.ptr());
      if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    }
  }
  return nb::borrow(found);
}

ThingHandle LiveOutside::handle_of(nb::handle object) {
  auto [place, added] = handles_.emplace(object.ptr(), static_cast<ThingHandle>(held_.size()));
  if (added) held_.push_back({.object = nb::borrow(object), .reach = {}});
  return place->second;
}

nb::handle LiveOutside::object(ThingHandle handle) const {
  if (handle < 0 || static_cast<std::size_t>(handle) >= held_.size()) {
    throw InternalError("a handle of no object");
  }
  return held_[static_cast<std::size_t>(handle)].object;
}

bool LiveOutside::literal_asked(ThingHandle handle) const {
  return held_[static_cast<std::size_t>(handle)].literal_asked;
}

bool LiveOutside::type_asked(ThingHandle handle) const {
  return held_[static_cast<std::size_t>(handle)].type_asked;
}

const Reach& LiveOutside::reach_of(ThingHandle handle) const {
  return held_[static_cast<std::size_t>(handle)].reach;
}

void LiveOutside::reached(ThingHandle handle, Reach reach) {
  if (handle < 0 || handle == reach.from) return;
  Reach& known = held_[static_cast<std::size_t>(handle)].reach;
  if (known.form == Reach::Form::None) known = std::move(reach);
}

void LiveOutside::take_object(nb::handle object, bool type_asked, bool literal_asked) {
  handles_.emplace(object.ptr(), static_cast<ThingHandle>(held_.size()));
  held_.push_back({.object = nb::borrow(object),
                   .type_asked = type_asked,
                   .literal_asked = literal_asked,
                   .reach = {}});
}

void LiveOutside::take_file(ThingHandle function) {
  std::string name;
  std::string file_name;
  Read read{.function = function};
  if (function >= 0) {
    nb::object callee = nb::borrow(object(function));
    if (PyMethod_Check(callee.ptr()) != 0) callee = nb::borrow(PyMethod_GET_FUNCTION(callee.ptr()));
    read.code = nb::borrow(PyFunction_GET_CODE(callee.ptr()));
    name = text_attribute(callee, "__name__");
    file_name = text_attribute(read.code, "co_filename");
  }
  read_.push_back(std::move(read));
  files_.add(std::move(file_name), {}, 1, std::move(name));
}

void LiveOutside::record(ThingHandle owner, Symbol name, bool attribute, ThingHandle found,
                         bool member) {
  std::vector<std::size_t>& asked = questions_by_name_[name];
  for (const std::size_t index : asked) {
    const Question& question = questions_[index];
    if (question.owner == owner && question.attribute == attribute && question.member == member &&
        !question.entry)
      return;
  }
  asked.push_back(questions_.size());
  questions_.push_back({owner, name, attribute, found, member});
}

// Of a cached function the answer is what caches it: the very object counts.
void LiveOutside::record_thing(ThingHandle owner, Symbol name, bool attribute, nb::handle found,
                               const Thing& thing) {
  const ThingHandle handle = handle_of(found);
  if (handle != thing.handle) held_[static_cast<std::size_t>(handle)].literal_asked = true;
  record(owner, name, attribute, handle);
}

Thing LiveOutside::lookup(ThingHandle function, Symbol name, Context& context) {
  if (function == alias_.function && name == alias_.name)
    return thing_of(object(alias_.meaning), {}, context);
  if (const nb::object own = own_name(object(function), name.text()); own.is_valid())
    return thing_of(own, {}, context);
  const nb::object found = find_free_name(object(function), to_str(name.text()));
  if (!found.is_valid()) {
    record(function, name, false, -1);
    return {};
  }
  const Thing thing = thing_of(found, {}, context);
  record_thing(function, name, false, found, thing);
  return thing;
}

Thing LiveOutside::attribute(const Thing& thing, Symbol name, Context& context) {
  const nb::handle owner = object(thing.handle);
  const nb::object found = find_attribute(owner, to_str(name.text()));
  const std::string_view owner_name = thing.qualified_name.text();
  // What libraries hold under their names does not change; what users' modules hold does.
  const bool fixed = thing.kind == ThingKind::Library ||
                     (thing.kind == ThingKind::Module && is_library_module(owner_name));
  if (!found.is_valid()) {
    if (!fixed) record(thing.handle, name, true, -1);
    return {};
  }
  std::string path;
  if (!owner_name.empty()) {
    path.reserve(owner_name.size() + 1 + name.text().size());
    path += owner_name;
    path += '.';
    path += name.text();
  }
  const Thing result = thing_of(found, path, context);
  if (!fixed) {
    record_thing(thing.handle, name, true, found, result);
  } else if (std::ranges::none_of(fixed_, [&](const Question& question) {
               return question.owner == thing.handle && question.name == name;
             })) {
    fixed_.push_back({thing.handle, name, true, result.handle});
  }
  return result;
}

// The name under which the rules know a library's function. In order: its own name where its module
// holds it there ("numpy.absolute" for np.abs), that in the public package of a private module
// ("scipy.linalg.expm" for scipy.linalg._matfuncs.expm), the path by which it was reached;
// whichever has a record, else the first that is public.
std::string LiveOutside::library_name(nb::handle object, const std::string& path) {
  const std::string module = text_attribute(object, "__module__");
  std::string name = text_attribute(object, "__qualname__");
  if (name.empty()) name = text_attribute(object, "__name__");
  const std::size_t hidden = module.find("._");
  std::vector<std::string> candidates;
  auto consider = [&](std::string_view in) {
    if (in.empty() || name.empty() || !is_known_as(object, std::string(in), name)) return;
    candidates.push_back(std::string(in) + "." + name);
  };
  if (hidden == std::string::npos) consider(module);
  if (hidden != std::string::npos) consider(std::string_view(module).substr(0, hidden));
  if (!path.empty()) candidates.push_back(path);
  if (hidden != std::string::npos) {
    for (const std::string_view shown : kPublicModules) {
      if (path.empty() && first_part(shown) == first_part(module)) consider(shown);
    }
    consider(module);
  }
  if (module.empty() || is_ufunc(object)) {
    for (const char* ufuncs : kUfuncModules) consider(ufuncs);
  }
  // Functions of torch say the class that holds them, and no module.
  constexpr std::string_view kTorch = "_VariableFunctionsClass.";
  if (name.starts_with(kTorch)) candidates.push_back("torch." + name.substr(kTorch.size()));
  for (const std::string& candidate : candidates) {
    if (rules_.find(candidate) != nullptr) return candidate;
    const std::string_view known = known_name(candidate);
    if (known != candidate) return std::string(known);
  }
  if (!candidates.empty()) return candidates.front();
  return module.empty() || name.empty() ? name : module + "." + name;
}

bool is_plain_value(nb::handle object) {
  PyObject* pointer = object.ptr();
  return PyModule_Check(pointer) == 0 &&
         (PyCallable_Check(pointer) == 0 ||
          !(PyMethod_Check(pointer) != 0 || PyType_Check(pointer) != 0 ||
            PyFunction_Check(pointer) != 0 || PyCFunction_Check(pointer) != 0 || is_ufunc(object) ||
            (is_library_module(text_attribute(object, "__module__")) &&
             !text_attribute(object, "__name__").empty())));
}

Thing LiveOutside::thing_of(nb::handle object, const std::string& path, Context& context) {
  // functools.lru_cache: the function that it calls, for each call.
  if (std::string_view(Py_TYPE(object.ptr())->tp_name) == "functools._lru_cache_wrapper") {
    const nb::object wrapped = find_attribute(object, "__wrapped__");
    if (wrapped.is_valid() && PyFunction_Check(wrapped.ptr()) != 0)
      return thing_of(wrapped, path, context);
  }
  // jax.jit of a user's function: how it is compiled is not what it computes.
  if (std::string_view(Py_TYPE(object.ptr())->tp_name).ends_with("PjitFunction")) {
    const nb::object wrapped = find_attribute(object, "__wrapped__");
    if (wrapped.is_valid() && PyFunction_Check(wrapped.ptr()) != 0 &&
        !is_library_module(text_attribute(wrapped, "__module__")))
      return thing_of(wrapped, path, context);
  }
  Thing thing{.kind = ThingKind::Value, .handle = handle_of(object), .qualified_name = {}};
  PyObject* pointer = object.ptr();
  if (PyModule_Check(pointer) != 0) {
    thing.kind = ThingKind::Module;
    thing.qualified_name = context.symbol(text_attribute(object, "__name__"));
    return thing;
  }
  if (const std::string_view type(Py_TYPE(pointer)->tp_name); type.find("_gen") != type.npos) {
    // SciPy's distributions hold functions as modules do.
    const std::string name = text_attribute(object, "name");
    const nb::object of =
        find_attribute(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(pointer))), "__module__");
    const bool scipy =
        of.is_valid() && PyUnicode_Check(of.ptr()) != 0 && view(of).starts_with("scipy.stats.");
    if (scipy) {
      for (const std::string& known : {name, std::string("multivariate_normal")}) {
        if (known.empty() || !is_known_as(object, "scipy.stats", known)) continue;
        thing.kind = ThingKind::Module;
        thing.qualified_name = context.symbol("scipy.stats." + known);
        return thing;
      }
    }
  }
  if (is_plain_value(object)) return thing;
  if (PyMethod_Check(pointer) != 0) {
    PyObject* function = PyMethod_GET_FUNCTION(pointer);
    if (PyFunction_Check(function) != 0 &&
        !is_library_module(text_attribute(function, "__module__"))) {
      thing.kind = ThingKind::BoundMethod;
      thing.qualified_name = context.symbol(text_attribute(object, "__name__"));
      return thing;
    }
    thing.kind = ThingKind::Library;
    thing.qualified_name = context.symbol(library_name(object, path));
    return thing;
  }
  const std::string module = text_attribute(object, "__module__");
  if (PyFunction_Check(pointer) != 0 && module.starts_with("tangent._runtime_")) {
    // What emitted texts call has records of its own.
    thing.kind = ThingKind::Library;
    thing.qualified_name = context.symbol("tangent.runtime." + text_attribute(object, "__name__"));
    return thing;
  }
  if (const nb::object slot = rule_slot(object, forward_); slot.is_valid()) {
    thing.kind = ThingKind::Library;
    thing.qualified_name = context.symbol(rule_name(slot));
    ruled_[thing.qualified_name] = {thing.handle, handle_of(slot)};
    return thing;
  }
  if (PyFunction_Check(pointer) != 0 && module.starts_with("tangent._numpy_")) {
    // NumPy's functions for the arrays of another library.
    thing.kind = ThingKind::Library;
    const std::string name = text_attribute(object, "__name__");
    std::string known = "numpy." + name;
    if (name.starts_with("linalg_")) known = "numpy.linalg." + name.substr(7);
    if (rules_.find(known) == nullptr && rules_.find("scipy.special." + name) != nullptr)
      known = "scipy.special." + name;
    thing.qualified_name = context.symbol(known);
    return thing;
  }
  const bool library = is_library_module(module);
  if (PyType_Check(pointer) != 0) {
    thing.kind = library ? ThingKind::Library : ThingKind::UserClass;
  } else if (PyFunction_Check(pointer) != 0) {
    thing.kind = library ? ThingKind::Library : ThingKind::UserFunction;
  } else {
    thing.kind = ThingKind::Library;
  }
  thing.qualified_name = thing.kind == ThingKind::Library
                             ? context.symbol(library_name(object, path))
                             : context.symbol(text_attribute(object, "__name__"));
  // Classes that lowering knows: `src/lower/deques.h`, `src/lower/default_dicts.h`.
  if (thing.kind == ThingKind::UserClass && module == "collections") {
    const std::string word(thing.qualified_name.text());
    for (const char* known : {"deque", "defaultdict", "Counter", "OrderedDict"}) {
      if (word == known) thing.qualified_name = context.symbol("collections." + word);
    }
  }
  return thing;
}

// ---------------------------------------------------------------------------------------------------
// Rules of users

namespace {

bool is_free_variable(nb::handle function, nb::handle name) {
  const nb::object names = nb::steal(
      PyCode_GetFreevars(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function.ptr()))));
  if (!names.is_valid()) throw nb::python_error();
  const int found = PySequence_Contains(names.ptr(), name.ptr());
  if (found < 0) throw nb::python_error();
  return found != 0;
}

// Whether a name is the same global in two functions.
bool reads_same_global(nb::handle a, nb::handle b, nb::handle name) {
  return PyFunction_Check(a.ptr()) != 0 && PyFunction_Check(b.ptr()) != 0 &&
         PyFunction_GET_GLOBALS(a.ptr()) == PyFunction_GET_GLOBALS(b.ptr()) &&
         !is_free_variable(a, name) && !is_free_variable(b, name);
}

}  // namespace

RuleObject LiveOutside::rule_object(Symbol name, Context& context) {
  nb::object known = session().rule_object(std::string(name.text()));
  for (const auto& [record, handles] : ruled_) {
    if (known.is_valid()) break;
    known = slot_object(object(handles.second), name.text());
  }
  if (!known.is_valid()) throw InternalError("a rule names an object that is gone");
  auto item = [&](Py_ssize_t i) { return nb::handle(PyTuple_GET_ITEM(known.ptr(), i)); };
  RuleObject result;
  result.wish = std::string(view(item(3)));
  if (item(1).is_none()) {
    result.thing = thing_of(item(0), {}, context);
    return result;
  }
  result.original = context.symbol(view(item(2)));
  // What is a global of the differentiated function's own module is one name with the function's.
  const bool same = reads_same_global(item(1), object(0), item(2));
  result.function = same ? 0 : handle_of(item(1));
  result.thing = lookup(result.function, result.original, context);
  return result;
}

namespace {

// A rule says nothing of what its function does to what it is given.
void refuse_outside_writes(const TypedFunction& typed) {
  const auto refuse = [&](Ranges ranges) {
    throw Diagnostic(DiagnosticKind::BadRule,
                     "`" + std::string(typed.core->name.text()) +
                         "` has a rule of its own, and writes into what it is given",
                     ranges, "let it return a new value");
  };
  const Aliases aliases(typed, true);
  aliases.for_each_store([&](const Stmt* store) {
    for (const Symbol array : aliases.stored_into(store)) {
      if (aliases.is_outside(array)) refuse(store->ranges);
    }
  });
  if (!typed.core->changed_objects.empty()) refuse(typed.core->ranges);
}

}  // namespace

Type LiveOutside::result_of(Symbol callee, std::span<const Type> arguments, Context& context) {
  const auto found = ruled_.find(callee);
  if (found == ruled_.end()) return Type::unknown();
  if (std::ranges::find(typed_now_, callee) != typed_now_.end()) return Type::unknown();
  const ThingHandle handle = found->second.first;
  // What is known of this call's arguments is not known of the callee's.
  struct Inner {
    Inner(LiveOutside& outside, Symbol callee) : outside(outside), kept(outside.arguments_) {
      outside.arguments_ = nullptr;
      outside.typed_now_.push_back(callee);
    }
    ~Inner() {
      outside.arguments_ = kept;
      outside.typed_now_.pop_back();
    }
    Inner(const Inner&) = delete;
    Inner& operator=(const Inner&) = delete;
    LiveOutside& outside;
    const std::vector<PyObject*>* kept;
  };
  const Inner inner(*this, callee);
  try {
    const CapturedFunction function =
        source_of({.kind = ThingKind::UserFunction, .handle = handle}, context);
    const CoreFunction core = lower(function, handle, *this, rules_, context);
    if (core.parameters.size() != arguments.size() || !core.pairs.empty()) return Type::unknown();
    const TypedFunction typed =
        infer(core, {arguments.begin(), arguments.end()}, *this, rules_, context);
    refuse_outside_writes(typed);
    return typed.result;
  } catch (const Diagnostic& diagnostic) {
    if (diagnostic.kind == DiagnosticKind::BadRule) throw;
    return Type::unknown();  // what the engine cannot read, a rule may still differentiate
  }
}

// ---------------------------------------------------------------------------------------------------
// Values

Type LiveOutside::type_of(const Thing& thing, Arena& arena) {
  if (thing.kind == ThingKind::Missing) return Type::unknown();
  if (thing.kind == ThingKind::Module) return Type::of(TypeKind::Module);
  held_[static_cast<std::size_t>(thing.handle)].type_asked = true;
  // Symbols of parameters are small numbers: those of captured arrays begin far above them.
  std::uint32_t next_dim = 0x40000000U + (static_cast<std::uint32_t>(thing.handle) << 8U);
  return type_of_value(object(thing.handle).ptr(), arena, next_dim);
}

std::optional<Literal> LiveOutside::literal_of(const Thing& thing, Arena& arena) {
  if (thing.kind != ThingKind::Value) return std::nullopt;
  PyObject* value = object(thing.handle).ptr();
  std::optional<Literal> literal;
  if (value == Py_None) literal = Literal{};
  if (value == Py_True) literal = Literal{.kind = LiteralKind::True};
  if (value == Py_False) literal = Literal{.kind = LiteralKind::False};
  if (PyFloat_CheckExact(value)) {
    literal = Literal{.kind = LiteralKind::Float, .number = PyFloat_AS_DOUBLE(value)};
  } else if (PyLong_CheckExact(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) literal = Literal{.kind = LiteralKind::Integer, .integer = number};
  } else if (PyUnicode_CheckExact(value)) {
    literal = Literal{.kind = LiteralKind::String, .text = arena.copy_text(view(value))};
  }
  if (literal) held_[static_cast<std::size_t>(thing.handle)].literal_asked = true;
  return literal;
}

// ---------------------------------------------------------------------------------------------------
// Sources

namespace {

DiagnosticKind kind_by_name(std::string_view name) {
  for (const DiagnosticKind kind :
       {DiagnosticKind::SourceNotAvailable, DiagnosticKind::SourceChanged, DiagnosticKind::TooDeep,
        DiagnosticKind::NotAFunction, DiagnosticKind::SyntaxNotParsed}) {
    if (diagnostic_name(kind) == name) return kind;
  }
  throw InternalError("tangent._capture reports a failure of unknown kind");
}

}  // namespace

CapturedFunction LiveOutside::source_of(const Thing& function, Context& context) {
  nb::object object = nb::borrow(this->object(function.handle));
  if (PyMethod_Check(object.ptr()) != 0) object = nb::borrow(PyMethod_GET_FUNCTION(object.ptr()));
  const CollectorPause pause;  // while there is a syntax tree
  const nb::object found = nb::module_::import_("tangent._capture").attr("read")(object);
  auto item = [&](Py_ssize_t i) { return nb::handle(PyTuple_GET_ITEM(found.ptr(), i)); };
  if (PyTuple_GET_SIZE(found.ptr()) == 3) {  // kind, message, remedy
    throw Diagnostic(kind_by_name(view(item(0))), std::string(view(item(1))), {},
                     std::string(view(item(2))));
  }
  // node, text, number of the text's first line in the file, file name, class of private names
  const int first_line = nb::cast<int>(item(2));
  const FileId file = files_.add(std::string(view(item(3))), nb::borrow(item(1)), first_line,
                                 text_attribute(object, "__name__"));
  read_.resize(static_cast<std::size_t>(file) + 1);
  read_[file] = {function.handle, nb::borrow(PyFunction_GET_CODE(object.ptr()))};
  const ParsedText text(view(item(1)), file, first_line);
  return read_function(item(0), text, view(item(4)), file, context);
}

namespace {

// Turns CPython's SyntaxError into ours.
[[noreturn]] void rethrow_syntax_error(nb::python_error& error, FileId file, int line,
                                       std::string_view filename) {
  if (error.matches(PyExc_RecursionError) || error.matches(PyExc_MemoryError)) {
    throw Diagnostic(DiagnosticKind::TooDeep, "the code is nested too deep for Python's parser", {},
                     "split it into several statements or functions");
  }
  if (!error.matches(PyExc_SyntaxError)) throw error;
  const std::string message = text_attribute(error.value(), "msg");
  SourceRange range{.file = file};
  const nb::object where = find_attribute(error.value(), "lineno");
  if (where.is_valid() && PyLong_Check(where.ptr()) != 0) {
    range.line = range.end_line = static_cast<std::uint32_t>(nb::cast<int>(where) + line - 1);
  }
  const nb::object column = find_attribute(error.value(), "offset");
  if (column.is_valid() && PyLong_Check(column.ptr()) != 0 && nb::cast<int>(column) > 0) {
    range.column = static_cast<std::uint32_t>(nb::cast<int>(column) - 1);
    range.end_column = range.column + 1;
  }
  throw Diagnostic(DiagnosticKind::SyntaxNotParsed,
                   "Python cannot parse " + std::string(filename) + ": " + message,
                   std::span<const SourceRange>(&range, 1));
}

}  // namespace

Block parse_as(FileId file, std::string_view text, std::string_view filename, int line,
               Context& context) {
  const CollectorPause pause;
  nb::object tree;
  try {
    tree = parse_text(to_str(text), filename);
  } catch (nb::python_error& error) {
    rethrow_syntax_error(error, file, line, filename);
  }
  return read_module(tree, ParsedText(text, file, line), context);
}

Block LiveOutside::parse(std::string_view text, std::string_view filename, int line,
                         Context& context) {
  const FileId file = files_.add(std::string(filename), to_str(text), line);
  return parse_as(file, text, filename, line, context);
}

Block parse_rules(std::string_view text, std::string_view filename, int line, Context& context) {
  // The id says which of the built-in files it is; texts given by users come after them.
  FileId file = kFirstRuleFile;
  std::string_view last;
  for (const RuleSource& source : rule_index()) {
    if (source.filename == last) continue;
    last = source.filename;
    if (last == filename) break;
    ++file;
  }
  return parse_as(file, text, filename, line, context);
}

std::string_view rule_file_name(FileId file) {
  FileId here = kFirstRuleFile;
  std::string_view last;
  for (const RuleSource& source : rule_index()) {
    if (source.filename == last) continue;
    last = source.filename;
    if (here++ == file) return last;
  }
  return {};
}

int LiveOutside::traverse(visitproc visit, void* arg) const {
  for (const Held& held : held_) Py_VISIT(held.object.ptr());
  for (const Read& read : read_) Py_VISIT(read.code.ptr());
  return 0;
}

}  // namespace tangent::python
