#include "types/rebound_sums.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "syntax/visit.h"

namespace tangent {

namespace {

bool is_name(const Node* node, Symbol symbol) {
  const auto* name = as<Name>(node);
  return name != nullptr && name->scope == Scope::Local && name->symbol == symbol;
}

bool is_fresh(const Expr* value) {
  return is<Constant>(value) || is<BinaryOperation>(value) || is<UnaryOperation>(value);
}

// Whether an expression may have the value itself as an operand: it gives another one.
bool computes(const Node* node) {
  if (is<BinaryOperation>(node) || is<UnaryOperation>(node) || is<Comparison>(node) ||
      is<FormattedValue>(node))
    return true;
  const auto* call = as<Call>(node);
  if (call == nullptr) return false;
  const std::string_view callee = call->callee.text();
  static constexpr std::array<std::string_view, 10> kElementwise = {
      "numpy.sin",  "numpy.cos",    "numpy.exp",    "numpy.log", "numpy.sqrt",
      "numpy.tanh", "numpy.square", "builtins.abs", "numpy.abs", "numpy.sum"};
  return callee.starts_with("math.") ||
         std::ranges::find(kElementwise, callee) != kElementwise.end();
}

// Whether all of an expression's mentions of the name stand where they are computed with.
bool is_harmless(const Node* node, Symbol symbol, bool is_operand) {
  if (is_name(node, symbol)) return is_operand;
  bool all = true;
  if (const auto* subscript = as<Subscript>(node)) {
    // `x[k]`, `x[k:, k + 1]`: an index decides what is taken.
    for_each_node(*subscript->index, [&](const Node& part) {
      const bool plain = is<TupleDisplay>(&part) || is<Slice>(&part) || is<Name>(&part) ||
                         is<Constant>(&part) || computes(&part);
      all = all && (plain || is_harmless(&part, symbol, false));
    });
    return all && is_harmless(subscript->value, symbol, false);
  }
  const bool inner = computes(node);
  for_each_child(*node, [&](const Node* child) { all = all && is_harmless(child, symbol, inner); });
  return all;
}

bool is_harmless_in(const Stmt* statement, Symbol symbol) {
  if (const auto* assign = as<Assign>(statement)) {
    const Expr* target = assign->targets[0];
    if (is_name(target, symbol))
      return is_fresh(assign->value) && is_harmless(assign->value, symbol, false);
    return is_harmless(target, symbol, false) && is_harmless(assign->value, symbol, false);
  }
  if (const auto* augmented = as<AugmentedAssign>(statement)) {
    const bool own = is_name(augmented->target, symbol);
    return (own || is_harmless(augmented->target, symbol, false)) &&
           is_harmless(augmented->value, symbol, !own);
  }
  if (const auto* result = as<Return>(statement))
    return result->value == nullptr || is_harmless(result->value, symbol, true);
  bool all = true;
  const bool tests = is<If>(statement) || is<While>(statement) || is<Assert>(statement);
  for_each_child(*statement, [&](const Node* child) {
    all =
        all && (is_statement(child->kind) ? is_harmless_in(static_cast<const Stmt*>(child), symbol)
                                          : is_harmless(child, symbol, tests));
  });
  return all;
}

class SumBinder {
 public:
  SumBinder(const CoreFunction& core, const TypedFunction& typed, Context& context)
      : core_(core), typed_(typed), context_(context) {}

  Block block(Block body) {
    return with_statements(
        context_, body, [this](const Stmt* statement, std::vector<const Stmt*>&) -> const Stmt* {
          const auto* augmented = as<AugmentedAssign>(statement);
          const auto* name = augmented != nullptr ? as<Name>(augmented->target) : nullptr;
          if (name == nullptr || !is_sum(name->symbol))
            return with_blocks(context_, statement, [this](Block inner) { return block(inner); });
          const Expr* value = context_.make<BinaryOperation>(
              augmented->ranges, augmented->op,
              static_cast<const Expr*>(context_.local(name->symbol, name->ranges)),
              augmented->value);
          return context_.assign(augmented->target, value, augmented->ranges);
        });
  }

 private:
  bool is_sum(Symbol symbol) const {
    const auto type = typed_.variables.find(symbol);
    return type != typed_.variables.end() && type->second.kind == TypeKind::Unknown &&
           is_only_computed_with(core_, symbol);
  }

  const CoreFunction& core_;
  const TypedFunction& typed_;
  Context& context_;
};

}  // namespace

bool is_only_computed_with(const CoreFunction& core, Symbol symbol) {
  return std::ranges::none_of(core.parameters,
                              [&](const Parameter* each) { return each->name == symbol; }) &&
         std::ranges::all_of(
             core.body, [&](const Stmt* statement) { return is_harmless_in(statement, symbol); });
}

Block bind_sums_anew(const CoreFunction& core, const TypedFunction& typed, Context& context) {
  if (!context.has_made(Kind::AugmentedAssign)) return core.body;
  return SumBinder(core, typed, context).block(core.body);
}

}  // namespace tangent
