// `x.at[i].set(v)` as a copy and a store; see functional_updates.h.
#include "lower/functional_updates.h"

#include <optional>
#include <vector>

#include "syntax/visit.h"

namespace tangent {

namespace {

// One update: base.at[index].op(value).
struct Update {
  const Expr* base;
  const Expr* index;
  std::optional<BinaryOperator> op;  // nothing: set
  const Expr* value;
};

std::optional<Update> update_of(const Node* node) {
  const auto* call = as<Call>(node);
  const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
  const auto* place = method != nullptr ? as<Subscript>(method->value) : nullptr;
  const auto* at = place != nullptr ? as<Attribute>(place->value) : nullptr;
  if (at == nullptr || at->attribute.text() != "at" || call->arguments.size() != 1 ||
      !call->keywords.empty())
    return std::nullopt;
  Update update{.base = at->value, .index = place->index, .op = {}, .value = call->arguments[0]};
  const std::string_view name = method->attribute.text();
  if (name == "set") return update;
  if (name == "add") update.op = BinaryOperator::Add;
  if (name == "subtract") update.op = BinaryOperator::Subtract;
  if (name == "multiply" || name == "mul") update.op = BinaryOperator::Multiply;
  if (name == "divide") update.op = BinaryOperator::Divide;
  if (!update.op) return std::nullopt;
  return update;
}

class UpdateSpeller {
 public:
  UpdateSpeller(FunctionView<Symbol(std::string_view)> fresh, Context& context)
      : fresh_(fresh), context_(context) {}

  Block block(Block body) {
    std::vector<const Stmt*> outer = std::move(out_);
    out_.clear();
    for (const Stmt* statement : body) spell(statement);
    const Block made = context_.list(out_);
    out_ = std::move(outer);
    return made;
  }

 private:
  static bool has_update(const Node* node) {
    return find_node(node, [](const Node* it) { return update_of(it).has_value(); }) != nullptr;
  }

  static bool reads(const Expr* expression, Symbol name) {
    return find_node(expression, [&](const Node* node) {
             const auto* read = as<Name>(node);
             return read != nullptr && read->symbol == name;
           }) != nullptr;
  }

  void spell(const Stmt* statement) {
    const Stmt* now =
        with_blocks(context_, statement, [this](Block inner) { return block(inner); });
    if (const auto* branch = as<If>(now); branch != nullptr && has_update(branch->test)) {
      const Expr* test = expression(branch->test);
      now = context_.make<If>(now->ranges, test, branch->body, branch->orelse);
    } else if (const auto* loop = as<For>(now); loop != nullptr && has_update(loop->iterable)) {
      const Expr* iterable = expression(loop->iterable);
      now = context_.make<For>(now->ranges, loop->target, iterable, loop->body, loop->orelse,
                               loop->is_async);
    } else if (const auto* assign = as<Assign>(now); assign != nullptr && has_update(now)) {
      const auto* target = assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
      if (const auto update = update_of(assign->value);
          update && target != nullptr && fits(*update, target->symbol)) {
        write(inner(*update), target->symbol, now->ranges);
        return;
      }
      now = context_.make<Assign>(now->ranges, assign->targets, expression(assign->value));
    } else if (!is<If>(now) && !is<For>(now) && !is<While>(now) && has_update(now)) {
      now = static_cast<const Stmt*>(
          rewrite_children(context_, *now, [this](const Node* child) { return rewrite(child); }));
    }
    out_.push_back(now);
  }

  // Whether the target may hold the copy while the value is computed.
  static bool fits(const Update& update, Symbol target) {
    const auto* base = as<Name>(update.base);
    return (base != nullptr && base->symbol == target) ||
           (!reads(update.value, target) && !reads(update.index, target));
  }

  Update inner(const Update& update) {
    Update made = update;
    made.base = expression(update.base);
    made.index = expression(update.index);
    made.value = expression(update.value);
    return made;
  }

  void write(const Update& update, Symbol name, Ranges ranges) {
    const Expr* copied = context_.make<Call>(
        ranges, context_.make<Attribute>(ranges, update.base, context_.symbol("copy")), Symbol(),
        Exprs(), List<const Keyword*>());
    out_.push_back(context_.assign(context_.local(name, ranges), copied, ranges));
    const Expr* place = context_.make<Subscript>(
        ranges, static_cast<const Expr*>(context_.local(name, ranges)), update.index);
    if (update.op) {
      out_.push_back(context_.make<AugmentedAssign>(ranges, place, *update.op, update.value));
    } else {
      out_.push_back(context_.assign(place, update.value, ranges));
    }
  }

  const Expr* expression(const Expr* value) { return static_cast<const Expr*>(rewrite(value)); }

  const Node* rewrite(const Node* node) {
    if (is<Conditional>(node) || is<BooleanOperation>(node) || is<Lambda>(node) ||
        !has_update(node))
      return node;
    if (const auto update = update_of(node)) {
      const Update made = inner(*update);
      const Symbol name = fresh_("updated");
      write(made, name, node->ranges);
      return context_.local(name, node->ranges);
    }
    return rewrite_children(context_, *node, [this](const Node* child) { return rewrite(child); });
  }

  FunctionView<Symbol(std::string_view)> fresh_;
  Context& context_;
  std::vector<const Stmt*> out_;
};

}  // namespace

Block spell_out_updates(Block body, FunctionView<Symbol(std::string_view)> fresh,
                        Context& context) {
  return UpdateSpeller(fresh, context).block(body);
}

}  // namespace tangent
