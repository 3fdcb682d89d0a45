// What variables and expressions hold of kept objects (holdings.h), while a function is lowered.
//
// In: core expressions, as assignments and loops bind them. Out: their holdings. What a variable or
// list turns out to hold after it was read as something else is noted, and lowering begins again.
#include "lower/holdings.h"

#include <algorithm>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"

namespace tangent::lowering {

bool Holding::has_reference() const {
  return form == Form::Reference || std::ranges::any_of(inner, &Holding::has_reference);
}

std::optional<Holding> joined(const Holding& one, const Holding& other) {
  using Form = Holding::Form;
  if (one.form == Form::Unknown) return other;
  if (other.form == Form::Unknown || one == other) return one;
  if (!one.has_reference() && !other.has_reference()) {
    if (one.form == Form::Plain) return one;
    if (other.form == Form::Plain) return other;
  }
  // A tuple of parts of one kind is a list of them.
  const auto as_items = [](const Holding& parts) -> std::optional<Holding> {
    Holding item;
    for (const Holding& part : parts.inner) {
      const auto both = joined(item, part);
      if (!both) return std::nullopt;
      item = *both;
    }
    return Holding::items(item);
  };
  const bool mixed = (one.form == Form::Parts && other.form == Form::Items) ||
                     (one.form == Form::Items && other.form == Form::Parts) ||
                     (one.form == Form::Parts && other.form == Form::Parts &&
                      one.inner.size() != other.inner.size());
  if (mixed) {
    const auto first = one.form == Form::Parts ? as_items(one) : std::optional(one);
    const auto second = other.form == Form::Parts ? as_items(other) : std::optional(other);
    return first && second ? joined(*first, *second) : std::nullopt;
  }
  if (one.form != other.form || one.type != other.type || one.inner.size() != other.inner.size())
    return std::nullopt;
  Holding result = one;
  if (result.birth.empty()) result.birth = other.birth;
  for (std::size_t k = 0; k < one.inner.size(); ++k) {
    const auto both = joined(one.inner[k], other.inner[k]);
    if (!both) return std::nullopt;
    result.inner[k] = *both;
  }
  return result;
}

Holding item_of(const Holding& whole) {
  using Form = Holding::Form;
  if (whole.form == Form::Items && !whole.inner.empty()) return whole.inner[0];
  if (whole.form == Form::Parts) {
    Holding item;
    for (const Holding& part : whole.inner) {
      const auto both = joined(item, part);
      if (!both) return {};
      item = *both;
    }
    return item;
  }
  if (whole.form == Form::Entries || whole.form == Form::Plain) return Holding::plain();
  return {};
}

// Where a list or dict is made, with the calls around it, as a text.
std::string Lowering::birthplace(const Node& node) {
  std::string place = "made at ";
  for (const SourceRange& range : at(node)) {
    // The text of a library's loop is read anew each time.
    const bool of_library = std::ranges::any_of(library_callees_, [&](const auto& text) {
      return std::ranges::any_of(text.second, [&](const Callee* callee) {
        const Ranges ranges = callee->identity->ranges;
        return !ranges.empty() && ranges[0].file == range.file;
      });
    });
    place += (of_library ? "-" : std::to_string(range.file)) + ":" + std::to_string(range.line) +
             ":" + std::to_string(range.column) + " ";
  }
  return place;
}

Holding Lowering::known_holding(const std::string& key) const {
  const auto found = known_.holdings.find(key);
  return found != known_.holdings.end() ? found->second : Holding();
}

// What a list or dict that this expression makes holds, beside what it is made with.
Holding Lowering::made_holding(const Expr& display, Holding::Form form, const Holding& item) {
  const std::string birth = birthplace(display);
  const auto both = joined(item, known_holding(birth));
  return {.form = form, .inner = {both ? *both : item}, .birth = birth};
}

Holding Lowering::variable_holding(Symbol symbol) const {
  const auto found = variable_holdings_.find(symbol);
  if (found != variable_holdings_.end()) return found->second;
  return known_holding("variable " + std::string(symbol.text()));
}

Holding Lowering::holding_of(const Expr* core) {
  using Form = Holding::Form;
  if (core == nullptr || !keeps()) return Holding::plain();
  const auto of_all = [&](Exprs elements) {
    std::vector<Holding> parts;
    for (const Expr* element : elements) parts.push_back(holding_of(element));
    return Holding::parts(std::move(parts));
  };
  switch (core->kind) {
    case Kind::Constant:
      return static_cast<const Constant*>(core)->value.kind == LiteralKind::None ? Holding()
                                                                                 : Holding::plain();
    case Kind::Name: {
      const auto* name = static_cast<const Name*>(core);
      if (name->scope != Scope::Local) return Holding::plain();
      return variable_holding(name->symbol);
    }
    case Kind::TupleDisplay:
      return of_all(static_cast<const TupleDisplay*>(core)->elements);
    case Kind::ListDisplay: {
      const Exprs elements = static_cast<const ListDisplay*>(core)->elements;
      return made_holding(*core, Form::Items, item_of(of_all(elements)));
    }
    case Kind::Dictionary: {
      const Exprs values = static_cast<const Dictionary*>(core)->values;
      return made_holding(*core, Form::Entries, item_of(of_all(values)));
    }
    case Kind::Conditional: {
      const auto* it = static_cast<const Conditional*>(core);
      const auto both = joined(holding_of(it->body), holding_of(it->orelse));
      if (!both) refuse_mixture(core->ranges);
      return *both;
    }
    case Kind::BooleanOperation: {
      const Exprs values = static_cast<const BooleanOperation*>(core)->values;
      return item_of(of_all(values));
    }
    case Kind::BinaryOperation: {
      const auto* it = static_cast<const BinaryOperation*>(core);
      if (it->op != BinaryOperator::Add && it->op != BinaryOperator::Multiply)
        return Holding::plain();
      Holding left = holding_of(it->left);
      const Holding right = holding_of(it->right);
      if (it->op == BinaryOperator::Multiply) {
        if (left.form == Form::Items || left.form == Form::Parts) return left;
        return right.form == Form::Items || right.form == Form::Parts ? right : Holding::plain();
      }
      const auto both = joined(left, right);
      return both && (both->form == Form::Items || both->form == Form::Parts) ? *both
                                                                              : Holding::plain();
    }
    case Kind::Subscript: {
      const auto* it = static_cast<const Subscript*>(core);
      Holding whole = holding_of(it->value);
      if (is<Slice>(it->index)) return whole;
      if (whole.form == Form::Parts) {
        auto place = integer_literal(it->index);
        if (place && *place < 0) *place += static_cast<std::int64_t>(whole.inner.size());
        if (place && *place >= 0 && *place < static_cast<std::int64_t>(whole.inner.size()))
          return whole.inner[static_cast<std::size_t>(*place)];
        return item_of(whole);
      }
      if (whole.form == Form::Items || whole.form == Form::Entries) return whole.inner[0];
      return Holding::plain();
    }
    case Kind::Call:
      return holding_of_call(static_cast<const Call&>(*core));
    default:
      return Holding::plain();
  }
}

// Of calls of libraries that pass on what they are given.
Holding Lowering::holding_of_call(const Call& it) {
  using Form = Holding::Form;
  const std::string_view callee = it.callee.text();
  if (const auto* method = as<Attribute>(it.function); method != nullptr && it.callee.empty()) {
    Holding whole = holding_of(method->value);
    const std::string_view name = method->attribute.text();
    if (whole.form == Form::Items && (name == "pop" || name == "popleft")) return whole.inner[0];
    if (name == "copy") return whole;
    if (whole.form == Form::Entries) {
      if (name == "get" || name == "pop" || name == "setdefault") return whole.inner[0];
      if (name == "values") return Holding::items(whole.inner[0]);
      if (name == "items")
        return Holding::items(Holding::parts({Holding::plain(), whole.inner[0]}));
    }
    return Holding::plain();
  }
  if (!callee.starts_with("builtins.") || it.arguments.empty()) return Holding::plain();
  const std::string_view name = callee.substr(9);
  if (name == "list" || name == "tuple" || name == "reversed" || name == "sorted") {
    const Holding item = item_of(holding_of(it.arguments[0]));
    return name == "list" || name == "sorted" ? made_holding(it, Form::Items, item)
                                              : Holding::items(item);
  }
  if (name == "dict") return holding_of(it.arguments[0]);
  if (name == "enumerate")
    return Holding::items(Holding::parts({Holding::plain(), item_of(holding_of(it.arguments[0]))}));
  if (name == "zip") {
    std::vector<Holding> parts;
    for (const Expr* argument : it.arguments) parts.push_back(item_of(holding_of(argument)));
    return Holding::items(Holding::parts(std::move(parts)));
  }
  return Holding::plain();
}

void Lowering::refuse_mixture(Ranges ranges) {
  throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                   "objects of a class, and what is no object of that class, are put in one place",
                   ranges, "use a place of its own for each");
}

// A variable gets a value: what it holds from now on, which is what it has held from the start.
void Lowering::note_holding(Symbol symbol, const Holding& value, Ranges ranges) {
  if (!keeps()) return;
  const auto place = variable_holdings_.find(symbol);
  const Holding before = variable_holding(symbol);
  const auto both = joined(before, value);
  if (!both) refuse_mixture(ranges);
  // None and empty lists before, or a read: what was made of it was made without knowing.
  const bool seen = place != variable_holdings_.end() || plain_reads_.contains(symbol);
  variable_holdings_[symbol] = *both;
  if (seen && both->has_reference() && !(*both == before)) {
    known_.holdings["variable " + std::string(symbol.text())] = *both;
    throw LowerAgain();
  }
}

// The target of an assignment or a loop, by its parts.
void Lowering::note_target(const Expr* target, const Holding& value) {
  if (!keeps()) return;
  if (const auto* name = as<Name>(target)) {
    if (name->scope == Scope::Local) note_holding(name->symbol, value, target->ranges);
    return;
  }
  const Exprs* elements = display_elements(target);
  if (elements == nullptr) return;
  for (std::size_t k = 0; k < elements->size(); ++k) {
    const bool apart = value.form == Holding::Form::Parts && value.inner.size() == elements->size();
    note_target((*elements)[k], apart ? value.inner[k] : item_of(value));
  }
}

// What a list or dict holds of which an item or entry is set: known where it was made.
void Lowering::put_into(const Expr* whole, const Holding& item, Ranges ranges) {
  if (!keeps()) return;
  const Holding holding = holding_of(whole);
  const Holding before = holding.inner.empty() ? Holding() : holding.inner[0];
  if (holding.form == Holding::Form::Parts) {
    if (item.has_reference()) refuse_mixture(ranges);
    return;
  }
  const auto both = holding.form == Holding::Form::Plain && item.has_reference()
                        ? std::nullopt
                        : joined(before, item);
  if (!both) {
    throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                     "`" + print(whole) +
                         "` is no list that this function makes for objects of one class, and "
                         "gets one",
                     ranges, "make a list of its own for the objects of each class");
  }
  if (*both == before || !both->has_reference()) return;
  if (holding.birth.empty()) {
    // A column, or what several places make.
    if (const auto* name = as<Name>(whole)) {
      note_holding(name->symbol, Holding::items(*both), ranges);
      return;
    }
    refuse_mixture(ranges);
  }
  const auto known = joined(known_holding(holding.birth), *both);
  if (!known) refuse_mixture(ranges);
  if (known_holding(holding.birth) == *known) return;
  known_.holdings[holding.birth] = *known;
  throw LowerAgain();
}

}  // namespace tangent::lowering
