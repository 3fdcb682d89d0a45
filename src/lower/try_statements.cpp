// `try` as a branch (try_statements.h).
#include "lower/try_statements.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

using TryStatements = std::vector<const Stmt*>;

[[noreturn]] void refuse_try(const Node& node, std::string message, std::string remedy) {
  throw Diagnostic(DiagnosticKind::UnsupportedSyntax, std::move(message), node.ranges,
                   std::move(remedy));
}

bool opens_scope(const Node* node) {
  return is<FunctionDefinition>(node) || is<Lambda>(node) || is<ClassDefinition>(node);
}

// Whether a statement of the block, nested ones included, leaves it: a return, or a break or
// continue of a loop around it.
const Stmt* way_out(const Node* node, bool in_loop) {
  if (opens_scope(node)) return nullptr;
  if (is<Return>(node)) return static_cast<const Stmt*>(node);
  if (!in_loop && (is<Break>(node) || is<Continue>(node))) return static_cast<const Stmt*>(node);
  const bool loop = in_loop || is<For>(node) || is<While>(node);
  const Stmt* found = nullptr;
  for_each_child(*node, [&](const Node* child) {
    if (found == nullptr && !is_expression(child->kind)) found = way_out(child, loop);
  });
  return found;
}

const Stmt* way_out(Block block) {
  for (const Stmt* statement : block) {
    if (const Stmt* found = way_out(statement, false)) return found;
  }
  return nullptr;
}

// Assignments of sums and products of numbers to names: nobody misses them where the function ends
// by an exception, and none is raised by them.
bool only_assigns(Block block) {
  return std::ranges::all_of(block, [](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    const auto* augmented = as<AugmentedAssign>(statement);
    if (is<Pass>(statement)) return true;
    if (assign == nullptr && augmented == nullptr) return false;
    const bool named =
        assign != nullptr
            ? std::ranges::all_of(assign->targets, [](const Expr* e) { return is<Name>(e); })
            : is<Name>(augmented->target);
    return named && find_node(statement, [](const Node* node) {
                      if (const auto* operation = as<BinaryOperation>(node))
                        return operation->op != BinaryOperator::Add &&
                               operation->op != BinaryOperator::Subtract &&
                               operation->op != BinaryOperator::Multiply;
                      if (const auto* other = as<AugmentedAssign>(node))
                        return other->op != BinaryOperator::Add &&
                               other->op != BinaryOperator::Subtract &&
                               other->op != BinaryOperator::Multiply;
                      return !is<Name>(node) && !is<Constant>(node) && !is<Assign>(node);
                    }) == nullptr;
  });
}

class TrySpeller {
 public:
  TrySpeller(Context& context, FreshNames& names, const std::function<Block(Block)>& inner)
      : context_(context), names_(names), inner_(inner) {}

  void run(const Try& it, TryStatements& out) {
    if (it.finalbody.empty()) {
      attempt(it.body, it.handlers, it.orelse, it.ranges, out);
      return;
    }
    if (const Stmt* exit = way_out(it.finalbody)) {
      refuse_try(*exit, "leaving a `finally` early is not supported", "let it run to its end");
    }
    const bool alone = it.handlers.empty();
    Block body = it.body;
    const Return* result = nullptr;
    if (alone && !body.empty()) {
      result = as<Return>(body.back());
      if (result != nullptr) body = body.first(body.size() - 1);
    }
    if (!alone) {
      const Stmt* guarded =
          context_.make<Try>(it.ranges, it.body, it.handlers, it.orelse, Block(), it.is_star);
      body = context_.list<const Stmt*>({guarded});
    }
    const bool plain = only_assigns(it.finalbody);
    if (const Stmt* exit = way_out(body); exit != nullptr && !(plain && is_return_only(body))) {
      refuse_try(*exit, "leaving a `try` that has a `finally` early is not supported yet",
                 "assign the result, and return it behind the `try`");
    }
    TryStatements all(body.begin(), body.end());
    const Expr* value = nullptr;
    if (result != nullptr && result->value != nullptr) {
      const Symbol name = names_.fresh("result");
      all.push_back(
          context_.assign(unresolved(name, result->ranges), result->value, result->ranges));
      value = unresolved(name, result->ranges);
    }
    if (plain) {
      const Block first = inner_(context_.list(all));
      out.insert(out.end(), first.begin(), first.end());
    } else {
      const Expr* all_of_them = unresolved(context_.symbol("BaseException"), it.ranges);
      TryStatements cleanup(it.finalbody.begin(), it.finalbody.end());
      cleanup.push_back(context_.make<Raise>(it.ranges, static_cast<const Expr*>(nullptr),
                                             static_cast<const Expr*>(nullptr)));
      const auto* handler = context_.make<ExceptionHandler>(it.ranges, all_of_them, Symbol(),
                                                            Block(context_.list(cleanup)));
      attempt(context_.list(all), context_.list<const ExceptionHandler*>({handler}), Block(),
              it.ranges, out);
    }
    const Block last = inner_(it.finalbody);
    out.insert(out.end(), last.begin(), last.end());
    if (result != nullptr) out.push_back(context_.make<Return>(result->ranges, value));
  }

 private:
  // Whether all that leaves the block are returns: what only assigns names is then not seen.
  static bool is_return_only(Block block) {
    return std::ranges::all_of(block, [](const Stmt* statement) {
      return find_node(statement, [](const Node* node) {
               return is<Break>(node) || is<Continue>(node);
             }) == nullptr;
    });
  }

  const Expr* unresolved(Symbol symbol, Ranges ranges) {
    return context_.make<Name>(ranges, symbol, Scope::Unresolved);
  }

  const Expr* marker(std::string_view name, List<const Expr*> arguments, Ranges ranges) {
    return context_.make<Call>(ranges, unresolved(context_.symbol(name), ranges), Symbol(),
                               arguments, List<const Keyword*>());
  }

  void attempt(Block body, List<const ExceptionHandler*> handlers, Block orelse, Ranges ranges,
               TryStatements& out) {
    const bool single = handlers.size() == 1;
    const Symbol flag = names_.fresh(single ? "failed" : "handler");
    std::vector<const Expr*> classes;
    for (const ExceptionHandler* handler : handlers) {
      classes.push_back(handler->type != nullptr
                            ? handler->type
                            : static_cast<const Expr*>(context_.none(handler->ranges)));
    }
    out.push_back(context_.assign(unresolved(flag, ranges),
                                  marker(kTryMarker, context_.list(classes), ranges), ranges));
    const Block first = inner_(body);
    TryStatements inside(first.begin(), first.end());
    inside.push_back(context_.make<ExpressionStatement>(
        ranges, marker(kCompletedMarker, List<const Expr*>(), ranges)));
    const Block rest = inner_(orelse);
    inside.insert(inside.end(), rest.begin(), rest.end());
    const Expr* test = single ? static_cast<const Expr*>(context_.make<UnaryOperation>(
                                    ranges, UnaryOperator::Not, unresolved(flag, ranges)))
                              : is_code(flag, 0, ranges);
    out.push_back(
        context_.make<If>(ranges, test, Block(context_.list(inside)), handled(handlers, 0, flag)));
  }

  const Expr* is_code(Symbol flag, std::size_t code, Ranges ranges) {
    return context_.make<Comparison>(
        ranges, unresolved(flag, ranges),
        context_.list<ComparisonOperator>({ComparisonOperator::Equal}),
        context_.list<const Expr*>({context_.integer(static_cast<std::int64_t>(code), ranges)}));
  }

  Block handled(List<const ExceptionHandler*> handlers, std::size_t first, Symbol flag) {
    const ExceptionHandler& handler = *handlers[first];
    Block body = inner_(block_of(handler));
    if (first + 1 == handlers.size()) return body;
    const Stmt* branch = context_.make<If>(handler.ranges, is_code(flag, first + 1, handler.ranges),
                                           body, handled(handlers, first + 1, flag));
    return context_.list<const Stmt*>({branch});
  }

  // A handler's statements; the exception has a name where one of them needs it.
  Block block_of(const ExceptionHandler& handler) {
    Symbol name = handler.name;
    const bool read = std::ranges::any_of(handler.body, [&](const Stmt* statement) {
      return !name.empty() && find_node(statement, [&](const Node* node) {
                                const auto* it = as<Name>(node);
                                return it != nullptr && it->symbol == name;
                              }) != nullptr;
    });
    if (!read) name = Symbol();
    TryStatements body;
    for (const Stmt* statement : handler.body) {
      body.push_back(static_cast<const Stmt*>(raised_again(statement, name)));
    }
    if (!name.empty()) {
      body.insert(body.begin(),
                  context_.assign(unresolved(name, handler.ranges),
                                  marker(kCaughtMarker, List<const Expr*>(), handler.ranges),
                                  handler.ranges));
    }
    return context_.list(body);
  }

  // `raise` alone raises what was caught. A handler inside speaks of its own.
  const Node* raised_again(const Node* node, Symbol& name) {
    if (opens_scope(node) || is<ExceptionHandler>(node) || is_expression(node->kind)) return node;
    if (const auto* raise = as<Raise>(node); raise != nullptr && raise->exception == nullptr) {
      if (name.empty()) name = names_.fresh("error");
      return context_.make<Raise>(node->ranges, unresolved(name, node->ranges),
                                  static_cast<const Expr*>(nullptr));
    }
    return rewrite_children(context_, *node,
                            [&](const Node* child) { return raised_again(child, name); });
  }

  Context& context_;
  FreshNames& names_;
  const std::function<Block(Block)>& inner_;
};

}  // namespace

void spell_try(const Try& it, Context& context, FreshNames& names,
               const std::function<Block(Block)>& inner, TryStatements& out) {
  TrySpeller(context, names, inner).run(it, out);
}

}  // namespace tangent::lowering
