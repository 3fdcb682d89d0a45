// The gradient function: signature, checks, forward and backward part, what it returns; its text
// and its names.
#pragma once

#include "autodiff/assemble.h"
#include "pipeline.h"
#include "syntax/printer.h"

namespace tangent {

struct EmittedFunction {
  const CoreFunction& core;
  const TypedFunction& typed;
  const ReverseResult& reverse;
  const GradientOptions& options;
  Symbol result;  // names the primal's value
  Symbol numpy;
};

// The body of the gradient function from its parts.
Block join_parts(const EmittedFunction& function, const Assembled& parts, Context& context);

// The default of the seed: 1.0, or a number for each part of a result that has parts, as the
// options say. Throws Diagnostic BadOption where they name a part that is not there.
const Expr* default_seed(const GradientOptions& options, const ReverseResult& reverse,
                         Ranges ranges, Context& context);

const FunctionDefinition* define_function(const EmittedFunction& function, Block body,
                                          Context& context);

// The body with the warnings of NumPy switched off that the function switches off.
Block with_ignored_errors(Block body, const CoreFunction& core, Symbol numpy, Context& context);

// The names that the text needs beside the user's: NumPy, other modules, run-time helpers.
void finish_names(Emitted& emitted, Block body, const ReverseResult& reverse, Symbol numpy,
                  bool numpy_is_bound);

}  // namespace tangent
