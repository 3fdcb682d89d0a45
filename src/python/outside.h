// `Outside` (capture/outside.h) answered from live Python objects.
//
// In: questions of lowering and inference. Out: things, types, sources, and the list of all
// questions with their answers: what a variant's guard checks (runtime/guard.h).
#pragma once

#include <nanobind/nanobind.h>

#include <unordered_map>
#include <vector>

#include "capture/outside.h"
#include "python/files.h"
#include "rules/rule.h"

namespace tangent::python {

// One thing that was asked about the outside. `owner` is a function for a free name, else the
// module, class or object whose attribute was asked.
struct Question {
  ThingHandle owner;
  Symbol name;
  bool attribute;
  ThingHandle found;    // -1: there was none
  bool member = false;  // what the class itself holds: no descriptor is asked
};

// What a class holds under a name, itself or through its bases; null if there is none.
PyObject* held_by_class(PyObject* type, PyObject* name);

// Whether an object counts as ThingKind::Value.
bool is_plain_value(nanobind::handle object);

class LiveOutside final : public Outside {
 public:
  explicit LiveOutside(RuleBook& rules) : rules_(rules) {}

  Thing lookup(ThingHandle function, Symbol name, Context& context) override;
  Thing attribute(const Thing& thing, Symbol name, Context& context) override;
  Type type_of(const Thing& thing, Arena& arena) override;
  std::optional<Literal> literal_of(const Thing& thing, Arena& arena) override;
  CapturedFunction source_of(const Thing& function, Context& context) override;
  Thing argument_class(std::size_t parameter, std::span<const Symbol> path,
                       Context& context) override;
  Thing argument_thing(std::size_t parameter, std::span<const Symbol> path,
                       Context& context) override;
  Thing default_value(const Thing& function, Symbol parameter, Context& context) override;
  Thing module(std::string_view name, Context& context) override;
  Thing class_of(const Thing& thing, Context& context) override;
  Thing plain_field(const Thing& thing, Symbol name, Context& context) override;
  ClassFacts class_facts(const Thing& type, Context& context) override;
  Member member(const Thing& type, ThingHandle after, Symbol name, Context& context) override;
  bool is_subclass(const Thing& type, const Thing& base) override;
  Block parse(std::string_view text, std::string_view filename, int line,
              Context& context) override;

  // The arguments of the call that is lowered now; null where there is none.
  void set_arguments(const std::vector<PyObject*>* arguments) { arguments_ = arguments; }

  // The handle of an object; the same object has the same handle.
  ThingHandle handle_of(nanobind::handle object);
  [[nodiscard]] nanobind::handle object(ThingHandle handle) const;
  // What an object is; `path` is the dotted name by which it was reached, or empty.
  Thing thing_of(nanobind::handle object, const std::string& path, Context& context);

  [[nodiscard]] const std::vector<Question>& questions() const { return questions_; }
  [[nodiscard]] const FileTable& files() const { return files_; }
  // Whether an object is a Value: not a module, function or class.
  [[nodiscard]] bool is_value(ThingHandle handle) const { return is_plain_value(object(handle)); }
  // Whether the value of an object, or its type, was asked and not only which object it is.
  [[nodiscard]] bool literal_asked(ThingHandle handle) const;
  [[nodiscard]] bool type_asked(ThingHandle handle) const;

  int traverse(visitproc visit, void* arg) const;

 private:
  struct Held {
    nanobind::object object;
    bool type_asked = false;
    bool literal_asked = false;
  };
  void record(ThingHandle owner, Symbol name, bool attribute, ThingHandle found,
              bool member = false);
  void record_thing(ThingHandle owner, Symbol name, bool attribute, nanobind::handle found,
                    const Thing& thing);
  std::string library_name(nanobind::handle object, const std::string& path);

  RuleBook& rules_;
  const std::vector<PyObject*>* arguments_ = nullptr;
  FileTable files_;
  std::vector<Held> held_;
  std::unordered_map<PyObject*, ThingHandle> handles_;
  std::vector<Question> questions_;
  std::unordered_map<Symbol, std::vector<std::size_t>> questions_by_name_;
};

// The object that a free name of a function means: closure cell, global, builtin; null if there is
// none.
nanobind::object find_free_name(nanobind::handle function, nanobind::handle name);

// CPython's parser, with ranges in the given file. Throws Diagnostic SyntaxNotParsed.
Block parse_as(FileId file, std::string_view text, std::string_view filename, int line,
               Context& context);
// CPython's parser for rule texts, which belong to no captured function.
Block parse_rules(std::string_view text, std::string_view filename, int line, Context& context);
// The name of a rule file by the id that parse_rules gave it, or nothing.
std::string_view rule_file_name(FileId file);

}  // namespace tangent::python
