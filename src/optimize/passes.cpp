// The passes in order; see passes.h. Comments between them say which invariant now holds.
#include "optimize/passes.h"

#include "syntax/printer.h"

namespace tangent {

Block optimize(Block body, const TypedFunction& typed, ReverseResult& reverse,
               const Assembled& parts, RuleBook& rules, Context& context, const StageLog& log) {
  Effects effects([&](const Expr* expression) { return reverse.typing->of(expression); }, rules);
  const PassInput input{.typed = typed,
                        .rules = rules,
                        .forward = parts.primal,
                        .adjoints = reverse.adjoint_names,
                        .numbers = reverse.number_names,
                        .written = reverse.plan.written,
                        .effects = effects,
                        .type_of = [&](const Expr* value) { return reverse.typing->of(value); },
                        .context = context};
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
