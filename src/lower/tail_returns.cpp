// Early returns -> the rest of the function in the branch that does not return.
//
//     if c: return a          if c:
//     S                           return a
//     return b                else:
//                                 S
//                                 return b
//
// A path that reaches the end without a return gets `return None`. Where both arms of an If go on
// to the rest, a flag `returned` and a name `result` carry the return past it; only a bare
// `return name` is written twice instead.
#include "lower/exits.h"

namespace tangent::lowering {

namespace {

class TailReturns {
 public:
  TailReturns(Context& context, FreshNames& names) : context_(context), names_(names) {}

  void tail(Block block, const Rest* rest, Ranges end, Statements& out) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Stmt* statement = block[i];
      end = statement->ranges;
      const Exits exits = exits_.of(statement);
      if (is<Return>(statement) || !exits.returns) {
        out.push_back(statement);
        if (!exits.falls) return;
        continue;
      }
      const auto& branch = static_cast<const If&>(*statement);
      const Rest after{block.subspan(i + 1), rest};
      const bool body_falls = exits_.of_block(branch.body).falls;
      const bool else_falls = exits_.of_block(branch.orelse).falls;
      if (body_falls && else_falls && !may_be_written_twice(&after))
        return flagged(branch, after, out);
      Statements body;
      Statements orelse;
      tail(branch.body, body_falls ? &after : nullptr, end, body);
      tail(branch.orelse, else_falls ? &after : nullptr, end, orelse);
      out.push_back(context_.make<If>(branch.ranges, branch.test, context_.list(body),
                                      context_.list(orelse)));
      return;
    }
    if (rest != nullptr) return tail(rest->statements, rest->next, end, out);
    out.push_back(context_.make<Return>(end, context_.none(end)));
  }

 private:
  void flagged(const If& branch, const Rest& after, Statements& out) {
    const Ranges ranges = branch.ranges;
    const Symbol flag = names_.fresh("returned");
    const Symbol result = names_.fresh("result");
    out.push_back(
        context_.assign(context_.local(flag, ranges), context_.boolean(false, ranges), ranges));
    SkipRewriter skip(context_, names_, exits_, SkipRewriter::Exit::Return, result);
    Statements body;
    Statements orelse;
    skip.rewrite(branch.body, nullptr, flag, body);
    skip.rewrite(branch.orelse, nullptr, flag, orelse);
    append_if(context_, branch.test, context_.list(body), context_.list(orelse), ranges, out);
    Statements remaining;
    tail(after.statements, after.next, ranges, remaining);
    const Stmt* exit = context_.make<Return>(ranges, context_.local(result, ranges));
    out.push_back(context_.make<If>(ranges, context_.local(flag, ranges), context_.list({exit}),
                                    context_.list(remaining)));
  }

  // Nothing but the function's end, or `return name`.
  static bool may_be_written_twice(const Rest* rest) {
    for (; rest != nullptr; rest = rest->next) {
      if (rest->statements.empty()) continue;
      const auto* exit = as<Return>(rest->statements.front());
      return exit != nullptr && is_name_or_constant(exit->value);
    }
    return true;
  }

  Context& context_;
  FreshNames& names_;
  ExitTable exits_;
};

}  // namespace

Block with_tail_returns(Context& context, FreshNames& names, Block block) {
  Statements out;
  TailReturns(context, names).tail(block, nullptr, Ranges(), out);
  return context.list(out);
}

}  // namespace tangent::lowering
