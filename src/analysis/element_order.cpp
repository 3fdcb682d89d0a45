// Comparing the places of two accesses by the bounds of their difference; see element_order.h.
#include "analysis/element_order.h"

#include <algorithm>

#include "analysis/variables.h"

namespace tangent {

namespace {

// A symbol is one text: where it stands tells it from all others.
const void* identity_of(Symbol symbol) { return &*symbol.text().begin(); }

// Accesses are compared pair by pair: of long programs nothing is said.
constexpr std::size_t kMostAccesses = 60;

// range(start, stop, step) of a loop, also reversed and cut.
struct Range {
  const Expr* start = nullptr;  // null: 0
  const Expr* stop = nullptr;
  bool counts_down = false;  // the numbers of range itself
  bool is_reversed = false;
};

std::optional<std::int64_t> integer_of(const Expr* value) {
  const auto* minus = as<UnaryOperation>(value);
  const bool is_negative = minus != nullptr && minus->op == UnaryOperator::Minus;
  const auto* constant = as<Constant>(is_negative ? minus->operand : value);
  if (constant == nullptr || constant->value.kind != LiteralKind::Integer) return std::nullopt;
  return is_negative ? -constant->value.integer : constant->value.integer;
}

std::optional<Range> counted_range(const For* loop) {
  Range range;
  const Expr* iterable = loop->iterable;
  if (!is<Name>(loop->target)) return std::nullopt;
  while (true) {
    if (const auto* part = as<Subscript>(iterable)) {
      const auto* slice = as<Slice>(part->index);
      if (slice == nullptr || slice->step != nullptr) return std::nullopt;
      iterable = part->value;
      continue;
    }
    const auto* call = as<Call>(iterable);
    if (call == nullptr || !call->keywords.empty()) return std::nullopt;
    const Exprs arguments = call->arguments;
    if (call->callee.text() == "builtins.reversed" && arguments.size() == 1) {
      range.is_reversed = !range.is_reversed;
      iterable = arguments[0];
      continue;
    }
    if (call->callee.text() != "builtins.range" || arguments.empty() || arguments.size() > 3)
      return std::nullopt;
    range.start = arguments.size() > 1 ? arguments[0] : nullptr;
    range.stop = arguments[arguments.size() > 1 ? 1 : 0];
    if (arguments.size() == 3) {
      const auto step = integer_of(arguments[2]);
      if (!step || *step == 0) return std::nullopt;
      range.counts_down = *step < 0;
    }
    return range;
  }
}

}  // namespace

ElementOrder::ElementOrder(Block region, Symbol array, std::function<Type(const Expr*)> type_of)
    : array_(array), type_of_(std::move(type_of)) {
  for (const Stmt* statement : region) {
    for_each_definition(statement, [&](Symbol symbol) { defined_.insert(symbol); });
    for_each_node(*statement, [&](const Node& node) {
      if (const auto* push = as<Push>(&node)) defined_.insert(push->tape);
      if (const auto* pop = as<Pop>(&node)) defined_.insert(pop->tape);
    });
  }
  collect(region);
}

bool ElementOrder::is_integer(const Expr* value) const {
  const Type type = type_of_(value);
  return type.is_number() && type.dtype == DType::Integer;
}

void ElementOrder::add(const Subscript* place, bool reads, bool stores, bool escapes, int order) {
  Access access = here_;
  access.place = place;
  access.reads = reads;
  access.stores = stores;
  access.escapes = escapes;
  access.order = order;
  accesses_.push_back(std::move(access));
}

void ElementOrder::collect(Block block) {
  for (const Stmt* statement : block) collect(statement);
}

void ElementOrder::collect(const Stmt* statement) {
  order_ += 2;
  here_.statement = statement;
  const auto* branch = as<If>(statement);
  const auto* loop = as<For>(statement);
  const auto* repeat = as<While>(statement);
  if (branch != nullptr) {
    read(branch->test, true);
    for (const bool taken : {true, false}) {
      here_.arms.emplace_back(branch, taken);
      here_.tests.emplace_back(branch->test, taken);
      collect(taken ? branch->body : branch->orelse);
      here_.arms.pop_back();
      here_.tests.pop_back();
    }
    return;
  }
  if (loop != nullptr || repeat != nullptr) {
    if (loop != nullptr) read(loop->iterable, false);
    here_.loops.push_back(statement);
    if (repeat != nullptr) read(repeat->test, true);
    collect(loop != nullptr ? loop->body : repeat->body);
    here_.loops.pop_back();
    return;
  }
  // What runs the statements inside in another way may do anything.
  bool is_compound = false;
  for_each_child(*statement, [&](const Node* child) {
    is_compound = is_compound || is_statement(child->kind);
  });
  if (is_compound) return add(nullptr, true, true, true, order_);
  const Subscript* place = stored_place(statement);
  const Name* root = place != nullptr ? root_of(place) : nullptr;
  if (root == nullptr || root->symbol != array_) {
    const bool is_kept_apart = is<Return>(statement) || is<Push>(statement);
    for_each_child(*statement, [&](const Node* child) {
      const auto* target = as<Name>(child);
      const auto* assign = as<Assign>(statement);
      if (target != nullptr && target->symbol == array_ && assign != nullptr &&
          child == assign->targets[0])
        return add(nullptr, true, true, true, order_ + 1);  // bound anew: not of this region
      const auto* several = as<TupleDisplay>(child);
      if (several != nullptr && assign != nullptr && child == assign->targets[0] &&
          mentions(several, array_))
        return add(nullptr, true, true, true, order_ + 1);  // or stored into by a call
      read(child, is_kept_apart);
    });
    return;
  }
  const auto* update = as<AugmentedAssign>(statement);
  for (const Expr* part = place; is<Subscript>(part); part = as<Subscript>(part)->value)
    read(as<Subscript>(part)->index, true);
  // x[i] = x[i] + e: the old value is added to.
  std::vector<const Expr*> sum{assigned_value(statement)};
  while (!sum.empty()) {
    const Expr* term = sum.back();
    sum.pop_back();
    const auto* operation = as<BinaryOperation>(term);
    if (operation != nullptr && operation->op == BinaryOperator::Add && update == nullptr) {
      sum.push_back(operation->left);
      sum.push_back(operation->right);
    } else if (operation != nullptr && operation->op == BinaryOperator::Subtract &&
               update == nullptr) {
      sum.push_back(operation->left);
      read(operation->right, true);
    } else if (update == nullptr && equal(term, place) && term != assigned_value(statement)) {
      add(place, false, false, false, order_);
    } else {
      read(term, true);
    }
  }
  const bool adds = update != nullptr &&
                    (update->op == BinaryOperator::Add || update->op == BinaryOperator::Subtract);
  if (update != nullptr) add(place, !adds, false, false, order_);
  add(place, false, true, false, order_ + 1);
}

// `is_kept_apart`: the value is computed with, and gets no other name.
void ElementOrder::read(const Node* node, bool is_kept_apart) {
  if (const auto* name = as<Name>(node)) {
    if (name->symbol == array_ && name->scope == Scope::Local)
      add(nullptr, true, false, !is_kept_apart, order_);
    return;
  }
  if (const auto* subscript = as<Subscript>(node)) {
    const Name* root = root_of(subscript);
    if (root != nullptr && root->symbol == array_ && root->scope == Scope::Local) {
      for (const Expr* part = subscript; is<Subscript>(part); part = as<Subscript>(part)->value)
        read(as<Subscript>(part)->index, true);
      return add(subscript, true, false, !is_kept_apart && !type_of_(subscript).is_number(),
                 order_);
    }
  }
  if (const auto* attribute = as<Attribute>(node)) {
    const std::string_view text = attribute->attribute.text();
    if (is<Name>(attribute->value) &&
        (text == "shape" || text == "size" || text == "ndim" || text == "dtype"))
      return;
  }
  if (is<Comprehension>(node) || is<Lambda>(node)) {
    // Their own names are not told from others.
    if (mentions(node, array_)) add(nullptr, true, false, true, order_);
    return;
  }
  if (const auto* choice = as<Conditional>(node)) {
    read(choice->test, true);
    for (const bool taken : {true, false}) {
      here_.tests.emplace_back(choice->test, taken);
      read(taken ? choice->body : choice->orelse, is_kept_apart);
      here_.tests.pop_back();
    }
    return;
  }
  if (const auto* both = as<BooleanOperation>(node)) {
    for (const Expr* value : both->values) {
      read(value, is_kept_apart);
      here_.tests.emplace_back(value, both->op == BooleanOperator::And);
    }
    here_.tests.resize(here_.tests.size() - both->values.size());
    return;
  }
  if (const auto* call = as<Call>(node)) {
    const std::string_view callee = call->callee.text();
    if ((callee == "builtins.len" || callee == "numpy.zeros_like" || callee == "numpy.empty_like" ||
         callee == "numpy.ones_like") &&
        call->arguments.size() == 1 && is<Name>(call->arguments[0]))
      return;
    // A view, or an array that is written into, is the array under another name.
    const bool apart = callee.starts_with("math.");
    for_each_child(*call, [&](const Node* child) { read(child, apart); });
    return;
  }
  const bool computes =
      is<BinaryOperation>(node) || is<Comparison>(node) || is<UnaryOperation>(node);
  for_each_child(*node, [&](const Node* child) { read(child, computes || is_kept_apart); });
}

bool ElementOrder::reads_stay() const {
  if (accesses_.size() > kMostAccesses) return false;
  for (const Access& first : accesses_) {
    if (!first.reads) continue;
    for (const Access& second : accesses_) {
      if (second.stores && may_meet(first, second)) return false;
    }
  }
  return true;
}

bool ElementOrder::is_stored_after(const Stmt* store) const {
  if (accesses_.size() > kMostAccesses) return true;
  for (const Access& first : accesses_) {
    if (first.statement != store || !first.stores) continue;
    for (const Access& second : accesses_) {
      if (second.stores && may_meet(first, second)) return true;
    }
  }
  return false;
}

bool ElementOrder::is_touched_after(const Stmt* store) const {
  if (accesses_.size() > kMostAccesses) return true;
  for (const Access& first : accesses_) {
    if (first.statement != store || !first.stores) continue;
    for (const Access& second : accesses_) {
      if (second.escapes || may_meet(first, second)) return true;
    }
  }
  return false;
}

bool ElementOrder::is_touched_before(const Stmt* store) const {
  if (accesses_.size() > kMostAccesses) return true;
  for (const Access& second : accesses_) {
    if (second.statement != store || !second.stores) continue;
    for (const Access& first : accesses_) {
      if ((first.statement != store || first.stores) && may_meet(first, second)) return true;
    }
  }
  return false;
}

// Whether the second can run after the first and be to a place of the first's.
bool ElementOrder::may_meet(const Access& first, const Access& second) const {
  std::size_t common = 0;
  while (common < first.loops.size() && common < second.loops.size() &&
         first.loops[common] == second.loops[common])
    ++common;
  for (std::size_t later = 0; later < common; ++later) {
    if (may_meet(first, second, common, later)) return true;
  }
  if (second.order <= first.order) return false;
  for (const auto& [branch, taken] : first.arms) {
    for (const auto& [other, other_taken] : second.arms) {
      if (branch == other && taken != other_taken) return false;
    }
  }
  return may_meet(first, second, common, common);
}

// In equal iterations of the first `later` loops and a later one of the next, if `later` is not
// `common`.
bool ElementOrder::may_meet(const Access& first, const Access& second, std::size_t common,
                            std::size_t later) const {
  Scene scene;
  enter(first, 0, common, later, scene);
  enter(second, 1, common, later, scene);
  for (const Sum& zero : scene.zero) {
    if (at_least(zero, 1, scene) || at_least(plus({}, zero, -1), 1, scene)) return false;
  }
  const auto one = spans(first, 0, scene);
  const auto two = spans(second, 1, scene);
  for (std::size_t axis = 0; axis < std::min(one.size(), two.size()); ++axis) {
    if (!one[axis] || !two[axis]) continue;
    if (are_apart(*one[axis], *two[axis], scene) || are_apart(*two[axis], *one[axis], scene))
      return false;
  }
  return true;
}

// The values of the loops' variables around an access, and what its tests say.
void ElementOrder::enter(const Access& access, int side, std::size_t common, std::size_t later,
                         Scene& scene) const {
  for (std::size_t level = 0; level < access.loops.size(); ++level) {
    const auto* loop = as<For>(access.loops[level]);
    const std::optional<Range> range = loop != nullptr ? counted_range(loop) : std::nullopt;
    if (!range) continue;
    const Symbol variable = static_cast<const Name*>(loop->target)->symbol;
    // Nothing inside gives the variable another value.
    bool is_defined = false;
    for (const Stmt* inner : loop->body)
      for_each_definition(inner,
                          [&](Symbol symbol) { is_defined = is_defined || symbol == variable; });
    if (is_defined || !is_integer(loop->target)) continue;
    const bool shared = level < common && level <= later;
    const Unknown unknown{loop, shared ? 0 : side + 1};
    Sum value;
    value.terms[unknown] = 1;
    Bounds bounds{.low = {}, .high = {}, .depth = static_cast<int>(level) + 1};
    const std::optional<Sum> start =
        range->start != nullptr ? sum_of(range->start, side, scene) : Sum();
    std::optional<Sum> stop = sum_of(range->stop, side, scene);
    if (stop) stop->constant += range->counts_down ? 1 : -1;
    bounds.low = range->counts_down ? stop : start;
    bounds.high = range->counts_down ? start : stop;
    scene.bounds.try_emplace(unknown, bounds);
    if (level == later && level < common && side == 1) {
      const bool falls = range->counts_down != range->is_reversed;
      value.terms[{nullptr, 0}] = falls ? -1 : 1;
    }
    scene.values[side][variable] = value;
    if (level == later && level < common && side == 1) {
      // The later number is in the loop's bounds as well.
      if (bounds.low) scene.positive.push_back(plus(value, *bounds.low, -1));
      if (bounds.high) scene.positive.push_back(plus(*bounds.high, value, -1));
    }
  }
  for (const auto& [test, holds] : access.tests) assume(test, holds, side, scene);
}

void ElementOrder::assume(const Expr* test, bool holds, int side, Scene& scene) const {
  if (const auto* negated = as<UnaryOperation>(test);
      negated != nullptr && negated->op == UnaryOperator::Not)
    return assume(negated->operand, !holds, side, scene);
  if (const auto* both = as<BooleanOperation>(test)) {
    if ((both->op == BooleanOperator::And) != holds) return;
    for (const Expr* value : both->values) assume(value, holds, side, scene);
    return;
  }
  const auto* comparison = as<Comparison>(test);
  if (comparison == nullptr || comparison->ops.size() != 1) return;
  const std::optional<Sum> left = sum_of(comparison->left, side, scene);
  const std::optional<Sum> right = sum_of(comparison->comparators[0], side, scene);
  if (!left || !right) return;
  const Sum rise = plus(*right, *left, -1);  // right - left
  const Sum fall = plus(*left, *right, -1);
  auto known = [&](Sum sum, bool is_strict) {
    if (is_strict) sum.constant -= 1;
    scene.positive.push_back(std::move(sum));
  };
  switch (comparison->ops[0]) {
    case ComparisonOperator::Less:
      return holds ? known(rise, true) : known(fall, false);
    case ComparisonOperator::LessEqual:
      return holds ? known(rise, false) : known(fall, true);
    case ComparisonOperator::Greater:
      return holds ? known(fall, true) : known(rise, false);
    case ComparisonOperator::GreaterEqual:
      return holds ? known(fall, false) : known(rise, true);
    case ComparisonOperator::Equal:
    case ComparisonOperator::NotEqual:
      if (holds == (comparison->ops[0] == ComparisonOperator::Equal)) {
        scene.zero.push_back(rise);
        known(rise, false);
        known(fall, false);
      } else {
        scene.other.push_back(rise);
        scene.other.push_back(fall);
      }
      return;
    default:
      return;
  }
}

std::optional<ElementOrder::Sum> ElementOrder::sum_of(const Expr* value, int side,
                                                      const Scene& scene) const {
  if (const auto constant = integer_of(value)) return Sum{.terms = {}, .constant = *constant};
  if (const auto* name = as<Name>(value)) {
    const auto known = scene.values[side].find(name->symbol);
    if (known != scene.values[side].end() && name->scope == Scope::Local) return known->second;
    if (defined_.contains(name->symbol) || !is_integer(name)) return std::nullopt;
    return Sum{.terms = {{{identity_of(name->symbol), 3}, 1}}, .constant = 0};
  }
  if (const auto* call = as<Call>(value);
      call != nullptr && call->callee.text() == "builtins.len" && call->arguments.size() == 1) {
    const auto* name = as<Name>(call->arguments[0]);
    if (name == nullptr || (defined_.contains(name->symbol) && name->symbol != array_))
      return std::nullopt;
    return Sum{.terms = {{{identity_of(name->symbol), 4}, 1}}, .constant = 0};
  }
  const auto* operation = as<BinaryOperation>(value);
  if (operation == nullptr) return std::nullopt;
  const std::optional<Sum> left = sum_of(operation->left, side, scene);
  if (!left) return std::nullopt;
  const std::optional<Sum> right = sum_of(operation->right, side, scene);
  if (!right) return std::nullopt;
  switch (operation->op) {
    case BinaryOperator::Add:
      return plus(*left, *right);
    case BinaryOperator::Subtract:
      return plus(*left, *right, -1);
    case BinaryOperator::Multiply:
      if (left->terms.empty()) return plus({}, *right, left->constant);
      if (right->terms.empty()) return plus({}, *left, right->constant);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Along each axis from the first, as far as indices name axes one by one.
std::vector<std::optional<ElementOrder::Span>> ElementOrder::spans(const Access& access, int side,
                                                                   const Scene& scene) const {
  std::vector<std::optional<Span>> found;
  std::vector<const Expr*> indices;
  for (const Expr* part = access.place; is<Subscript>(part); part = as<Subscript>(part)->value)
    indices.insert(indices.begin(), as<Subscript>(part)->index);
  for (const Expr* index : indices) {
    const auto* tuple = as<TupleDisplay>(index);
    const Exprs parts = tuple != nullptr ? tuple->elements : Exprs(&index, 1);
    bool slices = false;
    for (const Expr* part : parts) {
      if (const auto* slice = as<Slice>(part)) {
        slices = true;
        const std::optional<Sum> low =
            slice->lower != nullptr ? sum_of(slice->lower, side, scene) : Sum();
        const std::optional<Sum> stop =
            slice->upper != nullptr ? sum_of(slice->upper, side, scene) : std::nullopt;
        if (slice->step != nullptr || !low) {
          found.emplace_back();
          continue;
        }
        Span span{.low = *low, .high = {}};
        // A stop below zero counts from the end.
        if (stop && at_least(*stop, 0, scene)) {
          span.high = *stop;
          span.high->constant -= 1;
        }
        found.emplace_back(std::move(span));
        continue;
      }
      if (!is_integer(part)) return found;
      const std::optional<Sum> sum = sum_of(part, side, scene);
      if (sum) {
        found.emplace_back(Span{.low = *sum, .high = sum});
      } else {
        found.emplace_back();
      }
    }
    if (slices) return found;  // what indexes the slice does not index the array
  }
  return found;
}

// Whether all of one is below all of another, and no index counts from the end.
bool ElementOrder::are_apart(const Span& below, const Span& above, const Scene& scene) {
  if (!below.high || !at_least(below.low, 0, scene)) return false;
  const Sum gap = plus(above.low, *below.high, -1);
  if (at_least(gap, 1, scene)) return true;
  const bool is_known_other = std::ranges::any_of(scene.other, [&](const Sum& other) {
    return other.terms == gap.terms && other.constant == gap.constant;
  });
  const bool is_one = above.high && above.high->terms == above.low.terms &&
                      above.high->constant == above.low.constant;
  return is_known_other && is_one && at_least(above.low, 0, scene);
}

bool ElementOrder::at_least(const Sum& sum, std::int64_t bound, const Scene& scene) {
  auto holds = [&](const Sum& rest) {
    const auto low = lowest(rest, scene);
    return low && *low >= bound;
  };
  return holds(sum) || std::ranges::any_of(scene.positive, [&](const Sum& known) {
           return holds(plus(sum, known, -1));
         });
}

// The lowest value that the bounds of loops allow.
std::optional<std::int64_t> ElementOrder::lowest(Sum sum, const Scene& scene) {
  while (true) {
    // The innermost variable first: its bounds are sums of those around it.
    const Unknown* innermost = nullptr;
    const Bounds* bounds = nullptr;
    for (const auto& [unknown, factor] : sum.terms) {
      const auto known = scene.bounds.find(unknown);
      if (known == scene.bounds.end()) continue;
      if (bounds == nullptr || known->second.depth > bounds->depth) {
        innermost = &known->first;
        bounds = &known->second;
      }
    }
    if (innermost == nullptr) break;
    const std::int64_t factor = sum.terms.at(*innermost);
    const std::optional<Sum>& bound = factor > 0 ? bounds->low : bounds->high;
    if (!bound) return std::nullopt;
    sum.terms.erase(*innermost);
    sum = plus(std::move(sum), *bound, factor);
  }
  std::int64_t low = sum.constant;
  for (const auto& [unknown, factor] : sum.terms) {
    // How much later an iteration is: at least one.
    if (unknown.what != nullptr || factor < 0) return std::nullopt;
    low += factor;
  }
  return low;
}

ElementOrder::Sum ElementOrder::plus(Sum a, const Sum& b, std::int64_t factor) {
  for (const auto& [unknown, times] : b.terms) {
    const auto [found, is_new] = a.terms.try_emplace(unknown, 0);
    found->second += factor * times;
    if (found->second == 0) a.terms.erase(found);
  }
  a.constant += factor * b.constant;
  return a;
}

}  // namespace tangent
