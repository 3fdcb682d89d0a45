// See wholes.h.
#include "analysis/wholes.h"

#include "base/diagnostics.h"

namespace tangent {

namespace {

// A place that reads more of a variable than its length; null if there is none.
const Node* read_of(const TypedFunction& function, Symbol variable) {
  bool found = false;
  for (const Stmt* statement : function.body) {
    for_each_shaped_read(statement, [&](Symbol read, bool shape_only) {
      found = found || (read == variable && !shape_only);
    });
  }
  if (!found) return nullptr;
  for (const Stmt* statement : function.body) {
    const Node* place = find_node(statement, [&](const Node* node) {
      const auto* name = as<Name>(node);
      return name != nullptr && name->symbol == variable && !name->ranges.empty();
    });
    if (place != nullptr) return place;
  }
  return function.body.front();
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
