// The extension module `tangent._core`: names for Python, no algorithm.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/ast_table.h"
#include "python/errors.h"
#include "python/program.h"
#include "python/read_tree.h"
#include "python/values.h"
#include "syntax/printer.h"

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

}  // namespace
}  // namespace tangent::python

NB_MODULE(_core, module) {
  using namespace tangent::python;
  // Made here, where no other thread can wait for them.
  AstTable::get();
  NumpyTypes::get();
  session();
  module.def("parse_and_print", &parse_and_print, "The text of a module, read and printed again.");
  module.def("lowered", &lowered, "The core program of a function, as text.");
  module.def("typed", &typed, "The core program with the types for these arguments, as text.");
}
