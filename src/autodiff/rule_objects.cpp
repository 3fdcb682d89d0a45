// Names for what records of the user's call; see rule_objects.h.
#include "autodiff/rule_objects.h"

#include <algorithm>

#include "autodiff/rule_names.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

// The objects of all records of the user's that a body calls.
void collect_objects(Block body, RuleBook& rules, std::vector<Symbol>& found) {
  std::vector<const Node*> stack(body.begin(), body.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (const auto* call = as<Call>(node); call != nullptr && call->callee) {
      const Rule* rule = rules.find(call->callee.text());
      if (rule != nullptr && rule->given) {
        for (const Symbol object : rule->objects) {
          if (std::ranges::find(found, object) == found.end()) found.push_back(object);
        }
      }
    }
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
}

}  // namespace

void bind_rule_objects(CoreFunction& top, std::vector<CorePair>& pairs, TypedProgram& program,
                       Outside& outside, RuleBook& rules, Context& context) {
  std::vector<Symbol> objects;
  collect_objects(program.top.body, rules, objects);
  for (const TypedFunction& function : program.pairs)
    collect_objects(function.body, rules, objects);
  if (objects.empty()) return;

  NamePool names(context, top);
  for (const CorePair& pair : pairs) names.take_all(NamePool(context, pair.core));
  for (const Symbol object : objects) {
    const RuleObject known = outside.rule_object(object, context);
    const auto own = std::ranges::find_if(top.globals, [&](const GlobalBinding& global) {
      return known.function >= 0 && global.function == known.function &&
             global.original == known.original;
    });
    if (pairs.empty() && own != top.globals.end()) {
      top.rule_objects.emplace_back(object, own->printed);
      continue;
    }
    const Symbol printed = names.fresh(known.wish);
    const GlobalBinding binding{.printed = printed,
                                .original = known.original,
                                .function = known.function,
                                .thing = known.thing};
    const auto add = [&](CoreFunction& core, TypedFunction& typed) {
      core.globals.push_back(binding);
      core.rule_objects.emplace_back(object, printed);
      if (known.thing.kind != ThingKind::Value) return;
      const Type type = outside.type_of(known.thing, context.arena());
      if (type.is_numeric()) typed.variables.emplace(printed, type);
    };
    add(top, program.top);
    for (std::size_t k = 0; k < pairs.size(); ++k) add(pairs[k].core, program.pairs[k]);
  }
}

}  // namespace tangent
