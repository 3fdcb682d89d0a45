// What is stored into an element of an adjoint that nothing touches afterwards is not stored:
//
//     for i in reversed(range(1, n)):      for i in reversed(range(1, n)):
//         bnew = bx[i]                         bnew = bx[i]
//         bx[i] = 0.0                 ->       bx[i - 1] += bnew * r[i]
//         bx[i - 1] += bnew * r[i]
//
// and what is added to an element of zeros that nothing touched before is stored:
//
//     br = np.zeros_like(r)                br = np.zeros_like(r)
//     for i in range(n):              ->   for i in range(n):
//         br[i] += bnew * x[i]                 br[i] = bnew * x[i]
//
// In: the adjoint program. Out: the same without such stores. Which elements accesses touch, and in
// which order, says analysis/element_order.h. An array is looked at from where it is made to the
// end of that block, if nothing outside knows it.
#include "analysis/element_order.h"
#include "analysis/variables.h"
#include "optimize/negative.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

class DeadElements {
 public:
  explicit DeadElements(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    count(body);
    look(body, true);
    return changed_.empty() ? body : rewrite(body);
  }

 private:
  void count(Block body) {
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) ++mentions_[name->symbol];
      });
    }
  }

  int mentions_in(Block block, Symbol array) const {
    int found = 0;
    for (const Stmt* statement : block) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* name = as<Name>(&node);
        found += name != nullptr && name->symbol == array ? 1 : 0;
      });
    }
    return found;
  }

  void look(Block block, bool is_whole) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      if (const auto* branch = as<If>(block[k])) {
        look(branch->body, false);
        look(branch->orelse, false);
      } else if (const auto* loop = as<For>(block[k])) {
        look(loop->body, false);
      } else if (const auto* repeat = as<While>(block[k])) {
        look(repeat->body, false);
      }
      bool of_zeros = false;
      const Symbol array = made_here(block[k], of_zeros);
      if (array.empty()) continue;
      const Block rest = block.subspan(k);
      if (!is_whole && mentions_in(rest, array) != mentions_.at(array)) continue;
      settle(block.subspan(k + 1), array, of_zeros);
    }
  }

  // The adjoint that a statement makes an array of its own.
  Symbol made_here(const Stmt* statement, bool& of_zeros) const {
    const auto* assign = as<Assign>(statement);
    const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    if (target == nullptr || !input_.adjoints.contains(target->symbol)) return {};
    if (!input_.type_of(target).is_array()) return {};
    const auto* call = as<Call>(assign->value);
    if (call == nullptr) return is<BinaryOperation>(assign->value) ? target->symbol : Symbol();
    const std::string_view callee = call->callee.text();
    of_zeros = callee == "numpy.zeros_like" || callee == "numpy.zeros";
    return of_zeros || callee == "numpy.full_like" || callee == "numpy.copy" ? target->symbol
                                                                             : Symbol();
  }

  void settle(Block region, Symbol array, bool of_zeros) {
    std::vector<const Stmt*> stores;
    bool in_loops = false;
    for (const Stmt* statement : region) {
      const bool is_loop = is<For>(statement) || is<While>(statement);
      for_each_node(*statement, [&](const Node& node) {
        if (!is_statement(node.kind)) return;
        const auto* store = static_cast<const Stmt*>(&node);
        const Subscript* place = stored_place(store);
        const Name* root = place != nullptr ? root_of(place) : nullptr;
        if (root == nullptr || root->symbol != array || changed_.contains(store)) return;
        if (!input_.type_of(place).is_number() || mentions(place->index, array)) return;
        in_loops = in_loops || is_loop;
        if (is_zero(store) || (of_zeros && is_addition(store, array))) stores.push_back(store);
      });
    }
    // Outside of loops first_stores.cpp does it.
    if (stores.empty() || !in_loops) return;
    const ElementOrder order(region, array, input_.type_of);
    for (const Stmt* store : stores) {
      const auto* update = as<AugmentedAssign>(store);
      if (update == nullptr) {
        if (!order.is_touched_after(store)) changed_.emplace(store, nullptr);
      } else if (!order.is_touched_before(store)) {
        const Expr* value = update->op == BinaryOperator::Add
                                ? update->value
                                : negative_of(input_.context, update->value);
        changed_.emplace(store, input_.context.assign(update->target, value, update->ranges));
      }
    }
  }

  static bool is_zero(const Stmt* store) {
    const auto* assign = as<Assign>(store);
    const auto* value = assign != nullptr ? as<Constant>(assign->value) : nullptr;
    return value != nullptr && value->value.kind == LiteralKind::Float &&
           value->value.number == 0.0;
  }

  static bool is_addition(const Stmt* store, Symbol array) {
    const auto* update = as<AugmentedAssign>(store);
    return update != nullptr && !mentions(update->value, array) &&
           (update->op == BinaryOperator::Add || update->op == BinaryOperator::Subtract);
  }

  Block rewrite(Block block) {
    std::vector<const Stmt*> out;
    bool is_changed = false;
    for (const Stmt* statement : block) {
      const auto found = changed_.find(statement);
      const Stmt* now =
          found != changed_.end()
              ? found->second
              : with_blocks(input_.context, statement, [&](Block inner) { return rewrite(inner); });
      is_changed = is_changed || now != statement;
      if (now != nullptr) out.push_back(now);
    }
    return is_changed ? input_.context.list(out) : block;
  }

  const PassInput& input_;
  std::unordered_map<Symbol, int> mentions_;
  std::unordered_map<const Stmt*, const Stmt*> changed_;  // null: goes
};

}  // namespace

Block remove_dead_elements(Block body, const PassInput& input) {
  if (!input.context.has_made(Kind::Subscript)) return body;
  return DeadElements(input).run(body);
}

}  // namespace tangent
