// Tangents of expressions; see forward.h.
#include <algorithm>

#include "autodiff/complex_values.h"
#include "autodiff/forward.h"
#include "autodiff/reverse.h"
#include "autodiff/rule_binding.h"
#include "syntax/as_written.h"

namespace tangent {

namespace {

// From this many terms on, equal ones are no longer looked for.
constexpr std::size_t kManyTerms = 64;

bool is_container(const Type& type) {
  return type.kind == TypeKind::List || type.kind == TypeKind::Tuple || type.kind == TypeKind::Dict;
}

}  // namespace

bool Forward::active(const Expr* node) {
  const Type type = typing_.of(node);
  switch (type.kind) {
    case TypeKind::Number:
    case TypeKind::Array:
    case TypeKind::Numeric:
      if (type.dtype == DType::Bool && !type.mixed) return false;
      break;
    case TypeKind::None:
    case TypeKind::String:
    case TypeKind::Slice:
    case TypeKind::Dtype:
    case TypeKind::Module:
    case TypeKind::Function:
    case TypeKind::Bottom:
      return false;
    default:
      break;
  }
  bool found = false;
  activity_.for_each_flow(node, [&](Symbol read) { found = found || has_tangent(read); });
  return found;
}

Linear Forward::tangent(const Expr* node) {
  if (!active(node)) return {};
  switch (node->kind) {
    case Kind::Name: {
      const auto* name = static_cast<const Name*>(node);
      const Expr* held = local_tangent(name->symbol);
      Type type = typing_.of(node);
      if (type.is_numeric() && name->scope == Scope::Local) {
        if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
        if (type.is_number()) type = Type::number(type.dtype);
        typing_.set(held, type);
      }
      return algebra_.of(held);
    }
    case Kind::BinaryOperation:
      return operation(static_cast<const BinaryOperation*>(node));
    case Kind::UnaryOperation: {
      const auto* operation = static_cast<const UnaryOperation*>(node);
      if (operation->op == UnaryOperator::Minus)
        return Algebra::negate(tangent(operation->operand));
      if (operation->op == UnaryOperator::Plus) return tangent(operation->operand);
      return {};
    }
    case Kind::Subscript:
      return element(static_cast<const Subscript*>(node));
    case Kind::Attribute:
      return attribute(static_cast<const Attribute*>(node));
    case Kind::Call:
      return call(static_cast<const Call*>(node));
    case Kind::Conditional:
    case Kind::BooleanOperation:
      return conditional(node, choice_of(node, typing_, context_));
    case Kind::TupleDisplay:
    case Kind::ListDisplay:
    case Kind::Dictionary:
      return display(node);
    default:
      refuse(DiagnosticKind::UnsupportedSyntax, node,
             "this expression depends on the differentiated arguments and has no derivative here");
  }
}

const Expr* Forward::full_tangent(const Expr* node) {
  const Linear value = tangent(node);
  return value.is_zero() ? nullptr : full(value, node);
}

const Expr* Forward::whole_tangent(const Expr* node) {
  if (const Expr* made = full_tangent(node)) return kept_apart(node, made, !always_.empty());
  const Type type = typing_.of(node);
  if (is<TupleDisplay>(node) || is<ListDisplay>(node) || is<Dictionary>(node)) {
    return algebra_.build(display(node));
  }
  if (const auto* operation = as<BinaryOperation>(node);
      operation != nullptr && type.kind == TypeKind::List &&
      operation->op == BinaryOperator::Multiply && is<ListDisplay>(operation->left)) {
    return context_.make<BinaryOperation>(Ranges(), operation->op, whole_tangent(operation->left),
                                          primal(operation->right));
  }
  if (type.is_number()) return context_.number(0.0);
  if (is<Constant>(node)) return node;  // a text, None
  return zero_like(primal(node), type);
}

bool Forward::covers(const Type& part, const Type& whole) const {
  if (whole.is_number()) return true;
  if (!part.is_array() || !whole.is_array() || part.rank < 0 || part.rank != whole.rank)
    return false;
  for (std::size_t axis = 0; axis < part.dims.size(); ++axis) {
    // A length that is known not to be 1 is the length of the result, or NumPy raises.
    if (!part.dims[axis].is_same(whole.dims[axis]) && !part.dims[axis].is_symbol()) return false;
  }
  return true;
}

Linear Forward::widened(Linear value, const Expr* operand, const Expr* node) {
  if (value.is_zero()) return value;
  const Type whole = typing_.of(node);
  if (whole.is_number() || same_shape(typing_.of(operand), whole)) return value;
  // The other operands are numbers: the result has the operand's shape.
  std::vector<const Expr*> others;
  if (const auto* operation = as<BinaryOperation>(node)) {
    others = {operation->left, operation->right};  // of a power or a remainder
  } else if (const auto* called = as<Call>(node)) {
    others.assign(called->arguments.begin(), called->arguments.end());
    for (const Keyword* keyword : called->keywords) others.push_back(keyword->value);
    if (const auto* method = as<Attribute>(called->function);
        method != nullptr && is_receiver(method))
      others.push_back(method->value);
  }
  const bool sole = !others.empty() && std::all_of(others.begin(), others.end(), [&](auto* other) {
    const Type type = typing_.of(other);
    return other == operand || type.is_number() || type.kind == TypeKind::None;
  });
  if (sole) return value;
  value.lazy = !covers(typing_.of(algebra_.build(value)), whole);
  return value;
}

const Expr* Forward::full(const Linear& value, const Expr* node) {
  const Expr* built = algebra_.build(value);
  const Type type = typing_.of(node);
  if (!value.lazy || is_container(type) || covers(typing_.of(built), type)) return built;
  const bool current = node == current_value_ && current_result_;
  const Expr* like = current ? context_.local(current_result_) : primal(node);
  const Expr* made = nullptr;
  if (!type.is_array()) {
    made = call_helper("_full", {built, like});
  } else {
    std::vector<const Keyword*> keywords;
    if (!has_slopes(type.dtype)) {
      keywords.push_back(algebra_.keyword("dtype", context_.global(context_.symbol("float"))));
    }
    made = algebra_.numpy_call("full_like", {like, built}, keywords);
  }
  typing_.set(made, type);
  return made;
}

Linear Forward::operation(const BinaryOperation* node) {
  const Type type = typing_.of(node);
  if (is_container(type)) {
    // [x] * n, xs + ys
    const bool adds = node->op == BinaryOperator::Add;
    if (!adds && node->op != BinaryOperator::Multiply) {
      refuse(DiagnosticKind::UnsupportedType, node, "this operation on a list or tuple",
             "use + or *");
    }
    auto part = [&](const Expr* operand) {
      return adds || is_container(typing_.of(operand)) ? whole_tangent(operand) : primal(operand);
    };
    const Expr* made =
        context_.make<BinaryOperation>(Ranges(), node->op, part(node->left), part(node->right));
    typing_.set(made, type);
    Linear result{.terms = {Term{.factors = {Factor{.base = made}}}}};
    return result;
  }
  switch (node->op) {
    case BinaryOperator::Add:
    case BinaryOperator::Subtract:
      return sum(node);
    case BinaryOperator::Multiply:
      return product(node);
    case BinaryOperator::Divide:
      return quotient(node);
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
        return apply_rule(rule_of_values(*rule, node, rules_, typing_), nullptr,
                          {node->left, node->right}, node);
      }
      refuse(DiagnosticKind::NoRule, node, "the bit operators have no derivative");
    }
  }
}

// a + b - c + …, in a loop because such sums can be very long.
Linear Forward::sum(const Expr* sum) {
  std::vector<std::pair<const Expr*, bool>> operands;  // with their signs, the last first
  const Expr* node = sum;
  while (true) {
    const auto* operation = as<BinaryOperation>(node);
    if (operation == nullptr || is_container(typing_.of(operation)) ||
        (operation->op != BinaryOperator::Add && operation->op != BinaryOperator::Subtract))
      break;
    operands.emplace_back(operation->right, operation->op == BinaryOperator::Add);
    node = operation->left;
  }
  operands.emplace_back(node, true);
  std::reverse(operands.begin(), operands.end());
  std::vector<Linear> tangents;
  std::size_t arrays = 0;
  bool whole = true;
  for (const auto& [operand, positive] : operands) {
    tangents.push_back(tangent(operand));
    const bool is_number = typing_.of(operand).is_number();
    arrays += is_number ? 0 : 1;
    // What is left out may be what makes the sum as wide as it is.
    whole = whole && !tangents.back().lazy && (is_number || !tangents.back().is_zero());
  }
  Linear total;
  bool joined = false;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    Linear value = operands[k].second ? std::move(tangents[k]) : Algebra::negate(tangents[k]);
    const bool sole = arrays == 1 && !typing_.of(operands[k].first).is_number();
    value.lazy = value.lazy || (!whole && !sole && !value.is_zero());
    const std::size_t before = total.terms.size();
    if (before >= kManyTerms) {
      total.lazy = total.lazy && (value.lazy || value.is_zero());
      total.terms.insert(total.terms.end(), value.terms.begin(), value.terms.end());
      continue;
    }
    const std::size_t more = value.terms.size();
    algebra_.add(total, value);
    joined = joined || total.terms.size() < before + more;
  }
  if (total.is_zero() || typing_.of(sum).is_number()) return total;
  // What is left of `v - (v - v[0])` may be narrower than the sum, too.
  if (total.lazy || joined) {
    total.lazy = !covers(typing_.of(algebra_.build(total)), typing_.of(sum));
  }
  return total;
}

Linear Forward::times(const Linear& value, const Expr* factor, bool inverse) {
  Linear result = inverse ? algebra_.divide(value, factor) : algebra_.multiply(value, factor);
  result.lazy = value.lazy;
  return result;
}

// The tangent of one operand times the other, or over it, has the shape of the result.
Linear Forward::settled(Linear value, const Expr* node) {
  if (value.lazy) value.lazy = !covers(typing_.of(algebra_.build(value)), typing_.of(node));
  return value;
}

Linear Forward::product(const BinaryOperation* node) {
  const Linear left = tangent(node->left);
  if (!left.is_zero() && equal(node->left, node->right))
    return settled(Algebra::scale(times(left, primal(node->left)), 2.0, true), node);
  const Linear right = tangent(node->right);
  Linear total;
  if (!left.is_zero()) algebra_.add(total, times(left, primal(node->right)));
  if (!right.is_zero()) algebra_.add(total, times(right, primal(node->left)));
  return settled(std::move(total), node);
}

Linear Forward::quotient(const BinaryOperation* node) {
  const Linear left = tangent(node->left);
  const Linear right = tangent(node->right);
  if (right.is_zero()) return settled(times(left, primal(node->right), true), node);
  // (da - q * db) / b with the primal's own quotient: no overflow that the derivative does not
  // have.
  const Expr* ratio =
      node == current_value_ && current_result_ ? context_.local(current_result_) : primal(node);
  Linear total = left;
  algebra_.add(total, Algebra::negate(times(right, ratio)));
  if (total.terms.size() == 1) return settled(times(total, primal(node->right), true), node);
  const Expr* made = context_.make<BinaryOperation>(Ranges(), BinaryOperator::Divide,
                                                    algebra_.build(total), primal(node->right));
  Linear result = algebra_.of(made);
  result.lazy = total.lazy;
  return settled(std::move(result), node);
}

Linear Forward::element(const Subscript* node) {
  // A display read by a constant is that element.
  if (const auto* constant = as<Constant>(node->index);
      constant != nullptr && constant->value.kind == LiteralKind::Integer) {
    if (const Exprs* elements = display_elements(node->value)) {
      const auto index = static_cast<std::size_t>(constant->value.integer);
      if (constant->value.integer >= 0 && index < elements->size())
        return tangent((*elements)[index]);
    }
  }
  const Expr* base = full_tangent(node->value);
  if (base == nullptr) return {};
  // The tangent of a tuple that is made here: (dw, dv)[0].
  const auto* tuple = as<TupleDisplay>(base);
  const auto* constant = as<Constant>(node->index);
  if (tuple != nullptr && constant != nullptr && constant->value.kind == LiteralKind::Integer) {
    const auto count = static_cast<std::int64_t>(tuple->elements.size());
    std::int64_t index = constant->value.integer;
    if (index < 0) index += count;
    if (index >= 0 && index < count)
      return algebra_.of(tuple->elements[static_cast<std::size_t>(index)]);
  }
  const Expr* made = context_.make<Subscript>(Ranges(), base, primal(node->index));
  Type type = typing_.of(node);
  if (type.is_numeric()) {
    if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
    if (type.is_number()) type = Type::number(type.dtype);
    typing_.set(made, type);
  }
  return algebra_.of(made);
}

Linear Forward::attribute(const Attribute* node) {
  const std::string_view attribute = node->attribute.text();
  const bool is_part =
      (attribute == "real" || attribute == "imag") && is_complex(typing_.of(node->value).dtype);
  if (attribute == "imag" && !is_part) return {};
  const Expr* base = full_tangent(node->value);
  if (base == nullptr) return {};
  const Type of = typing_.of(node->value);
  if (of.is_numeric() && !is_part) {
    if (attribute == "real") return algebra_.of(base);
    if (attribute != "T" && attribute != "flat") {
      refuse(DiagnosticKind::UnsupportedType, node,
             "the attribute `." + std::string(attribute) +
                 "` of a value that depends on the differentiated arguments",
             "pass it as an argument of its own");
    }
    if (of.is_number()) return algebra_.of(base);
    if (const auto* again = as<Attribute>(base);
        attribute == "T" && again != nullptr && again->attribute == node->attribute)
      return algebra_.of(again->value);
  } else if (!is_part &&
             (!is<Name>(node->value) || of.kind == TypeKind::Tuple || of.kind == TypeKind::List)) {
    refuse(DiagnosticKind::UnsupportedType, node,
           "the attribute `." + std::string(attribute) +
               "` of a value that depends on the differentiated arguments",
           "pass it as an argument of its own");
  }
  const Expr* made = context_.make<Attribute>(Ranges(), base, node->attribute);
  Type type = typing_.of(node);
  if (type.is_numeric()) {
    if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
    typing_.set(made, type);
  }
  return algebra_.of(made);
}

Linear Forward::conditional(const Expr* node, const Choice& choice) {
  const auto [test, body, orelse] = choice;
  const Expr* condition = primal(test);
  ++arm_depth_;
  auto arm = [&](const Expr* value) -> const Expr* {
    if (const Expr* made = full_tangent(value)) return kept_apart(value, made, !always_.empty());
    return typing_.of(value).is_number() ? context_.number(0.0) : whole_tangent(value);
  };
  const Expr* taken = arm(body);
  const Expr* other = arm(orelse);
  --arm_depth_;
  const Expr* made = context_.make<Conditional>(Ranges(), condition, taken, other);
  Type type = typing_.of(node);
  if (type.is_numeric()) {
    if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
    typing_.set(made, type);
  }
  return algebra_.of(made);
}

// (a, b), [a, b], {k: v}: the tangents of the parts, zeros written down.
Linear Forward::display(const Expr* node) {
  std::vector<const Expr*> parts;
  const Expr* made = nullptr;
  auto part = [&](const Expr* element) {
    if (is<Starred>(element)) {
      const Expr* inner = static_cast<const Starred*>(element)->value;
      parts.push_back(context_.make<Starred>(Ranges(), whole_tangent(inner)));
      return;
    }
    parts.push_back(whole_tangent(element));
  };
  if (const auto* tuple = as<TupleDisplay>(node)) {
    for (const Expr* element : tuple->elements) part(element);
    made = context_.make<TupleDisplay>(Ranges(), context_.list(parts));
  } else if (const auto* list = as<ListDisplay>(node)) {
    for (const Expr* element : list->elements) part(element);
    made = context_.make<ListDisplay>(Ranges(), context_.list(parts));
  } else {
    const auto* dictionary = static_cast<const Dictionary*>(node);
    std::vector<const Expr*> keys;
    for (std::size_t k = 0; k < dictionary->values.size(); ++k) {
      keys.push_back(dictionary->keys[k] != nullptr ? primal(dictionary->keys[k]) : nullptr);
      part(dictionary->values[k]);
    }
    made = context_.make<Dictionary>(Ranges(), context_.list(keys), context_.list(parts));
  }
  typing_.set(made, typing_.of(node));
  return Linear{.terms = {Term{.factors = {Factor{.base = made}}}}};
}

bool Forward::is_receiver(const Attribute* method) const {
  // np.sum: the value is a module, reached by global names alone.
  const Expr* root = method;
  while (const auto* attribute = as<Attribute>(root)) root = attribute->value;
  const auto* name = as<Name>(root);
  if (name == nullptr || name->scope != Scope::Global) return true;
  const GlobalBinding* global = core_.find_global(name->symbol);
  return global == nullptr || global->thing.kind == ThingKind::Value;
}

Linear Forward::call(const Call* node) {
  const auto* method = as<Attribute>(node->function);
  // d.get(k, 0.0) of a dict of numbers or arrays.
  if (!node->callee && method != nullptr && typing_.of(method->value).is_map() &&
      method->attribute.text() == "get" && node->arguments.size() == 2 && node->keywords.empty() &&
      !active(node->arguments[1])) {
    const Expr* base = full_tangent(method->value);
    if (base == nullptr) return {};
    const Expr* made = context_.make<Call>(
        Ranges(), context_.make<Attribute>(Ranges(), base, method->attribute), Symbol(),
        context_.list<const Expr*>(
            {primal(node->arguments[0]), static_cast<const Expr*>(context_.number(0.0))}),
        List<const Keyword*>());
    const Type type = typing_.of(node);
    typing_.set(made,
                type.is_number() ? Type::number(DType::Float64) : Type::numeric(DType::Float64));
    return algebra_.of(made);
  }
  if (!node->callee) {
    refuse(DiagnosticKind::UnresolvedCall, node,
           "`" + (method ? "." + std::string(method->attribute.text()) : std::string("this call")) +
               "` is called with a value that depends on the differentiated arguments, and it is "
               "not known what it is",
           "call a function of NumPy, SciPy or math, or a Python function of your own");
  }
  const std::string_view callee = node->callee.text();
  // What only arranges items arranges their tangents alike.
  if ((callee == "builtins.list" || callee == "builtins.tuple" || callee == "builtins.reversed") &&
      node->arguments.size() == 1 && node->keywords.empty()) {
    const Expr* made = full_tangent(node->arguments[0]);
    if (made == nullptr) return {};
    const Expr* result =
        context_.make<Call>(Ranges(), node->function, node->callee,
                            context_.list<const Expr*>({made}), List<const Keyword*>());
    typing_.set(result, typing_.of(node));
    return Linear{.terms = {Term{.factors = {Factor{.base = result}}}}};
  }
  if (callee == "tangent.runtime._distinct" && node->arguments.size() == 1) {
    const Expr* made = full_tangent(node->arguments[0]);
    if (made == nullptr) return {};
    const Expr* result = call_helper("_distinct_like", {made, primal(node->arguments[0])});
    typing_.set(result, typing_.of(node));
    return Linear{.terms = {Term{.factors = {Factor{.base = result}}}}};
  }
  if (callee == "builtins.sorted" && node->keywords.empty() && node->arguments.size() == 1) {
    const Type type = typing_.of(node->arguments[0]);
    const bool numbers =
        type.kind == TypeKind::List && std::ranges::all_of(type.elements, &Type::is_number);
    const Expr* made = numbers ? full_tangent(node->arguments[0]) : nullptr;
    if (made != nullptr) {
      const Expr* result = call_helper("_sorted_like", {made, primal(node->arguments[0])});
      typing_.set(result, typing_.of(node));
      return Linear{.terms = {Term{.factors = {Factor{.base = result}}}}};
    }
  }
  if (callee == "builtins.zip" && node->keywords.empty()) {
    std::vector<const Expr*> tangents;
    for (const Expr* argument : node->arguments) tangents.push_back(whole_tangent(argument));
    const Expr* result = context_.make<Call>(Ranges(), node->function, node->callee,
                                             context_.list(tangents), List<const Keyword*>());
    typing_.set(result, typing_.of(node));
    return Linear{.terms = {Term{.factors = {Factor{.base = result}}}}};
  }
  const Rule* rule = rules_.find(callee);
  if (rule == nullptr) {
    refuse(DiagnosticKind::NoRule, node, "`" + std::string(callee) + "` has no derivative rule",
           "write it with functions that have one, or register a rule for it");
  }
  rule = &rule_of_values(*rule, node, rules_, typing_);
  const bool is_method = method != nullptr && is_receiver(method);
  const std::vector<const Expr*> arguments =
      bind_arguments(*rule, *node, is_method ? method->value : nullptr);
  return apply_rule(*rule, node, arguments, node);
}

bool Forward::is_fresh(const Expr* made) const {
  if (is<BinaryOperation>(made) || is<UnaryOperation>(made) || is<Constant>(made)) return true;
  if (const auto* conditional = as<Conditional>(made))
    return is_fresh(conditional->body) && is_fresh(conditional->orelse);
  const auto* call = as<Call>(made);
  if (call == nullptr) return false;
  const std::string_view callee = call->callee.text();
  const bool library = callee.starts_with("numpy.") || callee.starts_with("scipy.");
  const bool copies = std::any_of(
      call->keywords.begin(), call->keywords.end(),
      [](const Keyword* keyword) { return keyword->name && keyword->name.text() == "copy"; });
  return callee == "tangent.runtime._zero_tangent" || callee == "tangent.runtime._own" ||
         (library && !may_give_view(callee) && !copies);
}

}  // namespace tangent
