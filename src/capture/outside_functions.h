// What lowering asks of the world outside about functions that values hold: in containers, in
// partial functions, in arguments, as gradients.
//
// In: things, parameters. Out: entries, parts, functions. What is asked is recorded, as the
// questions of capture/outside.h are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/outside.h"

namespace tangent {

// An entry of a container of the outside that holds functions.
struct Entry {
  enum class Form : std::uint8_t { Dict, List, Tuple };
  Form form = Form::Dict;  // of the container
  Literal key = {};
  Thing value;
};

// What a functools.partial of the outside is made of.
struct PartialFunction {
  Thing base;
  std::vector<Thing> arguments;
  std::vector<std::pair<Symbol, Thing>> keywords;
};

// What a gradient of the outside gives for a call of it.
struct DerivativeFacts {
  Thing gradient;            // `tangent.grad(g)`
  Thing function;            // g
  std::vector<int> wrt;      // positions of its parameters
  bool single = false;       // one gradient, not a tuple of them
  bool value_first = false;  // (value, gradients)
  bool value_last = false;   // (gradients…, value)
  bool forward = false;      // a tangent, for as many further arguments as `wrt` has positions
};

// A call of a gradient whose arguments have no known types yet: in its place stands what has the
// type of its result. The arguments are these variables.
struct DerivativeCall {
  std::string key;
  ThingHandle gradient = -1;
  std::vector<Symbol> arguments;
  Ranges ranges;
};

class OutsideFunctions {
 public:
  OutsideFunctions() = default;
  OutsideFunctions(const OutsideFunctions&) = delete;
  OutsideFunctions& operator=(const OutsideFunctions&) = delete;
  virtual ~OutsideFunctions() = default;

  // The entries of a dict, list or tuple that holds functions, classes, modules or callable
  // objects, itself or in containers that it holds; none of any other value.
  virtual std::vector<Entry> entries(const Thing& /*thing*/, Context& /*context*/) { return {}; }
  // What a functools.partial is made of; nothing of any other value.
  virtual std::optional<PartialFunction> partial(const Thing& /*thing*/, Context& /*context*/) {
    return std::nullopt;
  }
  // The entries of an argument of this call, or of a part of it, that holds functions, classes or
  // modules: what is none of these is a Value of no handle.
  virtual std::vector<Entry> argument_entries(std::size_t /*parameter*/,
                                              std::span<const Symbol> /*path*/,
                                              Context& /*context*/) {
    return {};
  }
  // What a gradient is; nothing of any other value.
  virtual std::optional<DerivativeFacts> derivative_of(const Thing& /*thing*/,
                                                       Context& /*context*/) {
    return std::nullopt;
  }
  // The gradient that a maker (`tangent.grad`) gives for a function and options; throws Diagnostic.
  virtual Thing made_derivative(
      const Thing& /*maker*/, const Thing& /*function*/,
      std::span<const std::pair<Symbol, std::vector<Literal>>> /*options*/, Context& /*context*/) {
    return {};
  }
  // The emitted function of a gradient that a call needs, named by its key; Missing until the types
  // of the call's arguments are known.
  virtual Thing known_derivative(const std::string& /*key*/, Context& /*context*/) { return {}; }
  // A program is lowered from its beginning: calls that were wanted before are not.
  virtual void begin() {}
  // There is such a call: its function has to be known before the program is right.
  virtual void want_derivative(const DerivativeCall& /*call*/) {}
  // A function of this text, which sees the globals of `around` and the things by their names.
  virtual Thing lifted_function(const Thing& /*around*/, const std::string& /*text*/,
                                std::span<const std::pair<Symbol, Thing>> /*held*/,
                                Context& /*context*/) {
    return {};
  }
  // How many elements an argument of this call has, or a part of it that attributes reach: a list,
  // a tuple, or an array along its first axis. Nothing if it has none, or is not known.
  virtual std::optional<std::int64_t> argument_length(std::size_t /*parameter*/,
                                                      std::span<const Symbol> /*path*/) {
    return std::nullopt;
  }
  // The keys of a dict that an argument of this call is, or a part of it: where all are texts.
  virtual std::optional<std::vector<Symbol>> argument_keys(std::size_t /*parameter*/,
                                                           std::span<const Symbol> /*path*/,
                                                           Context& /*context*/) {
    return std::nullopt;
  }
};

}  // namespace tangent
