// Which arguments of `def g(…): return e` may stand where e reads their parameters.
//
// An argument that is neither a name nor a constant may, if e reads its parameter exactly once and
// always, and if everything is still evaluated in an order that cannot be told from Python's: the
// arguments among each other as they stand in the call, and calls that may print, draw or raise on
// purpose never before an argument that Python evaluates first.
#include <algorithm>
#include <unordered_map>

#include "lower/lowering.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

struct Read {
  std::size_t argument;
  bool conditional;
  bool after_operation;     // e computes something before it
  bool after_unknown_call;  // e calls something before it that may have effects
};

bool is_calm_core(const Node* root) {
  std::vector<const Node*> stack = {root};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (const auto* call = as<Call>(node); call != nullptr && !is_calm(call->callee)) return false;
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
  return true;
}

}  // namespace

std::vector<bool> Lowering::replaceable(const Callee& callee, Frame& frame,
                                        std::span<const Argument> arguments,
                                        std::span<const std::size_t> positions) {
  std::vector<bool> in_place(arguments.size(), false);
  const Expr* result = only_return(callee.body);
  if (result == nullptr) return in_place;
  std::unordered_map<Symbol, std::size_t> wanted;  // parameters whose arguments are not simple
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = *callee.parameters[positions[i]];
    if (arguments[i].value == nullptr || is_simple(arguments[i].value)) continue;
    if (parameter.form == ParameterKind::VariadicPositional) continue;
    if (!frame.facts->is_written(parameter.name)) wanted.emplace(parameter.name, i);
  }
  if (wanted.empty()) return in_place;

  // The reads of those parameters in the order of evaluation.
  std::vector<Read> reads;
  bool operation = false;
  bool unknown_call = false;
  int conditional = 0;
  Frame* const caller = frame_;
  frame_ = &frame;
  auto walk = [&](auto& self, const Node& node) -> void {
    switch (node.kind) {
      case Kind::Name: {
        const auto found = wanted.find(static_cast<const Name&>(node).symbol);
        if (found != wanted.end()) {
          reads.push_back({found->second, conditional > 0, operation, unknown_call});
        }
        return;
      }
      case Kind::Constant:
        return;
      case Kind::BinaryOperation: {
        std::vector<const BinaryOperation*> spine;
        const Expr* leftmost = static_cast<const Expr*>(&node);
        while (const auto* inner = as<BinaryOperation>(leftmost)) {
          spine.push_back(inner);
          leftmost = inner->left;
        }
        self(self, *leftmost);
        for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
          self(self, *(*it)->right);
          operation = true;
        }
        return;
      }
      case Kind::Conditional:
      case Kind::BooleanOperation:
      case Kind::Comparison: {
        // What may be left out: all but the first operand, of a comparison all but two.
        int place = 0;
        const int always = is<Comparison>(&node) ? 2 : 1;
        for_each_child(node, [&](const Node* child) {
          if (place++ == always) ++conditional;
          self(self, *child);
        });
        if (place > always) --conditional;
        operation = true;
        return;
      }
      case Kind::Comprehension:  // its parts are evaluated once an item
      case Kind::Lambda:
        ++conditional;
        for_each_child(node, [&](const Node* child) { self(self, *child); });
        --conditional;
        return;
      case Kind::Call: {
        for_each_child(node, [&](const Node* child) { self(self, *child); });
        operation = true;
        const std::optional<Thing> thing = thing_of(static_cast<const Call&>(node).function);
        const bool calm =
            thing && thing->kind == ThingKind::Library && is_calm(thing->qualified_name);
        unknown_call = unknown_call || !calm;
        return;
      }
      default:
        for_each_child(node, [&](const Node* child) { self(self, *child); });
        operation = true;
    }
  };
  walk(walk, *result);
  frame_ = caller;

  std::vector<int> count(arguments.size());
  for (const Read& read : reads) ++count[read.argument];
  std::size_t previous = 0;
  for (const Read& read : reads) {
    const bool in_order = read.argument >= previous;
    const bool undisturbed =
        !read.after_operation ||
        (!read.after_unknown_call && is_calm_core(arguments[read.argument].value));
    if (count[read.argument] == 1 && !read.conditional && in_order && undisturbed) {
      in_place[read.argument] = true;
      previous = read.argument;
    }
  }
  return in_place;
}

}  // namespace tangent::lowering
