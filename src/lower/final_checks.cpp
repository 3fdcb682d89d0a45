// The last look at a core program (final_checks.h).
#include "lower/final_checks.h"

#include <unordered_map>
#include <unordered_set>

#include "base/diagnostics.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// f(name) for every name in the body, targets included.
template <class F>
void for_each_name(const CoreFunction& core, F&& f) {
  std::vector<const Node*> stack(core.body.begin(), core.body.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (const auto* name = as<Name>(node)) {
      f(*name);
    } else {
      for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
    }
  }
}

void assigned(Block block, std::unordered_set<Symbol>& names) {
  auto target = [&](const Expr* expression) {
    if (const auto* name = as<Name>(expression)) names.insert(name->symbol);
    if (const auto* tuple = as<TupleDisplay>(expression)) {
      for (const Expr* element : tuple->elements) {
        if (const auto* name = as<Name>(element)) names.insert(name->symbol);
      }
    }
  };
  for (const Stmt* statement : block) {
    if (const auto* assign = as<Assign>(statement)) {
      for (const Expr* e : assign->targets) target(e);
    } else if (const auto* augmented = as<AugmentedAssign>(statement)) {
      target(augmented->target);
    } else if (const auto* branch = as<If>(statement)) {
      assigned(branch->body, names);
      assigned(branch->orelse, names);
    } else if (const auto* loop = as<For>(statement)) {
      target(loop->target);
      assigned(loop->body, names);
    } else if (const auto* loop = as<While>(statement)) {
      assigned(loop->body, names);
    }
  }
}

// CPython takes 99 levels of indentation and 20 nested loops; the adjoint may need one level more.
constexpr int kDeepestIndent = 97;
constexpr int kDeepestLoops = 20;

class Nesting {
 public:
  void block(Block statements, int indent, int loops) {
    for (const Stmt* statement : statements) {
      if (indent > kDeepestIndent) too_deep(*statement, "this is indented too deep");
      if (loops > kDeepestLoops) too_deep(*statement, "these loops are nested too deep");
      if (const auto* branch = as<If>(statement)) {
        block(branch->body, indent + 1, loops);
        // `elif` stays where it is.
        const bool elif = branch->orelse.size() == 1 && is<If>(branch->orelse[0]);
        block(branch->orelse, elif ? indent : indent + 1, loops);
      } else if (const auto* loop = as<For>(statement)) {
        block(loop->body, indent + 1, loops + 1);
      } else if (const auto* loop = as<While>(statement)) {
        block(loop->body, indent + 1, loops + 1);
      }
    }
  }

 private:
  [[noreturn]] static void too_deep(const Stmt& where, const char* message) {
    throw Diagnostic(DiagnosticKind::TooDeep, message, where.ranges,
                     "split the function, or write fewer early returns and nested loops");
  }
};

}  // namespace

void check_nesting(const CoreFunction& core) { Nesting().block(core.body, 1, 0); }

void keep_used_globals(CoreFunction& core, const std::vector<GlobalBinding>& known) {
  std::unordered_set<Symbol> used;
  for_each_name(core, [&](const Name& name) {
    if (name.scope == Scope::Global) used.insert(name.symbol);
  });
  for (const GlobalBinding& binding : known) {
    if (used.contains(binding.printed)) core.globals.push_back(binding);
  }
}

void check_reads(const CoreFunction& core) {
  std::unordered_set<Symbol> names;
  for (const Parameter* parameter : core.parameters) names.insert(parameter->name);
  assigned(core.body, names);
  for_each_name(core, [&](const Name& name) {
    if (name.scope != Scope::Local || names.contains(name.symbol)) return;
    throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                     "`" + std::string(name.symbol.text()) + "` is read before it is assigned",
                     name.ranges, "assign it first");
  });
}

}  // namespace tangent::lowering
