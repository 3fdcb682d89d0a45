// The primal backwards, statement by statement; see reverse.h.
#include "autodiff/leaving.h"
#include "autodiff/rule_binding.h"
#include "syntax/as_written.h"

namespace tangent {

bool is_bound_once(const CoreFunction& core, Block body, Symbol symbol) {
  if (std::ranges::any_of(core.parameters,
                          [&](const Parameter* parameter) { return parameter->name == symbol; }))
    return false;
  int count = 0;
  for (const Stmt* statement : body)
    for_each_binding(statement, [&](Symbol bound) { count += bound == symbol ? 1 : 0; });
  return count == 1;
}

namespace {

// An expression as it is, with the places of the statements that it comes from. Names have none:
// what they hold was written down by a statement.
const Expr* at_places(const Expr* value, Ranges places, Context& context) {
  if (places.empty()) return value;
  if (const auto* operation = as<BinaryOperation>(value))
    return context.make<BinaryOperation>(places, operation->op, operation->left, operation->right);
  if (const auto* operation = as<UnaryOperation>(value))
    return context.make<UnaryOperation>(places, operation->op, operation->operand);
  if (const auto* call = as<Call>(value))
    return context.make<Call>(places, call->function, call->callee, call->arguments,
                              call->keywords);
  return value;
}

}  // namespace

Reverse::Reverse(const TypedFunction& function, const std::vector<Symbol>& inputs,
                 const std::vector<Type>& types, RuleBook& rules, Context& context, Symbol numpy,
                 NamePool& names, const PairTable* pairs, const PairHalves* own,
                 const Optimizations& optimizations)
    : function_(function),
      core_(*function.core),
      inputs_(inputs),
      input_types_(types),
      rules_(rules),
      context_(context),
      numpy_(numpy),
      names_(names),
      rule_names_(*function.core, names, context, numpy),
      typing_(function, rules, context),
      algebra_(typing_, context, numpy),
      activity_(function, inputs, rules),
      aliases_(function),
      pairs_(pairs),
      own_(own),
      optimizations_(optimizations) {
  aliases_.check();
}

// The first place in the text that reads a variable.
const Node* Reverse::first_read(Symbol variable) const {
  std::vector<const Node*> open(core_.body.rbegin(), core_.body.rend());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    const auto* name = as<Name>(node);
    if (name != nullptr && name->symbol == variable && !node->ranges.empty()) return node;
    const std::size_t mark = open.size();
    for_each_child(*node, [&](const Node* child) { open.push_back(child); });
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(mark), open.end());
  }
  return core_.body.front();
}

ReverseResult Reverse::run() {
  if (own_ != nullptr) {
    reverse_half();
  } else {
    reverse_function();
  }
  result_.seed = seed_;
  result_.adjoint_names = adjoint_names_;
  for (const Symbol name : adjoint_names_) {
    if (typing_.of(context_.local(name)).is_number()) result_.number_names.insert(name);
  }
  std::unordered_set<Symbol> tapes;  // nothing but their calls gets at them
  for_each_pair_call(function_.body, [&](const Assign* assign, const Call* call) {
    tapes.insert(
        as<Name>(static_cast<const TupleDisplay*>(assign->targets[0])->elements.back())->symbol);
    // A call through which nothing flows is the user's own, if it can be written so.
    const auto* name = as<Name>(call->function);
    const bool has_name = name == nullptr || core_.find_global(name->symbol) != nullptr;
    if (has_name &&
        std::none_of(call->arguments.begin(), call->arguments.end(),
                     [&](const Expr* argument) { return activity_.varies(argument, assign); })) {
      result_.plan.plain_calls.insert(assign);
    }
  });
  for (const auto& [symbol, type] : function_.variables) {
    if (tapes.contains(symbol)) continue;
    if (aliases_.is_changed_list(symbol)) {
      result_.plan.changed_lists.insert(symbol);
      const bool holds_lists = std::ranges::any_of(
          type.elements, [](const Type& item) { return item.kind == TypeKind::List; });
      if (holds_lists || type.kind == TypeKind::Dict) helper("_copied_items");
    } else if (aliases_.is_written(symbol)) {
      result_.plan.written.insert(symbol);
    }
  }
  aliases_.for_each_store([&](const Stmt* store) {
    std::vector<Symbol> seen = aliases_.seen_by(store);
    std::erase_if(seen, [&](Symbol symbol) { return tapes.contains(symbol); });
    result_.plan.also_changed[store] = std::move(seen);
  });
  result_.helpers = rule_names_.helpers();
  result_.modules = rule_names_.modules();
  result_.numpy = numpy_;
  for (const Parameter* parameter : core_.parameters) {
    if (aliases_.is_written(parameter->name)) result_.written_parameters.push_back(parameter->name);
    if (aliases_.is_changed_list(parameter->name))
      result_.changed_parameters.push_back(parameter->name);
  }
  result_.typing.emplace(std::move(typing_));
  return std::move(result_);
}

void Reverse::reverse_function() {
  // The seed is named after the variable that every return gives back, if it is one.
  const Name* returned = nullptr;
  bool one_name = true;
  std::vector<const Node*> stack(function_.body.rbegin(), function_.body.rend());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (const auto* statement = as<Return>(node)) {
      const auto* name = as<Name>(statement->value);
      if (name == nullptr || name->scope != Scope::Local ||
          (returned != nullptr && returned->symbol != name->symbol)) {
        one_name = false;
      } else {
        returned = name;
      }
    }
    if (!is_statement(node->kind)) continue;
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
  if (returned != nullptr && one_name) {
    seed_ = bar(returned->symbol);
  } else {
    seed_ = names_.fresh("by");
    adjoint_names_.insert(seed_);
  }
  typing_.declare(seed_,
                  function_.result.is_number() ? function_.result : Type::numeric(DType::Float64));
  out_ = &result_.plan.backward;
  reverse_block(function_.body);
  current_ = nullptr;
  current_value_ = nullptr;
  current_target_ = {};
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const Expr* gradient = gradient_of(inputs_[k], input_types_[k], true);
    Ranges places;
    for (const Term& term : adjoint_of(inputs_[k]).terms) {
      if (term.origin != nullptr) places = context_.merge(term.origin->ranges, places);
    }
    const Type known = typing_.of(gradient);
    // What is spelled for another library has to be known for ours (src/emit/dialect.cpp).
    if (typing_.library() == Library::NumPy || !is<Call>(gradient))
      gradient = at_places(gradient, places, context_);
    typing_.set(gradient, known);
    result_.gradients.push_back(gradient);
  }
  // What the gradients read of the primal (shapes) is read at its start.
  set_position(function_.body, 0);
  for (const Expr* gradient : result_.gradients) need(gradient);
}

const Expr* Reverse::gradient_of(Symbol input, const Type& type, bool is_kept) {
  const Linear value = adjoint_of(input);
  if (type.kind == TypeKind::List && type.uniform) {
    const Expr* gradient =
        value.is_zero() ? zeros_of_list(context_.local(input)) : algebra_.build(value);
    // The caller's, or the seed's, stays apart from what is given back.
    const auto* name = as<Name>(gradient);
    return name != nullptr && name->symbol != bar(input) ? copied_list(gradient) : gradient;
  }
  if (!type.is_numeric()) {
    // Its parts are inputs of their own.
    if (!value.is_zero()) {
      refuse(DiagnosticKind::UnsupportedType, first_read(input),
             "the argument `" + std::string(input.text()) + "` is used as a whole",
             "reach its parts by constants: keys, positions, attributes");
    }
    return context_.number(0.0);
  }
  if (value.is_zero()) return type.is_number() ? context_.number(0.0) : zeros_for(input, true);
  const Expr* built = algebra_.build(value);
  if (type.is_array()) {
    const Type made = typing_.of(built);
    const auto* name = as<Name>(built);
    // Without axes it is what operations make of it, a number.
    const bool scalar = type.rank == 0 && typing_.library() != Library::NumPy && made.is_number() &&
                        !is<Constant>(built) && !value.mentions(result_.seed);
    const bool whole = !value.lazy && (made.is_array() || scalar);
    std::vector<const Keyword*> keywords;
    if (!is_floating(type.dtype)) {
      keywords.push_back(algebra_.keyword("dtype", context_.global(context_.symbol("float"))));
    }
    if (!whole) {
      built = algebra_.numpy_call("full_like", {context_.local(input), built}, keywords);
    } else if (is_floating(type.dtype) && type.dtype != DType::Float64 &&
               made.dtype != type.dtype) {
      built = context_.make<Call>(
          {}, context_.make<Attribute>({}, built, context_.symbol("astype")), context_.symbol(""),
          context_.list<const Expr*>(
              {context_.make<Attribute>({}, context_.local(input), context_.symbol("dtype"))}),
          List<const Keyword*>());
    } else if (is_kept && ((name != nullptr && !owns(name->symbol)) || is_view(built))) {
      built = algebra_.numpy_call("copy", {built});
    }
    return built;
  }
  // The gradient of a number is a number, also where its type was not followed all the way.
  if (type.is_number() && !typing_.of(built).is_number()) {
    return context_.make<Call>({}, context_.global(context_.symbol("float")),
                               context_.symbol("builtins.float"),
                               context_.list<const Expr*>({built}), List<const Keyword*>());
  }
  return built;
}

// Whether an expression may be a view of something else: then a gradient that is one shares memory.
bool Reverse::is_view(const Expr* expression) const {
  if (is<Attribute>(expression) || is<Subscript>(expression)) return true;
  const auto* call = as<Call>(expression);
  if (call == nullptr) return is<Conditional>(expression);
  static constexpr std::string_view kViews[] = {
      "reshape", "ravel",      "transpose", "swapaxes", "moveaxis", "broadcast_to", "expand_dims",
      "squeeze", "atleast_1d", "asarray",   "diagonal", "flip",     "real"};
  const std::string_view callee = call->callee.text();
  if (callee == "tangent.runtime._parts") return false;  // copies
  const std::string_view last = callee.substr(callee.rfind('.') + 1);
  return last.starts_with('_') ||
         std::find(std::begin(kViews), std::end(kViews), last) != std::end(kViews);
}

void Reverse::reverse_block(Block block) { reverse_before(block, block.size()); }

void Reverse::reverse_before(Block block, std::size_t end) {
  // Statements behind one that never falls through are not reached.
  for (std::size_t k = 0; k < end; ++k) {
    if (!falls_through(block[k]) && !is<Return>(block[k])) {
      const bool tail = is<If>(block[k]) && ends_in_return(block[k]);
      if (!tail) end = std::min(end, k + 1);
    }
  }
  mark(block, end);
  undo_before(block, end);
}

bool Reverse::ends_in_return(const Stmt* statement) {
  if (is<Return>(statement)) return true;
  const auto* branch = as<If>(statement);
  if (branch == nullptr) return false;
  auto last = [](Block block) { return !block.empty() && ends_in_return(block.back()); };
  return last(branch->body) || last(branch->orelse);
}

void Reverse::undo_before(Block block, std::size_t end) {
  enclosing_.emplace_back(block, end);
  for (std::size_t index = end; index-- > 0;) {
    enclosing_.back().second = index;
    reverse_statement(block, index);
  }
  if (optimizations_.coarsening && enclosing_.size() > 1) {
    // What was read as it is behind an assignment of this block is written down in it.
    std::vector<Symbol> lasting;
    for (const auto& [symbol, position] : result_.plan.defined_at) {
      if (position.block == key_of(block) && function_.variables.contains(symbol))
        lasting.push_back(symbol);
    }
    flush_primal(lasting);
    for (const Symbol symbol : lasting) result_.plan.defined_at.erase(symbol);
  }
  enclosing_.pop_back();
}

bool Reverse::reverse_exit(Block block, const Break* exit) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    if (block[k] == exit) {
      mark(block, k);
      undo_before(block, k);
      return true;
    }
    const auto* branch = as<If>(block[k]);
    if (branch == nullptr) continue;
    if (!reverse_exit(branch->body, exit) && !reverse_exit(branch->orelse, exit)) continue;
    // Which arm was taken is known: this exit is in it.
    result_.plan.reversed[branch] = true;
    flush_primal(changes(branch));
    mark(block, k);
    undo_before(block, k);
    return true;
  }
  return false;
}

void Reverse::reverse_statement(Block block, std::size_t index) {
  const Stmt* statement = block[index];
  current_ = statement;
  set_position(block, index + 1);
  after_current_ =
      block.empty() ? position_ : Position{key_of(block), static_cast<std::uint32_t>(index + 1)};
  switch (statement->kind) {
    case Kind::Assign:
      reverse_assign(block, index);
      break;
    case Kind::AugmentedAssign:
      reverse_augmented(block, index);
      break;
    case Kind::ExpressionStatement:
      if (list_change(statement)) reverse_list_change(block, index);
      break;
    case Kind::Return:
      reverse_return(static_cast<const Return*>(statement));
      break;
    case Kind::If: {
      // What is read behind an exit is not read in an iteration that is cut there.
      if (holds_break(statement)) flush_reads();
      flush_primal(changes(statement));
      reverse_if(static_cast<const If*>(statement));
      break;
    }
    case Kind::For:
    case Kind::While:
      flush_primal(changes(statement));
      reverse_loop(statement);
      break;
    default:
      break;  // asserts, raises, prints: nothing flows through them
  }
  if (!optimizations_.optimized) flush_all();
  for (const Symbol symbol : changes(statement)) killed_.insert(symbol);
  for_each_binding(statement, [&](Symbol symbol) { rebound_.insert(symbol); });
  current_ = statement;
  current_value_ = nullptr;
  current_target_ = {};
  mark(block, index);
}

void Reverse::reverse_assign(Block block, std::size_t index) {
  const auto* assign = static_cast<const Assign*>(block[index]);
  if (is<Subscript>(assign->targets[0])) return reverse_store(block, index);
  if (list_change(assign)) return reverse_list_change(block, index);
  if (const Call* call = pair_call(assign)) return reverse_pair_call(block, index, call);
  if (const auto* targets = as<TupleDisplay>(assign->targets[0])) {
    flush_primal(changes(assign));
    if (unpack_parts(block, index, targets)) return;
    mark(block, index);
    reverse_unpack(assign, targets);
    return;
  }
  const auto* target = as<Name>(assign->targets[0]);
  const Symbol symbol = target->symbol;
  // One expression for a whole stretch reads the values between as they are behind their only
  // assignment.
  const bool cut = std::ranges::any_of(enclosing_, [&](const auto& around) {
    const auto loop = around.second < around.first.size()
                          ? result_.plan.loops.find(around.first[around.second])
                          : result_.plan.loops.end();
    return loop != result_.plan.loops.end() && !loop->second.exits.empty();
  });
  const bool lasts = optimizations_.optimized && optimizations_.coarsening && !cut &&
                     !mentions(assign->value, symbol) && !aliases_.is_written(symbol) &&
                     is_bound_once(core_, function_.body, symbol) &&
                     typing_.of(assign->value).is_numeric();
  if (lasts) {
    result_.plan.defined_at.emplace(symbol, after_current_);
  } else {
    flush_primal({symbol}, symbol);
  }
  Linear adjoint = adjoint_of(symbol);
  if (adjoint.is_zero()) return;
  const bool self = mentions(assign->value, symbol);
  current_value_ = assign->value;
  if (self && adjoint.mentions(symbol)) {
    materialize(symbol);
    adjoint = adjoint_of(symbol);
  }
  // Layers of array code get a name each, as by hand; numbers are folded into one expression.
  const Type type = typing_.of(assign->value);
  if (!type.is_number() && contains_call(adjoint) && !optimizations_.coarsening) {
    materialize(symbol);
    adjoint = adjoint_of(symbol);
  }
  adjoint_of(symbol) = Linear();
  // What the name held before may have another shape than the adjoint that is written there.
  if (!same_shape(type, typing_.of(context_.local(symbol))) && bars_.contains(symbol))
    assigned_.erase(bars_.at(symbol));
  if (!active(assign->value)) return;
  adjoint = unbroadcast_entry(adjoint, symbol, assign->value);
  if (!self) {
    current_target_ = symbol;
    push(assign->value, std::move(adjoint));
    if (!lasts) flush_primal({symbol});
    current_target_ = {};
    return;
  }
  // x = tanh(x + …): the partial reads the new x, the operands the old one.
  if (const auto* call = as<Call>(assign->value);
      call != nullptr && call->callee && reads_only_result(call)) {
    current_target_ = symbol;
    adjoint_of(symbol) = Linear();
    outer_call(call, adjoint, symbol, block, index);
    current_target_ = {};
    return;
  }
  rebound_.insert(symbol);  // the operands have the shape of the old value
  mark(block, index);
  push(assign->value, std::move(adjoint));
}

// A call whose partial reads the result alone and whose only active argument holds the rest.
bool Reverse::reads_only_result(const Call* call) {
  const Rule* rule = rules_.find(call->callee.text());
  if (rule == nullptr || rule->constant || !rule->elementwise || rule->parameters.size() != 1 ||
      rule->singular != nullptr || rule->adjoint.size() != 1) {
    return false;
  }
  const auto* assign = as<Assign>(rule->adjoint[0]);
  return assign != nullptr && count_name(assign->value, rule->parameters[0].name) == 0;
}

int Reverse::count_name(const Node* node, Symbol symbol) {
  int count = 0;
  SmallStack<const Node*> stack(node);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (is_expression(top->kind) && derivative_of(static_cast<const Expr*>(top))) continue;
    if (const auto* name = as<Name>(top)) count += name->symbol == symbol ? 1 : 0;
    push_children(stack, *top);
  }
  return count;
}

void Reverse::outer_call(const Call* call, const Linear& adjoint, Symbol symbol, Block block,
                         std::size_t index) {
  const Rule* rule = rules_.find(call->callee.text());
  const auto* method = as<Attribute>(call->function);
  const std::vector<const Expr*> arguments = bind_arguments(
      *rule, *call, method != nullptr && is_receiver(method) ? method->value : nullptr);
  const Linear inner = partial_of(*rule, call, arguments, adjoint, context_.local(symbol));
  if (inner.is_zero()) return;
  adjoint_of(symbol) = inner;
  if (inner.mentions(symbol)) materialize(symbol);
  const Linear now = adjoint_of(symbol);
  adjoint_of(symbol) = Linear();
  current_target_ = {};
  mark(block, index);
  push(arguments[0], unbroadcast(now, call, arguments[0]));
}

// target op value, as an expression.
const Expr* Reverse::operation_of(const AugmentedAssign* statement, const Expr* target) {
  const Expr* operation =
      context_.make<BinaryOperation>(statement->ranges, statement->op, target, statement->value);
  typing_.set(operation, type_of_binary(statement->op, typing_.of(target),
                                        typing_.of(statement->value), context_.arena()));
  return operation;
}

void Reverse::reverse_augmented(Block block, std::size_t index) {
  const auto* statement = static_cast<const AugmentedAssign*>(block[index]);
  if (is<Subscript>(statement->target)) return reverse_store(block, index);
  const Symbol symbol = as<Name>(statement->target)->symbol;
  flush_primal(changes(statement), symbol);
  Linear adjoint = adjoint_of(symbol);
  if (adjoint.is_zero()) return;
  // x op= e is x = x op e.
  const Expr* value = operation_of(statement, statement->target);
  current_value_ = value;
  if (adjoint.mentions(symbol)) {
    materialize(symbol);
    adjoint = adjoint_of(symbol);
  }
  adjoint_of(symbol) = Linear();
  mark(block, index);
  push(value, std::move(adjoint));
}

bool Reverse::contains_call(const Linear& value) {
  SmallStack<const Node*> stack;
  for (const Term& term : value.terms) {
    for (const Factor& factor : term.factors) stack.push(factor.base);
  }
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (is<Call>(top)) return true;
    const auto* operation = as<BinaryOperation>(top);
    if (operation != nullptr && operation->op == BinaryOperator::MatrixMultiply) return true;
    push_children(stack, *top);
  }
  return false;
}

Linear Reverse::unbroadcast_entry(Linear adjoint, Symbol variable, const Expr* value) {
  const Type whole = typing_.of(context_.local(variable));
  const Type part = typing_.of(value);
  if (whole == part || whole.is_number() || !active(value)) return adjoint;
  if (whole.kind == TypeKind::List || part.kind == TypeKind::List) return adjoint;
  if (whole.kind == TypeKind::Dict || part.kind == TypeKind::Dict) return adjoint;
  const Type held = typing_.of(algebra_.build(adjoint));
  if (held.is_number() && !adjoint.lazy) return adjoint;
  if (part.is_number()) {
    Linear result = algebra_.of(algebra_.numpy_call("sum", {algebra_.build(adjoint)}));
    return result;
  }
  // An array is as wide as the adjoint of the value that it is; only what was a number can be
  // joined with arrays.
  if (part.is_array()) return adjoint;
  const Expr* call = context_.make<Call>(
      {}, helper("_unbroadcast"), context_.symbol("tangent.runtime._unbroadcast"),
      context_.list<const Expr*>({algebra_.build(adjoint), context_.local(variable)}),
      List<const Keyword*>());
  typing_.set(call, part);
  // The variable is read as it is behind the statement.
  return named("b" + std::string(variable.text()), algebra_.of(call), part);
}

void Reverse::reverse_unpack(const Assign* assign, const TupleDisplay* targets) {
  if (!active(assign->value)) {
    for (const Expr* target : targets->elements) adjoint_of(as<Name>(target)->symbol) = Linear();
    return;
  }
  current_value_ = assign->value;
  std::vector<Linear> parts;
  for (const Expr* target : targets->elements) {
    Linear& adjoint = adjoint_of(as<Name>(target)->symbol);
    parts.push_back(adjoint);
    adjoint = Linear();
  }
  const std::size_t first = in_flight_.size();
  for (Linear& part : parts) in_flight_.push_back(&part);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].is_zero()) continue;
    const auto* element = context_.make<Subscript>(assign->ranges, assign->value,
                                                   context_.integer(static_cast<std::int64_t>(k)));
    typing_.set(element, typing_.of(targets->elements[k]));
    push_subscript(element, parts[k]);
  }
  in_flight_.resize(first);
}

// w, v = np.linalg.eigh(a): a call with a rule for the parts of its result.
bool Reverse::unpack_parts(Block block, std::size_t index, const TupleDisplay* targets) {
  const auto* assign = static_cast<const Assign*>(block[index]);
  const Call* call = active(assign->value) ? tuple_call(assign->value) : nullptr;
  const bool names = std::all_of(targets->elements.begin(), targets->elements.end(),
                                 [](const Expr* target) { return is<Name>(target); });
  if (call == nullptr || !names) return false;
  const std::vector<Symbol> symbols = changes(assign);
  // The targets still hold the parts, unless one of them was an operand or stands there twice.
  const bool kept = std::none_of(symbols.begin(), symbols.end(),
                                 [&](Symbol symbol) { return mentions(assign->value, symbol); });
  current_value_ = assign->value;
  const std::size_t count = targets->elements.size();
  Parts parts{.adjoints = std::vector<Linear>(count),
              .values = std::vector<const Expr*>(count, nullptr)};
  std::unordered_set<Symbol> seen;
  bool flows = false;
  for (std::size_t k = count; k-- > 0;) {
    const auto* target = as<Name>(targets->elements[k]);
    if (!seen.insert(target->symbol).second) continue;
    if (kept) parts.values[k] = target;
    std::swap(parts.adjoints[k], adjoint_of(target->symbol));
    flows = flows || !parts.adjoints[k].is_zero();
  }
  if (!flows) return true;
  const std::size_t first = in_flight_.size();
  for (Linear& part : parts.adjoints) in_flight_.push_back(&part);
  if (!kept) mark(block, index);
  push_parts(call, parts);
  in_flight_.resize(first);
  flush_primal(symbols);
  return true;
}

void Reverse::reverse_return(const Return* statement) {
  if (own_ != nullptr) return reverse_half_return(statement);
  const TypeKind kind = typing_.of(statement->value).kind;
  if (kind == TypeKind::None || kind == TypeKind::String || kind == TypeKind::Module ||
      kind == TypeKind::Function) {
    refuse(DiagnosticKind::NotNumeric, statement, "the function returns what is no number",
           "return the value to differentiate");
  }
  if (!active(statement->value)) return;
  current_value_ = statement->value;
  note_seed_parts(statement);
  push_result(statement->value, context_.local(seed_));
}

}  // namespace tangent
