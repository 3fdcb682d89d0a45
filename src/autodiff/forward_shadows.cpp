// Names that share memory, one of which is stored into: in forward mode the tangents share memory
// in the same way, so that each name sees in its tangent what it sees in its value.
//
// That holds where every binding of such a name makes a new array, or is one of another such name
// whose memory it shares whatever the layout: the name itself, a basic index, `.T`, a row in a
// loop. What is a view or a copy depending on the layout (reshape, ravel, asarray) is not followed.
#include <algorithm>

#include "autodiff/forward.h"

namespace tangent {

bool Forward::is_basic_index(const Expr* index) {
  auto plain = [&](const Expr* part) {
    const Type type = typing_.of(part);
    const auto* constant = as<Constant>(part);
    const bool whole = constant != nullptr && (constant->value.kind == LiteralKind::None ||
                                               constant->value.kind == LiteralKind::Ellipsis);
    return is<Slice>(part) || whole || type.kind == TypeKind::Slice ||
           (type.is_number() && type.dtype == DType::Integer);
  };
  const auto* tuple = as<TupleDisplay>(index);
  return tuple != nullptr ? std::all_of(tuple->elements.begin(), tuple->elements.end(), plain)
                          : plain(index);
}

bool Forward::is_plain_view(const Expr* value) {
  const Type type = typing_.of(value);
  if (type.is_number()) return true;
  bool shares = false;
  aliases_.for_each_reference(value, [&](Symbol) { shares = true; });
  if (!shares) return type.is_array() || type.kind == TypeKind::List;
  if (const auto* name = as<Name>(value)) return name->scope == Scope::Local;
  if (const auto* subscript = as<Subscript>(value)) {
    const TypeKind base = typing_.of(subscript->value).kind;
    return (base == TypeKind::Array || base == TypeKind::List) &&
           is_basic_index(subscript->index) && is_plain_view(subscript->value);
  }
  if (const auto* attribute = as<Attribute>(value)) {
    return attribute->attribute.text() == "T" && typing_.of(attribute->value).is_array() &&
           is_plain_view(attribute->value);
  }
  if (const auto* conditional = as<Conditional>(value))
    return is_plain_view(conditional->body) && is_plain_view(conditional->orelse);
  if (const auto* list = as<ListDisplay>(value)) {
    return std::all_of(list->elements.begin(), list->elements.end(),
                       [&](const Expr* element) { return is_plain_view(element); });
  }
  return false;
}

bool Forward::binds_plainly(const Stmt* statement, Symbol variable) {
  auto shares = [&](Symbol symbol) {
    return symbol == variable || aliases_.may_ever_share(symbol, variable);
  };
  auto concerns = [&](const Expr* target) {
    bool found = false;
    for_each_target(target, [&](Symbol symbol) { found = found || shares(symbol); });
    return found;
  };
  if (const ListChange change = list_change(statement)) {
    if (!shares(change.list->symbol)) return true;
    return !change.appends || is_plain_view(change.item);
  }
  if (const Subscript* place = stored_place(statement)) {
    if (!concerns(place) || typing_.of(place->value).is_array()) return true;
    return is_plain_view(assigned_value(statement));  // put into a list
  }
  if (const auto* assign = as<Assign>(statement)) {
    if (!concerns(assign->targets[0])) return true;
    const auto* targets = as<TupleDisplay>(assign->targets[0]);
    const auto* values = as<TupleDisplay>(assign->value);
    if (targets == nullptr) return is_plain_view(assign->value);
    if (values == nullptr || values->elements.size() != targets->elements.size()) return false;
    return std::all_of(values->elements.begin(), values->elements.end(),
                       [&](const Expr* value) { return is_plain_view(value); });
  }
  if (const auto* loop = as<For>(statement)) {
    if (concerns(loop->target)) {
      const TypeKind kind = typing_.of(loop->iterable).kind;
      const bool rows = is<Name>(loop->target) && is<Name>(loop->iterable) &&
                        (kind == TypeKind::Array || kind == TypeKind::List);
      if (!rows) return false;
    }
  }
  bool plain = true;
  for_each_child(*statement, [&](const Node* child) {
    if (is_statement(child->kind))
      plain = plain && binds_plainly(static_cast<const Stmt*>(child), variable);
  });
  return plain;
}

bool Forward::is_followed(Symbol variable) {
  for (const auto& [symbol, type] : function_.variables) {
    if (symbol != variable && !aliases_.may_ever_share(symbol, variable)) continue;
    // A name that is an array here and a number there is not followed.
    if (!type.is_array() && !type.is_number() && type.kind != TypeKind::List) return false;
    if (aliases_.is_global(symbol)) return false;
  }
  return std::all_of(function_.body.begin(), function_.body.end(),
                     [&](const Stmt* statement) { return binds_plainly(statement, variable); });
}

}  // namespace tangent
