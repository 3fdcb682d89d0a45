// One walk over a function's statements (scope.h).
#include "lower/scope.h"

#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

class Walk {
 public:
  explicit Walk(ScopeFacts& facts) : facts_(facts) {}

  void block(Block body, bool outermost) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      statement(*body[i], outermost && i + 1 == body.size());
    }
  }

 private:
  void write(Symbol name) { ++facts_.names[name].writes; }

  void target(const Expr* expression) {
    switch (expression->kind) {
      case Kind::Name:
        return write(static_cast<const Name&>(*expression).symbol);
      case Kind::TupleDisplay:
        for (const Expr* e : static_cast<const TupleDisplay&>(*expression).elements) target(e);
        return;
      case Kind::ListDisplay:
        for (const Expr* e : static_cast<const ListDisplay&>(*expression).elements) target(e);
        return;
      case Kind::Starred:
        return target(static_cast<const Starred&>(*expression).value);
      default:
        return reads(expression);
    }
  }

  // Every name in an expression; an explicit stack, since sums of thousands of terms are deep.
  void reads(const Node* root) {
    if (root == nullptr) return;
    std::vector<const Node*> stack = {root};
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      switch (node->kind) {
        case Kind::Name: {
          NameUse& use = facts_.names[static_cast<const Name*>(node)->symbol];
          ++use.reads;
          if (!node->ranges.empty() && is_after(node->ranges[0], use.last_read)) {
            use.last_read = node->ranges[0];
          }
          break;
        }
        case Kind::NamedExpression: {
          const auto& walrus = static_cast<const NamedExpression&>(*node);
          target(walrus.target);
          stack.push_back(walrus.value);
          break;
        }
        case Kind::Lambda: {
          const auto& lambda = static_cast<const Lambda&>(*node);
          nested(lambda.parameters, [&](Walk& walk) { walk.reads(lambda.body); });
          break;
        }
        default:
          for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
      }
    }
  }

  // What a nested function reads of this one; the names that it binds are its own.
  template <class F>
  void nested(List<const Parameter*> parameters, F&& walk_body) {
    ScopeFacts inner;
    for (const Parameter* parameter : parameters) {
      inner.names[parameter->name].is_parameter = true;
      reads(parameter->default_value);
    }
    Walk walk(inner);
    walk_body(walk);
    for (const auto& [name, use] : inner.names) {
      if (inner.is_local(name)) continue;
      NameUse& mine = facts_.names[name];
      mine.reads += use.reads;
      mine.nested_writes += use.nested_writes + (use.is_nonlocal ? use.writes : 0);
      if (is_after(use.last_read, mine.last_read)) mine.last_read = use.last_read;
    }
  }

  void statement(const Stmt& it, bool last) {
    switch (it.kind) {
      case Kind::Assign: {
        const auto& assign = static_cast<const Assign&>(it);
        for (const Expr* e : assign.targets) target(e);
        return reads(assign.value);
      }
      case Kind::AugmentedAssign: {
        const auto& assign = static_cast<const AugmentedAssign&>(it);
        target(assign.target);
        reads(assign.target);
        return reads(assign.value);
      }
      case Kind::AnnotatedAssign: {
        const auto& assign = static_cast<const AnnotatedAssign&>(it);
        target(assign.target);
        return reads(assign.value);
      }
      case Kind::For: {
        const auto& loop = static_cast<const For&>(it);
        target(loop.target);
        reads(loop.iterable);
        block(loop.body, false);
        facts_.has_loop_else = facts_.has_loop_else || !loop.orelse.empty();
        return block(loop.orelse, false);
      }
      case Kind::While: {
        const auto& loop = static_cast<const While&>(it);
        reads(loop.test);
        block(loop.body, false);
        facts_.has_loop_else = facts_.has_loop_else || !loop.orelse.empty();
        return block(loop.orelse, false);
      }
      case Kind::If: {
        const auto& branch = static_cast<const If&>(it);
        reads(branch.test);
        block(branch.body, false);
        return block(branch.orelse, false);
      }
      case Kind::Return:
        ++facts_.returns;
        facts_.early_return = facts_.early_return || !last;
        return reads(static_cast<const Return&>(it).value);
      case Kind::Continue:
        facts_.has_continue = true;
        return;
      case Kind::FunctionDefinition: {
        const auto& definition = static_cast<const FunctionDefinition&>(it);
        write(definition.name);
        return nested(definition.parameters,
                      [&](Walk& walk) { walk.block(definition.body, true); });
      }
      case Kind::ClassDefinition:
        return write(static_cast<const ClassDefinition&>(it).name);
      case Kind::Import:
        for (const ImportedName* imported : static_cast<const Import&>(it).names) {
          write(imported->alias ? imported->alias : imported->name);
        }
        return;
      case Kind::Global:
        for (const Symbol name : static_cast<const Global&>(it).names) {
          const bool nonlocal = static_cast<const Global&>(it).nonlocal;
          NameUse& use = facts_.names[name];
          (nonlocal ? use.is_nonlocal : use.is_global) = true;
        }
        return;
      case Kind::Delete:  // binds in Python's sense; lowering accepts it only as a no-op
        for (const Expr* e : static_cast<const Delete&>(it).targets) {
          if (const auto* name = as<Name>(e)) {
            facts_.names[name->symbol];
          } else {
            reads(e);
          }
        }
        return;
      default:
        for_each_child(it, [&](const Node* child) {
          if (is_statement(child->kind)) {
            statement(static_cast<const Stmt&>(*child), false);
          } else {
            reads(child);
          }
        });
    }
  }

  ScopeFacts& facts_;
};

}  // namespace

ScopeFacts scope_facts(List<const Parameter*> parameters, Block body) {
  ScopeFacts facts;
  for (const Parameter* parameter : parameters) facts.names[parameter->name].is_parameter = true;
  Walk(facts).block(body, true);
  for (const auto& [name, use] : facts.names) {
    if (!facts.is_local(name) && (use.is_nonlocal || use.nested_writes > 0))
      facts.writes_outside = true;
  }
  return facts;
}

}  // namespace tangent::lowering
