#include "emit/attribute_stores.h"

#include "syntax/visit.h"

namespace tangent {

namespace {

// The call of a statement that sets an attribute; null if it is something else.
const Call* setter_of(const Stmt* statement) {
  const auto* expression = as<ExpressionStatement>(statement);
  const auto* call = expression != nullptr ? as<Call>(expression->value) : nullptr;
  const bool sets = call != nullptr && call->callee.text() == "builtins.setattr" &&
                    call->arguments.size() == 3 && is<Constant>(call->arguments[1]);
  return sets ? call : nullptr;
}

}  // namespace

Block spell_attribute_stores(Block body, Context& context) {
  std::vector<const Stmt*> out;
  for (const Stmt* statement : body) {
    if (const Call* call = setter_of(statement)) {
      const auto* name = static_cast<const Constant*>(call->arguments[1]);
      out.push_back(context.assign(context.make<Attribute>(statement->ranges, call->arguments[0],
                                                           context.symbol(name->value.text)),
                                   call->arguments[2], statement->ranges));
    } else {
      out.push_back(with_blocks(
          context, statement, [&](Block inner) { return spell_attribute_stores(inner, context); }));
    }
  }
  return context.list(out);
}

}  // namespace tangent
