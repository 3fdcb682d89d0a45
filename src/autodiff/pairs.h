// The two halves of functions that stay calls: what each takes and gives.
//
//     _g_forward(args) -> results, tape
//     _g_backward(tape, adjoints of the results, buffers) -> adjoints of parameters
//
// In: the functions, typed. Out, settled by a fixpoint over the call graph (settle_pairs): which
// parameters an adjoint flows to, and how. The adjoint of an array that is collected from slices or
// elements is added into a buffer of the caller's ("by destination"); all others are given back.
#pragma once

#include <vector>

#include "types/infer_pairs.h"

namespace tangent {

// How the adjoint of a parameter flows. In this order: it only ever grows.
enum class Flow : std::uint8_t {
  Inactive,  // the parameter never varies with what is differentiated
  Nothing,   // no adjoint was found to flow to it
  Returned,
  Added,  // into a buffer that is given
};

struct PairHalves {
  const CorePair* pair = nullptr;
  const TypedFunction* typed = nullptr;
  std::vector<Flow> flows;     // per parameter
  bool is_active = false;      // called with a value that varies
  bool keeps_copies = false;   // what it keeps may be stored into by a caller before it is read
  std::vector<Type> results;   // of every result
  bool by_value_only = false;  // nothing by destination, after all

  [[nodiscard]] bool takes(std::size_t parameter) const {
    return flows[parameter] > Flow::Inactive;
  }
};

struct PairTable {
  std::vector<PairHalves> halves;

  [[nodiscard]] const PairHalves* find(const Call* call) const;
};

// f(statement, call) for every call of a pair, nested blocks included.
void for_each_pair_call(Block body, const std::function<void(const Assign*, const Call*)>& f);

// Which functions are active, and which parameters vary; refuses what cannot be a pair. `inputs`
// are those of the differentiated function.
PairTable find_active_pairs(const TypedProgram& program, const std::vector<CorePair>& pairs,
                            const std::vector<Symbol>& inputs, RuleBook& rules);

}  // namespace tangent
