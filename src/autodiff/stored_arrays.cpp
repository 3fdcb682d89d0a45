#include "autodiff/stored_arrays.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/aliases.h"
#include "analysis/own_rows.h"
#include "autodiff/rule_names.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class StoredArrays {
 public:
  StoredArrays(const CoreFunction& core, const TypedFunction& typed, Context& context)
      : typed_(typed), context_(context), core_(core) {}

  Block block(Block body) {
    return with_statements(context_, body, [this](const Stmt* it, Statements& out) -> const Stmt* {
      if (const Subscript* item = stored_item(it)) return renewed(it, item, out);
      return with_blocks(context_, it, [&](Block inner) { return block(inner); });
    });
  }

 private:
  using Statements = std::vector<const Stmt*>;

  static bool is_container(const Type& type) {
    return type.kind == TypeKind::List || type.is_map();
  }

  // The item of a list or dict whose array a statement writes; null if there is none, or if that is
  // not known to be its own.
  const Subscript* stored_item(const Stmt* statement) {
    const Subscript* place = stored_place(statement);
    if (place == nullptr) return nullptr;
    const Subscript* item = is<AugmentedAssign>(statement) ? place : as<Subscript>(place->value);
    while (item != nullptr && !is_container(typed_.type_of(item->value)))
      item = as<Subscript>(item->value);
    if (item == nullptr || is<Slice>(item->index)) return nullptr;
    const Type type = typed_.type_of(item);
    const bool whole = item == place;
    const bool fits = type.is_array() || (whole && type.kind == TypeKind::Numeric);
    const Name* root = root_of(item);
    if (!fits || root == nullptr || root->scope != Scope::Local) return nullptr;
    for (const Subscript* step = item; step != nullptr; step = as<Subscript>(step->value)) {
      if (!is_container(typed_.type_of(step->value)) || !is_calm(step->index)) return nullptr;
    }
    if (!aliases_) aliases_.emplace(typed_);
    if (aliases_->is_seen_later(typed_statement(statement))) return nullptr;
    return has_own_arrays(typed_, root->symbol, *aliases_) ? item : nullptr;
  }

  // The statement as inference has it, whose methods are resolved.
  const Stmt* typed_statement(const Stmt* statement) {
    if (same_.empty()) {
      std::vector<const Stmt*> before;
      std::vector<const Stmt*> after;
      collect(core_.body, before);
      collect(typed_.body, after);
      if (before.size() != after.size()) throw InternalError("bodies of two shapes");
      for (std::size_t k = 0; k < before.size(); ++k) same_.emplace(before[k], after[k]);
    }
    return same_.at(statement);
  }
  static void collect(Block body, std::vector<const Stmt*>& found) {
    for (const Stmt* statement : body) {
      found.push_back(statement);
      for_each_child(*statement, [&](const Node* child) {
        if (!is_statement(child->kind)) return;
        const auto* inner = static_cast<const Stmt*>(child);
        collect(Block(&inner, 1), found);
      });
    }
  }

  // Arithmetic of names and constants.
  static bool is_calm(const Expr* index) {
    return find_node(index, [](const Node* node) {
             return !is<Name>(node) && !is<Constant>(node) && !is<BinaryOperation>(node) &&
                    !is<UnaryOperation>(node) && !is<TupleDisplay>(node);
           }) == nullptr;
  }

  // Whether `item op value` is what `item op= value` leaves: of the dtype and shape of the item.
  bool is_same_out_of_place(const Subscript* item, const Expr* value) const {
    const Type type = typed_.type_of(item);
    const Type other = typed_.type_of(value);
    if (type.kind == TypeKind::Numeric) return true;
    if (type.dtype != DType::Float64 || !other.is_numeric()) return false;
    if (other.dtype > DType::Float64) return false;
    if (other.is_number() || (other.is_array() && other.rank == 0)) return true;
    if (!type.is_array() || !other.is_array() || type.rank != other.rank || type.rank < 0)
      return false;
    for (std::size_t k = 0; k < type.dims.size(); ++k) {
      if (!other.dims[k].is_same(type.dims[k])) return false;
    }
    return true;
  }

  const Stmt* renewed(const Stmt* it, const Subscript* item, Statements& out) {
    const Ranges ranges = it->ranges;
    const auto* augmented = as<AugmentedAssign>(it);
    const Subscript* place = stored_place(it);
    if (augmented != nullptr && item == place && is_same_out_of_place(item, augmented->value)) {
      const Expr* now = context_.make<BinaryOperation>(ranges, augmented->op, again(item, ranges),
                                                       augmented->value);
      return context_.make<Assign>(ranges, context_.list<const Expr*>({place}), now);
    }
    if (!names_) names_.emplace(context_, core_);
    const Symbol name = names_->fresh("item");
    const Expr* copy =
        context_.make<Attribute>(ranges, again(item, ranges), context_.symbol("copy"));
    out.push_back(context_.assign(
        context_.local(name, ranges),
        context_.make<Call>(ranges, copy, Symbol(), Exprs(), List<const Keyword*>()), ranges));
    const Expr* target = inside(place, item, context_.local(name, ranges));
    if (augmented != nullptr) {
      out.push_back(
          context_.make<AugmentedAssign>(ranges, target, augmented->op, augmented->value));
    } else {
      out.push_back(
          context_.make<Assign>(ranges, context_.list<const Expr*>({target}), assigned_value(it)));
    }
    return context_.make<Assign>(ranges, context_.list<const Expr*>({again(item, ranges)}),
                                 static_cast<const Expr*>(context_.local(name, ranges)));
  }

  // The place with another array for the item.
  const Expr* inside(const Expr* place, const Subscript* item, const Expr* array) {
    if (place == item) return array;
    const auto* step = static_cast<const Subscript*>(place);
    return context_.make<Subscript>(place->ranges, inside(step->value, item, array), step->index);
  }

  // Nodes of its own: side tables go by node.
  const Expr* again(const Expr* value, Ranges ranges) {
    return static_cast<const Expr*>(copied(value, ranges));
  }
  const Node* copied(const Node* node, Ranges ranges) {
    if (const auto* name = as<Name>(node))
      return context_.make<Name>(ranges, name->symbol, name->scope);
    if (const auto* constant = as<Constant>(node))
      return context_.make<Constant>(ranges, constant->value);
    return rewrite_children(context_, *node,
                            [&](const Node* child) { return copied(child, ranges); });
  }

  const TypedFunction& typed_;
  Context& context_;
  const CoreFunction& core_;
  std::optional<Aliases> aliases_;
  std::unordered_map<const Stmt*, const Stmt*> same_;
  std::optional<NamePool> names_;
};

}  // namespace

Block replace_stored_arrays(const CoreFunction& core, const TypedFunction& typed,
                            Context& context) {
  return StoredArrays(core, typed, context).block(core.body);
}

}  // namespace tangent
