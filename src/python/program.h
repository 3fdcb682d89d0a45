// One captured function and its core program, as they are while the outside stays as it is.
//
// In: a function or bound method. Out: its surface tree at once, its core program when first asked,
// and the outside that answered. Where the outside changes in a way that the core program depends
// on, a new Program is made from the same function.
#pragma once

#include <nanobind/nanobind.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lower/lower.h"
#include "pipeline.h"
#include "python/outside.h"
#include "python/session.h"

namespace tangent::python {

class Program {
 public:
  // Captures and parses; refuses syntax that no later stage will ever take. Throws python_error.
  Program(Session& session, nanobind::handle function, bool forward = false);
  // Captures nothing: an empty outside, for a variant that another process made.
  explicit Program(Session& session, bool forward = false);

  // The core program; lowered at the first call, under the session's lock. Throws Diagnostic.
  const CoreFunction& core();
  // The same for given arguments: where one is an object of a user's class, its methods are known.
  const CoreFunction& core(const std::vector<PyObject*>& arguments);

  // Lowered for these arguments, whatever is known already.
  const CoreFunction& lowered_for(const std::vector<PyObject*>& arguments);

  LiveOutside& outside() { return outside_; }
  [[nodiscard]] const LiveOutside& outside() const { return outside_; }
  Context& context() { return context_; }
  [[nodiscard]] const CapturedFunction& captured() const { return captured_; }
  [[nodiscard]] const FileTable& files() const { return outside_.files(); }

 private:
  // For a function with a rule of the user's: the call of it, which is what is differentiated.
  void call_instead(nanobind::handle function);

  Session& session_;
  Context context_;
  LiveOutside outside_;
  ThingHandle handle_ = -1;
  CapturedFunction captured_;
  std::optional<CoreFunction> core_;
  bool needs_arguments_ = false;         // none without looking at the arguments
  std::deque<CoreFunction> of_objects_;  // for arguments that are objects
};

// How many values every return of a function gives, where each writes a tuple out; else 0.
std::size_t literal_outputs(const FunctionDefinition& definition);

// The core program as Python text: a function definition.
std::string print_core(const CoreFunction& core, Context& context);
// The same with types as annotations.
std::string print_typed(const CoreFunction& core, const TypedFunction& typed, Context& context);

}  // namespace tangent::python
