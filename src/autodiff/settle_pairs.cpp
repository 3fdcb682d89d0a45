// The fixpoint of flows; see settle_pairs.h.
#include "autodiff/settle_pairs.h"

#include "base/diagnostics.h"

namespace tangent {

namespace {

// Each round raises a flow, or takes buffers from one function.
constexpr int kMostRounds = 200;

// What a caller may store into is kept as copies, whatever it is.
void keep_copies(ReverseResult& reverse, const TypedFunction& function) {
  for (const auto& [symbol, type] : function.variables) {
    if (type.kind == TypeKind::List) {
      reverse.plan.changed_lists.insert(symbol);
    } else if (type.is_array()) {
      reverse.plan.written.insert(symbol);
    }
  }
  for (const auto& [statement, plan] : reverse.plan.statements) {
    for (const Hoist& hoist : plan.hoists) {
      const Type type = reverse.typing->of(hoist.value);
      if (type.kind == TypeKind::List) reverse.plan.changed_lists.insert(hoist.name);
      if (type.is_array()) reverse.plan.written.insert(hoist.name);
    }
  }
}

}  // namespace

std::vector<std::unique_ptr<ReversedPair>> settle_pairs(PairTable& table, RuleBook& rules,
                                                        Context& context, Symbol numpy,
                                                        const Optimizations& optimizations) {
  std::vector<std::unique_ptr<ReversedPair>> reversed;
  bool again = true;
  for (int round = 0; again; ++round) {
    if (round > kMostRounds) throw InternalError("the adjoints of functions do not settle");
    again = false;
    reversed.clear();
    for (std::size_t k = 0; k < table.halves.size(); ++k) {
      PairHalves& halves = table.halves[k];
      if (halves.typed->core == nullptr) continue;
      const TypedFunction& typed = *halves.typed;
      std::vector<Symbol> inputs;
      std::vector<Type> types;
      for (std::size_t i = 0; i < halves.flows.size(); ++i) {
        if (!halves.takes(i)) continue;
        inputs.push_back(typed.core->parameters[i]->name);
        types.push_back(typed.variables.at(inputs.back()));
      }
      NamePool names(context, *typed.core);
      names.take(numpy);
      ReverseResult result = Reverse(typed, inputs, types, rules, context, numpy, names, &table,
                                     &halves, optimizations)
                                 .run();
      if (result.misses_buffer && !halves.pair->written.empty()) {
        throw Diagnostic(DiagnosticKind::RecursiveCall,
                         "`" + std::string(halves.pair->core.name.text()) +
                             "` binds what it writes into to something else",
                         halves.pair->core.ranges, "write into a copy, and return it");
      }
      if (result.misses_buffer) {
        halves.by_value_only = true;
        for (Flow& flow : halves.flows) {
          if (flow == Flow::Added) flow = Flow::Returned;
        }
        again = true;
        continue;
      }
      if (result.flows != halves.flows) {
        halves.flows = result.flows;
        again = true;
      }
      if (halves.keeps_copies) keep_copies(result, typed);
      reversed.push_back(std::make_unique<ReversedPair>(
          ReversedPair{.index = k, .names = std::move(names), .reverse = std::move(result)}));
    }
  }
  return reversed;
}

}  // namespace tangent
