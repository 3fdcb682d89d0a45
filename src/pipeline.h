// The whole road as one function that is read from top to bottom.
//
// In: a core program, the types of its arguments, what to differentiate. Out: the text of the
// gradient function, its source map, and the names that its namespace needs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "autodiff/checkpoint_options.h"
#include "base/optimizations.h"
#include "capture/outside.h"
#include "lower/fields.h"
#include "lower/lower.h"
#include "rules/rule.h"
#include "syntax/build.h"
#include "types/infer.h"
#include "types/type.h"

namespace tangent {

struct GradientOptions {
  std::vector<int> wrt = {0};  // positions among the parameters, validated by the caller
  bool single = true;  // one bare gradient; false: a tuple in the order of wrt, whatever its length
  bool preserve_result = false;  // the value last: (dx, dy, value)
  bool value_first = false;      // (value, gradient) as tangent.value_and_grad
  bool check_dims = true;        // a seed whose shape does not fit the result is a ShapeError
  bool seed_required = false;    // the seed has no default (tangent.vjp)
  // Of a result that is a tuple: the one part that is differentiated (-1: all), or the default seed
  // of each part (empty: ones).
  int output_index = -1;
  std::vector<double> output_weights = {};
  // Forward mode (tangent.jvp), and the parameters of the tangents, one for each of wrt.
  bool forward = false;
  std::vector<std::string> tangents = {};
  CheckpointOptions checkpoint = {};
  std::string function_name;  // of the emitted function: "dfdx"
  Optimizations optimizations = {};
  // A formula as text to a shorter one, for optimizations.sympy.
  std::function<std::string(const std::string&)> simplify_formula = {};
  // A program of NumPy's is written for arrays of JAX instead (compile='jax').
  bool translates = false;
  // Functions that are long and called more than once may stay calls. Not in what is differentiated
  // again.
  bool keeps_calls = true;
};

// What a variant's guard has to check about one argument beyond its kind, dtype and rank.
struct ArgumentQuestions {
  bool ones = false;  // which of its axes have length 1
};

// Parameters that are stored into: their arrays, as a whole or in parts, lists whose elements or
// length change, and objects whose attributes are set.
struct Written {
  std::vector<std::size_t> arrays;
  std::vector<std::size_t> lists;
  std::vector<std::size_t> objects;
  [[nodiscard]] bool empty() const { return arrays.empty() && lists.empty() && objects.empty(); }
};

// A value of the forward part that the backward part reads, for reports.
struct SavedValue {
  enum class Form : std::uint8_t { Tape, Name, Tuple };  // Tuple: the tape of a function's halves
  Form form = Form::Name;
  std::string name;                  // of the tape or the variable
  std::string value;                 // what is saved, as it is written
  std::string function;              // Tuple: the half that reads it
  std::vector<SourceRange> made;     // where the value comes from
  std::vector<SourceRange> read_by;  // the lines whose adjoints read it
};

struct Emitted {
  std::string text;           // one or more function definitions, the gradient first
  std::string function_name;  // the name of the gradient in that text
  std::string seed_name;      // the parameter of the seed
  // In forward mode per tangent whether it is that of a number: the guard, not the text, checks it.
  std::vector<bool> scalar_tangents;
  std::vector<Ranges> lines;           // source map: per line of text the user's ranges
  std::vector<SourceRange> places;     // per line the place of what it evaluates first
  std::vector<SavedValue> saved;       // only with a StageLog
  std::vector<GlobalBinding> globals;  // user names the namespace must hold, as printed
  std::vector<std::string>
      helpers;  // names of tangent.runtime that the text uses, as printed ("_unbroadcast")
  std::vector<ArgumentQuestions> questions;  // one per parameter
  Written written;          // the guard checks that they share their memory with nothing else
  bool uses_numpy = false;  // the text needs a name that GlobalBindings do not give: `numpy_name`
  // Modules that rules use, by qualified name, and the names under which the text reaches them.
  std::vector<std::pair<std::string, std::string>> modules;
  std::string numpy_name;            // how the text spells NumPy ("np" unless that name is taken)
  std::string default_seed;          // of a result with parts, as Python spells it; else nothing
  Library library = Library::NumPy;  // whose arrays the text computes with
  bool scalar_result =
      false;  // the primal gives a number: the guard, not the text, checks the seed's shape
};

// Called after each stage with its name and its program as text (for `verbose`, tests and the
// docs).
using StageLog = std::function<void(std::string_view stage, std::string_view text)>;

// `parameters` are emitted as the user wrote them (defaults are read from the primal's own tuple by
// the caller: the text shows the user's spelling). Throws Diagnostic.
//
// `structures` says what arguments are made of; without it each is taken as a whole.
Emitted differentiate(const CoreFunction& core, const std::vector<Type>& arguments,
                      const std::vector<Structure>& structures, const GradientOptions& options,
                      Outside& outside, RuleBook& rules, Context& context,
                      const StageLog& log = {});

}  // namespace tangent
