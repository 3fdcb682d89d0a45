// The passes in order; see passes.h. Comments between them say which invariant now holds.
#include "optimize/passes.h"

#include <span>

#include "syntax/printer.h"

namespace tangent {

namespace {

// A pass, and the option that switches it.
struct NamedPass {
  std::string_view name;
  Block (*run)(Block, const PassInput&);
  bool Optimizations::* option;
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
          .has_halves = !reverse.flows.empty(),
          .numpy = reverse.numpy};
}

// A name of the pool with a type.
std::function<Symbol(std::string_view, const Type&)> fresh_names(NamePool& names, Typing& typing) {
  return [&names, &typing](std::string_view wish, const Type& type) {
    const Symbol name = names.fresh(wish);
    typing.declare(name, type);
    return name;
  };
}

Block run(std::span<const NamedPass> passes, Block body, const PassInput& input,
          const Optimizations& optimizations, const StageLog& log) {
  for (const NamedPass& pass : passes) {
    if (pass.option != nullptr && !(optimizations.*pass.option)) continue;
    const Block now = pass.run(body, input);
    const bool changed = now.data() != body.data();
    body = now;
    if (log && changed) log(pass.name, print(body).text);
  }
  return body;
}

}  // namespace

Block optimize_primal(const CoreFunction& core, const TypedFunction& typed, RuleBook& rules,
                      Context& context, const GradientOptions& options) {
  Typing typing(typed, rules, context);
  NamePool names(context, core);
  Effects effects([&](const Expr* expression) { return typing.of(expression); }, rules);
  std::unordered_set<const Stmt*> no_statements;
  const std::unordered_set<Symbol> no_names;
  const std::unordered_map<Symbol, Symbol> no_pairs;
  const PassInput input{.typed = typed,
                        .rules = rules,
                        .forward = no_statements,
                        .adjoints = no_names,
                        .numbers = no_names,
                        .written = no_names,
                        .variables = no_pairs,
                        .kept = no_names,
                        .effects = effects,
                        .type_of = [&](const Expr* value) { return typing.of(value); },
                        .context = context,
                        .fresh = fresh_names(names, typing),
                        .simplify_formula = options.simplify_formula};
  static constexpr NamedPass kPasses[] = {
      {"algebra", simplify_algebra, &Optimizations::algebraic},
      {"constants", propagate_constants, &Optimizations::algebraic},
      {"algebra", simplify_algebra, &Optimizations::algebraic},
      {"common calls", share_calls, &Optimizations::cse},
  };
  return run(kPasses, core.body, input, options.optimizations, {});
}

Block optimize_half(Block body, const TypedFunction& typed, ReverseResult& reverse,
                    const Assembled& parts, RuleBook& rules, Context& context,
                    const Optimizations& optimizations) {
  Effects effects([&](const Expr* expression) { return reverse.typing->of(expression); }, rules);
  std::unordered_set<const Stmt*> primal = parts.primal;
  const PassInput input = input_of(typed, reverse, primal, rules, effects, context);
  if (optimizations.optimized) body = substitute_single_uses(join_sums(body, input), input);
  return tidy(body, input);
}

Block optimize(Block body, const TypedFunction& typed, ReverseResult& reverse,
               const Assembled& parts, RuleBook& rules, Context& context, NamePool& names,
               const GradientOptions& options, const StageLog& log) {
  Effects effects([&](const Expr* expression) { return reverse.typing->of(expression); }, rules);
  std::unordered_set<const Stmt*> primal = parts.primal;
  PassInput input = input_of(typed, reverse, primal, rules, effects, context);
  input.fresh = fresh_names(names, *reverse.typing);
  input.simplify_formula = options.simplify_formula;
  static constexpr NamedPass kPasses[] = {
      {"recompute", recompute, &Optimizations::optimized},
      {"dead code", remove_dead_code, &Optimizations::dce},
      // Every tape that is left is read.
      {"restores", remove_restores, &Optimizations::optimized},
      {"carried values", remove_carried_values, &Optimizations::optimized},
      {"copies", remove_copies, &Optimizations::optimized},
      {"tape liveness", keep_shapes, &Optimizations::tape_liveness},
      // What is taken from a tape still has a name of its own: expressions are without effect.
      {"algebra", simplify_algebra, &Optimizations::algebraic},
      {"strength reduction", reduce_strength, &Optimizations::strength_reduction},
      {"common subexpressions", share_subexpressions, &Optimizations::cse},
      {"long subexpressions", share_long_subexpressions, &Optimizations::optimized},
      {"dead elements", remove_dead_elements, &Optimizations::optimized},
      {"single uses", substitute_single_uses, &Optimizations::optimized},
      {"fuse branches", fuse_branches, &Optimizations::optimized},
      {"join elements", join_elements, &Optimizations::optimized},
      {"first stores", first_stores, &Optimizations::optimized},
      {"join updates", join_updates, &Optimizations::optimized},
      {"whole lists", make_whole_lists, &Optimizations::optimized},
      {"tidy", tidy, nullptr},
  };
  return run(kPasses, body, input, options.optimizations, log);
}

Block optimize(Block body, const TypedFunction& typed, ForwardResult& forward, RuleBook& rules,
               Context& context, NamePool& names, const GradientOptions& options,
               const StageLog& log) {
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
                        .context = context,
                        .fresh = fresh_names(names, *forward.typing),
                        .simplify_formula = options.simplify_formula};
  static constexpr NamedPass kPasses[] = {
      {"dead code", remove_dead_code, &Optimizations::dce},
      {"algebra", simplify_algebra, &Optimizations::algebraic},
      {"strength reduction", reduce_strength, &Optimizations::strength_reduction},
      {"common subexpressions", share_subexpressions, &Optimizations::cse},
      {"single uses", substitute_single_uses, &Optimizations::optimized},
      {"tidy", tidy, nullptr},
  };
  return run(kPasses, body, input, options.optimizations, log);
}

}  // namespace tangent
