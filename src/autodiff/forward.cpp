// The primal forwards, statement by statement: assignments and returns; see forward.h.
#include "autodiff/forward.h"

#include "autodiff/complex_values.h"
#include "autodiff/reverse.h"

namespace tangent {

namespace {

// Stands for the value of the statement now while its tangent is made.
constexpr std::string_view kResult = "<result>";

const Name* name_of(const Expr* target) {
  const auto* name = as<Name>(target);
  return name != nullptr && name->scope == Scope::Local ? name : nullptr;
}

bool is_flat(const TupleDisplay* targets) {
  return std::all_of(targets->elements.begin(), targets->elements.end(),
                     [](const Expr* target) { return name_of(target) != nullptr; });
}

}  // namespace

Forward::Forward(const TypedFunction& function, const std::vector<ForwardInput>& inputs,
                 bool preserve_result, RuleBook& rules, Context& context, Symbol numpy,
                 NamePool& names)
    : function_(function),
      core_(*function.core),
      inputs_(inputs),
      preserve_result_(preserve_result),
      rules_(rules),
      context_(context),
      names_(names),
      rule_names_(*function.core, names, context, numpy),
      typing_(function, rules, context),
      algebra_(typing_, context, numpy),
      activity_(
          function,
          [&] {
            std::vector<Symbol> symbols;
            for (const ForwardInput& input : inputs) symbols.push_back(input.name);
            return symbols;
          }(),
          rules),
      aliases_(function),
      effects_([this](const Expr* expression) { return typing_.of(expression); }, rules) {
  aliases_.check([this](Symbol base, Symbol other) {
    if (!is_followed(base) || !is_followed(other)) return false;
    followed_.push_back(base);
    return true;
  });
}

ForwardResult Forward::run() {
  for (const ForwardInput& input : inputs_) {
    tangents_.emplace(input.name, input.tangent);
    tangent_names_.insert(input.tangent);
    Type type = input.type;
    if (type.is_numeric() && !has_slopes(type.dtype)) type.dtype = DType::Float64;
    type.weak = false;
    typing_.declare(input.tangent, type);
    shared_.insert(input.tangent);
  }
  result_name_ = names_.fresh("result");
  find_always();
  ForwardResult result;
  for (bool done = false; !done;) {
    // Another array that needs a tangent from its first binding on is found at most once each.
    try {
      result.body.clear();
      primal_.clear();
      out_ = &result.body;
      state_ = State();
      start();
      block(function_.body);
      done = true;
    } catch (const Again&) {
      loops_.clear();
      arm_depth_ = 0;
    }
  }
  result.primal = std::move(primal_);
  for (const auto& [variable, tangent] : tangents_) result.variables.emplace(tangent, variable);
  result.tangent_names = tangent_names_;
  result.kept = kept_;
  result.helpers = rule_names_.helpers();
  result.modules = rule_names_.modules();
  for (const auto& [symbol, type] : function_.variables) {
    if (aliases_.is_written(symbol)) result.written.insert(symbol);
    const auto tangent = tangents_.find(symbol);
    if (tangent != tangents_.end() && is_seen_elsewhere(symbol))
      result.written.insert(tangent->second);
  }
  for (const Parameter* parameter : core_.parameters) {
    if (aliases_.is_written(parameter->name)) result.written_parameters.push_back(parameter->name);
    if (aliases_.is_changed_list(parameter->name))
      result.changed_parameters.push_back(parameter->name);
  }
  result.typing.emplace(std::move(typing_));
  return result;
}

// What is changed in place, and shares its memory with something that varies anywhere, has a
// tangent wherever it is bound: the store that brings the first tangent may come through another
// name.
void Forward::find_always() {
  std::vector<Symbol> varied;
  for (const auto& [symbol, type] : function_.variables) {
    if (activity_.varies(symbol)) varied.push_back(symbol);
  }
  for (const auto& [symbol, type] : function_.variables) {
    if (!aliases_.is_written(symbol) && !aliases_.is_changed_list(symbol)) continue;
    if (type.is_number()) continue;
    const bool flows = std::any_of(varied.begin(), varied.end(), [&](Symbol other) {
      return other == symbol || aliases_.may_ever_share(symbol, other);
    });
    if (flows) always_.insert(symbol);
  }
}

void Forward::start() {
  begin(nullptr);
  for (const Parameter* parameter : core_.parameters) {
    state_->bound.insert(parameter->name);
    state_->maybe_bound.insert(parameter->name);
  }
  const bool writes =
      std::any_of(core_.parameters.begin(), core_.parameters.end(),
                  [&](const Parameter* parameter) { return aliases_.is_written(parameter->name); });
  for (const ForwardInput& input : inputs_) {
    state_->active.insert(input.name);
    // What a parameter is written to may be the memory of a tangent.
    if (!always_.contains(input.name) && !(writes && input.type.is_array())) continue;
    // The caller's tangents stay as they are. That of a part gets a name of its own.
    const Expr* own = nullptr;
    Symbol& name = tangents_.at(input.name);
    if (input.tangent.text().find_first_of("[.") != std::string_view::npos &&
        name == input.tangent) {
      name = names_.fresh("d" + std::string(last_step(input.name.text())));
      tangent_names_.insert(name);
      typing_.declare(name, typing_.of(context_.local(input.tangent)));
    }
    if (input.type.is_array()) {
      const Expr* dtype = is_floating(input.type.dtype)
                              ? static_cast<const Expr*>(context_.make<Attribute>(
                                    Ranges(), context_.local(input.name), context_.symbol("dtype")))
                              : context_.global(context_.symbol("float"));
      own = algebra_.numpy_call("array", {context_.local(input.tangent), dtype});
    } else {
      own = call_helper("_own", {context_.local(input.tangent)});
    }
    const auto parameter = std::ranges::find(core_.parameters, input.name, &Parameter::name);
    emit(context_.assign(context_.local(name), own,
                         parameter != core_.parameters.end() ? (*parameter)->ranges : Ranges()));
  }
  for (const Parameter* parameter : core_.parameters) {
    const Symbol name = parameter->name;
    if (!always_.contains(name) || has_tangent(name)) continue;
    emit(context_.assign(local_tangent(name), zero_like(context_.local(name), type_of(name)),
                         parameter->ranges));
    state_->active.insert(name);
  }
}

void Forward::block(Block statements) {
  for (const Stmt* each : statements) {
    // Statements behind one that never falls through are not reached.
    if (!state_) return;
    statement(each);
  }
}

void Forward::begin(const Stmt* statement) {
  current_ = statement;
  current_value_ = nullptr;
  current_result_ = {};
  current_parts_.clear();
  replaced_.clear();
  temporaries_.clear();
  fresh_count_ = 0;
}

void Forward::statement(const Stmt* statement) {
  begin(statement);
  switch (statement->kind) {
    case Kind::Assign:
      return assign(static_cast<const Assign*>(statement));
    case Kind::AugmentedAssign:
      return augmented(static_cast<const AugmentedAssign*>(statement));
    case Kind::ExpressionStatement:
      if (const ListChange change = list_change(statement)) return list_changes(statement, change);
      return emit_primal(statement);
    case Kind::Return:
      return give_back(static_cast<const Return*>(statement));
    case Kind::If:
      return branch(static_cast<const If*>(statement));
    case Kind::For:
    case Kind::While:
      return loop(statement);
    case Kind::Break:
      return leave(static_cast<const Break*>(statement));
    case Kind::Raise:
      emit_primal(statement);
      state_.reset();
      return;
    default:
      return emit_primal(statement);
  }
}

void Forward::define(Symbol variable, bool with_tangent) {
  state_->bound.insert(variable);
  state_->maybe_bound.insert(variable);
  if (with_tangent) {
    state_->active.insert(variable);
  } else {
    state_->active.erase(variable);
  }
}

// The zeros of a list that is written out, each for its item; made before what they keep is written
// down. Null where those of the finished value do.
const Expr* Forward::zeros_of_display(Symbol target, const Expr* value) {
  const bool written = is<ListDisplay>(value) || is<BinaryOperation>(value);
  const bool list = written && typing_.of(value).kind == TypeKind::List;
  return list && always_.contains(target) ? whole_tangent(value) : nullptr;
}

void Forward::define_zero(Symbol target, const Expr* value, const Expr* zero) {
  define(target, always_.contains(target));
  if (!has_tangent(target)) return;
  if (zero == nullptr) zero = zero_like(context_.local(target), typing_.of(value));
  emit(context_.assign(local_tangent(target), zero, current_->ranges));
}

const Stmt* Forward::rewritten(const Stmt* statement) {
  if (replaced_.empty()) return statement;
  return static_cast<const Stmt*>(
      rewrite_children(context_, *statement, [&](const Node* child) -> const Node* {
        return is_expression(child->kind) ? replaced(static_cast<const Expr*>(child)) : child;
      }));
}

bool Forward::mentions_now(const Expr* made, Symbol symbol) const {
  if (mentions(made, symbol)) return true;
  return std::any_of(temporaries_.begin(), temporaries_.end(),
                     [&](const auto& each) { return mentions(each.second, symbol); });
}

void Forward::assign(const Assign* assign) {
  const Expr* target = assign->targets[0];
  if (const auto* place = as<Subscript>(target)) return store(assign, place);
  if (const ListChange change = list_change(assign)) return list_changes(assign, change);
  if (const auto* targets = as<TupleDisplay>(target)) return unpack(assign, targets);
  const Name* name = name_of(target);
  if (name == nullptr) {
    refuse(DiagnosticKind::UnsupportedSyntax, target, "this target of an assignment",
           "assign to a name");
  }
  assign_name(assign, name->symbol, assign->value);
}

void Forward::assign_name(const Stmt* statement, Symbol target, const Expr* value) {
  const Symbol result = context_.symbol(kResult);
  const Type type = typing_.of(value);
  typing_.declare(result, type);
  current_value_ = value;
  current_result_ = result;
  const Expr* made = full_tangent(value);
  current_value_ = nullptr;
  const Expr* zero = made == nullptr ? zeros_of_display(target, value) : nullptr;
  flush_hoists({value});
  if (made == nullptr) {
    emit_primal(rewritten(statement));
    return define_zero(target, value, zero);
  }
  const Symbol name = tangent_name(target);
  if (!type.is_number()) {
    made = kept_apart(value, made, always_.contains(target));
    if (!is_fresh(made)) shared_.insert(name);
  }
  if (is_sparse(made)) sparse_.insert(name);
  auto write = [&](Symbol known) {
    for (auto& [temporary, expression] : temporaries_)
      expression = renamed(expression, result, known);
    emit_temporaries();
    emit(context_.assign(context_.local(name), renamed(made, result, known), statement->ranges));
  };
  const bool uses_result = mentions_now(made, result);
  const bool reads_target = mentions_now(made, target);
  if (!reads_target) {
    emit_primal(rewritten(statement));
    write(target);
  } else if (!uses_result) {
    write(target);
    emit_primal(rewritten(statement));
  } else {
    // The tangent reads the old value and the new one.
    const Symbol kept = fresh(Reverse::name_for(value));
    typing_.declare(kept, type);
    emit_primal(context_.assign(context_.local(kept), replaced(value), statement->ranges));
    write(kept);
    emit_primal(context_.assign(context_.local(target), context_.local(kept), statement->ranges));
  }
  define(target, true);
}

// The tangent of a value that is bound or put into a container. Where the primal makes a new array
// and the tangent is one that there is already (that of `1.0 * w` is `dw`), a store into one of
// them must not be seen by the other.
const Expr* Forward::kept_apart(const Expr* value, const Expr* made, bool is_written) {
  if (typing_.of(value).is_number() || is_fresh(made)) return made;
  // The parts of a display were looked at one by one.
  if (is<TupleDisplay>(made) || is<ListDisplay>(made) || is<Dictionary>(made)) return made;
  bool shares = false;
  aliases_.for_each_reference(value, [&](Symbol) { shares = true; });
  if (shares) return made;
  bool written = is_written;
  for (const auto& [variable, tangent] : tangents_)
    written = written || (always_.contains(variable) && mentions(made, tangent));
  return written ? copied(made) : made;
}

void Forward::unpack_display(const Assign* assign, const TupleDisplay* targets, Exprs values) {
  std::vector<const Expr*> made;
  std::vector<const Expr*> names;
  std::vector<std::pair<std::size_t, const Expr*>> zeros;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Symbol target = name_of(targets->elements[k])->symbol;
    const Expr* each = full_tangent(values[k]);
    if (each == nullptr) {
      zeros.emplace_back(k, zeros_of_display(target, values[k]));
      continue;
    }
    const Type type = typing_.of(values[k]);
    if (!type.is_number()) {
      each = kept_apart(values[k], each, always_.contains(target));
      if (!is_fresh(each)) shared_.insert(tangent_name(target));
    }
    made.push_back(each);
    names.push_back(local_tangent(target));
  }
  flush_hoists({assign->value});
  bool before = false;
  for (const Expr* target : targets->elements) {
    for (const Expr* each : made) before = before || mentions_now(each, name_of(target)->symbol);
  }
  auto write = [&] {
    if (made.empty()) return;
    emit_temporaries();
    const bool single = made.size() == 1;
    const Expr* left =
        single ? names[0] : context_.make<TupleDisplay>(Ranges(), context_.list(names));
    const Expr* right =
        single ? made[0] : context_.make<TupleDisplay>(Ranges(), context_.list(made));
    emit(context_.assign(left, right, assign->ranges));
  };
  if (before) write();
  emit_primal(rewritten(assign));
  if (!before) write();
  for (const Expr* target : targets->elements) define(name_of(target)->symbol, true);
  for (const auto& [k, zero] : zeros)
    define_zero(name_of(targets->elements[k])->symbol, values[k], zero);
}

void Forward::unpack(const Assign* assign, const TupleDisplay* targets) {
  const auto* display = as<TupleDisplay>(assign->value);
  const auto* list = as<ListDisplay>(assign->value);
  const Exprs values = display != nullptr ? display->elements
                       : list != nullptr  ? list->elements
                                          : Exprs();
  const bool starred = std::any_of(values.begin(), values.end(),
                                   [](const Expr* value) { return is<Starred>(value); });
  if (values.size() == targets->elements.size() && is_flat(targets) && !starred)
    return unpack_display(assign, targets, values);
  // The parts of the value are what the targets hold behind the statement.
  const Type type = typing_.of(assign->value);
  bool parts = is_flat(targets) && type.elements.size() == targets->elements.size();
  for (const Expr* target : targets->elements)
    parts = parts && !mentions(assign->value, name_of(target)->symbol);
  if (parts) {
    current_value_ = assign->value;
    for (std::size_t k = 0; k < targets->elements.size(); ++k) {
      current_parts_.push_back(context_.symbol("<part " + std::to_string(k) + ">"));
      typing_.declare(current_parts_.back(), type.elements[k]);
    }
  }
  const Expr* made = full_tangent(assign->value);
  current_value_ = nullptr;
  flush_hoists({assign->value});
  std::vector<Symbol> symbols;
  for_each_target(targets, [&](Symbol symbol) { symbols.push_back(symbol); });
  if (made == nullptr) {
    emit_primal(rewritten(assign));
    for (const Symbol symbol : symbols) {
      define(symbol, always_.contains(symbol));
      if (has_tangent(symbol)) {
        emit(context_.assign(local_tangent(symbol),
                             zero_like(context_.local(symbol), type_of(symbol)), assign->ranges));
      }
    }
    return;
  }
  made = kept_apart(assign->value, made, !always_.empty());
  bool before = false;
  for (const Symbol symbol : symbols) before = before || mentions_now(made, symbol);
  for (std::size_t k = 0; k < current_parts_.size(); ++k) {
    const Symbol target = name_of(targets->elements[k])->symbol;
    made = renamed(made, current_parts_[k], target);
    for (auto& [temporary, expression] : temporaries_)
      expression = renamed(expression, current_parts_[k], target);
  }
  if (!before) emit_primal(rewritten(assign));
  emit_temporaries();
  emit(context_.assign(tangent_target(targets), made, assign->ranges));
  if (before) emit_primal(rewritten(assign));
  for (const Symbol symbol : symbols) {
    define(symbol, true);
    shared_.insert(tangent_name(symbol));
  }
}

void Forward::give_back(const Return* statement) {
  const Expr* value = statement->value != nullptr ? statement->value : context_.none();
  const Expr* given = value;
  const Type type = typing_.of(value);
  if (is_complex(type.dtype) && active(value)) refuse_complex_result(value);
  if (!is<Name>(value) && !is<Constant>(value)) {
    typing_.declare(result_name_, type);
    current_value_ = value;
    current_result_ = result_name_;
    given = context_.local(result_name_);
  }
  const Expr* made = whole_tangent(value);
  current_value_ = nullptr;
  flush_hoists({value});
  if (given != value) {
    emit_primal(context_.assign(given, replaced(value), statement->ranges));
  }
  emit_temporaries();
  // What is returned shares memory with nothing.
  const std::function<const Expr*(const Expr*, const Type&)> apart =
      [&](const Expr* part, const Type& of) -> const Expr* {
    if (const auto* tuple = as<TupleDisplay>(part)) {
      std::vector<const Expr*> elements;
      for (std::size_t k = 0; k < tuple->elements.size(); ++k) {
        elements.push_back(
            apart(tuple->elements[k], k < of.elements.size() ? of.elements[k] : Type::unknown()));
      }
      return context_.make<TupleDisplay>(Ranges(), context_.list(elements));
    }
    if (of.is_number() || is_fresh(part)) return part;
    const auto* name = as<Name>(part);
    if (name != nullptr && !shared_.contains(name->symbol)) return part;
    if (of.is_array()) return algebra_.numpy_call("copy", {part});
    return call_helper("_own", {part});
  };
  made = apart(made, type);
  if (preserve_result_) {
    made = context_.make<TupleDisplay>(Ranges(), context_.list<const Expr*>({made, given}));
  }
  emit(context_.make<Return>(statement->ranges, made));
  state_.reset();
}

void Forward::refuse(DiagnosticKind kind, const Node* node, std::string message,
                     std::string remedy) const {
  Ranges ranges = node->ranges;
  if (ranges.empty() && current_value_ != nullptr) ranges = current_value_->ranges;
  if (ranges.empty() && current_ != nullptr) ranges = current_->ranges;
  throw Diagnostic(kind, std::move(message), ranges, std::move(remedy));
}

}  // namespace tangent
