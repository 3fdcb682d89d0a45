// Live objects in words that mean the same in another process.
//
// In: an object that a differentiation asked about, and how much of it was asked. Out: a
// description; an object of another process that has the same one gives the same answers. No
// address, and nothing that runs the user's code.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

namespace tangent::python {

// The fingerprint of a function or a bound method, by its text and code (tangent._fingerprint).
// `parsed` is the text that capture read, or null: then nothing where it was found in some other
// way than by the lines of the code object.
std::optional<std::string> fingerprint(nanobind::handle function, nanobind::handle parsed);

// Nothing where an object cannot be told from others.
std::optional<std::string> described(nanobind::handle object, bool literal_asked);

// The class of an object of a user's class, else an empty text; nothing if it cannot be told.
std::optional<std::string> described_class_of(nanobind::handle object);

// What all keys begin with: the engine, by the build id of its binary or the version of the
// package, CPython and NumPy.
std::string describe_engine();

}  // namespace tangent::python
