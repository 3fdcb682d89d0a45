// Whether what a gradient stores into is apart from everything else that it reads.
//
// In: the arguments of a call, the parameters that are stored into, and what the function reads of
// the outside. Out: which two share memory, if any do. Arrays are looked for in containers and
// objects, too. No code of the user runs.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "pipeline.h"

namespace tangent::runtime {

constexpr std::size_t kOutside = static_cast<std::size_t>(-1);

// A parameter that is stored into, and what shares memory with it: a parameter (itself, if two of
// its own parts do), or kOutside.
struct SharedMemory {
  std::size_t written;
  std::size_t other;
};

// `values` are those of the parameters from `first` on; `self`, if it is not null, is that of the
// parameter before them.
std::optional<SharedMemory> shared_memory(PyObject* self, PyObject* const* values,
                                          std::size_t first, std::size_t count,
                                          const Written& written,
                                          const std::vector<PyObject*>& outside);

}  // namespace tangent::runtime
