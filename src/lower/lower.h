// Surface tree -> core program: desugared, calls resolved or inlined, returns last.
//
// The core program is a subset of Python. Expressions stay trees as the user wrote them (so that
// the primal part of the adjoint computes bit for bit what the user's function does); what has to
// happen before an expression (an inlined call, a walrus, an arm of a ternary that needs
// statements) is hoisted in front of its statement, and operands that the user evaluates earlier
// are bound to names first.
//
// Contract of a core program, checked by verify_core (lower/verify.h):
//   statements   Assign with one target, which is a local Name or a TupleDisplay of local Names;
//                AugmentedAssign to a local Name; If; For (target a local Name or a TupleDisplay
//                of them, no else); While (no else); Break; Return with a value; Assert; Raise;
//                ExpressionStatement; Pass.
//   returns      `Return` stands only in tail position: last in the body, or last in the arms of
//                an If that is itself in tail position. Every path of the function ends in a
//                Return, in a Raise, or in a `while True` without Break. A return inside a loop
//                is lowered to `flag = True`, Break, and a test of the flag after the loop (with
//                an assignment of the result before it, if the loop has several returns);
//                `continue` to an If, or to a flag where a statement would have to be copied;
//                loop `else` to a flag.
//   expressions  Constant, Name (Local or Global), Attribute, Subscript, Slice inside one,
//                BinaryOperation, UnaryOperation, BooleanOperation, Comparison, Conditional,
//                TupleDisplay, ListDisplay, FormattedString, and Call. Functions of the
//                user are inlined, their locals renamed where they clash; a Call of one that
//                calls itself is the value of an Assign to names (see CorePair). Call::callee
//                is set where the callee is a library function reached by global names; it is
//                empty for methods of values, which inference resolves.
//   names        Every Name is Local or Global; a Global is printed as the user spells it and
//                bound in CoreFunction::globals. Names of locals are unique in the function, and
//                no local is named as a global that is used.
// Everything else of Python is refused with the diagnostic UnsupportedSyntax, at the construct's
// own place.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "capture/outside.h"
#include "rules/rule.h"
#include "syntax/build.h"
#include "types/type.h"

namespace tangent {

// A name of the emitted function's namespace and what it stands for: `original` looked up from
// `function` (its closure, globals, builtins) each time the guard runs; a module that the function
// imports has no `original`.
struct GlobalBinding {
  Symbol printed;
  Symbol original;
  ThingHandle function = 0;
  Thing thing;  // what it was when the function was lowered
};

// A part of an argument whose class the program was lowered for: the guard checks it.
struct ArgumentClass {
  std::size_t parameter;
  std::vector<Symbol> path;  // attributes
  bool is_absent = false;    // there is nothing there
  bool is_same = false;      // it is a function, class or module: the very one counts
};

struct CorePair;

struct CoreFunction {
  Symbol name;
  List<const Parameter*> parameters;
  Block body;
  std::vector<GlobalBinding> globals;
  Ranges ranges;
  std::vector<ArgumentClass> classes;
  std::vector<std::size_t> changed_objects;  // parameters whose attributes are set
  // Attributes that objects do not have before: the object as the text names it, the attribute.
  std::vector<std::pair<std::string, Symbol>> new_attributes;
  // What records given by the user call: the name there, and how the emitted text spells it.
  std::vector<std::pair<Symbol, Symbol>> rule_objects;
  // What `with np.errstate(…='ignore')` in the function, or in what it calls, switches off.
  std::vector<std::string> ignored_errors;
  std::vector<CorePair> pairs;  // of the differentiated function: what it calls, and stays a call
  // The same function with calls of what is long and called more than once; one or none.
  std::vector<CoreFunction> with_calls;
  std::vector<SourceRange> checkpoints;  // of `with tangent.checkpoint():`, wherever it stands
  std::vector<FileId> array_loops;       // texts whose loops go over arrays, not over containers
  bool tapes_on_disk = false;            // it is a gradient whose tapes are
  std::vector<Symbol> given_back;  // of a pair: parameters whose arrays the caller reads again
  // Whose arrays the program computes with, for the arguments of a variant.
  Library library = Library::NumPy;

  [[nodiscard]] const GlobalBinding* find_global(Symbol printed) const;
};

// A function that calls itself, directly or through others, or one that is long and called more
// than once. A call of it stays one, as a statement of its own: `y, y_tape = network(x[:n], c)`,
// where `y_tape` stands for what its derivative needs of the call. `callee` is that call's
// Call::callee. The parameters are those of the function that hold values, then the variables of
// the functions around it that it reads. Arrays of the caller that it stores into stand among the
// targets as well, in a tuple of their own: `y, (x,), y_tape = step(x, c)`.
struct CorePair {
  Symbol callee;
  Symbol forward;  // the names of its two halves in the emitted text
  Symbol backward;
  std::size_t results = 1;           // every return gives so many values
  std::vector<std::size_t> written;  // the parameters that it stores into
  CoreFunction core;

  [[nodiscard]] bool writes(std::size_t parameter) const {
    return std::find(written.begin(), written.end(), parameter) != written.end();
  }
};

// What the callees of such calls begin with; the name of the forward half follows.
constexpr std::string_view kPairPrefix = "tangent.pair.";

// Whether a call is one of a CorePair.
bool is_pair_call(const Expr* expression);
// The call of a statement that calls one, else null.
const Call* pair_call(const Stmt* statement);
// The arrays that such a statement stores into, which are arguments of the call; nothing for
// others.
Exprs written_by_call(const Stmt* statement);
// Its targets without them.
const Expr* plain_targets(const Assign* call, Context& context);

// Syntax that no later stage will ever take, without looking anything up: what `tangent.grad`
// refuses at once.
void check_syntax(const CapturedFunction& function);

// The core program of a captured function. Throws Diagnostic.
CoreFunction lower(const CapturedFunction& function, ThingHandle handle, Outside& outside,
                   RuleBook& rules, Context& context);

}  // namespace tangent
