// Arguments that are objects of the user's classes: their methods are inlined, and attributes that
// are set are variables whose values are stored in the object as well.
//
//     model.v = model.v + x           v = model.v         (where the function begins)
//                                     v = v + x
//                                     setattr(model, 'v', v)
//
// The text has `model.v = v` for that call (src/emit/). An argument that is a namedtuple or a
// frozen dataclass and whose name gets another is taken apart where the function begins.
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

void Lowering::bind_argument(std::size_t parameter, Symbol name, Ranges ranges) {
  const Thing type = outside_.argument_class(parameter, {}, context_);
  if (type.kind == ThingKind::Missing) return;
  argument_classes_.push_back({parameter, {}});
  if (type.kind != ThingKind::UserClass) {
    argument_classes_.pop_back();
    return;
  }
  const ClassFacts& facts = facts_of_class(type);
  if (!facts.obstacle.empty()) return;
  Object& object = objects_made_.emplace_back();
  object.type = type;
  object.outer = context_.local(name, ranges);
  object.is_argument = true;
  object.parameter = parameter;
  object.name = name.text();
  object.names = 1;
  objects_[name] = &object;
  if (!known_.rebound.contains(parameter)) return name_set_attributes(object, ranges);
  // Taken apart: from here on the name holds an object of the function.
  const Expr* value = object.outer;
  Object& own = objects_made_.emplace_back();
  own.type = type;
  own.name = name.text();
  own.names = 1;
  for (const DataclassField& field : facts.fields)
    set_attribute(own, field.name, read_attribute(value, object, *value, field.name), ranges);
  objects_[name] = &own;
}

// What an attribute of an argument is: an object with methods of its own, or a part that stays.
const Expr* Lowering::part_of_argument(Object& object, Symbol attribute, Ranges ranges) {
  const Expr* path = context_.make<Attribute>(ranges, copy(object.outer, ranges), attribute);
  std::vector<Symbol> steps = object.steps;
  steps.push_back(attribute);
  const Thing function = outside_.argument_thing(object.parameter, steps, context_);
  if (function.kind != ThingKind::Missing) {
    if (held_outside_.emplace(print(path), function).second)
      argument_classes_.push_back({.parameter = object.parameter, .path = steps, .is_same = true});
    return path;
  }
  const Thing type = outside_.argument_class(object.parameter, steps, context_);
  if (type.kind != ThingKind::UserClass || !facts_of_class(type).obstacle.empty()) return path;
  argument_classes_.push_back({object.parameter, steps});
  const Expr* made = new_object(type, nullptr, attribute.text(), ranges);
  Object& part = objects_made_.back();
  part.outer = path;
  part.is_argument = true;
  part.parameter = object.parameter;
  part.steps = std::move(steps);
  part.names = 1;
  const Symbol symbol = static_cast<const Name*>(made)->symbol;
  object.fields.emplace_back(attribute,
                             Binding{.form = Binding::Form::Variable, .variable = symbol});
  name_set_attributes(part, ranges);
  return made;
}

// The attributes that are known to be set get their variables where the function begins.
void Lowering::name_set_attributes(Object& object, Ranges ranges) {
  const std::string prefix = print(object.outer) + ".";
  for (const std::string& set : known_.set_attributes) {
    if (!set.starts_with(prefix) || set.find('.', prefix.size()) != std::string::npos) continue;
    const Symbol attribute = context_.symbol(set.substr(prefix.size()));
    std::vector<Symbol> steps = object.steps;
    steps.push_back(attribute);
    const Thing now = outside_.argument_class(object.parameter, steps, context_);
    if (now.kind == ThingKind::Missing) {
      new_attributes_.emplace_back(print(object.outer), attribute);
      argument_classes_.push_back({object.parameter, steps, true});
      continue;
    }
    if (frame_->loop_depth > 0 || frame_ != &frames_.front() || now.kind != ThingKind::Value) {
      throw Diagnostic(DiagnosticKind::WriteInPlace,
                       "writing the attribute `" + set + "` is not supported yet", ranges,
                       "use a local name, and return it");
    }
    set_attribute(object, attribute,
                  context_.make<Attribute>(ranges, copy(object.outer, ranges), attribute), ranges);
  }
}

// Whether it was not known that an attribute gets a variable; it is known from now on.
bool Lowering::name_in_argument(const Object& object, Symbol attribute) {
  return known_.set_attributes.insert(print(object.outer) + "." + std::string(attribute.text()))
      .second;
}

void Lowering::set_in_argument(const Attribute& target, Object& object, const Expr* value,
                               Ranges ranges) {
  if (name_in_argument(object, target.attribute)) throw LowerAgain();
  if (object_of(value) != nullptr) {
    refuse(target, "an object that the function makes is stored in an argument",
           "keep it under a local name", DiagnosticKind::WriteInPlace);
  }
  set_attribute(object, target.attribute, value, ranges);
  const Binding* held = object.find(target.attribute);
  if (held == nullptr || held->form != Binding::Form::Variable) {
    refuse(target, "a function is stored in an argument", "keep it under a local name",
           DiagnosticKind::WriteInPlace);
  }
  store_in_argument(object, target.attribute, held->variable, ranges);
}

void Lowering::store_in_argument(const Object& object, Symbol attribute, Symbol variable,
                                 Ranges ranges) {
  if (std::ranges::find(changed_arguments_, object.parameter) == changed_arguments_.end())
    changed_arguments_.push_back(object.parameter);
  const Symbol setter = context_.symbol("setattr");
  const Expr* name = context_.make<Constant>(
      ranges, Literal{.kind = LiteralKind::String, .text = attribute.text()});
  emit(context_.make<ExpressionStatement>(
      ranges,
      context_.make<Call>(ranges, global(setter, ranges), context_.symbol("builtins.setattr"),
                          Exprs(context_.list<const Expr*>({copy(object.outer, ranges), name,
                                                            context_.local(variable, ranges)})),
                          List<const Keyword*>())));
}

// Classes whose objects were copied as if they never changed, and did.
void Lowering::check_assumptions() {
  bool complete = true;
  for (const ThingHandle type : copied_) {
    if (changed_.contains(type) && known_.changing.insert(type).second) complete = false;
  }
  if (!complete) throw LowerAgain();
}

// Parts of arguments that are left as a whole are what they were written as.
Block Lowering::with_outer_objects(Block body) {
  std::unordered_map<Symbol, const Expr*> paths;
  for (const auto& [symbol, object] : objects_) {
    if (object->outer != nullptr && symbol.text().starts_with("<"))
      paths.emplace(symbol, object->outer);
  }
  if (paths.empty()) return body;
  const auto put = [&](const auto& self, const Node* node) -> const Node* {
    if (const auto* name = as<Name>(node)) {
      const auto found = paths.find(name->symbol);
      return found != paths.end() ? self(self, copy(found->second, name->ranges)) : node;
    }
    if (find_node(node, [&](const Node* part) {
          const auto* name = as<Name>(part);
          return name != nullptr && paths.contains(name->symbol);
        }) == nullptr)
      return node;
    return rewrite_children(context_, *node, [&](const Node* child) { return self(self, child); });
  };
  Statements out;
  for (const Stmt* statement : body) out.push_back(static_cast<const Stmt*>(put(put, statement)));
  return context_.list(out);
}

}  // namespace tangent::lowering
