#include "analysis/drained_lists.h"

#include <algorithm>
#include <optional>

#include "analysis/own_lists.h"
#include "analysis/variables.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

// What happens to a list in the function, by statements of the function's own block.
struct Uses {
  std::size_t appends = 0;
  std::size_t pops = 0;
  std::size_t others = 0;
  std::size_t tests = 0;  // of `while xs:`
  std::size_t bindings = 0;
  std::optional<std::size_t> appended_in;  // the last statement with an append …
  std::optional<std::size_t> popped_in;    // … and with a pop
  bool append_is_direct = false;           // it stands in the loop's own block
  bool pop_is_direct = false;
};

class DrainedLists {
 public:
  explicit DrainedLists(const TypedFunction& function) : function_(function) {}

  std::unordered_set<Symbol> run() {
    std::unordered_set<Symbol> found = own_lists(function_);
    std::erase_if(found, [this](Symbol list) { return !is_drained(list); });
    return found;
  }

 private:
  static Block body_of(const Stmt* statement) {
    if (const auto* loop = as<For>(statement)) return loop->body;
    const auto* repeat = as<While>(statement);
    return repeat != nullptr ? repeat->body : Block();
  }

  void look(const Stmt* statement, std::size_t place, bool direct, Symbol list, Uses& uses) const {
    if (const ListChange change = list_change(statement); change && change.list->symbol == list) {
      if (!change.is_direct() || change.key != nullptr) {
        ++uses.others;
      } else if (change.appends) {
        ++uses.appends;
        uses.appended_in = place;
        uses.append_is_direct = direct;
      } else {
        ++uses.pops;
        uses.popped_in = place;
        uses.pop_is_direct = direct;
      }
    } else if (stored_place(statement) == nullptr) {
      const auto* assign = as<Assign>(statement);
      const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (name != nullptr && name->symbol == list) {
        const auto* display = as<ListDisplay>(assign->value);
        ++uses.bindings;
        if (display == nullptr || !display->elements.empty() || direct) ++uses.others;
      }
    }
    if (const auto* repeat = as<While>(statement)) {
      const auto* test = as<Name>(repeat->test);
      if (test != nullptr && test->symbol == list) ++uses.tests;
    }
    for_each_child(*statement, [&](const Node* child) {
      if (!is_statement(child->kind)) return;
      const bool of_loop = is<For>(statement) || is<While>(statement);
      look(static_cast<const Stmt*>(child), place, of_loop && statement == outermost_, list, uses);
    });
  }

  [[nodiscard]] std::size_t mentions_of(Symbol list) const {
    std::size_t count = 0;
    for (const Stmt* statement : function_.body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* name = as<Name>(&node);
        if (name != nullptr && name->symbol == list) ++count;
      });
    }
    return count;
  }

  bool is_drained(Symbol list) {
    Uses uses;
    const Block body = function_.body;
    for (std::size_t k = 0; k < body.size(); ++k) {
      outermost_ = body[k];
      look(body[k], k, false, list, uses);
    }
    if (uses.others > 0 || uses.bindings != 1 || !uses.popped_in) return false;
    // Nothing else may get hold of it.
    if (mentions_of(list) != uses.bindings + uses.appends + uses.pops + uses.tests) return false;
    const Stmt* last = body[*uses.popped_in];
    if (uses.appended_in && *uses.appended_in >= *uses.popped_in) return false;
    if (holds_exit(last)) return false;
    if (const auto* repeat = as<While>(last)) {
      const auto* test = as<Name>(repeat->test);
      return test != nullptr && test->symbol == list;
    }
    if (uses.appends != 1 || uses.pops != 1 || !uses.append_is_direct || !uses.pop_is_direct)
      return false;
    const auto* first = as<For>(body[*uses.appended_in]);
    const auto* second = as<For>(last);
    return first != nullptr && second != nullptr && !holds_exit(first) &&
           equal(items_of(first), items_of(second)) && stays(items_of(first), *uses.appended_in);
  }

  static bool holds_exit(const Stmt* loop) {
    return find_node(loop, [](const Node* node) { return is<Break>(node) || is<Return>(node); }) !=
           nullptr;
  }

  // What a loop runs over, whatever its order.
  static const Expr* items_of(const For* loop) {
    const Expr* items = loop->iterable;
    while (const auto* call = as<Call>(items)) {
      const std::string_view callee = call->callee.text();
      if (callee != "builtins.reversed" || call->arguments.size() != 1) break;
      items = call->arguments[0];
    }
    return items;
  }

  // Whether an expression means the same from the statement `from` on: range of what nothing binds
  // behind it.
  bool stays(const Expr* items, std::size_t from) const {
    const auto* call = as<Call>(items);
    if (!is<Name>(items) && (call == nullptr || call->callee.text() != "builtins.range"))
      return false;
    std::unordered_set<Symbol> bound;
    for (std::size_t k = from; k < function_.body.size(); ++k)
      for_each_definition(function_.body[k], [&](Symbol symbol) { bound.insert(symbol); });
    bool same = true;
    for_each_read(items, [&](Symbol read) { same = same && !bound.contains(read); });
    return same;
  }

  const TypedFunction& function_;
  const Stmt* outermost_ = nullptr;
};

}  // namespace

std::unordered_set<Symbol> drained_lists(const TypedFunction& function) {
  return DrainedLists(function).run();
}

}  // namespace tangent
