// Forward part with its saves, backward part with its restores; see assemble.h.
#include "autodiff/assemble.h"

#include "autodiff/checkpoint_text.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

class Assembler {
 public:
  Assembler(const ReverseResult& reverse, const Saves& saves, Symbol result, NamePool& names,
            Context& context)
      : types_(*reverse.typing),
        plan_(reverse.plan),
        saves_(saves),
        result_(result),
        numpy_(reverse.numpy),
        names_(names),
        context_(context) {}

  Assembled run(Block body) {
    unread_ = context_.symbol("_");
    if (reads_name(body, unread_)) unread_ = names_.fresh("_");
    find_nested(body, false);
    choose_drivers(plan_.backward);
    Assembled out;
    forward(body, out.forward);
    for (const Stmt* statement : out.forward) note_primal(statement, out.primal);
    for (const Stmt* statement : added_) forget_primal(statement, out.primal);
    // The adjoint of the result is that of the last statement.
    backward(plan_.backward, body.empty() ? Ranges() : body.back()->ranges, out.backward);
    for (const Symbol tape : tapes_) {
      out.tapes.push_back(context_.assign(
          context_.local(tape), context_.make<ListDisplay>({}, Exprs()), saved_at_[tape]));
    }
    return out;
  }

 private:
  using Statements = std::vector<const Stmt*>;

  // --- loops that a tape drives

  // An outermost loop that would be run by count is driven by a tape instead, if one is pushed
  // exactly once on every full iteration and nowhere else: a save directly in the body.
  void choose_drivers(const std::vector<Back>& items) {
    for (const Back& item : items) {
      if (item.form == Back::Form::Branch) {
        choose_drivers(item.body);
        choose_drivers(item.orelse);
      } else if (item.form == Back::Form::Loop) {
        // A loop that is run again has a tape of its own each time.
        const bool nested =
            nested_.contains(item.statement) && !plan_.checkpoints.contains(item.statement);
        if (item.count && !is_one_step(item.statement)) choose_driver(item, nested);
        choose_drivers(item.body);
      } else if (item.form == Back::Form::Stretches) {
        choose_drivers(item.body);
      }
    }
  }

  bool is_one_step(const Stmt* loop) const {
    const auto found = plan_.checkpoints.find(loop);
    return found != plan_.checkpoints.end() && found->second.one_step;
  }

  void choose_driver(const Back& item, bool nested) {
    if (const auto plan = plan_.loops.find(item.statement);
        plan != plan_.loops.end() && plan->second.count_is_read) {
      return;
    }
    const auto* counted = as<For>(item.statement);
    const Block body =
        counted != nullptr ? counted->body : static_cast<const While*>(item.statement)->body;
    std::size_t last_exit = 0;
    for (std::size_t k = 0; k < end_of(item.statement, body); ++k) {
      if (holds_exit(body[k])) last_exit = k + 1;
    }
    for (std::size_t k = body.size() + 1; k-- > 0;) {
      for (const Save& save : saves_.find({key_of(body), static_cast<std::uint32_t>(k)})) {
        if (!save.tape) continue;
        if (!nested && (counted == nullptr || !reads_target(item))) {
          drivers_.emplace(item.statement, save.storage);
          uncounted_.insert(item.count);
          return;
        }
        // A loop inside another: its tape tells how often it ran, if a cut iteration pushes
        // nothing.
        if (k >= last_exit) {
          lengths_.emplace(item.statement, save.storage);
          return;
        }
      }
    }
  }

  // Where the iterations of a loop are done: an exit behind that cuts nothing.
  std::size_t end_of(const Stmt* loop, Block body) const {
    const auto plan = plan_.loops.find(loop);
    const bool ends_at_exit = plan != plan_.loops.end() && plan->second.ends_at_exit;
    return body.size() - (ends_at_exit ? 1 : 0);
  }

  void find_nested(Block block, bool inside) {
    for (const Stmt* statement : block) {
      if (const auto* branch = as<If>(statement)) {
        find_nested(branch->body, inside);
        find_nested(branch->orelse, inside);
      } else if (const auto* loop = as<For>(statement)) {
        if (inside) nested_.insert(statement);
        find_nested(loop->body, true);
      } else if (const auto* repeat = as<While>(statement)) {
        if (inside) nested_.insert(statement);
        find_nested(repeat->body, true);
      }
    }
  }

  static bool holds_exit(const Stmt* statement) {
    if (is<Break>(statement)) return true;
    const auto* branch = as<If>(statement);
    if (branch == nullptr) return false;
    return std::any_of(branch->body.begin(), branch->body.end(), holds_exit) ||
           std::any_of(branch->orelse.begin(), branch->orelse.end(), holds_exit);
  }

  // Whether the backward body needs the items that the loop runs over.
  static bool reads_target(const Back& item) {
    std::vector<Symbol> targets;
    for_each_read(item.target, [&](Symbol symbol) { targets.push_back(symbol); });
    bool found = false;
    std::vector<const std::vector<Back>*> stack{&item.body};
    while (!stack.empty()) {
      const std::vector<Back>* items = stack.back();
      stack.pop_back();
      for (const Back& inner : *items) {
        auto look = [&](const Node* node) {
          for_each_read(node, [&](Symbol read) {
            found = found || std::find(targets.begin(), targets.end(), read) != targets.end();
          });
        };
        if (inner.statement != nullptr && inner.form == Back::Form::Statement)
          look(inner.statement);
        look(inner.test);
        look(inner.header);
        stack.push_back(&inner.body);
        stack.push_back(&inner.orelse);
      }
    }
    return found;
  }

  // --- forward

  static void note_primal(const Stmt* statement, std::unordered_set<const Stmt*>& primal) {
    primal.insert(statement);
    for_each_child(*statement, [&](const Node* child) {
      if (is_statement(child->kind)) note_primal(static_cast<const Stmt*>(child), primal);
    });
  }

  // The statement that gave a variable the value that it has at a position of a block; if that
  // stands outside of the block, the statement at the position.
  Ranges origin_of(Symbol variable, Block block, std::size_t index) {
    for (std::size_t k = index; k-- > 0;) {
      const Ranges ranges = definitions_of(variable, block[k]);
      if (!ranges.empty()) return ranges;
    }
    return block[std::min(index, block.size() - 1)]->ranges;
  }

  // The places of the statements, in this one, that give a variable its value.
  Ranges definitions_of(Symbol variable, const Stmt* statement) {
    Ranges ranges;
    const auto* loop = as<For>(statement);
    if (loop != nullptr || is<If>(statement) || is<While>(statement)) {
      for_each_child(*statement, [&](const Node* child) {
        if (is_statement(child->kind))
          ranges =
              context_.merge(ranges, definitions_of(variable, static_cast<const Stmt*>(child)));
      });
      bool target = false;
      if (loop != nullptr)
        for_each_target(loop->target,
                        [&](Symbol symbol) { target = target || symbol == variable; });
      return target ? context_.merge(loop->ranges, ranges) : ranges;
    }
    bool defines = false;
    for_each_definition(statement, [&](Symbol symbol) { defines = defines || symbol == variable; });
    return defines ? statement->ranges : ranges;
  }

  static void forget_primal(const Stmt* statement, std::unordered_set<const Stmt*>& primal) {
    primal.erase(statement);
    if (const auto* branch = as<If>(statement)) {
      for (const Stmt* inner : branch->body) forget_primal(inner, primal);
    }
  }

  void save_at(Block block, std::size_t index, Statements& out) {
    if (block.empty()) return;
    for (const Save& save : saves_.find({key_of(block), static_cast<std::uint32_t>(index)})) {
      if (uncounted_.contains(save.variable)) continue;
      const Ranges ranges = origin_of(save.variable, block, index);
      saved_at_.emplace(save.storage, ranges);
      const Expr* value = context_.local(save.variable);
      if (save.copy_list && holds_more(save.variable)) {
        value = context_.make<Call>({}, context_.global(context_.symbol("_copied_items")),
                                    context_.symbol("tangent.runtime._copied_items"),
                                    context_.list<const Expr*>({value}), List<const Keyword*>());
      } else if (save.copy_list) {
        value = context_.make<Call>({}, context_.global(context_.symbol("list")),
                                    context_.symbol("builtins.list"),
                                    context_.list<const Expr*>({value}), List<const Keyword*>());
      }
      if (save.copy) value = copy_of(value);
      if (save.tape) {
        note_tape(save.storage);
        out.push_back(context_.make<Push>(ranges, save.storage, value, save.pair));
      } else {
        out.push_back(context_.assign(context_.local(save.storage), value, ranges));
      }
    }
  }

  // Whether a list holds lists, or is a dict: a copy of it alone would share them.
  [[nodiscard]] bool holds_more(Symbol variable) const {
    const Type type = types_.of_variable(variable);
    return type.kind == TypeKind::Dict || std::ranges::any_of(type.elements, [](const Type& item) {
             return item.kind == TypeKind::List;
           });
  }

  const Expr* copy_of(const Expr* value) {
    return context_.make<Call>(
        {}, context_.make<Attribute>({}, context_.global(numpy_), context_.symbol("copy")),
        context_.symbol("numpy.copy"), context_.list<const Expr*>({value}), List<const Keyword*>());
  }

  void note_tape(Symbol tape) {
    if (std::find(tapes_.begin(), tapes_.end(), tape) == tapes_.end()) tapes_.push_back(tape);
  }

  const Expr* forward(const Expr* expression) {
    if (expression == nullptr || plan_.replaced.empty()) return expression;
    if (const auto found = plan_.replaced.find(expression); found != plan_.replaced.end()) {
      const Expr* name = context_.local(found->second);
      return plan_.copied.contains(expression) ? copy_of(name) : name;
    }
    if (is<Subscript>(expression)) {
      for (const Hoist& read : element_reads_) {
        if (equal(read.value, expression)) return context_.local(read.name);
      }
    }
    return static_cast<const Expr*>(
        rewrite_children(context_, *expression, [&](const Node* child) -> const Node* {
          if (const auto* keyword = as<Keyword>(child)) {
            const Expr* value = forward(keyword->value);
            return value == keyword->value
                       ? child
                       : context_.make<Keyword>(keyword->ranges, keyword->name, value);
          }
          return is_expression(child->kind) ? forward(static_cast<const Expr*>(child)) : child;
        }));
  }

  void forward(Block block, Statements& out) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      save_at(block, k, out);
      const Stmt* statement = block[k];
      if (again_ != nullptr && again_->dropped.contains(statement)) continue;
      if (const auto count = counted_before_.find(statement); count != counted_before_.end())
        out.push_back(count->second);
      const StatementPlan* hoists = nullptr;
      if (const auto plan = plan_.statements.find(statement); plan != plan_.statements.end()) {
        hoists = &plan->second;
        hoist(*hoists, statement, out);
      } else {
        element_reads_.clear();
      }
      if (again_ != nullptr && again_->hoists_only.contains(statement)) continue;
      forward(statement, hoists != nullptr, out);
    }
    save_at(block, block.size(), out);
  }

  // How many hoisted expressions stand inside each other from here downwards.
  std::size_t nesting(const Node* node) const {
    std::size_t most = 0;
    for_each_child(*node, [&](const Node* child) { most = std::max(most, nesting(child)); });
    const bool hoisted =
        is_expression(node->kind) && plan_.replaced.contains(static_cast<const Expr*>(node));
    return most + (hoisted ? 1 : 0);
  }

  void hoist(const StatementPlan& plan, const Stmt* statement, Statements& out) {
    // What was hoisted later may stand inside what was hoisted earlier: innermost first.
    std::vector<Hoist> ordered = plan.hoists;
    std::unordered_map<const Node*, std::size_t> depth;
    // A copy stands outside of what it copies, and of what that reads by name.
    for (const Hoist& hoist : ordered) {
      const std::size_t itself = plan_.replaced.contains(hoist.value) ? 0 : 1;
      depth.emplace(hoist.value, nesting(hoist.value) + itself);
    }
    std::stable_sort(ordered.begin(), ordered.end(), [&](const Hoist& a, const Hoist& b) {
      return depth.at(a.value) < depth.at(b.value);
    });
    element_reads_.clear();
    for (const Hoist& hoist : ordered) {
      const Expr* value = static_cast<const Expr*>(
          rewrite_children(context_, *hoist.value, [&](const Node* child) -> const Node* {
            return is_expression(child->kind) ? forward(static_cast<const Expr*>(child)) : child;
          }));
      if (plan_.listed.contains(hoist.value)) {
        value = context_.make<Call>({}, context_.global(context_.symbol("list")),
                                    context_.symbol("builtins.list"),
                                    context_.list<const Expr*>({value}), List<const Keyword*>());
      }
      out.push_back(context_.assign(context_.local(hoist.name), value, statement->ranges));
      if (is<Subscript>(hoist.value) && plan_.replaced.contains(hoist.value))
        element_reads_.push_back(hoist);
    }
  }

  void forward(const Stmt* statement, bool changed, Statements& out) {
    if (const auto* result = as<Return>(statement)) {
      const Expr* value = result->value != nullptr ? forward(result->value) : context_.none();
      out.push_back(context_.assign(context_.local(result_), value, result->ranges));
      return;
    }
    if (const auto* branch = as<If>(statement)) {
      Statements body;
      Statements orelse;
      const Expr* test = forward(branch->test);
      forward(branch->body, body);
      forward(branch->orelse, orelse);
      out.push_back(
          context_.make<If>(branch->ranges, test, context_.list(body), context_.list(orelse)));
      return;
    }
    if (const auto found = plan_.checkpoints.find(statement); found != plan_.checkpoints.end()) {
      element_reads_.clear();
      CheckpointText text(found->second, statement, numpy_, unread_, context_);
      for (const SnapshotPart& part : found->second.state) {
        if (!found->second.thinned || part.run) note_tape(part.list);
      }
      text.begin(out);
      const auto* counted = as<For>(statement);
      const auto* repeat = as<While>(statement);
      out.push_back(text.first_run(forward(counted != nullptr ? counted->iterable : repeat->test)));
      text.end(out);
      added_.insert(added_.end(), text.added().begin(), text.added().end());
      return;
    }
    if (is<For>(statement) || is<While>(statement)) return forward_loop(statement, out);
    if (is<Break>(statement)) {
      const auto flag = exit_flags_.find(static_cast<const Break*>(statement));
      if (flag != exit_flags_.end()) out.push_back(flag->second);
      out.push_back(statement);
      return;
    }
    if (pair_call(statement) != nullptr) return forward_pair_call(statement, out);
    if (!changed) {
      out.push_back(statement);
      return;
    }
    const Subscript* place = stored_place(statement);
    out.push_back(static_cast<const Stmt*>(
        rewrite_children(context_, *statement, [&](const Node* child) -> const Node* {
          if (child == place) return forward_place(place);
          return is_expression(child->kind) ? forward(static_cast<const Expr*>(child)) : child;
        })));
  }

  // The forward half of a function that stays a call, or that function itself.
  void forward_pair_call(const Stmt* statement, Statements& out) {
    const auto* assign = static_cast<const Assign*>(statement);
    const auto* call = static_cast<const Call*>(assign->value);
    std::vector<const Expr*> arguments;
    for (const Expr* argument : call->arguments) arguments.push_back(forward(argument));
    const Expr* target = assign->targets[0];
    const Expr* function = call->function;
    if (plan_.plain_calls.contains(statement)) {
      const Exprs all = static_cast<const TupleDisplay*>(target)->elements;
      const Exprs results = all.first(all.size() - 1);
      target = results.size() == 1 && !is<TupleDisplay>(results[0])
                   ? results[0]
                   : context_.make<TupleDisplay>(target->ranges, results);
    } else {
      const std::string_view name = call->callee.text().substr(kPairPrefix.size());
      function = context_.global(context_.symbol(name), function->ranges);
    }
    out.push_back(context_.assign(
        target,
        context_.make<Call>(call->ranges, function, call->callee, Exprs(context_.list(arguments)),
                            List<const Keyword*>()),
        assign->ranges));
  }

  // A place that is stored into stays a place; its indices may have names by now.
  const Expr* forward_place(const Expr* place) {
    const auto* subscript = as<Subscript>(place);
    if (subscript == nullptr) return place;
    return context_.make<Subscript>(place->ranges, forward_place(subscript->value),
                                    forward(subscript->index));
  }

  // `again`: one stretch of it, for the backward part.
  void forward_loop(const Stmt* loop, Statements& out, CheckpointText* again = nullptr) {
    element_reads_.clear();
    if (again != nullptr && is_one_step(loop)) {
      again->take_item(out);
      return forward(body_of(loop), out);
    }
    const auto found = plan_.loops.find(loop);
    const bool reversed = plan_.reversed.contains(loop);
    const LoopPlan* plan = reversed && found != plan_.loops.end() ? &found->second : nullptr;
    bool counts = plan != nullptr && plan->count && !drivers_.contains(loop);
    Symbol before;
    const auto length = lengths_.find(loop);
    const bool is_measured = counts && length != lengths_.end();
    if (is_measured) {
      counts = false;
      note_tape(length->second);
      saved_at_.emplace(length->second, loop->ranges);
      // The tape of an outermost loop is empty before.
      if (nested_.contains(loop) || again != nullptr) {
        before = names_.fresh("pushed");
        out.push_back(
            context_.assign(context_.local(before), length_of(length->second), loop->ranges));
      }
    }
    if (plan != nullptr && plan->exit && !plan->exit_is_user_flag) {
      const bool flag = plan->exits.size() == 1;
      const Expr* none = flag ? context_.boolean(false) : context_.integer(0);
      out.push_back(context_.assign(context_.local(plan->exit), none, loop->ranges));
      for (std::size_t k = 0; k < plan->exits.size(); ++k) {
        const Expr* number =
            flag ? context_.boolean(true)
                 : static_cast<const Expr*>(context_.integer(static_cast<std::int64_t>(k + 1)));
        exit_flags_.emplace(plan->exits[k], context_.assign(context_.local(plan->exit), number,
                                                            plan->exits[k]->ranges));
      }
    }
    if (counts) {
      out.push_back(
          context_.assign(context_.local(plan->count), context_.integer(0), loop->ranges));
    }
    Statements body;
    const auto* counted = as<For>(loop);
    const auto* repeat = as<While>(loop);
    const Stmt* one_more = nullptr;
    if (counts) {
      one_more = context_.make<AugmentedAssign>(loop->ranges, context_.local(plan->count),
                                                BinaryOperator::Add, context_.integer(1));
    }
    if (counts && plan->ends_at_exit) counted_before_.emplace(body_of(loop).back(), one_more);
    forward(body_of(loop), body);
    if (counts && !plan->ends_at_exit) body.push_back(one_more);
    if (again != nullptr) {
      out.push_back(context_.make<For>(loop->ranges, again->target(), again->items(),
                                       context_.list(body), Block(), false));
    } else if (counted != nullptr) {
      out.push_back(context_.make<For>(counted->ranges, counted->target, forward(counted->iterable),
                                       context_.list(body), Block(), false));
    } else {
      out.push_back(context_.make<While>(repeat->ranges, forward(repeat->test), context_.list(body),
                                         Block()));
    }
    if (is_measured) {
      const Expr* pushed = length_of(length->second);
      if (before) {
        pushed = context_.make<BinaryOperation>({}, BinaryOperator::Subtract, pushed,
                                                static_cast<const Expr*>(context_.local(before)));
      }
      out.push_back(context_.assign(context_.local(plan->count), pushed, loop->ranges));
    }
  }

  const Expr* length_of(Symbol tape) {
    return context_.make<Call>(
        {}, context_.global(context_.symbol("len")), context_.symbol("builtins.len"),
        context_.list<const Expr*>({context_.local(tape)}), List<const Keyword*>());
  }

  // --- backward

  // `around` is for statements that belong to the loop or branch that they stand in.
  void backward(const std::vector<Back>& items, Ranges around, Statements& out) {
    const Stmt* described = nullptr;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const Back& item = items[k];
      switch (item.form) {
        case Back::Form::Marker:
          for (const Save& save : saves_.find(item.position)) {
            if (uncounted_.contains(save.variable)) continue;
            const Expr* value =
                save.tape
                    ? static_cast<const Expr*>(context_.make<Pop>({}, save.storage, save.pair))
                    : context_.local(save.storage);
            out.push_back(
                context_.assign(context_.local(save.variable), value, saved_at_[save.storage]));
          }
          break;
        case Back::Form::Statement:
          if (item.origin != nullptr && item.origin != described) describe(item.origin, out);
          if (item.origin != nullptr) described = item.origin;
          out.push_back(with_ranges(item, ranges_behind(items, k, around)));
          break;
        case Back::Form::Branch: {
          Statements body;
          Statements orelse;
          const Ranges ranges = item.origin != nullptr      ? item.origin->ranges
                                : item.statement != nullptr ? item.statement->ranges
                                                            : around;
          backward(item.body, ranges, body);
          backward(item.orelse, ranges, orelse);
          out.push_back(
              context_.make<If>(ranges, item.test, context_.list(body), context_.list(orelse)));
          described = nullptr;
          break;
        }
        case Back::Form::Loop:
          backward_loop(item, out);
          described = nullptr;
          break;
        case Back::Form::Stretches:
          backward_stretches(item, out);
          described = nullptr;
          break;
      }
    }
  }

  // Each stretch of a loop that keeps snapshots is run again, with its tapes, and undone.
  void backward_stretches(const Back& item, Statements& out) {
    const CheckpointPlan& plan = plan_.checkpoints.at(item.statement);
    CheckpointText text(plan, item.statement, numpy_, unread_, context_);
    Statements again;
    again_ = &plan;
    forward_loop(item.statement, again, &text);
    again_ = nullptr;
    backward(item.body, item.statement->ranges, again);
    out.push_back(text.stretches(again));
  }

  // What belongs to no statement makes ready for the loop or branch that comes next.
  static Ranges ranges_behind(const std::vector<Back>& items, std::size_t k, Ranges around) {
    for (; k < items.size(); ++k) {
      if (items[k].origin != nullptr) return items[k].origin->ranges;
      const bool block = items[k].form == Back::Form::Branch || items[k].form == Back::Form::Loop;
      if (block && items[k].statement != nullptr) return items[k].statement->ranges;
    }
    return around;
  }

  // An adjoint statement keeps the ranges of the statement that it differentiates.
  const Stmt* with_ranges(const Back& item, Ranges around) {
    const Ranges ranges = !item.ranges.empty()     ? item.ranges
                          : item.origin != nullptr ? item.origin->ranges
                                                   : around;
    return dispatch(*item.statement, [&](const auto& it) -> const Stmt* {
      using T = std::remove_cvref_t<decltype(it)>;
      if constexpr (std::is_base_of_v<Stmt, T>) {
        return std::apply([&](auto... members) { return context_.make<T>(ranges, it.*members...); },
                          T::fields());
      } else {
        throw InternalError("a part among statements");
      }
    });
  }

  // The results of a call, and not what it stores into; null if there are none.
  const Expr* without_tape(const Expr* target) {
    const Exprs all = static_cast<const TupleDisplay*>(target)->elements;
    Exprs results = all.first(all.size() - 1);
    if (!results.empty() && is<TupleDisplay>(results.back()))
      results = results.first(results.size() - 1);
    if (results.empty()) return nullptr;
    return results.size() == 1 ? results[0] : context_.make<TupleDisplay>(target->ranges, results);
  }

  // The call as the user knows it.
  const Stmt* without_tape(const Stmt* statement, const Call* call) {
    const Expr* target = without_tape(static_cast<const Assign*>(statement)->targets[0]);
    const Expr* function = call->function;
    std::string_view name = call->callee.text().substr(kPairPrefix.size());
    if (const auto* known = as<Name>(function); known != nullptr && known->symbol.text() == name) {
      name.remove_prefix(1);
      name.remove_suffix(std::string_view("_forward").size());
      function = context_.global(context_.symbol(name));
    }
    const Expr* spelled =
        context_.make<Call>({}, function, call->callee, call->arguments, List<const Keyword*>());
    if (target == nullptr) return context_.make<ExpressionStatement>({}, spelled);
    return context_.assign(target, spelled);
  }

  void describe(const Stmt* origin, Statements& out) {
    if (is<If>(origin) || is<While>(origin)) return;
    std::string text;
    if (const auto* loop = as<For>(origin)) {
      text = "for " + print(static_cast<const Node*>(loop->target)) + " in " +
             print(static_cast<const Node*>(loop->iterable));
    } else if (const Call* call = pair_call(origin)) {
      text = print(static_cast<const Node*>(without_tape(origin, call)));
    } else {
      text = print(static_cast<const Node*>(origin));
    }
    if (const std::size_t end = text.find('\n'); end != std::string::npos) {
      text = text.substr(0, end) + (end + 1 < text.size() ? " ..." : "");
    }
    if (text.size() > 76) text = text.substr(0, 72) + " ...";
    out.push_back(
        context_.make<Comment>(origin->ranges, context_.arena().copy_text("Grad of: " + text)));
  }

  static Block body_of(const Stmt* loop) {
    const auto* counted = as<For>(loop);
    return counted != nullptr ? counted->body : static_cast<const While*>(loop)->body;
  }

  void backward_loop(const Back& item, Statements& out) {
    if (is_one_step(item.statement)) return backward(item.body, item.statement->ranges, out);
    Statements body;
    const Ranges ranges = item.statement->ranges;
    backward(item.body, ranges, body);
    if (const auto driver = drivers_.find(item.statement); driver != drivers_.end()) {
      out.push_back(context_.make<While>(ranges,
                                         static_cast<const Expr*>(context_.local(driver->second)),
                                         context_.list(body), Block()));
      return;
    }
    const Expr* target = item.target;
    const Expr* header = item.header;
    if (header == nullptr) {
      target = context_.local(unread_);
      header = context_.make<Call>(
          {}, context_.global(context_.symbol("range")), context_.symbol("builtins.range"),
          context_.list<const Expr*>({context_.local(item.count)}), List<const Keyword*>());
    }
    out.push_back(context_.make<For>(ranges, target, header, context_.list(body), Block(), false));
  }

  const Typing& types_;
  const Plan& plan_;
  const Saves& saves_;
  Symbol result_;
  Symbol numpy_;  // as it is printed
  NamePool& names_;
  Context& context_;
  Statements added_;  // to the forward part, for snapshots
  Symbol unread_;     // what a loop counts that nobody reads
  std::vector<Symbol> tapes_;
  const CheckpointPlan* again_ = nullptr;        // of the loop that is run again
  std::unordered_map<Symbol, Ranges> saved_at_;  // per tape or name: where its value comes from
  std::unordered_set<const Stmt*> nested_;       // loops of the primal that stand inside another
  std::unordered_map<const Stmt*, Symbol> drivers_;
  std::unordered_set<Symbol> uncounted_;  // counts of loops that a tape drives: never assigned
  std::unordered_map<const Stmt*, Symbol> lengths_;  // loops that ran as often as this tape grew
  std::unordered_map<const Break*, const Stmt*> exit_flags_;
  std::unordered_map<const Stmt*, const Stmt*> counted_before_;  // exits that end a loop's body
  std::vector<Hoist> element_reads_;  // elements that the statement now reads, under names
};

}  // namespace

Assembled assemble(Block body, const ReverseResult& reverse, const Saves& saves, Symbol result,
                   NamePool& names, Context& context) {
  return Assembler(reverse, saves, result, names, context).run(body);
}

}  // namespace tangent
