// The extension module `tangent._core`: names for Python, no algorithm.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/sha256.h"
#include "optimize/algebra.h"
#include "python/ast_table.h"
#include "python/errors.h"
#include "python/program.h"
#include "python/read_tree.h"
#include "python/user_rules.h"
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

nb::object make_gradient(
    nb::handle primal, std::vector<int> wrt, bool single, bool preserve_result, bool value_first,
    bool check_dims, bool seed_required, const std::optional<std::vector<std::string>>& tangents,
    int verbose, std::string name, nb::handle recipe, int output_index,
    std::vector<double> output_weights,
    const std::optional<std::vector<std::string>>& optimizations,
    const std::optional<std::tuple<std::int64_t, std::int64_t, bool, std::string>>& checkpoint) {
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
  options.output_index = output_index;
  options.output_weights = std::move(output_weights);
  if (optimizations) options.optimizations = Optimizations::none();
  for (const std::string& each : optimizations.value_or(std::vector<std::string>())) {
    if (!options.optimizations.enable(each)) throw nb::value_error(each.c_str());
  }
  if (options.optimizations.sympy) {
    options.simplify_formula = [](const std::string& formula) {
      const nb::object simplified = nb::module_::import_("tangent._sympy").attr("simplified");
      return nb::cast<std::string>(simplified(formula));
    };
  }
  if (checkpoint) {
    const auto& [min_length, snapshots, binomial, disk] = *checkpoint;
    options.checkpoint = {
        .enabled = min_length >= 0,
        .min_length = min_length,
        .snapshots = snapshots,
        .schedule = binomial ? CheckpointSchedule::Binomial : CheckpointSchedule::SquareRoot,
        .disk = disk};
  }
  return runtime::make_gradient(primal, std::move(options), verbose, recipe);
}

// A formula in Python's notation by the rules of algebra; one that is none is a ValueError.
std::string simplified_formula(const std::string& formula) {
  const algebra::F parsed = algebra::parse_formula(formula);
  if (parsed == nullptr) throw nb::value_error(("no formula: " + formula).c_str());
  return algebra::text(algebra::simplify(parsed));
}

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes sha256_of(const nb::bytes& data) {
  const Digest digest = sha256(view_of(data));
  return nb::bytes(digest.data(), digest.size());
}

nb::bytes hmac_sha256_of(const nb::bytes& key, const nb::bytes& data) {
  const Digest digest = hmac_sha256(view_of(key), view_of(data));
  return nb::bytes(digest.data(), digest.size());
}

bool is_library(const std::string& module) { return is_library_module(module); }

void rules_changed(const std::optional<std::string>& description) {
  const Session::Lock lock(session());
  session().rules_changed(description);
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
  add_user_rules(module);
  module.def("make_gradient", &make_gradient, nb::arg("primal"), nb::arg("wrt"), nb::arg("single"),
             nb::arg("preserve_result"), nb::arg("value_first"), nb::arg("check_dims"),
             nb::arg("seed_required"), nb::arg("tangents").none(), nb::arg("verbose"),
             nb::arg("name"), nb::arg("recipe"), nb::arg("output_index") = -1,
             nb::arg("output_weights") = std::vector<double>(),
             nb::arg("optimizations") = nb::none(), nb::arg("checkpoint").none() = nb::none());
  module.def("translated_gradient", &tangent::runtime::translated_gradient,
             "The same gradient with NumPy's calls spelled as those of jax.numpy.");
  module.def("written_out_gradient", &tangent::runtime::written_out_gradient,
             "The same gradient with all calls but those of recursions written out.");
  module.def("gradient_library", &tangent::runtime::gradient_library);
  module.def("gradient_stages", &tangent::runtime::gradient_stages);
  module.def("gradient_record", &tangent::runtime::gradient_record);
  module.def("gradient_lines", &tangent::runtime::gradient_lines);
  module.def("rules_changed", &rules_changed, nb::arg("description").none(),
             "Makes gradients anew that were made before a rule changed (python/session.h).");
  module.def("is_library", &is_library, "Whether a module is of a package with rules.");
  module.def("sha256", &sha256_of, "The SHA-256 of bytes.");
  module.def("hmac_sha256", &hmac_sha256_of, "The HMAC-SHA-256 of bytes under a secret key.");
  module.def("diagnostic_kinds", &diagnostic_kinds, "Every registered kind and its class.");
  module.def("parse_and_print", &parse_and_print, "The text of a module, read and printed again.");
  module.def("simplified_formula", &simplified_formula, "A formula by the rules of algebra.");
  module.def("check_rule", &check_rule, "Reads a derivative record; a mistake is an exception.");
  module.def("library_names", &library_names, "The names under which rules know what is called.");
  module.def("lowered", &lowered, "The core program of a function, as text.");
  module.def("typed", &typed, "The core program with the types for these arguments, as text.");
}
