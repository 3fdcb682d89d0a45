#include "lower/second_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class SecondNames {
 public:
  SecondNames(const CoreFunction& core, Context& context) : core_(core), context_(context) {
    for (std::size_t k = 0; k < core.body.size(); ++k) {
      for_each_node(*core.body[k], [&](const Node& node) { note(node, k); });
    }
  }

  Block run() {
    if (changed_.empty()) return core_.body;
    std::unordered_set<Symbol> parameters;
    for (const Parameter* parameter : core_.parameters) parameters.insert(parameter->name);
    for (std::size_t k = 0; k < core_.body.size(); ++k) {
      const auto* assign = as<Assign>(core_.body[k]);
      const auto* second = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      const auto* first = assign != nullptr ? as<Name>(assign->value) : nullptr;
      if (second == nullptr || first == nullptr || first->scope != Scope::Local) continue;
      if (first->symbol == second->symbol || parameters.contains(second->symbol)) continue;
      const auto& bound = bindings_[second->symbol];
      const auto& sources = bindings_[first->symbol];
      const bool once = bound.size() == 1 && reads_before_[second->symbol] >= k;
      const bool stays =
          std::ranges::all_of(sources, [&](std::size_t place) { return place < k; });
      // A name that is met nowhere behind this, a list that a comprehension fills, gives way.
      const bool gives_way = !parameters.contains(first->symbol) &&
                             last_met_[first->symbol] == k && reads_before_[second->symbol] >= k &&
                             !names_.contains(first->symbol) && !sources.empty();
      if (!stays || !(once || gives_way)) continue;
      if (!changed_.contains(first->symbol) && !changed_.contains(second->symbol)) continue;
      if (gives_way) {
        names_.emplace(first->symbol, second->symbol);
      } else {
        names_.emplace(second->symbol, first->symbol);
      }
      dropped_.insert(assign);
    }
    if (names_.empty()) return core_.body;
    std::vector<const Stmt*> out;
    for (const Stmt* statement : core_.body) {
      if (!dropped_.contains(statement)) out.push_back(static_cast<const Stmt*>(renamed(statement)));
    }
    return context_.list(out);
  }

 private:
  // Where names are bound: the statements of the outermost block that do it.
  void note(const Node& node, std::size_t place) {
    if (const auto* name = as<Name>(&node)) {
      reads_before_.try_emplace(name->symbol, place);
      last_met_[name->symbol] = place;
    }
    if (!is_statement(node.kind)) return;
    const auto* statement = static_cast<const Stmt*>(&node);
    if (const ListChange change = list_change(statement)) changed_.insert(change.list->symbol);
    if (const Subscript* stored = stored_place(statement)) {
      if (const Name* root = root_of(stored)) changed_.insert(root->symbol);
      return;
    }
    const Expr* target = nullptr;
    if (const auto* assign = as<Assign>(statement)) target = assign->targets[0];
    if (const auto* augmented = as<AugmentedAssign>(statement)) target = augmented->target;
    if (const auto* loop = as<For>(statement)) target = loop->target;
    if (target == nullptr) return;
    for_each_node(*target, [&](const Node& part) {
      if (const auto* name = as<Name>(&part)) bindings_[name->symbol].push_back(place);
    });
  }

  const Node* renamed(const Node* node) {
    if (const auto* name = as<Name>(node)) {
      Symbol symbol = name->symbol;
      while (names_.contains(symbol)) symbol = names_.at(symbol);
      return symbol == name->symbol || name->scope != Scope::Local
                 ? node
                 : context_.local(symbol, name->ranges);
    }
    return rewrite_children(context_, *node, [&](const Node* child) { return renamed(child); });
  }

  const CoreFunction& core_;
  Context& context_;
  std::unordered_map<Symbol, std::vector<std::size_t>> bindings_;
  std::unordered_map<Symbol, std::size_t> reads_before_;  // where a name is first met
  std::unordered_map<Symbol, std::size_t> last_met_;      // and last
  std::unordered_set<Symbol> changed_;
  std::unordered_map<Symbol, Symbol> names_;
  std::unordered_set<const Stmt*> dropped_;
};

}  // namespace

Block without_second_names(const CoreFunction& core, Context& context) {
  return SecondNames(core, context).run();
}

}  // namespace tangent
