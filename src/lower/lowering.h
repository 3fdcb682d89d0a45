// The state of one lowering, shared by the files that each do one part of it.
//
// In: a captured function. Out: statements of the core program, appended to `out_`. What an
// expression needs done first is appended in front of the statement that holds it ("hoisted").
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.h"
#include "base/function_view.h"
#include "capture/outside_functions.h"
#include "lower/exits.h"
#include "lower/holdings.h"
#include "lower/list_methods.h"
#include "lower/lower.h"
#include "lower/names.h"
#include "lower/scope.h"
#include "syntax/places.h"

namespace tangent::lowering {

struct Frame;

// Something that can be inlined: a function of the outside, a nested def, or a lambda.
struct Callee {
  Symbol name;
  List<const Parameter*> parameters;
  Block body;
  const Node* identity = nullptr;     // the definition: tells one function from another
  Frame* lexical = nullptr;           // whose variables it sees; null for functions of the outside
  ThingHandle function = 0;           // whose globals it sees
  std::vector<const Expr*> defaults;  // of nested functions: evaluated where they are defined
  bool defaults_are_fresh = false;    // evaluated at every call: constructors of dataclasses
};

// An order of symbols that does not depend on where they lie.
struct BySpelling {
  bool operator()(const std::pair<ThingHandle, Symbol>& a,
                  const std::pair<ThingHandle, Symbol>& b) const {
    return a.first != b.first ? a.first < b.first : a.second.text() < b.second.text();
  }
};

// What lowering has to know before it begins and finds out only on its way: it begins again with
// each thing that it lacked.
struct Known {
  std::unordered_set<const Node*> recursive;   // definitions whose calls stay calls
  std::unordered_set<const Node*> kept_calls;  // such for being long and called more than once
  std::unordered_map<ThingHandle, CapturedFunction> captured;
  std::set<ThingHandle> changing;  // classes whose objects change after they are made
  // Attributes of arguments that are set, as the text names them; parameters that get another
  // object.
  std::set<std::string, std::less<>> set_attributes;
  std::set<std::size_t> rebound;
  // Loops and comprehensions over a few integers that are written out, for what holds functions or
  // objects is read at their targets: the places where they begin.
  std::set<std::tuple<FileId, std::uint32_t, std::uint32_t>> written_out;
  // Classes whose objects are kept in columns; how they lie there; what holds references to them.
  std::map<ThingHandle, Thing> kept_classes;
  std::map<ThingHandle, std::vector<Cell>> layouts;
  std::map<std::string, Holding> holdings;
  // Values of such a class that its objects set for themselves, after they are made.
  std::set<std::pair<ThingHandle, Symbol>, BySpelling> own_values;
  // Attributes that are None first and something else later.
  std::set<std::pair<ThingHandle, Symbol>, BySpelling> first_none;
};

// Thrown where something was added to what is known.
struct LowerAgain {};

// What a local name of a function stands for while its body is lowered.
struct Binding {
  enum class Form : std::uint8_t {
    Unset,
    Variable,    // the core variable `variable`
    Value,       // the expression `value`, put where the name is read
    Function,    // can only be called
    OutOfReach,  // was Value or Function in a branch or loop that has ended
  };
  Form form = Form::Unset;
  Symbol variable = {};
  const Expr* value = nullptr;
  const Callee* function = nullptr;
};

// An object of a user's class that the function makes: its attributes are variables. What nobody
// but the function sees needs no object at run time.
struct Object {
  Thing type;
  const Expr* path = nullptr;   // how the text names the class; null if it does not
  const Expr* outer = nullptr;  // of an object from outside: how the text names it
  bool is_argument = false;     // it is an argument, or a part of one that attributes reach
  std::size_t parameter = 0;
  std::vector<Symbol> steps;
  std::string name;  // what its attributes are named after
  std::vector<std::pair<Symbol, Binding>> fields;
  std::vector<std::pair<Symbol, Symbol>> retired;  // variables of attributes that a branch bound
  int names = 0;  // variables, attributes and parameters that are it
  bool under_construction = false;
  int block = 0;         // the arm or body in which it was made
  bool rebound = false;  // another object was put in its place
  bool is_kept = false;  // it stands for any object of its class that is kept in columns

  Binding* find(Symbol attribute);
};

// A function as a value, under a name that no text can spell. One of the three:
struct KnownFunction {
  const Callee* callee = nullptr;  // a function inside the function
  // functools.partial(base, *arguments, **keywords), whose parts may be written again
  const Expr* base = nullptr;
  std::vector<const Expr*> arguments = {};
  std::vector<std::pair<Symbol, const Expr*>> keywords = {};
  // A gradient, as `tangent.grad(base)` makes it; the last arguments of its calls are the variables
  // `captured` of the function around `sees`, as they are when it is called.
  std::optional<DerivativeFacts> derivative = {};
  const Callee* sees = nullptr;
  std::vector<Symbol> captured = {};
  // `first` where `test` holds, else `other`
  const Expr* test = nullptr;
  const Expr* first = nullptr;
  const Expr* other = nullptr;
};

// What a variable is known to hold: a plain value that only the run tells, a function, class or
// module (or a tuple, list or dict that holds one), or it is one of both.
struct Held {
  enum class Form : std::uint8_t { Plain, Known, Unclear };
  Form form = Form::Plain;
  const Expr* value = nullptr;
};

// The object that a method is called on, and the class that holds the method.
struct Receiver {
  const Expr* self = nullptr;
  Thing owner = {};
  std::vector<const Expr*> arguments = {};  // further ones, lowered before the call
};

// The loop that a generator is called for: each `yield` is a round of it.
struct Consumer {
  Frame* frame = nullptr;
  const Expr* target = nullptr;
  Block body;
  Symbol list;  // in place of a loop: the list that gets what is yielded
};

// One function being lowered: the differentiated one, or an inlined call.
struct Frame {
  const ScopeFacts* facts = nullptr;
  ThingHandle function = 0;
  Frame* lexical = nullptr;
  Ranges call_site;  // of the inlined call, in its caller
  bool outermost = false;
  int loop_depth = 0;
  Receiver receiver = {};              // of a method
  const Consumer* consumer = nullptr;  // of a generator
  std::unordered_map<Symbol, Binding> bindings;
  std::vector<Symbol> declared;  // Value and Function bindings of the open blocks
};

// Where the value of an expression goes. Name, Tail and Nothing are offers: an expression that is
// lowered to statements may take them up (and gives back no expression), or give the value back.
struct Destination {
  enum class Form : std::uint8_t { Value, Name, Tail, Nothing };
  Form form = Form::Value;
  Symbol name;
  std::string_view wish = {};  // Value: what a temporary for it should be called
  static Destination to(Symbol name) { return {Form::Name, name, {}}; }
  static Destination tail() { return {Form::Tail, {}, {}}; }
  static Destination nothing() { return {Form::Nothing, {}, {}}; }
};

class Lowering {
 public:
  // What a parameter is in a call: a value (of `*args` several), or something that is known.
  struct Given {
    std::vector<const Expr*> values;
    const Callee* function = nullptr;
    const Expr* constant = nullptr;  // a function, class or module of the outside
  };

  Lowering(Outside& outside, Context& context, Known& known);

  CoreFunction run(const CapturedFunction& function, ThingHandle handle);
  // The functions of the outside that are long and were written out more than once.
  [[nodiscard]] std::unordered_set<const Node*> long_callees() const;
  // Where something was refused: the classes whose objects the function made, and that it could
  // keep in columns.
  [[nodiscard]] std::vector<Thing> classes_made();

 private:
  // One argument of a call, in evaluation order.
  struct Argument {
    Symbol keyword = {};            // empty: positional
    const Expr* written = nullptr;  // as the user wrote it; null where `value` is already core
    const Expr* value = nullptr;    // lowered
    const Callee* function = nullptr;
  };

  // A variable or attribute that came to hold something.
  struct Birth {
    Object* object;  // whose attribute it is; null: a variable
    Symbol symbol;
    Object* held;  // by the variable
    bool operator==(const Birth&) const = default;
  };
  using Born = std::vector<Birth>;
  // What a branch or loop that has ended changed of what variables are known to hold.
  struct HeldChange {
    Symbol symbol;
    Held before;
    Held after;
  };
  using HeldChanges = std::vector<HeldChange>;

  // statements.cpp
  void block(Block statements);
  Block nested_block(Block statements, Born* born = nullptr);
  void statement(const Stmt& it);
  void expression_statement(const ExpressionStatement& it);
  void return_statement(const Return& it);
  void if_statement(const If& it);
  void assert_statement(const Assert& it);
  void raise_statement(const Raise& it);
  void delete_statement(const Delete& it);
  void import_statement(const Import& it);
  const Expr* imported_name(const Thing& thing, Symbol wish, bool free, Ranges ranges);

  // loops.cpp
  void for_statement(const For& it);
  void while_statement(const While& it);

  // assignments.cpp
  void assign_statement(const Assign& it);
  void augmented_assign(const AugmentedAssign& it);
  void store(const Expr* target, const Expr* value, Ranges ranges);
  void augmented_store(const AugmentedAssign& it);
  void augmented_variable(const AugmentedAssign& it, Symbol symbol);
  void augmented_object(const AugmentedAssign& it);
  const Expr* augmented_value(const AugmentedAssign& it, const Expr* read);
  void augmented_in_argument(const AugmentedAssign& it, Object& object);
  std::optional<Symbol> target_variable(const Expr* target);
  const Expr* checked_place(const Expr* place);
  void annotated_assign(const AnnotatedAssign& it);
  void want_results(const Assign& it);
  const Expr* unpacked_generator(const Assign& it);
  void assign_to(const Expr* target, const Expr* value, Ranges ranges);
  void assign_name(const Name& target, const Expr* written, Ranges ranges);
  void assign_parallel(Exprs targets, Exprs values, Ranges ranges);
  // The flat core target of names for a pattern of targets, and what is to be unpacked after it.
  const Expr* core_target(const Expr* target, std::vector<std::pair<const Expr*, Symbol>>& later);
  void unpack_later(std::span<const std::pair<const Expr*, Symbol>> later, Ranges ranges);
  Symbol assigned_symbol(const Name& target);
  bool alias_of_global(const Name& target, const Expr* written);

  // expressions.cpp
  const Expr* expression(const Expr* e);
  // null where the destination was taken up
  const Expr* value_for(const Expr* e, Destination destination);
  const Expr* name(const Name& it);
  const Expr* binary(const BinaryOperation& it);
  const Expr* subscript(const Subscript& it);
  const Expr* display(const Expr& it, Exprs elements);
  const Expr* comprehension(const Comprehension& it, Destination destination);
  static bool is_dict(const Comprehension& it) { return it.form == ComprehensionKind::Dictionary; }
  void allow_generators(const Call& it);
  bool uses_all(const Call& it);
  const Expr* mapped(const Call& it, bool filters);
  const Expr* dictionary(const Dictionary& it);
  const Expr* formatted(const FormattedString& it);
  const Expr* walrus(const NamedExpression& it);
  Symbol variable(Frame& frame, Symbol name);
  Binding* find_binding(Symbol name, Frame** owner = nullptr);
  const Expr* copy(const Expr* core, Ranges ranges);
  Exprs copies(Exprs elements, Ranges ranges);

  // operands.cpp
  void operands(std::span<const Expr* const> written, std::span<const Expr*> values);
  void protect(std::span<const Expr*> earlier, std::size_t mark);
  const Expr* bind_temporary(const Expr* value, std::string_view wish, Ranges ranges);

  // conditional.cpp
  [[nodiscard]] std::optional<bool> truth_of_settled(const Expr* written, const Expr* test) const;
  const Expr* conditional(const Conditional& it, Destination destination);
  const Expr* boolean(const BooleanOperation& it);
  const Expr* boolean_from(const BooleanOperation& it, const Expr* first, std::size_t next,
                           Symbol result);
  const Expr* comparison(const Comparison& it);
  const Expr* of_constants(const Comparison& it, const Expr* left, const Expr* right);
  const Expr* comparison_from(const Comparison& it, const Expr* left, std::size_t next,
                              Symbol result);

  // calls.cpp
  const Expr* call(const Call& it, Destination destination);
  const Expr* library_call(const Call& it, const Thing& thing, Destination destination);
  const Expr* method_call(const Call& it, const Attribute& method, Destination destination);
  static bool changes_list(const Call& it, const Attribute& method, const Expr* receiver);
  bool changes_dict(const Call& it, const Attribute& method);
  const Expr* changed_dict(const Call& it, const Attribute& method, Destination destination);
  const Expr* entry_by_default(const Expr* it);
  const Expr* plain_operand(const Expr* value, std::string_view wish);
  void delete_item(const Subscript& place);
  // list_methods.cpp: extend, insert, pop(k), reverse, sort, clear
  bool rebinds_list(const Call& it, const Attribute& method);
  const Expr* list_method(const Call& it, const Attribute& method, Destination destination);
  void extend_list(const Call& it, Symbol list);
  const Expr* plain_call(const Call& it, const Expr* receiver, Symbol callee,
                         const Expr* lowered = nullptr);
  // `callee`: what is called, if that is known, and how many arguments it gets before these.
  std::vector<Argument> arguments_of(const Call& it, const Callee* callee = nullptr,
                                     std::size_t before = 0);
  bool unpack_known_keys(const Keyword& keyword, std::vector<Argument>& arguments);
  std::vector<Symbol> keys_of_dict(const Expr& written);
  std::vector<const Expr*> spread(const Call& it, const Starred& starred, const Callee* callee,
                                  std::size_t before);
  // writing_calls.cpp
  bool is_place(const Expr* core);
  void set_elements(const Expr* place, const Expr* value, Ranges ranges);
  const Expr* written_by(const Call& it, Symbol callee, Destination destination);
  const Expr* masked_quotient(const Call& it);
  const Expr* helper_call(const Call& it, Symbol helper);
  const Expr* ufunc_method(const Call& it, std::string_view name, Destination destination);
  const Expr* chosen_elements(const Call& it, std::string_view name);
  const Expr* flat_places(const Expr* array, const Expr* index, Ranges ranges);
  const Expr* added_at(const Call& it, BinaryOperator op);
  void refuse_write_in_place(const Call& it, Symbol callee);
  std::optional<Thing> thing_of(const Expr* written);
  std::optional<Thing> thing_of_core(const Expr* core);
  Block body_of(const FunctionDefinition& definition, ThingHandle function);
  Block without_deques_and_defaults(Block body, FunctionView<Symbol(const Expr*)> named);
  Thing look_up(ThingHandle function, Symbol name);
  Thing attribute_of(const Thing& thing, Symbol name);
  const Name* global(Symbol name, Ranges ranges);

  // inline.cpp
  const Expr* inline_call(const Call& it, const Callee& callee, Destination destination,
                          const Receiver& receiver = {});
  const Callee& callee_of(const Thing& thing, const Call& it);
  bool is_of_other_objects(const Callee& callee, const std::vector<const Object*>& given) const;
  // Which parameter each argument goes to (its position in `callee.parameters`).
  std::vector<std::size_t> match(const Call& it, const Callee& callee,
                                 std::span<const Argument> arguments);
  void bind_parameters(const Call& it, const Callee& callee, Frame& frame,
                       std::span<const Argument> arguments, Destination destination);
  const Expr* inline_body(const Callee& callee, Destination destination);
  const Expr* splice(Block body, Destination destination, Ranges ranges);
  void append_assigning(Block body, Destination destination, Statements& out);
  // The local of the callee that may be the destination itself, or an empty symbol.
  Symbol returned_local(const Callee& callee, std::span<const Argument> arguments,
                        std::span<const std::size_t> positions, Destination destination);
  const Expr* default_of(const Call& it, const Callee& callee, std::size_t position);
  bool only_reads_entries(const Callee& callee, Symbol parameter);
  bool may_be_replaced(const Callee& callee, Symbol parameter);
  const ScopeFacts& facts_of(const Callee& callee);

  // pairs.cpp: calls that stay calls
  struct Pair;
  const Expr* call_pair(const Call& it, const Callee& callee, Destination destination);
  const Expr* written_argument(const Call& it, std::span<const Expr* const> passed,
                               std::size_t position);
  Pair& pair_for(const Call& it, const Callee& callee, std::span<const Given> given);
  Frame& surroundings(ThingHandle function);
  void capture(const Call& it, const Callee& callee, std::size_t slot, Frame& around, Pair& pair);
  CorePair lower_pair(Pair& pair);
  Block with_results(Block body, const Pair& pair);
  std::vector<CorePair> lower_pairs();
  void call_itself(const FunctionDefinition& definition, const Callee& callee);
  bool is_known_outside(const Expr* core);

  // substitute.cpp: which parameters of `return e` may be replaced by their arguments in place
  std::vector<bool> replaceable(const Callee& callee, Frame& frame,
                                std::span<const Argument> arguments,
                                std::span<const std::size_t> positions);

  // objects.cpp: objects of the user's classes
  Object* object_of(const Expr* core);
  const Expr* make_object(const Call& it, const Thing& type, Destination destination);
  const Callee& constructor_of(const Call& it, const Thing& type, const ClassFacts& facts);
  const Expr* new_object(const Thing& type, const Expr* path, std::string_view name, Ranges ranges);
  const Expr* outer_object(const Thing& thing, const Expr* path);
  // object_arguments.cpp: arguments that are objects
  void bind_argument(std::size_t parameter, Symbol name, Ranges ranges);
  const Expr* part_of_argument(Object& object, Symbol attribute, Ranges ranges);
  void name_set_attributes(Object& object, Ranges ranges);
  bool name_in_argument(const Object& object, Symbol attribute);
  void set_in_argument(const Attribute& target, Object& object, const Expr* value, Ranges ranges);
  void store_in_argument(const Object& object, Symbol attribute, Symbol variable, Ranges ranges);
  void check_assumptions();
  Block with_outer_objects(Block body);
  const ClassFacts& facts_of_class(const Thing& type);
  const Member& member_of(const Thing& type, ThingHandle after, Symbol name);
  void bind_object(Symbol target, const Expr* value, Ranges ranges);
  void set_attribute(Object& object, Symbol attribute, const Expr* value, Ranges ranges);
  Symbol attribute_variable(Object& object, Symbol attribute);
  const Expr* read_attribute(const Expr* value, Object& object, const Expr& it, Symbol attribute);
  std::optional<std::vector<const Expr*>> elements_of_tuple(const Expr* value);
  const Expr* replaced_tuple(const Call& it, const Expr* self, Object& object);
  void assign_attribute(const Attribute& target, const Expr* value, Ranges ranges);
  // The variable that an attribute of an object is, if it is a plain one.
  std::optional<Symbol> plain_attribute(const Expr* target);
  std::optional<Symbol> plain_attribute(Object& object, Symbol attribute);
  [[noreturn]] void refuse_attribute(const Attribute& target);
  void set_attribute_of(const Attribute& target, const Expr* owner, const Expr* value,
                        Ranges ranges);
  void refuse_objects_left(const CoreFunction& core);
  // What a branch or loop that has ended bound is no longer known; gives it back.
  Born retire(std::size_t mark);
  void revive(const Born& first, const Born& second);
  template <class F>
  Statements collect_arm(F&& f) {
    const std::size_t mark = born_.size();
    const std::size_t held = held_log_.size();
    const int around = enter_block();
    Statements collected = collect(std::forward<F>(f));
    open_block_ = around;
    retire(mark);
    forget_held(release_held(held));
    return collected;
  }

  // kept_objects.cpp: objects in lists and behind several names, kept in columns
  Object* subject_of(const Expr* core);
  bool is_reference(const Expr* core);
  std::optional<Thing> kept_class(const Expr* core);
  Object& view_of(const Thing& type);
  Layout& layout_of(const Thing& type);
  bool may_be_kept(const Thing& type);
  [[nodiscard]] bool keeps() const;
  [[nodiscard]] bool is_kept(const Thing& type) const;
  void keep(const Thing& type);
  void keep_if_object(const Expr* value);
  const Expr* keep_made(Object& made, const Expr* path, const Destination& destination,
                        const Node& where);
  Cell cell_for(Object& made, Symbol attribute, const std::string& name, const Node& where);
  void append_cell(Object& made, const Cell& cell, Ranges ranges);
  Cell* find_cell(const Thing& type, Symbol attribute);
  const Expr* place_in(const Cell& cell, const Expr* reference, Ranges ranges);
  const Expr* read_cell(const Expr* reference, const Thing& type, const Expr& it, Symbol attribute);
  const Expr* parts_of_cell(const Cell& cell, const Expr* reference, Ranges ranges);
  void set_cell(const Attribute& target, const Expr* reference, const Thing& type,
                const Expr* value, Ranges ranges);
  void put_in_cell(const Cell& cell, const Expr* reference, const Expr* value, Ranges ranges);
  bool augmented_cell(const AugmentedAssign& it, const Expr* owner, const Thing& type);
  const Expr* appended(const Call& it);
  const Expr* settled_reference(const Expr* reference, Ranges ranges);
  const Expr* nothing(Ranges ranges);
  const Expr* or_nothing(const Expr* value, const Holding& place);
  const Expr* kept_comparison(const Comparison& it, const Expr* left, const Expr* right);
  const Expr* presence(const Expr* reference, bool negated);
  const Expr* explicit_truth(const Expr* written);
  Holding written_holding(const Expr* written);
  void begin_columns(Statements& statements);
  // holdings.cpp: what variables and lists hold of them
  Holding holding_of(const Expr* core);
  Holding holding_of_call(const Call& it);
  Holding made_holding(const Expr& display, Holding::Form form, const Holding& item);
  Holding variable_holding(Symbol symbol) const;
  Holding known_holding(const std::string& key) const;
  std::string birthplace(const Node& node);
  void note_holding(Symbol symbol, const Holding& value, Ranges ranges);
  void note_target(const Expr* target, const Holding& value);
  void put_into(const Expr* whole, const Holding& item, Ranges ranges);
  [[noreturn]] static void refuse_mixture(Ranges ranges);
  // kept_uses.cpp
  class ReferenceUses;
  void check_references(const Statements& statements);

  // known_values.cpp: functions, classes and modules as values
  const Expr* function_handle(KnownFunction function, std::string_view name, Ranges ranges);
  const KnownFunction* known_function(const Expr* core) const;
  bool is_known(const Expr* core);
  bool bind_function_argument(std::size_t parameter, Symbol name, Ranges ranges);
  std::optional<Thing> function_in_argument(const Expr* core);
  const Expr* known_default(const Callee& callee, const Parameter& parameter, Ranges ranges);
  const Expr* kept_known(const Expr* value, Ranges ranges);
  void hold(Symbol symbol, Held held);
  const Expr* variable_value(Symbol symbol, const Node& where);
  HeldChanges release_held(std::size_t mark);
  void forget_held(const HeldChanges& changes);
  void check_held_in_loop(const HeldChanges& changes, const Node& loop);
  const Expr* join_held(const Expr* test, const HeldChanges& body, bool body_leaves,
                        const HeldChanges& orelse, bool orelse_leaves, Ranges ranges);
  const Expr* call_known(const Call& it, const Expr* function, Destination destination);
  const Expr* partial(const Call& it);
  const Expr* part_of_known(const Subscript& it, const Expr* whole, const Expr* index);
  const Expr* known_dict_method(const Call& it, const Expr* receiver, Symbol method);
  std::optional<std::vector<const Expr*>> known_items(const Expr* core);
  bool goes_over_known(const Expr* core);
  const Expr* list_of(const Expr* value);
  const Expr* settled_call(const Expr* call);
  Block with_known_values(Block body);
  // outside_values.cpp
  static constexpr std::int64_t kMostUnpacked = 64;
  const Expr* known_global(const Thing& thing, std::string_view wish, Ranges ranges);
  const Expr* held_by_outside(const Thing& thing, std::string_view wish, Ranges ranges);
  const Expr* value_of_outside(const Thing& thing, std::string_view wish, Ranges ranges);
  const Expr* display_of(Entry::Form form, const std::vector<const Expr*>& keys,
                         const std::vector<const Expr*>& values, Ranges ranges);
  const Expr* container_argument(std::size_t parameter, const Expr* path,
                                 const std::vector<Symbol>& steps, Ranges ranges);
  std::optional<std::pair<std::size_t, std::vector<Symbol>>> path_of_argument(const Expr* core);
  void count_argument(std::size_t parameter, std::vector<Symbol> steps);
  std::optional<std::int64_t> known_length(const Expr* core);
  std::optional<std::vector<const Expr*>> elements_of_known_length(
      const Starred& starred, const Expr* value, std::span<const std::string_view> names,
      Ranges ranges);
  // derivatives.cpp: tangent.grad inside the function
  const Expr* make_derivative(const Call& it, const Thing& maker);
  const Expr* call_derivative(const Call& it, const KnownFunction& known, Destination destination);
  struct Lifted {
    Thing function;
    std::vector<Symbol> captured;
  };
  Lifted lift(const Callee& callee, const Node& where);
  std::vector<const Expr*> captured_values(const Callee& callee, const std::vector<Symbol>& names,
                                           const Node& where);
  const Callee* derivative_target(const Expr* written, const Expr** value);
  // generators.cpp
  void bind_yielded(const Expr* value, Ranges ranges);
  void run_generator(const Call& it, const Callee& callee, const Receiver& receiver,
                     const Consumer& consumer);
  const Callee* generator_called(const Expr* written, Receiver& receiver);
  const Expr* called_function(const Call& it, const Callee& callee, Destination destination);
  bool generator_loop(const For& it);
  const Expr* generator_list(const Call& it, const Callee& callee, const Receiver& receiver);
  bool yield_statement(const ExpressionStatement& it);
  // unrolled_loops.cpp
  void release_targets(const Expr* target);
  std::optional<std::int64_t> constant_integer(const Expr* core) const;
  std::optional<std::vector<const Expr*>> counted_items(const Expr* core);
  const Call* written_range(const Expr* written);
  std::optional<std::vector<const Expr*>> written_counted_items(const Expr* written);
  bool is_written_out(const Node& loop) const;
  void write_out_around(const Expr* index);
  // What names stood for before a round of a loop that is written out.
  using Bindings = std::vector<std::pair<Symbol, std::optional<Binding>>>;
  void bind_constants(const Expr* target, const Expr* item, Block body, Bindings& before);
  void rebind(const Bindings& before);
  class OpenCounted;  // a loop that could be written out, for as long as its body is lowered
  // library_loops.cpp
  const Callee& written_in_python(std::string_view text);
  const Expr* library_loop(const Call& it, std::string_view name, Destination destination);
  const Expr* sorted_by(const Call& it, Destination destination);
  const Expr* accumulated(const Call& it, Destination destination);
  // jax_loops.cpp
  const Expr* jax_loop(const Call& it, std::string_view name, Destination destination);
  const Expr* jax_switch(const Call& it, Destination destination);
  const Expr* jax_scan(const Call& it, bool scans, Destination destination);
  static const Expr* argument_named(const Call& it, std::size_t position, std::string_view name);
  const Callee* callee_written(const Expr* function, const Call& it);
  // distributions.cpp
  const Expr* distribution(const Call& it, std::string_view name, Destination destination);

  // written_functions.cpp
  const Expr* written_function(const Call& it, std::string_view name, Destination destination);
  const Expr* joined_by_subscript(const Subscript& it);
  const Expr* frozen_distribution(const Call& it, const Attribute& method, Destination destination);
  // iterators.cpp
  void use_up(const Expr* iterable);
  const Expr* iterator_call(const Call& it, const Thing& thing, Destination destination);
  bool is_of_module(const Thing& thing, std::string_view name, std::string_view module);
  bool makes_known(const Comprehension& it);
  bool may_read(const Comprehension& it, Symbol variable);
  const Expr* unrolled_comprehension(const Comprehension& it, const Expr* first);
  // with_statements.cpp
  const Expr* entered(const Call& it);
  // try_markers.cpp
  const Expr* try_marker(const Call& it);
  Block with_attempts_of_frame(Block body);
  void unrolled_loop(const For& it, std::span<const Expr* const> items);

  // object_calls.cpp: their methods and operators
  const Expr* call_method(const Call& it, const Expr* self, Object& object, Symbol name,
                          Destination destination, ThingHandle after = -1);
  const Expr* call_super(const Call& it, const Attribute& method, Destination destination);
  bool is_super(const Expr* written);
  const Expr* operation(const Node& it, const Expr& written, std::string_view name,
                        std::string_view reflected, const Expr* left, const Expr* right);
  Object* named_object(const Expr* written, const Expr** value);
  const Expr* call_special(const Expr& it, Object& object, const Expr* self, std::string_view name,
                           std::vector<const Expr*> arguments);
  const Expr* of_builtin(const Call& it, std::string_view builtin);
  const Expr* is_none(const Comparison& it, const Expr* left, const Expr* right);

  // local_functions.cpp
  void define_function(const FunctionDefinition& it);
  const Callee* lambda_callee(const Lambda& it, Symbol name);
  const Callee* function_value(const Expr* written);
  std::vector<const Expr*> defaults_of(List<const Parameter*> parameters);

  // A new arm or body; gives back the one around it.
  int enter_block() {
    const int around = open_block_;
    open_block_ = ++blocks_made_;
    return around;
  }
  void emit(const Stmt* statement) { out_->push_back(statement); }
  void emit_assign(Symbol target, const Expr* value, Ranges ranges);
  void finish(Destination destination, const Expr* value, Ranges ranges);
  // Runs f with the statements that it emits going to a list of their own.
  template <class F>
  Statements collect(F&& f) {
    Statements collected;
    Statements* outer = out_;
    out_ = &collected;
    f();
    out_ = outer;
    return collected;
  }
  // A statement's ranges: its own, then those of the call that it was inlined for.
  Ranges at(const Node& node) { return at(node.ranges); }
  Ranges at(Ranges ranges);
  Block restructure(const Statements& statements, const ScopeFacts& facts, bool with_returns);
  [[noreturn]] void refuse(const Node& node, std::string message, std::string remedy,
                           DiagnosticKind kind = DiagnosticKind::UnsupportedSyntax);

  // Counts the nesting of calls of ourselves; deep trees are refused before the stack ends.
  class Deeper {
   public:
    Deeper(Lowering& lowering, const Node& node);
    ~Deeper() { --lowering_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Lowering& lowering_;
  };

  Outside& outside_;
  OutsideFunctions& functions_outside_;  // the same, or one that knows nothing
  OutsideFunctions no_functions_;
  Context& context_;
  Known& known_;
  FreshNames names_;                      // of the function being lowered
  std::vector<SourceRange> checkpoints_;  // of `with tangent.checkpoint():`
  bool tapes_on_disk_ = false;            // a list was one
  Statements* out_ = nullptr;
  Frame* frame_ = nullptr;
  Frame* root_ = nullptr;  // of the function being lowered: the differentiated one, or of a pair
  int depth_ = 0;
  bool in_raise_ = false;          // what is called makes the exception
  std::size_t inlined_nodes_ = 0;  // made for inlined calls that are complete
  NodeId inline_start_ = 0;        // where the outermost call now being inlined began

  std::deque<Frame> frames_;
  std::deque<Callee> callees_;
  // `a, b = g(x)`: the names that the results of this call have anyhow.
  struct Wanted {
    const Expr* call = nullptr;
    std::vector<Symbol> names;
  };
  Wanted wanted_;
  std::deque<ScopeFacts> environments_;  // of the frames that stand for those around a pair
  std::deque<Pair> pairs_;
  int open_block_ = 0;  // the arm or body being lowered, by number
  int blocks_made_ = 0;
  int open_loops_ = 0;  // of all functions being lowered
  // The loops around that could be written out, outermost first, and their targets.
  std::vector<std::pair<const Node*, Symbol>> open_counted_;
  std::unordered_map<Symbol, std::int64_t> constants_;  // variables that are one integer for good
  std::unordered_set<Symbol> lists_;                    // variables that are one list for good
  std::vector<const Node*> active_;                   // definitions being inlined, outermost first
  std::unordered_map<const Node*, int> written_out_;  // how often each function was, as it is
  // The calls being inlined that are given objects, and those.
  std::vector<std::pair<const Node*, std::vector<const Object*>>> active_objects_;
  std::unordered_map<const Node*, ScopeFacts> facts_;
  std::vector<ReboundList> rebound_lists_;
  std::unordered_set<const Call*> consumed_;             // that are a call's argument
  std::unordered_set<const Comprehension*> generators_;  // that are a call's argument
  std::unordered_map<ThingHandle, const Callee*> outside_callees_;
  // By their texts; more than one where one is written out inside itself.
  std::unordered_map<std::string, std::vector<const Callee*>> library_callees_;
  std::vector<FileId> array_loops_;  // texts whose loops go over arrays alone

  // Functions, classes and modules that arguments and objects of the outside hold, by their texts.
  std::unordered_map<std::string, Thing> held_outside_;
  std::unordered_map<Symbol, KnownFunction> functions_;  // by the names that stand for them
  std::unordered_map<Symbol, Held> held_;                // by variables; others are plain
  std::vector<std::pair<Symbol, Held>> held_log_;        // what they held before, in order
  std::unordered_set<Symbol> plain_reads_;               // variables that were read as plain ones

  std::set<ThingHandle> plain_outside_;  // values that hold no functions

  std::deque<Object> objects_made_;
  std::unordered_map<Symbol, Object*> objects_;          // by the variables that are one now
  std::unordered_map<Symbol, Object*> retired_objects_;  // by variables that were one in a branch
  std::unordered_set<Symbol> object_names_;              // all that ever were
  std::unordered_map<ThingHandle, const Expr*> outer_objects_;
  std::unordered_set<Symbol> attribute_variables_;
  Born born_;  // bound in the open branches and loops
  std::vector<ArgumentClass> argument_classes_;
  const Consumer* next_consumer_ = nullptr;                 // of the generator that is called next
  std::unordered_set<const Call*> drained_;                 // whose results are all used at once
  std::unordered_map<std::string, int> derivative_places_;  // how often each was met
  std::vector<std::size_t> changed_arguments_;
  std::vector<std::pair<std::string, Symbol>> new_attributes_;
  std::vector<std::string> ignored_errors_;
  std::set<ThingHandle> changed_;
  std::set<ThingHandle> copied_;
  std::unordered_map<ThingHandle, ClassFacts> class_facts_;

  std::map<ThingHandle, Layout> layouts_;  // of kept classes, those that were met
  std::map<ThingHandle, Object> views_;    // what stands for objects of such a class
  std::unordered_map<Symbol, Holding> variable_holdings_;
  std::map<std::pair<ThingHandle, std::string>, Symbol> column_names_;
  std::vector<Symbol> columns_;  // all of them
  Symbol nothing_;               // the variable that stands for no object, if there is one

  struct Query {
    ThingHandle handle;
    Symbol name;
    bool operator==(const Query&) const = default;
  };
  struct QueryHash {
    std::size_t operator()(const Query& query) const {
      return std::hash<Symbol>()(query.name) * 31 + static_cast<std::size_t>(query.handle);
    }
  };
  std::unordered_map<Query, Thing, QueryHash> looked_up_;
  std::unordered_map<Query, Thing, QueryHash> attributes_;
  std::map<std::tuple<ThingHandle, ThingHandle, std::string_view>, Member> members_;
  std::unordered_map<Query, Symbol, QueryHash> printed_;  // (function, name) -> printed
  std::vector<GlobalBinding> globals_;
  std::unordered_map<Symbol, std::size_t> global_index_;  // printed -> in globals_
};

// A function whose calls stay calls, as it is called: with these functions and outside things for
// parameters.
struct Lowering::Pair {
  // A variable around the function, or around a function that it is given: a further parameter.
  struct Captured {
    std::size_t slot;  // the parameter that is that function; the number of parameters: itself
    Symbol name;
    Frame* owner;
    Symbol parameter;
  };
  const Callee* callee = nullptr;
  std::vector<Given> given;  // per parameter: the functions, the outside things, how many values
  std::vector<Captured> captured;
  Frame* around = nullptr;               // what it sees of the functions around it, if any
  std::vector<const Callee*> functions;  // those of `given` as they are known inside
  std::size_t results = 1;
  std::vector<std::size_t> written = {};  // parameters whose elements it stores into
  Symbol symbol;                          // Call::callee
  Symbol forward;
  Symbol backward;
};

// `name`, as messages show it.
inline std::string quoted(Symbol name) { return "`" + std::string(name.text()) + "`"; }

// What an operator asks of a class: `__add__` and `__radd__`.
const std::pair<std::string_view, std::string_view>& operator_methods(BinaryOperator op);
// The names of locals that the statements assign.
// Whether one of the statements stores into an element or slice.
bool stores(std::span<const Stmt* const> statements);
void collect_assigned(std::span<const Stmt* const> statements, std::vector<Symbol>& names);
// Whether a core expression is simple and has the same value after the statements.
bool stays_after(const Expr* core, std::span<const Stmt* const> statements);
// A value that may be written again where its name or parameter is read: a constant, a name, an
// attribute of a module.
bool is_simple(const Expr* core);
bool is_literal(const Expr* written);  // a default that is the same object or value every time
// The expression of a body that is only `return e`, or null.
const Expr* only_return(Block body);
// Whether a name occurs anywhere in a node.
bool mentions(const Node* root, Symbol name);
// Whether a function of a library writes one of its arguments, a method the value it is called on.
bool writes_arguments(std::string_view function);
bool is_writing_method(std::string_view name);
// A call that neither prints, draws nor changes anything.
bool is_calm(Symbol callee);
// Whether what is called is a marker of a `try`.
bool is_try_marker(const Expr* function);
// Whether a call looks like one of functools.partial.
bool looks_like_partial(const Call& it);

}  // namespace tangent::lowering
