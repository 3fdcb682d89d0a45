#include "lower/fields.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "base/diagnostics.h"
#include "lower/bound_names.h"
#include "lower/dicts.h"
#include "lower/key_loops.h"
#include "lower/pair_fields.h"
#include "lower/rows.h"
#include "lower/scope.h"
#include "syntax/places.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

// The step that an expression takes, if a constant says which.
bool read_step(const Expr* node, FieldStep& step) {
  if (const auto* attribute = as<Attribute>(node)) {
    step = {.form = FieldStep::Form::Attribute, .text = std::string(attribute->attribute.text())};
    return true;
  }
  const auto* subscript = as<Subscript>(node);
  if (subscript == nullptr) return false;
  const Expr* index = subscript->index;
  const auto* minus = as<UnaryOperation>(index);
  const bool negative = minus != nullptr && minus->op == UnaryOperator::Minus;
  if (negative) index = minus->operand;
  const auto* constant = as<Constant>(index);
  if (constant == nullptr) return false;
  if (constant->value.kind == LiteralKind::String && !negative) {
    step = {.form = FieldStep::Form::Key, .text = std::string(constant->value.text)};
    return true;
  }
  if (constant->value.kind == LiteralKind::Integer) {
    const std::int64_t number = constant->value.integer;
    step = {.form = FieldStep::Form::Index, .text = {}, .index = negative ? -number : number};
    return true;
  }
  return false;
}

const Expr* base_of(const Expr* node) {
  if (const auto* attribute = as<Attribute>(node)) return attribute->value;
  return static_cast<const Subscript*>(node)->value;
}

bool is_sequence(const Structure& structure) {
  return structure.form == Structure::Form::List || structure.form == Structure::Form::Tuple;
}

const Structure* part_of(const Structure& structure, const FieldStep& step) {
  for (const auto& [taken, part] : structure.parts) {
    if (taken == step) return &part;
  }
  // pair[-1]
  if (is_sequence(structure) && step.form == FieldStep::Form::Index && step.index < 0) {
    const auto size = static_cast<std::int64_t>(structure.parts.size());
    if (step.index + size >= 0)
      return &structure.parts[static_cast<std::size_t>(step.index + size)].structure;
  }
  return nullptr;
}

class FieldNamer {
 public:
  FieldNamer(const CoreFunction& core, const std::vector<Structure>& structures,
             std::vector<NamedField>& fields, Context& context)
      : context_(context), fields_(fields) {
    std::unordered_set<Symbol> bound;
    find_bound(core.body, bound);
    for (std::size_t k = 0; k < core.parameters.size() && k < structures.size(); ++k) {
      const Symbol name = core.parameters[k]->name;
      if (structures[k].is_leaf() || bound.contains(name)) continue;
      roots_.emplace(name, &structures[k]);
      name_leaves(structures[k], k, std::string(name.text()));
    }
  }

  Block run(Block body) { return block(body); }

  // What a chain of constant steps reaches; null if it leaves what is known.
  const Structure* reached(const Expr* node) const {
    if (const auto* name = as<Name>(node)) {
      const auto root = roots_.find(name->symbol);
      return root != roots_.end() && name->scope == Scope::Local ? root->second : nullptr;
    }
    FieldStep step;
    if (!read_step(node, step)) return nullptr;
    const Structure* base = reached(base_of(node));
    return base != nullptr ? part_of(*base, step) : nullptr;
  }

  // The keys of a dict in an argument.
  std::optional<std::vector<const Expr*>> keys_of(const Expr* node) const {
    const Structure* whole = reached(node);
    if (whole == nullptr || whole->form != Structure::Form::Dict) return {};
    std::vector<const Expr*> keys;
    for (const auto& [step, part] : whole->parts) {
      if (step.form == FieldStep::Form::Key) {
        keys.push_back(context_.make<Constant>(
            Ranges(),
            Literal{.kind = LiteralKind::String, .text = context_.arena().copy_text(step.text)}));
      } else if (step.index >= 0) {
        keys.push_back(context_.integer(step.index));
      } else {
        return {};
      }
    }
    return keys;
  }

 private:
  void name_leaves(const Structure& structure, std::size_t parameter, const std::string& text) {
    if (structure.is_leaf()) {
      const Symbol name = context_.symbol(text);
      names_.emplace(&structure, name);
      fields_.push_back(
          {parameter, name, structure.type, structure.form == Structure::Form::TupleItems});
      return;
    }
    for (const auto& [step, part] : structure.parts)
      name_leaves(part, parameter, text + spelled(step));
  }

  // An entry that is not there: Python raises where it is read.
  bool is_missing(const Expr* node) const {
    const auto* subscript = as<Subscript>(node);
    FieldStep step;
    if (subscript == nullptr || !read_step(node, step)) return false;
    const Structure* base = reached(subscript->value);
    return base != nullptr && !base->is_leaf() && base->form != Structure::Form::Object;
  }

  // A variable that no value ever reaches.
  const Expr* missing(const Expr* node) {
    const Symbol name = context_.symbol(print(static_cast<const Node*>(node)));
    const bool known = std::any_of(fields_.begin(), fields_.end(),
                                   [&](const NamedField& field) { return field.name == name; });
    if (!known) fields_.push_back({kNoParameter, name, Type()});
    return context_.local(name, node->ranges);
  }

  Block block(Block statements) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : statements) {
      check_store(statement);
      const auto* now = static_cast<const Stmt*>(rewrite(unpacked(statement)));
      changed = changed || now != statement;
      out.push_back(now);
    }
    return changed ? context_.list(out) : statements;
  }

  // `a, b = p` of a list or tuple with two parts takes the parts.
  const Stmt* unpacked(const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    const auto* targets = assign != nullptr ? as<TupleDisplay>(assign->targets[0]) : nullptr;
    const Structure* whole = targets != nullptr ? reached(assign->value) : nullptr;
    if (whole == nullptr || whole->is_leaf() || !is_sequence(*whole) ||
        whole->parts.size() != targets->elements.size())
      return statement;
    std::vector<const Expr*> parts;
    for (std::size_t k = 0; k < whole->parts.size(); ++k) {
      parts.push_back(context_.make<Subscript>(assign->value->ranges, assign->value,
                                               context_.integer(static_cast<std::int64_t>(k))));
    }
    const Expr* display = context_.make<TupleDisplay>(assign->value->ranges, context_.list(parts));
    return context_.make<Assign>(assign->ranges, assign->targets, display);
  }

  // An entry of an argument that is bound anew would be the caller's to see.
  void check_store(const Stmt* statement) const {
    const Subscript* place = stored_place(statement);
    if (place == nullptr) return;
    const Structure* whole = reached(place->value);
    const Structure* itself = reached(place);
    if (itself == nullptr && (whole == nullptr || whole->is_leaf())) return;
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "writing `" + print(static_cast<const Node*>(place)) +
                         "`, an entry of an argument, is not supported yet",
                     place->ranges, "keep the value in a variable of the function");
  }

  const Node* rewrite(const Node* node) {
    if (is_expression(node->kind)) {
      const auto* expression = static_cast<const Expr*>(node);
      if (is<Subscript>(expression) || is<Attribute>(expression)) {
        const Structure* part = reached(expression);
        if (part != nullptr && part->is_leaf())
          return context_.local(names_.at(part), expression->ranges);
        if (part == nullptr && is_missing(expression)) return missing(expression);
      }
      // A left-deep sum of thousands of terms is walked by rewrite_children's own loop where it
      // mentions no argument at all.
      if (!mentions_root(node)) return node;
      return rewrite_children(context_, *node, [&](const Node* child) { return rewrite(child); });
    }
    if (const auto* branch = as<If>(node)) {
      return context_.make<If>(branch->ranges, static_cast<const Expr*>(rewrite(branch->test)),
                               block(branch->body), block(branch->orelse));
    }
    if (const auto* loop = as<For>(node)) {
      return context_.make<For>(loop->ranges, loop->target,
                                static_cast<const Expr*>(rewrite(loop->iterable)),
                                block(loop->body), loop->orelse, loop->is_async);
    }
    if (const auto* repeat = as<While>(node)) {
      return context_.make<While>(repeat->ranges, static_cast<const Expr*>(rewrite(repeat->test)),
                                  block(repeat->body), repeat->orelse);
    }
    if (!mentions_root(node)) return node;
    return rewrite_children(context_, *node, [&](const Node* child) { return rewrite(child); });
  }

  bool mentions_root(const Node* node) const {
    SmallStack<const Node*> stack(node);
    while (!stack.empty()) {
      const Node* top = stack.pop();
      if (const auto* name = as<Name>(top); name != nullptr && roots_.contains(name->symbol))
        return true;
      push_children(stack, *top);
    }
    return false;
  }

  Context& context_;
  std::vector<NamedField>& fields_;
  std::unordered_map<Symbol, const Structure*> roots_;
  std::unordered_map<const Structure*, Symbol> names_;
};

// A literal of a string key as Python spells it.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') result += '\\';
    result += c;
  }
  return result + "'";
}

}  // namespace

std::string spelled(const FieldStep& step) {
  switch (step.form) {
    case FieldStep::Form::Key:
      return "[" + quoted(step.text) + "]";
    case FieldStep::Form::Index:
      return "[" + std::to_string(step.index) + "]";
    case FieldStep::Form::Attribute:
      return "." + step.text;
  }
  return {};
}

namespace {

// Collects what is read of parameters, from a walk that knows what a node is part of.
class FieldReader {
 public:
  // `origins`: which parameters of the differentiated function each parameter is.
  FieldReader(const CoreFunction& core, const std::vector<std::vector<std::size_t>>& origins,
              std::vector<ReadField>& found)
      : origins_(origins), found_(found) {
    for (std::size_t k = 0; k < core.parameters.size(); ++k)
      parameters_.emplace(core.parameters[k]->name, k);
    find_bound(core.body, bound_);
  }

  void run(Block body) {
    for (const Stmt* statement : body) statement_of(statement);
  }

 private:
  void add(const Node* top, bool is_whole) {
    std::vector<FieldStep> steps;
    const auto* node = static_cast<const Expr*>(top);
    FieldStep step;
    while (read_step(node, step)) {
      steps.insert(steps.begin(), step);
      node = base_of(node);
    }
    const auto* root = as<Name>(node);
    if (root == nullptr || root->scope != Scope::Local || (steps.empty() && !is_whole)) return;
    const auto parameter = parameters_.find(root->symbol);
    if (parameter == parameters_.end()) return;
    // What is bound anew, or grows, is no sum of its parts.
    is_whole = is_whole || bound_.contains(root->symbol);
    for (const std::size_t origin : origins_[parameter->second])
      found_.push_back({.parameter = origin, .steps = steps, .is_whole = is_whole});
  }

  void statement_of(const Node* node) {
    const auto* assign = as<Assign>(node);
    if (assign != nullptr && is<TupleDisplay>(assign->targets[0])) {
      const Node* value = assign->value;
      const bool is_chain = is<Name>(value) || is<Attribute>(value) || is<Subscript>(value);
      walk(assign->targets[0], false);
      return walk(value, is_chain);
    }
    if (is_statement(node->kind)) {
      if (const Subscript* place = stored_place(static_cast<const Stmt*>(node)))
        add(place->value, true);
      for_each_child(*node, [&](const Node* child) { statement_of(child); });
      return;
    }
    walk(node, false);
  }

  // `inside`: a constant step of what is around it, or unpacked.
  void walk(const Node* top, bool inside) {
    std::vector<std::pair<const Node*, bool>> stack{{top, inside}};
    while (!stack.empty()) {
      const auto [node, within] = stack.back();
      stack.pop_back();
      FieldStep step;
      // What a function that stays a call gets is read there.
      const bool is_step =
          is_expression(node->kind) && (read_step(static_cast<const Expr*>(node), step) ||
                                        is_pair_call(static_cast<const Expr*>(node)));
      if (is<Name>(node) || is<Attribute>(node) || is<Subscript>(node)) add(node, !within);
      for_each_child(*node, [&](const Node* child) { stack.emplace_back(child, is_step); });
    }
  }

  std::unordered_map<Symbol, std::size_t> parameters_;
  std::unordered_set<Symbol> bound_;
  const std::vector<std::vector<std::size_t>>& origins_;
  std::vector<ReadField>& found_;
};

}  // namespace

std::vector<ReadField> read_fields(const CoreFunction& core) {
  std::vector<ReadField> found;
  std::vector<std::vector<std::size_t>> itself;
  for (std::size_t k = 0; k < core.parameters.size(); ++k) itself.push_back({k});
  FieldReader(core, itself, found).run(core.body);
  for (const ArgumentClass& part : core.classes) {
    ReadField field{.parameter = part.parameter,
                    .steps = {},
                    .is_object = !part.is_absent && !part.is_same,
                    .is_absent = part.is_absent,
                    .is_same = part.is_same};
    for (const Symbol step : part.path)
      field.steps.push_back({.form = FieldStep::Form::Attribute, .text = std::string(step.text())});
    found.push_back(std::move(field));
  }
  if (core.pairs.empty()) return found;
  const auto origins = passed_through(core);
  for (std::size_t k = 0; k < core.pairs.size(); ++k)
    FieldReader(core.pairs[k].core, origins[k], found).run(core.pairs[k].core.body);
  return found;
}

CoreFunction spell_out_argument_dicts(const CoreFunction& core,
                                      const std::vector<Structure>& structures, Context& context) {
  if (std::ranges::all_of(structures,
                          [](const Structure& it) { return it.form == Structure::Form::Leaf; }))
    return core;
  std::vector<NamedField> fields;
  const FieldNamer namer(core, structures, fields, context);
  const StructureOf structure_of = [&](const Expr* node) { return namer.reached(node); };
  const KeysOf keys_of = [&](const Expr* node) { return namer.keys_of(node); };
  CoreFunction result = spell_out_rows(core, structure_of, context);
  result = spell_out_key_loops(result, structure_of, keys_of, context);
  if (!fields.empty()) result.body = spell_out_dicts(result, keys_of, context);
  return result;
}

CoreFunction name_fields(const CoreFunction& core, const std::vector<Structure>& structures,
                         std::vector<NamedField>& fields, Context& context) {
  FieldNamer namer(core, structures, fields, context);
  if (fields.empty()) return core;
  CoreFunction named = core;
  named.body = namer.run(core.body);
  std::vector<const Parameter*> parameters(core.parameters.begin(), core.parameters.end());
  for (const NamedField& field : fields) {
    parameters.push_back(context.make<Parameter>(
        field.parameter == kNoParameter ? core.ranges : core.parameters[field.parameter]->ranges,
        field.name, ParameterKind::Positional, static_cast<const Expr*>(nullptr),
        static_cast<const Expr*>(nullptr)));
  }
  named.parameters = context.list(parameters);
  return named;
}

namespace {

// Where a name is first read or written.
Ranges first_mention(Block body, Symbol symbol) {
  for (const Stmt* statement : body) {
    const Node* found = find_node(statement, [symbol](const Node* node) {
      const auto* name = as<Name>(node);
      return name != nullptr && name->symbol == symbol;
    });
    if (found != nullptr) return found->ranges.empty() ? statement->ranges : found->ranges;
  }
  return {};
}

}  // namespace

Block bind_fields(Block body, const std::vector<NamedField>& fields,
                  const std::function<Symbol(std::string_view)>& fresh, Context& context) {
  std::unordered_set<Symbol> bound;
  find_bound(body, bound);
  std::unordered_map<Symbol, Symbol> names;
  std::vector<const Stmt*> out;
  for (const NamedField& field : fields) {
    if (!bound.contains(field.name)) continue;
    // params['R'] is R, pair[0] is pair_0.
    std::string wish(field.name.text());
    const std::size_t key = wish.rfind("['");
    const std::size_t dot = wish.rfind('.');
    if (wish.ends_with("']") && key != std::string::npos) {
      wish = wish.substr(key + 2, wish.size() - key - 4);
    } else if (dot != std::string::npos) {
      wish = wish.substr(dot + 1);
    }
    std::replace_if(
        wish.begin(), wish.end(), [](char c) { return c == '[' || c == '-' || c == '.'; }, '_');
    std::erase_if(
        wish, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; });
    if (wish.empty() || std::isdigit(static_cast<unsigned char>(wish[0])) != 0)
      wish = "part" + wish;
    const Symbol name = fresh(wish);
    names.emplace(field.name, name);
    out.push_back(context.assign(context.local(name), context.local(field.name),
                                 first_mention(body, field.name)));
  }
  if (names.empty()) return body;
  const std::function<const Node*(const Node*)> renamed = [&](const Node* node) -> const Node* {
    if (const auto* name = as<Name>(node)) {
      const auto found = names.find(name->symbol);
      if (found == names.end() || name->scope != Scope::Local) return node;
      return context.local(found->second, name->ranges);
    }
    return rewrite_children(context, *node, renamed);
  };
  for (const Stmt* statement : body) out.push_back(static_cast<const Stmt*>(renamed(statement)));
  return context.list(out);
}

}  // namespace tangent
