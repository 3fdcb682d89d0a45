#include "lower/deques.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.h"
#include "syntax/as_written.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

using Statements = std::vector<const Stmt*>;

// Whether what is called is spelled like a deque: `deque`, `collections.deque`.
bool may_be_deque(const Expr* node) {
  const auto* call = as<Call>(node);
  if (call == nullptr) return false;
  const auto* path = as<Attribute>(call->function);
  const auto* name = as<Name>(call->function);
  return (path != nullptr && is<Name>(path->value)) || name != nullptr;
}

const Call* call_of_method(const Expr* node, Symbol& receiver, std::string_view& method) {
  const auto* call = as<Call>(node);
  const auto* path = call != nullptr ? as<Attribute>(call->function) : nullptr;
  const auto* name = path != nullptr ? as<Name>(path->value) : nullptr;
  if (name == nullptr) return nullptr;
  receiver = name->symbol;
  method = path->attribute.text();
  return call;
}

class WithoutDeques {
 public:
  WithoutDeques(Context& context, FunctionView<bool(const Expr*)> is_deque)
      : context_(context), is_deque_(is_deque) {}

  Block run(Block body) {
    for (const Stmt* statement : body) find(statement);
    if (deques_.empty()) return body;
    for (const Stmt* statement : body) {
      check(statement);
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) taken_.insert(name->symbol);
        if (const auto* parameter = as<Parameter>(&node)) taken_.insert(parameter->name);
      });
    }
    return block(body);
  }

 private:
  struct Deque {
    const Expr* limit = nullptr;  // the constant or name that `maxlen` is
    Ranges ranges;
  };

  [[noreturn]] static void refuse_deque(const Node& node, std::string message, std::string remedy) {
    throw Diagnostic(DiagnosticKind::UnsupportedSyntax, std::move(message), node.ranges,
                     std::move(remedy));
  }

  const Call* made(const Expr* value) const {
    if (value == nullptr || !may_be_deque(value)) return nullptr;
    const auto* call = static_cast<const Call*>(value);
    return is_deque_(call->function) ? call : nullptr;
  }

  // --- which names are deques

  void find(const Node* node) {
    if (is<FunctionDefinition>(node) || is<ClassDefinition>(node)) return;
    const Expr* target = nullptr;
    const Expr* value = nullptr;
    if (const auto* assign = as<Assign>(node); assign != nullptr && assign->targets.size() == 1)
      target = assign->targets[0], value = assign->value;
    if (const auto* annotated = as<AnnotatedAssign>(node))
      target = annotated->target, value = annotated->value;
    const auto* name = target != nullptr ? as<Name>(target) : nullptr;
    if (const Call* call = name != nullptr ? made(value) : nullptr) {
      const Deque one{.limit = limit_of(*call), .ranges = call->ranges};
      const auto [found, is_new] = deques_.emplace(name->symbol, one);
      const Expr* known = found->second.limit;
      const bool same =
          known == nullptr ? one.limit == nullptr : one.limit != nullptr && equal(known, one.limit);
      if (!is_new && !same)
        refuse_deque(*call, "a name that stands for deques of several lengths",
                     "use a name of its own for each");
    }
    if (is_statement(node->kind)) for_each_child(*node, [&](const Node* child) { find(child); });
  }

  const Expr* limit_of(const Call& call) const {
    const Expr* limit = call.arguments.size() == 2 ? call.arguments[1] : nullptr;
    for (const Keyword* keyword : call.keywords) {
      if (keyword->name && keyword->name.text() == "maxlen") limit = keyword->value;
    }
    if (call.arguments.size() > 2 || call.keywords.size() > 1 ||
        (call.keywords.size() == 1 && limit != call.keywords[0]->value))
      refuse_deque(call, "these arguments of a deque", "write `deque(items, maxlen=n)`");
    const auto* constant = as<Constant>(limit);
    if (constant != nullptr && constant->value.kind == LiteralKind::None) return nullptr;
    if (limit != nullptr && !is<Name>(limit) && !integer_literal(limit))
      refuse_deque(*limit, "a deque whose `maxlen` is computed is not supported yet",
                   "give the length a name first");
    return limit;
  }

  // --- what is done with them

  const Deque* deque_of(const Expr* node) const {
    const auto* name = as<Name>(node);
    if (name == nullptr) return nullptr;
    const auto found = deques_.find(name->symbol);
    return found != deques_.end() ? &found->second : nullptr;
  }

  void check(const Node* node) const {
    const auto mentions_one = [&](const Node* part) {
      return find_node(part, [&](const Node* inner) {
               return is_expression(inner->kind) &&
                      deque_of(static_cast<const Expr*>(inner)) != nullptr;
             }) != nullptr;
    };
    if (is<FunctionDefinition>(node) || is<ClassDefinition>(node)) {
      if (mentions_one(node))
        refuse_deque(*node, "a deque of the function around is not supported here",
                     "use a list, or give the function what it needs");
      return;
    }
    // Bound to something else, or with another name for its length meanwhile.
    const auto bound = [&](const Expr* target, const Expr* value) {
      for_each_node(*target, [&](const Node& part) {
        const auto* name = as<Name>(&part);
        if (name == nullptr || is<Subscript>(target)) return;
        const bool whole = target == name && value != nullptr && made(value) != nullptr;
        if (deque_of(name) != nullptr && !whole)
          refuse_deque(*target, "a name that stands for a deque and for something else",
                       "use a name of its own for each");
        for (const auto& [symbol, deque] : deques_) {
          const auto* limit = as<Name>(deque.limit);
          if (limit != nullptr && limit->symbol == name->symbol)
            refuse_deque(*target, "the `maxlen` of a deque by a name that is bound here",
                         "write the length as a number, or use a parameter");
        }
      });
    };
    if (const auto* assign = as<Assign>(node)) {
      for (const Expr* target : assign->targets)
        bound(target, assign->targets.size() == 1 ? assign->value : nullptr);
      if (deque_of(assign->value) != nullptr)
        refuse_deque(*assign, "a second name for a deque is not supported", "use a list");
    }
    if (const auto* annotated = as<AnnotatedAssign>(node))
      bound(annotated->target, annotated->value);
    if (const auto* augmented = as<AugmentedAssign>(node)) bound(augmented->target, nullptr);
    if (const auto* loop = as<For>(node)) bound(loop->target, nullptr);
    if (const auto* walrus = as<NamedExpression>(node)) bound(walrus->target, nullptr);
    if (const auto* result = as<Return>(node); result != nullptr && result->value != nullptr) {
      for_each_result_part(result->value, [&](const Expr* part) {
        if (deque_of(part) != nullptr)
          refuse_deque(*part, "a deque as the result is not supported", "return `list(…)` of it");
      });
    }
    Symbol receiver;
    std::string_view method;
    const Call* call = is_expression(node->kind)
                           ? call_of_method(static_cast<const Expr*>(node), receiver, method)
                           : nullptr;
    if (call != nullptr && deques_.contains(receiver)) {
      static constexpr std::string_view kKnown[] = {"append",  "appendleft", "clear", "copy",
                                                    "extend",  "insert",     "pop",   "popleft",
                                                    "reverse", "count",      "index"};
      const bool known = std::ranges::find(kKnown, method) != std::end(kKnown);
      const bool limited = deques_.at(receiver).limit != nullptr;
      if (!known || (limited && (method == "extend" || method == "insert")))
        refuse_deque(*call, "`." + std::string(method) + "()` of a deque is not supported yet",
                     "append and pop item by item");
    }
    for_each_child(*node, [&](const Node* child) { check(child); });
  }

  // --- the lists in their place

  Block block(Block body) {
    Statements out;
    for (const Stmt* statement : body) {
      const auto* alone = as<ExpressionStatement>(statement);
      Symbol receiver;
      std::string_view method;
      const Call* call =
          alone != nullptr ? call_of_method(alone->value, receiver, method) : nullptr;
      if (call != nullptr && call->arguments.size() == 1 && deques_.contains(receiver) &&
          takes_from(call->arguments[0], receiver)) {
        // `q.append(q.popleft())`: the item first.
        const Symbol item = fresh("item");
        const Ranges ranges = call->ranges;
        out.push_back(context_.make<Assign>(ranges,
                                            context_.list<const Expr*>({name_of(item, ranges)}),
                                            static_cast<const Expr*>(renewed(call->arguments[0]))));
        const Expr* put = this->method(receiver, method, {name_of(item, ranges)}, ranges);
        statement = context_.make<ExpressionStatement>(statement->ranges, put);
      }
      out.push_back(static_cast<const Stmt*>(renewed(statement)));
      if (call == nullptr || !deques_.contains(receiver)) continue;
      const Deque& deque = deques_.at(receiver);
      if (deque.limit == nullptr || (method != "append" && method != "appendleft")) continue;
      out.push_back(shortened(receiver, deque, method == "append", call->ranges));
    }
    return context_.list(out);
  }

  static bool takes_from(const Expr* item, Symbol deque) {
    return find_node(item, [&](const Node* node) {
             Symbol receiver;
             std::string_view name;
             return is_expression(node->kind) &&
                    call_of_method(static_cast<const Expr*>(node), receiver, name) != nullptr &&
                    receiver == deque;
           }) != nullptr;
  }

  Symbol fresh(const std::string& wish) {
    Symbol symbol = context_.symbol(wish);
    for (int number = 2; taken_.contains(symbol); ++number)
      symbol = context_.symbol(wish + std::to_string(number));
    taken_.insert(symbol);
    return symbol;
  }

  const Expr* name_of(Symbol symbol, Ranges ranges) {
    return context_.make<Name>(ranges, symbol, Scope::Unresolved);
  }

  const Expr* method(Symbol receiver, std::string_view name, const std::vector<const Expr*>& given,
                     Ranges ranges) {
    const Expr* path =
        context_.make<Attribute>(ranges, name_of(receiver, ranges), context_.symbol(name));
    return context_.make<Call>(ranges, path, Symbol(), context_.list(given),
                               List<const Keyword*>());
  }

  const Expr* call(std::string_view function, const Expr* argument, Ranges ranges) {
    return context_.make<Call>(ranges, name_of(context_.symbol(function), ranges), Symbol(),
                               context_.list<const Expr*>({argument}), List<const Keyword*>());
  }

  // if len(q) > 3: q.pop(0)
  const Stmt* shortened(Symbol receiver, const Deque& deque, bool first, Ranges ranges) {
    const Expr* test =
        context_.make<Comparison>(ranges, call("len", name_of(receiver, ranges), ranges),
                                  context_.list<ComparisonOperator>({ComparisonOperator::Greater}),
                                  context_.list<const Expr*>({deque.limit}));
    std::vector<const Expr*> place;
    if (first) place.push_back(context_.integer(0, ranges));
    const Stmt* pop =
        context_.make<ExpressionStatement>(ranges, method(receiver, "pop", place, ranges));
    return context_.make<If>(ranges, test, Block(context_.list<const Stmt*>({pop})), Block());
  }

  const Node* renewed(const Node* node) {
    if (is<FunctionDefinition>(node) || is<ClassDefinition>(node)) return node;
    if (is_statement(node->kind)) {
      const auto* statement = static_cast<const Stmt*>(node);
      const bool compound = is<If>(node) || is<For>(node) || is<While>(node) || is<With>(node);
      if (compound) {
        const Stmt* inside = with_blocks(context_, statement, [&](Block it) { return block(it); });
        return rewrite_children(context_, *inside, [&](const Node* child) -> const Node* {
          return is_statement(child->kind) ? child : renewed(child);
        });
      }
    }
    if (is_expression(node->kind)) {
      const auto* expression = static_cast<const Expr*>(node);
      if (const Call* one = made(expression)) return list_of(*one);
      Symbol receiver;
      std::string_view name;
      const Call* it = call_of_method(expression, receiver, name);
      if (it != nullptr && deques_.contains(receiver)) {
        const Ranges ranges = it->ranges;
        if (name == "popleft")
          return method(receiver, "pop", {context_.integer(0, ranges)}, ranges);
        if (name == "appendleft" && it->arguments.size() == 1) {
          const auto* item = static_cast<const Expr*>(renewed(it->arguments[0]));
          return method(receiver, "insert", {context_.integer(0, ranges), item}, ranges);
        }
      }
    }
    return rewrite_children(context_, *node, [&](const Node* child) { return renewed(child); });
  }

  const Node* list_of(const Call& made) {
    const Ranges ranges = made.ranges;
    if (made.arguments.empty()) return context_.make<ListDisplay>(ranges, Exprs());
    const auto* items = static_cast<const Expr*>(renewed(made.arguments[0]));
    const Expr* limit = limit_of(made);
    const Exprs* elements = display_elements(items);
    if (limit == nullptr) {
      return elements != nullptr
                 ? static_cast<const Expr*>(context_.make<ListDisplay>(ranges, *elements))
                 : call("list", items, ranges);
    }
    const auto length = integer_literal(limit);
    if (elements == nullptr || !length || *length < 0) {
      refuse_deque(made, "a deque of given items with a `maxlen` is not supported yet",
                   "append the items one by one");
    }
    const auto size = static_cast<std::int64_t>(elements->size());
    const auto kept =
        elements->subspan(static_cast<std::size_t>(std::max<std::int64_t>(0, size - *length)));
    return context_.make<ListDisplay>(ranges, Exprs(kept));
  }

  Context& context_;
  FunctionView<bool(const Expr*)> is_deque_;
  std::unordered_map<Symbol, Deque> deques_;
  std::unordered_set<Symbol> taken_;
};

}  // namespace

Block without_deques(Context& context, Block body, FunctionView<bool(const Expr*)> is_deque) {
  return WithoutDeques(context, is_deque).run(body);
}

}  // namespace tangent::lowering
