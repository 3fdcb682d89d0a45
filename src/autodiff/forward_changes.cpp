// What the primal changes in place is changed in its tangent as well: stores, augmented
// assignments, lists; see forward.h.
#include <algorithm>

#include "autodiff/forward.h"

namespace tangent {

// Whether a tangent reads what the statement changes in place, by any name.
bool Forward::reads_changed(const Stmt* statement, const Node* made) const {
  auto reads = [&](Symbol symbol) {
    return mentions(made, symbol) ||
           std::any_of(temporaries_.begin(), temporaries_.end(),
                       [&](const auto& each) { return mentions(each.second, symbol); });
  };
  bool found = false;
  for_each_definition(statement, [&](Symbol symbol) { found = found || reads(symbol); });
  for (const Symbol other : aliases_.seen_by(statement)) found = found || reads(other);
  return found;
}

// A change of the tangent of a variable in place.
void Forward::emit_change(const Stmt* statement, Symbol variable) {
  emit(statement);
  // What another name sees is not dead where this name is.
  if (is_seen_elsewhere(variable)) primal_.insert(statement);
}

bool Forward::is_seen_elsewhere(Symbol variable) const {
  return std::any_of(followed_.begin(), followed_.end(), [&](Symbol symbol) {
    return symbol == variable || aliases_.may_ever_share(symbol, variable);
  });
}

void Forward::augmented(const AugmentedAssign* statement) {
  if (const auto* place = as<Subscript>(statement->target)) return store(statement, place);
  const auto* target = as<Name>(statement->target);
  if (target == nullptr) {
    refuse(DiagnosticKind::UnsupportedSyntax, statement->target, "this target of an assignment",
           "assign to a name");
  }
  using enum BinaryOperator;
  const BinaryOperator op = statement->op;
  const Symbol symbol = target->symbol;
  // What it ever is: a number may become an array here.
  const Type type = type_of(symbol);
  const bool flows = active(statement->value);
  if (!flows && !has_tangent(symbol)) {
    emit_primal(statement);
    return define(symbol, false);
  }
  const bool additive = op == Add || op == Subtract;
  const bool linear = (op == Multiply || op == Divide) && !flows;
  if (has_tangent(symbol) && (additive || linear)) {
    if (additive && !flows && type.kind != TypeKind::List) {
      // A number that becomes an array has the tangent of one.
      if (type.is_array() || typing_.of(statement->value).is_number())
        return emit_primal(statement);
    }
    const bool widens = type.is_number() && !typing_.of(statement->value).is_number();
    if (!widens) {
      const Expr* made = nullptr;
      if (linear) {
        made = primal(statement->value);
      } else if (type.kind == TypeKind::List) {
        made = whole_tangent(statement->value);
      } else if (type.is_array()) {
        made = algebra_.build(tangent(statement->value));
      } else if (type.is_number()) {
        made = full_tangent(statement->value);
        if (made == nullptr) return emit_primal(statement);
      } else {
        // What may be a number becomes as wide as the value.
        made = whole_tangent(statement->value);
      }
      flush_hoists({statement->value});
      const bool before = reads_changed(statement, made);
      if (!before) emit_primal(rewritten(statement));
      emit_temporaries();
      BinaryOperator now = op;
      if (const auto* minus = as<UnaryOperation>(made);
          additive && minus != nullptr && minus->op == UnaryOperator::Minus) {
        made = minus->operand;
        now = op == Add ? Subtract : Add;
      }
      emit_change(
          context_.make<AugmentedAssign>(statement->ranges, local_tangent(symbol), now, made),
          symbol);
      if (before) emit_primal(rewritten(statement));
      return;
    }
  }
  const auto* operation = context_.make<BinaryOperation>(
      statement->ranges, op, static_cast<const Expr*>(target), statement->value);
  if (type.is_number()) return assign_name(statement, symbol, operation);
  // In place: the tangent is changed in place as well, from the old values.
  const Linear value = tangent(operation);
  flush_hoists({statement->value});
  if (value.is_zero()) {
    emit_primal(rewritten(statement));
    return;
  }
  emit_temporaries();
  if (always_.contains(symbol) && type.is_array()) {
    const Expr* whole = context_.make<Constant>({}, Literal{.kind = LiteralKind::Ellipsis});
    const Expr* place = context_.make<Subscript>(Ranges(), local_tangent(symbol), whole);
    emit_change(context_.assign(place, algebra_.build(value), statement->ranges), symbol);
  } else {
    emit(context_.assign(local_tangent(symbol), full(value, operation), statement->ranges));
    shared_.insert(tangent_name(symbol));
  }
  emit_primal(rewritten(statement));
  define(symbol, true);
}

// x[i] = e and x[i] op= e: the same place of the tangent gets the tangent of the value.
void Forward::store(const Stmt* statement, const Subscript* place) {
  const Name* root = root_of(place);
  const auto* augmented = as<AugmentedAssign>(statement);
  const Expr* value = assigned_value(statement);
  const bool flows = active(value);
  if (root == nullptr || root->scope != Scope::Local || !has_tangent(root->symbol)) {
    if (flows && activity_.store_flows(place, typing_.of(value))) {
      refuse(DiagnosticKind::WriteInPlace, place,
             "a store of what depends on the differentiated arguments into what has no tangent",
             "store into an array that the function makes");
    }
    return emit_primal(statement);
  }
  using enum BinaryOperator;
  const Expr* target = place_in(place, local_tangent(root->symbol));
  const Expr* made = nullptr;
  const Stmt* mirrored = nullptr;
  if (!activity_.store_flows(place, typing_.of(value))) {
    // An array of integers cuts it off.
    made = context_.number(0.0);
  } else if (augmented == nullptr) {
    const bool item = !typing_.of(place->value).is_array();
    made = item ? whole_tangent(value) : algebra_.build(tangent(value));
  } else {
    const BinaryOperator op = augmented->op;
    if (op == Add || op == Subtract) {
      if (!flows) return emit_primal(statement);
      const Linear slope = tangent(value);
      if (slope.is_zero()) return emit_primal(statement);
      const Expr* more = algebra_.build(slope);
      BinaryOperator now = op;
      if (const auto* minus = as<UnaryOperation>(more);
          minus != nullptr && minus->op == UnaryOperator::Minus) {
        more = minus->operand;
        now = op == Add ? Subtract : Add;
      }
      mirrored = context_.make<AugmentedAssign>(statement->ranges, target, now, more);
    } else if ((op == Multiply || op == Divide) && !flows) {
      mirrored = context_.make<AugmentedAssign>(statement->ranges, target, op, primal(value));
    } else {
      const Expr* read = context_.make<Subscript>(place->ranges, place->value, place->index);
      typing_.set(read, typing_.of(place));
      const Expr* operation = context_.make<BinaryOperation>(statement->ranges, op, read, value);
      made = algebra_.build(tangent(operation));
    }
  }
  if (mirrored == nullptr) mirrored = context_.assign(target, made, statement->ranges);
  if (augmented != nullptr) {
    flush_hoists({place->index, value});
  } else {
    flush_hoists({value, place->index});
  }
  const bool before = reads_changed(statement, mirrored);
  if (!before) emit_primal(rewritten(statement));
  emit_temporaries();
  emit_change(mirrored, root->symbol);
  if (before) emit_primal(rewritten(statement));
}

// xs.append(e), x = xs.pop(), xs.pop(): the list of the tangents changes likewise.
void Forward::list_changes(const Stmt* statement, const ListChange& change) {
  const Symbol list = change.list->symbol;
  const auto* assign = as<Assign>(statement);
  std::vector<Symbol> targets;
  if (assign != nullptr)
    for_each_target(assign->targets[0], [&](Symbol symbol) { targets.push_back(symbol); });
  if (!has_tangent(list)) {
    if (change.appends && active(change.item)) {
      refuse(DiagnosticKind::UnsupportedType, change.item,
             "a list that is not the function's own gets what depends on the differentiated "
             "arguments",
             "append to a list that the function makes");
    }
    emit_primal(statement);
    for (const Symbol symbol : targets) {
      define(symbol, always_.contains(symbol));
      if (has_tangent(symbol)) {
        emit(context_.assign(local_tangent(symbol),
                             zero_like(context_.local(symbol), type_of(symbol)),
                             statement->ranges));
      }
    }
    return;
  }
  const Expr* place = place_in(change.place, local_tangent(list));
  auto method = [&](std::string_view function, const std::vector<const Expr*>& arguments) {
    return context_.make<Call>({}, context_.make<Attribute>({}, place, context_.symbol(function)),
                               Symbol(), context_.list(arguments), List<const Keyword*>());
  };
  if (change.appends) {
    const Expr* made = whole_tangent(change.item);
    flush_hoists({change.item});
    const bool before = reads_changed(statement, made);
    if (!before) emit_primal(rewritten(statement));
    emit_temporaries();
    emit(context_.make<ExpressionStatement>(statement->ranges, method("append", {made})));
    if (before) emit_primal(rewritten(statement));
    return;
  }
  emit_primal(statement);
  if (assign == nullptr) {
    std::vector<const Expr*> key;
    if (change.key != nullptr) key.push_back(primal(change.key));
    emit(context_.make<ExpressionStatement>(statement->ranges, method("pop", key)));
    return;
  }
  emit(context_.assign(tangent_target(assign->targets[0]), method("pop", {}), statement->ranges));
  for (const Symbol symbol : targets) {
    define(symbol, true);
    shared_.insert(tangent_name(symbol));
  }
}

}  // namespace tangent
