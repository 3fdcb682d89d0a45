// What a `with` enters (desugar.h): settings of NumPy's warnings, and contexts that do nothing.
//
// In: the marker of a `with`, which stands in front of its body. Out: its value, and which warnings
// the emitted function switches off, as a whole: the derivative of what may warn warns as well.
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/printer.h"

namespace tangent::lowering {

const Expr* Lowering::entered(const Call& marker) {
  const auto* it = as<Call>(marker.arguments[0]);
  const std::optional<Thing> thing = it != nullptr ? thing_of(it->function) : std::nullopt;
  const auto refuse_it = [&](const std::string& remedy) {
    refuse(*marker.arguments[0], "`with " + print(marker.arguments[0]) + "` is not supported",
           remedy);
  };
  const std::string around = "put the `with` around the call of the gradient instead";
  if (!thing) refuse_it(around);
  if (thing->kind == ThingKind::Library && thing->qualified_name.text() == "numpy.errstate") {
    if (!it->arguments.empty()) refuse_it(around);
    for (const Keyword* keyword : it->keywords) {
      const auto* value = as<Constant>(keyword->value);
      const bool ignores = value != nullptr && value->value.kind == LiteralKind::String &&
                           value->value.text == "ignore";
      if (!ignores || !keyword->name) refuse_it("only 'ignore' is supported here; " + around);
      const std::string name(keyword->name.text());
      if (std::ranges::find(ignored_errors_, name) == ignored_errors_.end())
        ignored_errors_.push_back(name);
    }
    return context_.none(marker.ranges);
  }
  if (thing->kind == ThingKind::UserClass && is_of_module(*thing, "nullcontext", "contextlib") &&
      it->keywords.empty() && it->arguments.size() <= 1) {
    return it->arguments.empty() ? static_cast<const Expr*>(context_.none(marker.ranges))
                                 : expression(it->arguments[0]);
  }
  refuse_it(around);
  throw InternalError("a `with` that is neither entered nor refused");
}

}  // namespace tangent::lowering
