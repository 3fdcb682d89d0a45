// Entries of dicts, lists and tuples of the outside, as questions that a guard can ask again.
//
// In: a live container, and the word that a question has for an entry. Out: the entry now. No code
// of the user runs: keys are texts and integers of Python's own.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace tangent::python {

// The word for a container's keys in their order; of a list or tuple, for its length.
constexpr std::string_view kKeys = "k";

// The word for an entry; empty where the key is neither a text nor a small integer.
std::string entry_word(PyObject* key);
// What a container holds under such a word; null if there is nothing.
nanobind::object entry_now(nanobind::handle container, std::string_view word);
// Whether it is a dict, list or tuple of moderate length that holds functions, classes, modules,
// partial functions or callable objects, or containers that do.
bool holds_functions(nanobind::handle container, int depth = 0);

}  // namespace tangent::python
