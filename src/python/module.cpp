// The extension module `tangent._core`: names for Python, no algorithm.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/ast_table.h"
#include "python/errors.h"
#include "python/program.h"
#include "python/read_tree.h"
#include "python/values.h"
#include "runtime/gradient_type.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace nb = nanobind;

namespace tangent::python {
namespace {

// The text of a module, read and printed again.
std::string parse_and_print(const nb::str& text) {
  const FileTable files;
  return translated(files, [&] {
    Context context(std::make_shared<Symbols>());
    const ParsedText parsed(text.c_str(), 0, 1);
    return print(read_module(parse_text(text, "<text>"), parsed, context)).text;
  });
}

// Reads a derivative record as the engine reads those of rules/; a mistake is a diagnostic.
void check_rule(const nb::str& text, const std::string& filename, int line) {
  FileTable files;
  const FileId file = files.add(filename, text, line);
  translated(files, [&] {
    const Session::Lock lock(session());
    RuleBook book(session().symbols(),
                  [file](std::string_view part, std::string_view name, int first,
                         Context& context) { return parse_as(file, part, name, first, context); });
    book.add(text.c_str(), filename, line);
  });
}

// Every called name of a function, as it is written, and the name under which the rules know it.
nb::dict library_names(nb::handle function) {
  Program program(session(), function);
  nb::dict names;
  translated(program.files(), [&] {
    const Session::Lock lock(session());
    LiveOutside& outside = program.outside();
    Context& context = program.context();
    const ThingHandle handle = outside.handle_of(function);
    auto resolve = [&](const auto& self, const Expr* called) -> Thing {
      if (const auto* name = as<Name>(called)) {
        return outside.lookup(handle, name->symbol, context);
      }
      const auto* attribute = as<Attribute>(called);
      if (attribute == nullptr) return {};
      const Thing owner = self(self, attribute->value);
      return owner.kind == ThingKind::Missing
                 ? owner
                 : outside.attribute(owner, attribute->attribute, context);
    };
    auto walk = [&](const auto& self, const Node& node) -> void {
      if (const auto* call = as<Call>(&node)) {
        const Thing thing = resolve(resolve, call->function);
        if (thing.kind == ThingKind::Library) {
          const std::string_view known = thing.qualified_name.text();
          names[print(call->function).c_str()] = nb::str(known.data(), known.size());
        }
      }
      for_each_child(node, [&](const Node* child) { self(self, *child); });
    };
    walk(walk, *program.captured().definition);
  });
  return names;
}

std::string lowered(nb::handle function) {
  Program program(session(), function);
  return translated(program.files(), [&] {
    const Session::Lock lock(session());
    return print_core(program.core(), program.context());
  });
}

std::string typed(nb::handle function, const nb::args& arguments) {
  Program program(session(), function);
  return translated(program.files(), [&] {
    const Session::Lock lock(session());
    const CoreFunction& core = program.core();
    std::vector<Type> types;
    std::uint32_t next_dim = 2;
    for (nb::handle argument : arguments) {
      types.push_back(type_of_value(argument.ptr(), program.context().arena(), next_dim));
    }
    if (types.size() != core.parameters.size()) {
      throw nb::type_error("one argument for every parameter");
    }
    const TypedFunction result =
        infer(core, types, program.outside(), session().rules(), program.context());
    return print_typed(core, result, program.context());
  });
}

nb::object make_gradient(nb::handle primal, std::vector<int> wrt, bool single, bool preserve_result,
                         bool value_first, bool check_dims, bool seed_required,
                         const std::optional<std::vector<std::string>>& tangents, int verbose,
                         std::string name, nb::handle recipe) {
  GradientOptions options;
  options.wrt = std::move(wrt);
  options.single = single;
  options.preserve_result = preserve_result;
  options.value_first = value_first;
  options.check_dims = check_dims;
  options.seed_required = seed_required;
  options.forward = tangents.has_value();
  if (tangents) options.tangents = *tangents;
  options.function_name = std::move(name);
  return runtime::make_gradient(primal, std::move(options), verbose, recipe);
}

std::vector<std::pair<std::string, std::string>> diagnostic_kinds() {
  return {
#define TANGENT_DIAGNOSTIC(kind, python_class) {#kind, #python_class},
#include "base/diagnostics.def"
#undef TANGENT_DIAGNOSTIC
  };
}

}  // namespace
}  // namespace tangent::python

NB_MODULE(_core, module) {
  using namespace tangent::python;
  // Made here, where no other thread can wait for them.
  AstTable::get();
  NumpyTypes::get();
  session();
  tangent::runtime::add_gradient_type(module);
  module.def("make_gradient", &make_gradient, nb::arg("primal"), nb::arg("wrt"), nb::arg("single"),
             nb::arg("preserve_result"), nb::arg("value_first"), nb::arg("check_dims"),
             nb::arg("seed_required"), nb::arg("tangents").none(), nb::arg("verbose"),
             nb::arg("name"), nb::arg("recipe"));
  module.def("gradient_stages", &tangent::runtime::gradient_stages);
  module.def("gradient_record", &tangent::runtime::gradient_record);
  module.def("gradient_lines", &tangent::runtime::gradient_lines);
  module.def("diagnostic_kinds", &diagnostic_kinds, "Every registered kind and its class.");
  module.def("parse_and_print", &parse_and_print, "The text of a module, read and printed again.");
  module.def("check_rule", &check_rule, "Reads a derivative record; a mistake is an exception.");
  module.def("library_names", &library_names, "The names under which rules know what is called.");
  module.def("lowered", &lowered, "The core program of a function, as text.");
  module.def("typed", &typed, "The core program with the types for these arguments, as text.");
}
