// The plan of an adjoint made a program again: forward part, backward part, return.
//
// In: the primal, the result of reverse mode, the saves. Out: the statements of the gradient
// function's body.
#pragma once

#include "autodiff/reverse.h"
#include "autodiff/save.h"

namespace tangent {

struct Assembled {
  std::vector<const Stmt*> tapes;  // `v_tape = []`, first in the function
  std::vector<const Stmt*> forward;
  std::vector<const Stmt*> backward;
  std::unordered_set<const Stmt*>
      primal;  // every statement of the forward part, nested ones included
};

// `result` names the primal's value; it is assigned where the primal returns.
Assembled assemble(Block body, const ReverseResult& reverse, const Saves& saves, Symbol result,
                   NamePool& names, Context& context);

}  // namespace tangent
