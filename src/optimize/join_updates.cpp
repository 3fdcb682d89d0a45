// Updates of one number that follow each other become one statement:
//
//     bx += a * bt
//     bx *= 1.1          ->   bx = 1.1 * (bx + a * bt)
//
// and, in the backward half of a function that stays a call, where the second value is such a call:
//
//     bx = by * y
//     bx += _g_backward(y_tape, by * x)    ->   bx = by * y + _g_backward(y_tape, by * x)
//
// A number is read and written once instead of twice. Arrays stay as they are: their updates work
// in place. Precondition: neither operand reads the number itself; the joined line stays short.
#include "analysis/variables.h"
#include "optimize/passes.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

constexpr std::size_t kLongestSum = 64;
constexpr std::size_t kLongestCalls = 88;

class JoinUpdates {
 public:
  JoinUpdates(const PassInput& input, bool sums) : input_(input), sums_(sums) {}

  Block block(Block statements) {
    return with_statements(
        input_.context, statements,
        [&](const Stmt* statement, std::vector<const Stmt*>& out) -> const Stmt* {
          const Stmt* now =
              with_blocks(input_.context, statement, [&](Block inner) { return block(inner); });
          return (sums_ ? add(out, now) : join(out, now)) ? nullptr : now;
        });
  }

 private:
  // v += e or v -= e, of a number that is an adjoint.
  const AugmentedAssign* update_of(const Stmt* statement, bool scales) const {
    const auto* update = as<AugmentedAssign>(statement);
    if (update == nullptr) return nullptr;
    const auto* name = as<Name>(update->target);
    if (name == nullptr || !input_.numbers.contains(name->symbol)) return nullptr;
    const bool scaling =
        update->op == BinaryOperator::Multiply || update->op == BinaryOperator::Divide;
    const bool adding = update->op == BinaryOperator::Add || update->op == BinaryOperator::Subtract;
    if ((scales && !scaling) || (!scales && !adding)) return nullptr;
    return mentions(update->value, name->symbol) ? nullptr : update;
  }

  bool join(std::vector<const Stmt*>& out, const Stmt* statement) {
    const AugmentedAssign* second = update_of(statement, true);
    if (second == nullptr || !input_.effects.is_pure(second->value)) return false;
    std::size_t place = out.size();
    while (place > 0 && is<Comment>(out[place - 1])) --place;
    if (place == 0) return false;
    const AugmentedAssign* first = update_of(out[place - 1], false);
    if (first == nullptr || !equal(first->target, second->target)) return false;
    Context& context = input_.context;
    const Expr* sum =
        context.make<BinaryOperation>(first->ranges, first->op, first->target, first->value);
    const bool divides = second->op == BinaryOperator::Divide;
    const Expr* joined =
        divides ? context.make<BinaryOperation>(second->ranges, second->op, sum, second->value)
                : context.make<BinaryOperation>(second->ranges, second->op, second->value, sum);
    const Stmt* result =
        context.assign(first->target, joined, context.merge(first->ranges, second->ranges));
    if (print(static_cast<const Node*>(result)).size() > kLongestSum) return false;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(place - 1));
    out.push_back(result);
    return true;
  }

  // v = a and v += b as v = a + b.
  bool add(std::vector<const Stmt*>& out, const Stmt* statement) {
    const AugmentedAssign* second = update_of(statement, false);
    if (second == nullptr) return false;
    std::size_t place = out.size();
    while (place > 0 && is<Comment>(out[place - 1])) --place;
    const auto* first = place > 0 ? as<Assign>(out[place - 1]) : nullptr;
    if (first == nullptr || !equal(first->targets[0], second->target)) return false;
    Context& context = input_.context;
    const Expr* sum =
        context.make<BinaryOperation>(second->ranges, second->op, first->value, second->value);
    const Stmt* result =
        context.assign(second->target, sum, context.merge(first->ranges, second->ranges));
    if (print(static_cast<const Node*>(result)).size() > kLongestCalls) return false;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(place - 1));
    out.push_back(result);
    return true;
  }

  const PassInput& input_;
  bool sums_;
};

}  // namespace

Block join_updates(Block body, const PassInput& input) {
  return JoinUpdates(input, false).block(body);
}

Block join_sums(Block body, const PassInput& input) { return JoinUpdates(input, true).block(body); }

}  // namespace tangent
