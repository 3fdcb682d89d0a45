// What the core asks of the world outside: live Python objects behind a pure interface.
//
// In: names and handles. Out: kinds, types, sources. src/python/outside.cpp answers from live
// objects; C++ tests answer from tables. Everything that is asked about the outside is recorded by
// the implementation: the answers are what a variant's guard checks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// What a class holds under a name: its own, or the nearest of its bases'.
struct Member {
  enum class Form : std::uint8_t {
    Missing,
    Method,       // a function that gets the object
    ClassMethod,  // a function that gets the class
    StaticMethod,
    Property,  // a function of the object that is called where the attribute is read
    Value,
    Other,  // a descriptor that is none of these, a function without Python source
  };
  Form form = Form::Missing;
  Thing thing;  // the function; of a property, what reads it
  Thing setter;
  Thing owner;  // the class that holds it
};

// A field of a dataclass, in the order of its constructor.
struct DataclassField {
  Symbol name;
  bool keyword_only = false;
  bool in_constructor = true;
  // A default is a plain value, or an empty list or dict made anew.
  enum class Default : std::uint8_t { None, Value, EmptyList, EmptyDictionary };
  Default form = Default::None;
  std::optional<Literal> literal;  // of a Value, if it is one
};

// Whether objects of a class are what Python makes of its methods alone.
struct ClassFacts {
  std::string obstacle;       // what is special about it; empty: nothing
  bool is_dataclass = false;  // with a constructor made of its fields
  bool is_tuple = false;      // a namedtuple: that, too
  std::vector<DataclassField> fields;
  std::vector<Symbol> values;  // what the class holds that is neither method nor descriptor
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
  // An attribute of a Value that is found without running code; Missing if there is none.
  virtual Thing plain_field(const Thing& /*thing*/, Symbol /*name*/, Context& /*context*/) {
    return {};
  }
  // The class of a part of an argument of this call, reached by attributes, if it is a plain object
  // of a user's class; a Value if it is something else, Missing if it is not there or not known.
  virtual Thing argument_class(std::size_t /*parameter*/, std::span<const Symbol> /*path*/,
                               Context& /*context*/) {
    return {};
  }
  // The function, class or module that an argument of this call is, or a part of it that attributes
  // reach; Missing if it is something else.
  virtual Thing argument_thing(std::size_t /*parameter*/, std::span<const Symbol> /*path*/,
                               Context& /*context*/) {
    return {};
  }
  // What a parameter of a UserFunction is when it is not given: Missing if it has no default.
  virtual Thing default_value(const Thing& /*function*/, Symbol /*parameter*/,
                              Context& /*context*/) {
    return {};
  }
  // The module of this name, which a function imports; Missing if there is none.
  virtual Thing module(std::string_view /*name*/, Context& /*context*/) { return {}; }
  // The class of a Value that is a plain object of a user's class; Missing if it is none.
  virtual Thing class_of(const Thing& /*thing*/, Context& /*context*/) { return {}; }
  virtual ClassFacts class_facts(const Thing& /*type*/, Context& /*context*/) {
    return {.obstacle = "is not known", .fields = {}, .values = {}};
  }
  // What a class holds under a name, looking only at the bases behind `after` if that is given.
  virtual Member member(const Thing& /*type*/, ThingHandle /*after*/, Symbol /*name*/,
                        Context& /*context*/) {
    return {};
  }
  virtual bool is_subclass(const Thing& /*type*/, const Thing& /*base*/) { return false; }
  // CPython's parser.
  virtual Block parse(std::string_view text, std::string_view filename, int line,
                      Context& context) = 0;
};

}  // namespace tangent
