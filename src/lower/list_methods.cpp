// Methods that change a list: those beyond `append` and `pop()` bind its name anew.
//
//     xs.insert(0, e)        xs = [e] + xs              xs.reverse()     xs = xs[::-1]
//     y = xs.pop(0)          y = xs[0]                  xs.sort()        xs = sorted(xs)
//                            xs = xs[1:]
//     xs.extend(ys)          for item in ys:
//                                xs.append(item)
//
// That is the same as long as nothing else refers to the list: `check_rebound_lists` looks at the
// finished program, and refuses what binds the list to a second name, keeps it in something else,
// or walks it meanwhile.
#include "lower/list_methods.h"

#include <optional>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/visit.h"

namespace tangent::lowering {

bool Lowering::rebinds_list(const Call& it, const Attribute& method) {
  const auto* list = as<Name>(method.value);
  const std::string_view name = method.attribute.text();
  if (list == nullptr || (!it.keywords.empty() && name != "sort")) return false;
  const std::size_t count = it.arguments.size();
  const bool known = (name == "extend" && count == 1) || (name == "insert" && count == 2) ||
                     (name == "pop" && count == 1 && integer_literal(it.arguments[0])) ||
                     ((name == "reverse" || name == "sort" || name == "clear") && count == 0);
  if (!known || holds(&it, Kind::Starred)) return false;
  const auto* local = as<Name>(this->name(*list));
  return local != nullptr && local->scope == Scope::Local;
}

const Expr* Lowering::list_method(const Call& it, const Attribute& method,
                                  Destination destination) {
  const Ranges ranges = at(it);
  const Symbol list = static_cast<const Name*>(name(*as<Name>(method.value)))->symbol;
  const std::string_view word = method.attribute.text();
  const auto itself = [&] { return static_cast<const Expr*>(context_.local(list, ranges)); };
  const auto integer = [&](std::int64_t value) -> const Expr* {
    if (value >= 0) return context_.integer(value, ranges);
    return context_.make<UnaryOperation>(ranges, UnaryOperator::Minus,
                                         static_cast<const Expr*>(context_.integer(-value)));
  };
  const auto slice = [&](const Expr* from, const Expr* to) -> const Expr* {
    return context_.make<Subscript>(
        ranges, itself(),
        context_.make<Slice>(ranges, from, to, static_cast<const Expr*>(nullptr)));
  };
  const auto sum = [&](const Expr* a, const Expr* b) -> const Expr* {
    return context_.make<BinaryOperation>(ranges, BinaryOperator::Add, a, b);
  };
  const auto rebind = [&](const Expr* value) {
    rebound_lists_.push_back({list, ranges});
    emit(context_.assign(context_.local(list, ranges), value, ranges));
  };
  const Expr* const none = destination.form == Destination::Form::Value
                               ? static_cast<const Expr*>(context_.none(ranges))
                               : nullptr;
  if (word == "extend") {
    extend_list(it, list);
    return none;
  }
  if (word == "pop") {
    const std::int64_t index = *integer_literal(it.arguments[0]);
    const Expr* item = context_.make<Subscript>(ranges, itself(), integer(index));
    item = bind_temporary(item, "item", ranges);
    const Expr* before = slice(nullptr, integer(index));
    const Expr* after = slice(integer(index + 1), nullptr);
    rebind(index == -1 ? before : index == 0 ? after : sum(before, after));
    if (destination.form == Destination::Form::Nothing) return nullptr;
    if (destination.form == Destination::Form::Value) return item;
    finish(destination, item, ranges);
    return nullptr;
  }
  if (word == "insert") {
    const Expr* values[2] = {nullptr, nullptr};
    operands(it.arguments, values);
    const Expr* place = values[0];
    keep_if_object(values[1]);
    put_into(itself(), holding_of(values[1]), ranges);
    if (!integer_literal(place) && !is<Name>(place)) place = bind_temporary(place, "place", ranges);
    const Expr* one = context_.make<ListDisplay>(ranges, context_.list<const Expr*>({values[1]}));
    const bool first = integer_literal(place) == 0;
    rebind(first ? sum(one, itself())
                 : sum(sum(slice(nullptr, place), one), slice(place, nullptr)));
  } else if (word == "reverse") {
    rebind(context_.make<Subscript>(
        ranges, itself(),
        context_.make<Slice>(ranges, static_cast<const Expr*>(nullptr),
                             static_cast<const Expr*>(nullptr), integer(-1))));
  } else if (word == "sort") {
    const Symbol sorted = context_.symbol("sorted");
    if (look_up(frame_->function, sorted).qualified_name.text() != "builtins.sorted")
      refuse(it, "`.sort()` where `sorted` is another function", "rename that function");
    if (!it.keywords.empty()) {
      // As `sorted(xs, key=…)`, which makes a new list.
      const auto* call = context_.make<Call>(
          it.ranges,
          static_cast<const Expr*>(context_.make<Name>(it.ranges, sorted, Scope::Unresolved)),
          Symbol(), context_.list<const Expr*>({method.value}), it.keywords);
      const Expr* made = expression(call);
      rebind(is<Name>(made)
                 ? context_.make<Call>(
                       ranges, static_cast<const Expr*>(global(context_.symbol("list"), ranges)),
                       context_.symbol("builtins.list"), context_.list<const Expr*>({made}),
                       List<const Keyword*>())
                 : made);
      return none;
    }
    rebind(context_.make<Call>(ranges, static_cast<const Expr*>(global(sorted, ranges)),
                               context_.symbol("builtins.sorted"),
                               context_.list<const Expr*>({itself()}), List<const Keyword*>()));
  } else {
    rebind(context_.make<ListDisplay>(ranges, Exprs()));
  }
  return none;
}

void Lowering::extend_list(const Call& it, Symbol list) {
  const Ranges ranges = at(it);
  const auto append = [&](const Expr* item) -> const Stmt* {
    const auto* method = context_.make<Attribute>(
        ranges, static_cast<const Expr*>(context_.local(list, ranges)), context_.symbol("append"));
    const auto* call =
        context_.make<Call>(ranges, static_cast<const Expr*>(method), Symbol(),
                            context_.list<const Expr*>({item}), List<const Keyword*>());
    return context_.make<ExpressionStatement>(ranges, static_cast<const Expr*>(call));
  };
  const Expr* items = expression(it.arguments[0]);
  if (const Exprs* elements = display_elements(items); elements && mentions(items, list)) {
    // All of them are computed before the first is appended.
    std::vector<const Expr*> kept;
    for (const Expr* element : *elements)
      kept.push_back(is<Constant>(element) ? element : bind_temporary(element, "item", ranges));
    items = context_.make<ListDisplay>(ranges, context_.list(kept));
  }
  put_into(context_.local(list, ranges), item_of(holding_of(items)), ranges);
  if (mentions(items, list)) {
    refuse(it, "extending a list by what is made of itself is not supported yet",
           "write `xs = xs + …`");
  }
  const auto* display = as<ListDisplay>(items);
  const auto* tuple = as<TupleDisplay>(items);
  if (display != nullptr || tuple != nullptr) {
    for (const Expr* item : display != nullptr ? display->elements : tuple->elements)
      emit(append(item));
    return;
  }
  const Symbol item = names_.fresh("item");
  note_holding(item, item_of(holding_of(items)), ranges);
  emit(context_.make<For>(ranges, static_cast<const Expr*>(context_.local(item, ranges)), items,
                          context_.list<const Stmt*>({append(context_.local(item, ranges))}),
                          Block(), false));
}

namespace {

// Where a list may stand without being kept: everything that reads its items or its length.
class SoleNames {
 public:
  SoleNames(const std::vector<ReboundList>& lists, const CoreFunction& core) : lists_(lists) {
    for (const Parameter* parameter : core.parameters) {
      for (const ReboundList& list : lists_) {
        if (list.name == parameter->name) refuse(list, "the caller sees the list, too");
      }
    }
    for (const Stmt* statement : core.body) statement_of(statement);
  }

 private:
  [[noreturn]] static void refuse(const ReboundList& list, const std::string& why) {
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "`" + std::string(list.name.text()) +
                         "` is written in place here, which is not supported: " + why,
                     list.ranges, "make a new list: `ys = sorted(xs)`, `ys = xs[1:]`, `xs + ys`");
  }

  [[nodiscard]] const ReboundList* list_of(const Expr* node) const {
    const auto* name = as<Name>(node);
    if (name == nullptr || name->scope != Scope::Local) return nullptr;
    for (const ReboundList& list : lists_) {
      if (list.name == name->symbol) return &list;
    }
    return nullptr;
  }

  // A new list: surely one, so that `sort` is not that of an array, and nothing else refers to it.
  static bool is_new(const Expr* value, Symbol list) {
    if (is<ListDisplay>(value)) return true;
    if (const auto* sum = as<BinaryOperation>(value)) {
      const auto is_part = [&](const Expr* part) {
        const auto* name = as<Name>(part);
        return (name != nullptr && name->symbol == list) || is_new(part, list);
      };
      if (sum->op == BinaryOperator::Add) return is_part(sum->left) && is_part(sum->right);
      const bool repeats = sum->op == BinaryOperator::Multiply;
      return repeats && ((is_part(sum->left) && integer_literal(sum->right)) ||
                         (integer_literal(sum->left) && is_part(sum->right)));
    }
    if (const auto* subscript = as<Subscript>(value)) {
      const auto* base = as<Name>(subscript->value);
      if (!is<Slice>(subscript->index)) return false;
      return base != nullptr ? base->symbol == list : is_new(subscript->value, list);
    }
    const auto* call = as<Call>(value);
    return call != nullptr &&
           (call->callee.text() == "builtins.list" || call->callee.text() == "builtins.sorted");
  }

  void kept(const Expr* value) const {
    if (const ReboundList* list = list_of(value)) refuse(*list, "another name refers to it");
    if (const auto* choice = as<Conditional>(value)) {
      kept(choice->body);
      kept(choice->orelse);
    }
    if (const auto* choice = as<BooleanOperation>(value)) {
      for (const Expr* part : choice->values) kept(part);
    }
    if (const auto* tuple = as<TupleDisplay>(value)) {
      for (const Expr* part : tuple->elements) kept(part);
    }
    if (const auto* display = as<ListDisplay>(value)) {
      for (const Expr* part : display->elements) kept(part);
    }
    if (const auto* dictionary = as<Dictionary>(value)) {
      for (const Expr* part : dictionary->values) kept(part);
    }
  }

  void statement_of(const Stmt* statement) const {
    if (const auto* binding = as<Assign>(statement)) {
      kept(binding->value);
      if (const ReboundList* list = list_of(binding->targets[0]);
          list && !is_new(binding->value, list->name))
        refuse(*list, "it may be no list, or be known by another name");
    }
    // Bound by anything but an assignment of its own.
    const auto* loop = as<For>(statement);
    const auto* assign = as<Assign>(statement);
    const auto* augmented = as<AugmentedAssign>(statement);
    const Expr* target = loop != nullptr ? loop->target
                         : assign != nullptr && is<TupleDisplay>(assign->targets[0])
                             ? assign->targets[0]
                         : augmented != nullptr ? augmented->target
                                                : nullptr;
    if (target != nullptr && !is<Subscript>(target)) {
      for_each_node(*target, [&](const Node& part) {
        const ReboundList* list =
            is_expression(part.kind) ? list_of(static_cast<const Expr*>(&part)) : nullptr;
        if (list != nullptr) refuse(*list, "something else may hold it, too");
      });
    }
    if (loop != nullptr) {
      for (const ReboundList& list : lists_) {
        if (!mentions(loop->iterable, list.name)) continue;
        for (const Stmt* inner : loop->body) {
          for_each_node(*inner, [&](const Node& node) {
            const auto* assign = as<Assign>(&node);
            if (assign != nullptr && list_of(assign->targets[0]) == &list)
              refuse(list, "a loop walks it meanwhile");
          });
        }
      }
    }
    for_each_child(*statement, [&](const Node* child) {
      if (is_statement(child->kind)) {
        statement_of(static_cast<const Stmt*>(child));
      } else {
        expression_of(child);
      }
    });
  }

  // What a call may keep: displays in arguments, and the list itself where it is handed to what is
  // no library function.
  void expression_of(const Node* top) const {
    for_each_node(*top, [&](const Node& node) {
      const auto* call = as<Call>(&node);
      if (call == nullptr) return;
      const std::string_view callee = call->callee.text();
      const bool library = callee.starts_with("builtins.") || callee.starts_with("numpy.") ||
                           callee.starts_with("math.");
      for (const Expr* argument : call->arguments) {
        const bool stays = library && !is<TupleDisplay>(argument) && !is<ListDisplay>(argument);
        if (!stays) kept(argument);
      }
    });
  }

  const std::vector<ReboundList>& lists_;
};

}  // namespace

void check_rebound_lists(const CoreFunction& core, const std::vector<ReboundList>& lists) {
  if (!lists.empty()) SoleNames(lists, core);
}

}  // namespace tangent::lowering
