#include "autodiff/rebound_lists.h"

#include <unordered_set>
#include <vector>

#include "autodiff/rule_names.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class ListParter {
 public:
  ListParter(const CoreFunction& core, const TypedFunction& typed, Context& context)
      : typed_(typed), context_(context), names_(context, core) {}

  // A block in tail position.
  Block block(Block body) {
    std::vector<const Stmt*> out(body.begin(), body.end());
    bool changed = false;
    for (std::size_t k = 0; k < out.size(); ++k) {
      note_lists(*out[k]);
      if (const auto* branch = as<If>(out[k]); branch != nullptr && k + 1 == out.size()) {
        const std::unordered_set<Symbol> before = lists_;
        const Block then = block(branch->body);
        lists_ = before;
        const Block orelse = block(branch->orelse);
        if (then.data() == branch->body.data() && orelse.data() == branch->orelse.data()) continue;
        out[k] = context_.make<If>(branch->ranges, branch->test, then, orelse);
        changed = true;
        continue;
      }
      const auto* assign = as<Assign>(out[k]);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (target == nullptr || !lists_.contains(target->symbol)) continue;
      const Type type = typed_.type_of(assign->value);
      if (!type.is_numeric() || !type.may_be_active()) continue;
      const Symbol was = target->symbol;
      const Symbol now = names_.fresh(was.text());
      out[k] = context_.assign(context_.local(now, target->ranges), assign->value, assign->ranges);
      for (std::size_t next = k + 1; next < out.size(); ++next)
        out[next] = static_cast<const Stmt*>(renamed(out[next], was, now));
      changed = true;
    }
    return changed ? context_.list(out) : body;
  }

 private:
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

  const TypedFunction& typed_;
  Context& context_;
  NamePool names_;
  std::unordered_set<Symbol> lists_;
};

}  // namespace

Block part_rebound_lists(const CoreFunction& core, const TypedFunction& typed, Context& context) {
  return ListParter(core, typed, context).block(core.body);
}

}  // namespace tangent
