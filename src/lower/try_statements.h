// `try` as a branch over what only the run tells (syntax/attempts.h), before anything is looked up.
//
// In: a `try` as the user wrote it. Out: an assignment of a flag, an `if` that tests it, and what a
// `finally` does behind it. `inner` desugars the blocks of the `try`.
#pragma once

#include <functional>
#include <vector>

#include "lower/names.h"
#include "syntax/build.h"

namespace tangent::lowering {

// What the markers of a `try` are called, which no text can spell.
constexpr std::string_view kTryMarker = "<try>";
constexpr std::string_view kCompletedMarker = "<completed>";
constexpr std::string_view kCaughtMarker = "<caught>";

void spell_try(const Try& it, Context& context, FreshNames& names,
               const std::function<Block(Block)>& inner, std::vector<const Stmt*>& out);

}  // namespace tangent::lowering
