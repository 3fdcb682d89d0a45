// Expressions under abstract interpretation: operators, names, attributes, subscripts, displays.
#include "base/diagnostics.h"
#include "types/inference.h"

namespace tangent {

Type Inference::infer(const Expr* expression) {
  const Type type = compute(expression);
  result_.types.set(expression, type);
  return type;
}

Type Inference::compute(const Expr* expression) {
  switch (expression->kind) {
    case Kind::Constant:
      return type_of_literal(static_cast<const Constant*>(expression)->value, arena_);
    case Kind::Name:
      return name(*static_cast<const Name*>(expression));
    case Kind::BinaryOperation:
      return binary(*static_cast<const BinaryOperation*>(expression));
    case Kind::UnaryOperation: {
      const auto* operation = static_cast<const UnaryOperation*>(expression);
      return type_of_unary(operation->op, infer(operation->operand), arena_);
    }
    case Kind::Comparison:
      return comparison(*static_cast<const Comparison*>(expression));
    case Kind::BooleanOperation: {
      Type joined;
      for (const Expr* value : static_cast<const BooleanOperation*>(expression)->values) {
        joined = join(joined, infer(value), arena_);
      }
      return joined;
    }
    case Kind::Conditional: {
      const auto* conditional = static_cast<const Conditional*>(expression);
      infer(conditional->test);
      const Type body = infer(conditional->body);
      return join(body, infer(conditional->orelse), arena_);
    }
    case Kind::Subscript: {
      const auto* subscript = static_cast<const Subscript*>(expression);
      const Type value = infer(subscript->value);
      infer(subscript->index);
      return type_of_subscript(value, subscript->index, lookup_, arena_);
    }
    case Kind::Slice: {
      const auto* slice = static_cast<const Slice*>(expression);
      for (const Expr* part : {slice->lower, slice->upper, slice->step}) {
        if (part != nullptr) infer(part);
      }
      return Type::of(TypeKind::Slice);
    }
    case Kind::Attribute:
      return attribute(*static_cast<const Attribute*>(expression));
    case Kind::Call:
      return call(*static_cast<const Call*>(expression));
    case Kind::TupleDisplay:
      return display(TypeKind::Tuple, static_cast<const TupleDisplay*>(expression)->elements);
    case Kind::ListDisplay:
      return display(TypeKind::List, static_cast<const ListDisplay*>(expression)->elements);
    case Kind::Dictionary: {
      const auto* dictionary = static_cast<const Dictionary*>(expression);
      Type keys;
      Type values;
      for (const Expr* key : dictionary->keys) keys = join(keys, infer(key), arena_);
      for (const Expr* value : dictionary->values) values = join(values, infer(value), arena_);
      return map_of(values, keys);
    }
    case Kind::FormattedString:
      for (const Expr* value : static_cast<const FormattedString*>(expression)->values)
        infer(value);
      return Type::of(TypeKind::String);
    case Kind::FormattedValue: {
      const auto* formatted = static_cast<const FormattedValue*>(expression);
      infer(formatted->value);
      if (formatted->specification != nullptr) infer(formatted->specification);
      return Type::of(TypeKind::String);
    }
    case Kind::Starred:
      infer(static_cast<const Starred*>(expression)->value);
      return Type::unknown();
    case Kind::Pop:
      return Type::unknown();
    default:
      throw InternalError("inference met an expression that is not of the core language");
  }
}

Type Inference::binary(const BinaryOperation& operation) {
  if (!is<BinaryOperation>(operation.left)) {
    const Type left = infer(operation.left);
    return type_of_binary(operation.op, left, infer(operation.right), arena_);
  }
  // The left spine of a long sum is walked without recursion.
  std::vector<const BinaryOperation*> spine;
  const Expr* first = &operation;
  while (const auto* it = as<BinaryOperation>(first)) {
    spine.push_back(it);
    first = it->left;
  }
  Type type = infer(first);
  for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
    type = type_of_binary((*it)->op, type, infer((*it)->right), arena_);
    result_.types.set(*it, type);
  }
  return type;
}

Type Inference::comparison(const Comparison& comparison) {
  // a < b < c is one of its links.
  Type joined;
  Type left = infer(comparison.left);
  for (std::size_t i = 0; i < comparison.ops.size(); ++i) {
    const Type right = infer(comparison.comparators[i]);
    joined = join(joined, type_of_comparison(comparison.ops[i], left, right, arena_), arena_);
    left = right;
  }
  return joined;
}

Type Inference::display(TypeKind kind, Exprs elements) {
  std::vector<Type> types;
  types.reserve(elements.size());
  bool starred = false;
  for (const Expr* element : elements) {
    types.push_back(infer(element));
    starred = starred || is<Starred>(element);
  }
  if (starred) return Type::unknown();
  Type result = Type::of(kind);
  result.elements = arena_.copy(types);
  return result;
}

Type Inference::name(const Name& name) {
  if (name.scope == Scope::Local) return environment_[number_of(name.symbol)];
  return global(name.symbol);
}

Type Inference::global(Symbol symbol) {
  const auto known = globals_.find(symbol);
  if (known != globals_.end()) return known->second;
  const GlobalBinding* binding = core_.find_global(symbol);
  const Type type = binding != nullptr ? type_of_thing(binding->thing) : Type::unknown();
  globals_.emplace(symbol, type);
  return type;
}

Type Inference::type_of_thing(const Thing& thing) {
  switch (thing.kind) {
    case ThingKind::Missing:
      return Type::unknown();
    case ThingKind::Module:
      return Type::of(TypeKind::Module);
    case ThingKind::Library: {
      const auto dtype = dtype_of_name(thing.qualified_name.text());
      return dtype ? Type::dtype_value(*dtype) : Type::of(TypeKind::Function);
    }
    case ThingKind::UserFunction:
    case ThingKind::UserClass:
    case ThingKind::BoundMethod:
      return Type::of(TypeKind::Function);
    case ThingKind::Value:
      return outside_.type_of(thing, arena_);
  }
  return Type::unknown();
}

const Thing* Inference::thing_of(const Expr* expression) {
  if (const auto* name = as<Name>(expression)) {
    if (name->scope != Scope::Global) return nullptr;
    const GlobalBinding* binding = core_.find_global(name->symbol);
    return binding != nullptr ? &binding->thing : nullptr;
  }
  const auto* attribute = as<Attribute>(expression);
  if (attribute == nullptr) return nullptr;
  const auto known = things_.find(expression);
  if (known != things_.end()) return &known->second;
  const Thing* base = thing_of(attribute->value);
  // What an attribute of an object is may depend on when it is asked; a module's is a global, and
  // so is what a class holds.
  if (base != nullptr && base->kind == ThingKind::Value) {
    const Thing field = outside_.plain_field(*base, attribute->attribute, context_);
    if (field.kind == ThingKind::Missing) return nullptr;
    return &things_.emplace(expression, field).first->second;
  }
  if (base == nullptr || (base->kind != ThingKind::Module && base->kind != ThingKind::Library &&
                          base->kind != ThingKind::UserClass)) {
    return nullptr;
  }
  const Thing thing = outside_.attribute(*base, attribute->attribute, context_);
  return &things_.emplace(expression, thing).first->second;
}

Type Inference::attribute(const Attribute& attribute) {
  if (const Thing* thing = thing_of(&attribute)) {
    infer(attribute.value);
    return type_of_thing(*thing);
  }
  const Type value = infer(attribute.value);
  if (value.kind == TypeKind::Bottom) return {};
  return type_of_attribute(value, attribute.attribute, arena_).value_or(Type::unknown());
}

}  // namespace tangent
