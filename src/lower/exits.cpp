// The facts about control flow that the steps of exits.h share.
#include "lower/exits.h"

namespace tangent::lowering {

const Exits& ExitTable::of(const Stmt* statement) {
  const auto found = known_.find(statement);
  if (found != known_.end()) return found->second;
  const Exits exits = find(*statement);
  return known_.emplace(statement, exits).first->second;
}

Exits ExitTable::of_block(Block block) {
  Exits all;
  for (const Stmt* statement : block) {
    const Exits& one = of(statement);
    all.falls = all.falls && one.falls;
    all.returns = all.returns || one.returns;
    all.breaks = all.breaks || one.breaks;
    all.continues = all.continues || one.continues;
    all.return_count += one.return_count;
  }
  return all;
}

Exits ExitTable::find(const Stmt& statement) {
  Exits exits;
  switch (statement.kind) {
    case Kind::Return:
      exits.returns = true;
      exits.return_count = 1;
      exits.falls = false;
      break;
    case Kind::Break:
      exits.breaks = true;
      exits.falls = false;
      break;
    case Kind::Continue:
      exits.continues = true;
      exits.falls = false;
      break;
    case Kind::Raise:
      exits.falls = false;
      break;
    case Kind::If: {
      const auto& branch = static_cast<const If&>(statement);
      const Exits body = of_block(branch.body);
      exits = of_block(branch.orelse);
      exits.falls = exits.falls || body.falls;
      exits.returns = exits.returns || body.returns;
      exits.breaks = exits.breaks || body.breaks;
      exits.continues = exits.continues || body.continues;
      exits.return_count += body.return_count;
      break;
    }
    case Kind::For: {
      const auto& loop = static_cast<const For&>(statement);
      const Exits body = of_block(loop.body);
      exits = of_block(loop.orelse);
      exits.falls = exits.falls || body.breaks;
      exits.returns = exits.returns || body.returns;
      exits.return_count += body.return_count;
      break;
    }
    case Kind::While: {
      const auto& loop = static_cast<const While&>(statement);
      const Exits body = of_block(loop.body);
      exits = of_block(loop.orelse);
      exits.falls = body.breaks || (exits.falls && !is_always_true(loop.test));
      exits.returns = exits.returns || body.returns;
      exits.return_count += body.return_count;
      break;
    }
    default:
      break;
  }
  return exits;
}

bool is_empty(const Rest* rest) {
  for (; rest != nullptr; rest = rest->next) {
    if (!rest->statements.empty()) return false;
  }
  return true;
}

bool is_always_true(const Expr* test) {
  const auto* constant = as<Constant>(test);
  if (constant == nullptr) return false;
  return constant->value.kind == LiteralKind::True ||
         (constant->value.kind == LiteralKind::Integer && constant->value.integer != 0);
}

bool is_name_or_constant(const Expr* expression) {
  return is<Name>(expression) || is<Constant>(expression);
}

const Expr* negated(Context& context, const Expr* test) {
  if (const auto* unary = as<UnaryOperation>(test); unary && unary->op == UnaryOperator::Not) {
    return unary->operand;
  }
  return context.make<UnaryOperation>(test->ranges, UnaryOperator::Not, test);
}

void append_if(Context& context, const Expr* test, Block body, Block orelse, Ranges ranges,
               Statements& out) {
  if (body.empty() && orelse.empty()) {
    // The test is evaluated for what it may do or raise.
    if (!is<Constant>(test)) out.push_back(context.make<ExpressionStatement>(ranges, test));
  } else if (body.empty()) {
    out.push_back(context.make<If>(ranges, negated(context, test), orelse, Block()));
  } else {
    out.push_back(context.make<If>(ranges, test, body, orelse));
  }
}

}  // namespace tangent::lowering
