// Our exceptions -> Python's: the one place where a Diagnostic becomes an exception of
// tangent.errors.
//
// In: a C++ exception, the texts that its ranges point into. Out: a Python exception, set and
// thrown as nanobind::python_error.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "base/diagnostics.h"
#include "python/files.h"

namespace tangent::python {

[[noreturn]] void raise_diagnostic(const Diagnostic& diagnostic, const FileTable& files);
// File, line, column, end line, end column and the text of the line: what `tangent.errors` calls a
// place.
nanobind::object place_of(const SourceRange& range, const FileTable& files);
[[noreturn]] void raise_internal(const std::exception& error);

// f(), with every exception of ours turned into a Python one.
template <class F>
auto translated(const FileTable& files, F&& f) -> decltype(f()) {
  try {
    return std::forward<F>(f)();
  } catch (const Diagnostic& diagnostic) {
    raise_diagnostic(diagnostic, files);
  } catch (const nanobind::python_error&) {
    throw;
  } catch (const nanobind::builtin_exception&) {
    throw;  // a TypeError about the arguments of a call
  } catch (const std::exception& error) {
    raise_internal(error);
  }
}

}  // namespace tangent::python
