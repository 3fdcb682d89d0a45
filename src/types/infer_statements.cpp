// Statements under abstract interpretation: assignments, branches and loops.
#include "base/diagnostics.h"
#include "syntax/printer.h"
#include "types/inference.h"
#include "types/rebound_sums.h"

namespace tangent {

namespace {

// After this many rounds over a loop, what still changes goes to the top of its kind. Values that
// are handed from variable to variable need a round for each.
constexpr int kPreciseRounds = 6;

[[noreturn]] void refuse_write(const AugmentedAssign& assign, std::string_view what) {
  const auto* name = as<Name>(assign.target);
  const std::string target =
      name != nullptr ? std::string(name->symbol.text()) : print(assign.target);
  // The operator is what the user wrote; the remedy spells it out.
  const auto operation = [&]() -> std::string {
    switch (assign.op) {
      case BinaryOperator::Add:
        return "+";
      case BinaryOperator::Subtract:
        return "-";
      case BinaryOperator::Multiply:
        return "*";
      case BinaryOperator::Divide:
        return "/";
      case BinaryOperator::FloorDivide:
        return "//";
      case BinaryOperator::Modulo:
        return "%";
      case BinaryOperator::Power:
        return "**";
      case BinaryOperator::MatrixMultiply:
        return "@";
      case BinaryOperator::BitAnd:
        return "&";
      case BinaryOperator::BitOr:
        return "|";
      case BinaryOperator::BitXor:
        return "^";
      case BinaryOperator::ShiftLeft:
        return "<<";
      case BinaryOperator::ShiftRight:
        return ">>";
    }
    return "+";
  }();
  throw Diagnostic(
      DiagnosticKind::WriteInPlace,
      "`" + target + " " + operation + "= …` " + std::string(what) + ", which is not supported yet",
      assign.ranges, "write `" + target + " = " + target + " " + operation + " …`");
}

}  // namespace

Type widened(const Type& type) {
  if (type.is_number() && type.dtype <= DType::Float64) {
    Type result = Type::number(DType::Float64);
    result.mixed = true;
    return result;
  }
  return type.is_numeric() ? Type::numeric(DType::Other) : Type::unknown();
}

void Inference::block(Block body) {
  for (const Stmt* it : body) {
    if (!reachable_) return;
    statement(it);
  }
}

void Inference::statement(const Stmt* statement) {
  switch (statement->kind) {
    case Kind::Assign: {
      const auto* assignment = static_cast<const Assign*>(statement);
      const Type type = infer(assignment->value);
      if (type.kind == TypeKind::Bottom && is_pair_call(assignment->value)) {
        // As far as is known, it does not come back.
        reachable_ = false;
        return;
      }
      if (const ListChange change = list_change(statement)) change_list(change);
      for (const Expr* target : assignment->targets) assign(target, type);
      return;
    }
    case Kind::AugmentedAssign:
      return augmented(*static_cast<const AugmentedAssign*>(statement));
    case Kind::ExpressionStatement:
      infer(static_cast<const ExpressionStatement*>(statement)->value);
      if (const ListChange change = list_change(statement)) change_list(change);
      return;
    case Kind::Return: {
      const auto* returned = static_cast<const Return*>(statement);
      const Type type =
          returned->value != nullptr ? infer(returned->value) : Type::of(TypeKind::None);
      result_.result = join(result_.result, type, arena_);
      reachable_ = false;
      return;
    }
    case Kind::If:
      return branch(*static_cast<const If*>(statement));
    case Kind::For: {
      const auto* it = static_cast<const For*>(statement);
      infer(it->iterable);
      return loop(statement, it->body, it->orelse);
    }
    case Kind::While: {
      const auto* it = static_cast<const While*>(statement);
      return loop(statement, it->body, it->orelse);
    }
    case Kind::Break: {
      if (breaks_.empty()) throw InternalError("a break outside of a loop");
      Exits& exits = breaks_.back();
      join_into(exits.environment, environment_);
      exits.any = true;
      reachable_ = false;
      return;
    }
    case Kind::Assert: {
      const auto* assertion = static_cast<const Assert*>(statement);
      infer(assertion->test);
      if (assertion->message != nullptr) infer(assertion->message);
      return;
    }
    case Kind::Raise: {
      const auto* raise = static_cast<const Raise*>(statement);
      if (raise->exception != nullptr) infer(raise->exception);
      if (raise->cause != nullptr) infer(raise->cause);
      reachable_ = false;
      return;
    }
    case Kind::Push:
      infer(static_cast<const Push*>(statement)->value);
      return;
    case Kind::Pass:
    case Kind::Comment:
      return;
    default:
      throw InternalError("inference met a statement that is not of the core language");
  }
}

bool Inference::join_into(Environment& into, const Environment& from) {
  if (into.size() < from.size()) into.resize(from.size());
  bool changed = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (into[i] == from[i]) continue;
    Type joined = join(into[i], from[i], arena_);
    if (joined == into[i]) continue;
    into[i] = joined;
    changed = true;
  }
  return changed;
}

// Where a call may pass a number as well, what is None so far says nothing of the other arm.
bool Inference::is_surely_none(const Expr* test, ComparisonOperator op) {
  const auto* comparison = as<Comparison>(test);
  if (pairs_ == nullptr || !pairs_->has_pairs() || comparison == nullptr ||
      comparison->ops.size() != 1 || comparison->ops[0] != op)
    return false;
  const auto* name = as<Name>(comparison->left);
  const auto* none = as<Constant>(comparison->comparators[0]);
  return name != nullptr && name->scope == Scope::Local && none != nullptr &&
         none->value.kind == LiteralKind::None && lookup_(name).kind == TypeKind::None;
}

void Inference::branch(const If& branch) {
  infer(branch.test);
  const Environment before = environment_;
  if (is_surely_none(branch.test, ComparisonOperator::Is)) return block(branch.body);
  if (is_surely_none(branch.test, ComparisonOperator::IsNot)) return block(branch.orelse);
  block(branch.body);
  const bool body_reaches = reachable_;
  Environment after = std::move(environment_);

  environment_ = before;
  environment_.resize(symbols_.size());
  reachable_ = true;
  block(branch.orelse);

  if (!reachable_) {
    environment_ = std::move(after);
    environment_.resize(symbols_.size());
  } else if (body_reaches) {
    // The body's values first: of two symbols a join keeps neither, so the order does not matter.
    join_into(environment_, after);
  }
  reachable_ = reachable_ || body_reaches;
}

bool Inference::is_endless(const Stmt* statement) const {
  const auto* repeat = as<While>(statement);
  const auto* test = repeat != nullptr ? as<Constant>(repeat->test) : nullptr;
  return test != nullptr &&
         (test->value.kind == LiteralKind::True ||
          (test->value.kind == LiteralKind::Integer && test->value.integer != 0));
}

void Inference::enter_iteration(const Stmt* statement) {
  if (const auto* it = as<For>(statement)) {
    assign(it->target, type_of_item(lookup_(it->iterable), arena_));
  } else {
    infer(static_cast<const While*>(statement)->test);
  }
}

void Inference::loop(const Stmt* statement, Block body, Block orelse) {
  // References into an unordered_map stay valid while inner loops add theirs.
  Loop& known = loops_[statement];
  const bool changed = join_into(known.entry, environment_);
  if (known.done && !changed) {
    environment_ = known.exit;
    environment_.resize(symbols_.size());
    reachable_ = known.exits;
    return;
  }
  known.done = false;

  breaks_.emplace_back();
  Environment exhausted;
  bool exhausts = false;
  for (int round = 0;; ++round) {
    breaks_.back() = {};
    environment_ = known.entry;
    environment_.resize(symbols_.size());
    reachable_ = true;
    // A while leaves after its test, a for before its target is bound again.
    if (!is<For>(statement)) enter_iteration(statement);
    exhausted = environment_;
    exhausts = !is_endless(statement);
    if (is<For>(statement)) enter_iteration(statement);
    block(body);
    if (!reachable_) break;
    const Environment before = round < kPreciseRounds ? Environment() : known.entry;
    if (!join_into(known.entry, environment_)) break;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool grew = !(known.entry[i] == before[i]) && before[i].kind != TypeKind::Bottom;
      if (grew) known.entry[i] = widened(known.entry[i]);
    }
  }
  const Exits exits = std::move(breaks_.back());
  breaks_.pop_back();

  environment_ = std::move(exhausted);
  environment_.resize(symbols_.size());
  reachable_ = exhausts;
  block(orelse);
  if (!reachable_) environment_.assign(symbols_.size(), {});
  if (exits.any) {
    join_into(environment_, exits.environment);
    reachable_ = true;
  }
  known.exit = environment_;
  known.exits = reachable_;
  known.done = true;
}

void Inference::assign(const Expr* target, const Type& type) {
  if (const auto* name = as<Name>(target)) {
    const std::size_t number = number_of(name->symbol);
    environment_[number] = type;
    if (!(ever_[number] == type)) ever_[number] = join(ever_[number], type, arena_);
    result_.types.set(target, type);
    return;
  }
  if (const auto* display = as<TupleDisplay>(target)) return unpack(display->elements, type);
  if (const auto* display = as<ListDisplay>(target)) return unpack(display->elements, type);
  if (const auto* place = as<Subscript>(target)) return store(*place, type);
  throw InternalError("inference met a target that is not of the core language");
}

// The list with an element more, or another one in a place: of one element type.
Type Inference::list_of(const Type& list, const Type& element) {
  Type other = Type::of(TypeKind::List);
  other.uniform = true;
  other.elements = arena_.copy(std::vector<Type>{element});
  // One that goes by position is of another length now.
  Type known = list;
  if (!known.uniform && known.elements.size() == 1) {
    known.uniform = true;
  }
  return join(known, other, arena_);
}

void Inference::change_list(const ListChange& change) {
  const Type list = lookup_(change.list);
  if (list.kind != TypeKind::List) return;  // not reached, or refused where the method was met
  const Type element = change.appends ? lookup_(change.item) : Type();
  assign(change.list, list_of(list, element));
}

// A dict of one type of values.
Type Inference::map_of(const Type& value, const Type& key) {
  Type result = Type::of(TypeKind::Dict);
  result.uniform = true;
  result.elements = arena_.copy(std::vector<Type>{value, key});
  return result;
}

// Whether a place is an element of a list in lists, each reached by one index.
bool Inference::stores_into_row(const Subscript& place) {
  for (const Subscript* step = &place; step != nullptr; step = as<Subscript>(step->value)) {
    if (lookup_(step->value).kind != TypeKind::List || is<Slice>(step->index)) return false;
    if (is<Name>(step->value)) return true;
  }
  return false;
}

// The type of the outermost list when `value` is put into a place in it.
Type Inference::with_item(const Subscript& place, const Type& value) {
  const Type list = list_of(lookup_(place.value), value);
  const auto* outer = as<Subscript>(place.value);
  return outer == nullptr ? list : with_item(*outer, list);
}

// An element or slice that is stored into: the array keeps its type, a list takes another element.
void Inference::store(const Subscript& place, const Type& value) {
  infer(&place);
  const Type whole = lookup_(place.value);
  // What is a number or an array before the arguments are known is an array here.
  if (whole.is_array() || whole.kind == TypeKind::Numeric || whole.kind == TypeKind::Bottom) return;
  if (const auto* name = as<Name>(place.value);
      name != nullptr && whole.kind == TypeKind::List && !is<Slice>(place.index)) {
    return assign(name, list_of(whole, value));
  }
  if (const auto* name = as<Name>(place.value); name != nullptr && whole.is_map()) {
    return assign(name, map_of(join(whole.elements[0], value, arena_),
                               join(whole.elements[1], lookup_(place.index), arena_)));
  }
  if (const Name* root = root_of(&place); root != nullptr && stores_into_row(place))
    return assign(root, with_item(place, value));
  const bool list = whole.kind == TypeKind::List;
  const bool dict = whole.kind == TypeKind::Dict;
  throw Diagnostic(DiagnosticKind::WriteInPlace,
                   "writing `" + print(&place) + "`" +
                       (list   ? ", an element of a list,"
                        : dict ? ", an entry of a dict,"
                               : ", which may not be an element of an array,") +
                       " is not supported yet",
                   place.ranges, "use a NumPy array (np.zeros, np.array)");
}

void Inference::unpack(Exprs targets, const Type& type) {
  const bool by_position = (type.kind == TypeKind::Tuple || type.kind == TypeKind::List) &&
                           !type.uniform && type.elements.size() == targets.size();
  if (by_position) {
    // Copied: a target may be a variable that the tuple's list is not kept by.
    for (std::size_t i = 0; i < targets.size(); ++i) assign(targets[i], type.elements[i]);
    return;
  }
  const Type item = type_of_item(type, arena_);
  for (const Expr* target : targets) assign(target, item);
}

void Inference::augmented(const AugmentedAssign& assignment) {
  const Type value = infer(assignment.value);
  const auto* name = as<Name>(assignment.target);
  if (name == nullptr) {
    const auto* place = static_cast<const Subscript*>(assignment.target);
    infer(place);
    return store(*place, type_of_binary(assignment.op, lookup_(place), value, arena_));
  }
  const Type old = environment_[number_of(name->symbol)];
  switch (old.kind) {
    case TypeKind::Bottom:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Tuple:
      break;
    case TypeKind::Array:
      // In place: the array keeps its type.
      return assign(assignment.target, old);
    case TypeKind::Numeric:
      break;
    case TypeKind::List:
      refuse_write(assignment, "changes a list in place");
    case TypeKind::Unknown:
      if (is_only_computed_with(core_, name->symbol)) break;
      [[fallthrough]];
    default:
      refuse_write(assignment, "may write into an array in place");
  }
  assign(assignment.target, type_of_binary(assignment.op, old, value, arena_));
}

}  // namespace tangent
