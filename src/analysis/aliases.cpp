// Sharing forwards, liveness backwards, both with the solver of dataflow.h; see aliases.h.
#include "analysis/aliases.h"

#include "analysis/dataflow.h"
#include "analysis/own_lists.h"
#include "analysis/own_rows.h"
#include "base/diagnostics.h"
#include "lower/lower.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

template <class Table>
bool holds(const Table& table, std::string_view name) {
  return std::find(std::begin(table), std::end(table), name) != std::end(table);
}

bool is_advanced_index(const Expr* index, const std::function<Type(const Expr*)>& type_of) {
  if (const auto* tuple = as<TupleDisplay>(index)) {
    return std::any_of(tuple->elements.begin(), tuple->elements.end(),
                       [&](const Expr* part) { return is_advanced_index(part, type_of); });
  }
  const TypeKind kind = type_of(index).kind;
  return kind == TypeKind::Array || kind == TypeKind::List;
}

}  // namespace

bool may_give_view(std::string_view function) {
  static constexpr std::string_view kViews[] = {"reshape",
                                                "ravel",
                                                "transpose",
                                                "swapaxes",
                                                "moveaxis",
                                                "rollaxis",
                                                "broadcast_to",
                                                "expand_dims",
                                                "squeeze",
                                                "atleast_1d",
                                                "atleast_2d",
                                                "atleast_3d",
                                                "asarray",
                                                "asanyarray",
                                                "ascontiguousarray",
                                                "asfarray",
                                                "asfortranarray",
                                                "require",
                                                "diagonal",
                                                "diag",
                                                "flip",
                                                "fliplr",
                                                "flipud",
                                                "rot90",
                                                "real",
                                                "imag",
                                                "split",
                                                "array_split",
                                                "hsplit",
                                                "vsplit",
                                                "dsplit",
                                                "broadcast_arrays",
                                                "nan_to_num",
                                                "view",
                                                "matrix_transpose",
                                                "permute_dims",
                                                "real_if_close",
                                                "asarray_chkfinite",
                                                "conj",
                                                "conjugate",
                                                "einsum",
                                                "trim_zeros",
                                                "sliding_window_view",
                                                "as_strided",
                                                "frombuffer",
                                                "unstack",
                                                "meshgrid"};
  const std::string_view last = function.substr(function.rfind('.') + 1);
  return last.starts_with('_') || holds(kViews, last);
}

bool Aliases::may_share(const Type& type) const {
  switch (type.kind) {
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::None:
    case TypeKind::Slice:
    case TypeKind::Dtype:
    case TypeKind::Module:
    case TypeKind::Function:
    case TypeKind::Bottom:
      return false;
    case TypeKind::Tuple:
      return type.elements.empty() || std::ranges::any_of(type.elements, [this](const Type& part) {
               return may_share(part);
             });
    default:
      return true;
  }
}

bool Aliases::may_share(Symbol variable) const {
  const auto found = function_.variables.find(variable);
  return found == function_.variables.end() || may_share(found->second);
}

bool Aliases::is_module(const Expr* expression) const {
  if (function_.type_of(expression).kind == TypeKind::Module) return true;
  const auto* name = as<Name>(expression);
  if (name == nullptr || name->scope != Scope::Global) return false;
  const GlobalBinding* global = function_.core->find_global(name->symbol);
  return global != nullptr && global->thing.kind == ThingKind::Module;
}

bool Aliases::passes_on(const Expr* expression, const Expr* part) const {
  bool reached = false;
  static_cast<void>(references(expression, part, &reached));
  return reached;
}

// `xs[1:]`, `xs + ys`, `list(xs)`, `xs.copy()`: a list of its own that holds nothing to share.
bool Aliases::is_new_list_of_numbers(const Expr* expression) const {
  const Type type = function_.type_of(expression);
  if (type.kind != TypeKind::List) return false;
  const bool numbers =
      std::ranges::all_of(type.elements, [](const Type& element) { return element.is_number(); });
  if (!numbers) return false;
  if (is<BinaryOperation>(expression)) return true;
  if (const auto* subscript = as<Subscript>(expression)) return is<Slice>(subscript->index);
  const auto* call = as<Call>(expression);
  if (call == nullptr) return false;
  const auto* method = as<Attribute>(call->function);
  return call->callee.text() == "builtins.list" || call->callee.text() == "builtins.sorted" ||
         call->callee.text() == "tangent.runtime._distinct" ||
         (!call->callee && method != nullptr && method->attribute.text() == "copy");
}

std::vector<Symbol> Aliases::references(const Expr* expression, const Expr* part,
                                        bool* reached) const {
  std::vector<Symbol> found;
  auto type_of = [this](const Expr* part) { return function_.type_of(part); };
  std::vector<const Expr*> stack{expression};
  while (!stack.empty()) {
    const Expr* top = stack.back();
    stack.pop_back();
    if (top == part) *reached = true;
    if (const auto* starred = as<Starred>(top)) {
      stack.push_back(starred->value);
      continue;
    }
    if (!is<TupleDisplay>(top) && !is<ListDisplay>(top) && !may_share(type_of(top))) continue;
    if (is_new_list_of_numbers(top)) continue;
    switch (top->kind) {
      case Kind::Name:
        found.push_back(static_cast<const Name*>(top)->symbol);
        break;
      case Kind::Subscript: {
        const auto* subscript = static_cast<const Subscript*>(top);
        const bool copies =
            type_of(subscript->value).is_array() && is_advanced_index(subscript->index, type_of);
        if (!copies) stack.push_back(subscript->value);
        break;
      }
      case Kind::Attribute: {
        const auto* read = static_cast<const Attribute*>(top);
        const std::string_view what = read->attribute.text();
        if (type_of(read->value).is_array() &&
            (what == "shape" || what == "size" || what == "ndim" || what == "dtype"))
          break;
        // What is in a module is reached by the module's name.
        const Expr* root = top;
        while (const auto* attribute = as<Attribute>(root)) root = attribute->value;
        const auto* name = as<Name>(root);
        if (name != nullptr) {
          found.push_back(name->symbol);
        } else {
          stack.push_back(root);
        }
        break;
      }
      case Kind::Conditional:
        stack.push_back(static_cast<const Conditional*>(top)->body);
        stack.push_back(static_cast<const Conditional*>(top)->orelse);
        break;
      case Kind::BooleanOperation:
        for (const Expr* value : static_cast<const BooleanOperation*>(top)->values)
          stack.push_back(value);
        break;
      case Kind::TupleDisplay:
        for (const Expr* element : static_cast<const TupleDisplay*>(top)->elements)
          stack.push_back(element);
        break;
      case Kind::ListDisplay:
        for (const Expr* element : static_cast<const ListDisplay*>(top)->elements)
          stack.push_back(element);
        break;
      case Kind::Dictionary:
        for (const Expr* value : static_cast<const Dictionary*>(top)->values)
          stack.push_back(value);
        break;
      case Kind::BinaryOperation: {
        // Arithmetic makes a new array; what is no array may be a list, which keeps its elements.
        const Type type = type_of(top);
        if (type.is_array() || type.kind == TypeKind::Numeric) break;
        stack.push_back(static_cast<const BinaryOperation*>(top)->left);
        stack.push_back(static_cast<const BinaryOperation*>(top)->right);
        break;
      }
      case Kind::Call: {
        const auto* call = static_cast<const Call*>(top);
        const std::string_view callee = call->callee.text();
        const bool copies = std::any_of(
            call->keywords.begin(), call->keywords.end(),
            [](const Keyword* keyword) { return keyword->name && keyword->name.text() == "copy"; });
        const bool library = callee.starts_with("numpy.") || callee.starts_with("scipy.") ||
                             callee.starts_with("math.");
        if (library && !may_give_view(callee) && !copies) break;
        // An array of its own, and indices.
        if (callee == "tangent.runtime._unindex" || callee == "tangent.runtime._flat_places") break;
        if (function_.fresh_calls.contains(call->callee)) break;
        // The keys of a dict, which nothing changes.
        if ((callee == "builtins.list" || callee == "builtins.sorted" ||
             callee == "builtins.tuple") &&
            call->arguments.size() == 1 && type_of(call->arguments[0]).is_map())
          break;
        if (callee.starts_with("user.identity.")) {  // gives its first argument back
          stack.push_back(call->arguments[0]);
          break;
        }
        for (const Expr* argument : call->arguments) stack.push_back(argument);
        for (const Keyword* keyword : call->keywords) stack.push_back(keyword->value);
        // np.reshape(y) shares with y, y.reshape() does; np is no memory.
        if (const auto* method = as<Attribute>(call->function);
            method != nullptr && !is_module(method->value))
          stack.push_back(method->value);
        break;
      }
      case Kind::UnaryOperation:
      case Kind::Comparison:
      case Kind::Constant:
        break;
      default:
        for_each_read(top, [&](Symbol symbol) { found.push_back(symbol); });
        break;
    }
  }
  return found;
}

Symbol Aliases::stored(const Stmt* statement) const {
  if (const ListChange change = list_change(statement)) return change.list->symbol;
  if (const Subscript* place = stored_place(statement)) return root_of(place)->symbol;
  const auto* augmented = as<AugmentedAssign>(statement);
  if (augmented == nullptr) return {};
  const auto* name = as<Name>(augmented->target);
  // A number is bound anew.
  return name != nullptr && may_share(function_.type_of(name)) ? name->symbol : Symbol();
}

std::vector<Symbol> Aliases::stored_into(const Stmt* statement) const {
  std::vector<Symbol> found;
  for (const Expr* array : written_by_call(statement))
    found.push_back(static_cast<const Name*>(array)->symbol);
  if (const Symbol base = stored(statement)) found.push_back(base);
  return found;
}

// The pairs of names that may share memory: for each name the set of the others.
struct Aliases::Sharing {
  struct State {
    std::vector<VariableSet> with;

    bool join(const State& other) {
      if (other.with.size() > with.size()) with.resize(other.with.size());
      bool changed = false;
      for (std::size_t k = 0; k < other.with.size(); ++k)
        changed = with[k].join(other.with[k]) || changed;
      return changed;
    }
    VariableSet& of(std::size_t number) {
      if (number >= with.size()) with.resize(number + 1);
      return with[number];
    }
    void pair(std::size_t a, std::size_t b) {
      if (a == b) return;
      of(a).add(b);
      of(b).add(a);
    }
    void forget(std::size_t number) {
      of(number) = VariableSet();
      for (VariableSet& set : with) set.remove(number);
    }
  };
  Aliases& aliases;

  std::vector<std::size_t> sources(const Expr* value, State& state) const {
    std::vector<std::size_t> found;
    for (const Symbol symbol : aliases.references(value)) {
      const std::size_t number = aliases.variables_.number(symbol);
      found.push_back(number);
      const VariableSet with = state.of(number);
      for (std::size_t other = 0; other < aliases.variables_.size(); ++other) {
        if (with.has(other)) found.push_back(other);
      }
    }
    return found;
  }
  void bind(const Expr* target, const std::vector<std::size_t>& shares, State& state) const {
    for_each_target(target, [&](Symbol symbol) {
      const std::size_t number = aliases.variables_.number(symbol);
      state.forget(number);
      if (!aliases.may_share(symbol)) return;
      for (const std::size_t other : shares) state.pair(number, other);
    });
  }
  static bool is_list_of_numbers(const Type& type) {
    return type.kind == TypeKind::List && !type.elements.empty() &&
           std::ranges::all_of(type.elements, &Type::is_numeric);
  }
  // The list itself, not what is in it.
  bool changes_list_of_lists(const Stmt* statement, Symbol base) const {
    const auto known = aliases.function_.variables.find(base);
    const ListChange change = list_change(statement);
    if (!change || !change.is_direct() || known == aliases.function_.variables.end()) return false;
    const Type& type = known->second;
    return type.kind == TypeKind::List && !type.elements.empty() &&
           std::ranges::all_of(type.elements,
                               [](const Type& element) { return element.kind == TypeKind::List; });
  }
  // A call that stores into arguments: they keep what they share.
  void call(const Assign* assign, Exprs written, State& state) const {
    std::vector<Symbol>& seen = aliases.seen_by_[assign];
    for (const Expr* array : written) {
      const VariableSet with =
          state.of(aliases.variables_.number(static_cast<const Name*>(array)->symbol));
      for (std::size_t other = 0; other < aliases.variables_.size(); ++other) {
        const Symbol symbol = aliases.variables_.symbol(other);
        if (with.has(other) && std::find(seen.begin(), seen.end(), symbol) == seen.end())
          seen.push_back(symbol);
      }
    }
    const std::vector<std::size_t> shares = sources(assign->value, state);
    for (const Expr* target : static_cast<const TupleDisplay*>(assign->targets[0])->elements) {
      if (!is<TupleDisplay>(target)) bind(target, shares, state);
    }
  }
  void simple(const Stmt* statement, State& state) const {
    if (const Exprs written = written_by_call(statement); !written.empty())
      return call(static_cast<const Assign*>(statement), written, state);
    if (const Symbol base = aliases.stored(statement)) {
      std::vector<Symbol>& seen = aliases.seen_by_[statement];
      const ListChange length = list_change(statement);
      const bool changes = length && length.is_direct();
      const VariableSet with = state.of(aliases.variables_.number(base));
      for (std::size_t other = 0; other < aliases.variables_.size(); ++other) {
        const Symbol symbol = aliases.variables_.symbol(other);
        if (!with.has(other) || std::find(seen.begin(), seen.end(), symbol) != seen.end()) continue;
        // What becomes of a list is not seen by the arrays in it, nor by lists of numbers in it.
        const auto known = aliases.function_.variables.find(symbol);
        const bool is_known = known != aliases.function_.variables.end();
        if (is_known && known->second.is_numeric() && aliases.is_list(base) &&
            !aliases.writes_array(statement))
          continue;
        if (is_known && is_list_of_numbers(known->second) && changes_list_of_lists(statement, base))
          continue;
        // Nor by another list that holds the same arrays.
        const bool apart = aliases.own_lists_.contains(base) && aliases.own_lists_.contains(symbol);
        if (!apart || !changes) seen.push_back(symbol);
      }
      if (const ListChange change = list_change(statement)) {
        const std::size_t number = aliases.variables_.number(base);
        if (change.appends) {
          for (const std::size_t other : sources(change.item, state)) state.pair(number, other);
        } else if (const auto* assign = as<Assign>(statement)) {
          bind(assign->targets[0], sources(assign->value, state), state);
        }
        return;
      }
      // What is put into a container is shared with it.
      const auto* assign = as<Assign>(statement);
      const Subscript* place = stored_place(statement);
      if (assign != nullptr && !aliases.function_.type_of(place->value).is_array()) {
        const std::size_t number = aliases.variables_.number(base);
        for (const std::size_t other : sources(assign->value, state)) state.pair(number, other);
      }
      return;
    }
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr) return;
    // `u, v = v, u`: by position, all at once.
    const auto* targets = as<TupleDisplay>(assign->targets[0]);
    const auto* values = as<TupleDisplay>(assign->value);
    if (targets == nullptr || values == nullptr ||
        targets->elements.size() != values->elements.size()) {
      bind(assign->targets[0], sources(assign->value, state), state);
      return;
    }
    State before = state;
    std::vector<std::vector<std::size_t>> shares;
    for (const Expr* value : values->elements) shares.push_back(sources(value, before));
    std::unordered_map<std::size_t, std::size_t> position;
    for (std::size_t k = 0; k < targets->elements.size(); ++k) {
      for_each_target(targets->elements[k], [&](Symbol symbol) {
        const std::size_t number = aliases.variables_.number(symbol);
        position[number] = k;
        state.forget(number);
      });
    }
    for (const auto& [number, k] : position) {
      for (const std::size_t other : shares[k]) {
        // A name that is bound here, too, holds its new value.
        if (!position.contains(other)) state.pair(number, other);
      }
      for (const auto& [second, j] : position) {
        if (second <= number) continue;
        const bool share = std::any_of(shares[k].begin(), shares[k].end(), [&](std::size_t memory) {
          return std::find(shares[j].begin(), shares[j].end(), memory) != shares[j].end();
        });
        if (share) state.pair(number, second);
      }
    }
  }
  void test(const Stmt* /*statement*/, State& /*state*/) const {}
  void enter(const For* loop, State& state) const {
    bind(loop->target, sources(loop->iterable, state), state);
  }
};

// The names that are read before they are bound again.
struct Aliases::Live {
  using State = VariableSet;
  Aliases& aliases;

  void read(const Node* node, State& state) const {
    for_each_read(node, [&](Symbol symbol) { state.add(aliases.variables_.number(symbol)); });
  }
  void simple(const Stmt* statement, State& state) const {
    if (!aliases.stored_into(statement).empty()) aliases.live_after_[statement].join(state);
    if (const ListChange change = list_change(statement); change && !change.appends) {
      if (const auto* assign = as<Assign>(statement)) {
        for_each_target(assign->targets[0],
                        [&](Symbol symbol) { state.remove(aliases.variables_.number(symbol)); });
      }
    }
    if (const auto* assign = as<Assign>(statement)) {
      if (!is<Subscript>(assign->targets[0])) {
        for_each_target(assign->targets[0],
                        [&](Symbol symbol) { state.remove(aliases.variables_.number(symbol)); });
        return read(assign->value, state);
      }
    }
    for_each_child(*statement, [&](const Node* child) { read(child, state); });
  }
  void test(const Stmt* statement, State& state) const {
    const auto* branch = as<If>(statement);
    read(branch != nullptr ? branch->test : static_cast<const While*>(statement)->test, state);
  }
  void enter(const For* loop, State& state) const {
    for_each_target(loop->target,
                    [&](Symbol symbol) { state.remove(aliases.variables_.number(symbol)); });
    read(loop->iterable, state);
  }
};

std::size_t Aliases::leader(std::size_t number) const {
  while (leaders_.size() <= number) leaders_.push_back(leaders_.size());
  while (leaders_[number] != number) {
    leaders_[number] = leaders_[leaders_[number]];
    number = leaders_[number];
  }
  return number;
}

void Aliases::unite(Symbol a, Symbol b) {
  const std::size_t first = leader(variables_.number(a));
  const std::size_t second = leader(variables_.number(b));
  leaders_[std::max(first, second)] = std::min(first, second);
}

void Aliases::bind_classes(const Expr* target, const Expr* value) {
  const auto* targets = as<TupleDisplay>(target);
  const auto* values = as<TupleDisplay>(value);
  if (targets != nullptr && values != nullptr &&
      targets->elements.size() == values->elements.size()) {
    for (std::size_t k = 0; k < targets->elements.size(); ++k)
      bind_classes(targets->elements[k], values->elements[k]);
    return;
  }
  const std::vector<Symbol> sources = references(value);
  for_each_target(target, [&](Symbol symbol) {
    if (!may_share(symbol)) return;
    for (const Symbol source : sources) unite(symbol, source);
  });
}

Aliases::Aliases(const TypedFunction& function, bool always)
    : function_(function), own_lists_(own_lists(function)) {
  std::vector<const Node*> stack(function.body.rbegin(), function.body.rend());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (const auto* name = as<Name>(node); name != nullptr && name->scope == Scope::Global) {
      globals_.insert(name->symbol);
    }
    if (is_statement(node->kind)) {
      const auto* statement = static_cast<const Stmt*>(node);
      if (!stored_into(statement).empty()) stores_.push_back(statement);
    }
    const std::size_t mark = stack.size();
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(mark), stack.end());
  }
  if (stores_.empty() && !always) return;

  stack.assign(function.body.begin(), function.body.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!is_statement(node->kind)) continue;
    if (const auto* assign = as<Assign>(node)) bind_classes(assign->targets[0], assign->value);
    if (const auto* loop = as<For>(node)) bind_classes(loop->target, loop->iterable);
    const ListChange change =
        is_statement(node->kind) ? list_change(static_cast<const Stmt*>(node)) : ListChange();
    if (change && change.appends) bind_classes(change.list, change.item);
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
  for (const Stmt* statement : stores_) {
    for (const Symbol base : stored_into(statement))
      (is_list(base) ? changed_lists_ : written_).insert(leader(variables_.number(base)));
  }
  for (const Parameter* parameter : function.core->parameters)
    outside_.insert(leader(variables_.number(parameter->name)));
  for (const Symbol global : globals_) outside_.insert(leader(variables_.number(global)));

  Sharing sharing{*this};
  ForwardSolver<Sharing>(sharing).run(function.body, Sharing::State());
  Live live{*this};
  BackwardSolver<Live>(live).run(function.body, VariableSet());
}

bool Aliases::is_list(Symbol variable) const {
  const auto found = function_.variables.find(variable);
  return found != function_.variables.end() &&
         (found->second.kind == TypeKind::List || found->second.is_map());
}

bool Aliases::is_changed_list(Symbol variable) const {
  return is_list(variable) && changed_lists_.contains(leader(variables_.number(variable)));
}

bool Aliases::is_written(Symbol variable) const {
  return !stores_.empty() && written_.contains(leader(variables_.number(variable)));
}

const std::vector<Symbol>& Aliases::seen_by(const Stmt* store) const {
  static const std::vector<Symbol> kNone;
  const auto found = seen_by_.find(store);
  return found != seen_by_.end() ? found->second : kNone;
}

bool Aliases::may_ever_share(Symbol a, Symbol b) const {
  return leader(variables_.number(a)) == leader(variables_.number(b));
}

bool Aliases::is_outside(Symbol variable) const {
  return outside_.contains(leader(variables_.number(variable)));
}

bool Aliases::is_read_later(const Stmt* store, Symbol other) const {
  if (globals_.contains(other)) return true;
  const auto live = live_after_.find(store);
  return live != live_after_.end() && live->second.has(variables_.number(other));
}

bool Aliases::is_seen_later(const Stmt* statement) const {
  return std::ranges::any_of(seen_by(statement),
                             [&](Symbol other) { return is_read_later(statement, other); });
}

std::unordered_set<Symbol> Aliases::in_conflict() const {
  std::unordered_set<Symbol> found;
  for (const Stmt* statement : stores_) {
    for (const Symbol other : seen_by(statement)) {
      if (!is_read_later(statement, other)) continue;
      found.insert(other);
      for (const Symbol base : stored_into(statement)) found.insert(base);
    }
  }
  return found;
}

// `xs[i] += e` of an array writes into the array, which is known by other names, too, or stands in
// the list twice.
// Whether a store writes into an array: `xs[i] += e` and `xs[i][j] = e` of a list of arrays.
bool Aliases::writes_array(const Stmt* statement) const {
  const Subscript* place = stored_place(statement);
  if (place == nullptr) return false;
  const auto may_be_array = [&](const Expr* part) {
    const Type type = function_.type_of(part);
    return type.is_array() || type.kind == TypeKind::Numeric || type.kind == TypeKind::Unknown;
  };
  return may_be_array(place->value) || (is<AugmentedAssign>(statement) && may_be_array(place));
}

void Aliases::check_items(const Stmt* statement) const {
  // `rows[i].append(e)` as well.
  if (const ListChange change = list_change(statement); change && !change.is_direct()) {
    if (has_own_rows(function_, change.list->symbol)) return;
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "`" + print(static_cast<const Node*>(change.place)) +
                         "`, which may stand in `" + std::string(change.list->symbol.text()) +
                         "` twice or have another name, is written in place",
                     statement->ranges, "put a new list into each place: `[[] for _ in range(n)]`");
  }
  const Subscript* place = stored_place(statement);
  if (place == nullptr) return;
  const auto is_item = [this](const Expr* part) {
    const auto* subscript = as<Subscript>(part);
    if (subscript == nullptr) return false;
    const TypeKind kind = function_.type_of(subscript->value).kind;
    return kind == TypeKind::List || kind == TypeKind::Tuple || kind == TypeKind::Dict;
  };
  const bool augmented =
      is<AugmentedAssign>(statement) && is_item(place) && may_share(function_.type_of(place));
  if (!augmented && !is_item(place->value)) return;
  // `m[i][j] = e` of a list of lists each of which stands in it once.
  const Type inside = function_.type_of(place->value);
  if (!augmented && (inside.kind == TypeKind::List || inside.is_map()) &&
      has_own_rows(function_, root_of(place)->symbol))
    return;
  const std::string text = print(static_cast<const Node*>(augmented ? place : place->value));
  throw Diagnostic(DiagnosticKind::WriteInPlace,
                   "`" + text + "`, an item of a list, is written in place", statement->ranges,
                   augmented ? "write `" + text + " = " + text + " + …`, which makes a new array"
                             : "store a new array instead: `" + text + " = …`");
}

void Aliases::check(const std::function<bool(Symbol, Symbol)>& follows) const {
  for (const Stmt* statement : stores_) {
    check_items(statement);
    const Symbol array = stored_into(statement).front();
    const std::string base(array.text());
    for (const Symbol other : seen_by(statement)) {
      if (!is_read_later(statement, other)) continue;
      if (follows && !globals_.contains(other) && follows(array, other)) continue;
      const std::string seen(other.text());
      throw Diagnostic(
          DiagnosticKind::WriteInPlace,
          "`" + base + "` is written in place, and may share its memory with `" + seen +
              (globals_.contains(other) ? "`, which is not the function's own"
                                        : "`, which is read later"),
          statement->ranges,
          "make a copy where the second name is bound: `" + base + " = " + seen + ".copy()`");
    }
  }
}

}  // namespace tangent
