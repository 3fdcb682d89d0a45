#include "lower/second_names.h"

#include <algorithm>
#include <optional>
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
      const bool stays = std::ranges::all_of(sources, [&](std::size_t place) { return place < k; });
      // A name that is met nowhere behind this, a list that a comprehension fills, gives way.
      const bool gives_way = !parameters.contains(first->symbol) && last_met_[first->symbol] == k &&
                             reads_before_[second->symbol] >= k &&
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
      if (!dropped_.contains(statement))
        out.push_back(static_cast<const Stmt*>(renamed(statement)));
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

// `ys = items` behind a loop that fills `items`, which nothing else mentions: `ys` is filled.
class FilledNames {
 public:
  FilledNames(const CoreFunction& core, Context& context) : context_(context) {
    for (const Parameter* parameter : core.parameters) ++counts_[parameter->name];
    for (const Stmt* statement : core.body) count(statement, counts_);
  }

  Block block(Block body) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : body) {
      const Stmt* now = with_blocks(context_, statement, [&](Block it) { return block(it); });
      changed = changed || now != statement;
      out.push_back(now);
    }
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto* assign = as<Assign>(out[k]);
      const auto* second = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      const auto* first = assign != nullptr ? as<Name>(assign->value) : nullptr;
      if (second == nullptr || first == nullptr || first->scope != Scope::Local ||
          first->symbol == second->symbol)
        continue;
      const auto begin = first_of(out, k, first->symbol, second->symbol);
      if (!begin) continue;
      for (std::size_t j = *begin; j < k; ++j)
        out[j] = static_cast<const Stmt*>(renamed(out[j], first->symbol, second->symbol));
      // Without the two names of this statement.
      counts_[second->symbol] += counts_[first->symbol] - 2;
      counts_[first->symbol] = 0;
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(k--));
      changed = true;
    }
    return changed ? context_.list(out) : body;
  }

 private:
  using Counts = std::unordered_map<Symbol, int>;

  static void count(const Node* node, Counts& counts) {
    for_each_node(*node, [&](const Node& part) {
      if (const auto* name = as<Name>(&part)) ++counts[name->symbol];
    });
  }

  // Where an empty list is bound to `first`, if all of it is between there and statement k, which
  // is always reached from there, and `second` is not met meanwhile.
  std::optional<std::size_t> first_of(const std::vector<const Stmt*>& body, std::size_t k,
                                      Symbol first, Symbol second) const {
    Counts found;
    count(body[k], found);
    bool changes = false;
    for (std::size_t j = k; j-- > 0;) {
      const bool leaves = find_node(body[j], [](const Node* node) {
                            return is<Break>(node) || is<Return>(node) || is<Continue>(node);
                          }) != nullptr;
      Counts here;
      count(body[j], here);
      if (leaves || here.contains(second)) return std::nullopt;
      changes = changes || find_node(body[j], [&](const Node* node) {
                             if (!is_statement(node->kind)) return false;
                             const auto* inner = static_cast<const Stmt*>(node);
                             const ListChange change = list_change(inner);
                             return change && change.list->symbol == first;
                           }) != nullptr;
      for (const auto& [symbol, number] : here) found[symbol] += number;
      const auto* assign = as<Assign>(body[j]);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      const auto* display = assign != nullptr ? as<ListDisplay>(assign->value) : nullptr;
      if (target == nullptr || target->symbol != first || display == nullptr ||
          !display->elements.empty())
        continue;
      const auto all = counts_.find(first);
      if (changes && all != counts_.end() && all->second == found[first]) return j;
      return std::nullopt;
    }
    return std::nullopt;
  }

  const Node* renamed(const Node* node, Symbol from, Symbol to) {
    if (const auto* name = as<Name>(node))
      return name->symbol == from ? context_.local(to, name->ranges) : node;
    return rewrite_children(context_, *node,
                            [&](const Node* child) { return renamed(child, from, to); });
  }

  Context& context_;
  Counts counts_;
};

// Whether a list is changed, or an element stored, in a statement or in the blocks of it.
bool changes_in_place(const Stmt* statement) {
  if (list_change(statement) || stored_place(statement) != nullptr) return true;
  bool found = false;
  for_each_child(*statement, [&](const Node* child) {
    found =
        found || (is_statement(child->kind) && changes_in_place(static_cast<const Stmt*>(child)));
  });
  return found;
}

}  // namespace

Block without_second_names(const CoreFunction& core, Context& context) {
  if (std::ranges::none_of(core.body, changes_in_place)) return core.body;
  CoreFunction filled = core;
  filled.body = FilledNames(core, context).block(core.body);
  return SecondNames(filled, context).run();
}

}  // namespace tangent
