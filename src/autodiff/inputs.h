// What is differentiated, and whether it and the result can be.
//
// In: a program, the types of its arguments, and the positions that are asked for. Out: variables:
// a parameter, or the numbers and arrays in it. Throws Diagnostic.
#pragma once

#include <vector>

#include "lower/fields.h"
#include "types/infer.h"

namespace tangent {

// What is differentiated, in the order of wrt: a parameter, or the numbers and arrays in it. The
// parameters that are made of those come last: nothing may flow to one as a whole.
struct Inputs {
  std::vector<Symbol> names;
  std::vector<Type> types;
};

// A list of real numbers or arrays, by one element type.
bool is_list_of_numbers(const Type& type);
// Whether a derivative can be taken with respect to a part of an argument.
bool is_active_leaf(const Type& type);

Inputs inputs_of(const CoreFunction& core, const std::vector<Type>& arguments,
                 const std::vector<int>& wrt, const std::vector<NamedField>& fields);

// Every path returns what a seed can be given for.
void check_result(const TypedFunction& typed, Block body);

// An integer argument counts as the real number that it is; one that decides only shapes, trip
// counts, indices or branches has no derivative that would say anything.
void check_structure(const CoreFunction& core, const TypedFunction& typed,
                     const std::vector<Type>& arguments, const std::vector<int>& wrt,
                     const std::vector<const Expr*>& gradients);

}  // namespace tangent
