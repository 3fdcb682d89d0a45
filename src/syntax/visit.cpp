// Children, rewriting, structural equality and hash of nodes, from the fields that each kind lists.
//
// In: nodes of any kind. Out: see visit.h. Equality and hash walk with a stack of their own: a sum
// of thousands of terms is a tree as deep, and must not overflow the machine's stack.
#include "syntax/visit.h"

#include <bit>
#include <type_traits>

namespace tangent {

bool operator==(const Literal& a, const Literal& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case LiteralKind::None:
    case LiteralKind::False:
    case LiteralKind::True:
    case LiteralKind::Ellipsis:
      return true;
    case LiteralKind::Integer:
      return a.integer == b.integer;
    case LiteralKind::Float:
    case LiteralKind::Imaginary:
      // By bits: 0.0 and -0.0 are different programs, and a NaN is the same program as itself.
      return std::bit_cast<std::uint64_t>(a.number) == std::bit_cast<std::uint64_t>(b.number);
    case LiteralKind::BigInteger:
    case LiteralKind::String:
    case LiteralKind::Bytes:
      return a.text == b.text;
  }
  throw InternalError("a literal of no kind");
}

namespace {

template <class Field>
constexpr bool is_child = false;
template <class T>
constexpr bool is_child<const T*> = std::is_base_of_v<Node, T>;
template <class Field>
constexpr bool is_children = false;
template <class T>
constexpr bool is_children<List<T>> = is_child<T>;

template <class T>
bool same_value(const T& a, const T& b) {
  return a == b;
}
template <class T>
bool same_value(const List<T>& a, const List<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}

struct NodePair {
  const Node* a;
  const Node* b;
};

// Compares the nodes' own fields and puts their children on the stack.
bool same_fields(const Node& a, const Node& b, SmallStack<NodePair>& pending) {
  return dispatch(a, [&](const auto& left) {
    using T = std::remove_cvref_t<decltype(left)>;
    const auto& right = static_cast<const T&>(b);
    const auto compare = [&](const auto& x, const auto& y) {
      using Field = std::remove_cvref_t<decltype(x)>;
      if constexpr (is_child<Field>) {
        pending.push({x, y});
      } else if constexpr (is_children<Field>) {
        if (x.size() != y.size()) return false;
        for (std::size_t i = 0; i < x.size(); ++i) pending.push({x[i], y[i]});
      } else {
        return same_value(x, y);
      }
      return true;
    };
    return std::apply(
        [&](auto... members) { return (compare(left.*members, right.*members) && ...); },
        T::fields());
  });
}

class Hasher {
 public:
  void mix(std::uint64_t value) {
    state_ ^= value + 0x9E3779B97F4A7C15U + (state_ << 6U) + (state_ >> 2U);
    state_ *= 0xFF51AFD7ED558CCDU;
    state_ ^= state_ >> 32U;
  }

  template <class T>
  void value(const T& item) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      mix(static_cast<std::uint64_t>(item));
    } else {
      mix(std::hash<T>()(item));
    }
  }
  template <class T>
  void value(const List<T>& items) {
    mix(items.size());
    for (const T& item : items) value(item);
  }
  void value(const Literal& literal) {
    value(literal.kind);
    switch (literal.kind) {
      case LiteralKind::Integer:
        return value(literal.integer);
      case LiteralKind::Float:
      case LiteralKind::Imaginary:
        return mix(std::bit_cast<std::uint64_t>(literal.number));
      case LiteralKind::BigInteger:
      case LiteralKind::String:
      case LiteralKind::Bytes:
        return value(literal.text);
      case LiteralKind::None:
      case LiteralKind::False:
      case LiteralKind::True:
      case LiteralKind::Ellipsis:
        return;
    }
  }

  [[nodiscard]] std::size_t result() const { return state_; }

 private:
  std::uint64_t state_ = 0x2545F4914F6CDD1DU;
};

}  // namespace

void for_each_child(const Node& node, FunctionView<void(const Node*)> f) {
  dispatch(node, [f](const auto& it) {
    using T = std::remove_cvref_t<decltype(it)>;
    [[maybe_unused]] const auto visit = [f](const auto& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      if constexpr (is_child<Field>) {
        if (field != nullptr) f(field);
      } else if constexpr (is_children<Field>) {
        for (const Node* child : field) {
          if (child != nullptr) f(child);
        }
      }
    };
    std::apply([&](auto... members) { (visit(it.*members), ...); }, T::fields());
  });
}

const Node* find_node(const Node* root, FunctionView<bool(const Node*)> f) {
  SmallStack<const Node*> pending(root);
  while (!pending.empty()) {
    const Node* node = pending.pop();
    if (f(node)) return node;
    const std::size_t mark = pending.size();
    push_children(pending, *node);
    pending.reverse_from(mark);
  }
  return nullptr;
}

bool holds(const Node* root, Kind kind) {
  return find_node(root, [kind](const Node* node) { return node->kind == kind; }) != nullptr;
}

const Stmt* with_blocks(Context& context, const Stmt* statement, FunctionView<Block(Block)> f) {
  if (const auto* branch = as<If>(statement)) {
    const Block body = f(branch->body);
    const Block orelse = f(branch->orelse);
    if (body.data() == branch->body.data() && orelse.data() == branch->orelse.data())
      return statement;
    return context.make<If>(branch->ranges, branch->test, body, orelse);
  }
  if (const auto* loop = as<For>(statement)) {
    const Block body = f(loop->body);
    if (body.data() == loop->body.data()) return statement;
    return context.make<For>(loop->ranges, loop->target, loop->iterable, body, loop->orelse,
                             loop->is_async);
  }
  if (const auto* repeat = as<While>(statement)) {
    const Block body = f(repeat->body);
    if (body.data() == repeat->body.data()) return statement;
    return context.make<While>(repeat->ranges, repeat->test, body, repeat->orelse);
  }
  return statement;
}

Block with_statements(Context& context, Block block,
                      FunctionView<const Stmt*(const Stmt*, std::vector<const Stmt*>&)> f) {
  std::vector<const Stmt*> out;
  bool changed = false;
  for (const Stmt* statement : block) {
    const std::size_t before = out.size();
    const Stmt* now = f(statement, out);
    changed = changed || now != statement || out.size() != before;
    if (now != nullptr) out.push_back(now);
  }
  return changed ? context.list(out) : block;
}

Block with_inner_blocks(Context& context, Block block, FunctionView<Block(Block)> f) {
  return with_statements(context, block,
                         [&](const Stmt* statement, std::vector<const Stmt*>& /*before*/) {
                           return with_blocks(context, statement, f);
                         });
}

const Node* rewrite_children(Context& context, const Node& node,
                             FunctionView<const Node*(const Node*)> f) {
  return dispatch(node, [&](const auto& it) -> const Node* {
    using T = std::remove_cvref_t<decltype(it)>;
    bool changed = false;
    [[maybe_unused]] const auto rewrite = [&](const auto& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      if constexpr (is_child<Field>) {
        if (field == nullptr) return field;
        const auto* now = static_cast<Field>(f(field));
        changed = changed || now != field;
        return now;
      } else if constexpr (is_children<Field>) {
        std::vector<typename Field::value_type> items;  // once one has changed
        for (std::size_t k = 0; k < field.size(); ++k) {
          const auto* child = field[k];
          const auto* now = child == nullptr ? child : static_cast<decltype(child)>(f(child));
          if (items.empty()) {
            if (now == child) continue;
            items.reserve(field.size());
            items.assign(field.begin(), field.begin() + static_cast<std::ptrdiff_t>(k));
          }
          items.push_back(now);
        }
        if (items.empty()) return field;
        changed = true;
        return Field(context.list(items));
      } else {
        return field;
      }
    };
    return std::apply(
        [&](auto... members) -> const Node* {
          // Braces: the fields are rewritten in their order.
          const std::tuple fields{rewrite(it.*members)...};
          if (!changed) return &it;
          return std::apply([&](auto... values) { return context.make<T>(it.ranges, values...); },
                            fields);
        },
        T::fields());
  });
}

bool equal(const Node* a, const Node* b) {
  SmallStack<NodePair> pending({a, b});
  while (!pending.empty()) {
    const auto [left, right] = pending.pop();
    if (left == right) continue;
    if (left == nullptr || right == nullptr || left->kind != right->kind) return false;
    if (!same_fields(*left, *right, pending)) return false;
  }
  return true;
}

std::size_t hash(const Node* node) {
  // The nodes are mixed in one fixed order with the lengths of their lists: two trees that give
  // the same sequence are equal, so no hash per subtree is needed.
  Hasher hasher;
  SmallStack<const Node*> pending(node);
  while (!pending.empty()) {
    const Node* current = pending.pop();
    if (current == nullptr) {
      hasher.mix(~std::uint64_t{0});
      continue;
    }
    hasher.value(current->kind);
    dispatch(*current, [&](const auto& it) {
      using T = std::remove_cvref_t<decltype(it)>;
      const auto visit = [&](const auto& field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        if constexpr (is_child<Field>) {
          pending.push(field);
        } else if constexpr (is_children<Field>) {
          hasher.mix(field.size());
          for (const Node* child : field) pending.push(child);
        } else {
          hasher.value(field);
        }
      };
      std::apply([&](auto... members) { (visit(it.*members), ...); }, T::fields());
    });
  }
  return hasher.result();
}

}  // namespace tangent
