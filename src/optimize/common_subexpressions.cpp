// Common subexpressions: what is computed a second time, of operands that still have their values,
// is read from a name.
//
//     y = a / b + c                     ratio = a / b
//     z = np.exp(a / b)          ->     y = ratio + c
//                                       z = np.exp(ratio)
//
// One walk in the order of execution knows the values that are there on every path to a statement:
// those of the statements before it in its own block and in the blocks around it. Nothing is moved
// to where it was not evaluated anyhow, so there is never more work, and what a loop computed is
// not kept for the loop that runs backwards, so no tape gets longer. What is evaluated only
// sometimes may use such a value, and gives none.
//
// Arrays are shared only between operations that make new ones: two names of one array would both
// see what is added in place. A store ends the values that read arrays.
#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

// Expressions beyond this stay as they are: every part of one is compared with what is known.
constexpr std::size_t kLargest = 1000;

bool is_numeric(const Type& type) { return type.is_number() || type.is_array(); }

bool is_small(const Expr* expression) {
  std::size_t size = 0;
  return find_node(expression, [&](const Node*) { return ++size > kLargest; }) == nullptr;
}

// The same for equal expressions, and for sums and products of two in either order.
std::size_t value_key(const Expr* expression) {
  const auto* operation = as<BinaryOperation>(expression);
  if (operation == nullptr) return hash(expression);
  return (static_cast<std::size_t>(operation->op) + 1) * 31 + hash(operation->left) +
         hash(operation->right);
}

// Reductions and products: their arguments are read, and never returned.
bool only_reads(std::string_view callee) {
  return callee == "numpy.sum" || callee == "numpy.mean" || callee == "numpy.dot" ||
         callee == "numpy.matmul" || callee == "numpy.outer" || callee == "numpy.max" ||
         callee == "numpy.min" || callee == "numpy.prod" || callee == "numpy.zeros_like";
}

// What gets a name: everything, calls alone, or in the backward part what is long enough that a
// name makes the text shorter.
enum class Shared : std::uint8_t { All, Calls, Long };

// About as many words and signs as the text of an expression has.
std::size_t length_of(const Expr* expression) {
  std::size_t length = 0;
  for_each_node(*expression, [&](const Node& node) {
    length += is<Subscript>(&node) || is<Attribute>(&node) || is<Call>(&node) ? 2 : 1;
  });
  return length;
}

// A name is one more statement, `name =`, and has to save more than that.
constexpr std::size_t kShortestShared = 5;
constexpr std::size_t kSaved = 6;

class CommonSubexpressions {
 public:
  CommonSubexpressions(const PassInput& input, Shared shared) : input_(input), shared_(shared) {}

  Block run(Block body) {
    if (shared_ == Shared::Long) {
      find_repeated(body);
      if (repeated_.empty()) return body;
    }
    find(body, {});
    bool any = false;
    for (const auto& value : values_) {
      const std::size_t length = shared_ == Shared::Long ? length_of(value->expression) : 0;
      value->is_short =
          shared_ == Shared::Long && static_cast<std::size_t>(value->uses) * (length - 1) < kSaved;
      any = any || (value->uses > 0 && !value->is_short);
    }
    if (!any) return body;
    next_ = 0;
    return rewrite(body);
  }

 private:
  struct Value {
    const Expr* expression;
    std::size_t key;        // of the expression
    Symbol name = {};       // a variable that holds it anyhow, or the name that it gets
    bool has_name = false;  // before it is rewritten: a variable holds it
    int uses = 0;           // beside the first
    bool is_short = false;  // so that a name is not worth it
  };
  using Table = std::vector<Value*>;

  // How an expression stands where it is read.
  struct Place {
    bool sometimes = false;  // it may not be evaluated
    bool read_only = false;  // its reader makes a new value
    bool held = false;       // it is all that a name gets
  };

  // --- what the walks have in common: the order in which expressions are seen

  // What a statement evaluates itself, once.
  const Expr* evaluated(const Stmt* statement) const {
    if (shared_ == Shared::Long && !is_backward(statement)) return nullptr;
    const Expr* expression = all_evaluated(statement);
    return expression != nullptr && is_small(expression) ? expression : nullptr;
  }

  // The user's statements stay as they are.
  bool is_backward(const Stmt* statement) const {
    return (is<Assign>(statement) || is<AugmentedAssign>(statement) || is<Return>(statement)) &&
           !input_.forward.contains(statement);
  }

  // Expressions of some length that stand in the backward part more than once.
  void find_repeated(Block body) {
    std::unordered_map<std::size_t, std::vector<const Expr*>> by_key;
    const auto look = [&](const auto& self, Block block) -> void {
      for (const Stmt* statement : block) {
        if (const Expr* expression = evaluated(statement)) {
          for_each_node(*expression, [&](const Node& node) {
            if (!is_expression(node.kind) || is_leaf(node)) return;
            const auto* part = static_cast<const Expr*>(&node);
            if (length_of(part) >= kShortestShared) by_key[value_key(part)].push_back(part);
          });
        }
        for_each_child(*statement, [&](const Node* child) {
          if (!is_statement(child->kind)) return;
          const auto* inner = static_cast<const Stmt*>(child);
          self(self, Block(&inner, 1));
        });
      }
    };
    look(look, body);
    for (const auto& [key, parts] : by_key) {
      if (parts.size() > 1) repeated_.insert(parts.begin(), parts.end());
    }
  }

  static const Expr* all_evaluated(const Stmt* statement) {
    if (const auto* assign = as<Assign>(statement)) return assign->value;
    if (const auto* augmented = as<AugmentedAssign>(statement)) return augmented->value;
    if (const auto* push = as<Push>(statement)) return push->value;
    if (const auto* effect = as<ExpressionStatement>(statement)) return effect->value;
    if (const auto* result = as<Return>(statement)) return result->value;
    if (const auto* branch = as<If>(statement)) return branch->test;
    if (const auto* loop = as<For>(statement)) return loop->iterable;
    return nullptr;
  }

  static Place place_of(const Stmt* statement) {
    Place place;
    place.read_only = is<AugmentedAssign>(statement) || is<If>(statement);
    const auto* assign = as<Assign>(statement);
    place.held = assign != nullptr && is<Name>(assign->targets[0]);
    // What is stored into an array is copied there.
    if (assign != nullptr && is<Subscript>(assign->targets[0])) place.read_only = true;
    return place;
  }

  bool is_elementwise(const Call* call) const {
    const Rule* rule = input_.rules.find(call->callee.text());
    return (rule != nullptr && rule->elementwise) || only_reads(call->callee.text());
  }

  // f(child, place) for the expressions in an expression.
  template <class F>
  const Expr* for_operands(const Expr* node, Place place, F&& f) {
    if (is<Comprehension>(node) || is<Lambda>(node) || is<NamedExpression>(node) ||
        is<FormattedString>(node)) {
      return node;
    }
    const auto* call = as<Call>(node);
    place.held = false;
    place.read_only = is<BinaryOperation>(node) || is<UnaryOperation>(node) ||
                      is<Comparison>(node) || (call != nullptr && is_elementwise(call));
    bool first = true;
    return static_cast<const Expr*>(
        rewrite_children(input_.context, *node, [&](const Node* child) -> const Node* {
          Place inner = place;
          if (is<Conditional>(node) || is<BooleanOperation>(node))
            inner.sometimes = inner.sometimes || !first;
          first = false;
          if (const auto* keyword = as<Keyword>(child)) {
            inner.read_only = false;
            const Expr* value = f(keyword->value, inner);
            return value == keyword->value
                       ? child
                       : input_.context.make<Keyword>(keyword->ranges, keyword->name, value);
          }
          if (!is_expression(child->kind)) return child;
          return f(static_cast<const Expr*>(child), inner);
        }));
  }

  // --- which values there are, and where they are read again

  bool is_candidate(const Expr* node, const Place& place) const {
    if (shared_ == Shared::Calls && !is<Call>(node)) return false;
    if (shared_ == Shared::Long && !repeated_.contains(node)) return false;
    if (!is<BinaryOperation>(node) && !is<Call>(node) && !is<Subscript>(node) &&
        !is<Comparison>(node))
      return false;
    const Type type = input_.type_of(node);
    if (!is_numeric(type) || type.dtype == DType::Integer) return false;
    if ((is<Subscript>(node) || is<Comparison>(node)) && (is<Subscript>(node) != type.is_number()))
      return false;
    if (type.is_array() && !place.read_only && !place.held) return false;
    if (const auto* call = as<Call>(node)) {
      const Rule* rule = input_.rules.find(call->callee.text());
      if (rule == nullptr || rule->constant || !is_elementwise(call) || !call->keywords.empty())
        return false;
    }
    bool plain = true;
    bool reads = false;
    for_each_read(node, [&](Symbol read) {
      reads = true;
      plain = plain && is_numeric(input_.type_of(input_.context.local(read)));
    });
    return plain && reads && input_.effects.is_pure(node);
  }

  static bool same(const Expr* a, const Expr* b) {
    if (equal(a, b)) return true;
    const auto* first = as<BinaryOperation>(a);
    const auto* second = as<BinaryOperation>(b);
    return first != nullptr && second != nullptr && first->op == second->op &&
           (first->op == BinaryOperator::Add || first->op == BinaryOperator::Multiply) &&
           equal(first->left, second->right) && equal(first->right, second->left);
  }

  const Expr* find(const Expr* node, Place place, Table& table, Value*& whole) {
    const std::size_t number = chosen_.size();
    chosen_.push_back(nullptr);
    if (is_candidate(node, place)) {
      const Type type = input_.type_of(node);
      const std::size_t key = value_key(node);
      for (Value* value : table) {
        if (value->key != key || !same(value->expression, node)) continue;
        // An array that a name gets would have two names.
        if (type.is_array() && place.held) break;
        ++value->uses;
        chosen_[number] = value;
        return node;
      }
      for_operands(node, place, [&](const Expr* child, const Place& inner) {
        Value* none = nullptr;
        return find(child, inner, table, none);
      });
      if (!place.sometimes && open_) {
        values_.push_back(std::make_unique<Value>(Value{.expression = node, .key = key}));
        chosen_[number] = values_.back().get();
        table.push_back(values_.back().get());
        whole = values_.back().get();
      }
      return node;
    }
    for_operands(node, place, [&](const Expr* child, const Place& inner) {
      Value* none = nullptr;
      return find(child, inner, table, none);
    });
    return node;
  }

  void find(Block block, Table table) {
    for (const Stmt* statement : block) {
      // A name in front of an `elif` would make it an `else`.
      open_ = !(is<If>(statement) && block.size() == 1 && is_orelse_);
      is_orelse_ = false;
      Value* whole = nullptr;
      if (const Expr* expression = evaluated(statement)) {
        // Nothing is evaluated before what has effects.
        open_ = open_ && (is<Pop>(expression) || input_.effects.is_pure(expression));
        find(expression, place_of(statement), table, whole);
      }
      if (const auto* branch = as<If>(statement)) {
        find(branch->body, table);
        is_orelse_ = true;
        find(branch->orelse, table);
        is_orelse_ = false;
        kill(statement, table);
        continue;
      }
      kill(statement, table);
      if (const auto* loop = as<For>(statement)) find(loop->body, table);
      if (const auto* repeat = as<While>(statement)) find(repeat->body, table);
      hold(statement, whole, table);
    }
  }

  // After `v = e` the value of e is that of v.
  void hold(const Stmt* statement, Value* whole, Table& table) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr || whole == nullptr) return;
    const auto* name = as<Name>(assign->targets[0]);
    if (name == nullptr || mentions(assign->value, name->symbol)) {
      // An array that has this name alone is none to share.
      std::erase(table, whole);
      return;
    }
    whole->name = name->symbol;
    whole->has_name = true;
    if (std::ranges::find(table, whole) == table.end()) table.push_back(whole);
  }

  // Whether a statement may change the elements of arrays: of the adjoint's, of the primal's.
  void find_stores(const Stmt* statement, bool& adjoints, bool& others) const {
    const auto note = [&](const Expr* target) {
      const Name* root = root_of(target);
      (root != nullptr && input_.adjoints.contains(root->symbol) ? adjoints : others) = true;
    };
    if (const auto* assign = as<Assign>(statement)) {
      if (is<Subscript>(assign->targets[0])) note(assign->targets[0]);
      if (!is<Pop>(assign->value) && !input_.effects.is_pure(assign->value)) others = true;
    } else if (const auto* augmented = as<AugmentedAssign>(statement)) {
      if (!input_.type_of(augmented->target).is_number() || is<Subscript>(augmented->target))
        note(augmented->target);
      if (!input_.effects.is_pure(augmented->value)) others = true;
    } else if (const auto* effect = as<ExpressionStatement>(statement)) {
      if (!input_.effects.is_pure(effect->value) || list_change(statement)) {
        adjoints = true;
        others = true;
      }
    }
    for_each_child(*statement, [&](const Node* child) {
      if (is_statement(child->kind)) find_stores(static_cast<const Stmt*>(child), adjoints, others);
    });
  }

  void kill(const Stmt* statement, Table& table) {
    std::unordered_set<Symbol> defined;
    for_each_definition(statement, [&](Symbol symbol) { defined.insert(symbol); });
    bool adjoints = false;
    bool others = false;
    find_stores(statement, adjoints, others);
    std::erase_if(table, [&](const Value* value) {
      bool ends = value->has_name && ends_with(value->name, defined, adjoints, others);
      for_each_read(value->expression, [&](Symbol read) {
        ends = ends || ends_with(read, defined, adjoints, others);
      });
      return ends;
    });
  }

  bool ends_with(Symbol read, const std::unordered_set<Symbol>& defined, bool adjoints,
                 bool others) const {
    if (defined.contains(read)) return true;
    if (!adjoints && !others) return false;
    if (input_.type_of(input_.context.local(read)).is_number()) return false;
    return input_.adjoints.contains(read) ? adjoints : others;
  }

  // --- the program with the names

  const Expr* rewritten(const Expr* node, Place place, std::vector<const Stmt*>& out) {
    Value* value = chosen_[next_++];
    if (value != nullptr && value->uses > 0 && seen_.contains(value)) {
      if (value->is_short || (!value->has_name && value->name.empty())) return node;
      return input_.context.local(value->name, node->ranges);
    }
    const Expr* now = for_operands(node, place, [&](const Expr* child, const Place& inner) {
      return rewritten(child, inner, out);
    });
    if (value == nullptr || value->uses == 0) return now;
    seen_.insert(value);
    if (value->has_name || value->is_short) return now;
    value->name = input_.fresh(Reverse::name_for(node), input_.type_of(node));
    // What the adjoint made itself stands where the statement does.
    out.push_back(input_.context.assign(input_.context.local(value->name), now,
                                        node->ranges.empty() ? ranges_ : node->ranges));
    return input_.context.local(value->name, node->ranges);
  }

  Block rewrite(Block block) {
    return with_statements(input_.context, block, [this](const Stmt* statement, auto& out) {
      const Expr* expression = evaluated(statement);
      ranges_ = statement->ranges;
      const Expr* now =
          expression != nullptr ? rewritten(expression, place_of(statement), out) : nullptr;
      const Stmt* kept = now != expression ? with(statement, now) : statement;
      return with_blocks(input_.context, kept, [this](Block inner) { return rewrite(inner); });
    });
  }

  // The statement with another expression.
  const Stmt* with(const Stmt* statement, const Expr* now) const {
    Context& context = input_.context;
    if (const auto* assign = as<Assign>(statement))
      return context.make<Assign>(assign->ranges, assign->targets, now);
    if (const auto* augmented = as<AugmentedAssign>(statement))
      return context.make<AugmentedAssign>(augmented->ranges, augmented->target, augmented->op,
                                           now);
    if (const auto* push = as<Push>(statement))
      return context.make<Push>(push->ranges, push->tape, now, push->pair);
    if (is<ExpressionStatement>(statement))
      return context.make<ExpressionStatement>(statement->ranges, now);
    if (is<Return>(statement)) return context.make<Return>(statement->ranges, now);
    if (const auto* branch = as<If>(statement))
      return context.make<If>(branch->ranges, now, branch->body, branch->orelse);
    const auto* loop = static_cast<const For*>(statement);
    return context.make<For>(loop->ranges, loop->target, now, loop->body, loop->orelse,
                             loop->is_async);
  }

  const PassInput& input_;
  Shared shared_;
  std::unordered_set<const Expr*> repeated_;
  std::vector<std::unique_ptr<Value>> values_;
  std::vector<Value*> chosen_;  // by the order in which expressions are seen
  std::size_t next_ = 0;
  std::unordered_set<const Value*> seen_;  // whose first place has been rewritten
  Ranges ranges_;                          // of the statement that is rewritten
  bool open_ = true;                       // whether the statement may be given names in front
  bool is_orelse_ = false;
};

}  // namespace

Block share_subexpressions(Block body, const PassInput& input) {
  return CommonSubexpressions(input, Shared::All).run(body);
}

// By default only what a person would not write twice either, and where it is the adjoint's own.
Block share_long_subexpressions(Block body, const PassInput& input) {
  return CommonSubexpressions(input, Shared::Long).run(body);
}

// Of the primal only calls: what is arithmetic is computed again backwards, where a name would have
// to be kept on a tape; results of calls are kept in any case, and now once.
Block share_calls(Block body, const PassInput& input) {
  return CommonSubexpressions(input, Shared::Calls).run(body);
}

}  // namespace tangent
