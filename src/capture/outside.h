// What the core asks of the world outside: live Python objects behind a pure interface.
//
// In: names and handles. Out: kinds, types, sources. src/python/outside.cpp answers from live
// objects; C++ tests answer from tables. Everything that is asked about the outside is recorded by
// the implementation: the answers are what a variant's guard checks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "syntax/build.h"
#include "types/type.h"

namespace tangent {

enum class ThingKind : std::uint8_t {
  Missing,  // no such name or attribute
  Module,
  Library,       // function or class of a package with rules, of builtins, or written in C
  UserFunction,  // a Python function whose source can be asked for
  UserClass,
  BoundMethod,  // a user function with its self
  Value,        // anything else: a number, an array, a dict, an object
};

using ThingHandle = std::int32_t;

struct Thing {
  ThingKind kind = ThingKind::Missing;
  ThingHandle handle = -1;
  Symbol qualified_name =
      {};  // Library: "numpy.sin"; Module: "numpy.linalg"; functions: their own name
};

// The copied source of a function.
struct CapturedFunction {
  const FunctionDefinition* definition =
      nullptr;  // a lambda is a definition whose body is one return
  FileId file = 0;
  bool is_lambda = false;
};

class Outside {
 public:
  Outside() = default;
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  virtual ~Outside() = default;

  // What a free name of a function means now: closure cell, then global, then builtin.
  virtual Thing lookup(ThingHandle function, Symbol name, Context& context) = 0;
  virtual Thing attribute(const Thing& thing, Symbol name, Context& context) = 0;
  // The type of a Value, or of a Module or function as a value.
  virtual Type type_of(const Thing& thing, Arena& arena) = 0;
  // A number, bool, str or None as a literal, if it is one.
  virtual std::optional<Literal> literal_of(const Thing& thing, Arena& arena) = 0;
  // The source of a UserFunction, in this context; throws Diagnostic SourceNotAvailable and its
  // kind.
  virtual CapturedFunction source_of(const Thing& function, Context& context) = 0;
  // CPython's parser.
  virtual Block parse(std::string_view text, std::string_view filename, int line,
                      Context& context) = 0;
};

}  // namespace tangent
