// Contributions to one element of an adjoint become one store:
//
//     bx[i] = 0.0                                bx[i] += a
//     bx[i] += a * bnew                          bx[j] += b            bx[i] += a - c
//                        ->  bx[i] = a * bnew    bx[i] -= c    ->      bx[j] += b
//
// and a part that is cleared and then added to becomes one store: `bx[:] = 0.0` and `bx[:] += e`.
//
// Contributions are sums, so that they may change places with each other, also where two indices
// are the same. A joined store stands where the first stood if what it reads is there already,
// else where the last stood, if no contribution between can be to the same element after a store
// that clears it. Preconditions: nothing between reads the array or writes it otherwise; what is
// taken from tapes stays where it is.
#include "analysis/variables.h"
#include "optimize/passes.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

constexpr std::size_t kLongestJoined = 84;

// Whether two indices surely name two elements. Names with different offsets do not: `u[i - 1]` is
// `u[i]` in an array of one element.
bool differ(const Expr* a, const Expr* b) {
  const auto* first = as<Constant>(a);
  const auto* second = as<Constant>(b);
  return first != nullptr && second != nullptr && first->value.kind == LiteralKind::Integer &&
         second->value.kind == LiteralKind::Integer &&
         first->value.integer != second->value.integer;
}

bool is_array_copy(const Expr* value) {
  const auto* call = as<Call>(value);
  return call != nullptr && call->callee.text() == "numpy.copy";
}

class JoinElements {
 public:
  explicit JoinElements(const PassInput& input) : input_(input) {}

  Block block(Block statements) {
    const Block within =
        with_inner_blocks(input_.context, statements, [&](Block inner) { return block(inner); });
    std::vector<const Stmt*> out(within.begin(), within.end());
    bool changed = false;
    for (std::size_t k = 1; k < out.size(); ++k) {
      if (!join(out, k) && !fill(out, k)) continue;
      changed = true;
      k = std::max<std::size_t>(k, 2) - 2;  // the joined store may be joined again
    }
    return changed ? input_.context.list(out) : within;
  }

 private:
  static bool adds(const AugmentedAssign* update) {
    return update->op == BinaryOperator::Add || update->op == BinaryOperator::Subtract;
  }

  // b[i] += e or b[i] -= e, of an adjoint and one element; null if it is something else.
  const AugmentedAssign* contribution(const Stmt* statement) const {
    const auto* update = as<AugmentedAssign>(statement);
    if (update == nullptr || !adds(update)) return nullptr;
    const auto* place = as<Subscript>(update->target);
    if (place == nullptr || input_.forward.contains(statement)) return nullptr;
    const Name* root = root_of(place);
    if (root == nullptr || !input_.adjoints.contains(root->symbol)) return nullptr;
    if (!input_.type_of(place).is_number() || mentions(update->value, root->symbol)) return nullptr;
    return update;
  }

  // Whether what an expression reads may change in a statement.
  static bool changes(const Stmt* statement, const Expr* value) {
    bool found = false;
    for_each_definition(statement,
                        [&](Symbol symbol) { found = found || mentions(value, symbol); });
    return found;
  }

  // Whether a place is another one after a statement. A contribution to the array does not move it.
  static bool moves(const Stmt* statement, const Subscript* place) {
    const Symbol array = root_of(place)->symbol;
    bool found = false;
    for_each_definition(statement, [&](Symbol symbol) {
      found = found || (symbol != array && mentions(place, symbol));
    });
    return found;
  }

  bool join(std::vector<const Stmt*>& list, std::size_t k) {
    const AugmentedAssign* last = contribution(list[k]);
    if (last == nullptr) return false;
    const auto* place = static_cast<const Subscript*>(last->target);
    const Symbol array = root_of(place)->symbol;
    bool early = !holds(last->value, Kind::Pop);  // the last may move to where the first is
    bool late = true;                             // the first may move to where the last is
    bool distinct = true;                         // everything between goes to other elements
    for (std::size_t j = k; j-- > 0;) {
      const Stmt* before = list[j];
      if (is<Comment>(before)) continue;
      const bool plain = is<Assign>(before) || is<AugmentedAssign>(before);
      if (!plain) return false;
      const Expr* first_target = nullptr;
      const Expr* first_value = nullptr;
      const auto* assign = as<Assign>(before);
      const AugmentedAssign* update = contribution(before);
      if (assign != nullptr && equal(assign->targets[0], place)) {
        first_target = assign->targets[0];
        first_value = assign->value;
      } else if (update != nullptr && equal(update->target, place)) {
        first_target = update->target;
        first_value = update->value;
      }
      if (first_target != nullptr) {
        if (mentions(first_value, array)) return false;
        const bool clears = assign != nullptr;
        late = late && !holds(first_value, Kind::Pop) && (!clears || distinct);
        for (std::size_t between = j + 1; between < k; ++between) {
          if (is<Comment>(list[between])) continue;
          late = late && !changes(list[between], first_value) && !moves(list[between], place);
        }
        if (!early && !late) return false;
        return put(list, j, k, early);
      }
      early = early && !changes(before, last->value) && !moves(before, place);
      if (update != nullptr && root_of(update->target)->symbol == array) {
        distinct = distinct && is<Name>(as<Subscript>(update->target)->value) &&
                   is<Name>(place->value) &&
                   differ(as<Subscript>(update->target)->index, place->index);
        continue;
      }
      if (mentions(before, array)) return false;
      if (!early && !late) return false;
    }
    return false;
  }

  // A part of an array that was cleared right in front of its contribution.
  bool fill(std::vector<const Stmt*>& list, std::size_t k) {
    const auto* update = as<AugmentedAssign>(list[k]);
    if (update == nullptr || !adds(update) || input_.forward.contains(update)) return false;
    const auto* place = as<Subscript>(update->target);
    const Name* root = place != nullptr ? root_of(place) : nullptr;
    if (root == nullptr || !input_.adjoints.contains(root->symbol)) return false;
    std::size_t behind = k;
    while (behind > 0 && is<Comment>(list[behind - 1])) --behind;
    if (behind == 0) return false;
    const std::size_t j = behind - 1;
    const auto* clear = as<Assign>(list[j]);
    if (clear == nullptr || !equal(clear->targets[0], place) || !is_zero(clear->value))
      return false;
    bool apart = true;
    for_each_read(update->value, [&](Symbol read) { apart = apart && is_apart(read, list, j); });
    return apart && put(list, j, k, true);
  }

  // Whether clearing an adjoint leaves a name as it is: all but adjoints that may be views of it.
  bool is_apart(Symbol symbol, const std::vector<const Stmt*>& list, std::size_t before) const {
    if (!input_.adjoints.contains(symbol) || input_.numbers.contains(symbol)) return true;
    while (before-- > 0) {
      const auto* assign = as<Assign>(list[before]);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (target != nullptr && target->symbol == symbol) return is_array_copy(assign->value);
      bool changes = false;
      for_each_definition(list[before],
                          [&](Symbol bound) { changes = changes || bound == symbol; });
      if (changes) return false;
    }
    return false;
  }

  bool put(std::vector<const Stmt*>& list, std::size_t j, std::size_t k, bool early) {
    Context& context = input_.context;
    const auto* last = static_cast<const AugmentedAssign*>(list[k]);
    const auto* assign = as<Assign>(list[j]);
    const auto* first = as<AugmentedAssign>(list[j]);
    const Ranges ranges = context.merge(list[j]->ranges, list[k]->ranges);
    const bool last_adds = last->op == BinaryOperator::Add;
    const Stmt* result = nullptr;
    if (assign != nullptr) {
      const Expr* sum = joined(assign->value, last->value, last_adds);
      result = context.assign(last->target, sum, ranges);
    } else {
      const bool first_adds = first->op == BinaryOperator::Add;
      const bool negative = !first_adds && !last_adds;
      const Expr* sum = first_adds || negative
                            ? joined(first->value, last->value, negative || last_adds)
                            : joined(last->value, first->value, false);
      result = context.make<AugmentedAssign>(
          ranges, last->target, negative ? BinaryOperator::Subtract : BinaryOperator::Add, sum);
    }
    const bool was_clear = assign != nullptr && is_zero(assign->value);
    if (!was_clear && print(static_cast<const Node*>(result)).size() > kLongestJoined) return false;
    list[early ? j : k] = result;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(early ? k : j));
    return true;
  }

  static bool is_zero(const Expr* value) {
    const auto* constant = as<Constant>(value);
    return constant != nullptr && constant->value.kind == LiteralKind::Float &&
           constant->value.number == 0.0;
  }

  // The sign goes to the first factor: -a * b needs no parentheses.
  const Expr* negative(const Expr* value) {
    Context& context = input_.context;
    const auto* product = as<BinaryOperation>(value);
    if (product != nullptr &&
        (product->op == BinaryOperator::Multiply || product->op == BinaryOperator::Divide)) {
      return context.make<BinaryOperation>(value->ranges, product->op, negative(product->left),
                                           product->right);
    }
    return context.make<UnaryOperation>(value->ranges, UnaryOperator::Minus, value);
  }

  const Expr* joined(const Expr* first, const Expr* second, bool adds) {
    Context& context = input_.context;
    if (is_zero(first)) {
      return adds ? second : negative(second);
    }
    return context.make<BinaryOperation>({}, adds ? BinaryOperator::Add : BinaryOperator::Subtract,
                                         first, second);
  }

  const PassInput& input_;
};

}  // namespace

Block join_elements(Block body, const PassInput& input) {
  if (!input.context.has_made(Kind::Subscript)) return body;
  return JoinElements(input).block(body);
}

}  // namespace tangent
