// Walking nodes: exhaustive dispatch, children in source order, and rewriting that keeps what is
// unchanged.
//
//   dispatch(node, overloaded{...})  calls f with the node as its own struct; a kind without an
//   overload does
//                                    not compile, a `const Node&` overload makes the visitor silent
//                                    by default
//   for_each_child(node, f)          f(const Node*) for every non-null child in the order of the
//   fields rewrite_children(context, node, f)  the node with every child replaced by f(child); the
//   same node (the
//                                    same pointer) if no child changed, so "changed" is a pointer
//                                    comparison
//   equal(a, b), hash(node)          by structure, without ids and ranges
#pragma once

#include <type_traits>

#include "base/diagnostics.h"
#include "syntax/build.h"
#include "syntax/nodes.h"

namespace tangent {

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

template <class F>
decltype(auto) dispatch(const Node& node, F&& f) {
  switch (node.kind) {
#define TANGENT_CASE(name) \
  case Kind::name:         \
    return f(static_cast<const name&>(node));
#define TANGENT_EXPRESSION(kind) TANGENT_CASE(kind)
#define TANGENT_STATEMENT(kind) TANGENT_CASE(kind)
#define TANGENT_PART(kind) TANGENT_CASE(kind)
#include "syntax/nodes.def"
#undef TANGENT_CASE
  }
  throw InternalError("a node of no kind");
}

namespace detail {
template <class T>
struct is_node_pointer : std::false_type {};
template <class T>
struct is_node_pointer<const T*> : std::is_base_of<Node, T> {};
template <class T>
struct is_node_list : std::false_type {};
template <class T>
struct is_node_list<List<T>> : is_node_pointer<T> {};
}  // namespace detail

template <class F>
void for_each_child(const Node& node, F&& f) {
  dispatch(node, [&](const auto& it) {
    using T = std::remove_cvref_t<decltype(it)>;
    std::apply(
        [&](auto... members) {
          [[maybe_unused]] auto visit = [&](const auto& field) {
            using Field = std::remove_cvref_t<decltype(field)>;
            if constexpr (detail::is_node_pointer<Field>::value) {
              if (field != nullptr) f(static_cast<const Node*>(field));
            } else if constexpr (detail::is_node_list<Field>::value) {
              for (const auto* child : field) {
                if (child != nullptr) f(static_cast<const Node*>(child));
              }
            }
          };
          (visit(it.*members), ...);
        },
        T::fields());
  });
}

// f(const Node*) -> const Node* of a kind that fits the field (an expression for an expression, …).
template <class F>
const Node* rewrite_children(Context& context, const Node& node, F&& f) {
  return dispatch(node, [&](const auto& it) -> const Node* {
    using T = std::remove_cvref_t<decltype(it)>;
    return std::apply(
        [&](auto... members) -> const Node* {
          bool changed = false;
          [[maybe_unused]] auto rewrite = [&](const auto& field) {
            using Field = std::remove_cvref_t<decltype(field)>;
            if constexpr (detail::is_node_pointer<Field>::value) {
              if (field == nullptr) return field;
              auto now = static_cast<Field>(f(static_cast<const Node*>(field)));
              changed = changed || now != field;
              return now;
            } else if constexpr (detail::is_node_list<Field>::value) {
              std::vector<typename Field::value_type> items;
              bool moved = false;
              items.reserve(field.size());
              for (const auto* child : field) {
                auto now = child == nullptr
                               ? child
                               : static_cast<decltype(child)>(f(static_cast<const Node*>(child)));
                moved = moved || now != child;
                items.push_back(now);
              }
              if (!moved) return field;
              changed = true;
              return Field(context.list(items));
            } else {
              return field;
            }
          };
          std::tuple fields{rewrite(it.*members)...};
          if (!changed) return &it;
          return std::apply([&](auto... values) { return context.make<T>(it.ranges, values...); },
                            fields);
        },
        T::fields());
  });
}

bool equal(const Node* a, const Node* b);
std::size_t hash(const Node* node);

}  // namespace tangent
