// List and dict comprehensions, and generators that are a call's argument: a list or dict that a
// loop fills.
//
//     y = [f(t) for t in ts if t > 0]            y = []
//                                                for t in ts:
//                                                    if t > 0:
//                                                        y.append(f(t))
//
// The targets live in a scope of their own, as in Python; the first iterable is evaluated outside
// of it.
#include <algorithm>

#include "lower/open_counted.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// Whether an expression can be evaluated more often than Python would, without a trace.
bool is_harmless(const Node* node) {
  switch (node->kind) {
    case Kind::Call:
    case Kind::Subscript:
    case Kind::NamedExpression:
      return false;
    case Kind::BinaryOperation: {
      const BinaryOperator op = static_cast<const BinaryOperation*>(node)->op;
      if (op != BinaryOperator::Add && op != BinaryOperator::Subtract &&
          op != BinaryOperator::Multiply)
        return false;
      break;
    }
    default:
      break;
  }
  bool harmless = true;
  for_each_child(*node, [&](const Node* child) { harmless = harmless && is_harmless(child); });
  return harmless;
}

}  // namespace

// Whether a call goes through its only argument once, to the end.
bool Lowering::uses_all(const Call& it) {
  static constexpr std::string_view kAll[] = {"builtins.sum",  "builtins.min",   "builtins.max",
                                              "builtins.list", "builtins.tuple", "builtins.sorted"};
  if (it.arguments.size() != 1 || !is<Name>(it.function)) return false;
  const std::optional<Thing> thing = thing_of(it.function);
  return thing && std::ranges::find(kAll, thing->qualified_name.text()) != std::end(kAll);
}

void Lowering::allow_generators(const Call& it) {
  const auto* function = as<Name>(it.function);
  const bool stops_early =
      function != nullptr && (function->symbol.text() == "any" || function->symbol.text() == "all");
  for (const Expr* argument : it.arguments) {
    if (const auto* inner = as<Call>(argument); inner != nullptr && uses_all(it)) {
      consumed_.insert(inner);
      drained_.insert(inner);
    }
    const auto* generator = as<Comprehension>(argument);
    if (generator == nullptr || generator->form != ComprehensionKind::Generator) continue;
    if (stops_early && !is_harmless(generator->element)) continue;
    generators_.insert(generator);
  }
}

// map(f, xs) is [f(item) for item in xs], filter(f, xs) is [item for item in xs if f(item)], where
// all of it is used at once.
const Expr* Lowering::mapped(const Call& it, bool filters) {
  // map(f, xs, ys) is [f(x, y) for x, y in zip(xs, ys)].
  std::vector<const Expr*> items;
  for (std::size_t k = 1; k < it.arguments.size(); ++k)
    items.push_back(context_.make<Name>(it.ranges, names_.fresh("item"), Scope::Unresolved));
  const auto name = [&] {
    if (items.size() > 1)
      return static_cast<const Expr*>(
          context_.make<TupleDisplay>(it.ranges, Exprs(context_.list(items))));
    return items[0];
  };
  const Expr* call = context_.make<Call>(it.ranges, it.arguments[0], Symbol(),
                                         Exprs(context_.list(items)), List<const Keyword*>());
  const Expr* iterable = it.arguments[1];
  if (items.size() > 1) {
    const Expr* zip = global(context_.symbol("zip"), it.ranges);
    iterable = context_.make<Call>(it.ranges, zip, Symbol(), it.arguments.subspan(1),
                                   List<const Keyword*>());
  }
  const Exprs conditions = filters ? context_.list<const Expr*>({call}) : Exprs();
  const auto* generator = context_.make<Generator>(it.ranges, name(), iterable, conditions, false);
  const auto* list = context_.make<Comprehension>(
      it.ranges, ComprehensionKind::List, static_cast<const Expr*>(nullptr),
      filters ? name() : call, context_.list<const Generator*>({generator}));
  return comprehension(*list, {});
}

// Whether what a comprehension evaluates may read a variable.
bool Lowering::may_read(const Comprehension& it, Symbol variable) {
  return find_node(&it, [&](const Node* node) {
           if (const auto* name = as<Name>(node)) {
             const Binding* binding = find_binding(name->symbol);
             if (binding == nullptr) return false;
             if (binding->form == Binding::Form::Value) return mentions(binding->value, variable);
             return binding->form != Binding::Form::Variable || binding->variable == variable;
           }
           const auto* call = as<Call>(node);
           if (call == nullptr || is<Attribute>(call->function)) return false;
           const std::optional<Thing> thing = thing_of(call->function);
           return !thing || thing->kind != ThingKind::Library;
         }) != nullptr;
}

// Whether the elements of a list are objects or functions, by the look of it.
bool Lowering::makes_known(const Comprehension& it) {
  if (it.form != ComprehensionKind::List || it.generators.size() != 1 ||
      !it.generators[0]->conditions.empty())
    return false;
  if (is<Lambda>(it.element)) return true;
  const auto* call = as<Call>(it.element);
  const std::optional<Thing> thing = call != nullptr ? thing_of(call->function) : std::nullopt;
  return thing && thing->kind == ThingKind::UserClass && !is_kept(*thing);
}

// [C(w) for w in (a, b)] is [C(a), C(b)]; null if it is not known what it loops over.
const Expr* Lowering::unrolled_comprehension(const Comprehension& it, const Expr* first) {
  std::vector<const Expr*> items;
  const auto* tuple = as<TupleDisplay>(first);
  const auto* list = as<ListDisplay>(first);
  if (const auto known = known_items(first)) {
    items = *known;
  } else if (const auto counted = counted_items(first)) {
    items = *counted;
  } else if (tuple != nullptr || list != nullptr) {
    for (const Expr* e : tuple != nullptr ? tuple->elements : list->elements)
      items.push_back(kept_known(e, at(it)));
  } else {
    return nullptr;
  }
  if (items.size() > 64) return nullptr;
  Frame& frame = frames_.emplace_back();
  const auto [facts, added] = facts_.try_emplace(&it);
  if (added) {
    const Expr* value = it.element;
    const Stmt* body = context_.assign(it.generators[0]->target, value, it.ranges);
    facts->second = scope_facts({}, context_.list<const Stmt*>({body}));
  }
  frame.facts = &facts->second;
  frame.function = frame_->function;
  frame.lexical = frame_;
  frame.call_site = frame_->call_site;
  Frame* const outer = frame_;
  frame_ = &frame;
  std::vector<const Expr*> elements;
  for (const Expr* item : items) {
    release_targets(it.generators[0]->target);
    assign_to(it.generators[0]->target, copy(item, {}), at(it));
    Bindings before;
    bind_constants(it.generators[0]->target, item, {}, before);
    elements.push_back(kept_known(expression(it.element), at(it)));
    rebind(before);
  }
  frame_ = outer;
  return context_.make<ListDisplay>(it.ranges, Exprs(context_.list(elements)));
}

const Expr* Lowering::comprehension(const Comprehension& it, Destination destination) {
  const bool allowed = it.form == ComprehensionKind::List || is_dict(it) ||
                       (it.form == ComprehensionKind::Generator && generators_.contains(&it));
  if (!allowed) {
    refuse(it, "`" + print(&it) + "` is not supported here yet", "use a `for` loop");
  }
  if (holds(&it, Kind::NamedExpression)) {
    refuse(it, "`:=` in a comprehension is not supported yet", "use a `for` loop");
  }
  const Ranges ranges = at(it);
  const bool plain = it.generators.size() == 1 && it.generators[0]->conditions.empty() &&
                     it.form != ComprehensionKind::Dictionary;
  if (makes_known(it) || (plain && is_written_out(it))) {
    const Expr* first = expression(it.generators[0]->iterable);
    if (const Expr* list = unrolled_comprehension(it, first)) return list;
  }
  // The list gets the target's own name, unless the comprehension reads it.
  const bool direct = destination.form == Destination::Form::Name;
  const bool in_place = direct && is_dict(it) && !may_read(it, destination.name);
  const Symbol list = in_place ? destination.name : names_.fresh(is_dict(it) ? "entries" : "items");
  emit_assign(list,
              is_dict(it)
                  ? static_cast<const Expr*>(context_.make<Dictionary>(it.ranges, Exprs(), Exprs()))
                  : context_.make<ListDisplay>(it.ranges, Exprs()),
              ranges);

  const Symbol list_name = context_.symbol(" list");  // no name that a user can write
  const Symbol first_name = context_.symbol(" first");
  Block body;
  {
    const auto* name = context_.make<Name>(it.ranges, list_name, Scope::Unresolved);
    if (is_dict(it)) {
      // {k: v for …} stores v under k.
      body = context_.list<const Stmt*>({context_.assign(
          context_.make<Subscript>(it.ranges, static_cast<const Expr*>(name), it.key), it.element,
          it.ranges)});
    }
    const auto* append = context_.make<Attribute>(it.ranges, static_cast<const Expr*>(name),
                                                  context_.symbol("append"));
    const auto* call =
        context_.make<Call>(it.ranges, static_cast<const Expr*>(append), Symbol(),
                            context_.list<const Expr*>({it.element}), List<const Keyword*>());
    if (!is_dict(it)) {
      body = context_.list<const Stmt*>(
          {context_.make<ExpressionStatement>(it.ranges, static_cast<const Expr*>(call))});
    }
  }
  for (std::size_t k = it.generators.size(); k-- > 0;) {
    const Generator& generator = *it.generators[k];
    if (generator.is_async) refuse(it, "`async for` is not supported", "use a plain loop");
    for (std::size_t j = generator.conditions.size(); j-- > 0;) {
      body = context_.list<const Stmt*>({context_.make<If>(
          generator.conditions[j]->ranges, generator.conditions[j], body, Block())});
    }
    const Expr* iterable = generator.iterable;
    if (k == 0) iterable = context_.make<Name>(iterable->ranges, first_name, Scope::Unresolved);
    body = context_.list<const Stmt*>({context_.make<For>(
        generator.target->ranges, generator.target, iterable, body, Block(), false)});
  }

  use_up(it.generators[0]->iterable);
  if (const auto* called = as<Call>(it.generators[0]->iterable)) drained_.insert(called);
  const Expr* first = expression(it.generators[0]->iterable);
  Frame& frame = frames_.emplace_back();
  const auto [facts, added] = facts_.try_emplace(&it);
  if (added) {
    facts->second = scope_facts({}, body);
    for (const Symbol name : {list_name, first_name}) facts->second.names[name].is_parameter = true;
  }
  frame.facts = &facts->second;
  frame.function = frame_->function;
  frame.lexical = frame_;
  frame.call_site = frame_->call_site;
  frame.bindings[list_name] = {.form = Binding::Form::Variable, .variable = list};
  frame.bindings[first_name] = {.form = Binding::Form::Value, .value = first};
  Frame* const outer = frame_;
  frame_ = &frame;
  const auto* target = as<Name>(it.generators[0]->target);
  const bool counted = plain && target != nullptr && counted_items(first).has_value();
  {
    const OpenCounted open(
        *this, counted ? &it : nullptr,
        counted ? context_.local(variable(frame, target->symbol), target->ranges) : nullptr);
    block(body);
  }
  frame_ = outer;
  if (in_place) return nullptr;
  const Expr* result = context_.local(list, it.ranges);
  if (!direct) return result;
  emit_assign(destination.name, result, ranges);
  return nullptr;
}

}  // namespace tangent::lowering
