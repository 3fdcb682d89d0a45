// Reverse mode: from a typed core program to the plan of its adjoint.
//
// The primal is walked backwards, statement by statement. `adjoints_` holds for every variable its
// adjoint at this point as a sum of products (linear.h) that is not written down until it has to
// be: where control flow joins, where a name in it is about to change, where it would be computed
// twice. So the adjoint of a straight line is one expression per variable, as it is by hand, and
// nothing has to be cleaned up afterwards.
//
// In: the typed program, the differentiated parameters, the seed. Out: a Plan, and the gradients as
// expressions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/activity.h"
#include "analysis/aliases.h"
#include "analysis/element_order.h"
#include "autodiff/checkpoint_options.h"
#include "autodiff/choice.h"
#include "autodiff/linear.h"
#include "autodiff/pairs.h"
#include "autodiff/plan.h"
#include "autodiff/rule_names.h"
#include "autodiff/rule_tests.h"
#include "autodiff/typing.h"
#include "base/optimizations.h"

namespace tangent {

struct ReverseResult {
  Plan plan;
  std::optional<Typing> typing;  // of every expression that was made
  Symbol seed;
  std::unordered_set<Symbol> adjoint_names;
  std::unordered_set<Symbol> number_names;  // those of them that only ever hold numbers
  std::size_t tuple_size = 0;               // of the result, if every return gives a tuple
  const Expr* seed_parts = nullptr;    // of a result with parts in parts or keys: a one for each
  std::vector<const Expr*> gradients;  // in the order of the inputs
  Symbol numpy;                        // as it is printed
  std::vector<Symbol> written_parameters;  // whose arrays are stored into
  std::vector<Symbol> changed_parameters;  // lists whose elements or length change
  std::vector<std::string> helpers;        // of tangent.runtime
  // Of a function that stays a call: its seeds, one per result, the buffers that its backward half
  // is given, how adjoints were found to flow, and whether one missed its buffer.
  std::vector<Symbol> seeds;
  std::vector<Symbol> buffers;
  std::vector<Flow> flows;
  bool misses_buffer = false;
  std::vector<std::pair<std::string, Symbol>>
      modules;  // that rules use: qualified name, as printed
};

// Whether one assignment gives a local its only value, in a loop or not.
bool is_bound_once(const CoreFunction& core, Block body, Symbol symbol);

class Reverse {
 public:
  // `types` are those of the arguments that are differentiated, `inputs` the parameters. `pairs`
  // are the functions that stay calls; `own` is this one, if it is one of them.
  Reverse(const TypedFunction& function, const std::vector<Symbol>& inputs,
          const std::vector<Type>& types, RuleBook& rules, Context& context, Symbol numpy,
          NamePool& names, const PairTable* pairs = nullptr, const PairHalves* own = nullptr,
          const Optimizations& optimizations = {});
  // The same for a program of which some loops keep snapshots.
  Reverse& with(const Checkpoints* checkpoints) {
    checkpoints_ = checkpoints;
    return *this;
  }
  ReverseResult run();
  // What a value of the primal is named after.
  static std::string name_for(const Expr* node);

 private:
  using Stream = std::vector<Back>;

  // --- statements (reverse.cpp)
  void reverse_function();
  // The adjoint of a parameter at the start. `is_kept`: it must share memory with nothing.
  const Expr* gradient_of(Symbol input, const Type& type, bool is_kept);
  [[nodiscard]] const Node* first_read(Symbol variable) const;
  void reverse_block(Block block);
  void reverse_before(Block block, std::size_t end);
  void undo_before(Block block, std::size_t end);
  // The way from an exit back to the start of the block; false if the exit is not in it.
  bool reverse_exit(Block block, const Break* exit);
  void reverse_statement(Block block, std::size_t index);
  void reverse_assign(Block block, std::size_t index);
  bool reads_only_result(const Call* call);
  void outer_call(const Call* call, const Linear& adjoint, Symbol symbol, Block block,
                  std::size_t index);
  static int count_name(const Node* node, Symbol symbol);
  [[nodiscard]] static bool contains_call(const Linear& value);
  // The adjoint of one value of a variable from that of the variable, whose other values may be
  // wider.
  Linear unbroadcast_entry(Linear adjoint, Symbol variable, const Expr* value);
  [[nodiscard]] static bool ends_in_return(const Stmt* statement);
  [[nodiscard]] static bool is_cheap_test(const Expr* test);
  [[nodiscard]] bool is_view(const Expr* expression) const;
  void reverse_unpack(const Assign* assign, const TupleDisplay* targets);
  bool unpack_parts(Block block, std::size_t index, const TupleDisplay* targets);
  const Expr* operation_of(const AugmentedAssign* statement, const Expr* target);
  // What a store puts into a place, with a read of its own where it is augmented.
  const Expr* stored_value(const Stmt* statement, const Subscript* place);
  // The name under which the adjoint of a stored or appended value is taken.
  Symbol name_for_taken(const Expr* value, bool is_number, std::string_view wish);
  void reverse_augmented(Block block, std::size_t index);
  void reverse_return(const Return* statement);
  // --- results with parts (results.cpp)
  void push_result(const Expr* value, const Expr* seed);
  const Expr* seed_parts_of(const Expr* value);
  void note_seed_parts(const Return* statement);

  // --- lists (reverse_lists.cpp)
  bool is_list(const Expr* value);
  const Expr* operand(const Expr* value);
  Linear seed_of_list(const Expr* list, const Expr* seed);
  const Expr* zeros_of_list(const Expr* list);
  const Expr* copied_list(const Expr* list);
  bool is_list_of_lists(const Expr* list);
  const Expr* list_place(const Expr* list);
  [[noreturn]] void refuse_place(const Expr* list) const;
  Symbol list_buffer(Symbol variable);
  Linear element_of_list(const Expr* taken, const Type& type);
  void add_to_list(const Expr* list, const Linear& adjoint, bool to_all);
  void reverse_list_change(Block block, std::size_t index);
  Symbol begin_store(Block block, std::size_t index, Symbol container);
  void reverse_list_store(Block block, std::size_t index, const Subscript* place);
  void push_list_display(const ListDisplay* display, const Linear& adjoint);
  // --- dicts by keys that only the run tells (reverse_maps.cpp)
  bool is_map(const Expr* value);
  const Expr* map_method(const Expr* map, std::string_view name,
                         const std::vector<const Expr*>& arguments);
  const Expr* map_entry(Symbol map, const Expr* key);
  void push_map_entry(const Expr* node, const Expr* map, const Expr* key, const Linear& adjoint);
  bool push_map_get(const Call* node, const Linear& adjoint);
  void push_map_display(const Dictionary* display, const Linear& adjoint);
  void reverse_map_store(Block block, std::size_t index, const Subscript* place);
  Linear seed_of_map(const Expr* map, const Expr* seed);
  // --- lists that are made of lists (list_values.cpp)
  void push_list_value(const Expr* node, const Linear& adjoint);
  void push_list_sum(const BinaryOperation* node, const Linear& adjoint);
  void push_list_repeat(const BinaryOperation* node, const Linear& adjoint);
  void push_list_slice(const Subscript* node, const Linear& adjoint);
  Linear list_name(const Expr* node, const Linear& adjoint);
  const Expr* length_of(const Expr* list);
  void require_numeric(const Expr* item);
  void require_numeric_items(const Expr* list);
  void push_list_element(const Subscript* node, const Linear& adjoint);

  // --- functions that stay calls (reverse_pairs.cpp)
  void reverse_half();
  void reverse_half_return(const Return* statement);
  void reverse_pair_call(Block block, std::size_t index, const Call* call);
  const Expr* seed_of(const Linear& adjoint, const Expr* result);
  const Expr* buffer_of(const Expr* argument, Symbol& pushed);
  void take_adjoints(const Call* backward, const std::vector<const Expr*>& arguments, Exprs seeds);
  [[nodiscard]] bool is_bound_again(Symbol variable) const;
  static bool assigns(const Stream& items, Symbol name);

  // --- stores into elements and slices (reverse_stores.cpp)
  void reverse_store(Block block, std::size_t index);
  // The names that hold another value behind a statement: bound, or seen to be stored into.
  [[nodiscard]] std::vector<Symbol> changes(const Stmt* statement) const;
  const Expr* place_in(const Expr* place, const Expr* base);
  bool is_one_element(const Expr* place);
  bool names_elements_twice(const Subscript* place);
  Linear taken(const Subscript* place, Symbol name, const Expr* value);
  void clear(const Expr* target);
  void pass_on(const Subscript* place, Symbol name,
               const std::vector<std::pair<const Expr*, bool>>& terms);

  // --- branches
  void reverse_if(const If* branch);

  // --- branches and loops (reverse_loops.cpp)
  void reverse_loop(const Stmt* loop);
  void reverse_iterations(const Stmt* loop);
  void write_down_carried(const Stmt* loop, const std::vector<Symbol>& touched,
                          const std::vector<Symbol>& carried);
  void leave_loop(const Stmt* loop, const std::vector<Symbol>& carried,
                  const std::vector<Linear>& entry);
  struct Elements;
  void plan_exits(const Stmt* loop, Block body);
  void reverse_exits(const Stmt* loop, Block body, const Elements& elements);
  bool read_iterable(const For* loop, Elements& elements);
  void plan_header(const For* loop, Elements& elements, Back& item,
                   std::vector<std::pair<const Expr*, const Expr*>>& taken);
  void killed_in_loop(const Stmt* loop);
  [[nodiscard]] std::unordered_set<Symbol> scattered_by(const Stmt* loop) const;
  std::vector<Symbol> carried_by(const Stmt* loop, const std::vector<Symbol>& touched);
  [[nodiscard]] std::vector<Symbol> touched_by(const Stmt* statement) const;
  [[nodiscard]] bool only_accumulates(const Stmt* loop, Symbol variable) const;
  // --- loops that keep snapshots (reverse_stretches.cpp)
  void reverse_stretches(const Stmt* loop);
  CheckpointPlan* checkpoint_of(const Stmt* loop);
  void plan_schedule(const Stmt* loop, CheckpointPlan& plan, Position after);
  const Expr* plan_stretch(CheckpointPlan& plan, const Call* range);
  Symbol backward_number(std::string_view wish);
  const Expr* builtin_call(std::string_view name, const std::vector<const Expr*>& arguments);
  const Expr* runtime_call(std::string_view name, const std::vector<const Expr*>& arguments);

  // Runs two arms from the state now and joins what they leave.
  void branch(const Expr* test, const Stmt* statement, const std::function<void()>& taken,
              const std::function<void()>& other);

  // --- expressions (push.cpp)
  // Adds the contribution of `adjoint`, the adjoint of the value of `node`, to the variables in it.
  void push(const Expr* node, Linear adjoint);
  void push_sum(const Expr* node, const Linear& adjoint);
  void push_operation(const BinaryOperation* node, Linear adjoint);
  void push_subscript(const Subscript* node, const Linear& given);
  bool push_new_axes(const Subscript* node, const Linear& given);
  bool push_one_of(const Subscript* node, const Linear& adjoint);
  bool is_basic_index(const Expr* index);
  const Expr* view_of_buffer(const Expr* value);
  void push_attribute(const Attribute* node, const Linear& adjoint);
  void push_call(const Call* node, const Linear& adjoint, const Expr* result);
  void push_conditional(const Expr* node, const Choice& choice, Linear adjoint);
  void push_display(Exprs elements, const Expr* node, const Linear& adjoint);
  bool is_receiver(const Attribute* method);
  const Expr* as_value(const Expr* index);
  // Names an adjoint that would otherwise be computed more than once.
  Linear named_if_shared(const Expr* node, Linear adjoint);
  // The adjoint of a value under a name: that of the statement's target, if the value is its.
  Linear name_adjoint(const Expr* node, const Linear& adjoint);
  Linear write_as(Symbol variable, Linear adjoint, const Type& type);
  Linear name_numerator(const BinaryOperation* quotient, const Linear& adjoint);
  Linear named(std::string_view wish, const Linear& adjoint, const Type& type);
  Linear unbroadcast(Linear adjoint, const Expr* node, const Expr* operand);
  Linear full(const Linear& adjoint, const Expr* node);
  const Expr* witness(const Expr* node);
  bool active(const Expr* node) const;
  std::size_t distinct_leaves(const Expr* node) const;
  std::size_t active_parts(const Expr* node) const;  // elements and slices in it
  static std::size_t size_of(const Expr* node, std::size_t limit);

  // --- rules (apply_rule.cpp, rule_displays.cpp, rule_values.cpp, rule_tests.cpp)
  struct Binding;
  struct Parts;
  // The contribution of an elementwise rule with one parameter.
  Linear partial_of(const Rule& rule, const Call* call, const std::vector<const Expr*>& arguments,
                    const Linear& adjoint, const Expr* result);
  void apply_rule(const Rule& rule, const Call* call, const std::vector<const Expr*>& arguments,
                  const Linear& adjoint, const Expr* node, const Expr* result,
                  const Parts* parts = nullptr);
  // A call whose result is a tuple: contributions from the adjoints of its parts (rule_parts.cpp).
  const Call* tuple_call(const Expr* value);
  void push_parts(const Call* call, const Parts& parts);
  void push_part(const Call* call, std::size_t index, const Linear& adjoint);
  static std::optional<std::size_t> part_of(const Expr* expression, const Binding& binding);
  const Expr* part_value(std::size_t index, Binding& binding);
  Linear part_adjoint(const Expr* index, Binding& binding);
  Linear all_parts(Binding& binding);
  bool vanishes(const Expr* expression, Binding& binding);
  int uses_of(Symbol name, Block body, Binding& binding);
  int reads_of_adjoint(Block body, const Rule& rule, const std::vector<const Expr*>& arguments,
                       const Expr* node);
  void run_body(Block body, Binding& binding);
  void contribute(Symbol parameter, const Expr* value, Binding& binding);
  void settle_shape(Linear& contribution, const Expr* argument);
  Linear fitted(Linear contribution, const Expr* argument);
  void contribute_to_elements(Exprs elements, const Expr* display, const Expr* value,
                              Binding& binding);
  void push_item(const Expr* element, const Expr* piece);
  void push_everywhere(const Expr* element, Linear part);
  std::optional<std::int64_t> axis_of_pieces(const Expr* axis, Exprs elements);
  static std::optional<std::int64_t> literal_integer(const Expr* expression);
  Truth decide(const Expr* test, Binding& binding);
  [[nodiscard]] static bool has_derivative(const Expr* expression, const Binding& binding);
  Linear evaluate_linear(const Expr* expression, Binding& binding);
  const Expr* evaluate(const Expr* expression, Binding& binding);
  const Expr* evaluate_call(const Call* call, Binding& binding);
  Linear form(const Call* call, Binding& binding);
  bool fits(const Linear& value, const Expr* parameter, const Binding& binding);
  const Expr* mask_test(const Expr* test, Binding& binding);
  const Expr* sole_array(const Expr* node);
  bool follows(const Expr* expression, const Expr* operand);
  const Expr* transposed(const Expr* value);
  const Expr* argument(std::size_t index, Binding& binding);
  const Expr* result(Binding& binding);
  // value * factor (or / factor), where both belong to the shape of `node`.
  Linear times(const Linear& value, const Expr* factor, const Expr* node, bool inverse = false);
  bool may_vanish(const Linear& adjoint, const Expr* argument);
  Linear with_masks(Linear adjoint);
  Linear masked_throughout(Linear adjoint);
  bool is_still(const Expr* test, const Position& where);
  [[nodiscard]] bool is_sparse(const Expr* value) const;

  // --- the primal's values (primal.cpp)
  // An expression of the primal as the backward part may use it: cheap parts are recomputed,
  // results of calls are kept by name.
  const Expr* primal(const Expr* node);
  const Expr* hoist(const Expr* node, std::string_view wish);
  const Expr* copy_of(const Expr* value);
  bool is_view_of_written(const Expr* node) const;
  // Whether an expression reads an element of an array that is stored into later.
  bool is_overwritten(const Expr* node);
  int overwritten_reads(const Expr* node);

  // --- elements that last (lasting_elements.cpp)
  std::optional<Position> behind_elements(Symbol array, const Stmt** loop);
  const ElementOrder* order_of(Symbol array);
  std::optional<Position> lasting(Symbol array);
  bool holds_its_value(const Stmt* store, const Subscript* place, const Expr* value);

  [[nodiscard]] bool is_killed(Symbol symbol) const;
  [[nodiscard]] Position current_position_after() const;

  // --- writing (write.cpp)
  Symbol bar(Symbol variable);
  std::size_t number(Symbol variable) { return variables_.number(variable); }
  Linear& adjoint_of(Symbol variable);
  void emit(const Stmt* statement);
  // Notes that the backward part reads the primal's names in a node, at the position now.
  void need(const Node* node);
  void mark(Block block, std::size_t index);
  void set_position(Block block, std::size_t index);
  // bar(variable) := the adjoint now; afterwards the adjoint is that name.
  void materialize(Symbol variable, bool make_full = false, bool is_read = false);
  void write(Symbol name, const Linear& value, const Type& type);
  void write_value(Symbol name, const Linear& value, const Type& type);
  bool write_scaled(Symbol name, const Term& term);
  // Adjoints that are still to be passed on while others are written: where a name in one of them
  // is about to change, it is kept under another name first.
  class InFlight {
   public:
    InFlight(Reverse& reverse, Linear& value) : reverse_(reverse) {
      reverse_.in_flight_.push_back(&value);
    }
    ~InFlight() { reverse_.in_flight_.pop_back(); }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    Reverse& reverse_;
  };
  // While an adjoint is written down: it comes from the statements that contributed to it, not from
  // the one that it is written down for.
  class Origins {
   public:
    Origins(Reverse& reverse, const Linear& value) : reverse_(reverse), outer_(reverse.written_) {
      reverse_.written_ = &value;
    }
    ~Origins() { reverse_.written_ = outer_; }
    Origins(const Origins&) = delete;
    Origins& operator=(const Origins&) = delete;

   private:
    Reverse& reverse_;
    const Linear* outer_;
  };
  void protect(Symbol name);
  const Expr* renamed(const Expr* expression, Symbol from, Symbol to);
  // Writes down every adjoint.
  void flush_all();
  // Writes down every adjoint that mentions a name which is about to change.
  void flush_mentions(Symbol name, Symbol except = {});
  void flush_primal(const std::vector<Symbol>& changed, Symbol except = {});
  void flush_reads();
  // `is_read`: the primal reads the variable here, so it has a value.
  const Expr* zeros_for(Symbol variable, bool is_read = false);
  [[nodiscard]] bool is_bound(Symbol variable) const;
  // bar(variable) as an array of this code's own that may be written in place.
  Symbol buffer(Symbol variable);
  // `u, v = v, u` backwards: two adjoints that are each other's names change places.
  bool swap_names(Symbol variable);
  bool owns(Symbol name) const { return owned_.contains(name); }
  [[nodiscard]] bool shares(const Expr* expression) const;
  const Expr* kept_apart(const Expr* expression);
  void lend(const Expr* expression);
  const Expr* helper(std::string_view name);

  [[noreturn]] void refuse(DiagnosticKind kind, const Node* node, std::string message,
                           std::string remedy = {}) const;

  const TypedFunction& function_;
  const CoreFunction& core_;
  std::vector<Symbol> inputs_;
  std::vector<Type> input_types_;
  RuleBook& rules_;
  Context& context_;
  Symbol numpy_;
  NamePool& names_;
  RuleNames rule_names_;
  Typing typing_;
  Algebra algebra_;
  Activity activity_;
  Aliases aliases_;
  const PairTable* pairs_;
  const PairHalves* own_;
  Optimizations optimizations_;
  const Checkpoints* checkpoints_ = nullptr;

  Variables variables_;
  std::vector<Linear> adjoints_;
  std::unordered_map<Symbol, Symbol> bars_;
  std::unordered_set<Symbol> adjoint_names_;
  std::unordered_set<Symbol> owned_;  // names of arrays that this code made and nothing else sees
  std::unordered_set<Symbol> buffered_;  // variables whose adjoint was collected in a buffer
  std::unordered_set<Symbol> sparse_;    // names of adjoints that can be exactly zero in places
  // Those of arrays that are so where a test is false, and where the test has its value.
  std::unordered_map<Symbol, std::pair<const Expr*, Position>> masks_;
  std::vector<Linear*> in_flight_;
  const Linear* written_ = nullptr;     // the adjoint that is being written down, see Origins
  std::unordered_set<Symbol> writing_;  // guards against cycles while adjoints are written down
  Stream* out_ = nullptr;
  Position position_;                    // where the primal's variables are read now
  const Stmt* current_ = nullptr;        // the primal statement being differentiated
  Position after_current_;               // the position behind it
  const Expr* current_value_ = nullptr;  // its right-hand side …
  Symbol current_target_;                // … and the name that still holds its value, if any
  const Expr* current_place_ = nullptr;  // or the element that does
  std::unordered_set<Symbol> killed_;    // defined again after the position now …
  std::unordered_set<Symbol> rebound_;   // … and not only stored into
  int loop_depth_ = 0;
  std::vector<std::unordered_set<Symbol>> changed_by_loops_;  // of the loops around, innermost last
  std::unordered_map<const Expr*, Symbol> copies_;  // views of what is stored into, kept as copies
  std::unordered_set<Symbol> assigned_;  // adjoint names that have a value on every path to here
  std::vector<std::pair<Block, std::size_t>> enclosing_;  // the statements around the position
  std::unordered_map<const Stmt*, std::unordered_set<Symbol>> bound_by_loops_;
  // By loop and array; null where elements that are read do not last.
  std::unordered_map<const Stmt*, std::unordered_map<Symbol, std::unique_ptr<ElementOrder>>>
      element_orders_;
  int arm_depth_ = 0;  // inside an arm of a conditional expression
  Symbol seed_;
  ReverseResult result_;
};

}  // namespace tangent
