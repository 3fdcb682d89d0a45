// Expressions: trees as the user wrote them, with every name resolved.
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// The parts of an index or f-string that are evaluated, from left to right.
void collect_parts(const Expr* e, std::vector<const Expr*>& parts) {
  if (e == nullptr) return;
  switch (e->kind) {
    case Kind::Slice: {
      const auto& slice = static_cast<const Slice&>(*e);
      collect_parts(slice.lower, parts);
      collect_parts(slice.upper, parts);
      collect_parts(slice.step, parts);
      return;
    }
    case Kind::TupleDisplay:
      for (const Expr* element : static_cast<const TupleDisplay&>(*e).elements) {
        collect_parts(element, parts);
      }
      return;
    case Kind::FormattedString:
      for (const Expr* element : static_cast<const FormattedString&>(*e).values) {
        collect_parts(element, parts);
      }
      return;
    case Kind::FormattedValue: {
      const auto& value = static_cast<const FormattedValue&>(*e);
      parts.push_back(value.value);
      collect_parts(value.specification, parts);
      return;
    }
    default:
      parts.push_back(e);
  }
}

// The same structure with the parts replaced, in the order in which collect_parts found them.
class Rebuild {
 public:
  Rebuild(Context& context, std::span<const Expr* const> parts)
      : context_(context), parts_(parts) {}

  const Expr* operator()(const Expr* e) {
    if (e == nullptr) return nullptr;
    switch (e->kind) {
      case Kind::Slice: {
        const auto& slice = static_cast<const Slice&>(*e);
        const Expr* lower = (*this)(slice.lower);
        const Expr* upper = (*this)(slice.upper);
        const Expr* step = (*this)(slice.step);
        return context_.make<Slice>(e->ranges, lower, upper, step);
      }
      case Kind::TupleDisplay:
        return context_.make<TupleDisplay>(e->ranges,
                                           list(static_cast<const TupleDisplay&>(*e).elements));
      case Kind::FormattedString:
        return context_.make<FormattedString>(e->ranges,
                                              list(static_cast<const FormattedString&>(*e).values));
      case Kind::FormattedValue: {
        const auto& value = static_cast<const FormattedValue&>(*e);
        const Expr* inner = parts_[next_++];
        const Expr* specification = (*this)(value.specification);
        return context_.make<FormattedValue>(e->ranges, inner, value.conversion, specification);
      }
      default:
        return parts_[next_++];
    }
  }

 private:
  Exprs list(Exprs elements) {
    std::vector<const Expr*> rebuilt;
    rebuilt.reserve(elements.size());
    for (const Expr* element : elements) rebuilt.push_back((*this)(element));
    return context_.list(rebuilt);
  }

  Context& context_;
  std::span<const Expr* const> parts_;
  std::size_t next_ = 0;
};

}  // namespace

const Expr* Lowering::value_for(const Expr* e, Destination destination) {
  const Deeper deeper(*this, *e);
  if (const auto* it = as<Call>(e)) return call(*it, destination);
  if (const auto* it = as<Conditional>(e)) return conditional(*it, destination);
  if (const auto* it = as<Comprehension>(e)) return comprehension(*it, destination);
  return expression(e);
}

const Expr* Lowering::expression(const Expr* e) {
  const Deeper deeper(*this, *e);
  switch (e->kind) {
    case Kind::Constant:
      return context_.make<Constant>(e->ranges, static_cast<const Constant&>(*e).value);
    case Kind::Name:
      return name(static_cast<const Name&>(*e));
    case Kind::BinaryOperation:
      return binary(static_cast<const BinaryOperation&>(*e));
    case Kind::UnaryOperation: {
      const auto& it = static_cast<const UnaryOperation&>(*e);
      const bool negates = it.op == UnaryOperator::Not;
      const Expr* operand = expression(negates ? explicit_truth(it.operand) : it.operand);
      if (subject_of(operand) != nullptr) {
        static constexpr std::string_view kNames[] = {"__neg__", "__pos__", "__invert__", ""};
        if (const Expr* value =
                operation(*e, *e, kNames[static_cast<std::size_t>(it.op)], "", operand, nullptr))
          return value;
      }
      return context_.make<UnaryOperation>(e->ranges, it.op, operand);
    }
    case Kind::BooleanOperation:
      return boolean(static_cast<const BooleanOperation&>(*e));
    case Kind::Comparison:
      return comparison(static_cast<const Comparison&>(*e));
    case Kind::Conditional:
      return conditional(static_cast<const Conditional&>(*e), {});
    case Kind::Call:
      return call(static_cast<const Call&>(*e), {});
    case Kind::Attribute: {
      const auto& it = static_cast<const Attribute&>(*e);
      const Expr* owner = expression(it.value);
      if (Object* object = subject_of(owner))
        return read_attribute(owner, *object, *e, it.attribute);
      const Expr* path = context_.make<Attribute>(e->ranges, owner, it.attribute);
      if (!is_known_outside(owner)) return path;
      const std::optional<Thing> held = thing_of_core(path);
      const Expr* known = held ? value_of_outside(*held, it.attribute.text(), e->ranges) : nullptr;
      return known != nullptr ? known : path;
    }
    case Kind::Subscript:
      return subscript(static_cast<const Subscript&>(*e));
    case Kind::TupleDisplay:
      return display(*e, static_cast<const TupleDisplay&>(*e).elements);
    case Kind::ListDisplay:
      return display(*e, static_cast<const ListDisplay&>(*e).elements);
    case Kind::SetDisplay:
      refuse(*e, "a set display is not supported here yet", "use a tuple instead");
    case Kind::Comprehension:
      return comprehension(static_cast<const Comprehension&>(*e), {});
    case Kind::Dictionary:
      return dictionary(static_cast<const Dictionary&>(*e));
    case Kind::FormattedString:
      return formatted(static_cast<const FormattedString&>(*e));
    case Kind::NamedExpression:
      return walrus(static_cast<const NamedExpression&>(*e));
    case Kind::Lambda:
      return function_handle({.callee = lambda_callee(static_cast<const Lambda&>(*e), Symbol())},
                             "lambda", e->ranges);
    default:
      refuse(*e, "`" + print(e) + "` is not supported here", "");
  }
}

Symbol Lowering::variable(Frame& frame, Symbol name) {
  Binding& binding = frame.bindings[name];
  if (binding.form == Binding::Form::Unset) {
    binding.form = Binding::Form::Variable;
    binding.variable = frame.outermost ? name : names_.fresh(name.text());
  }
  return binding.variable;
}

Binding* Lowering::find_binding(Symbol name, Frame** owner) {
  for (Frame* frame = frame_; frame != nullptr; frame = frame->lexical) {
    const NameUse* use = frame->facts->find(name);
    if (use != nullptr && use->is_global) return nullptr;
    if (!frame->facts->is_local(name)) continue;
    if (owner != nullptr) *owner = frame;
    return &frame->bindings[name];
  }
  return nullptr;
}

const Expr* Lowering::name(const Name& it) {
  if (it.scope != Scope::Unresolved) return copy(&it, it.ranges);  // lowered already
  Frame* owner = nullptr;
  Binding* binding = find_binding(it.symbol, &owner);
  if (binding == nullptr) {
    const Thing thing = look_up(frame_->function, it.symbol);
    if (const Expr* held = value_of_outside(thing, it.symbol.text(), it.ranges)) return held;
    return global(it.symbol, it.ranges);
  }
  switch (binding->form) {
    case Binding::Form::Unset:
    case Binding::Form::Variable: {
      const Symbol symbol = variable(*owner, it.symbol);
      if (object_names_.contains(symbol) && !objects_.contains(symbol)) {
        refuse(it,
               "`" + std::string(it.symbol.text()) +
                   "` holds an object only in a branch or loop that has ended",
               "make the object before the branch or loop");
      }
      return variable_value(symbol, it);
    }
    case Binding::Form::Value:
      return copy(binding->value, it.ranges);
    case Binding::Form::Function:
      return function_handle({.callee = binding->function}, it.symbol.text(), it.ranges);
    case Binding::Form::OutOfReach:
      refuse(it,
             "`" + std::string(it.symbol.text()) +
                 "` is bound to a function or module in a branch or loop that has ended",
             "bind it before the branch or loop");
  }
  throw InternalError("a binding of no form");
}

Exprs Lowering::copies(Exprs elements, Ranges ranges) {
  std::vector<const Expr*> again;
  again.reserve(elements.size());
  for (const Expr* e : elements) again.push_back(copy(e, ranges));
  return context_.list(again);
}

// A simple expression again, for one more place; others stand in one place only.
const Expr* Lowering::copy(const Expr* core, Ranges ranges) {
  if (ranges.empty()) ranges = core->ranges;
  switch (core->kind) {
    case Kind::Constant:
      return context_.make<Constant>(ranges, static_cast<const Constant&>(*core).value);
    case Kind::Name: {
      const auto& it = static_cast<const Name&>(*core);
      return context_.make<Name>(ranges, it.symbol, it.scope);
    }
    case Kind::Attribute: {
      const auto& it = static_cast<const Attribute&>(*core);
      if (!is_simple(core) && !function_in_argument(core)) return core;
      return context_.make<Attribute>(ranges, copy(it.value, ranges), it.attribute);
    }
    case Kind::Subscript: {
      const auto& it = static_cast<const Subscript&>(*core);
      if (!function_in_argument(core)) return core;
      return context_.make<Subscript>(ranges, copy(it.value, ranges), copy(it.index, ranges));
    }
    case Kind::UnaryOperation: {
      const auto& it = static_cast<const UnaryOperation&>(*core);
      if (!is_simple(core)) return core;
      return context_.make<UnaryOperation>(ranges, it.op, copy(it.operand, ranges));
    }
    case Kind::TupleDisplay: {
      if (!is_simple(core) && !is_known(core)) return core;
      return context_.make<TupleDisplay>(
          ranges, copies(static_cast<const TupleDisplay&>(*core).elements, ranges));
    }
    // Displays that hold known values are made of what may be written again (known_values.cpp).
    case Kind::ListDisplay: {
      if (!is_known(core)) return core;
      return context_.make<ListDisplay>(
          ranges, copies(static_cast<const ListDisplay&>(*core).elements, ranges));
    }
    case Kind::Dictionary: {
      if (!is_known(core)) return core;
      const auto& it = static_cast<const Dictionary&>(*core);
      return context_.make<Dictionary>(ranges, copies(it.keys, ranges), copies(it.values, ranges));
    }
    default:
      return core;
  }
}

// Sums of thousands of terms lean to the left: that side is walked, not recursed into.
const Expr* Lowering::binary(const BinaryOperation& it) {
  std::vector<const BinaryOperation*> spine;
  const Expr* leftmost = &it;
  while (const auto* node = as<BinaryOperation>(leftmost)) {
    spine.push_back(node);
    leftmost = node->left;
  }
  const Expr* value = expression(leftmost);
  for (auto node = spine.rbegin(); node != spine.rend(); ++node) {
    const std::size_t mark = out_->size();
    const Expr* right = expression((*node)->right);
    if (out_->size() > mark) protect({&value, 1}, mark);
    const Expr* left = value;
    value = nullptr;
    if (subject_of(left) != nullptr || subject_of(right) != nullptr) {
      const auto& [name, reflected] = operator_methods((*node)->op);
      value = operation(**node, **node, name, reflected, left, right);
    }
    const auto* front = as<TupleDisplay>(left);
    const auto* back = as<TupleDisplay>(right);
    if (value == nullptr && front != nullptr && back != nullptr &&
        (*node)->op == BinaryOperator::Add) {
      std::vector<const Expr*> elements(front->elements.begin(), front->elements.end());
      elements.insert(elements.end(), back->elements.begin(), back->elements.end());
      value = context_.make<TupleDisplay>((*node)->ranges, Exprs(context_.list(elements)));
    }
    if (value == nullptr)
      value = context_.make<BinaryOperation>((*node)->ranges, (*node)->op, left, right);
    // An integer of a loop that is written out, among others: what the user wrote as numbers stays.
    const bool written_out = is<Constant>(left) && is<Constant>(right) &&
                             (!is<Constant>(leftmost) || !is<Constant>((*node)->right));
    if (const auto integer = written_out ? constant_integer(value) : std::nullopt)
      value = context_.signed_integer(*integer, (*node)->ranges);
  }
  return value;
}

const Expr* Lowering::subscript(const Subscript& it) {
  if (const Expr* value = joined_by_subscript(it)) return value;
  std::vector<const Expr*> written = {it.value};
  collect_parts(it.index, written);
  std::vector<const Expr*> parts(written.size());
  operands(written, parts);
  const Expr* index = Rebuild(context_, std::span(parts).subspan(1))(it.index);
  if (const auto elements = elements_of_tuple(parts[0])) {
    const auto* place = as<Constant>(index);
    if (place != nullptr && place->value.kind == LiteralKind::Integer &&
        static_cast<std::size_t>(place->value.integer) < elements->size())
      return (*elements)[static_cast<std::size_t>(place->value.integer)];
  }
  if (Object* object = subject_of(parts[0]))
    return call_special(it, *object, parts[0], "__getitem__", {index});
  if (const Expr* part = part_of_known(it, parts[0], index)) return part;
  // kwargs['b'] of a **kwargs that is known: the argument itself
  if (const auto* entries = as<Dictionary>(parts[0]); entries != nullptr && is<Name>(it.value)) {
    for (std::size_t k = 0; k < entries->keys.size(); ++k) {
      if (equal(entries->keys[k], index)) return copy(entries->values[k], it.ranges);
    }
    refuse(it, "`" + print(&it) + "` is not there: no such keyword is passed",
           "pass it in the call", DiagnosticKind::UnresolvedCall);
  }
  // args[0] of a *args that is known: the argument itself
  const auto* tuple = as<TupleDisplay>(parts[0]);
  const auto* position = as<Constant>(index);
  if (tuple != nullptr && position != nullptr && is<Name>(it.value) && is_simple(tuple) &&
      position->value.kind == LiteralKind::Integer && position->value.integer >= 0 &&
      static_cast<std::uint64_t>(position->value.integer) < tuple->elements.size()) {
    return tuple->elements[static_cast<std::size_t>(position->value.integer)];
  }
  return context_.make<Subscript>(it.ranges, parts[0], index);
}

const Expr* Lowering::display(const Expr& it, Exprs elements) {
  if (std::ranges::any_of(elements, [](const Expr* e) { return is<Starred>(e); })) {
    // [*xs, e] is list(xs) + [e].
    const bool list = is<ListDisplay>(&it);
    const Expr* sum = nullptr;
    std::vector<const Expr*> group;
    const auto add = [&](const Expr* part) {
      sum = sum == nullptr ? part
                           : static_cast<const Expr*>(context_.make<BinaryOperation>(
                                 it.ranges, BinaryOperator::Add, sum, part));
    };
    const auto close = [&] {
      if (group.empty()) return;
      const Exprs now = context_.list(group);
      add(list ? static_cast<const Expr*>(context_.make<ListDisplay>(it.ranges, now))
               : context_.make<TupleDisplay>(it.ranges, now));
      group.clear();
    };
    for (const Expr* element : elements) {
      const auto* starred = as<Starred>(element);
      if (starred == nullptr) {
        group.push_back(element);
        continue;
      }
      close();
      add(context_.make<Call>(
          element->ranges,
          static_cast<const Expr*>(global(context_.symbol(list ? "list" : "tuple"), it.ranges)),
          Symbol(), context_.list<const Expr*>({starred->value}), List<const Keyword*>()));
    }
    close();
    return expression(sum);
  }
  std::vector<const Expr*> values(elements.size());
  operands(elements, values);
  const Exprs list = context_.list(values);
  if (is<TupleDisplay>(&it)) return context_.make<TupleDisplay>(it.ranges, list);
  return context_.make<ListDisplay>(it.ranges, list);
}

// {k: v, …}: each key before its value, from left to right.
const Expr* Lowering::dictionary(const Dictionary& it) {
  std::vector<const Expr*> written;
  const std::function<void(const Dictionary&)> add = [&](const Dictionary& display) {
    for (std::size_t k = 0; k < display.keys.size(); ++k) {
      if (display.keys[k] == nullptr) {
        add(*as<Dictionary>(display.values[k]));
        continue;
      }
      // A key that is there twice keeps its first place and its last value.
      for (std::size_t j = 0; &display != &it && j < written.size(); j += 2) {
        if (equal(written[j], display.keys[k]))
          refuse(it, "a key that is spread over another one is not supported yet",
                 "write the entries out");
      }
      written.push_back(display.keys[k]);
      written.push_back(display.values[k]);
    }
  };
  add(it);
  std::vector<const Expr*> parts(written.size());
  operands(written, parts);
  std::vector<const Expr*> keys;
  std::vector<const Expr*> values;
  for (std::size_t k = 0; k < parts.size(); k += 2) {
    keys.push_back(parts[k]);
    values.push_back(parts[k + 1]);
  }
  return context_.make<Dictionary>(it.ranges, context_.list(keys), context_.list(values));
}

const Expr* Lowering::formatted(const FormattedString& it) {
  std::vector<const Expr*> written;
  collect_parts(&it, written);
  std::vector<const Expr*> parts(written.size());
  operands(written, parts);
  return Rebuild(context_, parts)(&it);
}

const Expr* Lowering::walrus(const NamedExpression& it) {
  const auto* target = as<Name>(it.target);
  if (target == nullptr) refuse(it, "this target is not supported", "assign to a name");
  assign_name(*target, it.value, at(it));
  return name(*target);
}

}  // namespace tangent::lowering
