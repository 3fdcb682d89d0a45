// Branches and loops forwards: where a variable has a tangent on one path only, the other path
// gives it a zero; see forward.h.
#include <algorithm>

#include "autodiff/forward.h"
#include "autodiff/free_calls.h"

namespace tangent {

namespace {

bool binds(const Stmt* statement, Symbol variable) {
  bool found = false;
  for_each_binding(statement, [&](Symbol symbol) { found = found || symbol == variable; });
  return found;
}

std::string_view callee_of(const Expr* expression) {
  const auto* call = as<Call>(expression);
  return call != nullptr && call->keywords.empty() ? call->callee.text() : std::string_view();
}

// Sets have no order; what is written has one.
std::vector<Symbol> in_order(const std::unordered_set<Symbol>& symbols,
                             const std::unordered_set<Symbol>& without) {
  std::vector<Symbol> found;
  for (const Symbol symbol : symbols) {
    if (!without.contains(symbol)) found.push_back(symbol);
  }
  std::sort(found.begin(), found.end(), [](Symbol a, Symbol b) { return a.text() < b.text(); });
  return found;
}

}  // namespace

Forward::State Forward::joined(const State& a, const State& b) {
  State state = a;
  state.active.insert(b.active.begin(), b.active.end());
  state.maybe_bound.insert(b.maybe_bound.begin(), b.maybe_bound.end());
  std::erase_if(state.bound, [&](Symbol symbol) { return !b.bound.contains(symbol); });
  return state;
}

const Expr* Forward::zero_like(const Expr* value, const Type& type) {
  if (type.is_number()) return context_.number(0.0);
  if (type.is_array()) {
    std::vector<const Keyword*> keywords;
    if (!has_slopes(type.dtype)) {
      keywords.push_back(algebra_.keyword("dtype", context_.global(context_.symbol("float"))));
    }
    return algebra_.numpy_call("zeros_like", {value}, keywords);
  }
  const auto* call = as<Call>(value);
  const bool range = call != nullptr && call->callee.text() == "builtins.range";
  if (type.kind == TypeKind::Iterator && !range) {
    refuse(DiagnosticKind::UnsupportedType, value,
           "an iterator beside values that depend on the differentiated arguments",
           "make it a list: `list(…)`");
  }
  return call_helper(type.kind == TypeKind::Numeric ? "_zeros_like" : "_zero_tangent", {value});
}

void Forward::make_zero(Symbol variable, Statements& statements, const State& state) {
  if (!state.maybe_bound.contains(variable)) return;  // bound before it is read, or an error
  Type type = type_of(variable);
  if (!type.is_number() && !state.bound.contains(variable)) {
    // There may be no array whose shape the zeros could have.
    always_.insert(variable);
    throw Again();
  }
  auto place = statements.end();
  Ranges ranges = current_ != nullptr ? current_->ranges : Ranges();
  while (place != statements.begin() && !binds(*(place - 1), variable)) --place;
  if (place != statements.begin()) ranges = (*(place - 1))->ranges;
  if (place == statements.begin()) {
    place = statements.end();
  } else if (const auto* last = as<Assign>(*(place - 1));
             last != nullptr && is<Name>(last->targets[0])) {
    type = typing_.of(last->value);
  }
  const Stmt* zero =
      context_.assign(local_tangent(variable), zero_like(context_.local(variable), type), ranges);
  statements.insert(place, zero);
}

void Forward::branch(const If* branch) {
  const State before = *state_;
  Statements* const outer = out_;
  Statements body;
  Statements orelse;
  out_ = &body;
  block(branch->body);
  std::optional<State> taken = std::move(state_);
  state_ = before;
  out_ = &orelse;
  block(branch->orelse);
  std::optional<State> other = std::move(state_);
  out_ = outer;
  if (taken && other) {
    for (const Symbol symbol : in_order(other->active, taken->active))
      make_zero(symbol, body, *taken);
    for (const Symbol symbol : in_order(taken->active, other->active))
      make_zero(symbol, orelse, *other);
    state_ = joined(*taken, *other);
  } else {
    state_ = taken ? std::move(taken) : std::move(other);
  }
  emit_primal(
      context_.make<If>(branch->ranges, branch->test, context_.list(body), context_.list(orelse)));
}

void Forward::leave(const Break* exit) {
  Loop& loop = *loops_.back();
  for (const Symbol symbol : in_order(loop.head, state_->active)) make_zero(symbol, *out_, *state_);
  loop.exits.push_back(*state_);
  emit_primal(exit);
  state_.reset();
}

const Expr* Forward::tangent_target(const Expr* target) {
  if (const auto* name = as<Name>(target)) return local_tangent(name->symbol);
  Exprs elements;
  if (const auto* tuple = as<TupleDisplay>(target)) elements = tuple->elements;
  if (const auto* list = as<ListDisplay>(target)) elements = list->elements;
  if (elements.empty()) {
    refuse(DiagnosticKind::UnsupportedSyntax, target, "this target of an assignment",
           "assign to names");
  }
  std::vector<const Expr*> tangents;
  for (const Expr* element : elements) tangents.push_back(tangent_target(element));
  return context_.make<TupleDisplay>(Ranges(), context_.list(tangents));
}

// zip(xs, dxs), enumerate(zip(xs, dxs)), zip(xs, dxs, ys)
std::pair<const Expr*, const Expr*> Forward::header(const Expr* target, const Expr* iterable) {
  auto names = [&](const Expr* each, bool with_tangent) {
    for_each_target(each, [&](Symbol symbol) {
      define(symbol, with_tangent);
      if (with_tangent) shared_.insert(tangent_name(symbol));
    });
  };
  auto called = [&](std::string_view function, const std::vector<const Expr*>& arguments) {
    return context_.make<Call>({}, context_.global(context_.symbol(function)),
                               context_.symbol("builtins." + std::string(function)),
                               context_.list(arguments), List<const Keyword*>());
  };
  auto tuple = [&](const std::vector<const Expr*>& elements) {
    return context_.make<TupleDisplay>(Ranges(), context_.list(elements));
  };
  // The keys of a dict have no tangents.
  if (!active(iterable) || typing_.of(iterable).kind == TypeKind::Dict) {
    names(target, false);
    return {target, iterable};
  }
  const auto* call = as<Call>(iterable);
  const auto* targets = as<TupleDisplay>(target);
  if (callee_of(iterable) == "builtins.enumerate" && targets != nullptr &&
      targets->elements.size() == 2 && is<Name>(targets->elements[0])) {
    names(targets->elements[0], false);
    const auto [inner, sequence] = header(targets->elements[1], call->arguments[0]);
    std::vector<const Expr*> arguments{sequence};
    for (std::size_t k = 1; k < call->arguments.size(); ++k)
      arguments.push_back(call->arguments[k]);
    return {tuple({targets->elements[0], inner}), called("enumerate", arguments)};
  }
  if (callee_of(iterable) == "builtins.zip" && targets != nullptr &&
      targets->elements.size() == call->arguments.size()) {
    std::vector<const Expr*> left;
    std::vector<const Expr*> right;
    std::vector<std::pair<const Expr*, bool>> bound;
    for (std::size_t k = 0; k < call->arguments.size(); ++k) {
      const Expr* made = full_tangent(call->arguments[k]);
      if (made != nullptr) made = kept_apart(call->arguments[k], made, !always_.empty());
      left.push_back(targets->elements[k]);
      right.push_back(made != nullptr ? primal(call->arguments[k]) : call->arguments[k]);
      bound.emplace_back(targets->elements[k], made != nullptr);
      if (made == nullptr) continue;
      left.push_back(tangent_target(targets->elements[k]));
      right.push_back(made);
    }
    for (const auto& [each, with_tangent] : bound) names(each, with_tangent);
    return {tuple(left), called("zip", right)};
  }
  const Expr* made = full_tangent(iterable);
  if (made == nullptr) {
    names(target, false);
    return {target, iterable};
  }
  made = kept_apart(iterable, made, !always_.empty());
  const Expr* both = tuple({target, tangent_target(target)});
  const Expr* sequence = primal(iterable);
  names(target, true);
  return {both, called("zip", {sequence, made})};
}

void Forward::loop(const Stmt* loop) {
  const auto* counted = as<For>(loop);
  const auto* repeat = as<While>(loop);
  const Block inside = counted != nullptr ? counted->body : repeat->body;
  const State entry = *state_;
  Statements* const outer = out_;

  const auto [found, is_new] = heads_.try_emplace(loop);
  if (is_new) {
    for (const auto& [symbol, type] : function_.variables) {
      if (activity_.varies(symbol, loop)) found->second.insert(symbol);
    }
  }
  Loop now;
  now.head = found->second;
  now.head.insert(entry.active.begin(), entry.active.end());
  Statements body;
  Statements before;
  const Expr* target = nullptr;
  const Expr* iterable = nullptr;
  std::optional<State> end;
  while (true) {
    body.clear();
    before.clear();
    now.exits.clear();
    begin(loop);
    state_ = entry;
    out_ = &before;
    std::vector<Symbol> zeros;
    if (counted != nullptr) {
      std::tie(target, iterable) = header(counted->target, counted->iterable);
      flush_hoists({counted->iterable});
      emit_temporaries();
      iterable = replaced(iterable);
      for_each_target(counted->target, [&](Symbol symbol) {
        if (always_.contains(symbol) && !has_tangent(symbol)) zeros.push_back(symbol);
      });
    }
    // A target without a tangent has none at the head either, whatever it had before.
    const std::unordered_set<Symbol> bound_active = state_->active;
    for (const Symbol symbol : now.head) state_->active.insert(symbol);
    if (counted != nullptr) {
      for_each_target(counted->target, [&](Symbol symbol) {
        if (!bound_active.contains(symbol)) state_->active.erase(symbol);
      });
    }
    out_ = &body;
    for (const Symbol symbol : zeros) {
      emit(context_.assign(local_tangent(symbol),
                           zero_like(context_.local(symbol), type_of(symbol)), loop->ranges));
      state_->active.insert(symbol);
    }
    loops_.push_back(&now);
    block(inside);
    loops_.pop_back();
    end = std::move(state_);
    std::unordered_set<Symbol> more = now.head;
    if (end) more.insert(end->active.begin(), end->active.end());
    for (const State& exit : now.exits) more.insert(exit.active.begin(), exit.active.end());
    if (more.size() == now.head.size()) break;
    now.head = std::move(more);
  }
  heads_[loop] = now.head;
  if (end) {
    for (const Symbol symbol : in_order(now.head, end->active)) make_zero(symbol, body, *end);
  }
  out_ = outer;
  for (const Stmt* each : before) emit(each);
  State after = entry;
  for (const Symbol symbol : in_order(now.head, entry.active)) {
    make_zero(symbol, *out_, entry);
  }
  after.active = now.head;
  if (end) after.maybe_bound.insert(end->maybe_bound.begin(), end->maybe_bound.end());
  for (const State& exit : now.exits)
    after.maybe_bound.insert(exit.maybe_bound.begin(), exit.maybe_bound.end());
  if (counted != nullptr) {
    for_each_target(counted->target, [&](Symbol symbol) { after.maybe_bound.insert(symbol); });
    emit_primal(
        context_.make<For>(loop->ranges, target, iterable, context_.list(body), Block(), false));
  } else {
    emit_primal(context_.make<While>(loop->ranges, repeat->test, context_.list(body), Block()));
  }
  const bool endless = repeat != nullptr && is_always_true(repeat->test);
  if (endless && now.exits.empty()) {
    state_.reset();
    return;
  }
  if (endless) {
    after.bound = now.exits.front().bound;
    for (const State& exit : now.exits) {
      std::erase_if(after.bound, [&](Symbol symbol) { return !exit.bound.contains(symbol); });
    }
  }
  state_ = std::move(after);
}

}  // namespace tangent
