// Types of a program of several functions: one that calls functions which call themselves.
//
// In: the differentiated function, the types of its arguments, the functions that it calls. Out:
// each function typed, for the join of all arguments that it is called with. What a function gives
// back follows from itself: first what its base cases give, then a fixpoint. The lattice is finite
// up to nested tuples, which go to the top after a few rounds.
#pragma once

#include "types/infer.h"

namespace tangent {

// What the calls of each pair are known to take and to give so far.
class PairTypes {
 public:
  PairTypes(const std::vector<CorePair>& pairs, Arena& arena);

  // The type of a call's value, the results and the tape; Bottom if it is not known to come back.
  Type call(Symbol callee, const std::vector<Type>& arguments);
  // Notes what a pair was found to give.
  void give(std::size_t pair, const Type& result);
  // A function that never comes back: its value has any type.
  bool settle_endless();

  [[nodiscard]] const std::vector<Type>& arguments(std::size_t pair) const {
    return calls_[pair].arguments;
  }
  [[nodiscard]] bool is_called(std::size_t pair) const { return calls_[pair].called; }
  // Starts over with what is given back: while arguments were not all known, a result may have had
  // a type that it has not. Whether there was anything to gain by it; once.
  bool forget_results();
  // Whether anything was new since it was asked last.
  bool changed();

 private:
  struct Known {
    std::vector<Type> arguments;
    std::vector<Type> results;
    bool called = false;
    bool gives = false;
  };
  void join_into(Type& known, const Type& type);

  const std::vector<CorePair>& pairs_;
  Arena& arena_;
  std::vector<Known> calls_;
  bool changed_ = false;
  int rounds_ = 0;
  bool has_forgotten_ = false;
};

struct TypedProgram {
  TypedFunction top;
  std::vector<TypedFunction> pairs;  // those that are never called stay empty (no core)
};

TypedProgram infer_program(const CoreFunction& top, const std::vector<Type>& arguments,
                           const std::vector<CorePair>& pairs, Outside& outside, RuleBook& rules,
                           Context& context);

}  // namespace tangent
