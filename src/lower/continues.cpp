// `continue` -> the rest of the loop's body under an If.
//
//     for … :                 for … :
//         if c: continue          if not c:
//         S                           S
//
// Where both arms of an If go on to the rest, a flag `skipped` decides.
#include "base/diagnostics.h"
#include "lower/exits.h"

namespace tangent::lowering {

bool SkipRewriter::is_exit(const Stmt* statement) const {
  return exit_ == Exit::Continue ? is<Continue>(statement) : is<Return>(statement);
}

bool SkipRewriter::contains_exit(const Exits& exits) const {
  return exit_ == Exit::Continue ? exits.continues : exits.returns;
}

void SkipRewriter::rewrite(Block block, const Rest* rest, Symbol flag, Statements& out) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Stmt* statement = block[i];
    const Ranges ranges = statement->ranges;
    if (is_exit(statement)) {
      if (const auto* exit = as<Return>(statement); exit != nullptr && result_) {
        out.push_back(context_.assign(context_.local(result_, ranges), exit->value, ranges));
      }
      if (flag) {
        out.push_back(
            context_.assign(context_.local(flag, ranges), context_.boolean(true, ranges), ranges));
      }
      return;
    }
    const Exits exits = exits_.of(statement);
    if (!contains_exit(exits)) {
      out.push_back(statement);
      if (!exits.falls) return;
      continue;
    }
    const auto* branch = as<If>(statement);
    if (branch == nullptr) throw InternalError("an exit in a loop that was not taken out of it");
    const Rest after{block.subspan(i + 1), rest};
    const bool body_falls = exits_.of_block(branch->body).falls;
    const bool else_falls = exits_.of_block(branch->orelse).falls;
    const bool both = body_falls && else_falls && !is_empty(&after);
    Symbol skipped = flag;
    if (both && !flag) {
      skipped = names_.fresh("skipped");
      out.push_back(context_.assign(context_.local(skipped, ranges),
                                    context_.boolean(false, ranges), ranges));
    }
    Statements body;
    Statements orelse;
    rewrite(branch->body, body_falls && !both ? &after : nullptr, skipped, body);
    rewrite(branch->orelse, else_falls && !both ? &after : nullptr, skipped, orelse);
    append_if(context_, branch->test, context_.list(body), context_.list(orelse), ranges, out);
    if (both) {
      Statements remaining;
      rewrite(after.statements, after.next, flag, remaining);
      append_if(context_, negated(context_, context_.local(skipped, ranges)),
                context_.list(remaining), Block(), ranges, out);
    }
    return;
  }
  if (rest != nullptr) rewrite(rest->statements, rest->next, flag, out);
}

namespace {

class Continues {
 public:
  Continues(Context& context, FreshNames& names)
      : context_(context), skip_(context, names, exits_, SkipRewriter::Exit::Continue, Symbol()) {}

  Block block(Block statements) {
    Statements out;
    out.reserve(statements.size());
    for (const Stmt* statement : statements) {
      if (const auto* branch = as<If>(statement)) {
        out.push_back(context_.make<If>(branch->ranges, branch->test, block(branch->body),
                                        block(branch->orelse)));
      } else if (const auto* loop = as<For>(statement)) {
        out.push_back(context_.make<For>(loop->ranges, loop->target, loop->iterable,
                                         body(*loop, loop->body), Block(), false));
      } else if (const auto* loop = as<While>(statement)) {
        out.push_back(
            context_.make<While>(loop->ranges, loop->test, body(*loop, loop->body), Block()));
      } else {
        out.push_back(statement);
      }
    }
    return context_.list(out);
  }

 private:
  Block body(const Stmt& loop, Block statements) {
    statements = block(statements);
    if (!exits_.of_block(statements).continues) return statements;
    Statements out;
    skip_.rewrite(statements, nullptr, Symbol(), out);
    if (out.empty()) out.push_back(context_.make<Pass>(loop.ranges));
    return context_.list(out);
  }

  Context& context_;
  ExitTable exits_;
  SkipRewriter skip_;
};

}  // namespace

Block without_continues(Context& context, FreshNames& names, Block block) {
  return Continues(context, names).block(block);
}

}  // namespace tangent::lowering
