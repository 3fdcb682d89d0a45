// `Outside` (capture/outside.h) answered from live Python objects.
//
// In: questions of lowering and inference. Out: things, types, sources, and the list of all
// questions with their answers: what a variant's guard checks (runtime/guard.h).
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "capture/outside.h"
#include "capture/outside_functions.h"
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
  bool entry = false;   // of a container: the name is the word for one (python/entries.h)
};

// How an object was reached that no question found: what another process needs to find its own.
struct Reach {
  enum class Form : std::uint8_t { None, ClassOf, ArgumentClass, Base, Inner };
  Form form = Form::None;
  ThingHandle from = -1;
  std::string name;          // Inner
  std::size_t position = 0;  // ArgumentClass: of the parameter; Base: in the order of resolution
  std::vector<Symbol> path;  // ArgumentClass: attributes
};

// What a class holds under a name, itself or through its bases; null if there is none.
PyObject* held_by_class(PyObject* type, PyObject* name);

// Whether a module belongs to a package that has rules, or to Python itself.
bool is_library_module(std::string_view name);
// Whether `module`.`path` is this very object, looking at loaded modules only.
bool is_known_as(nanobind::handle object, const std::string& module, std::string_view path);

// Whether an object counts as ThingKind::Value.
bool is_plain_value(nanobind::handle object);

class LiveOutside final : public Outside, public OutsideFunctions {
 public:
  // `forward`: which rules of the user's count, those for reverse mode or those for forward mode.
  explicit LiveOutside(RuleBook& rules, bool forward = false) : rules_(rules), forward_(forward) {}

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
  std::vector<Entry> entries(const Thing& thing, Context& context) override;
  std::optional<PartialFunction> partial(const Thing& thing, Context& context) override;
  std::vector<Entry> argument_entries(std::size_t parameter, std::span<const Symbol> path,
                                      Context& context) override;
  std::optional<DerivativeFacts> derivative_of(const Thing& thing, Context& context) override;
  Thing made_derivative(const Thing& maker, const Thing& function,
                        std::span<const std::pair<Symbol, std::vector<Literal>>> options,
                        Context& context) override;
  Thing known_derivative(const std::string& key, Context& context) override;
  Thing lifted_function(const Thing& around, const std::string& text,
                        std::span<const std::pair<Symbol, Thing>> held, Context& context) override;
  // From here on a call of a gradient, named by its key, is one for arguments of these types.
  void settle_derivative(const std::string& key, ThingHandle gradient,
                         std::span<const Type> arguments);
  void begin() override { wanted_.clear(); }
  void want_derivative(const DerivativeCall& call) override { wanted_.push_back(call); }
  // The calls of gradients that the last lowering knew no function for.
  [[nodiscard]] const std::vector<DerivativeCall>& wanted_derivatives() const { return wanted_; }
  void forget_derivatives() {
    derivatives_.clear();
    wanted_.clear();
  }
  std::optional<std::int64_t> argument_length(std::size_t parameter,
                                              std::span<const Symbol> path) override;
  std::optional<std::vector<Symbol>> argument_keys(std::size_t parameter,
                                                   std::span<const Symbol> path,
                                                   Context& context) override;
  Thing module(std::string_view name, Context& context) override;
  Thing class_of(const Thing& thing, Context& context) override;
  Thing plain_field(const Thing& thing, Symbol name, Context& context) override;
  ClassFacts class_facts(const Thing& type, Context& context) override;
  Member member(const Thing& type, ThingHandle after, Symbol name, Context& context) override;
  bool is_subclass(const Thing& type, const Thing& base) override;
  RuleObject rule_object(Symbol name, Context& context) override;
  Type result_of(Symbol callee, std::span<const Type> arguments, Context& context) override;
  Block parse(std::string_view text, std::string_view filename, int line,
              Context& context) override;

  // The arguments of the call that is lowered now; null where there is none.
  [[nodiscard]] nanobind::object part_of_argument(std::size_t parameter,
                                                  std::span<const Symbol> path) const;

  void set_arguments(const std::vector<PyObject*>* arguments) { arguments_ = arguments; }
  // Whether something was asked of arguments that nobody had given.
  [[nodiscard]] bool missed_arguments() const { return missed_arguments_; }

  // What a name of one function stands for, whatever the function's own names are.
  void set_alias(ThingHandle function, Symbol name, ThingHandle meaning) {
    alias_ = {function, name, meaning};
  }

  // The handle of an object; the same object has the same handle.
  ThingHandle handle_of(nanobind::handle object);
  [[nodiscard]] nanobind::handle object(ThingHandle handle) const;
  // What an object is; `path` is the dotted name by which it was reached, or empty.
  Thing thing_of(nanobind::handle object, const std::string& path, Context& context);

  [[nodiscard]] const std::vector<Question>& questions() const { return questions_; }
  // What was asked of libraries. It does not change while a process runs, so no guard asks again;
  // that another process finds the same is asked once there.
  [[nodiscard]] const std::vector<Question>& fixed_questions() const { return fixed_; }
  [[nodiscard]] const FileTable& files() const { return files_; }
  [[nodiscard]] const Reach& reach_of(ThingHandle handle) const;
  // The function whose source a file is, or -1; the code that it ran when it was read.
  [[nodiscard]] ThingHandle function_of(FileId file) const {
    return file < read_.size() ? read_[file].function : -1;
  }
  [[nodiscard]] nanobind::handle code_of(FileId file) const { return read_[file].code; }

  // What another outside was asked, taken over without asking: objects in the order of their
  // handles, questions, and the functions whose sources were read.
  void take_object(nanobind::handle object, bool type_asked, bool literal_asked);
  void take_question(const Question& question) { questions_.push_back(question); }
  void take_file(ThingHandle function);

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
    Reach reach;
  };
  void reached(ThingHandle handle, Reach reach);
  void record(ThingHandle owner, Symbol name, bool attribute, ThingHandle found,
              bool member = false);
  Thing entry(ThingHandle container, std::string_view word, Context& context);
  void record_entry(ThingHandle container, Symbol word, ThingHandle found);
  void record_thing(ThingHandle owner, Symbol name, bool attribute, nanobind::handle found,
                    const Thing& thing);
  std::string library_name(nanobind::handle object, const std::string& path);

  struct Alias {
    ThingHandle function = -1;
    Symbol name;
    ThingHandle meaning = -1;
  };

  RuleBook& rules_;
  bool forward_;
  Alias alias_;
  // Functions with rules of the user's, by the names of their records, and their slots
  // (user_rules.h).
  std::unordered_map<Symbol, std::pair<ThingHandle, ThingHandle>> ruled_;
  std::vector<Symbol> typed_now_;  // those whose results are being typed
  const std::vector<PyObject*>* arguments_ = nullptr;
  bool missed_arguments_ = false;
  std::unordered_map<std::string, ThingHandle> derivatives_;  // by the keys of calls
  std::vector<DerivativeCall> wanted_;
  std::unordered_map<std::string, ThingHandle> lifted_;  // functions, by what they are made of
  FileTable files_;
  struct Read {
    ThingHandle function = -1;
    nanobind::object code = {};
  };
  std::vector<Read> read_;  // by file
  std::vector<Held> held_;
  std::unordered_map<PyObject*, ThingHandle> handles_;
  std::vector<Question> questions_;
  std::vector<Question> fixed_;
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
