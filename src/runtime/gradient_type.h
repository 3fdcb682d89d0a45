// `tangent._core.Gradient`: the CPython type of what `tangent.grad` returns.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "pipeline.h"

namespace tangent::runtime {

// Makes the type and adds it to the module.
void add_gradient_type(nanobind::module_& module);

// A new gradient. `recipe` is what pickle rebuilds it from: (callable, arguments).
nanobind::object make_gradient(nanobind::handle primal, GradientOptions options, int verbose,
                               nanobind::handle recipe);

// Whose arrays the gradient computed with when it was last asked for a variant: "numpy", "jax",
// "torch", "tinygrad".
std::string gradient_library(nanobind::handle gradient);

// The same gradient for arrays of JAX, with NumPy's calls spelled as those of jax.numpy.
nanobind::object translated_gradient(nanobind::handle gradient);
nanobind::object written_out_gradient(nanobind::handle gradient);

// The stages of the road for the gradient's arguments, as a list of (name, text).
nanobind::list gradient_stages(nanobind::handle gradient, const nanobind::args& arguments);

// The road for the gradient's arguments once more, with what is saved and what each pass made.
nanobind::dict gradient_record(nanobind::handle gradient, const nanobind::args& arguments);

// The source map of the text that the gradient shows: (file name, list of places per line).
nanobind::object gradient_lines(nanobind::handle gradient);

}  // namespace tangent::runtime
