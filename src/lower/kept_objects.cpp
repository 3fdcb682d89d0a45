// Objects that lists hold, that refer to each other or that branches choose between: kept in
// columns, one list for each attribute. What holds such an object holds its place there, a number.
//
//     cells.append(Cell(v))              cell_level.append(v)
//                                        cells.append(len(cell_level) - 1)
//     for cell in cells:                 for cell in cells:
//         cell.level += rate                 cell_level[cell] += rate
//     a is b                             a == b
//     last = None                        last = nothing          (a place that no list has)
//
// The columns are lists of the function like any other, so that every later stage sees numbers and
// lists, and all names of one object reach the same place. An object in an attribute is a place as
// well, unless its class never changes its objects: then its own attributes are columns. Which
// classes are kept is found out by lowering: first objects are variables (objects.cpp).
#include <algorithm>
#include <cctype>

#include "lower/lowering.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// Far from any place in a list, so that reading an attribute of None raises.
constexpr std::int64_t kNoPlace = std::int64_t{1} << 40;

std::string snake_case(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    const bool begins =
        std::isupper(c) != 0 && k > 0 && std::islower(static_cast<unsigned char>(text[k - 1])) != 0;
    if (begins) result += '_';
    result += static_cast<char>(std::tolower(c));
  }
  while (result.starts_with('_')) result.erase(0, 1);
  return result.empty() ? "item" : result;
}

bool is_none_literal(const Expr* core) {
  const auto* constant = as<Constant>(core);
  return constant != nullptr && constant->value.kind == LiteralKind::None;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------
// Which classes

// Not in functions that stay calls: their columns would have to be passed.
bool Lowering::keeps() const { return !known_.kept_classes.empty() && root_ == &frames_.front(); }

bool Lowering::is_kept(const Thing& type) const {
  return keeps() && known_.kept_classes.contains(type.handle);
}

bool Lowering::may_be_kept(const Thing& type) {
  return type.kind == ThingKind::UserClass && facts_of_class(type).obstacle.empty() &&
         root_ == &frames_.front();
}

// From now on objects of this class are kept; nothing if they cannot be, or are.
void Lowering::keep(const Thing& type) {
  if (!may_be_kept(type) || !known_.kept_classes.emplace(type.handle, type).second) return;
  // What its attributes are, where one was made already.
  const auto made = std::ranges::find_if(objects_made_, [&](const Object& one) {
    return one.type.handle == type.handle && one.outer == nullptr && !one.under_construction &&
           !one.fields.empty();
  });
  if (made != objects_made_.end()) {
    std::vector<Cell> cells;
    for (const auto& [attribute, binding] : std::vector(made->fields))
      cells.push_back(cell_for(*made, attribute, snake_case(type.qualified_name.text()),
                               *context_.make<Pass>(Ranges())));
    known_.layouts[type.handle] = std::move(cells);
  }
  throw LowerAgain();
}

void Lowering::keep_if_object(const Expr* value) {
  const Object* object = object_of(value);
  if (object != nullptr && object->outer == nullptr) keep(object->type);
}

std::vector<Thing> Lowering::classes_made() {
  std::vector<Thing> found;
  for (const Object& object : objects_made_) {
    if (object.outer == nullptr && !object.is_kept && object.type.kind == ThingKind::UserClass &&
        facts_of_class(object.type).obstacle.empty() &&
        !known_.kept_classes.contains(object.type.handle) &&
        std::ranges::none_of(found,
                             [&](const Thing& one) { return one.handle == object.type.handle; }))
      found.push_back(object.type);
  }
  return found;
}

std::optional<Thing> Lowering::kept_class(const Expr* core) {
  if (!keeps()) return std::nullopt;
  const Holding holding = holding_of(core);
  if (holding.form != Holding::Form::Reference) return std::nullopt;
  return known_.kept_classes.at(holding.type);
}

bool Lowering::is_reference(const Expr* core) { return kept_class(core).has_value(); }

// The object that a core expression is: one of variables, or any of its class.
Object* Lowering::subject_of(const Expr* core) {
  if (Object* object = object_of(core)) return object;
  const std::optional<Thing> type = kept_class(core);
  return type ? &view_of(*type) : nullptr;
}

Object& Lowering::view_of(const Thing& type) {
  const auto [place, added] = views_.try_emplace(type.handle);
  if (added) {
    place->second.type = type;
    place->second.is_kept = true;
    place->second.name = layout_of(type).name;
  }
  place->second.path = layout_of(type).path;
  return place->second;
}

Layout& Lowering::layout_of(const Thing& type) {
  const auto [place, added] = layouts_.try_emplace(type.handle);
  Layout& layout = place->second;
  if (added) {
    layout.type = type;
    layout.name = snake_case(type.qualified_name.text());
  }
  return layout;
}

// ---------------------------------------------------------------------------------------------------
// Making one

// An object that is made: its attributes go to the ends of the columns. Gives back its place.
const Expr* Lowering::keep_made(Object& made, const Expr* path, const Destination& destination,
                                const Node& where) {
  const Ranges ranges = at(where);
  Layout& layout = layout_of(made.type);
  if (layout.path == nullptr) layout.path = path;
  std::vector<Cell> cells;
  for (const auto& [attribute, binding] : std::vector(made.fields))
    cells.push_back(cell_for(made, attribute, layout.name, where));
  const bool has_column =
      std::ranges::any_of(cells, [](const Cell& cell) { return cell.form == Cell::Form::Column; });
  if (!has_column) {
    refuse(where,
           "objects of " + quoted(made.type.qualified_name) +
               " have no attribute that is a plain value, and are put where objects have "
               "to have a place",
           "set one in `__init__`");
  }
  const auto same = [](const auto& self, const std::vector<Cell>& one,
                       const std::vector<Cell>& other) -> bool {
    return std::ranges::equal(one, other, [&](const Cell& a, const Cell& b) {
      return a.attribute == b.attribute && a.form == b.form && a.column == b.column &&
             a.type.handle == b.type.handle &&
             (a.form != Cell::Form::Same || equal(a.same, b.same)) && self(self, a.parts, b.parts);
    });
  };
  if (!layout.is_made) {
    const auto known = known_.layouts.find(made.type.handle);
    if (layout.was_asked && (known == known_.layouts.end() || !same(same, known->second, cells))) {
      known_.layouts[made.type.handle] = cells;
      throw LowerAgain();
    }
    layout.cells = cells;
    layout.is_made = true;
  } else if (!same(same, layout.cells, cells)) {
    refuse(where,
           "objects of " + quoted(made.type.qualified_name) +
               " that are put in one place differ in what their attributes are",
           "set the same attributes in `__init__`, in one order, to values of one kind");
  }
  for (const Cell& cell : layout.cells) append_cell(made, cell, ranges);
  const auto* first = &*std::ranges::find(layout.cells, Cell::Form::Column, &Cell::form);
  const Symbol place =
      destination.form == Destination::Form::Name ? destination.name : names_.fresh(layout.name);
  if (destination.form != Destination::Form::Name) attribute_variables_.insert(place);
  note_holding(place, Holding::reference(made.type.handle), ranges);
  const Expr* length = context_.make<Call>(
      ranges, static_cast<const Expr*>(global(context_.symbol("len"), ranges)),
      context_.symbol("builtins.len"),
      Exprs(context_.list<const Expr*>({context_.local(first->column, ranges)})),
      List<const Keyword*>());
  emit(context_.assign(
      context_.local(place, ranges),
      context_.make<BinaryOperation>(ranges, BinaryOperator::Subtract, length,
                                     static_cast<const Expr*>(context_.integer(1, ranges))),
      ranges));
  return context_.local(place, where.ranges);
}

// Where an attribute of an object that is made goes.
Cell Lowering::cell_for(Object& made, Symbol attribute, const std::string& name,
                        const Node& where) {
  Cell cell{.attribute = attribute};
  const std::string wish = name + "_" + std::string(attribute.text());
  const auto column = [&] {
    const auto found = column_names_.find({made.type.handle, wish});
    if (found != column_names_.end()) return found->second;
    const Symbol symbol = names_.fresh(wish);
    column_names_.emplace(std::pair(made.type.handle, wish), symbol);
    columns_.push_back(symbol);
    return symbol;
  };
  const Binding binding = *made.find(attribute);
  const bool is_nothing = binding.form == Binding::Form::Value && is_none_literal(binding.value);
  if (binding.form == Binding::Form::Value && !is_nothing) {
    cell.form = Cell::Form::Same;
    cell.same = binding.value;
    return cell;
  }
  if (is_nothing) {
    cell.column = column();
    return cell;
  }
  if (binding.form != Binding::Form::Variable)
    refuse(where, "an attribute that holds a local function is put where objects have places",
           "define the function outside");
  const auto held = objects_.find(binding.variable);
  if (held != objects_.end()) {
    Object& inner = *held->second;
    if (inner.outer != nullptr) {
      cell.form = Cell::Form::Same;
      cell.same = copy(inner.outer, {});
      return cell;
    }
    // What may change is one object under all its names.
    if (known_.changing.contains(inner.type.handle)) keep(inner.type);
    copied_.insert(inner.type.handle);
    cell.form = Cell::Form::Parts;
    cell.type = inner.type;
    cell.path = inner.path;
    for (const auto& [part, unused] : std::vector(inner.fields)) {
      cell.parts.push_back(cell_for(inner, part, wish, where));
    }
    return cell;
  }
  if (const auto known = held_.find(binding.variable);
      known != held_.end() && known->second.form == Held::Form::Known) {
    cell.form = Cell::Form::Same;
    cell.same = known->second.value;
    if (find_node(cell.same, [&](const Node* node) {
          return is_expression(node->kind) && object_of(static_cast<const Expr*>(node)) != nullptr;
        }) != nullptr) {
      for_each_node(*cell.same, [&](const Node& node) {
        if (is_expression(node.kind)) keep_if_object(static_cast<const Expr*>(&node));
      });
    }
    return cell;
  }
  cell.column = column();
  return cell;
}

void Lowering::append_cell(Object& made, const Cell& cell, Ranges ranges) {
  const Binding binding = *made.find(cell.attribute);
  if (cell.form == Cell::Form::Same) return;
  if (cell.form == Cell::Form::Parts) {
    Object& inner = *objects_.at(binding.variable);
    for (const Cell& part : cell.parts) append_cell(inner, part, ranges);
    return;
  }
  const Holding holding = variable_holding(binding.variable);
  const Holding place = item_of(variable_holding(cell.column));
  note_holding(cell.column, Holding::items(holding), ranges);
  const Expr* value =
      or_nothing(context_.local(binding.variable, ranges), item_of(variable_holding(cell.column)));
  if (place.form == Holding::Form::Reference && holding.form == Holding::Form::Unknown)
    value = nothing(ranges);
  const Expr* method = context_.make<Attribute>(
      ranges, static_cast<const Expr*>(context_.local(cell.column, ranges)),
      context_.symbol("append"));
  emit(context_.make<ExpressionStatement>(
      ranges, static_cast<const Expr*>(context_.make<Call>(
                  ranges, method, Symbol(), Exprs(context_.list<const Expr*>({value})),
                  List<const Keyword*>()))));
}

// ---------------------------------------------------------------------------------------------------
// Attributes

Cell* Lowering::find_cell(const Thing& type, Symbol attribute) {
  Layout& layout = layout_of(type);
  if (!layout.is_made) {
    // It is made further down, in a loop.
    layout.was_asked = true;
    if (layout.cells.empty()) {
      const auto known = known_.layouts.find(type.handle);
      if (known != known_.layouts.end()) {
        layout.cells = known->second;
        const auto claim = [&](const auto& self, const std::vector<Cell>& cells,
                               const std::string& name, ThingHandle owner) -> void {
          for (const Cell& cell : cells) {
            const std::string wish = name + "_" + std::string(cell.attribute.text());
            if (cell.form == Cell::Form::Parts) {
              self(self, cell.parts, wish, cell.type.handle);
            } else if (cell.form == Cell::Form::Column) {
              names_.take(cell.column);
              columns_.push_back(cell.column);
              column_names_.emplace(std::pair(owner, wish), cell.column);
            }
          }
        };
        claim(claim, layout.cells, layout.name, type.handle);
      }
    }
  }
  const auto found = std::ranges::find(layout.cells, attribute, &Cell::attribute);
  return found != layout.cells.end() ? &*found : nullptr;
}

const Expr* Lowering::place_in(const Cell& cell, const Expr* reference, Ranges ranges) {
  return context_.make<Subscript>(ranges,
                                  static_cast<const Expr*>(context_.local(cell.column, ranges)),
                                  copy(reference, ranges));
}

const Expr* Lowering::read_cell(const Expr* reference, const Thing& type, const Expr& it,
                                Symbol attribute) {
  if (const Cell* cell = find_cell(type, attribute)) {
    if (cell->form == Cell::Form::Column) return place_in(*cell, reference, it.ranges);
    if (cell->form == Cell::Form::Same) {
      if (!layout_of(type).is_made)
        refuse(it, "`" + print(&it) + "` is read above the place where the objects are made",
               "make them first");
      return copy(cell->same, it.ranges);
    }
    return parts_of_cell(*cell, settled_reference(reference, it.ranges), it.ranges);
  }
  const Layout& layout = layout_of(type);
  const Member& member = member_of(type, -1, attribute);
  if (member.form == Member::Form::Property)
    return call_special(it, view_of(type), reference, attribute.text(), {});
  if (!layout.is_made) {
    // What it is shows when the first object is made; then all this is lowered again.
    if (!known_.layouts.contains(type.handle)) return context_.make<Constant>(it.ranges, Literal{});
  }
  if (member.form == Member::Form::Value && layout.path != nullptr)
    return context_.make<Attribute>(it.ranges, copy(layout.path, {}), attribute);
  if (member.form != Member::Form::Missing && member.form != Member::Form::Value)
    refuse(it, "`" + print(&it) + "` is a method that is used as a value", "call it");
  refuse(it,
         "`" + print(&it) + "` is not known to be set: the attribute " + quoted(attribute) +
             " of " + quoted(type.qualified_name) + " is not set on every path of `__init__`",
         "set it in `__init__`");
}

// An object that lies in columns by its own attributes: a copy, which is as good as it never
// changes.
const Expr* Lowering::parts_of_cell(const Cell& cell, const Expr* reference, Ranges ranges) {
  const Expr* made = new_object(cell.type, cell.path, cell.attribute.text(), ranges);
  Object& object = *object_of(made);
  for (const Cell& part : cell.parts) {
    const Expr* value = part.form == Cell::Form::Column ? place_in(part, reference, ranges)
                        : part.form == Cell::Form::Same ? copy(part.same, ranges)
                                                        : parts_of_cell(part, reference, ranges);
    set_attribute(object, part.attribute, value, ranges);
  }
  return made;
}

void Lowering::set_cell(const Attribute& target, const Expr* reference, const Thing& type,
                        const Expr* value, Ranges ranges) {
  const Cell* cell = find_cell(type, target.attribute);
  changed_.insert(type.handle);
  if (cell == nullptr) {
    const Layout& layout = layout_of(type);
    if (!layout.is_made && !known_.layouts.contains(type.handle)) return;  // lowered again later
    if (member_of(type, -1, target.attribute).form == Member::Form::Value &&
        known_.own_values.insert({type.handle, target.attribute}).second)
      throw LowerAgain();
    refuse(target,
           "the attribute " + quoted(target.attribute) + " of " + quoted(type.qualified_name) +
               " is set here, and not in `__init__`",
           "set it in `__init__`, too", DiagnosticKind::WriteInPlace);
  }
  put_in_cell(*cell, settled_reference(reference, ranges), value, ranges);
}

void Lowering::put_in_cell(const Cell& cell, const Expr* reference, const Expr* value,
                           Ranges ranges) {
  Object* object = object_of(value);
  const auto wrong = [&](const std::string& what) {
    throw Diagnostic(DiagnosticKind::WriteInPlace, "the attribute " + quoted(cell.attribute) + what,
                     ranges.empty() ? value->ranges : ranges, "use an attribute of its own");
  };
  if (cell.form == Cell::Form::Parts) {
    if (object == nullptr || object->type.handle != cell.type.handle || object->outer != nullptr) {
      if (object == nullptr || object->outer == nullptr) keep(cell.type);
      wrong(" holds an object of " + std::string(cell.type.qualified_name.text()) +
            ", and gets something else");
    }
    if (known_.changing.contains(cell.type.handle)) keep(cell.type);
    copied_.insert(cell.type.handle);
    for (const Cell& part : cell.parts)
      put_in_cell(part, reference, read_attribute(value, *object, *value, part.attribute), ranges);
    return;
  }
  if (cell.form == Cell::Form::Same) {
    const Expr* now = object != nullptr && object->outer != nullptr ? object->outer : value;
    if (!equal(now, cell.same)) wrong(" is the same for all objects, and gets something else");
    return;
  }
  if (object != nullptr) {
    if (object->outer == nullptr) keep(object->type);
    wrong(" holds a plain value, and gets an object");
  }
  if (is_known(value)) wrong(" holds a plain value, and gets a function");
  const Expr* column = context_.local(cell.column, ranges);
  note_holding(cell.column, Holding::items(holding_of(value)), ranges);
  value = or_nothing(value, item_of(holding_of(column)));
  emit(context_.assign(place_in(cell, reference, ranges), value, ranges));
}

// reference.attribute op= value, where that is an element of a column; false if it is not.
bool Lowering::augmented_cell(const AugmentedAssign& it, const Expr* owner, const Thing& type) {
  const auto& target = static_cast<const Attribute&>(*it.target);
  const Cell* cell = find_cell(type, target.attribute);
  if (cell == nullptr || cell->form != Cell::Form::Column) return false;
  if (item_of(variable_holding(cell->column)).has_reference()) return false;
  const Symbol column = cell->column;
  changed_.insert(type.handle);
  const Expr* reference = settled_reference(owner, at(it));
  const std::size_t mark = out_->size();
  const Expr* value = expression(it.value);
  const std::span<const Stmt* const> before = std::span(*out_).subspan(mark);
  if (stores(before) && std::ranges::any_of(before, [&](const Stmt* statement) {
        return mentions(statement, column);
      })) {
    refuse(it, "the value changes the attribute that it is added to",
           "compute the value in a statement of its own first");
  }
  if (subject_of(value) != nullptr || is_known(value)) {
    refuse(it, "an object is added to what is none", "define the operator in its class",
           DiagnosticKind::UnresolvedCall);
  }
  emit(context_.make<AugmentedAssign>(at(it), place_in(*cell, reference, target.ranges), it.op,
                                      value));
  return true;
}

// list.append(object): the object has to have a place.
const Expr* Lowering::appended(const Call& it) {
  const Expr* item = it.arguments[0];
  keep_if_object(item);
  if (!keeps()) return &it;
  const Expr* list = static_cast<const Attribute*>(it.function)->value;
  put_into(list, holding_of(item), at(it));
  const Expr* value = or_nothing(item, item_of(holding_of(list)));
  if (value == item) return &it;
  return context_.make<Call>(it.ranges, it.function, it.callee,
                             Exprs(context_.list<const Expr*>({value})), it.keywords);
}

// A reference that may be written more than once.
const Expr* Lowering::settled_reference(const Expr* reference, Ranges ranges) {
  if (is<Name>(reference)) return reference;
  const std::optional<Thing> type = kept_class(reference);
  const Symbol symbol = names_.fresh(type ? layout_of(*type).name : "item");
  note_holding(symbol, holding_of(reference), ranges);
  emit(context_.assign(context_.local(symbol, reference->ranges), reference, at(ranges)));
  return context_.local(symbol, reference->ranges);
}

// ---------------------------------------------------------------------------------------------------
// No object, and the same object

const Expr* Lowering::nothing(Ranges ranges) {
  if (!nothing_) nothing_ = names_.fresh("nothing");
  return context_.local(nothing_, ranges);
}

// None in a place of references is the place that no list has.
const Expr* Lowering::or_nothing(const Expr* value, const Holding& place) {
  if (place.form != Holding::Form::Reference) return value;
  if (is_none_literal(value)) return nothing(value->ranges);
  if (const auto* choice = as<Conditional>(value))
    return context_.make<Conditional>(value->ranges, choice->test, or_nothing(choice->body, place),
                                      or_nothing(choice->orelse, place));
  return value;
}

// Whether a reference is one to an object.
const Expr* Lowering::presence(const Expr* reference, bool negated) {
  return context_.make<Comparison>(
      reference->ranges, reference,
      context_.list<ComparisonOperator>(
          {negated ? ComparisonOperator::Equal : ComparisonOperator::NotEqual}),
      context_.list<const Expr*>({nothing(reference->ranges)}));
}

// a is b, a is None, a == b, a in bs; null if neither is a kept object.
const Expr* Lowering::kept_comparison(const Comparison& it, const Expr* left, const Expr* right) {
  using enum ComparisonOperator;
  if (!keeps() || it.ops.size() != 1) return nullptr;
  const ComparisonOperator op = it.ops[0];
  const bool identity = op == Is || op == IsNot;
  const bool equality = op == Equal || op == NotEqual;
  const bool negated = op == IsNot || op == NotEqual || op == NotIn;
  const auto first = kept_class(left);
  const auto second = kept_class(right);
  const auto compares = [&](const Thing& type) {
    const ClassFacts& facts = facts_of_class(type);
    const Member& equals = member_of(type, -1, context_.symbol("__eq__"));
    return facts.is_dataclass || facts.is_tuple || equals.form == Member::Form::Method;
  };
  const auto refuse_values = [&] {
    refuse(it, "`" + print(&it) + "` compares objects by their attributes",
           "compare the attributes, or use `is`");
  };
  if (first && (op == In || op == NotIn)) {
    if (compares(*first)) refuse_values();
    return nullptr;
  }
  if ((op == In || op == NotIn) && holding_of(right).has_reference()) {
    refuse(it, "`" + print(&it) + "` asks for what is no object among objects",
           "ask for one of its attributes");
  }
  if (!identity && !equality) return nullptr;
  if (!first && !second) return nullptr;
  if (first && is_none_literal(right)) return presence(left, !negated);
  if (second && is_none_literal(left)) return presence(right, !negated);
  if (!first || !second || first->handle != second->handle)
    return holding_of(left).form == Holding::Form::Plain ||
                   holding_of(right).form == Holding::Form::Plain || (first && second)
               ? context_.boolean(negated, it.ranges)
               : nullptr;
  if (equality && compares(*first)) {
    const ClassFacts& facts = facts_of_class(*first);
    if (facts.is_dataclass || facts.is_tuple) refuse_values();
    return nullptr;
  }
  return context_.make<Comparison>(it.ranges, left,
                                   context_.list<ComparisonOperator>({negated ? NotEqual : Equal}),
                                   context_.list<const Expr*>({right}));
}

// What is held by a name or path as it is written, looked up without evaluating anything.
Holding Lowering::written_holding(const Expr* written) {
  if (const auto* name = as<Name>(written)) {
    const Binding* binding = find_binding(name->symbol);
    if (binding == nullptr) return Holding::plain();
    if (binding->form == Binding::Form::Value) return holding_of(binding->value);
    if (binding->form == Binding::Form::Variable) return variable_holding(binding->variable);
    return Holding::plain();
  }
  if (const auto* attribute = as<Attribute>(written)) {
    const Expr* value = nullptr;
    if (const Object* object = named_object(attribute->value, &value);
        object != nullptr && !object->is_kept) {
      const Binding* field = const_cast<Object*>(object)->find(attribute->attribute);
      return field != nullptr && field->form == Binding::Form::Variable
                 ? variable_holding(field->variable)
                 : Holding::plain();
    }
    const Holding owner = written_holding(attribute->value);
    if (owner.form != Holding::Form::Reference) return Holding::plain();
    const Cell* cell = find_cell(known_.kept_classes.at(owner.type), attribute->attribute);
    return cell != nullptr && cell->form == Cell::Form::Column
               ? item_of(variable_holding(cell->column))
               : Holding::plain();
  }
  if (const auto* subscript = as<Subscript>(written); subscript != nullptr) {
    Holding whole = written_holding(subscript->value);
    if (is<Slice>(subscript->index)) return whole;
    if (whole.form == Holding::Form::Items || whole.form == Holding::Form::Entries)
      return whole.inner[0];
  }
  return Holding::plain();
}

// A test of objects says so: `while node:` is `while node is not None:`.
const Expr* Lowering::explicit_truth(const Expr* written) {
  if (!keeps()) return written;
  if (const auto* operation = as<BooleanOperation>(written)) {
    std::vector<const Expr*> values;
    bool same = true;
    for (const Expr* value : operation->values) {
      values.push_back(explicit_truth(value));
      same = same && values.back() == value;
    }
    if (same) return written;
    return context_.make<BooleanOperation>(written->ranges, operation->op,
                                           Exprs(context_.list(values)));
  }
  if (const auto* operation = as<UnaryOperation>(written);
      operation != nullptr && operation->op == UnaryOperator::Not) {
    const Expr* operand = explicit_truth(operation->operand);
    if (operand == operation->operand) return written;
    return context_.make<UnaryOperation>(written->ranges, operation->op, operand);
  }
  const Holding holding = written_holding(written);
  if (holding.form != Holding::Form::Reference) return written;
  const Thing type = known_.kept_classes.at(holding.type);
  for (const std::string_view asked : {"__bool__", "__len__"}) {
    if (member_of(type, -1, context_.symbol(asked)).form == Member::Form::Method ||
        facts_of_class(type).is_tuple)
      refuse(*written, "the truth of `" + print(written) + "` is what its class says of it",
             "compare it with `None`, or call the method");
  }
  return context_.make<Comparison>(written->ranges, written,
                                   context_.list<ComparisonOperator>({ComparisonOperator::IsNot}),
                                   context_.list<const Expr*>({context_.none(written->ranges)}));
}

// The columns are empty where the function begins.
void Lowering::begin_columns(Statements& statements) {
  Statements first;
  const Ranges ranges = statements.empty() ? Ranges() : statements.front()->ranges;
  for (const Symbol column : columns_) {
    first.push_back(context_.assign(
        context_.local(column, ranges),
        static_cast<const Expr*>(context_.make<ListDisplay>(ranges, Exprs())), ranges));
  }
  if (nothing_) {
    first.push_back(
        context_.assign(context_.local(nothing_, ranges),
                        static_cast<const Expr*>(context_.make<UnaryOperation>(
                            ranges, UnaryOperator::Minus,
                            static_cast<const Expr*>(context_.integer(kNoPlace, ranges)))),
                        ranges));
  }
  statements.insert(statements.begin(), first.begin(), first.end());
}

}  // namespace tangent::lowering
