// Adjoints through expressions: from the adjoint of a value to those of the names in it; see
// reverse.h.
#include "autodiff/reverse.h"

namespace tangent {

namespace {

bool is_number_type(const Type& type) { return type.kind == TypeKind::Number; }

// The type of an adjoint summed to the shape of an operand: its dtype is the adjoint's own.
Type reduced_type(const Type& adjoint, const Type& operand) {
  Type result = operand;
  if (!is_floating(result.dtype)) result.dtype = DType::Float64;
  if (adjoint.is_numeric() && is_floating(adjoint.dtype) && adjoint.dtype > result.dtype) {
    result.dtype = adjoint.dtype;
  }
  return result;
}

// Whether two or more terms of a sum are active. Walked along its spine: sums can be very long.
template <class Active>
bool has_two_terms(const Expr* node, Active&& active) {
  int count = 0;
  while (const auto* sum = as<BinaryOperation>(node)) {
    if (sum->op != BinaryOperator::Add && sum->op != BinaryOperator::Subtract) break;
    if (active(sum->right) && ++count == 2) return true;
    node = sum->left;
  }
  return active(node) && ++count == 2;
}

}  // namespace

bool Reverse::active(const Expr* node) const { return activity_.varies(node, current_); }

std::size_t Reverse::distinct_leaves(const Expr* node) const {
  std::vector<Symbol> seen;
  activity_.for_each_flow(node, [&](Symbol read) {
    if (seen.size() < 2 && activity_.varies(read, current_) &&
        std::find(seen.begin(), seen.end(), read) == seen.end()) {
      seen.push_back(read);
    }
  });
  return seen.size();
}

std::size_t Reverse::active_parts(const Expr* node) const {
  std::size_t count = 0;
  for_each_node(*node, [&](const Node& part) {
    const auto* subscript = as<Subscript>(&part);
    if (subscript != nullptr && active(subscript)) ++count;
  });
  return count;
}

std::size_t Reverse::size_of(const Expr* node, std::size_t limit) {
  std::size_t count = 0;
  SmallStack<const Node*> stack(node);
  while (!stack.empty() && count <= limit) {
    const Node* top = stack.pop();
    ++count;
    push_children(stack, *top);
  }
  return count;
}

Linear Reverse::named(std::string_view wish, const Linear& adjoint, const Type& type) {
  const Symbol name = names_.fresh(wish);
  adjoint_names_.insert(name);
  write(name, adjoint, type);
  Linear result = algebra_.of(context_.local(name));
  result.lazy = adjoint.lazy;
  return result;
}

Linear Reverse::named_if_shared(const Expr* node, Linear adjoint) {
  const bool scalar = is_number_type(typing_.of(node));
  if (adjoint.is_cheap(scalar)) return adjoint;
  // Contributions to one variable join, but not those to parts of an array.
  if (distinct_leaves(node) < 2 && size_of(node, 12) <= 12 && (scalar || active_parts(node) < 2))
    return adjoint;
  return name_adjoint(node, adjoint);
}

Linear Reverse::name_adjoint(const Expr* node, const Linear& adjoint) {
  if (node != current_value_ || !current_target_)
    return named("b" + name_for(node), adjoint, typing_.of(node));
  // The adjoint of the statement's own target, which nothing reads any more.
  if (adjoint.as_name() == bar(current_target_)) return adjoint;
  return write_as(current_target_, adjoint, typing_.of(node));
}

// An adjoint that is on its way, under the name of the adjoint of a variable that has none now.
Linear Reverse::write_as(Symbol variable, Linear adjoint, const Type& type) {
  const Symbol name = bar(variable);
  {
    // What mentions the name is written down before, which may be over a name that this one reads.
    const InFlight waiting(*this, adjoint);
    flush_mentions(name, variable);
  }
  {
    const Origins origins(*this, adjoint);
    write(name, adjoint, type);
  }
  Linear result = algebra_.of(context_.local(name));
  result.lazy = adjoint.lazy;
  return result;
}

void Reverse::push(const Expr* node, Linear adjoint) {
  if (adjoint.is_zero() || !active(node)) return;
  // A naive adjoint multiplies by what its own statement does not show to be finite.
  if (!optimizations_.optimized && node == current_value_) adjoint = with_masks(std::move(adjoint));
  if (const Type type = typing_.of(node);
      type.dtype == DType::Complex64 || type.dtype == DType::Complex128) {
    refuse(DiagnosticKind::UnsupportedType, node,
           "a complex value that depends on the differentiated arguments",
           "compute with the real and imaginary parts as numbers of their own");
  }
  if (const auto* item = as<Subscript>(node);
      item != nullptr && is_list(node) && !is<Slice>(item->index))
    return push_subscript(item, adjoint);
  if (is_list(node) && !is<Name>(node) && !is<Conditional>(node))
    return push_list_value(node, adjoint);
  switch (node->kind) {
    case Kind::Name:
      if (is_list(node)) return add_to_list(node, adjoint, false);
      for (Term& term : adjoint.terms) term.origin = current_;
      algebra_.add(adjoint_of(static_cast<const Name*>(node)->symbol), adjoint);
      return;
    case Kind::BinaryOperation:
      return push_operation(static_cast<const BinaryOperation*>(node), std::move(adjoint));
    case Kind::UnaryOperation: {
      const auto* operation = static_cast<const UnaryOperation*>(node);
      if (operation->op == UnaryOperator::Minus)
        return push(operation->operand, Algebra::negate(std::move(adjoint)));
      if (operation->op == UnaryOperator::Plus) return push(operation->operand, std::move(adjoint));
      return;
    }
    case Kind::Subscript:
      return push_subscript(static_cast<const Subscript*>(node), adjoint);
    case Kind::Attribute:
      return push_attribute(static_cast<const Attribute*>(node), adjoint);
    case Kind::Call:
      return push_call(static_cast<const Call*>(node), adjoint, nullptr);
    case Kind::Conditional:
    case Kind::BooleanOperation:
      return push_conditional(node, choice_of(node, typing_, context_), std::move(adjoint));
    case Kind::TupleDisplay:
    case Kind::ListDisplay:
    case Kind::Dictionary:
      if (const auto* dict = as<Dictionary>(node);
          dict != nullptr && typing_.of(algebra_.build(adjoint)).is_map())
        return push_map_display(dict, adjoint);
      refuse(DiagnosticKind::UnsupportedType, node,
             "a tuple, list or dict of values that depend on the differentiated arguments is kept "
             "as a "
             "value",
             "use its elements under names of their own, or np.array");
    default:
      refuse(DiagnosticKind::UnsupportedSyntax, node,
             "this expression depends on the differentiated arguments and has no derivative here",
             "");
  }
}

// a + b - c + …: one adjoint for all terms; written as a loop because such sums can be very long.
void Reverse::push_sum(const Expr* node, const Linear& adjoint) {
  struct Operand {
    const Expr* value;
    Linear adjoint;
  };
  std::vector<Operand> operands;
  Linear now = adjoint;
  while (true) {
    const auto* sum = as<BinaryOperation>(node);
    if (sum == nullptr || (sum->op != BinaryOperator::Add && sum->op != BinaryOperator::Subtract))
      break;
    if (active(sum->right)) {
      Linear right = unbroadcast(now, node, sum->right);
      if (sum->op == BinaryOperator::Subtract) right = Algebra::negate(std::move(right));
      operands.push_back({sum->right, std::move(right)});
    }
    if (!active(sum->left)) {
      node = nullptr;
      break;
    }
    now = unbroadcast(std::move(now), node, sum->left);
    node = sum->left;
  }
  if (node != nullptr) operands.push_back({node, std::move(now)});
  for (Operand& operand : operands) in_flight_.push_back(&operand.adjoint);
  const std::size_t mark = in_flight_.size() - operands.size();
  while (!operands.empty()) {
    in_flight_.resize(mark + operands.size() - 1);
    Operand operand = std::move(operands.back());
    operands.pop_back();
    push(operand.value, std::move(operand.adjoint));
  }
  in_flight_.resize(mark);
}

void Reverse::push_operation(const BinaryOperation* node, Linear adjoint) {
  const bool left = active(node->left);
  const bool right = active(node->right);
  switch (node->op) {
    case BinaryOperator::Add:
    case BinaryOperator::Subtract:
      // `a + b - constant` has two terms as well.
      if ((left && right) ||
          (left && has_two_terms(node->left, [&](const Expr* term) { return active(term); }))) {
        adjoint =
            is_number_type(typing_.of(node)) && adjoint.terms.size() == 1 && adjoint.is_cheap(true)
                ? std::move(adjoint)
                : named_if_shared(node, std::move(adjoint));
      }
      return push_sum(node, adjoint);
    case BinaryOperator::Multiply: {
      if (left && right && equal(node->left, node->right)) {
        // x * x: nothing was broadcast.
        return push(node->left,
                    Algebra::scale(times(adjoint, primal(node->left), node), 2.0, true));
      }
      if (left && right) adjoint = named_if_shared(node, std::move(adjoint));
      Linear to_left;
      Linear to_right;
      if (left) to_left = unbroadcast(times(adjoint, operand(node->right), node), node, node->left);
      if (right)
        to_right = unbroadcast(times(adjoint, operand(node->left), node), node, node->right);
      {
        const InFlight waiting(*this, to_right);
        if (left) push(node->left, std::move(to_left));
      }
      if (right) push(node->right, std::move(to_right));
      return;
    }
    case BinaryOperator::Divide: {
      if (right) adjoint = masked_throughout(std::move(adjoint));
      Linear quotient = times(adjoint, operand(node->right), node, true);
      if (!right) return push(node->left, unbroadcast(std::move(quotient), node, node->left));
      // The adjoint of the numerator is part of that of the divisor: a number is computed once.
      if (left && typing_.of(node).is_number() && !quotient.is_cheap(true))
        quotient = name_numerator(node, quotient);
      // -b * (a / c) / c with the primal's own quotient: no overflow that the derivative does not
      // have.
      Linear to_right = Algebra::negate(times(quotient, primal(node), node));
      to_right = unbroadcast(to_right, node, node->right);
      {
        const InFlight waiting(*this, to_right);
        if (left) push(node->left, unbroadcast(std::move(quotient), node, node->left));
      }
      return push(node->right, std::move(to_right));
    }
    default: {
      static constexpr std::pair<BinaryOperator, std::string_view> kRecords[] = {
          {BinaryOperator::Power, "operator.pow"},
          {BinaryOperator::MatrixMultiply, "operator.matmul"},
          {BinaryOperator::Modulo, "operator.mod"},
          {BinaryOperator::FloorDivide, "operator.floordiv"}};
      for (const auto& [op, record] : kRecords) {
        if (op != node->op) continue;
        const Rule* rule = rules_.find(record);
        if (rule == nullptr) throw InternalError("no record for " + std::string(record));
        apply_rule(*rule, nullptr, {node->left, node->right}, adjoint, node, nullptr);
        return;
      }
      refuse(DiagnosticKind::NoRule, node, "the bit operators have no derivative", "");
    }
  }
}

// The adjoint of a numerator under a name: that of the variable that it is, if it has none yet.
Linear Reverse::name_numerator(const BinaryOperation* quotient, const Linear& adjoint) {
  const auto* variable = as<Name>(quotient->left);
  if (variable != nullptr && adjoint_of(variable->symbol).is_zero() &&
      !adjoint.mentions(bar(variable->symbol))) {
    Linear own = adjoint;
    for (Term& term : own.terms) term.origin = current_;
    return write_as(variable->symbol, std::move(own), typing_.of(variable));
  }
  const std::string wish = variable != nullptr ? "bnumerator" : "b" + name_for(quotient->left);
  return named(wish, adjoint, typing_.of(quotient->left));
}

const Expr* Reverse::witness(const Expr* node) {
  // Something that is at hand and has the shape of the value: an operand, or the value under a
  // name.
  if (node == current_value_ && current_target_) return context_.local(current_target_);
  if (is<Name>(node)) return node;
  const Type type = typing_.of(node);
  const Expr* found = nullptr;
  SmallStack<const Node*> stack(node);
  std::size_t budget = 64;
  while (!stack.empty() && found == nullptr && budget-- > 0) {
    const Node* top = stack.pop();
    if (!is_expression(top->kind)) continue;
    const auto* expression = static_cast<const Expr*>(top);
    if (const auto* name = as<Name>(expression);
        name != nullptr && name->scope == Scope::Local && same_shape(typing_.of(name), type)) {
      found = name;
    }
    push_children(stack, *top);
  }
  return found != nullptr ? found : hoist(node, name_for(node));
}

Linear Reverse::full(const Linear& adjoint, const Expr* node) {
  if (!adjoint.lazy) return adjoint;
  const Type type = typing_.of(node);
  if (is_number_type(type)) {
    Linear result = adjoint;
    result.lazy = false;
    return result;
  }
  const Expr* like = witness(node);
  const Expr* value = algebra_.build(adjoint);
  std::vector<const Keyword*> keywords;
  const Type shape = typing_.of(like);
  if (!shape.is_array() || !is_floating(shape.dtype) || shape.dtype < type.dtype) {
    keywords.push_back(algebra_.keyword("dtype", context_.global(context_.symbol("float"))));
  }
  const Expr* made = algebra_.numpy_call("full_like", {like, value}, keywords);
  typing_.set(made, type);
  return algebra_.of(made);
}

Linear Reverse::unbroadcast(Linear adjoint, const Expr* node, const Expr* operand) {
  if (adjoint.is_zero()) return adjoint;
  const Type whole = typing_.of(node);
  Type part = typing_.of(operand);
  // What is added to a list of numbers comes as one array.
  if (part.kind == TypeKind::List) part = Type::numeric(DType::Float64);
  if (same_shape(whole, part) || operand == sole_array(node)) return adjoint;
  const bool known = whole.is_array() && whole.rank >= 0 &&
                     (is_number_type(part) || (part.is_array() && part.rank >= 0));
  if (is_number_type(whole)) return adjoint;  // then every operand is a number or 0-d
  if (known) {
    // The axes to sum over: those in front of the operand's, and those where the operand has
    // length 1.
    const int extra = whole.rank - (is_number_type(part) ? 0 : part.rank);
    std::vector<std::int64_t> axes;
    bool keep = false;
    bool certain = true;
    for (int axis = 0; axis < whole.rank; ++axis) {
      if (axis < extra) {
        axes.push_back(axis);
        continue;
      }
      const Dim outer = whole.dims[static_cast<std::size_t>(axis)];
      const Dim inner = part.dims[static_cast<std::size_t>(axis - extra)];
      if (inner.is_same(outer)) continue;
      if (inner.is_one()) {
        if (outer.is_one()) continue;
        axes.push_back(axis);
        keep = true;
      } else if (inner.is_unknown()) {
        certain = false;
      }
      // A length other than 1 is the length of the result, or NumPy raises.
    }
    if (certain) {
      if (axes.empty()) return adjoint;
      // Numbers come out of the sum; what is left has to have the full shape.
      Linear outside;
      Linear inside = algebra_.single(adjoint);
      Term scalars;
      Term arrays;
      Term& term = inside.terms.front();
      arrays.mask = term.mask;
      scalars.numerator = term.numerator;
      scalars.denominator = term.denominator;
      scalars.integral = term.integral;
      for (const Factor& factor : term.factors) {
        (is_number_type(typing_.of(factor.base)) && term.mask == nullptr ? scalars : arrays)
            .factors.push_back(factor);
      }
      if (term.mask != nullptr) {
        arrays = term;
        scalars = Term();
      }
      const bool all = axes.size() == static_cast<std::size_t>(whole.rank) && !keep;
      if (arrays.factors.empty() && arrays.mask == nullptr && all) {
        // A number that stands for the whole array: the number of elements times it.
        Linear result{.terms = {scalars}};
        const Expr* size = context_.make<Attribute>({}, witness(node), context_.symbol("size"));
        typing_.set(size, Type::number(DType::Integer));
        return algebra_.multiply(result, size);
      }
      Linear summed{.terms = {arrays}};
      summed.lazy = adjoint.lazy;
      if (!same_shape(typing_.of(algebra_.build(summed)), whole)) {
        summed.lazy = true;
        const Type shape = typing_.of(algebra_.build(summed));
        // Lengths that are not known may still be the whole's: only what is proven smaller is
        // widened.
        if (adjoint.lazy || (shape.rank >= 0 && shape.rank < whole.rank) || is_number_type(shape)) {
          summed = full(summed, node);
        }
        summed.lazy = false;
      }
      const Expr* value = algebra_.build(summed);
      const Expr* total = nullptr;
      if (all) {
        total = algebra_.numpy_call("sum", {value});
      } else {
        const Expr* axis = nullptr;
        std::vector<const Expr*> list;
        for (const std::int64_t number : axes) list.push_back(context_.integer(number));
        axis =
            list.size() == 1 ? list.front() : context_.make<TupleDisplay>({}, context_.list(list));
        if (keep && extra > 0) {
          // Leading axes go, axes of length 1 stay: two sums would be needed; the operand's shape
          // says both.
          total = algebra_.numpy_call(
              "reshape", {algebra_.numpy_call("sum", {value}, {algebra_.keyword("axis", axis)}),
                          context_.make<Attribute>({}, primal(operand), context_.symbol("shape"))});
        } else {
          std::vector<const Keyword*> keywords{algebra_.keyword("axis", axis)};
          if (keep) keywords.push_back(algebra_.keyword("keepdims", context_.boolean(true)));
          total = algebra_.numpy_call("sum", {value}, keywords);
        }
      }
      typing_.set(total, reduced_type(typing_.of(value), part));
      Linear result = algebra_.of(total);
      Linear scaled{.terms = {scalars}};
      return algebra_.multiply(scaled, total);
    }
  }
  // Only the run time knows.
  const Expr* value = algebra_.build(full(adjoint, node));
  const Expr* call = context_.make<Call>(
      {}, helper("_unbroadcast"), context_.symbol("tangent.runtime._unbroadcast"),
      context_.list<const Expr*>({value, primal(operand)}), List<const Keyword*>());
  typing_.set(call, reduced_type(typing_.of(value), part));
  return algebra_.of(call);
}

void Reverse::push_conditional(const Expr* node, const Choice& choice, Linear adjoint) {
  const auto [test, body, orelse] = choice;
  const bool both = active(body) && active(orelse);
  if (both && !adjoint.is_cheap(true)) {
    adjoint = named("b" + name_for(node), adjoint, typing_.of(node));
  }
  const Expr* condition = primal(test);
  // What is in flight outside is kept outside of the arms.
  for (const Expr* arm : {body, orelse}) {
    activity_.for_each_flow(arm, [&](Symbol read) {
      if (bars_.contains(read)) protect(bars_.at(read));
    });
  }
  ++arm_depth_;
  branch(
      condition, nullptr,
      [&] {
        if (active(body)) push(body, unbroadcast(adjoint, node, body));
      },
      [&] {
        if (active(orelse)) push(orelse, unbroadcast(adjoint, node, orelse));
      });
  --arm_depth_;
}

bool Reverse::is_basic_index(const Expr* index) {
  auto plain = [&](const Expr* part) {
    const Type type = typing_.of(part);
    return is<Slice>(part) || is<Constant>(part) ||
           (type.is_number() && type.dtype == DType::Integer);
  };
  const auto* tuple = as<TupleDisplay>(index);
  return tuple != nullptr ? std::all_of(tuple->elements.begin(), tuple->elements.end(), plain)
                          : plain(index);
}

// For x[i] in x[i][j]: the view bx[i] of the adjoint's buffer; null if it is none.
const Expr* Reverse::view_of_buffer(const Expr* value) {
  const auto* subscript = as<Subscript>(value);
  if (subscript == nullptr || !typing_.of(value).is_array() ||
      !typing_.of(subscript->value).is_array() || !is_basic_index(subscript->index)) {
    return nullptr;
  }
  const Expr* base = nullptr;
  if (const auto* name = as<Name>(subscript->value)) {
    if (name->scope != Scope::Local) return nullptr;
    base = context_.local(buffer(name->symbol));
  } else {
    base = view_of_buffer(subscript->value);
    if (base == nullptr) return nullptr;
  }
  return context_.make<Subscript>({}, base, primal(subscript->index));
}

void Reverse::push_subscript(const Subscript* node, const Linear& given) {
  Linear adjoint = given;
  const InFlight waiting(*this, adjoint);
  // A display read by a constant is that element.
  if (const auto* constant = as<Constant>(node->index);
      constant != nullptr && constant->value.kind == LiteralKind::Integer) {
    Exprs elements;
    if (const auto* tuple = as<TupleDisplay>(node->value)) elements = tuple->elements;
    if (const auto* list = as<ListDisplay>(node->value)) elements = list->elements;
    const auto index = static_cast<std::size_t>(constant->value.integer);
    if (constant->value.integer >= 0 && index < elements.size())
      return push(elements[index], adjoint);
  }
  if (push_one_of(node, adjoint)) return;
  if (const Call* call = tuple_call(node->value)) {
    const auto count = static_cast<std::int64_t>(typing_.of(call).elements.size());
    if (const auto index = literal_integer(node->index); index && *index >= -count) {
      return push_part(call, static_cast<std::size_t>(*index < 0 ? *index + count : *index),
                       adjoint);
    }
  }
  const Type base = typing_.of(node->value);
  if (base.kind == TypeKind::List) return push_list_element(node, adjoint);
  if (base.is_map()) return push_map_entry(node, node->value, node->index, adjoint);
  if (!base.is_array() && base.kind != TypeKind::Numeric && base.kind != TypeKind::Unknown) {
    refuse(DiagnosticKind::UnsupportedType, node,
           "elements of a list, tuple or dict that depend on the differentiated arguments",
           "use a NumPy array, or arguments of their own");
  }
  if (push_new_axes(node, adjoint)) return;
  const Expr* index = primal(node->index);
  Symbol name;
  const auto* variable = as<Name>(node->value);
  const Expr* place = view_of_buffer(node->value);
  if (variable != nullptr) {
    name = buffer(variable->symbol);
  } else if (place == nullptr) {
    const Linear zero;
    const Expr* like = witness(node->value);
    name = names_.fresh("b" + name_for(node->value));
    adjoint_names_.insert(name);
    std::vector<const Keyword*> keywords;
    if (!is_floating(base.dtype)) {
      keywords.push_back(algebra_.keyword("dtype", context_.global(context_.symbol("float"))));
    }
    emit(
        context_.assign(context_.local(name), algebra_.numpy_call("zeros_like", {like}, keywords)));
    typing_.declare(name, base);
    owned_.insert(name);
  }
  const Expr* target = place != nullptr ? context_.make<Subscript>({}, place, index)
                                        : context_.make<Subscript>({}, context_.local(name), index);
  // An array of integers may name an element twice: `+=` would add once.
  bool repeats = false;
  auto look = [&](const Expr* part) {
    const Type type = typing_.of(part);
    const bool plain =
        is<Slice>(part) || type.kind == TypeKind::Number || type.kind == TypeKind::None ||
        type.kind == TypeKind::Slice || is<Constant>(part) ||
        ((type.is_array() || type.kind == TypeKind::Numeric) && type.dtype == DType::Bool);
    repeats = repeats || !plain;
  };
  if (const auto* tuple = as<TupleDisplay>(node->index)) {
    for (const Expr* part : tuple->elements) look(part);
  } else {
    look(node->index);
  }
  const Expr* value = algebra_.build(adjoint);
  if (repeats) {
    emit(context_.make<ExpressionStatement>(
        {}, algebra_.numpy_call("add.at", {place != nullptr ? place : context_.local(name),
                                           as_value(index), value})));
  } else {
    bool negative = adjoint.terms.size() == 1 && adjoint.terms.front().numerator < 0.0 &&
                    adjoint.terms.front().mask == nullptr;
    if (negative) value = algebra_.build(Algebra::negate(adjoint));
    emit(context_.make<AugmentedAssign>(
        {}, target, negative ? BinaryOperator::Subtract : BinaryOperator::Add, value));
  }
  if (variable == nullptr && place == nullptr) push(node->value, algebra_.of(context_.local(name)));
}

// (a, b, c)[i] of numbers: the adjoint goes to the one that i says.
bool Reverse::push_one_of(const Subscript* node, const Linear& adjoint) {
  const auto* tuple = as<TupleDisplay>(node->value);
  if (tuple == nullptr || is<Slice>(node->index) || is<Constant>(node->index)) return false;
  const Expr* value = algebra_.build(adjoint);
  const Type index = typing_.of(node->index);
  const bool numbers =
      std::all_of(tuple->elements.begin(), tuple->elements.end(),
                  [&](const Expr* element) { return typing_.of(element).is_number(); });
  if (!numbers || !typing_.of(value).is_number() ||
      !(index.kind == TypeKind::Unknown || (index.is_number() && index.dtype <= DType::Integer)))
    return false;
  const Symbol name = names_.fresh("bvalues");
  adjoint_names_.insert(name);
  std::vector<const Expr*> zeros(tuple->elements.size(), context_.number(0.0));
  emit(context_.assign(context_.local(name),
                       context_.make<ListDisplay>({}, Exprs(context_.list(zeros)))));
  const Expr* place = context_.make<Subscript>({}, static_cast<const Expr*>(context_.local(name)),
                                               primal(node->index));
  emit(context_.make<AugmentedAssign>({}, place, BinaryOperator::Add, value));
  for (std::size_t k = 0; k < tuple->elements.size(); ++k) {
    const Expr* part = context_.make<Subscript>(
        {}, static_cast<const Expr*>(context_.local(name)),
        static_cast<const Expr*>(context_.integer(static_cast<std::int64_t>(k))));
    typing_.set(part, Type::number(DType::Float64));
    push(tuple->elements[k], algebra_.of(part));
  }
  return true;
}

// An index outside of brackets: `1:` is slice(1, None).
const Expr* Reverse::as_value(const Expr* index) {
  if (const auto* tuple = as<TupleDisplay>(index)) {
    std::vector<const Expr*> parts;
    for (const Expr* part : tuple->elements) parts.push_back(as_value(part));
    return context_.make<TupleDisplay>(index->ranges, context_.list(parts));
  }
  const auto* slice = as<Slice>(index);
  if (slice == nullptr) return index;
  std::vector<const Expr*> parts;
  for (const Expr* part : {slice->lower, slice->upper, slice->step}) {
    parts.push_back(part != nullptr ? part : context_.none());
  }
  if (slice->step == nullptr) parts.pop_back();
  return context_.make<Call>({}, context_.global(context_.symbol("slice")),
                             context_.symbol("builtins.slice"), context_.list(parts),
                             List<const Keyword*>());
}

void Reverse::push_attribute(const Attribute* node, const Linear& adjoint) {
  const std::string_view attribute = node->attribute.text();
  if (attribute == "real") return push(node->value, adjoint);
  if (attribute == "imag") return;
  if (attribute == "T") {
    const Type type = typing_.of(node);
    if (type.kind == TypeKind::Number || (type.is_array() && type.rank >= 0 && type.rank < 2)) {
      return push(node->value, adjoint);
    }
    const Linear whole = full(adjoint, node);
    const Expr* value = algebra_.build(whole);
    const Expr* turned = nullptr;
    // (A @ B).T is B.T @ A.T: see the transposition pass; here only the plain cases.
    if (const auto* again = as<Attribute>(value);
        again != nullptr && again->attribute == node->attribute) {
      turned = again->value;
    } else {
      turned = context_.make<Attribute>({}, value, node->attribute);
    }
    typing_.set(turned, typing_.of(node->value));
    return push(node->value, algebra_.of(turned));
  }
  if (attribute == "flat") {
    refuse(DiagnosticKind::UnsupportedType, node, "`.flat` of an active array", "use .ravel()");
  }
  refuse(DiagnosticKind::UnsupportedType, node,
         "the attribute `." + std::string(attribute) +
             "` of a value that depends on the differentiated arguments",
         "pass it as an argument of its own");
}

void Reverse::push_call(const Call* node, const Linear& adjoint, const Expr* result) {
  const auto* method = as<Attribute>(node->function);
  if (push_map_get(node, adjoint)) return;
  if (!node->callee) {
    refuse(DiagnosticKind::UnresolvedCall, node,
           "`" + (method ? "." + std::string(method->attribute.text()) : std::string("this call")) +
               "` is called with a value that depends on the differentiated arguments, and it is "
               "not known what it is",
           "call a function of NumPy, SciPy or math, or a Python function of your own");
  }
  const Rule* rule = rules_.find(node->callee.text());
  if (rule == nullptr) {
    refuse(DiagnosticKind::NoRule, node,
           "`" + std::string(node->callee.text()) + "` has no derivative rule",
           "write it with functions that have one, or register a rule for it");
  }
  // The receiver of a method is the function's first argument.
  const bool is_method = method != nullptr && is_receiver(method);
  const std::vector<const Expr*> arguments =
      bind_arguments(*rule, *node, is_method ? method->value : nullptr);
  if (rule->name.text() == "numpy.array" || rule->name.text() == "numpy.asarray") {
    if (const auto* list = as<ListDisplay>(arguments[0]))
      return push_display(list->elements, node, adjoint);
    if (const auto* tuple = as<TupleDisplay>(arguments[0]))
      return push_display(tuple->elements, node, adjoint);
  }
  apply_rule(*rule, node, arguments, adjoint, node, result);
}

bool Reverse::is_receiver(const Attribute* method) {
  // np.sum: the value is a module, reached by global names alone.
  const Expr* root = method;
  while (const auto* attribute = as<Attribute>(root)) root = attribute->value;
  const auto* name = as<Name>(root);
  if (name == nullptr || name->scope != Scope::Global) return true;
  const GlobalBinding* global = core_.find_global(name->symbol);
  return global == nullptr || global->thing.kind == ThingKind::Value;
}

// np.array([a, b, [c, d]]): an element's adjoint is the element of the adjoint.
void Reverse::push_display(Exprs elements, const Expr* node, const Linear& adjoint) {
  const bool lazy = adjoint.lazy && is_number_type(typing_.of(algebra_.build(adjoint)));
  Linear whole = adjoint;
  if (!lazy) {
    whole = full(adjoint, node);
    if (!whole.as_name()) whole = named("b" + name_for(node), whole, typing_.of(node));
  }
  const InFlight waiting(*this, whole);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Expr* element = elements[k];
    if (!active(element)) continue;
    if (is<Starred>(element)) {
      refuse(DiagnosticKind::UnsupportedSyntax, element, "star-unpacking into an array",
             "name the elements");
    }
    Linear part = whole;
    if (!lazy) {
      const Expr* taken = context_.make<Subscript>({}, algebra_.build(whole),
                                                   context_.integer(static_cast<std::int64_t>(k)));
      part = algebra_.of(taken);
    }
    Exprs inner;
    if (const auto* list = as<ListDisplay>(element)) inner = list->elements;
    if (const auto* tuple = as<TupleDisplay>(element)) inner = tuple->elements;
    if (inner.empty()) {
      push(element, part);
      continue;
    }
    for (std::size_t j = 0; j < inner.size(); ++j) {
      if (!active(inner[j])) continue;
      Linear item = part;
      if (!lazy) {
        const Expr* position = context_.make<TupleDisplay>(
            {}, context_.list<const Expr*>({context_.integer(static_cast<std::int64_t>(k)),
                                            context_.integer(static_cast<std::int64_t>(j))}));
        item = algebra_.of(context_.make<Subscript>({}, algebra_.build(whole), position));
      }
      push(inner[j], item);
    }
  }
}

}  // namespace tangent
