// The pass manager: the passes over the adjoint program, in order, each in a file of its own and
// with a name. Which of them run is what the options say (base/optimizations.h).
//
// In: the body of the gradient function (a core program with tapes) and the types of the primal's
// expressions. Out: the same function, shorter. Every pass keeps values, effects and exceptions;
// what a pass needs to know it finds in `PassInput`.
#pragma once

#include <unordered_set>

#include "analysis/effects.h"
#include "autodiff/assemble.h"
#include "autodiff/forward.h"
#include "autodiff/reverse.h"
#include "pipeline.h"

namespace tangent {

struct PassInput {
  const TypedFunction& typed;
  RuleBook& rules;
  // Statements that the primal's own came to be; a pass that makes one of them anew adds it.
  std::unordered_set<const Stmt*>& forward;
  const std::unordered_set<Symbol>& adjoints;  // names of adjoints
  const std::unordered_set<Symbol>& numbers;   // those of them that only ever hold numbers
  const std::unordered_set<Symbol>& written;   // names of the primal's that are stored into
  // In forward mode the variable of each tangent, which has the variable's shape.
  const std::unordered_map<Symbol, Symbol>& variables;
  const std::unordered_set<Symbol>& kept;  // names that stand right in front of their reader
  Effects& effects;
  std::function<Type(const Expr*)> type_of;  // of expressions of the primal and the adjoint
  Context& context;
  bool has_halves = false;  // the backward part is another function, which may not run
  Symbol numpy = {};        // how the text spells NumPy
  // A new local name of this type, like the wish; passes that name values need it.
  std::function<Symbol(std::string_view, const Type&)> fresh = {};
  // Who simplifies formulas, as text; empty: the rules of optimize/algebra_rules.def.
  std::function<std::string(const std::string&)> simplify_formula = {};
};

// Numbers that are cheap to compute again are not kept on tapes.
Block recompute(Block body, const PassInput& input);
// Removes what nothing reads: assignments, tapes, loops and branches without effect.
Block remove_dead_code(Block body, const PassInput& input);
// x = old_x where x still is what old_x is.
Block remove_restores(Block body, const PassInput& input);

// What a loop saves where an iteration ends and where the next begins is saved once.
Block remove_carried_values(Block body, const PassInput& input);

// A statement that was made anew is as much the primal's as it was.
inline const Stmt* made_anew(const Stmt* before, const Stmt* now, const PassInput& input) {
  if (now != before && now != nullptr && input.forward.contains(before)) input.forward.insert(now);
  return now;
}

// Copies of adjoints that nothing changes in place, as names.
Block remove_copies(Block body, const PassInput& input);
// Stores into elements of adjoints that nothing touches afterwards go; what is added to an element
// of zeros in a loop, before anything else touches it, is stored.
Block remove_dead_elements(Block body, const PassInput& input);
// Puts a value that is read once where it is read: what is taken from a tape, names for names.
Block substitute_single_uses(Block body, const PassInput& input);
// The last branch of the forward part and the first of the backward part, on the same test, become
// one.
Block fuse_branches(Block body, const PassInput& input);
// Contributions to one element of an adjoint as one store.
Block join_elements(Block body, const PassInput& input);
// The first contribution to a part of an adjoint that was just made of zeros, as a store.
Block first_stores(Block body, const PassInput& input);
// v += e and v *= c, of a number, as v = c * (v + e).
Block join_updates(Block body, const PassInput& input);
// Adjoints that a loop fills for every item of a list, as comprehensions.
Block make_whole_lists(Block body, const PassInput& input);
// v = a and v += b, of a number, as v = a + b.
Block join_sums(Block body, const PassInput& input);
// x = x op e as x op= e, empty branches and lonely comments away.
Block tidy(Block body, const PassInput& input);

// Cheaper operations of the same value: x * x for x ** 2, x * 0.25 for x / 4.0.
Block reduce_strength(Block body, const PassInput& input);
// Identities of algebra, by the rules of optimize/algebra_rules.def.
Block simplify_algebra(Block body, const PassInput& input);
// Names that stand for one number are read as that number; of a primal that is simplified.
Block propagate_constants(Block body, const PassInput& input);
// What is computed twice, of the same operands, has a name.
Block share_subexpressions(Block body, const PassInput& input);
Block share_long_subexpressions(Block body, const PassInput& input);
// The same for the calls of a primal that is not differentiated yet.
Block share_calls(Block body, const PassInput& input);
// Tapes of arrays of which only the shape is read keep the shape.
Block keep_shapes(Block body, const PassInput& input);

// The backward half of a function that stays a call, once it stands alone.
Block optimize_half(Block body, const TypedFunction& typed, ReverseResult& reverse,
                    const Assembled& parts, RuleBook& rules, Context& context,
                    const Optimizations& optimizations);

Block optimize(Block body, const TypedFunction& typed, ReverseResult& reverse,
               const Assembled& parts, RuleBook& rules, Context& context, NamePool& names,
               const GradientOptions& options, const StageLog& log);
// The same for the program of forward mode.
Block optimize(Block body, const TypedFunction& typed, ForwardResult& forward, RuleBook& rules,
               Context& context, NamePool& names, const GradientOptions& options,
               const StageLog& log);

// The primal itself before it is differentiated: by the rules of algebra, with equal calls shared.
Block optimize_primal(const CoreFunction& core, const TypedFunction& typed, RuleBook& rules,
                      Context& context, const GradientOptions& options);

}  // namespace tangent
