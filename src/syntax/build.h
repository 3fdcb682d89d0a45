// The context in which nodes are made: an arena, the names, and the count of ids.
//
// In: the fields of a node. Out: the node. A variant of a function builds in a context of its own,
// made from the context of the captured function: it shares the names and continues the ids, so
// that a side table keyed by id can hold nodes of both.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "syntax/nodes.h"

namespace tangent {

class Context {
 public:
  explicit Context(std::shared_ptr<Symbols> symbols) : symbols_(std::move(symbols)) {}
  Context(const Context& parent, int)
      : symbols_(parent.symbols_), next_id_(parent.next_id_), made_(parent.made_) {}
  // A context for a variant: new arena, same names, ids after the parent's.
  [[nodiscard]] std::unique_ptr<Context> child() const {
    return std::make_unique<Context>(*this, 0);
  }

  Arena& arena() { return arena_; }
  Symbol symbol(std::string_view text) { return symbols_->intern(text); }
  [[nodiscard]] const std::shared_ptr<Symbols>& symbols() const { return symbols_; }
  [[nodiscard]] NodeId id_bound() const { return next_id_; }  // every id so far is below this

  // Whether a node of a kind was ever made here: what there is none of needs no walk to find it.
  [[nodiscard]] bool has_made(Kind kind) const { return made_[static_cast<std::size_t>(kind)]; }

  // A new node of kind T with these ranges and fields (in the struct's order).
  template <class T, class... Fields>
  const T* make(Ranges ranges, Fields... fields) {
    T* node = arena_.make<T>();
    node->kind = kind_of<T>;
    node->id = next_id_++;
    node->ranges = ranges;
    made_[static_cast<std::size_t>(node->kind)] = true;
    set_fields(*node, std::make_index_sequence<sizeof...(Fields)>(), fields...);
    return node;
  }

  template <class T>
  List<T> list(const std::vector<T>& items) {
    return arena_.copy(items);
  }
  template <class T>
  List<T> list(std::initializer_list<T> items) {
    return arena_.copy(std::span<const T>(items.begin(), items.size()));
  }

  // Short forms of the nodes that passes make most.
  const Name* local(Symbol symbol, Ranges ranges = {}) {
    return make<Name>(ranges, symbol, Scope::Local);
  }
  const Name* global(Symbol symbol, Ranges ranges = {}) {
    return make<Name>(ranges, symbol, Scope::Global);
  }
  const Constant* integer(std::int64_t value, Ranges ranges = {}) {
    return make<Constant>(ranges, Literal{.kind = LiteralKind::Integer, .integer = value});
  }
  // As it is written: -3 is the negative of 3.
  const Expr* signed_integer(std::int64_t value, Ranges ranges = {}) {
    if (value >= 0) return integer(value, ranges);
    return make<UnaryOperation>(ranges, UnaryOperator::Minus,
                                static_cast<const Expr*>(integer(-value, ranges)));
  }
  const Constant* number(double value, Ranges ranges = {}) {
    return make<Constant>(ranges, Literal{.kind = LiteralKind::Float, .number = value});
  }
  const Constant* boolean(bool value, Ranges ranges = {}) {
    return make<Constant>(ranges, Literal{.kind = value ? LiteralKind::True : LiteralKind::False});
  }
  const Constant* none(Ranges ranges = {}) { return make<Constant>(ranges, Literal{}); }
  const Assign* assign(const Expr* target, const Expr* value, Ranges ranges = {}) {
    return make<Assign>(ranges, list<const Expr*>({target}), value);
  }

  // The ranges of both, without repeats, a's first.
  Ranges merge(Ranges a, Ranges b);

 private:
  template <class T, std::size_t... I, class... Fields>
  static void set_fields(T& node, std::index_sequence<I...>, Fields... fields) {
    constexpr auto members = T::fields();
    static_assert(sizeof...(I) == std::tuple_size_v<decltype(members)>,
                  "one value for every field");
    ((node.*std::get<I>(members) = fields), ...);
  }

  Arena arena_;
  std::shared_ptr<Symbols> symbols_;
  NodeId next_id_ = 0;
  std::array<bool, 128> made_ = {};  // by kind
};

// Facts about nodes, keyed by id: what a pass finds out stands here, not on the node.
template <class T>
class NodeTable {
 public:
  [[nodiscard]] const T* find(const Node* node) const {
    const std::uint32_t place = node->id < places_.size() ? places_[node->id] : 0;
    return place != 0 ? &items_[place - 1] : nullptr;
  }
  void set(const Node* node, T value) {
    if (node->id >= places_.size()) places_.resize(std::max<std::size_t>(node->id + 1, 256));
    std::uint32_t& place = places_[node->id];
    if (place != 0) {
      items_[place - 1] = std::move(value);
    } else {
      items_.push_back(std::move(value));
      place = static_cast<std::uint32_t>(items_.size());
    }
  }
  // The fact of a node, which is made where there is none yet; until the next one is made.
  T& get(const Node* node) {
    if (find(node) == nullptr) set(node, T());
    return items_[places_[node->id] - 1];
  }

 private:
  std::vector<T> items_;
  std::vector<std::uint32_t> places_;  // 1 + the place of a node's fact, 0: none
};

// A set of nodes, by id.
class NodeSet {
 public:
  [[nodiscard]] bool contains(const Node* node) const {
    return node->id / 64 < words_.size() && (words_[node->id / 64] >> (node->id % 64) & 1) != 0;
  }
  void insert(const Node* node) {
    if (node->id / 64 >= words_.size()) words_.resize(std::max<std::size_t>(node->id / 64 + 1, 8));
    words_[node->id / 64] |= std::uint64_t{1} << (node->id % 64);
  }
  void clear() { words_.assign(words_.size(), 0); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace tangent
