// The markers of a `try` (try_statements.h) as calls of the core program (syntax/attempts.h).
//
// In: the marker as a call that no text can spell. Out: a call whose callee says what it is; of the
// `try` itself with the classes that its handlers take, and what their exceptions come from.
#include <unordered_set>

#include "lower/attempts.h"
#include "lower/lowering.h"
#include "lower/try_statements.h"
#include "syntax/attempts.h"
#include "syntax/printer.h"

namespace tangent::lowering {

bool is_try_marker(const Expr* function) {
  const auto* name = as<Name>(function);
  return name != nullptr &&
         (name->symbol.text() == kTryMarker || name->symbol.text() == kCompletedMarker ||
          name->symbol.text() == kCaughtMarker);
}

const Expr* Lowering::try_marker(const Call& it) {
  const Symbol marker = static_cast<const Name*>(it.function)->symbol;
  const std::string_view callee = marker.text() == kTryMarker         ? kRawAttempt
                                  : marker.text() == kCompletedMarker ? kCompleted
                                                                      : kCaught;
  std::vector<const Expr*> arguments = {context_.integer(0, it.ranges)};
  if (callee == kRawAttempt) {
    std::int64_t mask = 0;
    std::vector<const Expr*> classes;
    const auto exception = [&](const Expr* written) -> const Expr* {
      const std::optional<Thing> thing = thing_of(written);
      if (!thing || thing->kind == ThingKind::Missing || thing->kind == ThingKind::Module) {
        refuse(*written, "`except " + print(written) + "` is not supported",
               "name a class of exceptions that is defined outside of the function");
      }
      const bool library = thing->qualified_name && thing->kind != ThingKind::Value;
      const std::string_view name = library ? thing->qualified_name.text() : std::string_view();
      const bool own = name.find('.') != std::string_view::npos && !name.starts_with("builtins.") &&
                       !name.starts_with("numpy.");
      mask |= library && !own ? raised_by(name) : ByAnything;
      return expression(written);
    };
    for (const Expr* written : it.arguments) {
      if (is<Constant>(written)) {
        mask |= ByAnything;
        classes.push_back(written);
      } else if (const auto* several = as<TupleDisplay>(written)) {
        std::vector<const Expr*> elements;
        for (const Expr* element : several->elements) elements.push_back(exception(element));
        classes.push_back(
            context_.make<TupleDisplay>(written->ranges, Exprs(context_.list(elements))));
      } else {
        classes.push_back(exception(written));
      }
    }
    arguments.push_back(context_.integer(mask, it.ranges));
    arguments.insert(arguments.end(), classes.begin(), classes.end());
  }
  return context_.make<Call>(
      it.ranges, static_cast<const Expr*>(context_.global(marker, it.ranges)),
      context_.symbol(callee), List<const Expr*>(context_.list(arguments)), List<const Keyword*>());
}

// The names that others than the function being lowered may read: attributes of objects, and the
// variables of the functions that it is called by.
Block Lowering::with_attempts_of_frame(Block body) {
  std::unordered_set<Symbol> others(attribute_variables_.begin(), attribute_variables_.end());
  for (const Frame& frame : frames_) {
    if (&frame == frame_) break;  // those behind it are called by it
    for (const auto& [name, binding] : frame.bindings) {
      if (binding.form == Binding::Form::Variable) others.insert(binding.variable);
    }
  }
  return with_attempts(context_, names_, body, [&](Symbol name) { return others.contains(name); });
}

}  // namespace tangent::lowering
