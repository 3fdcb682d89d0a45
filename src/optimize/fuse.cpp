// Branch fusion at the turning point: a test that ends the forward part and begins the backward
// part is made once.
//
//     if c:                              if c:
//         y = e                              y = e
//     else:                                  by = …
//         y = f                 ->       else:
//     if c:                                  y = f
//         by = …                             by = …
//     else:
//         by = …
//
// Precondition: nothing in the first branch writes what the test reads.
#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

bool is_blank(const Stmt* statement) {
  const auto* comment = as<Comment>(statement);
  return comment != nullptr && comment->text.empty();
}

}  // namespace

Block fuse_branches(Block body, const PassInput& input) {
  std::size_t turn = 0;
  while (turn < body.size() && !is_blank(body[turn])) ++turn;
  if (turn == 0 || turn + 1 >= body.size()) return body;
  const auto* first = as<If>(body[turn - 1]);
  const auto* second = as<If>(body[turn + 1]);
  if (first == nullptr || second == nullptr || !equal(first->test, second->test)) return body;
  bool writes = false;
  for_each_definition(first,
                      [&](Symbol symbol) { writes = writes || mentions(first->test, symbol); });
  if (writes || !input.effects.is_pure(first->test)) return body;
  Context& context = input.context;
  auto both = [&](Block a, Block b) {
    std::vector<const Stmt*> all(a.begin(), a.end());
    all.insert(all.end(), b.begin(), b.end());
    return context.list(all);
  };
  std::vector<const Stmt*> out(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(turn - 1));
  if (!out.empty()) out.push_back(body[turn]);
  out.push_back(context.make<If>(context.merge(first->ranges, second->ranges), first->test,
                                 both(first->body, second->body),
                                 both(first->orelse, second->orelse)));
  out.insert(out.end(), body.begin() + static_cast<std::ptrdiff_t>(turn + 2), body.end());
  return context.list(out);
}

}  // namespace tangent
