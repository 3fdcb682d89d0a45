#include "emit/written_halves.h"

#include <algorithm>

#include "autodiff/save.h"
#include "emit/attempts.h"
#include "emit/call_targets.h"
#include "emit/halves.h"
#include "emit/hidden_builtins.h"
#include "optimize/passes.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

bool reads_name(Block body, Symbol symbol) {
  return std::ranges::any_of(body, [&](const Stmt* statement) {
    return find_node(statement, [&](const Node* node) {
             const auto* name = as<Name>(node);
             return name != nullptr && name->scope == Scope::Global && name->symbol == symbol;
           }) != nullptr;
  });
}

class HalvesWriter {
 public:
  HalvesWriter(const PairTable& table, std::vector<std::unique_ptr<ReversedPair>>& reversed,
               Symbol numpy, RuleBook& rules, Context& context, const GradientOptions& options)
      : table_(table),
        reversed_(reversed),
        numpy_(numpy),
        rules_(rules),
        context_(context),
        options_(options) {}

  // Appends definitions to `definitions`, and what they need to `reverse`.
  void append(std::vector<const Stmt*>& definitions, ReverseResult& reverse) {
    for (std::unique_ptr<ReversedPair>& pair : reversed_) {
      const PairHalves& halves = table_.halves[pair->index];
      const TypedFunction& typed = *halves.typed;
      const Saves saves = find_saves(typed.body, pair->reverse.plan, pair->names);
      const Symbol result = pair->names.fresh("result");
      const Assembled parts =
          assemble(typed.body, pair->reverse, saves, result, pair->names, context_);
      const Block joint =
          optimize(join_halves(*pair, parts, result, context_), typed, pair->reverse, parts, rules_,
                   context_, pair->names, options_, {});
      Halves split = split_halves(joint, halves, *pair, result, numpy_, context_);
      split.backward = optimize_half(split.backward, typed, pair->reverse, parts, rules_, context_,
                                     options_.optimizations);
      split.forward = spell_call_targets(split.forward, context_);
      split.forward = spell_attempts(split.forward, pair->names, context_);
      split.backward = spell_attempts(split.backward, pair->names, context_);
      const CoreFunction& core = halves.pair->core;
      made_.push_back(define(halves.pair->forward, core.parameters, split.forward, core.ranges));
      made_.push_back(
          define(halves.pair->backward, split.backward_parameters, split.backward, core.ranges));
      reverse.helpers.insert(reverse.helpers.end(), pair->reverse.helpers.begin(),
                             pair->reverse.helpers.end());
      for (const auto& module : pair->reverse.modules) {
        if (std::ranges::find(reverse.modules, module) == reverse.modules.end())
          reverse.modules.push_back(module);
      }
    }
    // In the order in which they were made, as far as something reads them.
    std::vector<const FunctionDefinition*> used;
    for (bool again = true; again;) {
      again = false;
      for (const FunctionDefinition* function : made_) {
        if (std::ranges::find(used, function) != used.end()) continue;
        auto reads = [&](const Stmt* definition) {
          return reads_name(static_cast<const FunctionDefinition*>(definition)->body,
                            function->name);
        };
        if (!std::ranges::any_of(definitions, reads) && !std::ranges::any_of(used, reads)) continue;
        used.push_back(function);
        again = true;
      }
    }
    for (const FunctionDefinition* function : made_) {
      if (std::ranges::find(used, function) != used.end()) definitions.push_back(function);
    }
  }

 private:
  const FunctionDefinition* define(Symbol name, List<const Parameter*> parameters, Block body,
                                   Ranges ranges) {
    std::vector<const Parameter*> plain;
    for (const Parameter* parameter : parameters) {
      plain.push_back(context_.make<Parameter>(
          parameter->ranges, parameter->name, ParameterKind::Positional,
          static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr)));
    }
    return context_.make<FunctionDefinition>(ranges, name,
                                             List<const Parameter*>(context_.list(plain)),
                                             spell_hidden_builtins(body, parameters, context_),
                                             Exprs(), static_cast<const Expr*>(nullptr), false);
  }

  const PairTable& table_;
  std::vector<std::unique_ptr<ReversedPair>>& reversed_;
  Symbol numpy_;
  RuleBook& rules_;
  Context& context_;
  const GradientOptions& options_;
  std::vector<const FunctionDefinition*> made_;
};

}  // namespace

void append_halves(const PairTable& table, std::vector<std::unique_ptr<ReversedPair>>& reversed,
                   Symbol numpy, RuleBook& rules, Context& context,
                   std::vector<const Stmt*>& definitions, ReverseResult& reverse,
                   const GradientOptions& options) {
  HalvesWriter(table, reversed, numpy, rules, context, options).append(definitions, reverse);
}

}  // namespace tangent
