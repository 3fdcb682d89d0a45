// Types computed from operands, by the transfer functions that inference uses; see typing.h.
#include "autodiff/typing.h"

#include "base/diagnostics.h"

namespace tangent {

bool same_shape(const Type& a, const Type& b) {
  if (a.is_number() && b.is_number()) return true;
  if (!a.is_array() || !b.is_array() || a.rank < 0 || a.rank != b.rank) return false;
  for (std::size_t axis = 0; axis < a.dims.size(); ++axis) {
    if (!a.dims[axis].is_same(b.dims[axis])) return false;
  }
  return true;
}

std::string_view dtype_for(const Type& like, const Type& type, bool widens) {
  if (is_complex(type.dtype)) return like.is_array() && is_complex(like.dtype) ? "" : "complex";
  if (!like.is_array() || !is_floating(like.dtype)) return "float";
  return widens && like.dtype < type.dtype ? "float" : "";
}

Type Typing::of(const Expr* expression) {
  if (const Type* known = function_.types.find(expression)) {
    seen(*known);
    return *known;
  }
  if (const Type* known = made_.find(expression)) return *known;
  const Type type = compute(expression);
  set(expression, type);
  return type;
}

Type Typing::compute(const Expr* expression) {
  Arena& arena = context_.arena();
  switch (expression->kind) {
    case Kind::Constant: {
      switch (static_cast<const Constant*>(expression)->value.kind) {
        case LiteralKind::True:
        case LiteralKind::False:
          return Type::number(DType::Bool);
        case LiteralKind::Integer:
        case LiteralKind::BigInteger:
          return Type::number(DType::Integer);
        case LiteralKind::Float:
          return Type::number(DType::Float64);
        case LiteralKind::Imaginary:
          return Type::number(DType::Complex128);
        case LiteralKind::None:
          return Type::of(TypeKind::None);
        case LiteralKind::String:
          return Type::of(TypeKind::String);
        default:
          return Type::unknown();
      }
    }
    case Kind::Name: {
      const auto* name = static_cast<const Name*>(expression);
      const auto found = names_.find(name->symbol);
      if (found != names_.end()) return found->second;
      const auto variable = function_.variables.find(name->symbol);
      return variable != function_.variables.end() ? variable->second : Type::unknown();
    }
    case Kind::BinaryOperation: {
      const auto* operation = static_cast<const BinaryOperation*>(expression);
      return type_of_binary(operation->op, of(operation->left), of(operation->right), arena);
    }
    case Kind::UnaryOperation: {
      const auto* operation = static_cast<const UnaryOperation*>(expression);
      return type_of_unary(operation->op, of(operation->operand), arena);
    }
    case Kind::Comparison: {
      const auto* comparison = static_cast<const Comparison*>(expression);
      std::vector<Type> operands{of(comparison->left)};
      for (const Expr* operand : comparison->comparators) operands.push_back(of(operand));
      return broadcast(operands, DType::Bool, arena);
    }
    case Kind::Conditional: {
      const auto* conditional = static_cast<const Conditional*>(expression);
      return join(of(conditional->body), of(conditional->orelse), arena);
    }
    case Kind::Subscript: {
      const auto* subscript = static_cast<const Subscript*>(expression);
      return type_of_subscript(
          of(subscript->value), subscript->index, [this](const Expr* part) { return of(part); },
          arena);
    }
    case Kind::Attribute: {
      const auto* attribute = static_cast<const Attribute*>(expression);
      return type_of_attribute(of(attribute->value), attribute->attribute, arena)
          .value_or(Type::unknown());
    }
    case Kind::Call: {
      const auto* call = static_cast<const Call*>(expression);
      if (!call->callee) return Type::unknown();
      const Rule* rule = rules_.find(call->callee.text());
      BoundCall bound{.callee = call->callee, .rule = rule, .arguments = {}, .keywords = {}};
      std::vector<const Expr*> arguments;
      if (rule != nullptr) {
        try {
          arguments = bind_arguments(*rule, *call, nullptr);
        } catch (const Diagnostic&) {
          return Type::unknown();  // a call of ours with what no record names
        }
      } else {
        arguments.assign(call->arguments.begin(), call->arguments.end());
        bound.keywords = call->keywords;
      }
      bound.arguments = arguments;
      return type_of_call(bound, [this](const Expr* part) { return of(part); }, arena);
    }
    default:
      return Type::unknown();
  }
}

}  // namespace tangent
