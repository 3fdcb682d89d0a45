#include "analysis/views.h"

#include <algorithm>
#include <string>

#include "analysis/variables.h"

namespace tangent {

namespace {

class Views {
 public:
  Views(const TypedFunction& typed, const std::unordered_set<Symbol>& names, Context& context)
      : typed_(typed), names_(names), context_(context) {}

  Block run(Block body) {
    for (const Stmt* statement : body) count(statement);
    for (const Parameter* parameter : typed_.core->parameters) lost_.insert(parameter->name);
    find(body);
    // Every read has to belong to a binding that can be spelled out.
    for (const auto& [name, seen] : seen_) {
      if (seen != mentions_[name]) lost_.insert(name);
    }
    std::erase_if(bindings_, [&](const auto& entry) { return lost_.contains(entry.second.name); });
    std::erase_if(rows_, [&](const auto& entry) { return lost_.contains(entry.second.row); });
    if (bindings_.empty() && rows_.empty()) return body;
    const Block spelled = rewrite(body);
    return std::ranges::all_of(spelled, stores_into_variables) ? spelled : body;
  }

 private:
  struct Binding {
    Symbol name;
    const Expr* value;
  };
  // A loop over the rows of an array; the counter is the text's own, or empty.
  struct Rows {
    Symbol row;
    const Expr* array;
    Symbol counter;
  };

  // Whether all that is stored into is an element or slice of a variable, not of `y.T`.
  static bool stores_into_variables(const Stmt* statement) {
    return find_node(statement, [](const Node* node) {
             const auto* assign = as<Assign>(node);
             const auto* augmented = as<AugmentedAssign>(node);
             const Expr* target = assign != nullptr      ? assign->targets[0]
                                  : augmented != nullptr ? augmented->target
                                                         : nullptr;
             const bool place = is<Subscript>(target) || is<Attribute>(target);
             return target != nullptr && place && root_of(target) == nullptr;
           }) == nullptr;
  }

  void count(const Node* node) {
    SmallStack<const Node*> stack(node);
    while (!stack.empty()) {
      const Node* top = stack.pop();
      if (const auto* name = as<Name>(top); name != nullptr && name->scope == Scope::Local)
        ++mentions_[name->symbol];
      push_children(stack, *top);
    }
  }

  static int count_of(const Node* node, Symbol symbol) {
    int found = 0;
    for_each_read(node, [&](Symbol read) { found += read == symbol ? 1 : 0; });
    return found;
  }

  // Whether a statement gives a name another object; `array += e` leaves it with the same one.
  bool binds(const Stmt* statement, Symbol symbol) const {
    bool found = false;
    const auto look = [&](const auto& self, const Stmt* it) -> void {
      if (changes_in_place(it)) return;
      if (is<Assign>(it) || is<AugmentedAssign>(it) || is<ExpressionStatement>(it)) {
        for_each_binding(it, [&](Symbol bound) { found = found || bound == symbol; });
        return;
      }
      if (const auto* loop = as<For>(it))
        for_each_target(loop->target, [&](Symbol bound) { found = found || bound == symbol; });
      for_each_child(*it, [&](const Node* child) {
        if (is_statement(child->kind)) self(self, static_cast<const Stmt*>(child));
      });
    };
    look(look, statement);
    return found;
  }

  bool changes_in_place(const Stmt* statement) const {
    const auto* augmented = as<AugmentedAssign>(statement);
    return augmented != nullptr && is<Name>(augmented->target) &&
           typed_.type_of(augmented->target).is_array();
  }

  // Arithmetic of names and constants: it is the same again as long as the names are.
  static bool is_calm(const Expr* index) {
    switch (index->kind) {
      case Kind::Name:
      case Kind::Constant:
        return true;
      case Kind::UnaryOperation:
        return is_calm(static_cast<const UnaryOperation*>(index)->operand);
      case Kind::BinaryOperation:
        return is_calm(static_cast<const BinaryOperation*>(index)->left) &&
               is_calm(static_cast<const BinaryOperation*>(index)->right);
      case Kind::Slice: {
        const auto* slice = static_cast<const Slice*>(index);
        for (const Expr* part : {slice->lower, slice->upper, slice->step}) {
          if (part != nullptr && !is_calm(part)) return false;
        }
        return true;
      }
      case Kind::TupleDisplay: {
        const Exprs elements = static_cast<const TupleDisplay*>(index)->elements;
        return std::all_of(elements.begin(), elements.end(), is_calm);
      }
      default:
        return false;
    }
  }

  bool is_basic(const Expr* index) const {
    if (const auto* tuple = as<TupleDisplay>(index)) {
      return std::all_of(tuple->elements.begin(), tuple->elements.end(),
                         [&](const Expr* part) { return is_basic(part); });
    }
    const Type type = typed_.type_of(index);
    return is<Slice>(index) || type.kind == TypeKind::None ||
           (type.is_number() && type.dtype == DType::Integer);
  }

  // Whether a value is an array by another name, or surely a view of one.
  bool is_reference(const Expr* value) const {
    if (!typed_.type_of(value).is_array()) return false;
    if (const auto* name = as<Name>(value)) return name->scope == Scope::Local;
    if (is_transposed(value)) return is_reference(static_cast<const Attribute*>(value)->value);
    const auto* subscript = as<Subscript>(value);
    return subscript != nullptr && is_calm(subscript->index) && is_basic(subscript->index) &&
           is_reference(subscript->value);
  }

  // `y.T` of a matrix.
  bool is_transposed(const Expr* value) const {
    const auto* attribute = as<Attribute>(value);
    return attribute != nullptr && attribute->attribute.text() == "T" &&
           typed_.type_of(value).is_array() && typed_.type_of(value).rank == 2;
  }

  // The index into `y` of what `y.T[index]` is, `written` as it stands in the text; null if that
  // is a transposed part.
  const Expr* across(const Expr* written, const Expr* index) {
    const auto is_one = [&](const Expr* part) {
      const Type type = typed_.type_of(part);
      return !is<Slice>(part) && type.is_number() && type.dtype == DType::Integer;
    };
    const auto* parts = as<TupleDisplay>(written);
    if (parts == nullptr) {
      if (!is_one(written)) return nullptr;
      const Expr* const none = nullptr;
      const Expr* all = context_.make<Slice>(index->ranges, none, none, none);
      return context_.make<TupleDisplay>(index->ranges,
                                         Exprs(context_.list<const Expr*>({all, index})));
    }
    if (parts->elements.size() != 2 || !is_basic(written)) return nullptr;
    if (!is_one(parts->elements[0]) && !is_one(parts->elements[1])) return nullptr;
    for (const Expr* part : parts->elements) {
      if (typed_.type_of(part).kind == TypeKind::None) return nullptr;
    }
    const Exprs now = static_cast<const TupleDisplay*>(index)->elements;
    return context_.make<TupleDisplay>(index->ranges,
                                       Exprs(context_.list<const Expr*>({now[1], now[0]})));
  }

  void find(Block block) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      const Stmt* statement = block[k];
      if (const auto* branch = as<If>(statement)) {
        find(branch->body);
        find(branch->orelse);
      } else if (const auto* loop = as<For>(statement)) {
        if (!is_over_rows(loop))
          for_each_target(loop->target, [&](Symbol symbol) { lost_.insert(symbol); });
        find(loop->body);
      } else if (const auto* repeat = as<While>(statement)) {
        find(repeat->body);
      } else if (!changes_in_place(statement)) {
        for_each_binding(statement, [&](Symbol symbol) {
          if (names_.contains(symbol)) bind(block, k, symbol);
        });
      }
    }
  }

  // `for row in grid`, where the rows are views that the body neither binds anew nor leaves behind.
  bool is_over_rows(const For* loop) {
    const Expr* array = loop->iterable;
    const auto* row = as<Name>(loop->target);
    Symbol counter;
    // for k, row in enumerate(grid)
    const auto* pair = as<TupleDisplay>(loop->target);
    const auto* call = as<Call>(array);
    if (pair != nullptr && pair->elements.size() == 2 && call != nullptr &&
        call->callee.text() == "builtins.enumerate" && call->arguments.size() == 1 &&
        call->keywords.empty() && is<Name>(pair->elements[0])) {
      counter = static_cast<const Name*>(pair->elements[0])->symbol;
      row = as<Name>(pair->elements[1]);
      array = call->arguments[0];
    }
    if (row == nullptr || !names_.contains(row->symbol) || !is_reference(array) ||
        !typed_.type_of(row).is_array())
      return false;
    int reads = 0;
    for (const Stmt* statement : loop->body) {
      if (binds(statement, row->symbol) || (counter && binds(statement, counter))) return false;
      bool moves = false;
      for_each_read(array, [&](Symbol read) { moves = moves || binds(statement, read); });
      if (moves) return false;
      reads += count_of(statement, row->symbol);
    }
    seen_[row->symbol] += reads + 1;
    rows_.emplace(loop, Rows{row->symbol, array, counter});
    return true;
  }

  Symbol fresh(const std::string& wish) {
    Symbol symbol = context_.symbol(wish);
    const auto is_taken = [&](Symbol name) {
      return mentions_.contains(name) || typed_.core->find_global(name) != nullptr ||
             std::ranges::any_of(typed_.core->parameters,
                                 [&](const Parameter* it) { return it->name == name; });
    };
    for (int number = 2; is_taken(symbol); ++number)
      symbol = context_.symbol(wish + std::to_string(number));
    mentions_.emplace(symbol, 1);
    return symbol;
  }

  // for k in range(len(grid)): with grid[k] for the row
  const Stmt* counted(const For* loop, const Rows& rows) {
    const Symbol row = rows.row;
    const Expr* array = static_cast<const Expr*>(replaced(rows.array));
    const Symbol counter = rows.counter ? rows.counter : fresh(std::string(row.text()) + "_index");
    const auto call = [&](const char* name, const Expr* argument) {
      return context_.make<Call>(loop->ranges, context_.global(context_.symbol(name)),
                                 context_.symbol(std::string("builtins.") + name),
                                 Exprs(context_.list<const Expr*>({argument})),
                                 List<const Keyword*>());
    };
    const auto outer = now_;
    now_[row] = context_.make<Subscript>(loop->ranges, array, context_.local(counter));
    const Block body = rewrite(loop->body);
    now_ = outer;
    return context_.make<For>(loop->ranges, context_.local(counter, loop->target->ranges),
                              call("range", call("len", again(array, loop->ranges))), body,
                              loop->orelse, loop->is_async);
  }

  void bind(Block block, std::size_t k, Symbol symbol) {
    const auto* assign = as<Assign>(block[k]);
    const bool plain = assign != nullptr && is<Name>(assign->targets[0]);
    if (!plain || !is_reference(assign->value) || count_of(assign->value, symbol) > 0) {
      lost_.insert(symbol);
      return;
    }
    // The statements that read this value: up to the next binding in the block.
    std::size_t end = k + 1;
    std::size_t last = k;
    int reads = 0;
    for (; end < block.size(); ++end) {
      const auto* next = as<Assign>(block[end]);
      const bool again = next != nullptr && is<Name>(next->targets[0]) &&
                         static_cast<const Name*>(next->targets[0])->symbol == symbol;
      if (again) {
        const int own = count_of(next->value, symbol);
        reads += own;
        if (own > 0) last = end;
        break;
      }
      if (binds(block[end], symbol)) lost_.insert(symbol);
      const int found = count_of(block[end], symbol);
      reads += found;
      if (found > 0) last = end;
    }
    for (std::size_t between = k + 1; between <= last && between < block.size(); ++between) {
      for_each_read(assign->value, [&](Symbol read) {
        if (binds(block[between], read) && !(between == last && end == last)) lost_.insert(symbol);
      });
    }
    seen_[symbol] += reads + 1;
    bindings_.emplace(block[k], Binding{symbol, assign->value});
  }

  Block rewrite(Block block) {
    std::vector<const Stmt*> out;
    const std::unordered_map<Symbol, const Expr*> outer = now_;
    for (const Stmt* statement : block) {
      const auto binding = bindings_.find(statement);
      if (binding != bindings_.end()) {
        now_[binding->second.name] = static_cast<const Expr*>(replaced(binding->second.value));
        continue;
      }
      out.push_back(static_cast<const Stmt*>(replaced(statement)));
    }
    now_ = outer;
    if (out.empty()) {
      out.push_back(context_.make<Pass>(block.empty() ? Ranges() : block.front()->ranges));
    }
    return context_.list(out);
  }

  const Node* replaced(const Node* node) {
    if (const auto* name = as<Name>(node)) {
      const auto found = now_.find(name->symbol);
      return found != now_.end() && name->scope == Scope::Local ? again(found->second, name->ranges)
                                                                : node;
    }
    if (const auto* branch = as<If>(node)) {
      const auto* test = static_cast<const Expr*>(replaced(branch->test));
      const Block body = rewrite(branch->body);
      return context_.make<If>(branch->ranges, test, body,
                               branch->orelse.empty() ? Block() : rewrite(branch->orelse));
    }
    if (const auto* loop = as<For>(node)) {
      const auto row = rows_.find(loop);
      if (row != rows_.end()) return counted(loop, row->second);
      const auto* iterable = static_cast<const Expr*>(replaced(loop->iterable));
      return context_.make<For>(loop->ranges, loop->target, iterable, rewrite(loop->body),
                                loop->orelse, loop->is_async);
    }
    if (const auto* repeat = as<While>(node)) {
      const auto* test = static_cast<const Expr*>(replaced(repeat->test));
      return context_.make<While>(repeat->ranges, test, rewrite(repeat->body), repeat->orelse);
    }
    const Node* now =
        rewrite_children(context_, *node, [&](const Node* child) { return replaced(child); });
    // `y.T[i, j]` is `y[j, i]`.
    const auto* written = as<Subscript>(node);
    const auto* subscript = as<Subscript>(now);
    const auto* transposed = subscript != nullptr ? as<Attribute>(subscript->value) : nullptr;
    if (written != nullptr && transposed != nullptr && transposed->attribute.text() == "T" &&
        typed_.type_of(written->value).is_array() && typed_.type_of(written->value).rank == 2) {
      if (const Expr* index = across(written->index, subscript->index))
        return context_.make<Subscript>(node->ranges, transposed->value, index);
    }
    return now;
  }

  // A copy of its own for every place: side tables go by node.
  const Expr* again(const Expr* value, Ranges ranges) {
    switch (value->kind) {
      case Kind::Name:
        return context_.local(static_cast<const Name*>(value)->symbol, ranges);
      case Kind::Attribute: {
        const auto* attribute = static_cast<const Attribute*>(value);
        return context_.make<Attribute>(ranges, again(attribute->value, ranges),
                                        attribute->attribute);
      }
      case Kind::Subscript: {
        const auto* subscript = static_cast<const Subscript*>(value);
        return context_.make<Subscript>(ranges, again(subscript->value, ranges),
                                        again(subscript->index, ranges));
      }
      case Kind::BinaryOperation: {
        const auto* operation = static_cast<const BinaryOperation*>(value);
        return context_.make<BinaryOperation>(ranges, operation->op, again(operation->left, ranges),
                                              again(operation->right, ranges));
      }
      case Kind::UnaryOperation: {
        const auto* operation = static_cast<const UnaryOperation*>(value);
        return context_.make<UnaryOperation>(ranges, operation->op,
                                             again(operation->operand, ranges));
      }
      case Kind::TupleDisplay: {
        std::vector<const Expr*> elements;
        for (const Expr* element : static_cast<const TupleDisplay*>(value)->elements)
          elements.push_back(again(element, ranges));
        return context_.make<TupleDisplay>(ranges, context_.list(elements));
      }
      case Kind::Slice: {
        const auto* slice = static_cast<const Slice*>(value);
        auto part = [&](const Expr* it) { return it != nullptr ? again(it, ranges) : nullptr; };
        return context_.make<Slice>(ranges, part(slice->lower), part(slice->upper),
                                    part(slice->step));
      }
      default:
        return value;
    }
  }

  const TypedFunction& typed_;
  const std::unordered_set<Symbol>& names_;
  Context& context_;
  std::unordered_map<Symbol, int> mentions_;  // in the whole function
  std::unordered_map<Symbol, int> seen_;      // that belong to a binding
  std::unordered_set<Symbol> lost_;           // cannot be spelled out
  std::unordered_map<const Stmt*, Binding> bindings_;
  std::unordered_map<const For*, Rows> rows_;
  std::unordered_map<Symbol, const Expr*> now_;
};

}  // namespace

Block spell_out_views(Block body, const TypedFunction& typed,
                      const std::unordered_set<Symbol>& names, Context& context) {
  return Views(typed, names, context).run(body);
}

}  // namespace tangent
