// `a if t else b`, `a and b`, `a < b < c` whose parts need statements: they stay conditional.
//
//     y = f(x) if c else 0.0      if c:
//                                     …           (the body of f)
//                                     y = …
//                                 else:
//                                     y = 0.0
#include "lower/lowering.h"
#include "syntax/visit.h"

namespace tangent::lowering {

// What a test that lowering settles comes to: one of an object's class, or of `None`.
std::optional<bool> Lowering::truth_of_settled(const Expr* written, const Expr* test) const {
  if (const auto* constant = as<Constant>(test)) {
    if (is<Constant>(written)) return std::nullopt;
    if (constant->value.kind == LiteralKind::True) return true;
    if (constant->value.kind == LiteralKind::False) return false;
    return std::nullopt;
  }
  if (const auto* unary = as<UnaryOperation>(test);
      unary != nullptr && unary->op == UnaryOperator::Not) {
    const auto* negated = as<UnaryOperation>(written);
    const auto operand =
        truth_of_settled(negated != nullptr ? negated->operand : written, unary->operand);
    return operand ? std::optional(!*operand) : std::nullopt;
  }
  // Two integers in a loop that is written out.
  const auto* comparison = as<Comparison>(test);
  if (comparison == nullptr || comparison->ops.size() != 1 || !holds(written, Kind::Name))
    return std::nullopt;
  const auto left = constant_integer(comparison->left);
  const auto right = constant_integer(comparison->comparators[0]);
  if (!left || !right) return std::nullopt;
  switch (comparison->ops[0]) {
    case ComparisonOperator::Equal:
      return *left == *right;
    case ComparisonOperator::NotEqual:
      return *left != *right;
    case ComparisonOperator::Less:
      return *left < *right;
    case ComparisonOperator::LessEqual:
      return *left <= *right;
    case ComparisonOperator::Greater:
      return *left > *right;
    case ComparisonOperator::GreaterEqual:
      return *left >= *right;
    default:
      return std::nullopt;
  }
}

const Expr* Lowering::conditional(const Conditional& it, Destination destination) {
  const Expr* test = expression(explicit_truth(it.test));
  const Expr* value = nullptr;
  const Expr* other = nullptr;
  // Whether an arm needs statements is known only when it is lowered; if none does, nothing was
  // emitted, and if one does, both go to the destination.
  if (const auto settled = truth_of_settled(it.test, test))
    return value_for(*settled ? it.body : it.orelse, destination);
  const bool named = destination.form == Destination::Form::Value;
  const auto name_destination = [&] {
    if (destination.form != Destination::Form::Value) return;
    destination = Destination::to(
        names_.fresh(destination.wish.empty() ? "choice" : std::string(destination.wish)));
  };
  // An object goes to its destination while its attributes are known.
  const auto arm = [&](const Expr* written, const Expr*& result, Born& born, HeldChanges& held) {
    const std::size_t born_mark = born_.size();
    const std::size_t held_mark = held_log_.size();
    const int around = enter_block();
    Statements statements = collect([&] {
      result = value_for(written, destination);
      if (object_of(result) == nullptr || destination.form == Destination::Form::Tail) return;
      name_destination();
      finish(destination, result, at(*written));
      result = nullptr;
    });
    open_block_ = around;
    born = retire(born_mark);
    held = release_held(held_mark);
    return statements;
  };
  Born first;
  Born second;
  HeldChanges held;
  HeldChanges other_held;
  Statements body = arm(it.body, value, first, held);
  Statements orelse = arm(it.orelse, other, second, other_held);
  const bool nothing = destination.form == Destination::Form::Nothing;
  if (body.empty() && orelse.empty() && (nothing || (value != nullptr && other != nullptr))) {
    // An arm that was only needed for its effects and has none.
    if (value == nullptr) value = context_.none(it.body->ranges);
    if (other == nullptr) other = context_.none(it.orelse->ranges);
    forget_held(held);
    forget_held(other_held);
    const Expr* choice = context_.make<Conditional>(it.ranges, test, value, other);
    return keeps() ? or_nothing(choice, holding_of(choice)) : choice;
  }
  name_destination();
  auto add = [&](Statements& statements, const Expr* result, const Expr* written,
                 HeldChanges& changes) {
    const std::size_t mark = held_log_.size();
    const Statements last = collect([&] { finish(destination, result, at(*written)); });
    statements.insert(statements.end(), last.begin(), last.end());
    const HeldChanges late = release_held(mark);
    changes.insert(changes.end(), late.begin(), late.end());
  };
  add(body, value, it.body, held);
  add(orelse, other, it.orelse, other_held);
  test = join_held(test, held, false, other_held, false, at(it));
  append_if(context_, test, context_.list(body), context_.list(orelse), at(it), *out_);
  revive(first, second);
  return named ? variable_value(destination.name, it) : nullptr;
}

const Expr* Lowering::boolean(const BooleanOperation& it) {
  return boolean_from(it, expression(it.values[0]), 1, Symbol());
}

// The operands from `next` on after those that gave `first`; `result` is the name that holds the
// value as soon as one of them needs statements.
const Expr* Lowering::boolean_from(const BooleanOperation& it, const Expr* first, std::size_t next,
                                   Symbol result) {
  std::vector<const Expr*> group = {first};
  auto combined = [&]() -> const Expr* {
    if (group.size() == 1) return group[0];
    return context_.make<BooleanOperation>(it.ranges, it.op, Exprs(context_.list(group)));
  };
  for (; next < it.values.size(); ++next) {
    const Expr* value = nullptr;
    Statements body = collect_arm([&] { value = expression(it.values[next]); });
    if (body.empty()) {
      group.push_back(value);
      continue;
    }
    if (!result) result = names_.fresh("test");
    emit_assign(result, combined(), at(it));
    const Statements rest =
        collect([&] { emit_assign(result, boolean_from(it, value, next + 1, result), at(it)); });
    body.insert(body.end(), rest.begin(), rest.end());
    const Expr* test = context_.local(result, it.ranges);
    if (it.op == BooleanOperator::Or) test = negated(context_, test);
    append_if(context_, test, context_.list(body), Block(), at(it), *out_);
    return context_.local(result, it.ranges);
  }
  return combined();
}

// A test of two whole numbers or texts that the caller wrote: `__getitem__(self, i)` of `p[0]`.
const Expr* Lowering::of_constants(const Comparison& it, const Expr* left, const Expr* right) {
  const auto* first = as<Constant>(left);
  const auto* second = as<Constant>(right);
  if (first == nullptr || second == nullptr ||
      (is<Constant>(it.left) && is<Constant>(it.comparators[0])))
    return nullptr;
  const LiteralKind kind = first->value.kind;
  if (kind != second->value.kind || (kind != LiteralKind::Integer && kind != LiteralKind::String))
    return nullptr;
  const bool same = first->value == second->value;
  if (it.ops[0] == ComparisonOperator::Equal) return context_.boolean(same, it.ranges);
  if (it.ops[0] == ComparisonOperator::NotEqual) return context_.boolean(!same, it.ranges);
  return nullptr;
}

const Expr* Lowering::comparison(const Comparison& it) {
  // `k in {1, 2}` asks what `k in (1, 2)` does.
  const Expr* right = it.comparators[0];
  const bool asks = it.ops[0] == ComparisonOperator::In || it.ops[0] == ComparisonOperator::NotIn;
  if (const auto* set = as<SetDisplay>(right); set != nullptr && asks)
    right = context_.make<TupleDisplay>(set->ranges, set->elements);
  const Expr* const written[] = {it.left, right};
  const Expr* values[] = {nullptr, nullptr};
  operands(written, values);
  if (it.ops.size() == 1) {
    if (const Expr* settled = is_none(it, values[0], values[1])) return settled;
    if (const Expr* settled = of_constants(it, values[0], values[1])) return settled;
    if (const Expr* same = kept_comparison(it, values[0], values[1])) return same;
    if (subject_of(values[0]) != nullptr && it.ops[0] <= ComparisonOperator::GreaterEqual) {
      static constexpr std::string_view kNames[] = {"__eq__", "__ne__", "__lt__",
                                                    "__le__", "__gt__", "__ge__"};
      if (const Expr* value = operation(it, it, kNames[static_cast<std::size_t>(it.ops[0])], "",
                                        values[0], values[1]))
        return value;
    }
    return context_.make<Comparison>(it.ranges, values[0], it.ops,
                                     context_.list<const Expr*>({values[1]}));
  }
  // a < b < c: everything from c on is evaluated only if a < b.
  std::vector<const Expr*> comparators = {values[1]};
  const Expr* left = values[0];
  std::size_t first = 0;  // the operator between `left` and comparators[0]
  Symbol result;
  Statements* outer = out_;
  std::deque<Statements> arms;  // each inside the one before, where later operands are evaluated
  auto chain = [&] {
    return context_.make<Comparison>(it.ranges, left, it.ops.subspan(first, comparators.size()),
                                     Exprs(context_.list(comparators)));
  };
  for (std::size_t next = 2; next <= it.ops.size(); ++next) {
    const Expr* value = nullptr;
    Statements body = collect_arm([&] { value = expression(it.comparators[next - 1]); });
    if (body.empty()) {
      comparators.push_back(value);
      continue;
    }
    if (!result) result = names_.fresh("test");
    // The middle operand is read on both sides of the split: it needs a name that stays. If it is
    // itself evaluated conditionally, the comparisons before it are split, too.
    if (stays_after(comparators.back(), body)) {
      emit_assign(result, chain(), at(it));
      left = copy(comparators.back(), {});
    } else {
      for (std::size_t j = 0; j < comparators.size(); ++j) {
        const Expr* middle = comparators[j];
        if (j + 1 == comparators.size() || !is_simple(middle)) {
          if (!is_simple(left)) left = bind_temporary(left, describe(left), it.ranges);
          middle = bind_temporary(middle, describe(middle), it.ranges);
        }
        emit_assign(result,
                    context_.make<Comparison>(it.ranges, left, it.ops.subspan(first + j, 1),
                                              context_.list({middle})),
                    at(it));
        left = copy(middle, {});
        if (j + 1 == comparators.size()) break;
        arms.emplace_back();
        out_ = &arms.back();
      }
    }
    first = next - 1;
    comparators = {value};
    arms.push_back(std::move(body));
    out_ = &arms.back();
  }
  if (arms.empty()) return chain();
  emit_assign(result, chain(), at(it));
  while (!arms.empty()) {
    const Block body = context_.list(arms.back());
    arms.pop_back();
    out_ = arms.empty() ? outer : &arms.back();
    append_if(context_, context_.local(result, it.ranges), body, Block(), at(it), *out_);
  }
  return context_.local(result, it.ranges);
}

}  // namespace tangent::lowering
