// Loops that keep snapshots, backwards: a loop over stretches around the loop of the iterations;
// see checkpoints.h.
//
// In: the loop, the adjoints behind it. Out: an item `Stretches`, whose body undoes one stretch:
// the iteration that was cut, if it is the last one, then the full ones.
#include <cmath>

#include "autodiff/checkpoint_text.h"
#include "autodiff/reverse.h"

namespace tangent {

namespace {

const Constant* whole_number(const Expr* value) {
  const auto* constant = as<Constant>(value);
  return constant != nullptr && constant->value.kind == LiteralKind::Integer ? constant : nullptr;
}

// The length of segments for so many steps: √n, or what so many snapshots ask for.
std::int64_t segment_of(std::int64_t steps, std::int64_t snapshots) {
  if (steps <= 1) return 1;
  if (snapshots > 0) return (steps + snapshots - 1) / snapshots;
  return static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(steps))));
}

}  // namespace

CheckpointPlan* Reverse::checkpoint_of(const Stmt* loop) {
  const auto found = result_.plan.checkpoints.find(loop);
  return found != result_.plan.checkpoints.end() ? &found->second : nullptr;
}

Symbol Reverse::backward_number(std::string_view wish) {
  const Symbol name = names_.fresh(wish);
  typing_.declare(name, Type::number(DType::Integer));
  adjoint_names_.insert(name);  // not a variable of the primal
  return name;
}

const Expr* Reverse::builtin_call(std::string_view name,
                                  const std::vector<const Expr*>& arguments) {
  return context_.make<Call>({}, context_.global(context_.symbol(name)),
                             context_.symbol("builtins." + std::string(name)),
                             Exprs(context_.list(arguments)), List<const Keyword*>());
}

const Expr* Reverse::runtime_call(std::string_view name,
                                  const std::vector<const Expr*>& arguments) {
  return context_.make<Call>({}, helper(name),
                             context_.symbol("tangent.runtime." + std::string(name)),
                             Exprs(context_.list(arguments)), List<const Keyword*>());
}

void Reverse::reverse_stretches(const Stmt* loop) {
  const Position after = position_;
  const Stmt* const here = current_;
  const std::vector<Symbol> touched = touched_by(loop);
  const std::vector<Symbol> carried = carried_by(loop, touched);
  CheckpointPlan& plan = result_.plan.checkpoints[loop];
  // A loop in front of an exit of the loop around it is undone in two places.
  const bool is_first = plan.inside.empty();
  if (is_first) {
    plan.inside = context_.list<const Stmt*>({loop});
    plan.start = backward_number("start");
    plan.stop = backward_number("stop");
  }

  killed_in_loop(loop);
  if (find_node(loop, [](const Node* node) { return is<Break>(node); }) != nullptr) flush_reads();
  write_down_carried(loop, touched, carried);

  const std::vector<Symbol> changed = changes(loop);
  changed_by_loops_.emplace_back(changed.begin(), changed.end());
  Back item{.form = Back::Form::Stretches, .statement = loop, .origin = loop};
  Stream* const outer = out_;
  out_ = &item.body;
  ++loop_depth_;
  const std::vector<Linear> entry = adjoints_;
  const std::unordered_set<Symbol> owned_entry = owned_;
  const std::unordered_set<Symbol> assigned_entry = assigned_;
  set_position(plan.inside, 1);
  after_current_ = position_;
  reverse_iterations(loop);
  // What flows into the cut iteration alone is done with: no stretch before it was cut.
  std::vector<Symbol> done;
  for (const Symbol symbol : touched) {
    const std::size_t index = number(symbol);
    if (std::ranges::find(carried, symbol) != carried.end() || index >= entry.size() ||
        !adjoint_of(symbol).is_zero() || entry[index].is_zero())
      continue;
    adjoints_[index] = entry[index];
    done.push_back(symbol);
  }
  leave_loop(loop, carried, entry);
  for (const Symbol symbol : done) adjoint_of(symbol) = Linear();
  std::erase_if(owned_, [&](Symbol name) { return !owned_entry.contains(name); });
  assigned_ = assigned_entry;
  changed_by_loops_.pop_back();
  --loop_depth_;
  out_ = outer;
  current_ = here;
  position_ = after;
  after_current_ = after;
  out_->push_back(std::move(item));
  if (is_first) plan_schedule(loop, plan, after);
}

// What the loop runs over, seen from one stretch.
const Expr* Reverse::plan_stretch(CheckpointPlan& plan, const Call* range) {
  const auto reads_list = [&](const Expr* value) {
    return find_node(value, [&](const Node* node) {
             const auto* name = as<Name>(node);
             return name != nullptr && typing_.of(name).kind == TypeKind::List;
           }) != nullptr;
  };
  if (std::ranges::any_of(range->arguments, reads_list)) {
    std::vector<const Expr*> bounds;
    for (const Expr* argument : range->arguments) {
      bounds.push_back(argument);
      if (!reads_list(argument)) continue;
      const Symbol name = names_.fresh("length");
      typing_.declare(name, Type::number(DType::Integer));
      plan.lengths.emplace_back(name, argument);
      bounds.back() = context_.local(name);
    }
    range = context_.make<Call>(range->ranges, range->function, range->callee,
                                Exprs(context_.list(bounds)), range->keywords);
  }
  const Exprs arguments = range->arguments;
  const auto is_number = [&](std::size_t k, std::int64_t value) {
    const Constant* constant = k < arguments.size() ? whole_number(arguments[k]) : nullptr;
    return constant != nullptr && constant->value.integer == value;
  };
  plan.range = range;
  plan.from_zero =
      arguments.size() == 1 || (is_number(0, 0) && (arguments.size() == 2 || is_number(2, 1)));
  plan.total =
      plan.from_zero ? arguments[arguments.size() == 1 ? 0 : 1] : builtin_call("len", {range});
  need(range);
  const Expr* start = context_.local(plan.start);
  const Expr* stop = context_.local(plan.stop);
  if (plan.from_zero) return builtin_call("range", {start, stop});
  return context_.make<Subscript>({}, static_cast<const Expr*>(range),
                                  static_cast<const Expr*>(context_.make<Slice>(
                                      {}, start, stop, static_cast<const Expr*>(nullptr))));
}

// Where the snapshots are.
void Reverse::plan_schedule(const Stmt* loop, CheckpointPlan& plan, Position after) {
  const CheckpointOptions& options = checkpoints_->options;
  const bool binomial = options.schedule == CheckpointSchedule::Binomial;
  const LoopPlan& exits = result_.plan.loops[loop];
  const bool known = plan.range != nullptr && exits.exits.empty();
  plan.form = binomial ? CheckpointPlan::Form::Binomial
              : known  ? CheckpointPlan::Form::Segments
                       : CheckpointPlan::Form::Thinned;
  plan.thinned = !known;
  plan.most = options.snapshots;
  const auto forward_number = [&](std::string_view wish) {
    const Symbol name = names_.fresh(wish);
    typing_.declare(name, Type::number(DType::Integer));
    result_.plan.need(after, name);
    return name;
  };
  for (const auto& [name, value] : plan.lengths) result_.plan.need(after, name);
  if (!known) plan.total = nullptr;
  if (!known || !plan.from_zero) plan.steps = forward_number("steps");
  // `for _ in range(n)`: the number of the step is read now.
  const auto* counted = as<For>(loop);
  const auto* target = counted != nullptr ? as<Name>(counted->target) : nullptr;
  if (!plan.steps && target->symbol.text() == "_" && !reads_name(counted->body, target->symbol))
    plan.step = backward_number("step");
  std::vector<const Expr*> most;
  if (plan.most > 0) most.push_back(context_.integer(plan.most));
  if (plan.thinned) plan.stride = context_.local(forward_number("stride"));
  if (plan.form == CheckpointPlan::Form::Segments) {
    const Constant* total = whole_number(plan.total);
    if (total != nullptr) {
      plan.stride = context_.integer(segment_of(total->value.integer, plan.most));
    } else {
      plan.stride = context_.local(forward_number("stride"));
      std::vector<const Expr*> arguments{plan.total};
      arguments.insert(arguments.end(), most.begin(), most.end());
      plan.make_stride = runtime_call("_segment_size", arguments);
    }
  }
  if (!binomial) return;
  plan.one_step = exits.exits.empty();
  plan.first = backward_number("first");
  plan.kept = backward_number("kept");
  typing_.declare(plan.kept, Type::unknown());
  if (plan.steps) plan.step = backward_number("step");
  const Expr* total = known ? plan.total : context_.local(plan.steps);
  const Expr* stored = nullptr;
  if (plan.thinned) {
    stored = builtin_call("range", {context_.integer(0), total, plan.stride});
  } else {
    plan.stored = forward_number("stored");
    typing_.declare(plan.stored, Type::unknown());
    stored = context_.local(plan.stored);
    std::vector<const Expr*> arguments{total};
    arguments.insert(arguments.end(), most.begin(), most.end());
    plan.first_steps = runtime_call("_snapshot_steps", arguments);
  }
  std::vector<const Expr*> arguments{stored, total};
  arguments.insert(arguments.end(), most.begin(), most.end());
  plan.stretches = runtime_call("_stretches", arguments);
}

}  // namespace tangent
