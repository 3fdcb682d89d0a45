// The first contribution to a part of an adjoint that was just made of zeros is stored, not added:
//
//     bx = np.zeros_like(x)              bx = np.zeros_like(x)
//     bx[1:] += a * b             ->     bx[1:] = a * b
//     bx[0] -= c                         bx[0] -= c
//
// So the zeros are not read to be added to. In: the adjoint program. Out: the same with the first
// store into each such array, and into further elements by other constants, as assignments. What
// reads the array, or stores into it in another way, ends the search.
#include <algorithm>

#include "analysis/variables.h"
#include "optimize/negative.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

// The adjoint that a statement makes of zeros, or an empty name.
Symbol made_of_zeros(const Stmt* statement, const PassInput& input) {
  const auto* assign = as<Assign>(statement);
  const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
  const auto* call = assign != nullptr ? as<Call>(assign->value) : nullptr;
  if (target == nullptr || call == nullptr || !input.adjoints.contains(target->symbol)) return {};
  const std::string_view callee = call->callee.text();
  return callee == "numpy.zeros_like" || callee == "numpy.zeros" ? target->symbol : Symbol();
}

// The part of an array that a statement adds to or takes from, if that is all it does with it.
const Subscript* part_of(const Stmt* statement, Symbol array) {
  const auto* update = as<AugmentedAssign>(statement);
  if (update == nullptr ||
      (update->op != BinaryOperator::Add && update->op != BinaryOperator::Subtract))
    return nullptr;
  const auto* place = as<Subscript>(update->target);
  const auto* root = place != nullptr ? as<Name>(place->value) : nullptr;
  if (root == nullptr || root->symbol != array) return nullptr;
  return mentions(place->index, array) || mentions(update->value, array) ? nullptr : place;
}

bool is_other_constant(const Expr* index, const Expr* other) {
  const auto* a = as<Constant>(index);
  const auto* b = as<Constant>(other);
  // Of one sign: -1 may be any of the others.
  return a != nullptr && b != nullptr && a->value.kind == LiteralKind::Integer &&
         b->value.kind == LiteralKind::Integer && a->value.integer != b->value.integer &&
         (a->value.integer < 0) == (b->value.integer < 0);
}

class FirstStores {
 public:
  explicit FirstStores(const PassInput& input) : input_(input) {}

  Block block(Block statements) {
    const Block within =
        with_inner_blocks(input_.context, statements, [&](Block inner) { return block(inner); });
    std::vector<const Stmt*> out(within.begin(), within.end());
    bool changed = false;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const Symbol array = made_of_zeros(out[k], input_);
      if (!array.empty()) changed = store(out, k + 1, array) || changed;
    }
    return changed ? input_.context.list(out) : within;
  }

 private:
  bool store(std::vector<const Stmt*>& list, std::size_t k, Symbol array) {
    std::vector<const Expr*> stored;
    for (; k < list.size(); ++k) {
      if (const Subscript* place = part_of(list[k], array)) {
        const bool first = std::ranges::all_of(
            stored, [&](const Expr* other) { return is_other_constant(place->index, other); });
        if (!first) break;
        const auto* update = static_cast<const AugmentedAssign*>(list[k]);
        list[k] = input_.context.assign(place,
                                        update->op == BinaryOperator::Add
                                            ? update->value
                                            : negative_of(input_.context, update->value),
                                        update->ranges);
        stored.push_back(place->index);
        continue;
      }
      bool touches = false;
      for_each_definition(list[k], [&](Symbol symbol) { touches = touches || symbol == array; });
      if (touches || mentions(list[k], array)) break;
    }
    return !stored.empty();
  }

  const PassInput& input_;
};

}  // namespace

Block first_stores(Block body, const PassInput& input) {
  if (!input.context.has_made(Kind::Subscript)) return body;
  return FirstStores(input).block(body);
}

}  // namespace tangent
