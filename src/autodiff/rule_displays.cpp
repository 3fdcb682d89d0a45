// Contributions to displays that a function takes, np.stack([u, v]) or np.concatenate((u, v)): the
// adjoint of the whole is taken apart, element by element.
//
// In: the value that a rule gives to the parameter (rules/README.md, "Bodies"). Out: a contribution
// to each active element: `by[0]`, `by[:len(u)]`, or an element of what a helper returns.
#include "autodiff/rule_binding.h"
#include "syntax/as_written.h"

namespace tangent {

namespace {

// How far into an axis a piece lies: a number and the lengths of those before it.
struct Offset {
  std::int64_t number = 0;
  std::vector<const Expr*> lengths = {};
};

const Expr* expression_of(const Offset& offset, Context& context) {
  const Expr* sum = nullptr;
  for (const Expr* length : offset.lengths) {
    sum = sum == nullptr ? length
                         : context.make<BinaryOperation>({}, BinaryOperator::Add, sum, length);
  }
  if (sum == nullptr) return context.integer(offset.number);
  if (offset.number == 0) return sum;
  return context.make<BinaryOperation>({}, BinaryOperator::Add, sum,
                                       context.integer(offset.number));
}

const Expr* whole_slice(Context& context) {
  return context.make<Slice>({}, nullptr, nullptr, nullptr);
}

// value[:, …, index] with the index at an axis counted from the front, or value[..., index].
const Expr* at_axis(const Expr* value, const Expr* index, std::int64_t axis, Context& context) {
  if (axis == 0) return context.make<Subscript>({}, value, index);
  std::vector<const Expr*> parts(static_cast<std::size_t>(axis > 0 ? axis : 1),
                                 whole_slice(context));
  if (axis < 0) parts = {context.make<Constant>({}, Literal{.kind = LiteralKind::Ellipsis})};
  parts.push_back(index);
  for (std::int64_t k = axis; k < -1; ++k) parts.push_back(whole_slice(context));
  return context.make<Subscript>({}, value, context.make<TupleDisplay>({}, context.list(parts)));
}

// The item of a piece that is a display itself: by[2:4][1] is by[3].
const Expr* item_of(const Expr* piece, std::size_t position, Context& context) {
  const auto number = static_cast<std::int64_t>(position);
  if (const auto* subscript = as<Subscript>(piece)) {
    if (const auto* slice = as<Slice>(subscript->index); slice != nullptr && !slice->step) {
      double start = 0.0;
      bool integral = true;
      if (slice->lower == nullptr || Algebra::is_literal(slice->lower, start, integral)) {
        return context.make<Subscript>({}, subscript->value,
                                       context.integer(static_cast<std::int64_t>(start) + number));
      }
    }
  }
  return context.make<Subscript>({}, piece, context.integer(number));
}

}  // namespace

std::optional<int> rank_of_array(const Expr* expression, Typing& typing) {
  if (display_elements(expression) != nullptr) {
    const std::vector<int> inner = ranks_of_elements(expression, typing);
    if (inner.empty()) return std::nullopt;
    return inner[0] + 1;
  }
  const Type type = typing.of(expression);
  if (type.is_number()) return 0;
  if (type.is_array() && type.rank >= 0) return type.rank;
  return std::nullopt;
}

std::vector<int> ranks_of_elements(const Expr* expression, Typing& typing) {
  const Exprs* elements = display_elements(expression);
  if (!elements) {
    const auto whole = rank_of_array(expression, typing);
    if (!whole || *whole == 0) return {};
    return {*whole - 1};
  }
  std::vector<int> ranks;
  for (const Expr* element : *elements) {
    const auto here = is<Starred>(element) ? std::nullopt : rank_of_array(element, typing);
    if (!here) return {};
    ranks.push_back(*here);
  }
  return ranks;
}

void Reverse::push_item(const Expr* element, const Expr* piece) {
  if (!active(element)) return;
  if (const Exprs* inner = display_elements(element)) {
    for (std::size_t k = 0; k < inner->size(); ++k) {
      push_item((*inner)[k], item_of(piece, k, context_));
    }
    return;
  }
  Type type = typing_.of(element);
  if (type.is_number() || type.is_array()) {
    if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
    typing_.set(piece, type);
  }
  push(element, algebra_.of(piece));
}

void Reverse::push_everywhere(const Expr* element, Linear part) {
  if (!active(element)) return;
  if (const Exprs* inner = display_elements(element)) {
    for (const Expr* item : *inner) push_everywhere(item, part);
    return;
  }
  part.lazy = !typing_.of(element).is_number();
  push(element, std::move(part));
}

void Reverse::contribute_to_elements(Exprs elements, const Expr* display, const Expr* value,
                                     Binding& binding) {
  for (const Expr* element : elements) {
    if (!is<Starred>(element)) continue;
    refuse(DiagnosticKind::UnsupportedSyntax, element, "star-unpacking into an array",
           "name the elements");
  }
  const auto* call = as<Call>(value);
  const std::string_view form = call != nullptr ? call->callee.text() : std::string_view();
  const bool layers = form == "rule.layers";
  const bool pieces = form == "rule.pieces";
  const Expr* cut = layers || pieces ? call->arguments[0] : value;
  if (!has_derivative(cut, binding)) return;
  // A number that stands for the whole stands for each element.
  if (const auto* full = as<Call>(cut); full != nullptr && full->callee.text() == "rule.full") {
    Linear given = evaluate_linear(full->arguments[0], binding);
    if (given.is_zero()) return;
    if (given.lazy && typing_.of(algebra_.build(given)).is_number()) {
      // What one element makes of it may take its name.
      const InFlight waiting(*this, given);
      for (const Expr* element : elements) push_everywhere(element, given);
      return;
    }
  }
  Linear whole = evaluate_linear(cut, binding);
  if (whole.is_zero()) return;
  if (whole.lazy && !layers && !pieces) {
    if (typing_.of(algebra_.build(whole)).is_number()) {
      const InFlight waiting(*this, whole);
      for (const Expr* element : elements) push_everywhere(element, whole);
      return;
    }
    whole = full(whole, display);
  }
  const auto axis = layers ? literal_integer(evaluate(call->arguments[1], binding)) : std::nullopt;
  std::optional<std::int64_t> along;
  if (pieces) along = axis_of_pieces(evaluate(call->arguments[2], binding), elements);
  if (pieces && !along) {
    whole = algebra_.of(context_.make<Call>(
        {}, helper("_unconcatenate"), context_.symbol("tangent.runtime._unconcatenate"),
        context_.list<const Expr*>(
            {algebra_.build(whole), primal(display), evaluate(call->arguments[2], binding)}),
        List<const Keyword*>()));
  } else if (layers && !axis) {
    whole = algebra_.of(algebra_.numpy_call(
        "moveaxis",
        {algebra_.build(whole), evaluate(call->arguments[1], binding), context_.integer(0)}));
  }
  if (!whole.as_name()) {
    const Type type = along || axis ? typing_.of(binding.node) : Type::unknown();
    whole = named("b" + name_for(binding.node), whole, type);
  }
  const InFlight waiting(*this, whole);
  Offset start;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Expr* element = elements[k];
    const Expr* base = algebra_.build(whole);
    if (!along) {
      const Expr* index = context_.integer(static_cast<std::int64_t>(k));
      push_item(element, at_axis(base, index, axis.value_or(0), context_));
      continue;
    }
    Offset end = start;
    const Exprs* inner = display_elements(element);
    const Type type = typing_.of(element);
    const bool number = !inner && type.is_number();
    const auto place = static_cast<std::size_t>(*along);
    const bool last = k + 1 == elements.size();
    if (number) {
      ++end.number;
    } else if (inner && place == 0) {
      end.number += static_cast<std::int64_t>(inner->size());
    } else if (type.is_array() && type.rank > *along && type.dims[place].is_literal()) {
      end.number += type.dims[place].literal();
    } else if (!last) {
      const Expr* shape = context_.make<Attribute>(
          {}, is<Name>(element) ? element : witness(element), context_.symbol("shape"));
      end.lengths.push_back(context_.make<Subscript>({}, shape, context_.integer(*along)));
    }
    if (active(element)) {
      const bool first = start.number == 0 && start.lengths.empty();
      const Expr* index =
          number ? expression_of(start, context_)
                 : context_.make<Slice>({}, first ? nullptr : expression_of(start, context_),
                                        last ? nullptr : expression_of(end, context_), nullptr);
      push_item(element, at_axis(base, index, *along, context_));
    }
    start = std::move(end);
  }
}

std::optional<std::int64_t> Reverse::literal_integer(const Expr* expression) {
  double value = 0.0;
  bool integral = false;
  if (!Algebra::is_literal(expression, value, integral) || !integral) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// The axis, counted from the front, along which a joined array is cut into slices; nothing if that
// needs a helper: the axis is not known, or there are too many lengths to add up.
std::optional<std::int64_t> Reverse::axis_of_pieces(const Expr* axis, Exprs elements) {
  const auto literal = literal_integer(axis);
  if (!literal) return std::nullopt;
  std::optional<int> rank;
  int unknown = 0;
  for (const Expr* element : elements) {
    const auto here = rank_of_array(element, typing_);
    if (here) rank = std::max(rank.value_or(0), *here);
    const Type type = typing_.of(element);
    unknown += type.is_array() ? 1 : 0;
  }
  if (unknown > 4) return std::nullopt;
  if (*literal >= 0) return literal;
  if (!rank || *rank + *literal < 0) return std::nullopt;
  return *rank + *literal;
}

}  // namespace tangent
