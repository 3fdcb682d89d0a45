#include "autodiff/primitives.h"

#include <vector>

#include "autodiff/pairs.h"
#include "autodiff/reverse.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class PrimitiveSplitter {
 public:
  PrimitiveSplitter(const CoreFunction& core, const TypedFunction& typed, Context& context)
      : typed_(typed), context_(context), names_(context, core) {}

  Block block(Block body) {
    return with_statements(context_, body, [this](const Stmt* statement, auto& out) {
      return renewed(statement, out);
    });
  }

 private:
  using Statements = std::vector<const Stmt*>;

  const Stmt* renewed(const Stmt* statement, Statements& out) {
    if (is<For>(statement) || is<While>(statement) || is<If>(statement))
      return with_blocks(context_, statement, [&](Block inner) { return block(inner); });
    if (pair_call(statement) != nullptr || list_change(statement)) return statement;
    if (const auto* assign = as<Assign>(statement)) {
      // What is stored into an element is a value with a name.
      const bool store = is<Subscript>(assign->targets[0]);
      const Expr* value = store ? named(assign->value, out) : operands(assign->value, out);
      return value == assign->value ? statement
                                    : context_.make<Assign>(assign->ranges, assign->targets, value);
    }
    if (const auto* augmented = as<AugmentedAssign>(statement)) {
      const Expr* value = named(augmented->value, out);
      return value == augmented->value
                 ? statement
                 : context_.make<AugmentedAssign>(augmented->ranges, augmented->target,
                                                  augmented->op, value);
    }
    if (const auto* leaves = as<Return>(statement); leaves && leaves->value != nullptr) {
      const Expr* value = operands(leaves->value, out);
      return value == leaves->value ? statement : context_.make<Return>(leaves->ranges, value);
    }
    return statement;
  }

  // The expression with names for its operands.
  const Expr* operands(const Expr* node, Statements& out) {
    const auto* comparison = as<Comparison>(node);
    const bool entered = is<BinaryOperation>(node) || is<UnaryOperation>(node) || is<Call>(node) ||
                         is<TupleDisplay>(node) || is<ListDisplay>(node) || is<Attribute>(node) ||
                         (comparison != nullptr && comparison->ops.size() == 1);
    if (!entered) return node;
    return static_cast<const Expr*>(
        rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
          return is_expression(child->kind) ? named(static_cast<const Expr*>(child), out) : child;
        }));
  }

  // The expression, or the name that it has now.
  const Expr* named(const Expr* node, Statements& out) {
    const Expr* value = operands(node, out);
    if (!is_primitive(node)) return value;
    const Symbol name = names_.fresh(Reverse::name_for(node));
    out.push_back(context_.assign(context_.local(name, node->ranges), value, node->ranges));
    return context_.local(name, node->ranges);
  }

  bool is_primitive(const Expr* node) const {
    const Type type = typed_.type_of(node);
    if (!type.is_number() && !type.is_array()) return false;
    if (const auto* minus = as<UnaryOperation>(node)) return !is<Constant>(minus->operand);
    // Slices are views: under names of their own they would be second names of their array.
    if (is<Subscript>(node)) return type.is_number();
    const auto* call = as<Call>(node);
    return is<BinaryOperation>(node) || (call != nullptr && call->callee);
  }

  const TypedFunction& typed_;
  Context& context_;
  NamePool names_;
};

}  // namespace

Block split_primitives(const CoreFunction& core, const TypedFunction& typed, Context& context) {
  return PrimitiveSplitter(core, typed, context).block(core.body);
}

}  // namespace tangent
