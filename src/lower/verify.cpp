// The contract of a core program, checked (verify.h).
#include "lower/verify.h"

#include <unordered_set>

#include "base/diagnostics.h"
#include "lower/exits.h"
#include "syntax/attempts.h"
#include "syntax/places.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class Verifier {
 public:
  explicit Verifier(const CoreFunction& core) : core_(core) {}

  void run() {
    for (const Parameter* parameter : core_.parameters) locals_.insert(parameter->name);
    tail(core_.body);
    for (const Symbol global : globals_) {
      if (core_.find_global(global) == nullptr)
        broken("an unbound global", std::string(global.text()));
      if (locals_.contains(global)) broken("a local named as a global", std::string(global.text()));
    }
    for (const Name* name : reads_) {
      if (!locals_.contains(name->symbol)) {
        broken("a local that nothing assigns", std::string(name->symbol.text()));
      }
    }
  }

 private:
  [[noreturn]] static void broken(const std::string& what, const std::string& where) {
    throw InternalError("core program: " + what + ": " + where);
  }
  [[noreturn]] static void broken(const std::string& what, const Node* where) {
    broken(what, print(where));
  }

  // A block in tail position: every path through it ends in Return or Raise, or never ends.
  void tail(Block block) {
    if (block.empty()) broken("a path without a return", std::string(core_.name.text()));
    for (std::size_t i = 0; i + 1 < block.size(); ++i) statement(block[i], false);
    const Stmt* last = block.back();
    if (const auto* exit = as<Return>(last)) {
      if (exit->value == nullptr) broken("a return without a value", last);
      expression(exit->value);
    } else if (const auto* branch = as<If>(last)) {
      expression(branch->test);
      tail(branch->body);
      tail(branch->orelse);
    } else if (is<Raise>(last)) {
      statement(last, false);
    } else {
      lowering::ExitTable exits;
      if (exits.of(last).falls) broken("a path without a return", last);
      statement(last, false);
    }
  }

  void block(Block statements, bool in_loop) {
    for (const Stmt* it : statements) statement(it, in_loop);
  }

  void statement(const Stmt* it, bool in_loop) {
    switch (it->kind) {
      case Kind::Assign: {
        const auto& assign = static_cast<const Assign&>(*it);
        if (assign.targets.size() != 1) broken("an assignment to several targets", it);
        target(assign.targets[0], it);
        return expression(assign.value);
      }
      case Kind::AugmentedAssign: {
        const auto& assign = static_cast<const AugmentedAssign&>(*it);
        target(assign.target, it);
        return expression(assign.value);
      }
      case Kind::If: {
        const auto& branch = static_cast<const If&>(*it);
        if (branch.body.empty()) broken("an empty branch", it);
        expression(branch.test);
        block(branch.body, in_loop);
        return block(branch.orelse, in_loop);
      }
      case Kind::For: {
        const auto& loop = static_cast<const For&>(*it);
        if (!loop.orelse.empty() || loop.is_async) broken("a loop with else", it);
        if (loop.body.empty()) broken("an empty loop", it);
        target(loop.target, it);
        expression(loop.iterable);
        return block(loop.body, true);
      }
      case Kind::While: {
        const auto& loop = static_cast<const While&>(*it);
        if (!loop.orelse.empty()) broken("a loop with else", it);
        if (loop.body.empty()) broken("an empty loop", it);
        expression(loop.test);
        return block(loop.body, true);
      }
      case Kind::Break:
        if (!in_loop) broken("a break outside loops", it);
        return;
      case Kind::Assert: {
        const auto& check = static_cast<const Assert&>(*it);
        expression(check.test);
        if (check.message != nullptr) expression(check.message);
        return;
      }
      case Kind::Raise: {
        const auto& raise = static_cast<const Raise&>(*it);
        if (raise.exception != nullptr) expression(raise.exception);
        if (raise.cause != nullptr) expression(raise.cause);
        return;
      }
      case Kind::ExpressionStatement:
        return expression(static_cast<const ExpressionStatement&>(*it).value);
      case Kind::Pass:
        return;
      case Kind::Return:
        broken("a return that is not in tail position", it);
      default:
        broken("a statement that the core has not", it);
    }
  }

  void target(const Expr* it, const Stmt* whole) {
    if (is<Subscript>(it)) {
      const Name* root = root_of(it);
      if (root == nullptr || root->scope != Scope::Local) broken("a store into no local", whole);
      return expression(it);
    }
    const auto* tuple = as<TupleDisplay>(it);
    const Exprs names = tuple != nullptr ? tuple->elements : Exprs(&it, 1);
    for (const Expr* element : names) {
      // The arrays that a call stores into.
      if (is<TupleDisplay>(element) && pair_call(whole) != nullptr) {
        target(element, whole);
        continue;
      }
      const auto* name = as<Name>(element);
      if (name == nullptr || name->scope != Scope::Local)
        broken("a target that is no local", whole);
      locals_.insert(name->symbol);
    }
  }

  void expression(const Expr* root) {
    std::vector<std::pair<const Node*, bool>> stack = {{root, false}};  // in an index?
    while (!stack.empty()) {
      const auto [node, in_index] = stack.back();
      stack.pop_back();
      bool index = false;
      switch (node->kind) {
        case Kind::Name: {
          const auto& name = static_cast<const Name&>(*node);
          if (name.scope == Scope::Unresolved) broken("a name of no scope", node);
          if (name.scope == Scope::Global) {
            globals_.insert(name.symbol);
          } else {
            reads_.push_back(&name);
          }
          break;
        }
        case Kind::Slice:
          if (!in_index) broken("a slice outside an index", node);
          break;
        case Kind::TupleDisplay:
          index = in_index;
          break;
        case Kind::Subscript: {
          const auto& subscript = static_cast<const Subscript&>(*node);
          stack.emplace_back(subscript.index, true);
          stack.emplace_back(subscript.value, false);
          continue;
        }
        case Kind::Call: {
          const auto& call = static_cast<const Call&>(*node);
          if (is_pair_call(&call) || is_attempt_part(call.callee.text())) {
            // Its function is known by the callee alone.
            for (const Expr* argument : call.arguments) stack.emplace_back(argument, false);
            continue;
          }
          if (!call.callee && !is<Attribute>(call.function)) broken("a call of no function", node);
          break;
        }
        case Kind::Keyword:
          if (!static_cast<const Keyword&>(*node).name) broken("an unpacked keyword", node);
          break;
        case Kind::Constant:
        case Kind::Attribute:
        case Kind::BinaryOperation:
        case Kind::UnaryOperation:
        case Kind::BooleanOperation:
        case Kind::Comparison:
        case Kind::Conditional:
        case Kind::ListDisplay:
        case Kind::Dictionary:
        case Kind::FormattedString:
        case Kind::FormattedValue:
          break;
        default:
          broken("an expression that the core has not", node);
      }
      for_each_child(*node, [&](const Node* child) { stack.emplace_back(child, index); });
    }
  }

  const CoreFunction& core_;
  std::unordered_set<Symbol> locals_;
  std::unordered_set<Symbol> globals_;
  std::vector<const Name*> reads_;
};

}  // namespace

void verify_core(const CoreFunction& core) { Verifier(core).run(); }

}  // namespace tangent
