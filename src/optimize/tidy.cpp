// Tidying: empty branches, comments that describe nothing, blank lines at the edges.
#include <algorithm>

#include "optimize/passes.h"

namespace tangent {

namespace {

class Tidy {
 public:
  explicit Tidy(const PassInput& input) : input_(input) {}

  Block block(Block statements) {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : statements) {
      if (const Stmt* kept = tidy(statement)) out.push_back(kept);
    }
    // A comment stands in front of what it describes.
    std::vector<const Stmt*> described;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto* comment = as<Comment>(out[k]);
      const bool last = k + 1 == out.size();
      if (comment != nullptr && comment->text.empty()) {
        if (last || described.empty()) continue;
      } else if (comment != nullptr && (last || is<Comment>(out[k + 1]))) {
        continue;
      }
      described.push_back(out[k]);
    }
    return input_.context.list(described);
  }

 private:
  static bool is_empty(Block block) {
    return std::all_of(block.begin(), block.end(), [](const Stmt* statement) {
      return is<Comment>(statement) || is<Pass>(statement);
    });
  }

  const Stmt* tidy(const Stmt* statement) {
    Context& context = input_.context;
    if (const auto* branch = as<If>(statement)) {
      Block body = block(branch->body);
      Block orelse = block(branch->orelse);
      if (is_empty(body) && !is_empty(orelse)) {
        return context.make<If>(branch->ranges, inverse(branch->test), orelse, Block());
      }
      if (is_empty(body)) body = context.list<const Stmt*>({context.make<Pass>(statement->ranges)});
      return context.make<If>(branch->ranges, branch->test, body,
                              is_empty(orelse) ? Block() : orelse);
    }
    if (const auto* loop = as<For>(statement)) {
      Block body = block(loop->body);
      if (is_empty(body)) body = context.list<const Stmt*>({context.make<Pass>(statement->ranges)});
      return context.make<For>(loop->ranges, loop->target, loop->iterable, body, Block(), false);
    }
    if (const auto* repeat = as<While>(statement)) {
      Block body = block(repeat->body);
      if (is_empty(body)) body = context.list<const Stmt*>({context.make<Pass>(statement->ranges)});
      return context.make<While>(repeat->ranges, repeat->test, body, Block());
    }
    return statement;
  }

  // `not test`, without a double negation. Comparisons are not turned around: nan is neither.
  const Expr* inverse(const Expr* test) {
    if (const auto* inverted = as<UnaryOperation>(test);
        inverted && inverted->op == UnaryOperator::Not) {
      return inverted->operand;
    }
    if (const auto* comparison = as<Comparison>(test); comparison && comparison->ops.size() == 1) {
      using enum ComparisonOperator;
      const ComparisonOperator op = comparison->ops[0];
      const ComparisonOperator other = op == Equal      ? NotEqual
                                       : op == NotEqual ? Equal
                                       : op == Is       ? IsNot
                                       : op == IsNot    ? Is
                                       : op == In       ? NotIn
                                       : op == NotIn    ? In
                                                        : op;
      if (other != op) {
        return input_.context.make<Comparison>(test->ranges, comparison->left,
                                               input_.context.list<ComparisonOperator>({other}),
                                               comparison->comparators);
      }
    }
    return input_.context.make<UnaryOperation>(test->ranges, UnaryOperator::Not, test);
  }

  const PassInput& input_;
};

}  // namespace

Block tidy(Block body, const PassInput& input) { return Tidy(input).block(body); }

}  // namespace tangent
