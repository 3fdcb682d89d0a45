#include "lower/sets.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

[[noreturn]] void refuse_set(const Node& node, std::string message, std::string remedy) {
  throw Diagnostic(DiagnosticKind::UnsupportedSyntax, std::move(message), node.ranges,
                   std::move(remedy));
}

constexpr std::string_view kTakers[] = {"sum", "len", "sorted", "min", "max", "list", "tuple"};

class WithoutSets {
 public:
  WithoutSets(Context& context, FunctionView<bool(const Expr*, std::string_view)> is_builtin)
      : context_(context), is_builtin_(is_builtin) {}

  Block run(Block body) {
    bool any = false;
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        any = any || is_set(&node);
        if (const auto* name = as<Name>(&node)) taken_.insert(name->symbol);
        if (const auto* parameter = as<Parameter>(&node)) taken_.insert(parameter->name);
      });
    }
    if (!any) return body;
    for (const Stmt* statement : body) find(statement);
    for (const Stmt* statement : body) look(statement);
    return block(body);
  }

 private:
  using Statements = std::vector<const Stmt*>;

  // `{a, b}`, `{f(x) for x in xs}`, `set(xs)`, `set()`
  bool is_set(const Node* node) const {
    if (is<SetDisplay>(node)) return true;
    if (const auto* comprehension = as<Comprehension>(node))
      return comprehension->form == ComprehensionKind::Set;
    const auto* call = as<Call>(node);
    return call != nullptr && call->arguments.size() <= 1 && call->keywords.empty() &&
           !call->callee &&
           (is_builtin_(call->function, "set") || is_builtin_(call->function, "frozenset"));
  }

  // --- names

  void find(const Node* node) {
    if (is<FunctionDefinition>(node) || is<ClassDefinition>(node) || is<Lambda>(node)) return;
    const auto* assign = as<Assign>(node);
    const auto* annotated = as<AnnotatedAssign>(node);
    const Expr* target = assign != nullptr && assign->targets.size() == 1 ? assign->targets[0]
                         : annotated != nullptr                           ? annotated->target
                                                                          : nullptr;
    const Expr* value = assign != nullptr      ? assign->value
                        : annotated != nullptr ? annotated->value
                                               : nullptr;
    const auto* name = target != nullptr ? as<Name>(target) : nullptr;
    if (name != nullptr && value != nullptr && is_set(value)) names_.emplace(name->symbol, true);
    for_each_child(*node, [&](const Node* child) { find(child); });
  }

  bool is_name(const Node* node) const {
    const auto* name = as<Name>(node);
    return name != nullptr && names_.contains(name->symbol);
  }

  // What is done with a name beside what a list of its items can do as well makes it a set.
  void look(const Node* node) {
    const auto rest = [&](const Node* except) {
      for_each_child(*node, [&](const Node* child) {
        if (child != except || !is_name(child)) look(child);
      });
    };
    if (is_name(node)) {
      names_[static_cast<const Name*>(node)->symbol] = false;
      lost_.insert(static_cast<const Name*>(node)->symbol);
      return;
    }
    if (const auto* method = as<Attribute>(node); method != nullptr && is_name(method->value)) {
      names_[static_cast<const Name*>(method->value)->symbol] = false;
      return;
    }
    // `a | b` makes a new set.
    if (const auto* operation = as<BinaryOperation>(node)) {
      for (const Expr* side : {operation->left, operation->right}) {
        if (is_name(side)) {
          names_[static_cast<const Name*>(side)->symbol] = false;
        } else {
          look(side);
        }
      }
      return;
    }
    if (const auto* assign = as<Assign>(node);
        assign != nullptr && assign->targets.size() == 1 && is_name(assign->targets[0])) {
      if (!is_set(assign->value)) return look(assign->targets[0]), look(assign->value);
      return look(assign->value);
    }
    if (const auto* annotated = as<AnnotatedAssign>(node);
        annotated != nullptr && annotated->value != nullptr && is_set(annotated->value))
      return look(annotated->value);
    if (const auto* call = as<Call>(node);
        call != nullptr && call->arguments.size() == 1 && takes_items(call))
      return rest(call->arguments[0]);
    if (const auto* loop = as<For>(node)) return rest(loop->iterable);
    if (const auto* generator = as<Generator>(node)) return rest(generator->iterable);
    if (const auto* comparison = as<Comparison>(node);
        comparison != nullptr && comparison->ops.size() == 1 &&
        (comparison->ops[0] == ComparisonOperator::In ||
         comparison->ops[0] == ComparisonOperator::NotIn))
      return rest(comparison->comparators[0]);
    for_each_child(*node, [&](const Node* child) { look(child); });
  }

  bool takes_items(const Call* call) const {
    return std::ranges::any_of(
        kTakers, [&](std::string_view word) { return is_builtin_(call->function, word); });
  }

  // --- the text without them

  Symbol fresh(const std::string& wish) {
    Symbol symbol = context_.symbol(wish);
    for (int number = 2; taken_.contains(symbol); ++number)
      symbol = context_.symbol(wish + std::to_string(number));
    taken_.insert(symbol);
    return symbol;
  }
  const Expr* call(std::string_view function, const std::vector<const Expr*>& arguments,
                   Ranges ranges) {
    return context_.make<Call>(ranges,
                               static_cast<const Expr*>(context_.make<Name>(
                                   ranges, context_.symbol(function), Scope::Unresolved)),
                               Symbol(), context_.list(arguments), List<const Keyword*>());
  }

  Block block(Block body) {
    return with_statements(context_, body,
                           [this](const Stmt* it, Statements& out) { return statement(it, out); });
  }

  const Stmt* statement(const Stmt* it, Statements& /*out*/) {
    if (is<FunctionDefinition>(it) || is<ClassDefinition>(it)) {
      const bool inside = find_node(it, [&](const Node* node) {
                            return is<SetDisplay>(node) || is_name(node);
                          }) != nullptr;
      if (inside)
        refuse_set(*it, "a set in a function inside of a function is not supported yet",
                   "use a list, or a function of the module");
      return it;
    }
    if (const auto* assign = as<Assign>(it); assign != nullptr && assign->targets.size() == 1 &&
                                             is_name(assign->targets[0]) && is_set(assign->value)) {
      const bool listed = names_.at(static_cast<const Name*>(assign->targets[0])->symbol);
      return context_.make<Assign>(assign->ranges, assign->targets, made(assign->value, listed));
    }
    if (const auto* annotated = as<AnnotatedAssign>(it);
        annotated != nullptr && annotated->value != nullptr && is_name(annotated->target) &&
        is_set(annotated->value)) {
      const bool listed = names_.at(static_cast<const Name*>(annotated->target)->symbol);
      return context_.make<Assign>(annotated->ranges,
                                   context_.list<const Expr*>({annotated->target}),
                                   made(annotated->value, listed));
    }
    if (const auto* alone = as<ExpressionStatement>(it)) {
      const auto* changed = as<Call>(alone->value);
      const auto* method = changed != nullptr ? as<Attribute>(changed->function) : nullptr;
      if (method != nullptr && is_name(method->value)) return change(alone, changed, method);
    }
    if (const auto* augmented = as<AugmentedAssign>(it);
        augmented != nullptr && is_name(augmented->target)) {
      refuse_set(*it, "an augmented assignment to a set is not supported yet",
                 "write `a = a | b`, or add the items one by one");
    }
    const Stmt* inside = with_blocks(context_, it, [&](Block inner) { return block(inner); });
    return static_cast<const Stmt*>(
        rewrite_children(context_, *inside, [&](const Node* child) -> const Node* {
          if (is_statement(child->kind)) return child;
          const auto* loop = as<For>(inside);
          if (loop != nullptr && child == loop->iterable && is_changing(child))
            return call("list", {loop->iterable}, child->ranges);
          if (loop != nullptr && child == loop->iterable && is_set(child))
            return made(loop->iterable, true);
          return rewritten(child);
        }));
  }

  // A name of what stays a set.
  bool is_changing(const Node* node) const {
    return is_name(node) && !names_.at(static_cast<const Name*>(node)->symbol);
  }

  // seen.add(k), seen.discard(k), seen.remove(k), seen.update(ks)
  const Stmt* change(const ExpressionStatement* statement, const Call* changed,
                     const Attribute* method) {
    const std::string_view word = method->attribute.text();
    const bool one = changed->arguments.size() == 1 && changed->keywords.empty();
    const Ranges ranges = statement->ranges;
    if (lost_.contains(static_cast<const Name*>(method->value)->symbol)) {
      refuse_set(*changed, "a set that changes and may have a second name is not supported yet",
                 "use it under one name: `in`, `len`, loops and its methods");
    }
    const auto change_by = [&](std::string_view helper, const Expr* item) -> const Stmt* {
      return context_.make<Assign>(
          ranges, context_.list<const Expr*>({method->value}),
          call(std::string(kHelper) + std::string(helper), {method->value, item}, ranges));
    };
    const auto item_of = [&](const Expr* item) {
      return static_cast<const Expr*>(rewritten(item));
    };
    if (one && word == "add") return change_by("_with_item", item_of(changed->arguments[0]));
    if (one && word == "discard") return change_by("_without_item", item_of(changed->arguments[0]));
    if (one && word == "remove") return change_by("_less_item", item_of(changed->arguments[0]));
    if (one && word == "update") {
      const Symbol item = fresh("item");
      const auto name = [&] {
        return static_cast<const Expr*>(context_.make<Name>(ranges, item, Scope::Unresolved));
      };
      return context_.make<For>(
          ranges, name(), item_of(changed->arguments[0]),
          Block(context_.list<const Stmt*>({change_by("_with_item", name())})), Block(), false);
    }
    refuse_set(*changed, "`." + std::string(word) + "()` of a set is not supported yet",
               "use `add`, `discard` and `remove`");
  }

  // A set as a list of its items, or as `set([…])`.
  const Expr* made(const Expr* set, bool listed) {
    const Ranges ranges = set->ranges;
    const Expr* items = nullptr;
    if (const auto* display = as<SetDisplay>(set)) {
      items = static_cast<const Expr*>(rewritten(
          static_cast<const Node*>(context_.make<ListDisplay>(ranges, display->elements))));
    } else if (const auto* comprehension = as<Comprehension>(set)) {
      const Expr* list = context_.make<Comprehension>(
          ranges, ComprehensionKind::List, static_cast<const Expr*>(nullptr),
          comprehension->element, comprehension->generators);
      items = static_cast<const Expr*>(rewritten(list));
    } else {
      const auto* given = static_cast<const Call*>(set);
      if (given->arguments.empty())
        return listed ? static_cast<const Expr*>(context_.make<ListDisplay>(ranges, Exprs())) : set;
      items = static_cast<const Expr*>(rewritten(given->arguments[0]));
      if (listed && !is<ListDisplay>(items)) items = call("list", {items}, ranges);
    }
    return call(listed ? "tangent.runtime._distinct" : "set", {items}, ranges);
  }

  const Node* rewritten(const Node* node) {
    if (is<Lambda>(node)) {
      if (find_node(node, [&](const Node* part) { return is<SetDisplay>(part); }) != nullptr)
        refuse_set(*node, "a set in a lambda is not supported yet", "use a function");
      return node;
    }
    const auto taken = [&](const Expr* set) { return static_cast<const Node*>(made(set, true)); };
    const auto child_of = [&](const Expr* items) {
      return rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
        if (child != items) return rewritten(child);
        if (is_set(child)) return taken(items);
        return is_changing(child) && is<Generator>(node)
                   ? static_cast<const Node*>(call("list", {items}, child->ranges))
                   : child;
      });
    };
    if (const auto* one = as<Call>(node); one != nullptr && one->arguments.size() == 1 &&
                                          takes_items(one) &&
                                          (is_set(one->arguments[0]) || is_name(one->arguments[0])))
      return child_of(one->arguments[0]);
    if (const auto* generator = as<Generator>(node)) return child_of(generator->iterable);
    if (const auto* comparison = as<Comparison>(node);
        comparison != nullptr && comparison->ops.size() == 1 &&
        is<SetDisplay>(comparison->comparators[0]) && holds_constants(comparison->comparators[0]))
      return rewrite_children(context_, *node, [&](const Node* child) {
        return child == comparison->comparators[0] ? child : rewritten(child);
      });
    if (is_set(node)) return made(static_cast<const Expr*>(node), false);
    return rewrite_children(context_, *node, [&](const Node* child) { return rewritten(child); });
  }

  static bool holds_constants(const Node* set) {
    bool constants = true;
    for_each_child(*set, [&](const Node* child) { constants = constants && is<Constant>(child); });
    return constants;
  }

  Context& context_;
  FunctionView<bool(const Expr*, std::string_view)> is_builtin_;
  std::unordered_map<Symbol, bool> names_;  // whether a list of the items does
  std::unordered_set<Symbol> lost_;         // what they stand for may have another name
  std::unordered_set<Symbol> taken_;
};

}  // namespace

Block without_sets(Context& context, Block body,
                   FunctionView<bool(const Expr*, std::string_view)> is_builtin) {
  return WithoutSets(context, is_builtin).run(body);
}

}  // namespace tangent::lowering
