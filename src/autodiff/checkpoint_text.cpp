// Snapshots and stretches as statements; see checkpoint_text.h.
#include "autodiff/checkpoint_text.h"

#include <algorithm>

#include "analysis/variables.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

// Where the forward part puts snapshots.
Symbol filled(const SnapshotPart& part) { return part.run ? part.run : part.list; }

const Constant* literal_number(const Expr* value) {
  const auto* constant = as<Constant>(value);
  return constant != nullptr && constant->value.kind == LiteralKind::Integer ? constant : nullptr;
}

}  // namespace

bool reads_name(Block block, Symbol name) {
  const auto reads = [&](const Node* node) { return mentions(node, name); };
  return std::ranges::any_of(block, [&](const Stmt* statement) {
    if (const auto* branch = as<If>(statement))
      return reads(branch->test) || reads_name(branch->body, name) ||
             reads_name(branch->orelse, name);
    if (const auto* loop = as<For>(statement))
      return reads(loop->iterable) || reads_name(loop->body, name);
    if (const auto* repeat = as<While>(statement))
      return reads(repeat->test) || reads_name(repeat->body, name);
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && is<Name>(assign->targets[0])) return reads(assign->value);
    return reads(statement);
  });
}

const Expr* CheckpointText::call(std::string_view builtin,
                                 const std::vector<const Expr*>& arguments) {
  return context_.make<Call>({}, context_.global(context_.symbol(builtin)),
                             context_.symbol("builtins." + std::string(builtin)),
                             Exprs(context_.list(arguments)), List<const Keyword*>());
}

const Expr* CheckpointText::binary(BinaryOperator op, const Expr* left, const Expr* right) {
  return context_.make<BinaryOperation>({}, op, left, right);
}

const Expr* CheckpointText::compare(const Expr* left, ComparisonOperator op, const Expr* right) {
  return context_.make<Comparison>({}, left, context_.list<ComparisonOperator>({op}),
                                   context_.list<const Expr*>({right}));
}

const Stmt* CheckpointText::branch(const Expr* test, const Statements& body) {
  return context_.make<If>({}, test, Block(context_.list(body)), Block());
}

const Stmt* CheckpointText::add(Symbol name, const Expr* value) {
  return context_.make<AugmentedAssign>({}, static_cast<const Expr*>(context_.local(name)),
                                        BinaryOperator::Add, value);
}

const Stmt* CheckpointText::loop_over(const Expr* target, const Expr* items,
                                      const Statements& body) {
  return context_.make<For>(loop_->ranges, target, items, Block(context_.list(body)), Block(),
                            false);
}

const Expr* CheckpointText::copy(const SnapshotPart& part) {
  const Expr* value = context_.local(part.variable);
  if (part.copy_list) return call("list", {value});
  if (!part.copy) return value;
  return context_.make<Call>(
      {}, context_.make<Attribute>({}, context_.global(numpy_), context_.symbol("copy")),
      context_.symbol("numpy.copy"), context_.list<const Expr*>({value}), List<const Keyword*>());
}

void CheckpointText::store(Statements& out, bool in_forward_part) {
  for (const SnapshotPart& part : plan_.state) {
    const bool of_run = in_forward_part && part.run;
    out.push_back(context_.make<Push>({}, of_run ? part.run : part.list, copy(part),
                                      of_run ? part.run_pair : part.pair));
  }
}

// A statement of the primal, as it stands: a node of its own, since it stands there several times.
const Stmt* CheckpointText::plain(const Stmt* statement, bool all) {
  if (const auto* branch = as<If>(statement)) {
    return context_.make<If>(branch->ranges, branch->test,
                             Block(context_.list(plain(branch->body, all))),
                             Block(context_.list(plain(branch->orelse, all))));
  }
  if (const auto* loop = as<For>(statement)) {
    return context_.make<For>(loop->ranges, loop->target, loop->iterable,
                              Block(context_.list(plain(loop->body, all))), Block(), false);
  }
  if (const auto* repeat = as<While>(statement)) {
    return context_.make<While>(repeat->ranges, repeat->test,
                                Block(context_.list(plain(repeat->body, all))), Block());
  }
  return dispatch(*statement, [&](const auto& it) -> const Stmt* {
    using T = std::remove_cvref_t<decltype(it)>;
    if constexpr (std::is_base_of_v<Stmt, T>) {
      return std::apply(
          [&](auto... members) { return context_.make<T>(it.ranges, it.*members...); },
          T::fields());
    } else {
      throw InternalError("a part among statements");
    }
  });
}

CheckpointText::Statements CheckpointText::plain(Block block, bool all) {
  Statements out;
  for (const Stmt* statement : block) {
    const bool dropped = plan_.dropped.contains(statement) || plan_.hoists_only.contains(statement);
    if (all || !dropped) out.push_back(plain(statement, all));
  }
  return out;
}

void CheckpointText::begin(Statements& out) {
  const std::size_t mark = out.size();
  for (const SnapshotPart& part : plan_.state) {
    if (plan_.thinned) out.push_back(assign(filled(part), context_.make<ListDisplay>({}, Exprs())));
  }
  for (const auto& [name, value] : plan_.lengths) out.push_back(assign(name, value));
  if (plan_.first_steps != nullptr) out.push_back(assign(plan_.stored, plan_.first_steps));
  if (const auto* stride = as<Name>(plan_.stride)) {
    const Expr* value = plan_.make_stride != nullptr ? plan_.make_stride : context_.integer(1);
    out.push_back(assign(stride->symbol, value));
  }
  if (plan_.steps) out.push_back(assign(plan_.steps, context_.integer(0)));
  added_.insert(added_.end(), out.begin() + static_cast<std::ptrdiff_t>(mark), out.end());
}

// The number of the step that begins.
const Expr* CheckpointText::count() {
  if (plan_.steps) return context_.local(plan_.steps);
  if (plan_.step) return context_.local(plan_.step);
  return static_cast<const For*>(loop_)->target;
}

const Stmt* CheckpointText::first_run(const Expr* header) {
  Statements body;
  if (plan_.thinned) {
    // Every second snapshot goes where there are too many; the rest are at twice the distance.
    const auto* stride = static_cast<const Name*>(plan_.stride);
    const Expr* most = plan_.most > 0
                           ? static_cast<const Expr*>(context_.integer(plan_.most))
                           : binary(BinaryOperator::Multiply, context_.integer(2), stride);
    Statements thin;
    for (const SnapshotPart& part : plan_.state) {
      const Expr* none = nullptr;
      const Expr* two = context_.integer(2);
      thin.push_back(assign(
          filled(part), context_.make<Subscript>(
                            {}, static_cast<const Expr*>(context_.local(filled(part))),
                            static_cast<const Expr*>(context_.make<Slice>({}, none, none, two)))));
    }
    thin.push_back(context_.make<AugmentedAssign>(
        {}, static_cast<const Expr*>(context_.local(stride->symbol)), BinaryOperator::Multiply,
        static_cast<const Expr*>(context_.integer(2))));
    body.push_back(branch(
        compare(count(), ComparisonOperator::Equal, binary(BinaryOperator::Multiply, most, stride)),
        thin));
  }
  Statements stored;
  store(stored, true);
  const Expr* test = plan_.stored
                         ? compare(count(), ComparisonOperator::In, context_.local(plan_.stored))
                         : compare(binary(BinaryOperator::Modulo, count(), plan_.stride),
                                   ComparisonOperator::Equal, context_.integer(0));
  body.push_back(branch(test, stored));
  if (plan_.steps) body.push_back(add(plan_.steps, context_.integer(1)));
  added_.insert(added_.end(), body.begin(), body.end());
  const auto* counted = as<For>(loop_);
  const Block own = counted != nullptr ? counted->body : static_cast<const While*>(loop_)->body;
  const Statements iteration = plain(own, true);
  body.insert(body.end(), iteration.begin(), iteration.end());
  if (counted != nullptr) return loop_over(plan_.steps ? counted->target : count(), header, body);
  return context_.make<While>(loop_->ranges, header, Block(context_.list(body)), Block());
}

// A run that thins its snapshots puts those that are left on the stack of all runs.
void CheckpointText::end(Statements& out) {
  for (const SnapshotPart& part : plan_.state) {
    if (!part.run) continue;
    const Expr* each = context_.local(plan_.each);
    const Stmt* push = context_.make<Push>({}, part.list, each, part.pair);
    const Stmt* loop = loop_over(each, context_.local(part.run), {push});
    added_.push_back(loop);
    added_.push_back(push);
    out.push_back(loop);
  }
}

const Expr* CheckpointText::target() {
  const auto* counted = as<For>(loop_);
  if (counted != nullptr) return counted->target;
  return context_.local(unread_);
}

const Expr* CheckpointText::items() {
  const Expr* start = context_.local(plan_.start);
  const Expr* stop = context_.local(plan_.stop);
  if (plan_.range == nullptr || plan_.from_zero) return call("range", {start, stop});
  return context_.make<Subscript>({}, plan_.range,
                                  static_cast<const Expr*>(context_.make<Slice>(
                                      {}, start, stop, static_cast<const Expr*>(nullptr))));
}

void CheckpointText::take_item(Statements& out) {
  if (!is<For>(loop_)) return;
  // What the schedule gives has no type of its own.
  const Expr* item = call("int", {context_.local(plan_.start)});
  if (!plan_.from_zero) item = context_.make<Subscript>(Ranges(), plan_.range, item);
  out.push_back(context_.assign(target(), item));
}

const Stmt* CheckpointText::stretches(const Statements& again) {
  const Expr* start = context_.local(plan_.start);
  const Expr* total =
      plan_.total != nullptr ? plan_.total : static_cast<const Expr*>(context_.local(plan_.steps));
  Statements body;
  const auto restore = [&] {
    for (const SnapshotPart& part : plan_.state) {
      const Expr* kept = context_.make<Pop>({}, part.list, part.pair);
      // A list or array of its own: the text may be differentiated again, and cannot tell.
      if (part.copy_list) kept = call("list", {kept});
      body.push_back(assign(part.variable, kept));
      if (part.copy) body.push_back(assign(part.variable, copy(part)));
    }
  };
  if (plan_.form != CheckpointPlan::Form::Binomial) {
    const Expr* next = binary(BinaryOperator::Add, start, plan_.stride);
    const Constant* steps = literal_number(total);
    const Constant* stride = literal_number(plan_.stride);
    const bool even =
        steps != nullptr && stride != nullptr && steps->value.integer % stride->value.integer == 0;
    body.push_back(assign(plan_.stop, even ? next : call("min", {next, total})));
    restore();
    body.insert(body.end(), again.begin(), again.end());
    return loop_over(
        start, call("reversed", {call("range", {context_.integer(0), total, plan_.stride})}), body);
  }
  restore();
  // On from the last snapshot to the stretch, with snapshots for those before it.
  Statements way;
  Statements stored;
  store(stored, false);
  const auto* counted = as<For>(loop_);
  const Expr* step = plan_.step ? context_.local(plan_.step) : counted->target;
  way.push_back(branch(compare(step, ComparisonOperator::In, context_.local(plan_.kept)), stored));
  if (counted != nullptr && plan_.step) {
    const Expr* item =
        plan_.from_zero ? step : context_.make<Subscript>(Ranges(), plan_.range, step);
    way.push_back(context_.assign(counted->target, item));
  }
  const Block own = counted != nullptr ? counted->body : static_cast<const While*>(loop_)->body;
  const Statements iteration = plain(own, false);
  way.insert(way.end(), iteration.begin(), iteration.end());
  body.push_back(loop_over(step, call("range", {context_.local(plan_.first), start}), way));
  if (!plan_.one_step)
    body.push_back(assign(plan_.stop, binary(BinaryOperator::Add, start, context_.integer(1))));
  body.insert(body.end(), again.begin(), again.end());
  const Expr* target = context_.make<TupleDisplay>(
      {},
      context_.list<const Expr*>({context_.local(plan_.first), start, context_.local(plan_.kept)}));
  return loop_over(target, plan_.stretches, body);
}

}  // namespace tangent
