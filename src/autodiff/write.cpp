// Writing adjoints down: names for them, the order in which they are assigned, buffers; see
// reverse.h.
#include "autodiff/reverse.h"

namespace tangent {

Symbol Reverse::bar(Symbol variable) {
  const auto found = bars_.find(variable);
  if (found != bars_.end()) return found->second;
  const Symbol name = names_.fresh("b" + std::string(last_step(variable.text())));
  bars_.emplace(variable, name);
  adjoint_names_.insert(name);
  return name;
}

Linear& Reverse::adjoint_of(Symbol variable) {
  const std::size_t index = number(variable);
  if (index >= adjoints_.size()) adjoints_.resize(index + 1);
  return adjoints_[index];
}

void Reverse::need(const Node* node) {
  for_each_shaped_read(node, [&](Symbol read, bool shape_only) {
    if (adjoint_names_.contains(read)) return;
    // A shape is still there under a name that was only stored into.
    if (shape_only && !rebound_.contains(read) && optimizations_.tape_liveness) return;
    const auto made = result_.plan.defined_at.find(read);
    const bool is_made = made != result_.plan.defined_at.end();
    const auto behind = is_made ? std::nullopt : lasting(read);
    result_.plan.need(is_made ? made->second : behind ? *behind : position_, read);
  });
}

void Reverse::emit(const Stmt* statement) {
  const auto* assign = as<Assign>(statement);
  if (assign != nullptr && !is<Subscript>(assign->targets[0])) {
    need(assign->value);  // a name that is assigned is not read
  } else {
    for_each_child(*statement, [&](const Node* part) { need(part); });
  }
  Back item{.form = Back::Form::Statement, .statement = statement, .origin = current_};
  if (written_ != nullptr) {
    // What contributed last describes it best: the others have been described before. A zero
    // comes from nothing.
    if (written_->is_zero() || std::ranges::any_of(written_->terms, [](const Term& term) {
          return term.origin != nullptr;
        }))
      item.origin = nullptr;
    for (const Term& term : written_->terms) {
      if (term.origin == nullptr) continue;
      item.origin = term.origin;
      item.ranges = context_.merge(term.origin->ranges, item.ranges);
    }
  }
  out_->push_back(std::move(item));
}

void Reverse::set_position(Block block, std::size_t index) {
  // An empty block has no positions of its own: what it reads is what the statement around it
  // reads.
  if (!block.empty()) position_ = {key_of(block), static_cast<std::uint32_t>(index)};
}

void Reverse::mark(Block block, std::size_t index) {
  if (block.empty()) return;
  set_position(block, index);
  // Once: what is taken from a tape here is taken once.
  for (auto it = out_->rbegin(); it != out_->rend(); ++it) {
    if (it->form != Back::Form::Marker) continue;
    if (it->position == position_) return;
    break;
  }
  out_->push_back({.form = Back::Form::Marker, .position = position_});
}

void Reverse::flush_mentions(Symbol name, Symbol except) {
  for (std::size_t index = 0; index < adjoints_.size(); ++index) {
    const Symbol variable = variables_.symbol(index);
    if (variable != except && adjoints_[index].mentions(name)) materialize(variable);
  }
}

void Reverse::flush_primal(const std::vector<Symbol>& changed, Symbol except) {
  if (changed.empty()) return;
  for (std::size_t index = 0; index < adjoints_.size(); ++index) {
    const Symbol variable = variables_.symbol(index);
    if (variable == except || adjoints_[index].is_zero()) continue;
    for (const Symbol name : changed) {
      if (adjoints_[index].mentions(name)) {
        materialize(variable);
        break;
      }
    }
  }
}

void Reverse::flush_all() {
  for (std::size_t index = 0; index < adjoints_.size(); ++index) {
    if (!adjoints_[index].is_zero()) materialize(variables_.symbol(index));
  }
}

// Writes down every adjoint that reads the primal.
void Reverse::flush_reads() {
  for (std::size_t index = 0; index < adjoints_.size(); ++index) {
    bool reads = false;
    for (const Term& term : adjoints_[index].terms) {
      auto look = [&](Symbol read) { reads = reads || !adjoint_names_.contains(read); };
      if (term.mask != nullptr) for_each_read(term.mask, look);
      for (const Factor& factor : term.factors) for_each_read(factor.base, look);
    }
    if (reads) materialize(variables_.symbol(index));
  }
}

bool Reverse::swap_names(Symbol variable) {
  const Symbol name = bar(variable);
  const Symbol held = adjoint_of(variable).as_name();
  if (held.empty() || held == name || adjoint_of(variable).lazy) return false;
  for (std::size_t index = 0; index < adjoints_.size(); ++index) {
    const Symbol other = variables_.symbol(index);
    const auto found = bars_.find(other);
    if (other == variable || found == bars_.end() || found->second != held) continue;
    if (adjoints_[index].as_name() != name || adjoints_[index].lazy) return false;
    // Nothing else may mention either of them.
    for (std::size_t k = 0; k < adjoints_.size(); ++k) {
      const bool own = k == index || variables_.symbol(k) == variable;
      if (!own && (adjoints_[k].mentions(name) || adjoints_[k].mentions(held))) return false;
    }
    for (const Linear* value : in_flight_) {
      if (value->mentions(name) || value->mentions(held)) return false;
    }
    const Expr* first = context_.local(name);
    const Expr* second = context_.local(held);
    emit(context_.assign(
        context_.make<TupleDisplay>({}, context_.list<const Expr*>({first, second})),
        context_.make<TupleDisplay>({}, context_.list<const Expr*>({second, first}))));
    const bool owns_name = owned_.contains(name);
    const bool owns_held = owned_.contains(held);
    owned_.erase(name);
    owned_.erase(held);
    masks_.erase(name);
    masks_.erase(held);
    if (owns_name) owned_.insert(held);
    if (owns_held) owned_.insert(name);
    if (sparse_.contains(name) || sparse_.contains(held)) {
      sparse_.insert(name);
      sparse_.insert(held);
    }
    const Type type = typing_.of(first);
    typing_.declare(name, typing_.of(second));
    typing_.declare(held, type);
    adjoint_of(variable) = algebra_.of(context_.local(name));
    adjoints_[index] = algebra_.of(context_.local(held));
    return true;
  }
  return false;
}

void Reverse::materialize(Symbol variable, bool make_full, bool is_read) {
  if (swap_names(variable)) return;
  const Symbol name = bar(variable);
  Linear value = adjoint_of(variable);
  if (value.as_name() == name && !(make_full && value.lazy)) return;
  if (!writing_.insert(variable).second) {
    // A cycle: two adjoints that are each written in terms of the other's old value.
    adjoint_of(variable) =
        named("old_" + std::string(name.text()), value, typing_.of(context_.local(variable)));
    return;
  }
  flush_mentions(name, variable);
  value = adjoint_of(variable);  // a cycle may have given it a name
  const Type type = typing_.of(context_.local(variable));
  if (value.is_zero()) {
    typing_.declare(name, type);
    protect(name);
    const Expr* zeros = zeros_for(variable, is_read);
    const Origins origins(*this, value);
    emit(context_.assign(context_.local(name), zeros));
    assigned_.insert(name);
    // A variable without a value on this path: the number 0.0 is no array to add to in place.
    if (type.is_array() && !is<Constant>(zeros)) owned_.insert(name);
    if (type.is_array()) sparse_.insert(name);
  } else {
    const Linear contributions = value;
    if (make_full && value.lazy) value = full(value, context_.local(variable));
    const Origins origins(*this, contributions);
    write(name, value, type);
  }
  writing_.erase(variable);
  Linear now = algebra_.of(context_.local(name));
  now.lazy = value.lazy;
  adjoint_of(variable) = now;
}

// Whether a variable certainly has a value where the primal's variables are read now.
bool Reverse::is_bound(Symbol variable) const {
  for (const Parameter* parameter : core_.parameters) {
    if (parameter->name == variable) return true;
  }
  std::function<bool(const Stmt*)> defines = [&](const Stmt* statement) {
    if (const auto* branch = as<If>(statement)) {
      return std::any_of(branch->body.begin(), branch->body.end(), defines) &&
             std::any_of(branch->orelse.begin(), branch->orelse.end(), defines);
    }
    if (is<For>(statement) || is<While>(statement)) return false;
    bool found = false;
    for_each_definition(statement, [&](Symbol symbol) { found = found || symbol == variable; });
    return found;
  };
  for (std::size_t level = 0; level < enclosing_.size(); ++level) {
    const auto& [block, index] = enclosing_[level];
    // Inside a loop its target has a value.
    const auto* loop =
        index < block.size() && level + 1 < enclosing_.size() ? as<For>(block[index]) : nullptr;
    bool is_target = false;
    if (loop != nullptr)
      for_each_target(loop->target,
                      [&](Symbol symbol) { is_target = is_target || symbol == variable; });
    if (is_target) return true;
    for (std::size_t k = 0; k < index && k < block.size(); ++k) {
      if (defines(block[k])) return true;
    }
  }
  return false;
}

const Expr* Reverse::zeros_for(Symbol variable, bool is_read) {
  const Type type = typing_.of(context_.local(variable));
  if (type.is_number()) return context_.number(0.0);
  if (type.is_map()) {
    const Expr* empty = context_.make<Dictionary>({}, Exprs(), Exprs());
    typing_.set(empty, type);
    return empty;
  }
  if (type.kind == TypeKind::List) {
    if (!is_read && !is_bound(variable)) {
      refuse(DiagnosticKind::UnsupportedType, current_ != nullptr ? current_ : first_read(variable),
             "the list `" + std::string(variable.text()) +
                 "` may not have been made where this begins, backwards",
             "make the list before the loop or the branch");
    }
    return zeros_of_list(context_.local(variable));
  }
  // In the shape of the adjoint that there is, or of the variable: it may not have a value on this
  // path.
  const Symbol name = bar(variable);
  if (assigned_.contains(name) && typing_.of(context_.local(name)).is_array()) {
    return algebra_.numpy_call("zeros_like", {context_.local(name)});
  }
  if (!is_read && !is_bound(variable)) {
    // A shape that is known; else a number, which is as good but for its elements.
    const bool known = type.is_array() && type.rank > 0 &&
                       std::ranges::all_of(type.dims, [](Dim dim) { return dim.is_literal(); });
    if (!known) return context_.number(0.0);
    std::vector<const Expr*> lengths;
    for (const Dim dim : type.dims) lengths.push_back(context_.integer(dim.literal()));
    const Expr* shape = lengths.size() == 1
                            ? lengths[0]
                            : context_.make<TupleDisplay>(Ranges(), Exprs(context_.list(lengths)));
    return algebra_.numpy_call("zeros", {shape});
  }
  const Expr* like = context_.local(variable);
  if (!type.is_array()) {
    return algebra_.numpy_call(
        "zeros_like", {like},
        {algebra_.keyword("dtype", context_.global(context_.symbol("float")))});
  }
  if (is_floating(type.dtype)) return algebra_.numpy_call("zeros_like", {like});
  return algebra_.numpy_call("zeros",
                             {context_.make<Attribute>({}, like, context_.symbol("shape"))});
}

void Reverse::protect(Symbol name) {
  const auto mask = masks_.find(name);
  Symbol kept;
  for (Linear* value : in_flight_) {
    if (!value->mentions(name)) continue;
    if (kept.empty()) {
      kept = names_.fresh("old_" + std::string(name.text()));
      adjoint_names_.insert(kept);
      typing_.declare(kept, typing_.of(context_.local(name)));
      if (sparse_.contains(name)) sparse_.insert(kept);
      if (mask != masks_.end()) masks_.emplace(kept, mask->second);
      emit(context_.assign(context_.local(kept), context_.local(name)));
      owned_.erase(name);  // the other name sees the same array
    }
    for (Term& term : value->terms) {
      for (Factor& factor : term.factors) factor.base = renamed(factor.base, name, kept);
      if (term.mask != nullptr) term.mask = renamed(term.mask, name, kept);
    }
  }
  masks_.erase(name);
}

const Expr* Reverse::renamed(const Expr* expression, Symbol from, Symbol to) {
  if (const auto* name = as<Name>(expression))
    return name->symbol == from ? context_.local(to) : expression;
  if (!mentions(expression, from)) return expression;
  return static_cast<const Expr*>(
      rewrite_children(context_, *expression, [&](const Node* child) -> const Node* {
        if (const auto* keyword = as<Keyword>(child)) {
          return context_.make<Keyword>(keyword->ranges, keyword->name,
                                        renamed(keyword->value, from, to));
        }
        return is_expression(child->kind) ? renamed(static_cast<const Expr*>(child), from, to)
                                          : child;
      }));
}

// Whether a value is, or may be, an array that has another name.
bool Reverse::shares(const Expr* expression) const {
  return is<Name>(expression) || is_view(expression);
}

// An array as it can be kept beside the names in it. In a loop what is written in place would show
// in the next iteration, and a slice of a buffer shows what is added to the buffer later: copies.
const Expr* Reverse::kept_apart(const Expr* expression) {
  const Name* root = is<Subscript>(expression) ? root_of(expression) : nullptr;
  const bool slice = root != nullptr && owns(root->symbol);
  if (!shares(expression) || (loop_depth_ == 0 && !slice)) return expression;
  if (typing_.of(expression).is_array()) return algebra_.numpy_call("copy", {expression});
  // A number stays one: `+b` is a new array of an array alone.
  bool ours = false;
  for_each_read(expression, [&](Symbol read) { ours = ours || owns(read); });
  return ours ? context_.make<UnaryOperation>({}, UnaryOperator::Plus, expression) : expression;
}

// The arrays that a value may share are not written in place from now on.
void Reverse::lend(const Expr* expression) {
  if (!shares(expression)) return;
  for_each_read(expression, [&](Symbol read) { owned_.erase(read); });
}

void Reverse::write(Symbol name, const Linear& value, const Type& type) {
  const Expr* mask = algebra_.mask_of(masks_.empty() ? value : with_masks(value));
  write_value(name, value, type);
  // A number outside of a test is the constant 0.0, not computed.
  if (mask != nullptr && typing_.of(mask).is_array())
    masks_.insert_or_assign(name, std::pair(mask, position_));
}

void Reverse::write_value(Symbol name, const Linear& value, const Type& type) {
  protect(name);
  const Expr* target = context_.local(name);
  // x = x + e is x += e where x is a number, or an array of ours that holds the whole sum.
  Linear rest = value;
  const auto self = std::find_if(rest.terms.begin(), rest.terms.end(), [&](const Term& term) {
    return term.numerator == 1.0 && term.denominator == 1.0 && term.factors.size() == 1 &&
           !term.factors.front().inverse && term.mask == nullptr &&
           as<Name>(term.factors.front().base) != nullptr &&
           static_cast<const Name*>(term.factors.front().base)->symbol == name;
  });
  const bool in_place = type.is_number() || (type.is_array() && owns(name));
  if (self != rest.terms.end() && rest.terms.size() > 1 && in_place) {
    rest.terms.erase(self);
    if (!rest.mentions(name)) {
      bool all_negative = true;
      for (const Term& term : rest.terms) all_negative = all_negative && term.numerator < 0.0;
      if (all_negative) rest = Algebra::negate(rest);
      emit(context_.make<AugmentedAssign>(
          {}, target, all_negative ? BinaryOperator::Subtract : BinaryOperator::Add,
          algebra_.build(rest)));
      return;
    }
  }
  if (in_place && !value.is_zero() && write_scaled(name, algebra_.single(value).terms.front()))
    return;
  const Expr* expression = algebra_.build(value);
  if (type.kind == TypeKind::List && is<Name>(expression)) {
    // The other name goes on with a list of its own.
    expression = context_.make<Call>(
        {}, context_.global(context_.symbol("list")), context_.symbol("builtins.list"),
        context_.list<const Expr*>({expression}), List<const Keyword*>());
    typing_.set(expression, type);
  }
  if (type.is_map() && is<Name>(expression)) {
    expression = context_.make<Call>(
        {}, helper("_copied_items"), context_.symbol("tangent.runtime._copied_items"),
        context_.list<const Expr*>({expression}), List<const Keyword*>());
    typing_.set(expression, type);
  }
  if (type.is_array()) {
    const bool made = typing_.of(expression).is_array() && !value.lazy;
    const Expr* kept = made ? kept_apart(expression) : expression;
    if (made && !shares(kept)) {
      owned_.insert(name);
    } else {
      lend(kept);
      owned_.erase(name);
    }
    expression = kept;
  } else if (!type.is_number() && type.kind != TypeKind::List && !type.is_map()) {
    expression = kept_apart(expression);
    lend(expression);
  }
  if (is_sparse(expression)) sparse_.insert(name);
  Type now = typing_.of(expression);
  typing_.declare(name, value.lazy ? now : type);
  if (type.kind == TypeKind::Bottom || type.kind == TypeKind::Unknown) typing_.declare(name, now);
  emit(context_.assign(target, expression));
}

// x = x * e as x *= e, x = x / e as x /= e.
bool Reverse::write_scaled(Symbol name, const Term& term) {
  if (term.mask != nullptr) return false;
  Term rest = term;
  const auto self =
      std::find_if(rest.factors.begin(), rest.factors.end(), [&](const Factor& factor) {
        const auto* base = as<Name>(factor.base);
        return !factor.inverse && base != nullptr && base->symbol == name;
      });
  if (self == rest.factors.end()) return false;
  rest.factors.erase(self);
  if (Linear{.terms = {rest}}.mentions(name)) return false;
  const auto inverse = std::count_if(rest.factors.begin(), rest.factors.end(),
                                     [](const Factor& factor) { return factor.inverse; });
  if (rest.factors.empty() && rest.numerator == 1.0 && rest.denominator == 1.0) return false;
  const bool quotient = rest.numerator == 1.0 &&
                        ((inverse == 1 && rest.factors.size() == 1 && rest.denominator == 1.0) ||
                         (rest.factors.empty() && rest.denominator != 1.0));
  if (quotient) {
    const Expr* divisor = rest.factors.empty() ? algebra_.literal(rest.denominator, rest.integral)
                                               : rest.factors.front().base;
    emit(context_.make<AugmentedAssign>({}, context_.local(name), BinaryOperator::Divide, divisor));
    return true;
  }
  if (inverse > 0) return false;
  emit(context_.make<AugmentedAssign>({}, context_.local(name), BinaryOperator::Multiply,
                                      algebra_.build(Linear{.terms = {rest}})));
  return true;
}

Symbol Reverse::buffer(Symbol variable) {
  buffered_.insert(variable);
  swap_names(variable);
  const Symbol name = bar(variable);
  protect(name);
  sparse_.insert(name);
  Linear& value = adjoint_of(variable);
  if (value.as_name() == name && owns(name)) {
    flush_mentions(name, variable);
    // Writing another adjoint down may have lent the array.
    if (owns(name)) return name;
  }
  const Type type = typing_.of(context_.local(variable));
  if (!value.is_zero() && !value.lazy && !value.as_name() && type.is_array()) {
    // A new array of the whole shape is ours as it is made.
    const Expr* made = algebra_.build(value);
    const Type shape = typing_.of(made);
    if (same_shape(shape, type) && shape.dtype == type.dtype && is_floating(type.dtype) &&
        !is_view(made)) {
      materialize(variable);
      owned_.insert(name);
      return name;
    }
  }
  if (value.is_zero() || type.is_number()) {
    materialize(variable, true, true);
    owned_.insert(name);
    return name;
  }
  // What is there is not ours to write into, or smaller than the array: an array of our own.
  flush_mentions(name, variable);
  const Expr* held = algebra_.build(adjoint_of(variable));
  const Expr* like = context_.local(variable);
  std::vector<const Keyword*> keywords;
  if (!type.is_array() || !is_floating(type.dtype)) {
    keywords.push_back(algebra_.keyword("dtype", context_.global(context_.symbol("float"))));
  }
  emit(context_.assign(context_.local(name),
                       algebra_.numpy_call("full_like", {like, held}, keywords)));
  typing_.declare(name, type);
  assigned_.insert(name);
  owned_.insert(name);
  adjoint_of(variable) = algebra_.of(context_.local(name));
  return name;
}

const Expr* Reverse::helper(std::string_view name) { return rule_names_.helper(name); }

void Reverse::refuse(DiagnosticKind kind, const Node* node, std::string message,
                     std::string remedy) const {
  Ranges ranges = node->ranges;
  if (ranges.empty() && current_value_ != nullptr) ranges = current_value_->ranges;
  if (ranges.empty() && current_ != nullptr) ranges = current_->ranges;
  throw Diagnostic(kind, std::move(message), ranges, std::move(remedy));
}

}  // namespace tangent
