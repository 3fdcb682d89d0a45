#include "runtime/stored.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/sha256.h"
#include "lower/argument_steps.h"
#include "python/describe.h"
#include "python/entries.h"
#include "python/outside.h"
#include "python/session.h"
#include "python/structure.h"
#include "python/text.h"
#include "store/bytes.h"
#include "store/stored_variant.h"

namespace nb = nanobind;

namespace tangent::runtime {

using python::interned;
using python::LiveOutside;
using python::NumpyTypes;
using python::Program;
using python::Question;
using python::to_str;

namespace {

constexpr std::size_t kNothing = StoredQuestion::kNothing;
constexpr std::size_t kMostKept = 8;  // variants of one function and options
constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
constexpr std::string_view kGeneral = "the general form";  // in place of what arguments are
constexpr int kLongestWay = 32;                            // objects that lead to objects

// f(), where any failure of it means that nothing is stored or found. What stops the whole program
// (KeyboardInterrupt) goes on.
template <class F>
auto quietly(F&& f, decltype(f()) otherwise) -> decltype(f()) {
  try {
    return f();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
  } catch (const std::exception&) {
    return otherwise;  // an object that changed meanwhile, or one of a kind nobody thought of
  }
  return otherwise;
}

// The key: everything that is known before a question is asked. Nothing where it cannot be told.
std::optional<std::string> key_of(nb::handle function, nb::handle parsed,
                                  const GradientOptions& options) {
  if (options.simplify_formula) return std::nullopt;  // SymPy says what the text is
  const std::optional<std::string>& rules = python::session().rule_history();
  const std::optional<std::string> source = python::fingerprint(function, parsed);
  const std::string engine = python::describe_engine();
  if (!rules || !source || engine.empty()) return std::nullopt;
  ByteWriter out;
  for (const std::string_view part :
       {std::string_view("engine"), std::string_view(engine), std::string_view("rules"),
        std::string_view(*rules), std::string_view("function"), std::string_view(*source),
        std::string_view("options")})
    out.text(part);
  out.text(described(options));
  return to_hex(sha256(out.take()));
}

bool is_enabled() {
  return nb::cast<bool>(nb::module_::import_("tangent.disk_cache").attr("enabled")());
}

std::vector<std::string> load(const std::string& key) {
  const nb::object found = nb::module_::import_("tangent.disk_cache").attr("load")(to_str(key));
  if (PyBytes_Check(found.ptr()) == 0) return {};
  return read_variants(
      {PyBytes_AS_STRING(found.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(found.ptr()))});
}

// ---------------------------------------------------------------------------------------------------
// Arguments

// The classes of the objects in an argument, as far as its structure goes.
bool describe_classes(ByteWriter& out, PyObject* value, const Structure& structure) {
  const std::optional<std::string> own = python::described_class_of(nb::handle(value));
  if (!own) return false;
  out.text(*own);
  Py_ssize_t position = 0;
  for (const auto& [step, part] : structure.parts) {
    const nb::object held = python::held_part(value, structure, step, position++).value;
    if (!held.is_valid() || !describe_classes(out, held.ptr(), part)) return false;
  }
  return true;
}

// One description for each value; nothing if one cannot be told.
std::optional<std::vector<std::string>> describe_arguments(
    const std::vector<PyObject*>& values, const std::vector<Type>& types,
    const std::vector<Structure>& structures) {
  std::vector<std::string> descriptions;
  for (std::size_t k = 0; k < values.size(); ++k) {
    ByteWriter out;
    out.text(described(types[k]));
    if (length_of(structures[k]) >= 0 ||
        python::signature_of(values[k], NumpyTypes::get()) == python::kNoSignature) {
      out.text(described(structures[k]));
      if (!describe_classes(out, values[k], structures[k])) return std::nullopt;
    }
    descriptions.push_back(out.take());
  }
  return descriptions;
}

// The class of an argument, or of what attributes of it lead to.
nb::object class_of_argument(const std::vector<PyObject*>* values, const StoredObject& object) {
  if (values == nullptr || object.position >= values->size()) return {};
  nb::object value = nb::borrow((*values)[object.position]);
  for (const std::string& step : object.path) {
    if (!value.is_valid() || !python::is_plain_object(value.ptr())) return {};
    value = python::plain_attribute(value.ptr(), interned(step).ptr());
  }
  if (!value.is_valid()) return {};
  return nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())));
}

// ---------------------------------------------------------------------------------------------------
// Storing

// The objects of an outside that what is stored speaks of, and their places.
class Telling {
 public:
  Telling(const LiveOutside& outside, const std::vector<PyObject*>* values, StoredVariant& stored)
      : outside_(outside), values_(values), stored_(stored) {
    for (const std::vector<Question>* questions :
         {&outside.questions(), &outside.fixed_questions()}) {
      for (const Question& question : *questions) {
        if (question.found >= 0) is_found_.insert(question.found);
      }
    }
  }

  // The place of an object; those that lead to it get places, too.
  std::size_t place(ThingHandle handle) {
    const auto known = places_.find(handle);
    if (known != places_.end()) return known->second;
    // What an import inside the function binds is looked up in no function.
    if (handle < 0) {
      is_told_ = false;
      return 0;
    }
    StoredObject object;
    if (handle != 0 && !is_found_.contains(handle)) {
      const python::Reach& reach = outside_.reach_of(handle);
      if (reach.form == python::Reach::Form::None || depth_ == kLongestWay) {
        is_told_ = false;
        return 0;
      }
      // The forms have the same order, behind that of questions.
      object.reach = static_cast<StoredObject::Reach>(reach.form);
      object.name = reach.name;
      object.position = reach.position;
      for (const Symbol step : reach.path) object.path.emplace_back(step.text());
      // The outside may have been asked about the classes of other arguments, too: of those that
      // variants before this one were made for.
      if (object.reach == StoredObject::Reach::ArgumentClass &&
          !class_of_argument(values_, object).is(outside_.object(handle)))
        is_told_ = false;
      ++depth_;
      if (reach.from >= 0) object.from = place(reach.from);
      --depth_;
    }
    object.type_asked = outside_.type_asked(handle);
    object.literal_asked = outside_.literal_asked(handle);
    if (handle != 0) {
      const std::optional<std::string> description =
          python::described(outside_.object(handle), object.literal_asked);
      if (description) object.description = *description;
      is_told_ = is_told_ && description.has_value();
    }
    const std::size_t place = stored_.objects.size();
    stored_.objects.push_back(std::move(object));
    places_.emplace(handle, place);
    return place;
  }

  [[nodiscard]] bool is_told() const { return is_told_; }

 private:
  const LiveOutside& outside_;
  const std::vector<PyObject*>* values_;
  StoredVariant& stored_;
  std::unordered_set<ThingHandle> is_found_;
  std::unordered_map<ThingHandle, std::size_t> places_;
  int depth_ = 0;
  bool is_told_ = true;
};

std::uint32_t first_line_of(nb::handle function) {
  if (PyMethod_Check(function.ptr()) != 0)
    function = nb::handle(PyMethod_GET_FUNCTION(function.ptr()));
  const auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function.ptr()));
  return static_cast<std::uint32_t>(std::max(code->co_firstlineno, 1));
}

std::optional<std::string> told(const Variant& variant, const Binder& binder,
                                const std::vector<PyObject*>* values,
                                const std::vector<ReadField>& fields) {
  const Program& program = *variant.program();
  const LiveOutside& outside = program.outside();
  StoredVariant stored;
  Telling telling(outside, values, stored);
  telling.place(0);
  const auto tell = [&](const Question& question, bool fixed) {
    StoredQuestion& written = stored.questions.emplace_back();
    written.owner = telling.place(question.owner);
    written.name = question.name.text();
    written.attribute = question.attribute;
    written.member = question.member;
    written.fixed = fixed;
    written.entry = question.entry;
    written.found = question.found >= 0 ? telling.place(question.found) : kNothing;
  };
  for (const Question& question : outside.questions()) tell(question, false);
  for (const Question& question : outside.fixed_questions()) tell(question, true);
  std::vector<std::uint32_t> first_lines;
  for (FileId file = 0; const python::SourceFile* source = outside.files().find(file); ++file) {
    const ThingHandle function = outside.function_of(file);
    first_lines.push_back(function >= 0 ? first_line_of(outside.object(function)) : 1);
    stored.files.push_back({function >= 0 ? telling.place(function) : kNothing});
    // What was read has to be what the lines of the code object say, here and elsewhere.
    if (function >= 0 && !python::fingerprint(outside.object(function), source->text))
      return std::nullopt;
  }
  if (!telling.is_told()) return std::nullopt;
  // Which function an argument is cannot be told in another process.
  if (std::ranges::any_of(fields, [](const ReadField& field) { return field.is_same; }))
    return std::nullopt;
  stored.fields = fields;
  stored.literal_outputs = python::literal_outputs(*program.captured().definition);
  std::optional<std::vector<std::string>> arguments{{std::string(kGeneral)}};
  if (values != nullptr) {
    Arena arena;
    const std::vector<Structure> structures =
        structures_of(binder, *values, [&] { return fields; }, arena);
    arguments = describe_arguments(*values, types_of(*values, arena), structures);
  }
  const auto emitted = write_emitted(variant.emitted(), first_lines,
                                     [&](ThingHandle handle) { return telling.place(handle); });
  if (!arguments || !emitted || !telling.is_told()) return std::nullopt;
  stored.arguments = *arguments;
  stored.emitted = *emitted;
  return write_variant(stored);
}

// ---------------------------------------------------------------------------------------------------
// Finding again

// The objects of this process that stored ones stand for.
class Finding {
 public:
  Finding(const StoredVariant& stored, nb::handle function, const std::vector<PyObject*>* values)
      : stored_(stored), values_(values), objects_(stored.objects.size()) {
    objects_.front() = nb::borrow(function);
  }

  // Whether every question has its answer. What one is asked of may be what a later one finds:
  // those of libraries stand behind the others.
  bool answers() {
    std::vector<const StoredQuestion*> open;
    for (const StoredQuestion& question : stored_.questions) open.push_back(&question);
    while (!open.empty()) {
      std::vector<const StoredQuestion*> later;
      for (const StoredQuestion* question : open) {
        const nb::handle owner = find(question->owner, 0);
        if (!owner.is_valid()) {
          later.push_back(question);
        } else if (!answers(owner, *question)) {
          return false;
        }
      }
      if (later.size() == open.size()) return false;
      open = std::move(later);
    }
    for (std::size_t place = 1; place < objects_.size(); ++place) {
      if (!find(place, 0).is_valid()) return false;
      const StoredObject& object = stored_.objects[place];
      if (python::described(objects_[place], object.literal_asked) != object.description)
        return false;
    }
    return true;
  }

  [[nodiscard]] const std::vector<nb::object>& objects() const { return objects_; }

 private:
  bool answers(nb::handle owner, const StoredQuestion& question) {
    const nb::object now = ask(owner, question);
    if (question.found == kNothing) return !now.is_valid();
    if (!now.is_valid()) return false;
    nb::object& known = objects_[question.found];
    if (!known.is_valid()) known = now;
    return known.is(now);
  }

  static nb::object ask(nb::handle owner, const StoredQuestion& question) {
    if (question.entry) return python::entry_now(owner, question.name);
    const nb::object name = interned(question.name);
    if (question.member) {
      if (PyType_Check(owner.ptr()) == 0) return {};
      return nb::borrow(python::held_by_class(owner.ptr(), name.ptr()));
    }
    if (!question.attribute) return python::find_free_name(owner, name);
    return attribute(owner, name);
  }

  static nb::object attribute(nb::handle owner, nb::handle name) {
    PyObject* found = PyObject_GetAttr(owner.ptr(), name.ptr());
    if (found == nullptr) PyErr_Clear();
    return nb::steal(found);
  }

  // The object of a place, looked for where it is not known yet; null if there is none.
  nb::handle find(std::size_t place, int depth) {
    nb::object& found = objects_[place];
    if (found.is_valid() || depth == kLongestWay) return found;
    const StoredObject& object = stored_.objects[place];
    if (object.reach == StoredObject::Reach::Question) return {};
    if (object.reach == StoredObject::Reach::ArgumentClass) {
      found = class_of_argument(values_, object);
      return found;
    }
    const nb::handle from = find(object.from, depth + 1);
    if (!from.is_valid()) return {};
    switch (object.reach) {
      case StoredObject::Reach::Inner:
        if (Py_IS_TYPE(from.ptr(), &PyClassMethod_Type) ||
            Py_IS_TYPE(from.ptr(), &PyStaticMethod_Type) ||
            Py_IS_TYPE(from.ptr(), &PyProperty_Type))
          found = attribute(from, interned(object.name));
        break;
      case StoredObject::Reach::ClassOf:
        found = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(from.ptr())));
        break;
      case StoredObject::Reach::Base:
        if (PyType_Check(from.ptr()) != 0) {
          PyObject* order = reinterpret_cast<PyTypeObject*>(from.ptr())->tp_mro;
          if (object.position < static_cast<std::size_t>(PyTuple_GET_SIZE(order)))
            found = nb::borrow(PyTuple_GET_ITEM(order, static_cast<Py_ssize_t>(object.position)));
        }
        break;
      case StoredObject::Reach::Question:
      case StoredObject::Reach::ArgumentClass:
        break;
    }
    return found;
  }

  const StoredVariant& stored_;
  const std::vector<PyObject*>* values_;
  std::vector<nb::object> objects_;
};

bool fits(const Emitted& emitted, std::size_t parameters, const GradientOptions& options) {
  const auto known = [&](const std::vector<std::size_t>& positions) {
    return std::ranges::all_of(positions, [&](std::size_t each) { return each < parameters; });
  };
  return emitted.function_name == options.function_name &&
         emitted.scalar_tangents.size() == options.tangents.size() &&
         known(emitted.written.arrays) && known(emitted.written.lists) &&
         known(emitted.written.objects);
}

std::shared_ptr<Variant> revived(const StoredVariant& stored, const Binder& binder,
                                 const std::vector<PyObject*>* values,
                                 const GradientOptions& options) {
  VariantParts parts;
  parts.program = std::make_shared<Program>(python::session());
  parts.context = parts.program->context().child();
  if (values == nullptr) {
    if (stored.arguments != std::vector<std::string>{std::string(kGeneral)}) return nullptr;
  } else {
    if (stored.arguments.size() != values->size()) return nullptr;
    Arena& arena = parts.context->arena();
    parts.types = types_of(*values, arena);
    parts.structures = structures_of(binder, *values, [&] { return stored.fields; }, arena);
    if (describe_arguments(*values, parts.types, parts.structures) != stored.arguments)
      return nullptr;
  }
  Finding finding(stored, binder.function(), values);
  if (!finding.answers()) return nullptr;

  LiveOutside& outside = parts.program->outside();
  for (std::size_t place = 0; place < stored.objects.size(); ++place) {
    const StoredObject& object = stored.objects[place];
    outside.take_object(finding.objects()[place], object.type_asked, object.literal_asked);
  }
  for (const StoredQuestion& question : stored.questions) {
    if (question.fixed) continue;
    outside.take_question({.owner = static_cast<ThingHandle>(question.owner),
                           .name = parts.context->symbol(question.name),
                           .attribute = question.attribute,
                           .found = static_cast<ThingHandle>(question.found),
                           .member = question.member,
                           .entry = question.entry});
  }
  std::vector<std::uint32_t> first_lines;
  for (const StoredFile& file : stored.files) {
    const bool known = file.function != kNothing;
    nb::handle function;
    if (known) {
      function = finding.objects()[file.function];
      if (PyMethod_Check(function.ptr()) != 0)
        function = nb::handle(PyMethod_GET_FUNCTION(function.ptr()));
      if (PyFunction_Check(function.ptr()) == 0) return nullptr;
    }
    outside.take_file(static_cast<ThingHandle>(file.function));
    first_lines.push_back(known ? first_line_of(function) : 1);
  }
  std::optional<Emitted> emitted =
      read_emitted(stored.emitted, first_lines, stored.objects.size(), *parts.context);
  if (!emitted || !fits(*emitted, binder.count(), options)) return nullptr;
  parts.emitted = std::move(*emitted);
  auto variant = std::make_shared<Variant>(std::move(parts), binder, values, options);
  if (values != nullptr && variant->shared(*values)) return nullptr;  // to be refused
  return variant;
}

}  // namespace

StoredVariants StoredVariants::find(nb::handle function, const GradientOptions& options) {
  return quietly(
      [&] {
        if (!is_enabled()) return StoredVariants();
        const std::optional<std::string> key = key_of(function, {}, options);
        return key ? StoredVariants(load(*key)) : StoredVariants();
      },
      StoredVariants());
}

std::size_t StoredVariants::literal_outputs() const {
  if (variants_.empty()) return 0;
  const std::optional<StoredVariant> stored = read_variant(variants_.front());
  return stored ? stored->literal_outputs : 0;
}

std::shared_ptr<Variant> StoredVariants::restore(const Binder& binder,
                                                 const std::vector<PyObject*>* values,
                                                 const GradientOptions& options) const {
  for (const std::string& bytes : variants_) {
    std::shared_ptr<Variant> variant = quietly(
        [&]() -> std::shared_ptr<Variant> {
          const std::optional<StoredVariant> stored = read_variant(bytes);
          return stored ? revived(*stored, binder, values, options) : nullptr;
        },
        nullptr);
    if (variant != nullptr) return variant;
  }
  return nullptr;
}

void store_variant(const Variant& variant, const Binder& binder,
                   const std::vector<PyObject*>* values, const std::vector<ReadField>& fields,
                   const GradientOptions& options) {
  quietly(
      [&] {
        if (!is_enabled()) return false;
        const python::SourceFile* source = variant.files().find(0);
        if (source == nullptr) return false;
        const std::optional<std::string> key = key_of(binder.function(), source->text, options);
        if (!key) return false;
        const std::optional<std::string> bytes = told(variant, binder, values, fields);
        if (!bytes) return false;
        // Behind it what others stored meanwhile: of another kind of arguments, or for a helper
        // that is another one there.
        std::vector<std::string> all{*bytes};
        std::size_t size = bytes->size();
        for (std::string& other : load(*key)) {
          size += other.size();
          if (other == *bytes || all.size() == kMostKept || size > kMostBytes) continue;
          all.push_back(std::move(other));
        }
        const std::string whole = write_variants(all);
        nb::module_::import_("tangent.disk_cache")
            .attr("store")(to_str(*key), nb::bytes(whole.data(), whole.size()));
        return true;
      },
      false);
}

}  // namespace tangent::runtime
