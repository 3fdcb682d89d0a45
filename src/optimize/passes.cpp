// The passes in order; see passes.h. Comments between them say which invariant now holds.
#include "optimize/passes.h"

#include "syntax/printer.h"

namespace tangent {

namespace {

PassInput input_of(const TypedFunction& typed, ReverseResult& reverse, const Assembled& parts,
                   RuleBook& rules, Effects& effects, Context& context) {
  return {.typed = typed,
          .rules = rules,
          .forward = parts.primal,
          .adjoints = reverse.adjoint_names,
          .numbers = reverse.number_names,
          .written = reverse.plan.written,
          .effects = effects,
          .type_of = [&reverse](const Expr* value) { return reverse.typing->of(value); },
          .context = context,
          .has_halves = !reverse.flows.empty()};
}

}  // namespace

Block optimize_half(Block body, const TypedFunction& typed, ReverseResult& reverse,
                    const Assembled& parts, RuleBook& rules, Context& context) {
  Effects effects([&](const Expr* expression) { return reverse.typing->of(expression); }, rules);
  const PassInput input = input_of(typed, reverse, parts, rules, effects, context);
  return tidy(substitute_single_uses(join_sums(body, input), input), input);
}

Block optimize(Block body, const TypedFunction& typed, ReverseResult& reverse,
               const Assembled& parts, RuleBook& rules, Context& context, const StageLog& log) {
  Effects effects([&](const Expr* expression) { return reverse.typing->of(expression); }, rules);
  const PassInput input = input_of(typed, reverse, parts, rules, effects, context);
  struct Pass {
    std::string_view name;
    Block (*run)(Block, const PassInput&);
  };
  static constexpr Pass kPasses[] = {
      {"dead code", remove_dead_code},
      // Every tape that is left is read.
      {"single uses", substitute_single_uses},
      {"fuse branches", fuse_branches},
      {"join elements", join_elements},
      {"join updates", join_updates},
      {"tidy", tidy},
  };
  for (const Pass& pass : kPasses) {
    const Block now = pass.run(body, input);
    const bool changed = now.data() != body.data();
    body = now;
    if (log && changed) log(pass.name, print(body).text);
  }
  return body;
}

}  // namespace tangent
