#include "lower/key_tables.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "lower/fields.h"
#include "lower/names.h"
#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

// Dicts of numbers and arrays, at any depth.
bool holds_numbers(const Structure& structure) {
  if (structure.form == Structure::Form::Leaf) return structure.type.is_numeric();
  return structure.form == Structure::Form::Dict && !structure.parts.empty() &&
         std::ranges::all_of(structure.parts, [](const StructurePart& part) {
           return holds_numbers(part.structure);
         });
}

class KeyTables {
 public:
  KeyTables(const CoreFunction& core, const StructureOf& structure_of, const KeysOf& keys_of,
            const std::function<bool(Symbol)>& is_wanted, Context& context)
      : core_(core),
        structure_of_(structure_of),
        keys_of_(keys_of),
        is_wanted_(is_wanted),
        context_(context),
        names_(context) {
    for (const Stmt* statement : core.body) {
      for_each_node(*statement, [&](const Node& node) {
        if (!is_statement(node.kind)) return;
        const auto* inner = static_cast<const Stmt*>(&node);
        const Subscript* place = stored_place(inner);
        if (place != nullptr && root_of(place) != nullptr) stored_.insert(root_of(place)->symbol);
        if (const ListChange change = list_change(inner)) stored_.insert(change.list->symbol);
      });
    }
  }

  CoreFunction run() {
    CoreFunction result = core_;
    std::vector<const Stmt*> body;
    for (const Stmt* statement : core_.body)
      body.push_back(static_cast<const Stmt*>(renewed(statement)));
    if (tables_.empty()) return result;
    std::vector<const Stmt*> out;
    for (const Table& table : tables_)
      out.push_back(context_.assign(context_.local(table.name), display(table.dict, table.ranges),
                                    table.ranges));
    out.insert(out.end(), body.begin(), body.end());
    result.body = context_.list(out);
    return result;
  }

 private:
  struct Table {
    const Expr* dict;
    Symbol name;
    Ranges ranges;
  };

  const Node* renewed(const Node* node) {
    if (const auto* entry = as<Subscript>(node); entry != nullptr && is_variable(entry->index)) {
      const Name* root = root_of(entry->value);
      const Structure* structure =
          root != nullptr && is_wanted_(root->symbol) && !stored_.contains(root->symbol)
              ? structure_of_(entry->value)
              : nullptr;
      if (structure != nullptr && structure->form == Structure::Form::Dict &&
          holds_numbers(*structure)) {
        return context_.make<Subscript>(
            entry->ranges,
            static_cast<const Expr*>(context_.local(table_of(entry->value), entry->ranges)),
            static_cast<const Expr*>(renewed(entry->index)));
      }
    }
    return rewrite_children(context_, *node, [&](const Node* child) { return renewed(child); });
  }

  static bool is_variable(const Expr* index) {
    return !is<Constant>(index) && !is<Slice>(index) && !integer_literal(index);
  }

  Symbol table_of(const Expr* dict) {
    for (const Table& table : tables_) {
      if (equal(table.dict, dict)) return table.name;
    }
    if (!has_names_) {
      has_names_ = true;
      for (const Parameter* parameter : core_.parameters) names_.take(parameter->name);
      for (const GlobalBinding& global : core_.globals) names_.take(global.printed);
      for (const Stmt* statement : core_.body) {
        for_each_node(*statement, [&](const Node& node) {
          if (const auto* name = as<Name>(&node)) names_.take(name->symbol);
        });
      }
    }
    tables_.push_back({dict, names_.fresh("entries"), dict->ranges});
    return tables_.back().name;
  }

  const Expr* display(const Expr* dict, Ranges ranges) {
    const Structure* structure = structure_of_(dict);
    if (structure->form == Structure::Form::Leaf) return dict;
    const std::vector<const Expr*> keys = *keys_of_(dict);
    std::vector<const Expr*> values;
    for (const Expr* key : keys) {
      const Expr* entry = context_.make<Subscript>(ranges, dict, key);
      values.push_back(display(entry, ranges));
    }
    return context_.make<Dictionary>(ranges, context_.list(keys), context_.list(values));
  }

  const CoreFunction& core_;
  const StructureOf& structure_of_;
  const KeysOf& keys_of_;
  const std::function<bool(Symbol)>& is_wanted_;
  Context& context_;
  lowering::FreshNames names_;
  bool has_names_ = false;
  std::unordered_set<Symbol> stored_;
  std::vector<Table> tables_;
};

}  // namespace

CoreFunction spell_out_key_tables(const CoreFunction& core, const StructureOf& structure_of,
                                  const KeysOf& keys_of,
                                  const std::function<bool(Symbol)>& is_wanted, Context& context) {
  return KeyTables(core, structure_of, keys_of, is_wanted, context).run();
}

}  // namespace tangent
