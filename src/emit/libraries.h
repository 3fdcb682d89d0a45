// Whose arrays a program computes with, and the names by which its text calls that library.
//
// In: a core program, the types of its arguments. Out: the library, or a refusal of a program that
// mixes two (MixedLibraries).
#pragma once

#include <string>
#include <vector>

#include "autodiff/rule_names.h"
#include "capture/outside.h"
#include "emit/dialect.h"
#include "lower/lower.h"
#include "pipeline.h"

namespace tangent {

// What the arguments, then the captured values, then the modules that the program names say.
Library find_library(const CoreFunction& core, const std::vector<Type>& arguments, Outside& outside,
                     Context& context);

// Refuses calls of NumPy's functions with arrays of another library.
void check_one_library(const CoreFunction& core, const TypedFunction& typed);

// Refuses `.sort()` as a value where it is not that of a tensor.
void check_sorting_methods(const CoreFunction& core, const TypedFunction& typed);

// Refuses containers where a loop of JAX goes over arrays (lower/jax_loops.cpp).
void check_array_loops(const CoreFunction& core, const TypedFunction& typed);

// The names for a program of another library than NumPy: the user's own where there is one.
DialectNames dialect_names(const CoreFunction& core, NamePool& names, Context& context);

// Adds the modules that the text needs for them.
void finish_dialect(Emitted& emitted, Block body, const CoreFunction& core,
                    const DialectNames& names);

}  // namespace tangent
