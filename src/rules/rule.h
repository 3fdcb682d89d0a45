// Derivative rules: records in Python syntax (the files in rules/), read when first needed.
//
//     @adjoint("numpy.tanh", aliases=("math.tanh",), domain=(-3, 3))
//     def tanh(y, x):
//         d[x] = d[y] * (1 - y * y)
//
// The first parameter is the result, the others are the function's own parameters under the
// library's own names and defaults. `d[v]` is the derivative that belongs to v. A body is a list of
//     d[x] = expression          the contribution to x's adjoint
//     name = expression          a local name
//     if test: … elif … else: …  the test is decided while differentiating (rules/README.md has the
//     words)
// In: the rule texts compiled into the library (an index made at build) and a parser. Out: `Rule`
// records.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syntax/build.h"

namespace tangent {

struct RuleParameter {
  Symbol name;
  const Expr* default_value = nullptr;  // null: required
  ParameterKind form = ParameterKind::Positional;
  // A d[…] of the record names it. An active value in any other parameter (an axis, a shape) has
  // no derivative that the rule knows of.
  bool differentiable = false;
};

struct Rule {
  Symbol name;                            // "numpy.tanh", the first of the record's names
  Symbol result;                          // the name that the body gives the result
  std::vector<RuleParameter> parameters;  // without the result
  // How the result's type follows from the operands': "elementwise" (broadcast, floating),
  // "reduction", "matmul", … (types/transfer.cpp has the list). Empty: not known.
  Symbol shape;
  // Elementwise in all parameters that have a d[…]: each `d[x] = d[y] * p` or `d[y] / q` with no
  // other d.
  bool elementwise = false;
  Block adjoint;                   // the body above; empty for a function without derivative
  Block tangent;                   // body of the record's @tangent twin, if it has one
  std::vector<Symbol> linear;      // parameters in which the function is linear
  std::vector<Symbol> objects;     // of the user's, by the names that the body has for them
  const Expr* singular = nullptr;  // a test on the parameters where the partials are not finite
  bool parts = false;              // the result is a tuple: the body reads d[y][0], d[y][1], …
  bool constant = false;           // @constant("numpy.floor"): the derivative is zero everywhere
  bool random = false;             // impure: a second call gives another value
  bool variadic = false;           // a constant that takes any further arguments (print)
  // Given by the user (tangent.register_adjoint, custom_vjp): what its body calls is not known to
  // be free of effects, contributions may have any shape, and its tangent comes before partials.
  bool given = false;

  [[nodiscard]] int index_of(Symbol parameter) const;  // -1: not a parameter
};

// One record of the index that the build makes from rules/*.py.
struct RuleSource {
  std::string_view name;      // qualified; aliases have entries of their own with the same text
  std::string_view text;      // the record, decorators included
  std::string_view filename;  // "rules/numpy.py"
  int line;                   // of the record in that file
};
std::span<const RuleSource> rule_index();           // sorted by name; generated
std::span<const std::string_view> rule_packages();  // "numpy", "math", …; sorted; generated

// How a record given by the user spells a function or value of the user's: `user._3_helper`.
constexpr std::string_view kUserObjects = "user";
// What the names of functions with a rule of the user's begin with.
constexpr std::string_view kUserFunctions = "user.";

// A function of another library that is the same as one with a record: "jax.numpy.tanh".
struct RuleSynonym {
  std::string_view name;
  std::string_view known_as;
};
std::span<const RuleSynonym> rule_synonyms();  // sorted by name; generated
// The name under which the rules know what is called so: itself, or that of which it is a synonym.
std::string_view known_name(std::string_view name);

// v for the expression `d[v]` of a body, else an empty symbol.
Symbol derivative_of(const Expr* expression);

// The rules as far as they were needed. Not thread-safe: one per engine, under its lock.
class RuleBook {
 public:
  // Parses Python text into statements in the given context (CPython's parser, through
  // capture/outside.h).
  using Parser =
      std::function<Block(std::string_view text, std::string_view filename, int line, Context&)>;

  RuleBook(std::shared_ptr<Symbols> symbols, Parser parser);

  // The record of a qualified name, or null. Parses it on first use.
  const Rule* find(std::string_view qualified_name);
  // Whether a package has a rule file: such a package is never entered ("numpy", "scipy", "math",
  // …).
  static bool is_library(std::string_view package);
  // Adds or replaces a record given as text (tangent.register_adjoint), under the name that its
  // text says, or as an entry of its own for `key` (an alias, as "math.tanh").
  const Rule* add(std::string_view text, std::string_view filename, int line,
                  std::string_view key = {});

 private:
  // `called` is the name that was asked for: an alias decides what `np.f` in the body means.
  std::unique_ptr<Rule> read(std::string_view text, std::string_view filename, int line,
                             std::string_view called);

  Context context_;
  Parser parser_;
  std::unordered_map<std::string_view, std::unique_ptr<Rule>> rules_;
  std::vector<std::unique_ptr<Rule>> replaced_;
};

// Arguments in the order of the rule's parameters (null: left out), as Python binds them. Throws a
// Diagnostic NoSuchRuleArgument for a keyword that the record does not name ("`out=` of np.sin is
// not supported"), for too many arguments, or for *args/**kwargs at the call.
std::vector<const Expr*> bind_arguments(const Rule& rule, const Call& call, const Expr* receiver);

}  // namespace tangent
