// Abstract interpretation: the state, and what each file of it does. Internal to src/types.
//
//   infer.cpp              the whole: arguments in, typed function out
//   infer_statements.cpp   assignments, branches, loops
//   infer_expressions.cpp  operators, names, subscripts
//   infer_calls.cpp        library calls, methods, and what writes in place
//
// An environment has a type per variable, by number. A loop is interpreted until its entry no
// longer changes; the entry only grows and is kept from visit to visit, so a loop that is met again
// with nothing new costs nothing, and nested loops stay polynomial.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "syntax/places.h"
#include "types/call_view.h"
#include "types/infer.h"
#include "types/infer_pairs.h"

namespace tangent {

using Environment = std::vector<Type>;

// Whether a method takes lengths or axes one by one that the function of that name takes as one.
inline bool takes_one_by_one(std::string_view function) {
  return function == "numpy.reshape" || function == "numpy.transpose" ||
         function == "torch.permute" || function == "torch.Tensor.expand";
}

// What a type becomes that still grows after many rounds: the top of its kind.
Type widened(const Type& type);

class Inference {
 public:
  // `pairs` knows the functions that are called and stay calls; without it they are refused.
  Inference(const CoreFunction& core, Outside& outside, RuleBook& rules, Context& context,
            PairTypes* pairs = nullptr);

  TypedFunction run(const std::vector<Type>& arguments);

 private:
  // One loop: what its entry joined to so far, and what follows from that.
  struct Loop {
    Environment entry;
    Environment exit;
    bool exits = false;  // whether anything leaves it
    bool done = false;   // exit belongs to entry
  };
  struct Exits {
    Environment environment;
    bool any = false;
  };

  // Statements. `reachable_` says whether control gets past what was interpreted so far.
  void block(Block body);
  void statement(const Stmt* statement);
  void branch(const If& branch);
  bool is_surely_none(const Expr* test, ComparisonOperator op);
  void loop(const Stmt* statement, Block body, Block orelse);
  bool is_endless(const Stmt* statement) const;
  void enter_iteration(const Stmt* statement);
  void augmented(const AugmentedAssign& assign);
  void store(const Subscript& place, const Type& value);
  bool stores_into_row(const Subscript& place);
  Type map_of(const Type& value, const Type& key);
  std::optional<Type> map_method(const Call& call, const Attribute& method, const Type& map);
  Type with_item(const Subscript& place, const Type& value);
  void change_list(const ListChange& change);
  Type list_of(const Type& list, const Type& element);
  void assign(const Expr* target, const Type& type);
  void unpack(Exprs targets, const Type& type);
  // Joins into; whether it changed.
  bool join_into(Environment& into, const Environment& from);

  // Expressions.
  Type infer(const Expr* expression);
  Type compute(const Expr* expression);
  Type binary(const BinaryOperation& operation);
  Type comparison(const Comparison& comparison);
  Type name(const Name& name);
  Type global(Symbol symbol);
  Type attribute(const Attribute& attribute);
  Type type_of_thing(const Thing& thing);
  // The outside thing that a chain of global names and modules stands for.
  const Thing* thing_of(const Expr* expression);
  Type display(TypeKind kind, Exprs elements);

  // Calls.
  Type call(const Call& call);
  Type pair_call(const Call& call);
  Type library_call(const Call& call, Symbol callee, const Expr* receiver);
  Type method_call(const Call& call, const Attribute& method);
  void infer_arguments(const Call& call);
  void refuse_writes(const Call& call) const;
  void refuse_positional_out(const Rule& rule, const Call& call, const Expr* receiver);
  void refuse_mutation(const Call& call, const Attribute& method, const Type& receiver) const;

  // Methods resolved: the same body with Call::callee set.
  Block resolved(Block body);
  const Node* resolved(const Node* node);
  const Expr* resolved_call(const Call& call, Symbol callee);

  std::size_t number_of(Symbol symbol);

  const CoreFunction& core_;
  Outside& outside_;
  RuleBook& rules_;
  Context& context_;
  Arena& arena_;
  PairTypes* pairs_;
  TypedFunction result_;
  TypeLookup lookup_;

  std::unordered_map<Symbol, std::size_t> numbers_;
  std::vector<Symbol> symbols_;
  Environment environment_;
  Environment ever_;  // the join of all values of each variable
  bool reachable_ = true;

  std::unordered_map<const Stmt*, Loop> loops_;
  std::vector<Exits> breaks_;  // of the loops around

  std::unordered_map<Symbol, Type> globals_;
  std::unordered_map<const Expr*, Thing> things_;
  std::unordered_map<const Call*, Symbol> callees_;  // of methods; empty if none after all
};

}  // namespace tangent
