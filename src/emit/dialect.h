// A gradient in the words of the library whose arrays it computes with.
//
// In: the body of an emitted function, where what differentiation wrote calls NumPy's functions
// under a name of their own (`DialectNames::numpy`) and stores in place. Out: the same for arrays
// of JAX, torch or tinygrad: `jnp.where(…)`, `torch.where(…)`, `x.exp()`; what the library has not
// under that name and with these arguments is called as `tnp.full_like(…)`, a function of Tangent's
// own (python/tangent/_numpy_*.py). Arrays of JAX and tinygrad do not change: `b[i] += v` becomes
// `b = b.at[i].add(v)`.
#pragma once

#include "autodiff/typing.h"
#include "lower/lower.h"
#include "syntax/build.h"

namespace tangent {

struct DialectNames {
  Symbol numpy;    // what stands for NumPy before, and for Tangent's own functions after
  Symbol library;  // how the text calls the library: "jnp", "torch"
  // The user's own calls of NumPy, too: the program was written for NumPy's arrays
  // (compile='jax').
  bool translates = false;
};

// Refuses (NotInLibrary, WriteInPlace) what cannot be said in the library.
Block spell_for_library(Block body, const CoreFunction& core, const DialectNames& names,
                        Typing& typing, Context& context);

// Refuses a program whose names are changed in place while another name stands for the same
// number without axes, which arrays of this library allow and numbers do not.
void check_shared_scalars(const CoreFunction& core, const TypedFunction& typed);

}  // namespace tangent
