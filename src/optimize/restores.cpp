// Restores: a variable that is put back to what it still holds.
//
//     old_x = x
//     0.6 * x + math.sqrt(y)      ->      0.6 * x + math.sqrt(y)
//     x = old_x
//
// Where nothing reads the value in between, dead code leaves only what computing it may raise; then
// the pair around it says nothing. In: a program without dead code. Out: the same without restores
// of what did not change, and without the names that only they read. Precondition: names without
// elements are bound anew or not at all; a store into an element is seen through both names.
#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

// `to` and `from` of `to = from`, both locals.
std::pair<Symbol, Symbol> names_of_copy(const Stmt* statement) {
  const auto* assign = as<Assign>(statement);
  if (assign == nullptr || assign->targets.size() != 1) return {};
  const auto* target = as<Name>(assign->targets[0]);
  const auto* value = as<Name>(assign->value);
  if (target == nullptr || value == nullptr) return {};
  if (target->scope != Scope::Local || value->scope != Scope::Local) return {};
  return {target->symbol, value->symbol};
}

class Restores {
 public:
  explicit Restores(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    const Block now = without_restores(body);
    if (saved_.empty()) return body;
    for (const Stmt* statement : now) forget_reads(statement);
    return without_saves(now);
  }

 private:
  Block without_restores(Block statements) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : statements) {
      const Stmt* now = with_blocks(input_.context, statement,
                                    [&](Block inner) { return without_restores(inner); });
      changed = changed || now != statement;
      if (restores_nothing(out, now)) {
        saved_.insert(names_of_copy(now).second);
        changed = true;
      } else {
        out.push_back(now);
      }
    }
    return changed ? input_.context.list(out) : statements;
  }

  // Whether a statement behind these puts back what a variable still holds.
  bool restores_nothing(const std::vector<const Stmt*>& before, const Stmt* statement) const {
    const auto [variable, saved] = names_of_copy(statement);
    if (!variable || input_.forward.contains(statement)) return false;
    for (std::size_t k = before.size(); k-- > 0;) {
      const auto [to, from] = names_of_copy(before[k]);
      if (to == saved && from == variable) return true;
      bool changes = false;
      for_each_binding(before[k], [&, variable = variable, saved = saved](Symbol bound) {
        changes = changes || bound == variable || bound == saved;
      });
      if (changes) return false;
    }
    return false;
  }

  bool saves(const Stmt* statement) const {
    const Symbol copied = names_of_copy(statement).first;
    return copied && saved_.contains(copied);
  }

  // What anything but its own assignment mentions is still needed.
  void forget_reads(const Node* node) {
    if (is_statement(node->kind) && saves(static_cast<const Stmt*>(node))) return;
    for_each_child(*node, [this](const Node* child) {
      if (is_statement(child->kind)) return forget_reads(child);
      for_each_read(child, [this](Symbol read) { saved_.erase(read); });
    });
  }

  // Without the copies that nothing reads any more.
  Block without_saves(Block statements) {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : statements) {
      if (saves(statement)) continue;
      out.push_back(with_blocks(input_.context, statement,
                                [&](Block inner) { return without_saves(inner); }));
    }
    return input_.context.list(out);
  }

  const PassInput& input_;
  std::unordered_set<Symbol> saved_;  // names whose restore is gone
};

}  // namespace

Block remove_restores(Block body, const PassInput& input) { return Restores(input).run(body); }

}  // namespace tangent
