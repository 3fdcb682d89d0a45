// The passes in order; see passes.h. Comments between them say which invariant now holds.
#include "optimize/passes.h"

#include <span>

#include "syntax/printer.h"

namespace tangent {

namespace {

struct NamedPass {
  std::string_view name;
  Block (*run)(Block, const PassInput&);
};

PassInput input_of(const TypedFunction& typed, ReverseResult& reverse,
                   std::unordered_set<const Stmt*>& primal, RuleBook& rules, Effects& effects,
                   Context& context) {
  static const std::unordered_map<Symbol, Symbol> kNone;
  static const std::unordered_set<Symbol> kNothing;
  return {.typed = typed,
          .rules = rules,
          .forward = primal,
          .adjoints = reverse.adjoint_names,
          .numbers = reverse.number_names,
          .written = reverse.plan.written,
          .variables = kNone,
          .kept = kNothing,
          .effects = effects,
          .type_of = [&reverse](const Expr* value) { return reverse.typing->of(value); },
          .context = context,
          .has_halves = !reverse.flows.empty()};
}

Block run(std::span<const NamedPass> passes, Block body, const PassInput& input,
          const StageLog& log) {
  for (const NamedPass& pass : passes) {
    const Block now = pass.run(body, input);
    const bool changed = now.data() != body.data();
    body = now;
    if (log && changed) log(pass.name, print(body).text);
  }
  return body;
}

}  // namespace

Block optimize_half(Block body, const TypedFunction& typed, ReverseResult& reverse,
                    const Assembled& parts, RuleBook& rules, Context& context) {
  Effects effects([&](const Expr* expression) { return reverse.typing->of(expression); }, rules);
  std::unordered_set<const Stmt*> primal = parts.primal;
  const PassInput input = input_of(typed, reverse, primal, rules, effects, context);
  return tidy(substitute_single_uses(join_sums(body, input), input), input);
}

Block optimize(Block body, const TypedFunction& typed, ReverseResult& reverse,
               const Assembled& parts, RuleBook& rules, Context& context, const StageLog& log) {
  Effects effects([&](const Expr* expression) { return reverse.typing->of(expression); }, rules);
  std::unordered_set<const Stmt*> primal = parts.primal;
  const PassInput input = input_of(typed, reverse, primal, rules, effects, context);
  static constexpr NamedPass kPasses[] = {
      {"recompute", recompute},
      {"dead code", remove_dead_code},
      // Every tape that is left is read.
      {"restores", remove_restores},
      {"copies", remove_copies},
      {"single uses", substitute_single_uses},
      {"fuse branches", fuse_branches},
      {"join elements", join_elements},
      {"first stores", first_stores},
      {"join updates", join_updates},
      {"tidy", tidy},
  };
  return run(kPasses, body, input, log);
}

Block optimize(Block body, const TypedFunction& typed, ForwardResult& forward, RuleBook& rules,
               Context& context, const StageLog& log) {
  Effects effects([&](const Expr* expression) { return forward.typing->of(expression); }, rules);
  // Every tangent stands beside its value: none is put into the next one.
  const std::unordered_set<Symbol> numbers;
  const PassInput input{.typed = typed,
                        .rules = rules,
                        .forward = forward.primal,
                        .adjoints = forward.tangent_names,
                        .numbers = numbers,
                        .written = forward.written,
                        .variables = forward.variables,
                        .kept = forward.kept,
                        .effects = effects,
                        .type_of = [&](const Expr* value) { return forward.typing->of(value); },
                        .context = context};
  static constexpr NamedPass kPasses[] = {
      {"dead code", remove_dead_code},
      {"single uses", substitute_single_uses},
      {"tidy", tidy},
  };
  return run(kPasses, body, input, log);
}

}  // namespace tangent
