#include "autodiff/inputs.h"

#include <algorithm>
#include <initializer_list>

#include "base/diagnostics.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

bool is_no_number(const Type& type) {
  switch (type.kind) {
    case TypeKind::None:
    case TypeKind::String:
    case TypeKind::Slice:
    case TypeKind::Dtype:
    case TypeKind::Module:
    case TypeKind::Function:
    case TypeKind::Opaque:
      return true;
    case TypeKind::Array:
      return type.dtype == DType::Other && !type.mixed;
    case TypeKind::Tuple:
      return std::ranges::any_of(type.elements, is_no_number);
    default:
      return false;
  }
}

Ranges first_place(std::initializer_list<Ranges> candidates) {
  for (const Ranges& ranges : candidates) {
    if (!ranges.empty()) return ranges;
  }
  return {};
}

}  // namespace

bool is_list_of_numbers(const Type& type) {
  if (type.kind != TypeKind::List || !type.uniform) return false;
  return type.elements.front().is_numeric() || is_list_of_numbers(type.elements.front());
}

bool is_active_leaf(const Type& type) {
  if (is_list_of_numbers(type)) return true;
  return (type.is_number() || type.is_array()) && type.dtype != DType::Bool &&
         type.dtype != DType::Complex64 && type.dtype != DType::Complex128;
}

Inputs inputs_of(const CoreFunction& core, const std::vector<Type>& arguments,
                 const std::vector<int>& wrt, const std::vector<NamedField>& fields) {
  Inputs inputs;
  Inputs wholes;
  for (const int position : wrt) {
    const auto index = static_cast<std::size_t>(position);
    const Parameter* parameter = core.parameters[index];
    const Type& type = arguments[index];
    bool made_of_fields = false;
    for (const NamedField& field : fields) {
      if (field.parameter != index) continue;
      made_of_fields = true;
      if (!is_active_leaf(field.type)) continue;
      inputs.names.push_back(field.name);
      inputs.types.push_back(field.type);
    }
    if (made_of_fields) {
      wholes.names.push_back(parameter->name);
      wholes.types.push_back(type);
      continue;
    }
    const bool numeric = type.kind == TypeKind::Number || type.kind == TypeKind::Array ||
                         type.kind == TypeKind::Numeric;
    const std::string name(parameter->name.text());
    if (is_list_of_numbers(type) && parameter->form != ParameterKind::VariadicPositional) {
      inputs.names.push_back(parameter->name);
      inputs.types.push_back(type);
      continue;
    }
    if (parameter->form == ParameterKind::VariadicPositional ||
        parameter->form == ParameterKind::VariadicKeyword || type.kind == TypeKind::Tuple ||
        type.kind == TypeKind::List || type.kind == TypeKind::Dict ||
        type.kind == TypeKind::Opaque || type.kind == TypeKind::Unknown) {
      throw Diagnostic(DiagnosticKind::UnsupportedType,
                       "the argument `" + name + "` is differentiated and is no number or array (" +
                           to_text(type) + ")",
                       parameter->ranges, "pass numbers or NumPy arrays as arguments of their own");
    }
    if (!numeric || type.dtype == DType::Other) {
      throw Diagnostic(
          DiagnosticKind::NotNumeric,
          "the argument `" + name + "` is differentiated and is no number (" + to_text(type) + ")",
          parameter->ranges, "leave it out of wrt");
    }
    if (type.dtype == DType::Bool && !type.mixed) {
      throw Diagnostic(DiagnosticKind::NotNumeric,
                       "the argument `" + name + "` is a truth value: it has no derivative",
                       parameter->ranges, "leave `" + name + "` out of wrt, or pass a number");
    }
    if (type.dtype == DType::Complex64 || type.dtype == DType::Complex128) {
      throw Diagnostic(DiagnosticKind::UnsupportedType, "the argument `" + name + "` is complex",
                       parameter->ranges,
                       "differentiate with respect to its real and imaginary parts");
    }
    inputs.names.push_back(parameter->name);
    inputs.types.push_back(type);
  }
  inputs.names.insert(inputs.names.end(), wholes.names.begin(), wholes.names.end());
  inputs.types.insert(inputs.types.end(), wholes.types.begin(), wholes.types.end());
  return inputs;
}

void check_result(const TypedFunction& typed, Block body) {
  for (const Stmt* statement : body) {
    for_each_child(*statement, [&](const Node* child) {
      if (is_statement(child->kind)) {
        const auto* inner = static_cast<const Stmt*>(child);
        check_result(typed, Block(&inner, 1));
      }
    });
    const auto* leaves = as<Return>(statement);
    if (leaves == nullptr || !is_no_number(typed.type_of(leaves->value))) continue;
    const bool nothing = typed.type_of(leaves->value).kind == TypeKind::None;
    throw Diagnostic(DiagnosticKind::NotNumeric,
                     nothing ? "the function returns None on this path"
                             : "the function returns what is no number",
                     first_place({leaves->value->ranges, leaves->ranges, typed.core->ranges}),
                     "return the value to differentiate");
  }
}

void check_structure(const CoreFunction& core, const TypedFunction& typed,
                     const std::vector<Type>& arguments, const std::vector<int>& wrt,
                     const std::vector<const Expr*>& gradients) {
  for (std::size_t k = 0; k < wrt.size() && k < gradients.size(); ++k) {
    const auto index = static_cast<std::size_t>(wrt[k]);
    const auto* zero = as<Constant>(gradients[k]);
    if (zero == nullptr || arguments[index].dtype > DType::Integer) continue;
    const Symbol name = core.parameters[index]->name;
    bool read = false;
    for (const Stmt* statement : typed.body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* found = as<Name>(&node);
        read = read || (found != nullptr && found->symbol == name);
      });
    }
    if (!read) continue;  // an argument that is not used has a zero gradient
    const std::string text(name.text());
    throw Diagnostic(DiagnosticKind::OnlyDecidesStructure,
                     "the argument `" + text +
                         "` is an integer that only decides shapes, trip counts, indices or " +
                         "branches: it has no derivative",
                     core.parameters[index]->ranges,
                     "leave `" + text + "` out of wrt, or pass a float");
  }
}

}  // namespace tangent
