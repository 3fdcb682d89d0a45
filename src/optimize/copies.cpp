// Copies of adjoints that nothing could tell from the array itself:
//
//     btotal = bv + step * bx            btotal = bv + step * bx
//     bv = np.copy(btotal)        ->     bv = btotal
//
// Names are put together where they may stand for one array, from anywhere in the program to
// anywhere else. A copy goes if no name that either side is put together with is ever changed in
// place, and if what is given back is neither given back twice nor the caller's own; a copy of
// `_unbroadcast(b * c, x)` is one of an array that has no name at all. In: the adjoint program.
// Out: the same with such copies as what they copy.
#include <algorithm>

#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

class Copies {
 public:
  explicit Copies(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    if (input_.has_halves || !holds_copy(body)) return body;
    for (const Stmt* statement : body) note(statement);
    // The two sides of each copy that may go are together from now on.
    std::unordered_map<std::size_t, Group> groups;
    for (const Symbol symbol : changed_) group_of(symbol, groups).changed = true;
    for (const Symbol symbol : returned_) ++group_of(symbol, groups).returned;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      if (!defined_.contains(variables_.symbol(k)))
        group_of(variables_.symbol(k), groups).given = true;
    }
    return block(body, groups);
  }

 private:
  struct Group {
    bool changed = false;  // in place, under one of the names
    bool given = false;    // one of the names is an argument
    int returned = 0;      // how many of the names are given back
  };

  // What is copied under a name; null if nothing is.
  static const Expr* copied_value(const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    const auto* call = assign != nullptr ? as<Call>(assign->value) : nullptr;
    const bool copies = call != nullptr && call->callee.text() == "numpy.copy" &&
                        call->arguments.size() == 1 && is<Name>(assign->targets[0]);
    return copies ? call->arguments[0] : nullptr;
  }

  // The array that a copy is of, if it does not fit another shape.
  static const Expr* copied_array(const Stmt* statement) {
    const Expr* value = copied_value(statement);
    const auto* call = as<Call>(value);
    const bool fits = call != nullptr && call->callee.text() == "tangent.runtime._unbroadcast" &&
                      call->arguments.size() == 2;
    return fits ? call->arguments[0] : value;
  }

  // Whether a copy is of a fitted array that nothing else knows.
  bool is_of_fresh(const Stmt* statement) const {
    const Expr* array = copied_array(statement);
    return array != copied_value(statement) && is_fresh(array);
  }

  bool may_go(const Stmt* statement) const {
    const Expr* array = copied_array(statement);
    if (array == nullptr || input_.forward.contains(statement)) return false;
    const auto* to = static_cast<const Name*>(static_cast<const Assign*>(statement)->targets[0]);
    if (!input_.adjoints.contains(to->symbol)) return false;
    const auto* from = as<Name>(array);
    return from != nullptr ? input_.adjoints.contains(from->symbol) : is_of_fresh(statement);
  }

  bool holds_copy(Block block) const {
    return std::ranges::any_of(block, [&](const Stmt* statement) {
      if (const auto* branch = as<If>(statement))
        return holds_copy(branch->body) || holds_copy(branch->orelse);
      if (const auto* loop = as<For>(statement)) return holds_copy(loop->body);
      if (const auto* repeat = as<While>(statement)) return holds_copy(repeat->body);
      return may_go(statement);
    });
  }

  // --- names that may stand for one array

  std::size_t find(std::size_t k) {
    while (k < parents_.size() && parents_[k] != k) k = parents_[k];
    return k;
  }
  std::size_t number(Symbol symbol) {
    const std::size_t k = variables_.number(symbol);
    while (parents_.size() <= k) parents_.push_back(parents_.size());
    return k;
  }
  void put_together(Symbol a, Symbol b) { parents_[find(number(a))] = find(number(b)); }
  Group& group_of(Symbol symbol, std::unordered_map<std::size_t, Group>& groups) {
    return groups[find(number(symbol))];
  }

  // Whether a value is an array of its own, or no array at all.
  bool is_fresh(const Expr* value) const {
    if (is<Comparison>(value) || is<Constant>(value)) return true;
    // A sum of lists shares what is in them.
    if (is<BinaryOperation>(value) || is<UnaryOperation>(value))
      return input_.type_of(value).is_numeric();
    const auto* call = as<Call>(value);
    static constexpr std::string_view kFresh[] = {
        "numpy.copy",  "numpy.zeros_like", "numpy.zeros",   "numpy.full_like", "numpy.ones_like",
        "numpy.outer", "numpy.where",      "numpy.sum",     "numpy.exp",       "numpy.log",
        "numpy.sqrt",  "numpy.sin",        "numpy.cos",     "numpy.sign",      "numpy.dot",
        "numpy.mean",  "numpy.matmul",     "numpy.maximum", "numpy.minimum",   "numpy.tanh"};
    return call != nullptr && call->keywords.empty() &&
           std::ranges::find(kFresh, call->callee.text()) != std::end(kFresh);
  }

  void share(Symbol target, const Node* value) {
    for_each_read(value, [&](Symbol read) { put_together(target, read); });
    for_each_node(*value, [&](const Node& node) {
      if (const auto* pop = as<Pop>(&node)) put_together(target, pop->tape);
    });
  }

  void note(const Stmt* statement) {
    for_each_child(*statement, [&](const Node* child) {
      if (is_statement(child->kind)) return note(static_cast<const Stmt*>(child));
      for_each_read(child, [&](Symbol read) { number(read); });
      // What a call of a function of the program's own does to its arguments is not known.
      for_each_node(*child, [&](const Node& node) {
        const auto* call = as<Call>(&node);
        const std::string_view callee = call != nullptr ? call->callee.text() : "builtins.";
        if (!callee.starts_with("numpy.") && !callee.starts_with("builtins.") &&
            !callee.starts_with("math.") && !callee.starts_with("tangent.runtime."))
          for_each_read(call, [&](Symbol read) { changed_.insert(read); });
      });
    });
    for_each_definition(statement, [&](Symbol symbol) { defined_.insert(symbol); });
    if (const auto* assign = as<Assign>(statement)) {
      const bool kept = may_go(statement) || !is_fresh(assign->value);
      for (const Expr* target : assign->targets) {
        for_each_target(target, [&](Symbol symbol) {
          number(symbol);
          if (kept && !is_of_fresh(statement))
            share(symbol, may_go(statement) ? copied_array(statement) : assign->value);
          if (is<Subscript>(target)) changed_.insert(symbol);
        });
      }
    } else if (const auto* update = as<AugmentedAssign>(statement)) {
      for_each_target(update->target, [&](Symbol symbol) {
        if (!input_.numbers.contains(symbol)) changed_.insert(symbol);
        if (!is_fresh(update->value)) share(symbol, update->value);
      });
    } else if (const auto* loop = as<For>(statement)) {
      for_each_target(loop->target, [&](Symbol symbol) { share(symbol, loop->iterable); });
    } else if (const auto* push = as<Push>(statement)) {
      defined_.insert(push->tape);
      if (!is_fresh(push->value)) share(push->tape, push->value);
    } else if (const auto* result = as<Return>(statement)) {
      if (result->value != nullptr)
        for_each_read(result->value, [&](Symbol read) { returned_.push_back(read); });
    } else if (is<ExpressionStatement>(statement)) {
      for_each_read(statement, [&](Symbol read) { changed_.insert(read); });
    }
  }

  Block block(Block statements, std::unordered_map<std::size_t, Group>& groups) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : statements) {
      const Stmt* now =
          with_blocks(input_.context, statement, [&](Block inner) { return block(inner, groups); });
      if (may_go(statement)) {
        const auto* from = as<Name>(copied_array(statement));
        bool goes = from == nullptr;
        if (from != nullptr) {
          const Group& group = group_of(from->symbol, groups);
          goes = !group.changed && group.returned <= 1 && !(group.given && group.returned > 0);
        }
        if (goes)
          now = input_.context.make<Assign>(statement->ranges,
                                            static_cast<const Assign*>(statement)->targets,
                                            copied_value(statement));
      }
      changed = changed || now != statement;
      out.push_back(made_anew(statement, now, input_));
    }
    return changed ? input_.context.list(out) : statements;
  }

  const PassInput& input_;
  Variables variables_;
  std::vector<std::size_t> parents_;
  std::unordered_set<Symbol> defined_;
  std::unordered_set<Symbol> changed_;
  std::vector<Symbol> returned_;
};

}  // namespace

Block remove_copies(Block body, const PassInput& input) { return Copies(input).run(body); }

}  // namespace tangent
