// Values of the primal that a tangent reads, names in between, and the order in which it all is
// written; see forward.h.
//
// A call, a product of matrices or a reduction that both the primal and the tangent need gets a
// name in front of the statement ("hoist"); arithmetic, comparison, indexing and shapes are
// computed again.
#include "autodiff/forward.h"
#include "autodiff/free_calls.h"
#include "autodiff/reverse.h"

namespace tangent {

Symbol Forward::fresh(std::string_view wish) {
  std::vector<Symbol>& names = fresh_[current_];
  const std::size_t index = fresh_count_++;
  if (index < names.size()) return names[index];
  names.push_back(names_.fresh(wish));
  return names.back();
}

Symbol Forward::tangent_name(Symbol variable) {
  const auto found = tangents_.find(variable);
  if (found != tangents_.end()) return found->second;
  const Symbol name = names_.fresh("d" + std::string(last_step(variable.text())));
  tangents_.emplace(variable, name);
  tangent_names_.insert(name);
  Type type = type_of(variable);
  if (type.is_numeric()) {
    if (!has_slopes(type.dtype)) type.dtype = DType::Float64;
    if (type.is_number()) type = Type::number(type.dtype);
    typing_.declare(name, type);
  }
  return name;
}

Type Forward::type_of(Symbol variable) const {
  const auto found = function_.variables.find(variable);
  return found != function_.variables.end() ? found->second : Type::unknown();
}

const Call* Forward::call_helper(std::string_view name, const std::vector<const Expr*>& arguments) {
  return context_.make<Call>({}, rule_names_.helper(name),
                             context_.symbol("tangent.runtime." + std::string(name)),
                             context_.list(arguments), List<const Keyword*>());
}

const Expr* Forward::copied(const Expr* made) {
  const Type type = typing_.of(made);
  const Expr* copy = type.is_array() || type.is_number()
                         ? static_cast<const Expr*>(algebra_.numpy_call("copy", {made}))
                         : call_helper("_own", {made});
  typing_.set(copy, type);
  return copy;
}

// The same place of another array.
const Expr* Forward::place_in(const Expr* place, const Expr* base) {
  const auto* subscript = as<Subscript>(place);
  if (subscript == nullptr) return base;
  const Expr* result =
      context_.make<Subscript>({}, place_in(subscript->value, base), primal(subscript->index));
  Type type = typing_.of(place);
  if (type.is_numeric() && !has_slopes(type.dtype)) type.dtype = DType::Float64;
  typing_.set(result, type);
  return result;
}

// ---------------------------------------------------------------------------------------------------
// Values of the primal

const Expr* Forward::primal(const Expr* node) {
  if (node == current_value_ && current_result_) return context_.local(current_result_);
  if (const auto found = replaced_.find(node); found != replaced_.end())
    return context_.local(found->second);
  switch (node->kind) {
    case Kind::Name:
    case Kind::Constant:
      return node;
    case Kind::Call:
      if (!is_free_call(static_cast<const Call*>(node)) &&
          (reads_locals(node) || !effects_.is_pure(node)))
        return hoist(node);
      break;
    case Kind::BinaryOperation:
      if (static_cast<const BinaryOperation*>(node)->op == BinaryOperator::MatrixMultiply)
        return hoist(node);
      break;
    case Kind::FormattedString:
    case Kind::Comprehension:
    case Kind::Lambda:
      return hoist(node);
    default:
      break;
  }
  const auto* made = static_cast<const Expr*>(
      rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
        if (!is_expression(child->kind)) return child;
        return primal(static_cast<const Expr*>(child));
      }));
  if (made != node && !is<Slice>(node)) typing_.set(made, typing_.of(node));
  return made;
}

const Expr* Forward::hoist(const Expr* node) {
  const auto found = replaced_.find(node);
  if (found != replaced_.end()) return context_.local(found->second);
  if (arm_depth_ > 0) {
    refuse(DiagnosticKind::UnsupportedSyntax, node,
           "this part of a conditional expression would have to be kept for the derivative",
           "write the conditional expression as an if statement");
  }
  // Equal values of one statement are one.
  if (effects_.is_pure(node)) {
    for (const auto& [other, name] : replaced_) {
      if (!equal(other, node)) continue;
      replaced_.emplace(node, name);
      return context_.local(replaced_.at(node));
    }
  }
  const Symbol name = fresh(Reverse::name_for(node));
  replaced_.emplace(node, name);
  typing_.declare(name, typing_.of(node));
  return context_.local(name);
}

const Expr* Forward::replaced(const Expr* node) {
  if (replaced_.empty()) return node;
  const auto found = replaced_.find(node);
  if (found != replaced_.end()) return context_.local(found->second);
  return static_cast<const Expr*>(
      rewrite_children(context_, *node, [&](const Node* child) -> const Node* {
        if (is_expression(child->kind)) return replaced(static_cast<const Expr*>(child));
        const auto* keyword = as<Keyword>(child);
        if (keyword == nullptr) return child;
        const Expr* value = replaced(keyword->value);
        if (value == keyword->value) return child;
        return context_.make<Keyword>(keyword->ranges, keyword->name, value);
      }));
}

void Forward::flush_hoists(const std::vector<const Expr*>& roots) {
  if (replaced_.empty()) return;
  // In the order in which Python evaluates: operands first, from left to right.
  std::vector<const Expr*> order;
  const std::function<void(const Node*, bool)> walk = [&](const Node* node, bool sometimes) {
    if (const auto* conditional = as<Conditional>(node)) {
      walk(conditional->test, sometimes);
      walk(conditional->body, true);
      walk(conditional->orelse, true);
    } else if (const auto* operation = as<BooleanOperation>(node)) {
      bool first = true;
      for (const Expr* value : operation->values) {
        walk(value, sometimes || !first);
        first = false;
      }
    } else {
      for_each_child(*node, [&](const Node* child) { walk(child, sometimes); });
    }
    if (!is_expression(node->kind)) return;
    const auto* expression = static_cast<const Expr*>(node);
    const bool kept = replaced_.contains(node);
    if (kept || (!sometimes && is<Call>(node) && !effects_.is_pure(node)))
      order.push_back(expression);
  };
  for (const Expr* root : roots) walk(root, false);
  // What has effects is evaluated before what is kept by name behind it, as the user wrote it.
  while (!order.empty() && !replaced_.contains(order.back())) order.pop_back();
  for (const Expr* each : order) {
    if (!replaced_.contains(each)) {
      const Symbol name = fresh(Reverse::name_for(each));
      replaced_.emplace(each, name);
      typing_.declare(name, typing_.of(each));
    }
  }
  std::unordered_set<Symbol> written;
  for (const Expr* each : order) {
    const Symbol name = replaced_.at(each);
    if (!written.insert(name).second) continue;
    const auto* value = static_cast<const Expr*>(
        rewrite_children(context_, *each, [&](const Node* child) -> const Node* {
          if (is_expression(child->kind)) return replaced(static_cast<const Expr*>(child));
          const auto* keyword = as<Keyword>(child);
          if (keyword == nullptr) return child;
          return context_.make<Keyword>(keyword->ranges, keyword->name, replaced(keyword->value));
        }));
    kept_.insert(name);
    emit_primal(context_.assign(context_.local(name), value,
                                current_ != nullptr ? current_->ranges : Ranges()));
  }
}

// ---------------------------------------------------------------------------------------------------
// Writing

Linear Forward::named(std::string_view wish, const Linear& value, const Type& type) {
  if (arm_depth_ > 0) return value;
  const Symbol name = fresh(wish);
  tangent_names_.insert(name);
  typing_.declare(name, type);
  temporaries_.emplace_back(name, algebra_.build(value));
  Linear result = algebra_.of(context_.local(name));
  result.lazy = value.lazy;
  return result;
}

void Forward::emit_primal(const Stmt* statement) {
  out_->push_back(statement);
  primal_.insert(statement);
}

void Forward::emit_temporaries() {
  for (const auto& [name, expression] : temporaries_) {
    emit(context_.assign(context_.local(name), expression,
                         current_ != nullptr ? current_->ranges : Ranges()));
  }
  temporaries_.clear();
}

const Expr* Forward::renamed(const Expr* expression, Symbol from, Symbol to) {
  if (from == to || !mentions(expression, from)) return expression;
  const std::function<const Node*(const Node*)> rename = [&](const Node* node) -> const Node* {
    if (const auto* name = as<Name>(node))
      return name->symbol == from ? context_.local(to, name->ranges) : node;
    return rewrite_children(context_, *node, rename);
  };
  const auto* made = static_cast<const Expr*>(rename(expression));
  typing_.set(made, typing_.of(expression));
  return made;
}

}  // namespace tangent
