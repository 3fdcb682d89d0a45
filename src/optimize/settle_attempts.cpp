// Attempts that cannot fail (settle_attempts.h).
#include "optimize/settle_attempts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/effects.h"
#include "autodiff/typing.h"
#include "syntax/attempts.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class AttemptSettler {
 public:
  AttemptSettler(const TypedFunction& typed, RuleBook& rules, Context& context)
      : context_(context),
        typing_(typed, rules, context),
        effects_([this](const Expr* expression) { return typing_.of(expression); }, rules) {}

  Block run(Block body) {
    bool found = false;
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) ++mentions_[name->symbol];
        const auto* call = as<Call>(&node);
        found = found || (call != nullptr && call->callee.text() == kAttempt);
      });
    }
    if (!found) return body;
    body = block(body);
    if (!flags_.empty()) body = without_flags(body);
    return body;
  }

 private:
  Block block(Block statements) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (std::size_t k = 0; k < statements.size(); ++k) {
      const Stmt* statement = statements[k];
      const Call* call = call_of(statement, kAttempt);
      const auto* branch =
          call != nullptr && k + 1 < statements.size() ? as<If>(statements[k + 1]) : nullptr;
      if (branch == nullptr ||
          !cannot_fail(static_cast<const Assign&>(*statement), call, *branch)) {
        const Stmt* now =
            with_blocks(context_, statement, [&](Block inner) { return block(inner); });
        changed = changed || now != statement;
        out.push_back(now);
        continue;
      }
      changed = true;
      for (const Stmt* inner : block(branch->body)) {
        const Call* end = call_of(inner, kCompleted);
        if (end == nullptr || attempt_number(end) != attempt_number(call)) out.push_back(inner);
      }
      for (const Stmt* inner : branch->orelse) {
        const auto* assign = as<Assign>(inner);
        const auto* flag = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
        if (flag != nullptr) flags_.insert(flag->symbol);
      }
      ++k;
    }
    return changed ? Block(context_.list(out)) : statements;
  }

  bool cannot_fail(const Assign& flagged, const Call* call, const If& branch) {
    const Symbol flag = static_cast<const Name*>(flagged.targets[0])->symbol;
    int inside = 0;
    for_each_node(branch, [&](const Node& node) {
      const auto* name = as<Name>(&node);
      inside += name != nullptr && name->symbol == flag ? 1 : 0;
    });
    if (mentions_[flag] != inside + 1) return false;
    const std::int64_t mask = static_cast<const Constant*>(call->arguments[1])->value.integer;
    for (const Stmt* statement : branch.body) {
      const Call* end = call_of(statement, kCompleted);
      if (end != nullptr && attempt_number(end) == attempt_number(call)) return true;
      if (may_raise(statement, mask)) return false;
    }
    return false;
  }

  bool may_raise(const Stmt* statement, std::int64_t mask) {
    // What numbers and elements raise may be nothing that the handlers take.
    const auto harmless = [&](const Expr* expression) {
      if ((mask & ByAnything) != 0) return false;
      if (is<Subscript>(expression)) return (mask & BySubscripts) == 0;
      const auto* operation = as<BinaryOperation>(expression);
      return operation != nullptr && (mask & (ByDivision | ByArithmetic)) == 0 &&
             typing_.of(operation->left).is_number() && typing_.of(operation->right).is_number();
    };
    if (is<Pass>(statement)) return false;
    const auto* assign = as<Assign>(statement);
    const auto* augmented = as<AugmentedAssign>(statement);
    const auto* alone = as<ExpressionStatement>(statement);
    if (alone != nullptr) return effects_.may_raise(alone->value, harmless);
    if (assign != nullptr && is<Name>(assign->targets[0]))
      return effects_.may_raise(assign->value, harmless);
    if (augmented != nullptr && is<Name>(augmented->target)) {
      const auto* operation = context_.make<BinaryOperation>(augmented->ranges, augmented->op,
                                                             augmented->target, augmented->value);
      return effects_.may_raise(operation, harmless);
    }
    return true;
  }

  // Flags that nothing sets any more: what tests them is decided.
  Block without_flags(Block body) {
    std::unordered_set<Symbol> set;
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* assign = as<Assign>(&node);
        const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
        if (name == nullptr || !flags_.contains(name->symbol)) return;
        const auto* value = as<Constant>(assign->value);
        const bool cleared =
            value != nullptr &&
            (value->value.kind == LiteralKind::False ||
             (value->value.kind == LiteralKind::Integer && value->value.integer == 0));
        if (!cleared) set.insert(name->symbol);
      });
    }
    for (const Symbol flag : flags_) {
      if (!set.contains(flag)) body = without_flag(body, flag);
    }
    return body;
  }

  Block without_flag(Block body, Symbol flag) {
    // All that reads it are tests of it.
    int tests = 0;
    int all = 0;
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) all += name->symbol == flag ? 1 : 0;
        if (const auto* branch = as<If>(&node))
          tests += outcome_of_flag(branch->test, flag, 0) ? 1 : 0;
        const auto* assign = as<Assign>(&node);
        const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
        tests += name != nullptr && name->symbol == flag ? 1 : 0;
      });
    }
    return tests == all ? folded(body, flag) : body;
  }

  Block folded(Block body, Symbol flag) {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : body) {
      const auto* assign = as<Assign>(statement);
      const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (name != nullptr && name->symbol == flag) continue;
      if (const auto* branch = as<If>(statement)) {
        if (const auto taken = outcome_of_flag(branch->test, flag, 0)) {
          const Block arm = folded(*taken ? branch->body : branch->orelse, flag);
          out.insert(out.end(), arm.begin(), arm.end());
          continue;
        }
      }
      const Stmt* now = with_blocks(context_, statement, [&](Block inner) {
        Block kept = folded(inner, flag);
        if (kept.empty() && !inner.empty())
          kept = context_.list<const Stmt*>({context_.make<Pass>(statement->ranges)});
        return kept;
      });
      out.push_back(now);
    }
    return context_.list(out);
  }

  Context& context_;
  Typing typing_;
  Effects effects_;
  std::unordered_map<Symbol, int> mentions_;
  std::unordered_set<Symbol> flags_;  // of attempts that are gone
};

}  // namespace

Block settle_attempts(Block body, const TypedFunction& typed, RuleBook& rules, Context& context) {
  return AttemptSettler(typed, rules, context).run(body);
}

}  // namespace tangent
