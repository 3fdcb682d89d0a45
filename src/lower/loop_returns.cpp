// A return in a loop -> Break, and a Return after the loop.
//
//     for … :                       returned = False
//         if c: return e            for … :
//                                       if c:
//                                           returned = True
//                                           break
//                                   if returned:
//                                       return e
//
// Nothing happens between the break and the test, so the expression of a lone return is evaluated
// after the loop; several returns assign `result` where they stood. A loop that is left by nothing
// else needs no flag.
#include "lower/exits.h"

namespace tangent::lowering {

namespace {

class LoopReturns {
 public:
  LoopReturns(Context& context, FreshNames& names) : context_(context), names_(names) {}

  Block block(Block statements) {
    if (!exits_.of_block(statements).returns) return statements;
    Statements out;
    out.reserve(statements.size());
    for (const Stmt* statement : statements) {
      if (!exits_.of(statement).returns) {
        out.push_back(statement);
      } else if (const auto* branch = as<If>(statement)) {
        out.push_back(context_.make<If>(branch->ranges, branch->test, block(branch->body),
                                        block(branch->orelse)));
      } else if (is<For>(statement) || is<While>(statement)) {
        leave(*statement, out);
      } else {
        out.push_back(statement);
      }
    }
    return context_.list(out);
  }

 private:
  // What a return inside the loop at hand becomes.
  struct Target {
    Symbol flag;                     // empty: the loop is left by returns only
    Symbol result;                   // empty: there is one return
    const Return* single = nullptr;  // that one
  };

  void leave(const Stmt& loop, Statements& out) {
    const Block body = body_of(loop);
    const bool only_returns = !exits_.of(&loop).falls;
    Target target;
    if (exits_.of(&loop).return_count > 1) target.result = names_.fresh("result");
    if (!only_returns || in_inner_loop(body)) {
      target.flag = names_.fresh("returned");
      out.push_back(assign(target.flag, context_.boolean(false, loop.ranges), loop.ranges));
    }
    out.push_back(with_body(loop, leaving(body, target)));
    const Stmt* exit = target.single;
    if (target.result) {
      exit = context_.make<Return>(loop.ranges, context_.local(target.result, loop.ranges));
    }
    if (only_returns) {
      out.push_back(exit);
    } else {
      out.push_back(context_.make<If>(loop.ranges, context_.local(target.flag, loop.ranges),
                                      context_.list({exit}), Block()));
    }
  }

  Block leaving(Block body, Target& target) {
    if (!exits_.of_block(body).returns) return body;
    Statements out;
    for (const Stmt* statement : body) {
      if (!exits_.of(statement).returns) {
        out.push_back(statement);
      } else if (const auto* exit = as<Return>(statement)) {
        if (target.result) {
          out.push_back(assign(target.result, exit->value, exit->ranges));
        } else {
          target.single = exit;
        }
        if (target.flag) {
          out.push_back(assign(target.flag, context_.boolean(true, exit->ranges), exit->ranges));
        }
        out.push_back(context_.make<Break>(exit->ranges));
      } else if (const auto* branch = as<If>(statement)) {
        out.push_back(context_.make<If>(branch->ranges, branch->test, leaving(branch->body, target),
                                        leaving(branch->orelse, target)));
      } else {
        out.push_back(with_body(*statement, leaving(body_of(*statement), target)));
        const Stmt* outer_break = context_.make<Break>(statement->ranges);
        if (!exits_.of(statement).falls) {
          out.push_back(outer_break);
        } else {
          out.push_back(context_.make<If>(statement->ranges,
                                          context_.local(target.flag, statement->ranges),
                                          context_.list({outer_break}), Block()));
        }
      }
    }
    return context_.list(out);
  }

  // Whether a flag has to carry a return out of a loop inside this body.
  bool in_inner_loop(Block body) {
    for (const Stmt* statement : body) {
      const Exits exits = exits_.of(statement);
      if (!exits.returns) continue;
      if (const auto* branch = as<If>(statement)) {
        if (in_inner_loop(branch->body) || in_inner_loop(branch->orelse)) return true;
      } else if (!is<Return>(statement) && (exits.falls || in_inner_loop(body_of(*statement)))) {
        return true;
      }
    }
    return false;
  }

  const Stmt* assign(Symbol name, const Expr* value, Ranges ranges) {
    return context_.assign(context_.local(name, ranges), value, ranges);
  }

  static Block body_of(const Stmt& loop) {
    if (const auto* each = as<For>(&loop)) return each->body;
    return static_cast<const While&>(loop).body;
  }
  const Stmt* with_body(const Stmt& loop, Block body) {
    if (const auto* each = as<For>(&loop)) {
      return context_.make<For>(each->ranges, each->target, each->iterable, body, Block(), false);
    }
    const auto& repeat = static_cast<const While&>(loop);
    return context_.make<While>(repeat.ranges, repeat.test, body, Block());
  }

  Context& context_;
  FreshNames& names_;
  ExitTable exits_;
};

}  // namespace

Block without_loop_returns(Context& context, FreshNames& names, Block block) {
  return LoopReturns(context, names).block(block);
}

}  // namespace tangent::lowering
