// `if` backwards: the arm that was taken, decided again or by what was kept; see reverse.h.
#include "autodiff/leaving.h"
#include "autodiff/rule_binding.h"

namespace tangent {

namespace {

bool same_value(const Linear& a, const Linear& b) {
  if (a.terms.size() != b.terms.size()) return false;
  for (std::size_t k = 0; k < a.terms.size(); ++k) {
    const Term& left = a.terms[k];
    const Term& right = b.terms[k];
    if (left.numerator != right.numerator || left.denominator != right.denominator ||
        left.factors.size() != right.factors.size() ||
        (left.mask == nullptr) != (right.mask == nullptr)) {
      return false;
    }
    if (left.mask != nullptr && !equal(left.mask, right.mask)) return false;
    for (std::size_t j = 0; j < left.factors.size(); ++j) {
      if (left.factors[j].inverse != right.factors[j].inverse ||
          !equal(left.factors[j].base, right.factors[j].base)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

void Reverse::reverse_if(const If* statement) {
  const bool first = falls_through(statement->body) || ends_in_return(statement);
  const bool second = falls_through(statement->orelse) || ends_in_return(statement);
  // An arm that always leaves was not taken by what is being undone.
  if (!first || !second) {
    result_.plan.reversed[statement] = true;
    if (first) reverse_block(statement->body);
    if (second) reverse_block(statement->orelse);
    // What is read of the arm that goes on is read there: an iteration that is cut saves none of
    // it.
    if (holds_break(statement)) {
      for (const Symbol symbol : touched_by(statement)) {
        const Linear& value = adjoint_of(symbol);
        if (!value.is_zero() && !value.as_name()) materialize(symbol);
      }
    }
    return;
  }
  bool flows = false;
  for (const Symbol symbol : touched_by(statement)) {
    flows = flows || !adjoint_of(symbol).is_zero() || ends_in_return(statement);
  }
  if (!flows && !ends_in_return(statement) && !holds_break(statement)) return;
  result_.plan.reversed[statement] = true;
  const std::vector<Symbol> defined = changes(statement);
  // Adjoints that an arm changes are written down first: both arms would repeat them.
  const Stmt* here = current_;
  const Position position = position_;
  for (const Symbol symbol : touched_by(statement)) {
    const Linear& value = adjoint_of(symbol);
    if (!value.is_zero() && !value.as_name()) materialize(symbol);
  }
  // The test is decided again where what it reads is still there, else its outcome is kept.
  bool again = true;
  int lost = 0;
  for_each_read(statement->test, [&](Symbol read) {
    if (std::find(defined.begin(), defined.end(), read) != defined.end()) again = false;
    if (is_killed(read)) ++lost;
  });
  const Expr* test = nullptr;
  // One number that is taken back decides as cheaply as the outcome would.
  bool numbers = true;
  for_each_read(statement->test, [&](Symbol read) {
    numbers = numbers && typing_.of(context_.local(read)).is_number();
  });
  if (again && (lost == 0 || (lost == 1 && numbers)) && is_cheap_test(statement->test)) {
    test = primal(statement->test);
  } else {
    test = hoist(statement->test, "cond");
  }
  branch(
      test, statement, [&] { reverse_block(statement->body); },
      [&] { reverse_block(statement->orelse); });
  current_ = here;
  position_ = position;
}

bool Reverse::is_cheap_test(const Expr* test) {
  bool cheap = true;
  SmallStack<const Node*> stack(test);
  while (!stack.empty() && cheap) {
    const Node* top = stack.pop();
    if (const auto* call = as<Call>(top)) {
      const std::string_view callee = call->callee.text();
      cheap =
          callee == "builtins.len" || callee == "builtins.abs" || callee == "builtins.isinstance";
    }
    if (is<Comprehension>(top) || is<FormattedString>(top)) cheap = false;
    if (const auto* operation = as<BinaryOperation>(top)) {
      cheap = operation->op != BinaryOperator::MatrixMultiply;
    }
    push_children(stack, *top);
  }
  return cheap;
}

void Reverse::branch(const Expr* test, const Stmt* statement, const std::function<void()>& taken,
                     const std::function<void()>& other) {
  Back item{.form = Back::Form::Branch, .statement = statement, .test = test, .origin = current_};
  Stream* const outer = out_;
  const Stmt* const here = current_;
  const Expr* const value = current_value_;
  const Symbol target = current_target_;
  const Position position = position_;
  const Position after = after_current_;
  need(test);
  const std::vector<Linear> before = adjoints_;
  const auto owned_before = owned_;
  const auto assigned_before = assigned_;
  auto restore = [&] {
    current_ = here;
    current_value_ = value;
    current_target_ = target;
    position_ = position;
    after_current_ = after;
  };

  // Masks that an arm finds hold in that arm.
  const auto masks = masks_;
  out_ = &item.body;
  taken();
  masks_ = masks;
  std::vector<Linear> first = adjoints_;
  const auto owned_first = owned_;
  const auto assigned_first = assigned_;
  const Position first_end = position_;

  restore();
  adjoints_ = before;
  owned_ = owned_before;
  assigned_ = assigned_before;
  out_ = &item.orelse;
  other();
  masks_.clear();
  const Position second_end = position_;

  // Where the arms differ both write the adjoint under its own name.
  const std::size_t count = std::max(first.size(), adjoints_.size());
  first.resize(count);
  adjoints_.resize(count);
  std::vector<Symbol> differing;
  for (std::size_t index = 0; index < count; ++index) {
    if (!same_value(first[index], adjoints_[index]) || first[index].lazy != adjoints_[index].lazy) {
      differing.push_back(variables_.symbol(index));
    }
  }
  const auto settle = [&](Position where) {
    current_ = here;
    position_ = where;
    for (const Symbol symbol : differing) materialize(symbol, true);
  };
  auto owned_second = owned_first;
  std::vector<Linear> settled;
  auto owned_now = owned_first;
  auto assigned_second = assigned_;
  auto assigned_now = assigned_first;
  // Writing one adjoint down can force another in one arm alone: until both agree.
  for (bool again = true; again;) {
    settle(second_end);
    settled = adjoints_;
    owned_second = owned_;
    assigned_second = assigned_;
    adjoints_ = first;
    owned_ = owned_now;
    assigned_ = assigned_now;
    out_ = &item.body;
    settle(first_end);
    first = adjoints_;
    owned_now = owned_;
    assigned_now = assigned_;
    again = false;
    differing.clear();
    for (std::size_t index = 0; index < count; ++index) {
      if (same_value(settled[index], first[index]) && settled[index].lazy == first[index].lazy)
        continue;
      differing.push_back(variables_.symbol(index));
      again = true;
    }
    if (again) {
      adjoints_ = settled;
      owned_ = owned_second;
      assigned_ = assigned_second;
      out_ = &item.orelse;
    }
  }
  std::erase_if(assigned_, [&](Symbol name) { return !assigned_second.contains(name); });
  // An array is ours behind the branch if it is in both arms.
  for (auto it = owned_.begin(); it != owned_.end();) {
    it = owned_second.contains(*it) ? std::next(it) : owned_.erase(it);
  }
  out_ = outer;
  restore();
  out_->push_back(std::move(item));
}

}  // namespace tangent
