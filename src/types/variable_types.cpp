#include "types/variable_types.h"

#include "lower/pair_fields.h"
#include "lower/prepare.h"
#include "types/infer_pairs.h"

namespace tangent {

std::unordered_map<Symbol, Type> variable_types(const CoreFunction& core,
                                                const std::vector<Type>& given,
                                                const std::vector<Structure>& structures,
                                                Outside& outside, RuleBook& rules,
                                                Context& context) {
  std::vector<NamedField> fields;
  CoreFunction ready = prepare(
      spell_out_argument_dicts(core, structures, [](Symbol) { return true; }, context), context);
  ready = name_fields(ready, structures, fields, context);
  ready.pairs.clear();
  std::vector<CorePair> pairs = core.pairs;
  for (CorePair& pair : pairs) pair.core = prepare(pair.core, context);
  spread_fields(ready, pairs, structures, fields, context);
  std::vector<Type> arguments = given;
  for (std::size_t k = 0; k < structures.size(); ++k) {
    if (structures[k].is_items()) arguments[k] = structures[k].type;
  }
  for (const NamedField& field : fields) arguments.push_back(field.type);
  TypedProgram program = infer_program(ready, arguments, pairs, outside, rules, context);
  return std::move(program.top.variables);
}

}  // namespace tangent
