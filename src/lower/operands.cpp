// Operands in evaluation order: when a later one needs statements, the earlier ones are bound
// first.
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

void add_target(const Expr* target, std::vector<Symbol>& names) {
  if (const auto* name = as<Name>(target)) names.push_back(name->symbol);
  if (const auto* tuple = as<TupleDisplay>(target)) {
    for (const Expr* element : tuple->elements) add_target(element, names);
  }
}

// Whether the value of a core expression is the same after these names were assigned.
bool stays(const Expr* core, const std::vector<Symbol>& assigned) {
  if (!is_simple(core)) return false;
  const Expr* root = core;
  while (true) {
    if (const auto* attribute = as<Attribute>(root)) {
      root = attribute->value;
    } else if (const auto* unary = as<UnaryOperation>(root)) {
      root = unary->operand;
    } else {
      break;
    }
  }
  if (const auto* tuple = as<TupleDisplay>(root)) {
    return std::ranges::all_of(tuple->elements, [&](const Expr* e) { return stays(e, assigned); });
  }
  const auto* name = as<Name>(root);
  return name == nullptr || name->scope == Scope::Global ||
         std::ranges::find(assigned, name->symbol) == assigned.end();
}

// `item = xs.pop()`: takes from a list, and does nothing to any other value.
bool is_taking(const Stmt* statement) {
  const auto* assign = as<Assign>(statement);
  const auto* call = assign != nullptr ? as<Call>(assign->value) : nullptr;
  const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
  return method != nullptr && method->attribute.text() == "pop" && call->arguments.empty() &&
         call->keywords.empty() && is<Name>(assign->targets[0]);
}

// Sums and products of values that stay: the same before and behind what only takes from a list.
bool stays_as_arithmetic(const Expr* core, const std::vector<Symbol>& assigned) {
  using enum BinaryOperator;
  // A long sum is a tree as deep.
  while (const auto* operation = as<BinaryOperation>(core)) {
    if (operation->op != Add && operation->op != Subtract && operation->op != Multiply)
      return false;
    if (!stays_as_arithmetic(operation->right, assigned)) return false;
    core = operation->left;
  }
  return stays(core, assigned);
}

}  // namespace

bool stays_after(const Expr* core, std::span<const Stmt* const> statements) {
  if (!is_simple(core)) return false;
  std::vector<Symbol> assigned;
  collect_assigned(statements, assigned);
  return stays(core, assigned);
}

void collect_assigned(std::span<const Stmt* const> statements, std::vector<Symbol>& names) {
  for (const Stmt* statement : statements) {
    // An element that is stored leaves the name with the same array.
    if (const auto* assign = as<Assign>(statement)) {
      for (const Expr* target : assign->targets) add_target(target, names);
    } else if (const auto* augmented = as<AugmentedAssign>(statement)) {
      add_target(augmented->target, names);
    } else if (const auto* branch = as<If>(statement)) {
      collect_assigned(branch->body, names);
      collect_assigned(branch->orelse, names);
    } else if (const auto* loop = as<For>(statement)) {
      add_target(loop->target, names);
      collect_assigned(loop->body, names);
    } else if (const auto* loop = as<While>(statement)) {
      collect_assigned(loop->body, names);
    }
  }
}

bool stores(std::span<const Stmt* const> statements) {
  return std::ranges::any_of(statements, [](const Stmt* statement) {
    if (const auto* branch = as<If>(statement))
      return stores(branch->body) || stores(branch->orelse);
    if (const auto* loop = as<For>(statement)) return stores(loop->body);
    if (const auto* repeat = as<While>(statement)) return stores(repeat->body);
    return stored_place(statement) != nullptr;
  });
}

bool is_simple(const Expr* core) {
  switch (core->kind) {
    case Kind::Constant:
    case Kind::Name:
      return true;
    case Kind::UnaryOperation: {
      const auto& unary = static_cast<const UnaryOperation&>(*core);
      return unary.op == UnaryOperator::Minus && is<Constant>(unary.operand);
    }
    case Kind::Attribute: {
      // np.pi: a path that starts at a global. Attributes of values may be computed.
      const Expr* root = core;
      while (const auto* attribute = as<Attribute>(root)) root = attribute->value;
      const auto* name = as<Name>(root);
      return name != nullptr && name->scope == Scope::Global;
    }
    case Kind::TupleDisplay:
      return std::ranges::all_of(static_cast<const TupleDisplay&>(*core).elements, is_simple);
    default:
      return false;
  }
}

void Lowering::operands(std::span<const Expr* const> written, std::span<const Expr*> values) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::size_t mark = out_->size();
    values[i] = expression(written[i]);
    if (out_->size() > mark && i > 0) protect(values.first(i), mark);
  }
}

void Lowering::protect(std::span<const Expr*> earlier, std::size_t mark) {
  std::vector<Symbol> assigned;
  bool collected = false;
  Statements temporaries;
  for (const Expr*& value : earlier) {
    if (value == nullptr || is<Constant>(value)) continue;
    if (is_simple(value)) {
      if (!collected) {
        collect_assigned(std::span(*out_).subspan(mark), assigned);
        collected = true;
      }
      if (const Object* object = object_of(value); object != nullptr && object->rebound) {
        // Another object in its place would be read under its name.
        for (const auto& [attribute, binding] : object->fields) {
          if (std::ranges::find(assigned, binding.variable) != assigned.end())
            refuse(*value, "an object is replaced while it is an operand",
                   "evaluate what replaces it in a statement of its own");
        }
      }
      if (stays(value, assigned)) continue;
    }
    if (is<BinaryOperation>(value) &&
        std::ranges::all_of(std::span(*out_).subspan(mark), is_taking)) {
      collect_assigned(std::span(*out_).subspan(mark), assigned);
      if (stays_as_arithmetic(value, assigned)) continue;
    }
    const Statements binding =
        collect([&] { value = bind_temporary(value, describe(value), value->ranges); });
    temporaries.insert(temporaries.end(), binding.begin(), binding.end());
  }
  out_->insert(out_->begin() + static_cast<std::ptrdiff_t>(mark), temporaries.begin(),
               temporaries.end());
}

const Expr* Lowering::bind_temporary(const Expr* value, std::string_view wish, Ranges ranges) {
  if (is_known(value)) return kept_known(value, ranges);
  const Symbol name = names_.fresh(wish);
  note_holding(name, holding_of(value), at(ranges));
  emit(context_.assign(context_.local(name, value->ranges), value, at(ranges)));
  return context_.local(name, value->ranges);
}

}  // namespace tangent::lowering
