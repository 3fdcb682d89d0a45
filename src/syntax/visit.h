// Walking nodes: exhaustive dispatch, children in source order, and rewriting that keeps what is
// unchanged.
//
//   dispatch(node, overloaded{...})
//       calls f with the node as its own struct; a kind without an overload does not compile, a
//       `const Node&` overload makes the visitor silent by default
//   for_each_child(node, f)
//       f(const Node*) for every non-null child in the order of the fields
//   find_node(node, f)
//       the first node of a tree for which f(const Node*) is true
//   with_blocks(context, statement, f)
//       the statement with f(Block) for the blocks of an `if` or a loop
//   with_statements(context, block, f)
//       the block with f(statement, out) for each statement, which may put others in front of it
//   rewrite_children(context, node, f)
//       the node with every child replaced by f(child); the same node (the same pointer) if no
//       child changed, so "changed" is a pointer comparison
//   equal(a, b), hash(node)
//       by structure, without ids and ranges
//
// All but dispatch are compiled once, in visit.cpp: a copy per caller for every kind of node is
// most of what the compiler would do.
#pragma once

#include "base/diagnostics.h"
#include "base/function_view.h"
#include "base/small_stack.h"
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

void for_each_child(const Node& node, FunctionView<void(const Node*)> f);

// What most nodes are: a name or a constant, without children.
inline bool is_leaf(const Node& node) {
  return node.kind == Kind::Name || node.kind == Kind::Constant;
}

// Puts the children of a node on a stack in the order of the source. What most nodes with children
// are goes by hand: walks of whole programs are many, and consist of this.
template <std::size_t Near>
void push_children(SmallStack<const Node*, Near>& stack, const Node& node) {
  if (const auto* operation = as<BinaryOperation>(&node)) {
    stack.push(operation->left);
    stack.push(operation->right);
  } else if (!is_leaf(node)) {
    for_each_child(node, [&](const Node* child) { stack.push(child); });
  }
}

// The first for which f is true, of a node and all below it, parents first in the order of the
// source; null if there is none. Does not recurse, however deep the tree is.
const Node* find_node(const Node* root, FunctionView<bool(const Node*)> f);

// Whether a node or anything below it is of this kind.
bool holds(const Node* root, Kind kind);

// A statement with other blocks inside: f(Block) for each block of an `if` or a loop. The same
// statement if f gives the same blocks back, or if it has none.
const Stmt* with_blocks(Context& context, const Stmt* statement, FunctionView<Block(Block)> f);

// A block with other statements: f(statement, out) gives what comes in place of a statement (null:
// nothing), and may put others in front of it, into `out`, or change what stands there. The same
// block if f gives the same statements back and adds none.
Block with_statements(Context& context, Block block,
                      FunctionView<const Stmt*(const Stmt*, std::vector<const Stmt*>&)> f);

// A block with other blocks inside of its statements; the same block if f gives all of them back.
Block with_inner_blocks(Context& context, Block block, FunctionView<Block(Block)> f);

// f gives a node of a kind that fits the field (an expression for an expression, …).
const Node* rewrite_children(Context& context, const Node& node,
                             FunctionView<const Node*(const Node*)> f);

// Calls f(const Node&) for a node and all below it, in no order. Not by recursion: sums are long.
template <class F>
void for_each_node(const Node& top, F&& f) {
  SmallStack<const Node*> open(&top);
  while (!open.empty()) {
    const Node* node = open.pop();
    f(*node);
    push_children(open, *node);
  }
}

bool equal(const Node* a, const Node* b);
std::size_t hash(const Node* node);

}  // namespace tangent
