// See wholes.h.
#include "analysis/wholes.h"

#include "base/diagnostics.h"

namespace tangent {

namespace {

// What is read of an argument as a whole, more than its length: a place; null if there is none. The
// object whose attribute is set is not read.
const Node* read_of(const Node* node, Symbol variable) {
  bool found = false;
  if (const auto* statement = as<ExpressionStatement>(node)) {
    const auto* call = as<Call>(statement->value);
    if (call != nullptr && call->callee.text() == "builtins.setattr") return nullptr;
  }
  const bool compound = is<If>(node) || is<For>(node) || is<While>(node);
  if (!compound) {
    for_each_shaped_read(node, [&](Symbol read, bool shape_only) {
      found = found || (read == variable && !shape_only);
    });
    return found ? node : nullptr;
  }
  const Node* place = nullptr;
  for_each_child(*node, [&](const Node* child) {
    if (place == nullptr) place = read_of(child, variable);
  });
  return place;
}

const Node* read_of(const TypedFunction& function, Symbol variable) {
  for (const Stmt* statement : function.body) {
    if (const Node* place = read_of(statement, variable)) return place;
  }
  return nullptr;
}

}  // namespace

void check_wholes(const TypedFunction& function, const std::vector<NamedField>& fields) {
  if (fields.empty()) return;
  const Aliases aliases(function);
  auto is_written = [&](Symbol variable) {
    return aliases.is_written(variable) || aliases.is_changed_list(variable);
  };
  const List<const Parameter*> parameters = function.core->parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Symbol whole = parameters[k]->name;
    bool has_fields = false;
    bool written = is_written(whole);
    for (const NamedField& field : fields) {
      if (field.parameter != k) continue;
      has_fields = true;
      written = written || is_written(field.name);
    }
    if (!has_fields || !written) continue;
    const Node* place = read_of(function, whole);
    if (place == nullptr) continue;
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "`" + std::string(whole.text()) +
                         "` is used as a whole and in parts, and something of it is written in "
                         "place",
                     place->ranges,
                     "reach its parts by constants alone (keys, positions, attributes)");
  }
}

}  // namespace tangent
