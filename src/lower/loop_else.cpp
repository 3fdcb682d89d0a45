// Loop `else` -> statements after the loop, under a test where the loop can break.
//
//     for … :                broke = False
//         if c: break        for … :
//     else:                      if c:
//         E                          broke = True
//                                    break
//                            if not broke:
//                                E
#include "lower/exits.h"

namespace tangent::lowering {

namespace {

class LoopElse {
 public:
  LoopElse(Context& context, FreshNames& names) : context_(context), names_(names) {}

  Block block(Block statements) {
    Statements out;
    out.reserve(statements.size());
    for (const Stmt* statement : statements) append(*statement, out);
    return context_.list(out);
  }

 private:
  void append(const Stmt& statement, Statements& out) {
    if (const auto* branch = as<If>(&statement)) {
      out.push_back(context_.make<If>(branch->ranges, branch->test, block(branch->body),
                                      block(branch->orelse)));
    } else if (const auto* loop = as<For>(&statement)) {
      split(*loop, loop->body, loop->orelse, out, [&](Block body) -> const Stmt* {
        return context_.make<For>(loop->ranges, loop->target, loop->iterable, body, Block(), false);
      });
    } else if (const auto* loop = as<While>(&statement)) {
      split(*loop, loop->body, loop->orelse, out, [&](Block body) -> const Stmt* {
        return context_.make<While>(loop->ranges, loop->test, body, Block());
      });
    } else {
      out.push_back(&statement);
    }
  }

  template <class Make>
  void split(const Stmt& loop, Block body, Block orelse, Statements& out, Make make) {
    const bool breaks = exits_.of_block(body).breaks;
    body = block(body);
    if (orelse.empty()) {
      out.push_back(make(body));
    } else if (!breaks) {
      out.push_back(make(body));
      for (const Stmt* statement : orelse) append(*statement, out);
    } else {
      const Symbol flag = names_.fresh("broke");
      out.push_back(assign(flag, false, loop.ranges));
      out.push_back(make(marked(body, flag)));
      append_if(context_, negated(context_, context_.local(flag, loop.ranges)), block(orelse),
                Block(), loop.ranges, out);
    }
  }

  const Stmt* assign(Symbol flag, bool value, Ranges ranges) {
    return context_.assign(context_.local(flag, ranges), context_.boolean(value, ranges), ranges);
  }

  // `flag = True` before every break of this loop; loops inside have breaks of their own.
  Block marked(Block body, Symbol flag) {
    Statements out;
    for (const Stmt* statement : body) {
      if (is<Break>(statement)) out.push_back(assign(flag, true, statement->ranges));
      if (const auto* branch = as<If>(statement)) {
        out.push_back(context_.make<If>(branch->ranges, branch->test, marked(branch->body, flag),
                                        marked(branch->orelse, flag)));
      } else {
        out.push_back(statement);
      }
    }
    return context_.list(out);
  }

  Context& context_;
  FreshNames& names_;
  ExitTable exits_;
};

}  // namespace

Block without_loop_else(Context& context, FreshNames& names, Block block) {
  return LoopElse(context, names).block(block);
}

}  // namespace tangent::lowering
