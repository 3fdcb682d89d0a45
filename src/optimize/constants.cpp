// Constants: a name whose only value is a number is read as that number.
//
//     one = 1.0                      one = 1.0
//     y = one * x + a         ->     y = 1.0 * x + a
//
// Only for algebra, which makes such names: a constant that the user named keeps its name where
// nothing follows from its value. The assignment stays; dead code takes it.
#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

class Constants {
 public:
  explicit Constants(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    std::unordered_map<Symbol, int> bindings;
    for (const Stmt* statement : body)
      for_each_binding(statement, [&](Symbol symbol) { ++bindings[symbol]; });
    if (input_.typed.core != nullptr) {
      for (const Parameter* parameter : input_.typed.core->parameters) ++bindings[parameter->name];
    }
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : body) {
      const auto* now = static_cast<const Stmt*>(known_.empty() ? statement : read(statement));
      changed = changed || now != statement;
      out.push_back(now);
      const auto* assign = as<Assign>(now);
      const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      const auto* value = assign != nullptr ? as<Constant>(assign->value) : nullptr;
      if (name != nullptr && value != nullptr && value->value.kind == LiteralKind::Float &&
          bindings[name->symbol] == 1)
        known_.emplace(name->symbol, value);
    }
    return changed ? input_.context.list(out) : body;
  }

 private:
  const Node* read(const Node* node) {
    if (const auto* name = as<Name>(node)) {
      const auto found = known_.find(name->symbol);
      return name->scope == Scope::Local && found != known_.end() ? found->second : node;
    }
    return rewrite_children(input_.context, *node, [&](const Node* child) { return read(child); });
  }

  const PassInput& input_;
  std::unordered_map<Symbol, const Constant*> known_;
};

}  // namespace

Block propagate_constants(Block body, const PassInput& input) { return Constants(input).run(body); }

}  // namespace tangent
