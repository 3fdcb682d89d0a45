#include "autodiff/rebound_lists.h"

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "autodiff/rule_names.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class ListParter {
 public:
  ListParter(const CoreFunction& core, const TypedFunction& typed, Context& context)
      : core_(core), typed_(typed), context_(context) {}

  Block block(Block body) {
    std::vector<const Stmt*> out(body.begin(), body.end());
    bool changed = false;
    for (std::size_t k = 0; k < out.size(); ++k) {
      note_lists(*out[k]);
      const Stmt* statement = inside(out, k);
      changed = changed || statement != out[k];
      out[k] = statement;
      const auto* assign = as<Assign>(statement);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (target == nullptr || !lists_.contains(target->symbol)) continue;
      const Type type = typed_.type_of(assign->value);
      if (!type.is_numeric() || !type.may_be_active()) continue;
      const Symbol was = target->symbol;
      const std::size_t end = next_binding(out, k + 1, was);
      if (end == out.size() ? !is_dead_behind(out, was) : may_break(out, k, end)) continue;
      const Symbol now = names().fresh(was.text());
      out[k] = context_.assign(context_.local(now, target->ranges), assign->value, assign->ranges);
      for (std::size_t next = k + 1; next < end; ++next)
        out[next] = static_cast<const Stmt*>(renamed(out[next], was, now));
      if (end < out.size()) {
        const auto* last = as<Assign>(out[end]);
        out[end] =
            context_.assign(last->targets[0],
                            static_cast<const Expr*>(renamed(last->value, was, now)), last->ranges);
      }
      changed = true;
    }
    return changed ? context_.list(out) : body;
  }

 private:
  NamePool& names() {
    if (!names_) names_.emplace(context_, core_);
    return *names_;
  }

  // A block around the one at hand, and where in it that one stands.
  struct Around {
    const std::vector<const Stmt*>* block;
    std::size_t index;
  };

  const Stmt* inside(const std::vector<const Stmt*>& out, std::size_t k) {
    const Stmt* statement = out[k];
    around_.push_back({&out, k});
    const Stmt* result =
        with_blocks(context_, statement, [&](Block inner) { return block(inner); });
    around_.pop_back();
    return result;
  }

  static bool mentions(const Node& node, Symbol symbol) {
    bool found = false;
    for_each_node(node, [&](const Node& part) {
      const auto* name = as<Name>(&part);
      found = found || (name != nullptr && name->symbol == symbol);
    });
    return found;
  }

  static bool may_break(const std::vector<const Stmt*>& block, std::size_t begin, std::size_t end) {
    bool found = false;
    for (std::size_t k = begin; k < end; ++k)
      for_each_node(*block[k], [&](const Node& part) { found = found || is<Break>(&part); });
    return found;
  }

  // The next statement of the block itself that binds the name.
  static std::size_t next_binding(const std::vector<const Stmt*>& block, std::size_t begin,
                                  Symbol symbol) {
    for (std::size_t k = begin; k < block.size(); ++k) {
      const auto* assign = as<Assign>(block[k]);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (target != nullptr && target->symbol == symbol) return k;
    }
    return block.size();
  }

  enum class Fate : std::uint8_t { Untouched, Bound, Read };

  // What happens to a name first in a part of a block. Where a loop may be left, it may be read.
  static Fate fate(const std::vector<const Stmt*>& block, std::size_t begin, Symbol symbol) {
    for (std::size_t k = begin; k < block.size(); ++k) {
      if (!mentions(*block[k], symbol)) continue;
      const auto* assign = as<Assign>(block[k]);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      const bool binds = target != nullptr && target->symbol == symbol &&
                         !mentions(*assign->value, symbol) && !may_break(block, begin, k);
      return binds ? Fate::Bound : Fate::Read;
    }
    return Fate::Untouched;
  }

  // Nothing behind the rest of this block reads what the name has there.
  [[nodiscard]] bool is_dead_behind(const std::vector<const Stmt*>& innermost,
                                    Symbol symbol) const {
    const std::vector<const Stmt*>* block = &innermost;
    // A `break` goes past what binds the name anew.
    const bool leaves = may_break(innermost, 0, innermost.size());
    for (std::size_t level = around_.size(); level-- > 0;) {
      const auto& [outer, index] = around_[level];
      const Stmt* statement = (*outer)[index];
      const bool is_loop = is<For>(statement) || is<While>(statement);
      if (is_loop) {
        // The next round comes first.
        if (fate(*block, 0, symbol) == Fate::Read) return false;
        const auto* repeat = as<While>(statement);
        if (repeat != nullptr && mentions(*repeat->test, symbol)) return false;
      }
      const Fate next = fate(*outer, index + 1, symbol);
      if (next == Fate::Read) return false;
      if (next == Fate::Bound && !leaves) return true;
      block = outer;
    }
    return true;
  }

  // Names that stand for a list in a statement.
  void note_lists(const Stmt& statement) {
    for_each_node(statement, [&](const Node& node) {
      if (const auto* assign = as<Assign>(&node)) {
        if (const auto* target = as<Name>(assign->targets[0])) note(target, assign->value);
      } else if (const auto* name = as<Name>(&node)) {
        note(name, name);
      }
    });
  }

  void note(const Name* name, const Expr* value) {
    if (name->scope == Scope::Local && typed_.type_of(value).kind == TypeKind::List)
      lists_.insert(name->symbol);
  }

  const Node* renamed(const Node* node, Symbol was, Symbol now) {
    if (const auto* name = as<Name>(node); name && name->scope == Scope::Local) {
      return name->symbol == was ? context_.local(now, name->ranges) : node;
    }
    return rewrite_children(context_, *node,
                            [&](const Node* child) { return renamed(child, was, now); });
  }

  const CoreFunction& core_;
  const TypedFunction& typed_;
  Context& context_;
  std::optional<NamePool> names_;  // once a new name is asked for
  std::vector<Around> around_;     // outermost first
  std::unordered_set<Symbol> lists_;
};

}  // namespace

Block part_rebound_lists(const CoreFunction& core, const TypedFunction& typed, Context& context) {
  return ListParter(core, typed, context).block(core.body);
}

}  // namespace tangent
