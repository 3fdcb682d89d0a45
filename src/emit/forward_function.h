// The function of forward mode: its signature, the checks of its tangents, its text.
#pragma once

#include "pipeline.h"
#include "syntax/printer.h"

namespace tangent {

struct ForwardFunction {
  const CoreFunction& core;
  Ranges ranges;
  const std::vector<Type>& given;  // types of the arguments
  const GradientOptions& options;
};

// The body with a check for each tangent whose shape the guard does not settle.
Block with_checks(const ForwardFunction& function, Block body, Context& context);

PrintedText print_function(const ForwardFunction& function, Block body, Context& context);

}  // namespace tangent
