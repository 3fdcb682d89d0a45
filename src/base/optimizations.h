// What the options `optimized` and `optimizations` switch. Every stage that has a choice is given
// this and reads its own field; what each one does is in docs/options.md.
#pragma once

#include <string_view>

namespace tangent {

struct Optimizations {
  // False: the naive adjoint. Every primitive is a statement of its own, every value that is needed
  // is taped, every adjoint is written down; only what is switched on by name cleans up.
  bool optimized = true;
  bool dce = true;                  // what nothing reads is dropped
  bool tape_liveness = true;        // what is read only for its shape is not kept
  bool strength_reduction = false;  // cheaper operations: x * x for x ** 2
  bool cse = false;                 // what is computed twice has a name
  bool algebraic = false;           // identities that hold but for rounding, the primal included
  bool sympy = false;               // the same by SymPy
  bool coarsening = false;          // stretches of elementwise code are one expression

  // Nothing but what is switched on afterwards.
  static constexpr Optimizations none() {
    return {.optimized = false, .dce = false, .tape_liveness = false};
  }

  // Switches one on by the name of its option; false if there is none.
  constexpr bool enable(std::string_view name) {
    bool* field = name == "optimized"            ? &optimized
                  : name == "dce"                ? &dce
                  : name == "tape_liveness"      ? &tape_liveness
                  : name == "strength_reduction" ? &strength_reduction
                  : name == "cse"                ? &cse
                  : name == "algebraic"          ? &algebraic
                  : name == "sympy"              ? &sympy
                  : name == "coarsening"         ? &coarsening
                                                 : nullptr;
    if (field == nullptr) return false;
    *field = true;
    return true;
  }
};

}  // namespace tangent
