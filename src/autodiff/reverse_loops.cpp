// Loops backwards: what is carried, how the iterations are run again, the iteration that was cut;
// see reverse.h.
//
// An exit (`break`) cuts an iteration. Backwards the cut iteration is undone first, from the exit,
// then the full ones. A loop that ends by itself is run over its iterable in reverse, any other as
// often as it completed.
#include "autodiff/free_calls.h"
#include "autodiff/leaving.h"
#include "autodiff/reverse.h"

namespace tangent {

namespace {

void collect_exits(Block block, std::vector<const Break*>& exits) {
  for (const Stmt* statement : block) {
    if (const auto* exit = as<Break>(statement)) exits.push_back(exit);
    if (const auto* branch = as<If>(statement)) {
      collect_exits(branch->body, exits);
      collect_exits(branch->orelse, exits);
    }
  }
}

bool holds_any_exit(const Node* node) {
  if (is<Break>(node)) return true;
  bool found = false;
  for_each_child(*node, [&](const Node* child) {
    found = found || (is_statement(child->kind) && holds_any_exit(child));
  });
  return found;
}

Block body_of(const Stmt* loop) {
  const auto* counted = as<For>(loop);
  return counted != nullptr ? counted->body : static_cast<const While*>(loop)->body;
}

// The statements that run before an exit in its iteration, last first.
bool before_exit(Block block, const Break* exit, std::vector<const Stmt*>& path) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    const auto* branch = as<If>(block[k]);
    if (block[k] == exit || (branch != nullptr && (before_exit(branch->body, exit, path) ||
                                                   before_exit(branch->orelse, exit, path)))) {
      for (std::size_t index = k; index-- > 0;) path.push_back(block[index]);
      return true;
    }
  }
  return false;
}

void collect_assigns(Block block, Symbol symbol, std::vector<const Assign*>& found, int& others) {
  for (const Stmt* statement : block) {
    if (const auto* assign = as<Assign>(statement)) {
      bool defines = false;
      for_each_target(assign->targets[0],
                      [&](Symbol target) { defines = defines || target == symbol; });
      if (defines) found.push_back(assign);
    } else if (const auto* branch = as<If>(statement)) {
      collect_assigns(branch->body, symbol, found, others);
      collect_assigns(branch->orelse, symbol, found, others);
    } else if (is<For>(statement) || is<While>(statement)) {
      if (const auto* loop = as<For>(statement)) {
        for_each_target(loop->target, [&](Symbol target) { others += target == symbol ? 1 : 0; });
      }
      collect_assigns(body_of(statement), symbol, found, others);
    } else {
      for_each_definition(statement, [&](Symbol target) { others += target == symbol ? 1 : 0; });
    }
  }
}

const Assign* assign_before(Block block, const Break* exit) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    if (block[k] == exit) return k > 0 ? as<Assign>(block[k - 1]) : nullptr;
    if (const auto* branch = as<If>(block[k])) {
      if (const Assign* found = assign_before(branch->body, exit)) return found;
      if (const Assign* found = assign_before(branch->orelse, exit)) return found;
    }
  }
  return nullptr;
}

}  // namespace

// What a For takes its items from.
struct Reverse::Elements {
  const Call* range = nullptr;                             // range(…): the items are its numbers
  bool backwards = false;                                  // reversed(range(…)), reversed(xs)
  std::vector<std::pair<const Expr*, const Expr*>> items;  // target, sequence
  Symbol index;                                            // a target that counts (enumerate)
  const Expr* start = nullptr;                             // where it starts, if not at 0
  const Expr* whole = nullptr;                             // anything else
};

std::vector<Symbol> Reverse::touched_by(const Stmt* statement) const {
  std::vector<Symbol> found;
  std::unordered_set<Symbol> seen;
  auto add = [&](Symbol symbol) {
    if (activity_.varies(symbol) && seen.insert(symbol).second) found.push_back(symbol);
  };
  std::vector<const Stmt*> stack{statement};
  while (!stack.empty()) {
    const Stmt* top = stack.back();
    stack.pop_back();
    auto nest = [&](Block block) {
      for (auto it = block.rbegin(); it != block.rend(); ++it) stack.push_back(*it);
    };
    if (const ListChange change = list_change(top)) {
      add(change.list->symbol);
      if (change.appends) activity_.for_each_flow(change.item, add);
    }
    if (const auto* assign = as<Assign>(top)) {
      for (const Expr* target : assign->targets) for_each_target(target, add);
      activity_.for_each_flow(assign->value, add);
    } else if (const auto* augmented = as<AugmentedAssign>(top)) {
      for_each_target(augmented->target, add);
      activity_.for_each_flow(augmented->value, add);
    } else if (const auto* branch = as<If>(top)) {
      nest(branch->orelse);
      nest(branch->body);
    } else if (const auto* loop = as<For>(top)) {
      for_each_target(loop->target, add);
      activity_.for_each_flow(loop->iterable, add);
      nest(loop->body);
    } else if (const auto* repeat = as<While>(top)) {
      nest(repeat->body);
    } else if (const auto* result = as<Return>(top)) {
      if (result->value != nullptr) activity_.for_each_flow(result->value, add);
    }
  }
  return found;
}

// Whether everything the loop does with a variable is to add to it: then its adjoint is the same
// throughout.
bool Reverse::only_accumulates(const Stmt* loop, Symbol variable) const {
  const Type type =
      function_.variables.contains(variable) ? function_.variables.at(variable) : Type::unknown();
  if (!type.is_number()) return false;
  auto reads = [&](const Expr* value) {
    bool found = false;
    activity_.for_each_flow(value, [&](Symbol read) { found = found || read == variable; });
    return found;
  };
  // variable + …, … - …: the variable once, as the first or last term of a sum.
  auto adds_to_it = [&](const Expr* value) {
    int times = 0;
    bool positive = true;
    const Expr* node = value;
    while (const auto* sum = as<BinaryOperation>(node)) {
      if (sum->op != BinaryOperator::Add && sum->op != BinaryOperator::Subtract) break;
      const auto* right = as<Name>(sum->right);
      if (right != nullptr && right->symbol == variable) {
        ++times;
        positive = positive && sum->op == BinaryOperator::Add;
      } else if (reads(sum->right)) {
        return false;
      }
      node = sum->left;
    }
    const auto* first = as<Name>(node);
    if (first != nullptr && first->symbol == variable) {
      ++times;
    } else if (reads(node)) {
      return false;
    }
    return times == 1 && positive;
  };
  std::vector<const Stmt*> stack{loop};
  while (!stack.empty()) {
    const Stmt* top = stack.back();
    stack.pop_back();
    auto nest = [&](Block block) { stack.insert(stack.end(), block.begin(), block.end()); };
    if (const ListChange change = list_change(top)) {
      if (change.appends && reads(change.item)) return false;
    }
    if (const auto* assign = as<Assign>(top)) {
      const auto* target = as<Name>(assign->targets[0]);
      if (target != nullptr && target->symbol == variable) {
        if (!adds_to_it(assign->value)) return false;
        continue;
      }
      bool defines = false;
      for_each_target(assign->targets[0],
                      [&](Symbol symbol) { defines = defines || symbol == variable; });
      if (defines || reads(assign->value)) return false;
    } else if (const auto* augmented = as<AugmentedAssign>(top)) {
      const auto* target = as<Name>(augmented->target);
      if (reads(augmented->value)) return false;
      if (target != nullptr && target->symbol == variable && augmented->op != BinaryOperator::Add &&
          augmented->op != BinaryOperator::Subtract) {
        return false;
      }
    } else if (const auto* branch = as<If>(top)) {
      nest(branch->body);
      nest(branch->orelse);
    } else if (const auto* inner = as<For>(top)) {
      bool defines = false;
      for_each_target(inner->target,
                      [&](Symbol symbol) { defines = defines || symbol == variable; });
      if (defines || reads(inner->iterable)) return false;
      nest(inner->body);
    } else if (const auto* repeat = as<While>(top)) {
      nest(repeat->body);
    }
  }
  return true;
}

std::vector<Symbol> Reverse::carried_by(const Stmt* loop, const std::vector<Symbol>& touched) {
  std::vector<Symbol> carried;
  for (const Symbol symbol : touched) {
    if (activity_.useful_at_end(symbol, loop) && !only_accumulates(loop, symbol))
      carried.push_back(symbol);
  }
  return carried;
}

bool Reverse::read_iterable(const For* loop, Elements& elements) {
  auto callee = [](const Expr* expression) {
    const auto* call = as<Call>(expression);
    return call != nullptr && call->keywords.empty() ? call->callee.text() : std::string_view();
  };
  if (callee(loop->iterable) == "builtins.range" && is<Name>(loop->target)) {
    elements.range = static_cast<const Call*>(loop->iterable);
    return true;
  }
  // Backwards twice is forwards; what was cut keeps how far it came.
  if (callee(loop->iterable) == "builtins.reversed" && is<Name>(loop->target) &&
      result_.plan.loops[loop].exits.empty()) {
    const Expr* inner = static_cast<const Call*>(loop->iterable)->arguments[0];
    const bool range = callee(inner) == "builtins.range";
    if (range) elements.range = static_cast<const Call*>(inner);
    // range(n)[:count] as well.
    const auto* cut = as<Subscript>(inner);
    const bool part =
        cut != nullptr && is<Slice>(cut->index) && callee(cut->value) == "builtins.range";
    const bool list = typing_.of(inner).kind == TypeKind::List;
    const bool flows = active(inner) && (list || typing_.of(inner).is_array());
    if (part || flows || (list && is<Name>(inner)))
      elements.items.emplace_back(loop->target, inner);
    elements.backwards = range || !elements.items.empty();
    if (elements.backwards) return true;
  }
  // enumerate(xs), zip(xs, ys), enumerate(zip(xs, ys)), xs
  auto sequence = [&](const Expr* target, const Expr* iterable) {
    const TypeKind kind = typing_.of(iterable).kind;
    if (kind != TypeKind::Array && kind != TypeKind::List && kind != TypeKind::Tuple &&
        kind != TypeKind::Numeric) {
      return false;
    }
    elements.items.emplace_back(target, iterable);
    return true;
  };
  auto several = [&](const Expr* target, const Expr* iterable) {
    if (callee(iterable) != "builtins.zip") return sequence(target, iterable);
    const auto* call = static_cast<const Call*>(iterable);
    const auto* targets = as<TupleDisplay>(target);
    if (targets == nullptr || targets->elements.size() != call->arguments.size()) return false;
    for (std::size_t k = 0; k < call->arguments.size(); ++k) {
      if (callee(call->arguments[k]) == "builtins.range") {
        elements.items.emplace_back(targets->elements[k], call->arguments[k]);
      } else if (!sequence(targets->elements[k], call->arguments[k])) {
        return false;
      }
    }
    return true;
  };
  if (callee(loop->iterable) == "builtins.enumerate") {
    const auto* call = static_cast<const Call*>(loop->iterable);
    const auto* targets = as<TupleDisplay>(loop->target);
    if (targets != nullptr && targets->elements.size() == 2 && is<Name>(targets->elements[0])) {
      elements.index = as<Name>(targets->elements[0])->symbol;
      if (call->arguments.size() > 1) elements.start = call->arguments[1];
      if (several(targets->elements[1], call->arguments[0])) return true;
    }
  } else if (several(loop->target, loop->iterable)) {
    return true;
  }
  elements = Elements();
  elements.whole = loop->iterable;
  return true;
}

void Reverse::plan_exits(const Stmt* loop, Block body) {
  LoopPlan& plan = result_.plan.loops[loop];
  if (plan.exits.empty()) collect_exits(body, plan.exits);
  plan.ends_at_exit =
      optimizations_.optimized && checkpoint_of(loop) == nullptr && exit_at_end(body) != nullptr;
}

void Reverse::reverse_exits(const Stmt* loop, Block body, const Elements& elements) {
  LoopPlan& plan = result_.plan.loops[loop];
  // Exits before which nothing happened that can have an adjoint need no undoing.
  std::vector<const Break*> relevant;
  for (const Break* exit : plan.exits) {
    if (plan.ends_at_exit && exit == exit_at_end(body)) continue;
    std::vector<const Stmt*> path;
    before_exit(body, exit, path);
    bool matters = false;
    for (const auto& [target, sequence] : elements.items) matters = matters || active(sequence);
    for (const Stmt* statement : path) {
      for_each_definition(statement,
                          [&](Symbol symbol) { matters = matters || activity_.varies(symbol); });
    }
    if (matters) relevant.push_back(exit);
  }
  plan.undone = relevant;
  if (relevant.empty()) return;
  const auto* repeat = as<While>(loop);
  const bool stretches = checkpoint_of(loop) != nullptr;
  const bool ends_by_itself = repeat == nullptr || !is_always_true(repeat->test);
  const Stmt* const here = current_;
  const Position loop_end = position_;
  const std::vector<Symbol> changed = changes(loop);
  auto undo = [&](const Break* exit) {
    changed_by_loops_.emplace_back(changed.begin(), changed.end());
    ++loop_depth_;
    reverse_exit(body, exit);
    // The items of the cut iteration came from the place that the count tells.
    for (const auto& [target, sequence] : elements.items) {
      const auto* name = as<Name>(target);
      if (name == nullptr) continue;
      const Linear adjoint = adjoint_of(name->symbol);
      if (adjoint.is_zero()) continue;
      adjoint_of(name->symbol) = Linear();
      if (!active(sequence)) continue;
      if (plan.count.empty()) {
        plan.count = names_.fresh("count");
        typing_.declare(plan.count, Type::number(DType::Integer));
      }
      plan.count_is_read = true;
      const auto* element = context_.make<Subscript>(
          {}, sequence, static_cast<const Expr*>(context_.local(plan.count)));
      typing_.set(element, typing_.of(target));
      result_.plan.defined_at.emplace(plan.count, loop_end);
      push_subscript(element, adjoint);
    }
    --loop_depth_;
    changed_by_loops_.pop_back();
    current_ = here;
  };
  // Only the last stretch of a loop that keeps snapshots is cut.
  if (plan.exits.size() == 1 && !ends_by_itself && !stretches) return undo(relevant[0]);
  const bool flag = plan.exits.size() == 1;
  if (flag && !stretches) {
    // Lowering may have set a flag where a return inside the loop was.
    const Assign* before = assign_before(body, relevant[0]);
    const auto* target = before != nullptr ? as<Name>(before->targets[0]) : nullptr;
    if (target != nullptr && is_always_true(before->value)) {
      std::vector<const Assign*> assigns;
      int others = 0;
      collect_assigns(function_.body, target->symbol, assigns, others);
      if (assigns.size() == 2 && others == 0) {
        plan.exit = target->symbol;
        plan.exit_is_user_flag = true;
      }
    }
  }
  if (plan.exit.empty()) {
    plan.exit = names_.fresh(flag ? "broke" : "exit");
    typing_.declare(plan.exit, Type::number(flag ? DType::Bool : DType::Integer));
  }
  std::function<void(std::size_t)> chain = [&](std::size_t k) {
    const std::ptrdiff_t number =
        std::find(plan.exits.begin(), plan.exits.end(), relevant[k]) - plan.exits.begin() + 1;
    const Expr* test = context_.local(plan.exit);
    if (!flag) {
      test = context_.make<Comparison>(
          {}, test, context_.list<ComparisonOperator>({ComparisonOperator::Equal}),
          context_.list<const Expr*>({context_.integer(number)}));
    }
    branch(
        test, nullptr, [&] { undo(relevant[k]); },
        [&] {
          if (k + 1 < relevant.size()) {
            chain(k + 1);
          } else if (stretches && !ends_by_itself) {
            // What only follows the cut iteration has no adjoint where none was cut.
            const std::vector<Symbol> touched = touched_by(loop);
            const std::vector<Symbol> carried = carried_by(loop, touched);
            for (const Symbol symbol : touched) {
              if (std::ranges::find(carried, symbol) == carried.end() &&
                  !only_accumulates(loop, symbol))
                adjoint_of(symbol) = Linear();
            }
          }
        });
  };
  chain(0);
}

void Reverse::reverse_loop(const Stmt* loop) {
  const std::vector<Symbol> touched = touched_by(loop);
  const bool flows = std::any_of(touched.begin(), touched.end(),
                                 [&](Symbol symbol) { return !adjoint_of(symbol).is_zero(); });
  if (!flows) return;
  result_.plan.reversed[loop] = true;
  // Masks hold to the end of the iteration that they are found in.
  masks_.clear();
  if (checkpoints_ != nullptr && checkpoints_->loops.contains(loop)) {
    reverse_stretches(loop);
  } else {
    reverse_iterations(loop);
  }
  masks_.clear();
}

// The adjoints that a loop carries from iteration to iteration, each under its own name.
void Reverse::write_down_carried(const Stmt* loop, const std::vector<Symbol>& touched,
                                 const std::vector<Symbol>& carried) {
  // Arrays that the loop reads by element are collected in buffers of ours.
  const std::unordered_set<Symbol> scattered = scattered_by(loop);
  auto write_down = [&] {
    for (const Symbol symbol : touched) {
      const Linear& value = adjoint_of(symbol);
      const bool is_carried = std::find(carried.begin(), carried.end(), symbol) != carried.end();
      if (is_carried) {
        const bool is_array = typing_.of(context_.local(symbol)).is_array();
        if (is_array && !is_bound(symbol)) {
          materialize(symbol);  // of no known shape yet: the loop's body makes it an array
        } else if (scattered.contains(symbol) && is_array) {
          buffer(symbol);
        } else {
          materialize(symbol, true);
        }
      } else if (!value.is_zero() && !value.as_name()) {
        materialize(symbol);
      }
    }
  };
  const Stmt* const here = current_;
  current_ = nullptr;  // zeros and copies in front of the loop belong to no statement
  write_down();
  // The loop writes the adjoints of what it touches: what mentions them is written down here.
  for (const Symbol symbol : touched) {
    if (bars_.contains(symbol)) flush_mentions(bars_.at(symbol), symbol);
  }
  // Flushing may have written down one that is carried after another: settle again.
  write_down();
  current_ = here;
}

// The end of the backward body of a loop: what is carried has its name again, the rest is as
// before.
void Reverse::leave_loop(const Stmt* loop, const std::vector<Symbol>& carried,
                         const std::vector<Linear>& entry) {
  for (const Symbol symbol : carried) materialize(symbol, true);
  for (const Symbol symbol : carried) materialize(symbol, true);

  adjoints_.resize(std::max(adjoints_.size(), entry.size()));
  for (std::size_t index = 0; index < adjoints_.size(); ++index) {
    const Symbol symbol = variables_.symbol(index);
    if (std::find(carried.begin(), carried.end(), symbol) != carried.end()) continue;
    const Linear before = index < entry.size() ? entry[index] : Linear();
    // What does not vary where the loop is entered has no adjoint there.
    if (adjoints_[index].is_zero() && !activity_.varies(symbol, loop)) continue;
    if (adjoints_[index].terms.size() != before.terms.size() ||
        adjoints_[index].as_name() != before.as_name()) {
      throw InternalError("the adjoint of `" + std::string(symbol.text()) +
                          "` changes in a loop unforeseen");
    }
  }
}

void Reverse::reverse_iterations(const Stmt* loop) {
  const Block body = body_of(loop);
  const std::vector<Symbol> touched = touched_by(loop);
  const Position after = position_;
  const Stmt* const here = current_;
  const std::vector<Symbol> carried = carried_by(loop, touched);
  plan_exits(loop, body);
  LoopPlan& plan = result_.plan.loops[loop];

  killed_in_loop(loop);
  // Behind an exit, also one of an inner loop, everything that reads the primal is written down:
  // here, not in there.
  if (holds_any_exit(loop)) flush_reads();
  if (!plan.exits.empty()) {
    Elements cut;
    if (const auto* sequence_loop = as<For>(loop)) read_iterable(sequence_loop, cut);
    reverse_exits(loop, body, cut);
    current_ = here;
    position_ = after;
    after_current_ = after;
  }
  write_down_carried(loop, touched, carried);

  const std::vector<Symbol> changed = changes(loop);
  changed_by_loops_.emplace_back(changed.begin(), changed.end());
  Back item{.form = Back::Form::Loop, .statement = loop, .origin = loop};
  Stream* const outer = out_;
  out_ = &item.body;
  ++loop_depth_;
  const std::vector<Linear> entry = adjoints_;
  const std::unordered_set<Symbol> owned_entry = owned_;
  const std::unordered_set<Symbol> assigned_entry = assigned_;
  Elements elements;
  const auto* counted = as<For>(loop);
  std::vector<std::pair<const Expr*, const Expr*>> taken;  // target, element
  if (counted != nullptr) {
    read_iterable(counted, elements);
    plan_header(counted, elements, item, taken);
  } else {
    if (plan.count.empty()) plan.count = names_.fresh("count");
    typing_.declare(plan.count, Type::number(DType::Integer));
    item.count = plan.count;
    result_.plan.need(position_, plan.count);
  }
  // The exit that ends the body has nothing to undo, and values are saved in front of it.
  reverse_before(body, body.size() - (result_.plan.loops[loop].ends_at_exit ? 1 : 0));
  current_value_ = nullptr;
  for (const auto& [target, element] : taken) {
    const auto* name = as<Name>(target);
    if (name == nullptr) {
      refuse(DiagnosticKind::UnsupportedSyntax, target, "nested unpacking of the items of a loop",
             "name the item and unpack it in the loop's body");
    }
    Linear adjoint = adjoint_of(name->symbol);
    if (adjoint.is_zero()) continue;
    adjoint_of(name->symbol) = Linear();
    if (active(as<Subscript>(element)->value)) push_subscript(as<Subscript>(element), adjoint);
  }

  leave_loop(loop, carried, entry);
  for (auto it = owned_.begin(); it != owned_.end();) {
    it = owned_entry.contains(*it) ? std::next(it) : owned_.erase(it);
  }
  assigned_ = assigned_entry;
  changed_by_loops_.pop_back();
  --loop_depth_;
  out_ = outer;
  current_ = here;
  position_ = after;
  out_->push_back(std::move(item));
}

void Reverse::killed_in_loop(const Stmt* loop) {
  for (const Stmt* statement : body_of(loop)) {
    for (const Symbol symbol : changes(statement)) killed_.insert(symbol);
    for_each_binding(statement, [&](Symbol symbol) { rebound_.insert(symbol); });
  }
}

std::unordered_set<Symbol> Reverse::scattered_by(const Stmt* loop) const {
  std::unordered_set<Symbol> found;
  SmallStack<const Node*> stack(loop);
  while (!stack.empty()) {
    const Node* top = stack.pop();
    if (const auto* subscript = as<Subscript>(top)) {
      if (const auto* name = as<Name>(subscript->value)) found.insert(name->symbol);
    }
    if (const auto* counted = as<For>(top)) {
      for_each_read(counted->iterable, [&](Symbol read) { found.insert(read); });
    }
    if (is_statement(top->kind)) {
      if (const Call* call = pair_call(static_cast<const Stmt*>(top))) {
        for (const Expr* argument : call->arguments) {
          if (const auto* name = as<Name>(argument)) found.insert(name->symbol);
        }
      }
    }
    if (const auto* assign = as<Assign>(top); assign && is<TupleDisplay>(assign->targets[0])) {
      if (const auto* name = as<Name>(assign->value)) found.insert(name->symbol);
    }
    push_children(stack, *top);
  }
  return found;
}

// `for target in header` of the loop that runs backwards, and what its targets are taken from.
void Reverse::plan_header(const For* loop, Elements& elements, Back& item,
                          std::vector<std::pair<const Expr*, const Expr*>>& taken) {
  LoopPlan& plan = result_.plan.loops[loop];
  const bool cut = !plan.exits.empty();
  auto builtin = [&](std::string_view name,
                     const std::vector<const Expr*>& arguments) -> const Expr* {
    return context_.make<Call>({}, context_.global(context_.symbol(name)),
                               context_.symbol("builtins." + std::string(name)),
                               context_.list(arguments), List<const Keyword*>());
  };
  std::unordered_set<Symbol> defined;
  for (const Symbol symbol : changes(loop)) defined.insert(symbol);
  std::unordered_set<Symbol> bound;
  for_each_binding(loop, [&](Symbol symbol) { bound.insert(symbol); });
  // A value that the header reads: as it stands if the loop leaves it alone, else kept by name.
  auto kept = [&](const Expr* value, std::string_view wish) -> const Expr* {
    bool changed = false;
    for_each_shaped_read(value, [&](Symbol read, bool shape_only) {
      changed = changed || (shape_only ? bound : defined).contains(read);
    });
    return changed ? hoist(value, wish) : primal(value);
  };
  if (cut) {
    if (plan.count.empty()) plan.count = names_.fresh("count");
    typing_.declare(plan.count, Type::number(DType::Integer));
    result_.plan.need(position_, plan.count);
    item.count = plan.count;
  }
  if (elements.range != nullptr) {
    std::vector<const Expr*> arguments;
    for (const Expr* argument : elements.range->arguments)
      arguments.push_back(kept(argument, "bound"));
    const Expr* range = context_.make<Call>(elements.range->ranges, elements.range->function,
                                            elements.range->callee, context_.list(arguments),
                                            List<const Keyword*>());
    if (CheckpointPlan* checkpoint = checkpoint_of(loop))
      range = plan_stretch(*checkpoint, static_cast<const Call*>(range));
    if (cut) {
      range = context_.make<Subscript>(
          {}, range,
          context_.make<Slice>({}, static_cast<const Expr*>(nullptr),
                               static_cast<const Expr*>(context_.local(plan.count)),
                               static_cast<const Expr*>(nullptr)));
    }
    item.target = loop->target;
    item.header = elements.backwards ? range : builtin("reversed", {range});
    need(item.header);
    return;
  }
  if (elements.whole != nullptr) {
    if (active(elements.whole)) {
      refuse(DiagnosticKind::UnsupportedType, elements.whole,
             "a loop over this kind of value, which depends on the differentiated arguments",
             "loop over an array, or over range(len(…)) with an index");
    }
    // Iterators run once: the items are made a list.
    const Expr* items = hoist(elements.whole, "items");
    result_.plan.listed.insert(elements.whole);
    if (cut) {
      items = context_.make<Subscript>(
          {}, items,
          context_.make<Slice>({}, static_cast<const Expr*>(nullptr),
                               static_cast<const Expr*>(context_.local(plan.count)),
                               static_cast<const Expr*>(nullptr)));
    }
    item.target = loop->target;
    item.header = builtin("reversed", {items});
    need(item.header);
    return;
  }
  const bool flows = std::any_of(elements.items.begin(), elements.items.end(),
                                 [&](const auto& pair) { return active(pair.second); });
  if (!flows && !cut && elements.index.empty() && elements.items.size() == 1) {
    item.target = loop->target;
    const Expr* items = kept(elements.items[0].second, "items");
    item.header = elements.backwards ? items : builtin("reversed", {items});
    need(item.header);
    return;
  }
  // By index: `x = xs[index]`.
  const bool own_index = !elements.index.empty() && elements.start == nullptr;
  const Symbol index = own_index ? elements.index : names_.fresh("index");
  if (!own_index) adjoint_names_.insert(index);  // not a variable of the primal
  typing_.declare(index, Type::number(DType::Integer));
  std::vector<const Expr*> lengths;
  std::vector<const Expr*> sequences;
  for (const auto& [target, sequence] : elements.items) {
    const Expr* value =
        is<Name>(sequence) && !defined.contains(static_cast<const Name*>(sequence)->symbol)
            ? sequence
            : kept(sequence, "items");
    sequences.push_back(value);
    lengths.push_back(builtin("len", {value}));
  }
  const Expr* length = cut                   ? static_cast<const Expr*>(context_.local(plan.count))
                       : lengths.size() == 1 ? lengths[0]
                                             : builtin("min", lengths);
  item.target = context_.local(index);
  item.header = builtin("range", {length});
  if (!elements.backwards) item.header = builtin("reversed", {item.header});
  need(item.header);
  const Stmt* const here = current_;
  current_ = nullptr;
  if (!own_index && !elements.index.empty()) {
    const Expr* start = kept(elements.start, "start");
    emit(context_.assign(context_.local(elements.index),
                         algebra_.binary(BinaryOperator::Add, start, context_.local(index))));
  }
  for (std::size_t k = 0; k < elements.items.size(); ++k) {
    const Expr* element = context_.make<Subscript>({}, sequences[k], context_.local(index));
    typing_.set(element, typing_.of(elements.items[k].first));
    emit(context_.assign(elements.items[k].first, element));
    const Expr* original =
        context_.make<Subscript>({}, elements.items[k].second, context_.local(index));
    typing_.set(original, typing_.of(elements.items[k].first));
    taken.emplace_back(elements.items[k].first, original);
  }
  current_ = here;
}

}  // namespace tangent
