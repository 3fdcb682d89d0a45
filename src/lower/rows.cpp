#include "lower/rows.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "lower/names.h"
#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

using Statements = std::vector<const Stmt*>;

const Name* local_name(const Node* node) {
  const auto* name = as<Name>(node);
  return name != nullptr && name->scope == Scope::Local ? name : nullptr;
}

bool holds_positions(const Structure& it) {
  return it.form == Structure::Form::List || it.form == Structure::Form::Tuple;
}

bool has_steps(const Structure& it) {
  return holds_positions(it) || it.form == Structure::Form::Dict;
}

// Parts with the same steps, none of which has parts of its own.
bool same_make(const Structure& a, const Structure& b) {
  if (a.form != b.form || a.parts.size() != b.parts.size()) return false;
  for (std::size_t k = 0; k < a.parts.size(); ++k) {
    if (!(a.parts[k].step == b.parts[k].step)) return false;
  }
  return true;
}

bool is_row(const Structure& it) {
  return has_steps(it) && !it.parts.empty() &&
         std::ranges::all_of(it.parts, [](const auto& part) { return part.structure.is_leaf(); });
}

class RowSpeller {
 public:
  RowSpeller(const CoreFunction& core, const StructureOf& structure_of, Context& context)
      : structure_of_(structure_of), context_(context), names_(context) {
    for (const Parameter* parameter : core.parameters) {
      names_.take(parameter->name);
      ++bindings_[parameter->name];
    }
    for (const GlobalBinding& global : core.globals) names_.take(global.printed);
    for (const Stmt* statement : core.body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) names_.take(name->symbol);
        const Expr* target = nullptr;
        if (const auto* assign = as<Assign>(&node)) target = assign->targets[0];
        if (const auto* augmented = as<AugmentedAssign>(&node)) target = augmented->target;
        if (const auto* loop = as<For>(&node)) target = loop->target;
        if (target == nullptr || is<Subscript>(target)) return;
        for_each_node(*target, [&](const Node& part) {
          if (const auto* name = as<Name>(&part)) ++bindings_[name->symbol];
        });
      });
    }
  }

  Block run(Block body) {
    const Block now = block(body);
    if (hoisted_.empty()) return now;
    Statements out = hoisted_;
    out.insert(out.end(), now.begin(), now.end());
    return context_.list(out);
  }

 private:
  // What a row has: its keys as constants, and the variable that each is.
  struct Row {
    std::vector<const Expr*> keys;
    std::vector<Symbol> names;
    bool by_position = true;
  };
  struct Column {
    const Expr* key;
    const Expr* values;  // an iterable
  };
  // The targets of a loop and what they run over.
  struct Columns {
    std::vector<const Expr*> targets;
    std::vector<const Expr*> values;
    std::vector<std::pair<Symbol, Row>> rows;
    bool is_new = false;
  };

  const Expr* constant_of(const FieldStep& step) {
    if (step.form == FieldStep::Form::Index) return context_.integer(step.index);
    return context_.make<Constant>(
        Ranges(),
        Literal{.kind = LiteralKind::String, .text = context_.arena().copy_text(step.text)});
  }
  static std::string name_of(const FieldStep& step) {
    if (step.form == FieldStep::Form::Index) return std::to_string(step.index);
    std::string text = step.text;
    std::erase_if(text, [](char c) {
      return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_');
    });
    return text;
  }

  // The parts of a list or tuple in an argument, constant slices of it included.
  std::optional<std::vector<const Expr*>> parts_of(const Expr* node) {
    if (const Structure* whole = structure_of_(node); whole != nullptr) {
      if (!holds_positions(*whole) || whole->parts.empty()) return std::nullopt;
      std::vector<const Expr*> parts;
      for (std::size_t k = 0; k < whole->parts.size(); ++k) {
        parts.push_back(context_.make<Subscript>(node->ranges, node,
                                                 context_.integer(static_cast<std::int64_t>(k))));
      }
      return parts;
    }
    if (const auto* made = as<Call>(node);
        made != nullptr && made->arguments.size() == 1 && made->keywords.empty() &&
        (made->callee.text() == "builtins.list" || made->callee.text() == "builtins.tuple"))
      return parts_of(made->arguments[0]);
    const auto* subscript = as<Subscript>(node);
    const auto* slice = subscript != nullptr ? as<Slice>(subscript->index) : nullptr;
    if (slice == nullptr) return std::nullopt;
    const auto whole = parts_of(subscript->value);
    if (!whole) return std::nullopt;
    const auto count = static_cast<std::int64_t>(whole->size());
    const auto step = slice->step != nullptr ? integer_literal(slice->step) : 1;
    if (!step || (*step != 1 && *step != -1)) return std::nullopt;
    const auto bound = [&](const Expr* e, std::int64_t otherwise) -> std::optional<std::int64_t> {
      if (e == nullptr) return otherwise;
      auto value = integer_literal(e);
      if (value && *value < 0) *value += count;
      if (value) *value = std::clamp<std::int64_t>(*value, 0, count);
      return value;
    };
    if (*step == -1 && (slice->lower != nullptr || slice->upper != nullptr)) return std::nullopt;
    const auto first = bound(slice->lower, 0);
    const auto last = bound(slice->upper, count);
    if (!first || !last) return std::nullopt;
    std::vector<const Expr*> parts;
    for (std::int64_t k = *first; k < *last; ++k)
      parts.push_back((*whole)[static_cast<std::size_t>(k)]);
    if (*step == -1) std::ranges::reverse(parts);
    return parts;
  }

  // The columns of a list of rows.
  std::optional<std::vector<Column>> columns_of(const Expr* node, bool& by_position) {
    const auto parts = parts_of(node);
    if (!parts || parts->empty()) return std::nullopt;
    const Structure* first = structure_of_((*parts)[0]);
    if (first == nullptr || !is_row(*first)) return std::nullopt;
    for (const Expr* part : *parts) {
      const Structure* other = structure_of_(part);
      if (other == nullptr || !is_row(*other) || !same_make(*first, *other)) return std::nullopt;
    }
    by_position = holds_positions(*first);
    std::vector<Column> columns;
    for (const auto& [step, structure] : first->parts) {
      const Expr* key = constant_of(step);
      std::vector<const Expr*> values;
      for (const Expr* part : *parts)
        values.push_back(context_.make<Subscript>(node->ranges, part, key));
      columns.push_back({key, context_.make<ListDisplay>(node->ranges, context_.list(values))});
    }
    return columns;
  }

  const Expr* call(std::string_view builtin, const std::vector<const Expr*>& arguments,
                   Ranges ranges) {
    return context_.make<Call>(ranges, context_.global(context_.symbol(builtin)),
                               context_.symbol("builtins." + std::string(builtin)),
                               context_.list(arguments), List<const Keyword*>());
  }

  static std::string step_name(const Expr* key) {
    const auto* constant = static_cast<const Constant*>(key);
    FieldStep step;
    if (constant->value.kind == LiteralKind::Integer) {
      step = {.form = FieldStep::Form::Index, .text = {}, .index = constant->value.integer};
    } else {
      step = {.form = FieldStep::Form::Key, .text = std::string(constant->value.text)};
    }
    return name_of(step);
  }

  Row row_of(Symbol name, const std::vector<Column>& columns, bool by_position) {
    Row row;
    row.by_position = by_position;
    for (const Column& column : columns) {
      row.keys.push_back(column.key);
      row.names.push_back(names_.fresh(std::string(name.text()) + "_" + step_name(column.key)));
    }
    return row;
  }

  // Adds what a target takes of an iterable; false if it cannot be written by columns.
  bool add(const Expr* target, const Expr* iterable, Columns& result) {
    const auto* tuple = as<TupleDisplay>(target);
    const Name* name = local_name(target);
    bool by_position = true;
    if (const auto columns = columns_of(iterable, by_position)) {
      result.is_new = true;
      return add_columns(target, *columns, by_position, result);
    }
    const auto* it = as<Call>(iterable);
    if (it != nullptr && it->keywords.empty()) {
      const std::string_view callee = it->callee.text();
      if (callee == "builtins.enumerate" && it->arguments.size() == 1 && tuple != nullptr &&
          tuple->elements.size() == 2 && local_name(tuple->elements[0]) != nullptr) {
        const Expr* counted = it->arguments[0];
        Columns inner;
        if (!add(tuple->elements[1], counted, inner) || !inner.is_new) return false;
        // The count is taken where the loop begins.
        if (const Name* first = local_name(inner.values[0]); first != nullptr && may_grow(*first))
          return false;
        result.is_new = true;
        result.targets.push_back(tuple->elements[0]);
        result.values.push_back(
            call("range", {call("len", {inner.values[0]}, it->ranges)}, it->ranges));
        result.targets.insert(result.targets.end(), inner.targets.begin(), inner.targets.end());
        result.values.insert(result.values.end(), inner.values.begin(), inner.values.end());
        result.rows.insert(result.rows.end(), inner.rows.begin(), inner.rows.end());
        return true;
      }
      if (callee == "builtins.zip" && !it->arguments.empty()) {
        if (tuple != nullptr && tuple->elements.size() == it->arguments.size()) {
          for (std::size_t k = 0; k < tuple->elements.size(); ++k) {
            if (!add(tuple->elements[k], it->arguments[k], result)) return false;
          }
          return true;
        }
        // A name for a whole row of the zip: `for i, (a, b) in enumerate(zip(xs, ys))`.
        if (name != nullptr && std::ranges::all_of(it->arguments, [](const Expr* argument) {
              return is<Name>(argument) || is<ListDisplay>(argument) || is<TupleDisplay>(argument);
            })) {
          std::vector<Column> columns;
          for (std::size_t k = 0; k < it->arguments.size(); ++k)
            columns.push_back({context_.integer(static_cast<std::int64_t>(k)), it->arguments[k]});
          result.is_new = true;
          return add_columns(target, columns, true, result);
        }
        return false;
      }
      if (callee == "builtins.reversed" && it->arguments.size() == 1) {
        if (const auto columns = columns_of(it->arguments[0], by_position)) {
          std::vector<Column> turned;
          for (const Column& column : *columns) {
            const auto& elements = static_cast<const ListDisplay*>(column.values)->elements;
            std::vector<const Expr*> values(elements.rbegin(), elements.rend());
            turned.push_back(
                {column.key, context_.make<ListDisplay>(it->ranges, context_.list(values))});
          }
          result.is_new = true;
          return add_columns(target, turned, by_position, result);
        }
      }
    }
    if (name == nullptr) return false;
    result.targets.push_back(target);
    result.values.push_back(iterable);
    return true;
  }

  // Whether a method of a list may change its length somewhere.
  bool may_grow(const Name& list) {
    return std::ranges::any_of(whole, [&](const Stmt* it) {
      return find_node(it, [&](const Node* node) {
               const auto* call = as<Call>(node);
               const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
               const Name* receiver = method != nullptr ? local_name(method->value) : nullptr;
               return receiver != nullptr && receiver->symbol == list.symbol;
             }) != nullptr;
    });
  }

  bool add_columns(const Expr* target, const std::vector<Column>& columns, bool by_position,
                   Columns& result) {
    if (const auto* tuple = as<TupleDisplay>(target)) {
      if (!by_position || tuple->elements.size() != columns.size()) return false;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (local_name(tuple->elements[k]) == nullptr) return false;
        result.targets.push_back(tuple->elements[k]);
        result.values.push_back(columns[k].values);
      }
      return true;
    }
    const Name* name = local_name(target);
    if (name == nullptr) return false;
    const Row row = row_of(name->symbol, columns, by_position);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      result.targets.push_back(context_.local(row.names[k], target->ranges));
      result.values.push_back(columns[k].values);
    }
    result.rows.emplace_back(name->symbol, row);
    return true;
  }

  // --- rows that variables stand for

  static std::optional<std::size_t> place_of(const Row& row, const Expr* key) {
    if (row.by_position) {
      auto place = integer_literal(key);
      if (!place) return std::nullopt;
      if (*place < 0) *place += static_cast<std::int64_t>(row.keys.size());
      if (*place < 0 || *place >= static_cast<std::int64_t>(row.keys.size())) return std::nullopt;
      return static_cast<std::size_t>(*place);
    }
    for (std::size_t k = 0; k < row.keys.size(); ++k) {
      if (equal(row.keys[k], key)) return k;
    }
    return std::nullopt;
  }

  // Whether all that a block does with a row can be written by its columns.
  bool fits(const Node* node, Symbol symbol, const Row& row) {
    if (const auto* name = as<Name>(node)) return name->symbol != symbol;
    if (const auto* subscript = as<Subscript>(node)) {
      const Name* base = local_name(subscript->value);
      if (base != nullptr && base->symbol == symbol)
        return place_of(row, subscript->index).has_value();
    }
    if (const auto* call = as<Call>(node);
        call != nullptr && call->callee.text() == "builtins.len" && call->arguments.size() == 1) {
      const Name* base = local_name(call->arguments[0]);
      if (base != nullptr && base->symbol == symbol) return true;
    }
    if (is_statement(node->kind)) {
      const Subscript* place = stored_place(static_cast<const Stmt*>(node));
      const Name* base = place != nullptr ? local_name(place->value) : nullptr;
      if (base != nullptr && base->symbol == symbol) return false;  // the caller's row
    }
    if (const auto* assign = as<Assign>(node)) {
      const Name* value = local_name(assign->value);
      const auto* targets = as<TupleDisplay>(assign->targets[0]);
      if (value != nullptr && value->symbol == symbol) {
        return row.by_position && targets != nullptr &&
               targets->elements.size() == row.keys.size() && fits(targets, symbol, row);
      }
    }
    bool fitting = true;
    for_each_child(*node,
                   [&](const Node* child) { fitting = fitting && fits(child, symbol, row); });
    return fitting;
  }

  const Node* by_columns(const Node* node, Symbol symbol, const Row& row) {
    if (const auto* subscript = as<Subscript>(node)) {
      const Name* base = local_name(subscript->value);
      if (base != nullptr && base->symbol == symbol)
        return context_.local(row.names[*place_of(row, subscript->index)], node->ranges);
    }
    if (const auto* call = as<Call>(node);
        call != nullptr && call->callee.text() == "builtins.len" && call->arguments.size() == 1) {
      const Name* base = local_name(call->arguments[0]);
      if (base != nullptr && base->symbol == symbol)
        return context_.integer(static_cast<std::int64_t>(row.keys.size()), node->ranges);
    }
    if (const auto* assign = as<Assign>(node)) {
      const Name* value = local_name(assign->value);
      if (value != nullptr && value->symbol == symbol) {
        std::vector<const Expr*> parts;
        for (const Symbol name : row.names)
          parts.push_back(context_.local(name, assign->value->ranges));
        return context_.make<Assign>(assign->ranges, assign->targets,
                                     static_cast<const Expr*>(context_.make<TupleDisplay>(
                                         assign->value->ranges, context_.list(parts))));
      }
    }
    return rewrite_children(context_, *node,
                            [&](const Node* child) { return by_columns(child, symbol, row); });
  }

  Block by_columns(Block body, Symbol symbol, const Row& row) {
    Statements out;
    for (const Stmt* statement : body)
      out.push_back(static_cast<const Stmt*>(by_columns(statement, symbol, row)));
    return context_.list(out);
  }

  // --- second names

  // `q = p['in']`, bound once, of what has parts: the part itself wherever q is read.
  bool is_second_name(const Assign* assign) {
    const Name* target = local_name(assign->targets[0]);
    if (target == nullptr || bindings_[target->symbol] != 1) return false;
    const Structure* whole = structure_of_(assign->value);
    if (whole != nullptr) return !whole->is_leaf();
    // Another list, which nothing may change: it would be no second name.
    const auto parts = parts_of(assign->value);
    if (!parts) return false;
    const Structure* first = parts->empty() ? nullptr : structure_of_((*parts)[0]);
    return first != nullptr && !first->is_leaf();
  }

  const Node* with_second_name(const Node* node, Symbol symbol, const Expr* value) {
    if (const auto* name = as<Name>(node))
      return name->symbol == symbol && name->scope == Scope::Local ? value : node;
    return rewrite_children(
        context_, *node, [&](const Node* child) { return with_second_name(child, symbol, value); });
  }

  // --- statements

  Block block(Block body) {
    Statements open(body.begin(), body.end());
    Statements out;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Stmt* it = static_cast<const Stmt*>(folded(open[k]));
      if (const auto* assign = as<Assign>(it)) {
        if (is_second_name(assign)) {
          const Symbol symbol = local_name(assign->targets[0])->symbol;
          if (read_only_after(symbol, open, k) &&
              std::all_of(open.begin() + static_cast<std::ptrdiff_t>(k) + 1, open.end(),
                          [&](const Stmt* later) { return only_looks(later, symbol); })) {
            for (std::size_t j = k + 1; j < open.size(); ++j)
              open[j] = static_cast<const Stmt*>(with_second_name(open[j], symbol, assign->value));
            continue;
          }
        }
        if (row_at(assign, open, k, out)) continue;
      }
      out.push_back(statement(it));
    }
    if (std::ranges::equal(out, body)) return body;
    return context_.list(out);
  }

  // Whether a statement does with a second name what does not change it, nor pass it on.
  bool only_looks(const Node* node, Symbol symbol) {
    const auto is_it = [&](const Node* part) {
      const Name* name = local_name(part);
      return name != nullptr && name->symbol == symbol;
    };
    if (is_it(node)) return false;
    if (is_statement(node->kind)) {
      const Subscript* place = stored_place(static_cast<const Stmt*>(node));
      if (place != nullptr && is_it(place->value)) return false;
    }
    static constexpr std::string_view kReaders[] = {"builtins.len",   "builtins.enumerate",
                                                    "builtins.zip",   "builtins.list",
                                                    "builtins.tuple", "builtins.reversed"};
    static constexpr std::string_view kMethods[] = {"items", "keys", "values", "get"};
    const auto* call = as<Call>(node);
    const bool reader =
        call != nullptr && std::ranges::find(kReaders, call->callee.text()) != std::end(kReaders);
    const auto* loop = as<For>(node);
    const auto* assign = as<Assign>(node);
    const auto* subscript = as<Subscript>(node);
    const auto* attribute = as<Attribute>(node);
    const auto* comparison = as<Comparison>(node);
    bool looks = true;
    for_each_child(*node, [&](const Node* child) {
      if (!looks) return;
      const bool allowed =
          is_it(child) &&
          ((reader && child != call->function) || (loop != nullptr && child == loop->iterable) ||
           (assign != nullptr && child == assign->value) ||
           (subscript != nullptr && child == subscript->value) ||
           (attribute != nullptr &&
            std::ranges::find(kMethods, attribute->attribute.text()) != std::end(kMethods)) ||
           (comparison != nullptr && child != comparison->left &&
            (comparison->ops[0] == ComparisonOperator::In ||
             comparison->ops[0] == ComparisonOperator::NotIn)));
      looks = allowed || only_looks(child, symbol);
    });
    return looks;
  }

  // A name that is bound in a block and read nowhere but behind that, in the same block.
  bool read_only_after(Symbol symbol, const Statements& statements, std::size_t place) {
    std::size_t here = 0;
    for (std::size_t j = place + 1; j < statements.size(); ++j)
      here += reads(statements[j], symbol);
    return here == all_reads(symbol);
  }
  static std::size_t reads(const Node* node, Symbol symbol) {
    std::size_t count = 0;
    for_each_node(*node, [&](const Node& part) {
      const auto* name = as<Name>(&part);
      if (name != nullptr && name->symbol == symbol && name->scope == Scope::Local) ++count;
    });
    return count;
  }
  std::size_t all_reads(Symbol symbol) {
    std::size_t count = 0;
    for (const Stmt* statement : whole) count += reads(statement, symbol);
    return count - 1;  // where it is bound
  }

  // Whether a loop's target is used outside of the loops that bind it.
  bool is_read_elsewhere(Symbol symbol) {
    const auto found = [&](const auto& self, const Node* node) -> bool {
      const auto* loop = as<For>(node);
      if (loop != nullptr && reads(loop->target, symbol) > 0) return self(self, loop->iterable);
      const auto* name = as<Name>(node);
      if (name != nullptr && name->symbol == symbol && name->scope == Scope::Local) return true;
      if (is_expression(node->kind)) return reads(node, symbol) > 0;
      bool read = false;
      for_each_child(*node, [&](const Node* child) { read = read || self(self, child); });
      return read;
    };
    return std::ranges::any_of(whole, [&](const Stmt* it) { return found(found, it); });
  }

  // `layer = params[i]`: the parts of the row at a variable position.
  bool row_at(const Assign* assign, Statements& open, std::size_t k, Statements& out) {
    const auto* subscript = as<Subscript>(assign->value);
    if (subscript == nullptr || is<Slice>(subscript->index) || is<Constant>(subscript->index) ||
        integer_literal(subscript->index))
      return false;
    bool by_position = true;
    const auto columns = columns_of(subscript->value, by_position);
    if (!columns) return false;
    const Name* index = local_name(subscript->index);
    if (const auto* targets = as<TupleDisplay>(assign->targets[0])) {
      if (!by_position || targets->elements.size() != columns->size()) return false;
      const Expr* place = subscript->index;
      if (index == nullptr || reads(targets, index->symbol) > 0) {
        const Symbol name = names_.fresh("place");
        out.push_back(context_.assign(context_.local(name), place, assign->ranges));
        place = context_.local(name);
      }
      for (std::size_t c = 0; c < columns->size(); ++c) {
        out.push_back(context_.assign(
            targets->elements[c], element(subscript->value, (*columns)[c], place), assign->ranges));
      }
      return true;
    }
    const Name* target = local_name(assign->targets[0]);
    if (target == nullptr || bindings_[target->symbol] != 1 ||
        !read_only_after(target->symbol, open, k))
      return false;
    const Row row = row_of(target->symbol, *columns, by_position);
    for (std::size_t j = k + 1; j < open.size(); ++j) {
      if (!fits(open[j], target->symbol, row)) return false;
    }
    const Expr* place = subscript->index;
    if (index == nullptr) {
      const Symbol name = names_.fresh("place");
      out.push_back(context_.assign(context_.local(name), place, assign->ranges));
      place = context_.local(name);
    }
    for (std::size_t c = 0; c < columns->size(); ++c) {
      out.push_back(context_.assign(context_.local(row.names[c]),
                                    element(subscript->value, (*columns)[c], place),
                                    assign->ranges));
    }
    for (std::size_t j = k + 1; j < open.size(); ++j)
      open[j] = static_cast<const Stmt*>(by_columns(open[j], target->symbol, row));
    return true;
  }

  // An element of a column, which is a list from the start of the function.
  const Expr* element(const Expr* rows, const Column& column, const Expr* place) {
    for (const auto& [known, key, symbol] : lists_) {
      if (equal(known, rows) && equal(key, column.key))
        return context_.make<Subscript>(rows->ranges,
                                        static_cast<const Expr*>(context_.local(symbol)), place);
    }
    const Expr* root = rows;
    std::string wish;
    while (true) {
      if (const auto* subscript = as<Subscript>(root)) {
        root = subscript->value;
      } else if (const auto* attribute = as<Attribute>(root)) {
        root = attribute->value;
      } else {
        break;
      }
    }
    if (const Name* name = local_name(root)) wish = std::string(name->symbol.text());
    const Symbol symbol = names_.fresh(wish + "_" + step_name(column.key));
    hoisted_.push_back(context_.assign(context_.local(symbol), column.values, rows->ranges));
    lists_.push_back({rows, column.key, symbol});
    return context_.make<Subscript>(rows->ranges, static_cast<const Expr*>(context_.local(symbol)),
                                    place);
  }

  const Stmt* statement(const Stmt* it) {
    if (const auto* loop = as<For>(it)) return for_loop(loop);
    if (const auto* branch = as<If>(it)) {
      const Block body = block(branch->body);
      const Block orelse = branch->orelse.empty() ? Block() : block(branch->orelse);
      if (body.data() == branch->body.data() && orelse.data() == branch->orelse.data()) return it;
      return context_.make<If>(it->ranges, branch->test, body, orelse);
    }
    if (const auto* repeat = as<While>(it)) {
      const Block body = block(repeat->body);
      if (body.data() == repeat->body.data()) return it;
      return context_.make<While>(it->ranges, repeat->test, body, repeat->orelse);
    }
    return it;
  }

  const Stmt* for_loop(const For* loop) {
    Columns columns;
    Block body = loop->body;
    const bool written = add(loop->target, loop->iterable, columns) && columns.is_new;
    bool fitting = written;
    for (const auto& [symbol, row] : columns.rows) {
      for (const Stmt* statement : body) fitting = fitting && fits(statement, symbol, row);
      fitting = fitting && !is_read_elsewhere(symbol);
    }
    if (!fitting) {
      const Block now = block(body);
      if (now.data() == body.data()) return loop;
      return context_.make<For>(loop->ranges, loop->target, loop->iterable, now, loop->orelse,
                                loop->is_async);
    }
    for (auto& [symbol, row] : columns.rows) {
      // Unpacked at once: the names of the parts are the targets.
      const auto* first = as<Assign>(body[0]);
      const auto* parts = first != nullptr ? as<TupleDisplay>(first->targets[0]) : nullptr;
      const Name* value = first != nullptr ? local_name(first->value) : nullptr;
      const bool unpacks =
          value != nullptr && value->symbol == symbol && parts != nullptr && body.size() > 1 &&
          row.by_position && parts->elements.size() == row.names.size() &&
          std::ranges::none_of(
              body.subspan(1),
              [&, name = symbol](const Stmt* it) { return reads(it, name) > 0; }) &&
          std::ranges::all_of(parts->elements, [&](const Expr* part) {
            const Name* name = local_name(part);
            return name != nullptr && std::ranges::none_of(columns.targets, [&](const Expr* other) {
                     return reads(other, name->symbol) > 0;
                   });
          });
      if (!unpacks) {
        body = by_columns(body, symbol, row);
        continue;
      }
      for (const Expr*& target : columns.targets) {
        const auto at = std::ranges::find(row.names, static_cast<const Name*>(target)->symbol);
        if (at != row.names.end())
          target = parts->elements[static_cast<std::size_t>(at - row.names.begin())];
      }
      body = Block(body.begin() + 1, body.size() - 1);
    }
    body = block(body);
    const Expr* target = columns.targets[0];
    const Expr* iterable = columns.values[0];
    if (columns.targets.size() > 1) {
      target = context_.make<TupleDisplay>(loop->target->ranges, context_.list(columns.targets));
      iterable = call("zip", columns.values, loop->iterable->ranges);
    }
    return context_.make<For>(loop->ranges, target, iterable, body, loop->orelse, loop->is_async);
  }

  // len(params[1:]) is known, params[:-1][0] is params[0], params[i][0] an element of a column.
  const Node* folded(const Node* node) {
    if (is_statement(node->kind)) {
      // Blocks are looked at statement by statement.
      return rewrite_children(context_, *node, [&](const Node* child) {
        return is_statement(child->kind) ? child : folded(child);
      });
    }
    bool candidate = false;
    for_each_node(*node, [&](const Node& part) {
      candidate =
          candidate || is<Subscript>(&part) ||
          (is<Call>(&part) && static_cast<const Call&>(part).callee.text() == "builtins.len");
    });
    if (!candidate) return node;
    if (const auto* it = as<Call>(node);
        it != nullptr && it->callee.text() == "builtins.len" && it->arguments.size() == 1) {
      if (const auto parts = parts_of(it->arguments[0]))
        return context_.integer(static_cast<std::int64_t>(parts->size()), node->ranges);
    }
    if (const auto* subscript = as<Subscript>(node)) {
      const auto* inner = as<Subscript>(subscript->value);
      if (inner != nullptr && is<Slice>(inner->index)) {
        const auto parts = parts_of(inner);
        auto place = integer_literal(subscript->index);
        if (parts && place) {
          if (*place < 0) *place += static_cast<std::int64_t>(parts->size());
          if (*place >= 0 && *place < static_cast<std::int64_t>(parts->size()))
            return (*parts)[static_cast<std::size_t>(*place)];
        }
      }
      if (inner != nullptr && !is<Slice>(inner->index) && !integer_literal(inner->index) &&
          !is<Constant>(inner->index)) {
        bool by_position = true;
        if (const auto columns = columns_of(inner->value, by_position)) {
          Row row;
          row.by_position = by_position;
          for (const Column& column : *columns) row.keys.push_back(column.key);
          if (const auto place = place_of(row, subscript->index)) {
            return element(inner->value, (*columns)[*place],
                           static_cast<const Expr*>(folded(inner->index)));
          }
        }
      }
    }
    return rewrite_children(context_, *node, [&](const Node* child) { return folded(child); });
  }

  const StructureOf& structure_of_;
  Context& context_;
  lowering::FreshNames names_;
  std::unordered_map<Symbol, int> bindings_;
  struct ColumnList {
    const Expr* rows;
    const Expr* key;
    Symbol name;
  };
  std::vector<ColumnList> lists_;
  Statements hoisted_;

 public:
  Block whole;  // the body, as it was
};

}  // namespace

CoreFunction spell_out_rows(const CoreFunction& core, const StructureOf& structure_of,
                            Context& context) {
  RowSpeller speller(core, structure_of, context);
  speller.whole = core.body;
  CoreFunction result = core;
  result.body = speller.run(core.body);
  return result;
}

}  // namespace tangent
