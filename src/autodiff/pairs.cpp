// Activity and stores over the call graph; see pairs.h.
#include "autodiff/pairs.h"

#include <algorithm>

#include "analysis/activity.h"
#include "analysis/aliases.h"
#include "base/diagnostics.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

bool is_collected(const Type& type) {
  switch (type.kind) {
    case TypeKind::Tuple:
    case TypeKind::List:
    case TypeKind::Dict:
    case TypeKind::Opaque:
    case TypeKind::Unknown:
    case TypeKind::Iterator:
      return true;
    default:
      return false;
  }
}

class Finder {
 public:
  Finder(const TypedProgram& program, const std::vector<CorePair>& pairs,
         const std::vector<Symbol>& inputs, RuleBook& rules)
      : program_(program), inputs_(inputs), rules_(rules) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      PairHalves halves;
      halves.pair = &pairs[k];
      halves.typed = &program.pairs[k];
      halves.flows.assign(pairs[k].core.parameters.size(), Flow::Inactive);
      const Type& result = program.pairs[k].result;
      for (std::size_t i = 0; i < pairs[k].results; ++i) {
        const bool by_position = pairs[k].results > 1 && result.kind == TypeKind::Tuple &&
                                 result.elements.size() == pairs[k].results;
        halves.results.push_back(by_position             ? result.elements[i]
                                 : pairs[k].results == 1 ? result
                                                         : Type::unknown());
      }
      table_.halves.push_back(std::move(halves));
    }
  }

  PairTable run() {
    do {
      again_ = false;
      visit(program_.top, inputs_);
      for (PairHalves& halves : table_.halves) {
        if (halves.typed->core == nullptr) continue;
        std::vector<Symbol> varied;
        for (std::size_t i = 0; i < halves.flows.size(); ++i) {
          if (halves.flows[i] != Flow::Inactive)
            varied.push_back(halves.pair->core.parameters[i]->name);
        }
        visit(*halves.typed, varied);
      }
    } while (again_);
    find_stores();
    return std::move(table_);
  }

 private:
  PairHalves& halves_of(const Call* call) {
    return *std::ranges::find_if(table_.halves, [&](const PairHalves& halves) {
      return halves.pair->callee == call->callee;
    });
  }

  void visit(const TypedFunction& function, const std::vector<Symbol>& inputs) {
    if (inputs.empty()) return;
    const Activity activity(function, inputs, rules_);
    for_each_pair_call(function.body, [&](const Assign* assign, const Call* call) {
      PairHalves& halves = halves_of(call);
      for (std::size_t i = 0; i < call->arguments.size(); ++i) {
        const Expr* argument = call->arguments[i];
        if (halves.flows[i] != Flow::Inactive || !activity.varies(argument, assign)) continue;
        const Type& type = halves.typed->core != nullptr
                               ? halves.typed->variables.at(halves.pair->core.parameters[i]->name)
                               : Type::unknown();
        if (is_collected(type)) {
          throw Diagnostic(DiagnosticKind::RecursiveCall,
                           "`" + print(argument) +
                               "` depends on the differentiated arguments, is " +
                               "no number or array everywhere, and is passed to `" +
                               std::string(halves.pair->core.name.text()) + "`, which calls itself",
                           argument->ranges.empty() ? call->ranges : argument->ranges,
                           "pass numbers or NumPy arrays, each as an argument of its own");
        }
        halves.flows[i] = Flow::Nothing;
        halves.is_active = true;
        again_ = true;
      }
    });
  }

  // Whether a name may be what the function is given, or something outside. A list is no array that
  // it holds.
  static bool is_given(const TypedFunction& function, const Aliases& aliases, Symbol base) {
    if (!aliases.is_changed_list(base)) return aliases.is_outside(base);
    return std::ranges::any_of(function.core->parameters, [&](const Parameter* parameter) {
      return aliases.is_changed_list(parameter->name);
    });
  }

  // A function that stores into what it is given is refused; so that its caller's arrays are as
  // they were. Where a caller stores into what a call may keep, the call keeps copies.
  void find_stores() {
    for (const PairHalves& halves : table_.halves) {
      if (halves.typed->core == nullptr) continue;
      const Aliases aliases(*halves.typed);
      aliases.for_each_store([&](const Stmt* store) {
        const Symbol base = aliases.stored_into(store);
        if (!is_given(*halves.typed, aliases, base)) return;
        throw Diagnostic(DiagnosticKind::RecursiveCall,
                         "`" + std::string(base.text()) +
                             "` may be an argument's array or list, and `" +
                             std::string(halves.pair->core.name.text()) +
                             "`, which calls itself, writes into it",
                         store->ranges, "write into a copy, and return it");
      });
    }
    auto spread = [&](const TypedFunction& function, bool all) {
      if (function.core == nullptr) return;
      const Aliases aliases(function);
      for_each_pair_call(function.body, [&](const Assign* assign, const Call* call) {
        bool stored = all;
        auto look = [&](Symbol symbol) {
          stored = stored || aliases.is_written(symbol) || aliases.is_changed_list(symbol);
        };
        for_each_target(assign->targets[0], look);
        for (const Expr* argument : call->arguments) aliases.for_each_reference(argument, look);
        PairHalves& halves = halves_of(call);
        if (!stored || halves.keeps_copies) return;
        halves.keeps_copies = true;
        again_ = true;
      });
    };
    do {
      again_ = false;
      spread(program_.top, false);
      for (const PairHalves& halves : table_.halves) spread(*halves.typed, halves.keeps_copies);
    } while (again_);
  }

  const TypedProgram& program_;
  const std::vector<Symbol>& inputs_;
  RuleBook& rules_;
  PairTable table_;
  bool again_ = false;
};

}  // namespace

const PairHalves* PairTable::find(const Call* call) const {
  const auto found = std::ranges::find_if(
      halves, [&](const PairHalves& it) { return it.pair->callee == call->callee; });
  return found == halves.end() ? nullptr : &*found;
}

void for_each_pair_call(Block body, const std::function<void(const Assign*, const Call*)>& f) {
  for (const Stmt* statement : body) {
    if (const Call* call = pair_call(statement)) f(static_cast<const Assign*>(statement), call);
    for_each_child(*statement, [&](const Node* child) {
      if (!is_statement(child->kind)) return;
      const auto* inner = static_cast<const Stmt*>(child);
      for_each_pair_call(Block(&inner, 1), f);
    });
  }
}

PairTable find_active_pairs(const TypedProgram& program, const std::vector<CorePair>& pairs,
                            const std::vector<Symbol>& inputs, RuleBook& rules) {
  if (pairs.empty()) return {};
  return Finder(program, pairs, inputs, rules).run();
}

}  // namespace tangent
