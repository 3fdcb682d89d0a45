// Rules of users as Python hands them over; see user_rules.h.
#include "python/user_rules.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "python/errors.h"
#include "python/outside.h"
#include "python/session.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tangent::python {

namespace {

// The second of a pair that a function has as an attribute, whose first is the function itself:
// functools.wraps copies the attributes of one function to another. Null if there is none.
PyObject* own_attribute(nb::handle function, const char* name) {
  if (PyFunction_Check(function.ptr()) == 0) return nullptr;
  PyObject* own = reinterpret_cast<PyFunctionObject*>(function.ptr())->func_dict;
  PyObject* pair = own == nullptr ? nullptr : PyDict_GetItemString(own, name);
  const bool is_own = pair != nullptr && PyTuple_Check(pair) != 0 && PyTuple_GET_SIZE(pair) == 2 &&
                      PyTuple_GET_ITEM(pair, 0) == function.ptr();
  return is_own ? PyTuple_GET_ITEM(pair, 1) : nullptr;
}

}  // namespace

nb::object own_name(nb::handle function, std::string_view name) {
  PyObject* names = own_attribute(function, "__tangent_names__");
  if (names == nullptr) return {};
  return nb::borrow(PyDict_GetItemWithError(names, to_str(name).ptr()));
}

nb::object emitted_object(nb::handle function) {
  PyObject* plain = own_attribute(function, "__tangent_plain__");
  return nb::borrow(plain != nullptr ? plain : function.ptr());
}

nb::object rule_slot(nb::handle function, bool forward) {
  if (PyFunction_Check(function.ptr()) == 0) return {};
  PyObject* own = reinterpret_cast<PyFunctionObject*>(function.ptr())->func_dict;
  PyObject* slot = own == nullptr ? nullptr : PyDict_GetItemString(own, "__tangent_rule__");
  // functools.wraps copies the attributes of one function to another.
  const bool is_own = slot != nullptr && PyTuple_Check(slot) != 0 && PyTuple_GET_SIZE(slot) == 5 &&
                      PyTuple_GET_ITEM(slot, 0) == function.ptr();
  if (!is_own || PyTuple_GET_ITEM(slot, forward ? 3 : 2) != Py_True) return {};
  return nb::borrow(slot);
}

std::string rule_name(nb::handle slot) {
  return std::string(view(nb::handle(PyTuple_GET_ITEM(slot.ptr(), 1))));
}

nb::object slot_object(nb::handle slot, std::string_view name) {
  return nb::borrow(PyDict_GetItemWithError(PyTuple_GET_ITEM(slot.ptr(), 4), to_str(name).ptr()));
}

namespace {

// Adds a record; a mistake in it is an exception.
void add_rule(const nb::str& text, const std::string& filename, const std::string& key) {
  FileTable files;
  const FileId file = files.add(filename, text, 1);
  translated(files, [&] {
    const Session::Lock lock(session());
    // Read once with places in the text given, for the sake of messages.
    RuleBook trial(session().symbols(),
                   [file](std::string_view part, std::string_view name, int first,
                          Context& context) { return parse_as(file, part, name, first, context); });
    trial.add(text.c_str(), filename, 1, key);
    session().rules().add(text.c_str(), filename, 1, key);
  });
}

// Names of functions of libraries in records belong to no function of the user's.
void keep_rule_object(const std::string& name, nb::object object) {
  session().keep_rule_object(name, std::move(object));
}

// What a callable is to the engine, and the name under which the rules know it.
std::pair<std::string, std::string> kind_of_callable(nb::handle callable) {
  const FileTable files;
  return translated(files, [&] {
    const Session::Lock lock(session());
    LiveOutside outside(session().rules());
    Context context(session().symbols());
    const Thing thing = outside.thing_of(callable, {}, context);
    std::string kind = "value";
    switch (thing.kind) {
      case ThingKind::Library:
        kind = "library";
        break;
      case ThingKind::UserFunction:
        kind = "function";
        break;
      case ThingKind::UserClass:
        kind = "class";
        break;
      case ThingKind::BoundMethod:
        kind = "method";
        break;
      case ThingKind::Module:
        kind = "module";
        break;
      default:
        break;
    }
    return std::pair(kind, std::string(thing.qualified_name.text()));
  });
}

// The text of a built-in record, or None.
std::optional<std::string> built_in_record(const std::string& name) {
  const auto index = rule_index();
  const auto found = std::ranges::lower_bound(index, std::string_view(name), {}, &RuleSource::name);
  if (found == index.end() || found->name != name) return std::nullopt;
  return std::string(found->text);
}

}  // namespace

void add_user_rules(nb::module_& module) {
  module.def("add_rule", &add_rule, "Adds or replaces a derivative record.");
  module.def("keep_rule_object", &keep_rule_object, "What a name in added records stands for.");
  module.def("kind_of_callable", &kind_of_callable, "What the engine takes a callable for.");
  module.def("built_in_record", &built_in_record, "The text of a record of rules/, or None.");
  module.def(
      "rules_changed",
      [](const std::optional<std::string>& /*description*/) {
        const Session::Lock lock(session());
        session().rules_changed();
      },
      nb::arg("description").none(),
      "Makes gradients anew that were made before a rule changed (python/session.h).");
}

}  // namespace tangent::python
