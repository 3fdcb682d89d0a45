// Variants that outlive the process: what is stored of them, and how one is found again.
//
// In: a function and its options; a variant that was just made; the arguments of a call. Out: bytes
// for the disk cache (tangent.disk_cache), under a key that says all that the text depends on and
// that is known before anything is asked; a variant made of such bytes, if every question that is
// stored with it has the same answer here. Nothing that is wrong with what is stored is an error:
// it is as if it were not there.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/binding.h"
#include "runtime/variant.h"

namespace tangent::runtime {

class StoredVariants {
 public:
  // Those of a function (a Python function, not a method) for these options.
  static StoredVariants find(nanobind::handle function, const GradientOptions& options);

  StoredVariants() = default;
  // python::literal_outputs of the function.
  [[nodiscard]] std::size_t literal_outputs() const;
  [[nodiscard]] bool empty() const { return variants_.empty(); }

  // The one that is right for these values (null: the general form); null if there is none.
  [[nodiscard]] std::shared_ptr<Variant> restore(const Binder& binder,
                                                 const std::vector<PyObject*>* values,
                                                 const GradientOptions& options) const;

 private:
  explicit StoredVariants(std::vector<std::string> variants) : variants_(std::move(variants)) {}

  std::vector<std::string> variants_;  // the newest first
};

// Stores a variant that was made here for these values (null: the general form), if it can be told
// in words that mean the same elsewhere. `fields` are those of the parameters whose values have
// parts.
void store_variant(const Variant& variant, const Binder& binder,
                   const std::vector<PyObject*>* values, const std::vector<ReadField>& fields,
                   const GradientOptions& options);

}  // namespace tangent::runtime
