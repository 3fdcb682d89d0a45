// Forward mode: from a typed core program to the program of its directional derivative.
//
// The primal is walked forwards, statement by statement; each assignment of a value that depends on
// the differentiated parameters has its tangent beside it. A tangent is a sum of products
// (linear.h) until it is written down. What the primal does to a value in place (stores, lists that
// grow) is done to its tangent as well: a tangent has the structure of its value, and a view of a
// value has the same view of the tangent for its own.
//
// In: the typed program, the differentiated parameters and the names of their tangents. Out: the
// body of the derivative function, whose returns give tangents.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/activity.h"
#include "analysis/aliases.h"
#include "analysis/effects.h"
#include "autodiff/choice.h"
#include "autodiff/linear.h"
#include "autodiff/rule_names.h"

namespace tangent {

// A differentiated parameter, or a part of one, and the name of its tangent.
struct ForwardInput {
  Symbol name;
  Symbol tangent;
  Type type;
};

struct ForwardResult {
  std::vector<const Stmt*> body;
  std::optional<Typing> typing;              // of every expression that was made
  std::unordered_set<const Stmt*> primal;    // the statements that the primal's own came to be
  std::unordered_set<Symbol> tangent_names;  // of variables and of values in between
  std::unordered_set<Symbol> kept;  // names of the primal\'s values in front of a statement
  std::unordered_map<Symbol, Symbol> variables;  // of each tangent
  std::unordered_set<Symbol> written;            // names of the primal's that are stored into
  std::vector<Symbol> written_parameters;        // whose arrays are stored into
  std::vector<Symbol> changed_parameters;        // lists whose elements or length change
  std::vector<std::string> helpers;              // of tangent.runtime
  std::vector<std::pair<std::string, Symbol>> modules;  // that rules use, as printed
};

class Forward {
 public:
  Forward(const TypedFunction& function, const std::vector<ForwardInput>& inputs,
          bool preserve_result, RuleBook& rules, Context& context, Symbol numpy, NamePool& names);
  ForwardResult run();

 private:
  using Statements = std::vector<const Stmt*>;

  // What is known at a point of the program.
  struct State {
    std::unordered_set<Symbol> active;       // variables with a tangent
    std::unordered_set<Symbol> bound;        // surely bound
    std::unordered_set<Symbol> maybe_bound;  // bound on some path
  };
  // A loop around the point now.
  struct Loop {
    std::unordered_set<Symbol> head;  // variables with a tangent where an iteration starts
    std::vector<State> exits;         // the states at its exits
  };
  // An array that is stored into needs its tangent from its first binding on: start again.
  struct Again {};

  // --- names that share memory (forward_shadows.cpp)
  // Whether all that shares memory with a name is bound in ways that views of tangents follow.
  bool is_followed(Symbol variable);
  bool binds_plainly(const Stmt* statement, Symbol variable);
  bool is_plain_view(const Expr* value);
  bool is_basic_index(const Expr* index);

  // --- statements (forward.cpp)
  void block(Block statements);
  void statement(const Stmt* statement);
  void assign(const Assign* assign);
  // `target` gets `value`, by this statement.
  void assign_name(const Stmt* statement, Symbol target, const Expr* value);
  void unpack(const Assign* assign, const TupleDisplay* targets);
  void unpack_display(const Assign* assign, const TupleDisplay* targets, Exprs values);
  void augmented(const AugmentedAssign* statement);
  void store(const Stmt* statement, const Subscript* place);
  void list_changes(const Stmt* statement, const ListChange& change);
  void give_back(const Return* statement);
  void start();
  void find_always();
  void define(Symbol variable, bool with_tangent);
  // The tangent of a target that gets a value without one.
  const Expr* zeros_of_display(Symbol target, const Expr* value);
  void define_zero(Symbol target, const Expr* value, const Expr* zero);
  // The statement with what is kept by name in its place.
  const Stmt* rewritten(const Stmt* statement);
  bool mentions_now(const Expr* made, Symbol symbol) const;
  bool reads_changed(const Stmt* statement, const Node* made) const;
  void emit_change(const Stmt* statement, Symbol variable);
  bool is_seen_elsewhere(Symbol variable) const;

  // --- control flow (forward_flow.cpp)
  void branch(const If* branch);
  void loop(const Stmt* loop);
  // Target and iterable of a loop that takes values and their tangents.
  std::pair<const Expr*, const Expr*> header(const Expr* target, const Expr* iterable);
  // The names of the tangents of a target's names, in its form.
  const Expr* tangent_target(const Expr* target);
  void leave(const Break* exit);
  // A zero tangent for a variable, beside its last binding in these statements or at their end.
  void make_zero(Symbol variable, Statements& statements, const State& state);
  const Expr* zero_like(const Expr* value, const Type& type);
  static State joined(const State& a, const State& b);

  // --- tangents of expressions (forward_values.cpp)
  // The tangent of a value; no terms: zero.
  Linear tangent(const Expr* node);
  Linear sum(const Expr* sum);
  Linear product(const BinaryOperation* node);
  Linear quotient(const BinaryOperation* node);
  Linear operation(const BinaryOperation* node);
  Linear element(const Subscript* node);
  Linear attribute(const Attribute* node);
  Linear call(const Call* node);
  Linear conditional(const Expr* node, const Choice& choice);
  Linear display(const Expr* node);
  // The tangent in the shape of the value; null: zero.
  const Expr* full_tangent(const Expr* node);
  // The same, with a zero that is written down.
  const Expr* whole_tangent(const Expr* node);
  const Expr* full(const Linear& value, const Expr* node);
  const Expr* kept_apart(const Expr* value, const Expr* made, bool is_written);
  Linear times(const Linear& value, const Expr* factor, bool inverse = false);
  Linear settled(Linear value, const Expr* node);
  // A contribution of an operand to a wider result.
  Linear widened(Linear value, const Expr* operand, const Expr* node);
  bool covers(const Type& part, const Type& whole) const;
  bool active(const Expr* node);
  bool is_receiver(const Attribute* method) const;
  // Whether evaluating an expression makes an array that nothing else sees.
  bool is_fresh(const Expr* made) const;

  // --- rules (forward_rules.cpp)
  struct Binding;
  Linear apply_rule(const Rule& rule, const Call* call, const std::vector<const Expr*>& arguments,
                    const Expr* node);
  Linear without_numbers(const Linear& value, const Expr* node, Linear& outside);
  Linear by_partials(const Rule& rule, Binding& binding);
  Linear by_twin(const Rule& rule, Binding& binding);
  std::optional<Linear> by_linearity(const Rule& rule, const Call* call,
                                     const std::vector<const Expr*>& arguments, const Expr* node);
  void run_body(Block body, Binding& binding, Linear& sum, bool twin);
  int uses_of(Symbol name, Block body, Binding& binding);
  Linear evaluate_linear(const Expr* expression, Binding& binding);
  Linear form(const Call* call, Binding& binding);
  const Expr* evaluate(const Expr* expression, Binding& binding);
  const Expr* evaluate_call(const Call* call, Binding& binding);
  const Expr* part_value(std::size_t part, Binding& binding);
  const Expr* mask_test(const Expr* test, Binding& binding);
  const Expr* argument(std::size_t index, Binding& binding);
  const Linear& tangent_of(std::size_t index, Binding& binding);
  bool has_derivative(const Expr* expression, const Binding& binding);
  bool vanishes(const Expr* expression, Binding& binding);
  bool may_vanish(const Linear& tangent, const Expr* argument);
  // Whether a tangent can be exactly zero in places by the way it is made.
  bool is_sparse(const Expr* made) const;

  // --- values of the primal, and writing (forward_write.cpp)
  // A value of the primal for a second use: calls and products are kept by name.
  const Expr* primal(const Expr* node);
  const Expr* hoist(const Expr* node);
  // The primal's expression with what is kept by name in its place.
  const Expr* replaced(const Expr* node);
  // The statement's hoists, innermost and first evaluated first.
  void flush_hoists(const std::vector<const Expr*>& roots);
  Linear named(std::string_view wish, const Linear& value, const Type& type);
  void emit(const Stmt* statement) { out_->push_back(statement); }
  void emit_primal(const Stmt* statement);
  void emit_temporaries();
  const Expr* renamed(const Expr* expression, Symbol from, Symbol to);
  // A name of this statement, the same each time that the statement is looked at.
  Symbol fresh(std::string_view wish);
  Symbol tangent_name(Symbol variable);
  bool has_tangent(Symbol variable) const { return state_->active.contains(variable); }
  bool is_list(const Expr* value) { return typing_.of(value).kind == TypeKind::List; }
  Type type_of(Symbol variable) const;
  const Expr* copied(const Expr* made);
  const Expr* place_in(const Expr* place, const Expr* base);
  const Expr* local_tangent(Symbol variable) { return context_.local(tangent_name(variable)); }
  const Call* call_helper(std::string_view name, const std::vector<const Expr*>& arguments);
  void begin(const Stmt* statement);

  [[noreturn]] void refuse(DiagnosticKind kind, const Node* node, std::string message,
                           std::string remedy = {}) const;

  const TypedFunction& function_;
  const CoreFunction& core_;
  std::vector<ForwardInput> inputs_;
  bool preserve_result_;
  RuleBook& rules_;
  Context& context_;
  NamePool& names_;
  RuleNames rule_names_;
  Typing typing_;
  Algebra algebra_;
  Activity activity_;
  Aliases aliases_;
  Effects effects_;
  Symbol result_name_;  // of the primal's value, where it is returned

  std::unordered_map<Symbol, Symbol> tangents_;  // variable -> name of its tangent
  std::unordered_set<Symbol> tangent_names_;
  std::vector<Symbol> followed_;       // names whose memory is changed and read by other names
  std::unordered_set<Symbol> always_;  // variables that have a tangent wherever they are bound
  std::unordered_set<Symbol> shared_;  // names of tangents that may be seen by another name
  std::unordered_set<Symbol> sparse_;  // names of tangents that can be zero in places
  std::unordered_map<const Stmt*, std::vector<Symbol>> fresh_;  // names of statements, in order
  std::unordered_map<const Stmt*, std::unordered_set<Symbol>> heads_;  // of loops
  std::unordered_set<const Stmt*> primal_;
  std::unordered_set<Symbol> kept_;  // names of hoists

  std::optional<State> state_;  // nothing where the end of the block is not reached
  std::vector<Loop*> loops_;
  Statements* out_ = nullptr;

  // The statement now.
  const Stmt* current_ = nullptr;
  const Expr* current_value_ = nullptr;  // the value whose name will be …
  Symbol current_result_;                // … this
  std::vector<Symbol> current_parts_;    // or these, of a tuple that is unpacked
  std::size_t fresh_count_ = 0;
  std::unordered_map<const Node*, Symbol> replaced_;
  std::vector<std::pair<Symbol, const Expr*>> temporaries_;
  int arm_depth_ = 0;
};

}  // namespace tangent
