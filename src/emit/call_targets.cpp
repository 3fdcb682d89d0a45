// One walk over the statements; see call_targets.h.
#include "emit/call_targets.h"

#include "lower/lower.h"
#include "syntax/visit.h"

namespace tangent {

Block spell_call_targets(Block body, Context& context) {
  std::vector<const Stmt*> out;
  for (const Stmt* statement : body) {
    if (written_by_call(statement).empty()) {
      out.push_back(with_blocks(context, statement,
                                [&](Block inner) { return spell_call_targets(inner, context); }));
      continue;
    }
    const auto* assign = static_cast<const Assign*>(statement);
    const Expr* targets = plain_targets(assign, context);
    const auto* several = as<TupleDisplay>(targets);
    if (several != nullptr && several->elements.empty()) {
      out.push_back(context.make<ExpressionStatement>(assign->ranges, assign->value));
    } else {
      out.push_back(context.assign(targets, assign->value, assign->ranges));
    }
  }
  return context.list(out);
}

}  // namespace tangent
