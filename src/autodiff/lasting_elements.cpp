// Elements that nothing stores into once they have been read: the backward part reads them where
// they are, and no tape keeps them.
//
//     for i in range(1, n):                for i in reversed(range(1, n)):
//         x[i] = r[i] * x[i - 1] ** 2          bx[i - 1] += 2 * bx[i] * r[i] * x[i - 1]
//
// In: the loops around the position, and how they run through the elements (element_order.h). What
// is read in such a loop is read of the array as it is behind the outermost loop that does not bind
// it anew. Where another position restores the array to what it was later in that loop, the
// elements are the same.
#include "analysis/element_order.h"
#include "autodiff/reverse.h"

namespace tangent {

// The outermost loop around the position that leaves the array's name alone.
std::optional<Position> Reverse::behind_elements(Symbol array, const Stmt** loop) {
  if (enclosing_.empty()) return std::nullopt;
  // What a body leaves to be written down is written in it when its statements are done.
  const bool is_within = position_.block != key_of(enclosing_.back().first);
  const std::size_t count = enclosing_.size() - (is_within ? 0 : 1);
  for (std::size_t level = 0; level < count; ++level) {
    const auto& [block, index] = enclosing_[level];
    const Stmt* statement = index < block.size() ? block[index] : nullptr;
    if (statement == nullptr || (!is<For>(statement) && !is<While>(statement))) continue;
    const auto [bound, is_new] = bound_by_loops_.try_emplace(statement);
    if (is_new) for_each_binding(statement, [&](Symbol symbol) { bound->second.insert(symbol); });
    if (bound->second.contains(array)) continue;
    if (loop != nullptr) *loop = statement;
    return Position{key_of(block), static_cast<std::uint32_t>(index + 1)};
  }
  return std::nullopt;
}

const ElementOrder* Reverse::order_of(Symbol array) {
  const bool keeps_snapshots = checkpoints_ != nullptr && !checkpoints_->loops.empty();
  if (!optimizations_.optimized || keeps_snapshots || !aliases_.is_written(array)) return nullptr;
  const Stmt* loop = nullptr;
  if (!behind_elements(array, &loop)) return nullptr;
  auto [found, is_new] = element_orders_[loop].try_emplace(array);
  if (!is_new) return found->second.get();
  if (!typing_.of(context_.local(array)).is_array()) return nullptr;
  // Only stores through the name itself.
  std::unordered_set<const Stmt*> inside;
  for_each_node(*loop, [&](const Node& node) {
    if (is_statement(node.kind)) inside.insert(static_cast<const Stmt*>(&node));
  });
  bool is_plain = true;
  aliases_.for_each_store([&](const Stmt* store) {
    if (!inside.contains(store)) return;
    const Subscript* place = stored_place(store);
    const Name* root = place != nullptr ? root_of(place) : nullptr;
    for (const Symbol stored : aliases_.stored_into(store)) {
      if (stored == array) {
        is_plain = is_plain && root != nullptr && root->symbol == array;
      } else {
        is_plain = is_plain && !stored.empty() && !aliases_.may_ever_share(stored, array);
      }
    }
  });
  if (!is_plain) return nullptr;
  found->second =
      std::make_unique<ElementOrder>(context_.list<const Stmt*>({loop}), array,
                                     [this](const Expr* value) { return typing_.of(value); });
  if (!found->second->reads_stay()) found->second.reset();
  return found->second.get();
}

// Where the backward part reads the array, if not where it is.
std::optional<Position> Reverse::lasting(Symbol array) {
  return order_of(array) != nullptr ? behind_elements(array, nullptr) : std::nullopt;
}

// Whether an element still holds what a statement stores there when the loops are done.
bool Reverse::holds_its_value(const Stmt* store, const Subscript* place, const Expr* value) {
  const Type type = typing_.of(place);
  const Type stored = typing_.of(value);
  if (!is_one_element(place) || type.dtype != DType::Float64 || !stored.is_number()) return false;
  const ElementOrder* order = order_of(root_of(place)->symbol);
  return order != nullptr && !order->is_stored_after(store);
}

}  // namespace tangent
