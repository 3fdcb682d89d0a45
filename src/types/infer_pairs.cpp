// The fixpoint over the functions of a program; see infer_pairs.h.
#include "types/infer_pairs.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "types/inference.h"

namespace tangent {

namespace {

// After so many rounds what still changes goes to the top of its kind.
constexpr int kPreciseCalls = 6;
constexpr int kMostRounds = 40;

// A length that one function knows says nothing in another, unless it is an argument's of the whole
// program or a number.
Type seen_from_outside(const Type& type, Arena& arena) {
  Type result = type;
  if (type.kind == TypeKind::Number) {
    result.dims = {};
  } else if (!type.dims.empty()) {
    std::vector<Dim> dims(type.dims.begin(), type.dims.end());
    for (Dim& dim : dims) {
      if (dim.form() == Dim::kOther) dim = Dim::unknown();
    }
    result.dims = arena.copy(dims);
  }
  if (!type.elements.empty()) {
    std::vector<Type> elements;
    for (const Type& element : type.elements) elements.push_back(seen_from_outside(element, arena));
    result.elements = arena.copy(elements);
  }
  return result;
}

}  // namespace

PairTypes::PairTypes(const std::vector<CorePair>& pairs, Arena& arena)
    : pairs_(pairs), arena_(arena), calls_(pairs.size()) {
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    calls_[k].arguments.resize(pairs[k].core.parameters.size());
    calls_[k].results.resize(pairs[k].results);
  }
}

void PairTypes::join_into(Type& known, const Type& type) {
  const Type joined = join(known, seen_from_outside(type, arena_), arena_);
  if (joined == known) return;
  const bool grew = known.kind != TypeKind::Bottom && rounds_ > kPreciseCalls;
  known = grew ? widened(joined) : joined;
  changed_ = true;
}

Type PairTypes::call(Symbol callee, const std::vector<Type>& arguments) {
  const auto found = std::ranges::find(pairs_, callee, &CorePair::callee);
  if (found == pairs_.end()) throw InternalError("a call of no pair");
  Known& known = calls_[static_cast<std::size_t>(found - pairs_.begin())];
  if (!known.called) changed_ = true;
  known.called = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // `total=None`, which the function tells from a number: where it is None, nothing flows.
    Type& before = known.arguments[i];
    if (arguments[i].kind == TypeKind::None && before.is_numeric()) continue;
    if (before.kind == TypeKind::None && arguments[i].is_numeric()) before = Type();
    join_into(before, arguments[i]);
  }
  if (!known.gives) return {};
  std::vector<Type> elements = known.results;
  if (!found->written.empty()) {
    // The arrays that it stores into are what they were.
    std::vector<Type> written;
    for (const std::size_t k : found->written) written.push_back(arguments[k]);
    Type arrays = Type::of(TypeKind::Tuple);
    arrays.elements = arena_.copy(written);
    elements.push_back(arrays);
  }
  elements.push_back(Type::of(TypeKind::Opaque));  // the tape
  Type result = Type::of(TypeKind::Tuple);
  result.elements = arena_.copy(elements);
  return result;
}

void PairTypes::give(std::size_t pair, const Type& result) {
  Known& known = calls_[pair];
  if (result.kind == TypeKind::Bottom) return;
  if (!known.gives) changed_ = true;
  known.gives = true;
  if (known.results.size() == 1) return join_into(known.results[0], result);
  const bool fits =
      result.kind == TypeKind::Tuple && result.elements.size() == known.results.size();
  for (std::size_t k = 0; k < known.results.size(); ++k)
    join_into(known.results[k], fits ? result.elements[k] : Type::unknown());
}

bool PairTypes::settle_endless() {
  for (Known& known : calls_) {
    if (!known.called || known.gives) continue;
    known.gives = true;
    for (Type& result : known.results) result = Type::number(DType::Float64);
    return true;
  }
  return false;
}

bool PairTypes::forget_results() {
  if (has_forgotten_) return false;
  has_forgotten_ = true;
  bool any = false;
  for (const Known& known : calls_) {
    any = any || std::ranges::any_of(known.results,
                                     [](const Type& result) { return !result.is_numeric(); });
  }
  if (!any) return false;
  rounds_ = 0;
  for (Known& known : calls_) {
    known.gives = false;
    std::ranges::fill(known.results, Type());
  }
  return true;
}

bool PairTypes::changed() {
  if (++rounds_ > kMostRounds) throw InternalError("the types of functions do not settle");
  const bool changed = changed_;
  changed_ = false;
  return changed;
}

TypedProgram infer_program(const CoreFunction& top, const std::vector<Type>& arguments,
                           const std::vector<CorePair>& pairs, Outside& outside, RuleBook& rules,
                           Context& context) {
  PairTypes types(pairs, context.arena());
  TypedProgram program;
  do {
    do {
      program.top = Inference(top, outside, rules, context, &types).run(arguments);
      program.pairs.clear();
      program.pairs.resize(pairs.size());
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (!types.is_called(k)) continue;
        program.pairs[k] =
            Inference(pairs[k].core, outside, rules, context, &types).run(types.arguments(k));
        types.give(k, program.pairs[k].result);
      }
    } while (types.changed());
  } while (types.settle_endless() || types.forget_results());
  return program;
}

}  // namespace tangent
