// Methods that change dicts, and `del` of items: statements of their own, with plain operands. What
// becomes of them is for dicts.h, where the keys are known, or for item_changes.h.
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent::lowering {

// d.update(e), d.pop(k), d.setdefault(k, v), xs.pop(i) of a variable of the function.
bool Lowering::changes_dict(const Call& it, const Attribute& method) {
  const auto* dict = as<Name>(method.value);
  const std::string_view called = method.attribute.text();
  const std::size_t count = it.arguments.size();
  if (dict == nullptr || !it.keywords.empty() || holds(&it, Kind::Starred)) return false;
  const bool known = (called == "setdefault" && count == 2) || (called == "update" && count == 1) ||
                     (called == "pop" && count == 2) ||
                     (called == "pop" && count == 1 && !integer_literal(it.arguments[0]));
  if (!known) return false;
  const auto* local = as<Name>(this->name(*dict));
  return local != nullptr && local->scope == Scope::Local && object_of(local) == nullptr;
}

// A name or a constant for a value: it is read more than once.
const Expr* Lowering::plain_operand(const Expr* value, std::string_view wish) {
  const auto* tuple = as<TupleDisplay>(value);
  const bool plain = is_name_or_constant(value) || integer_literal(value) ||
                     (tuple != nullptr && std::ranges::all_of(tuple->elements, [](const Expr* one) {
                        return is_name_or_constant(one);
                      }));
  return plain ? value : bind_temporary(value, wish, value->ranges);
}

const Expr* Lowering::changed_dict(const Call& it, const Attribute& method,
                                   Destination destination) {
  const std::string_view called = method.attribute.text();
  const Expr* values[2] = {nullptr, nullptr};
  const std::size_t count = it.arguments.size();
  operands(it.arguments, {values, count});
  if (called != "update") values[0] = plain_operand(values[0], "key");
  const bool display = is<Dictionary>(values[0]);
  if (called == "update" && !display) values[0] = plain_operand(values[0], "entries");
  const Expr* function = context_.make<Attribute>(it.function->ranges,
                                                  name(*as<Name>(method.value)), method.attribute);
  const Expr* call =
      context_.make<Call>(it.ranges, function, Symbol(),
                          Exprs(context_.list(std::vector<const Expr*>(values, values + count))),
                          List<const Keyword*>());
  if (destination.form == Destination::Form::Nothing) return call;
  if (called == "update")
    refuse(it, "the result of `update` is None", "update in a statement of its own");
  return bind_temporary(call, "item", it.ranges);
}

// The entry that `d.setdefault(k, v)` gives, for a method that changes it; null for anything else.
const Expr* Lowering::entry_by_default(const Expr* it) {
  const auto* call = as<Call>(it);
  const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
  if (method == nullptr || method->attribute.text() != "setdefault" ||
      !changes_dict(*call, *method))
    return nullptr;
  const Expr* values[2] = {nullptr, nullptr};
  operands(call->arguments, values);
  const Expr* key = plain_operand(values[0], "key");
  const Expr* dict = name(*as<Name>(method->value));
  const Expr* function = context_.make<Attribute>(call->function->ranges, dict, method->attribute);
  const Expr* fill =
      context_.make<Call>(call->ranges, function, Symbol(),
                          context_.list<const Expr*>({key, values[1]}), List<const Keyword*>());
  emit(context_.make<ExpressionStatement>(at(*call), fill));
  return context_.make<Subscript>(call->ranges, dict, key);
}

// del xs[i], del d[k], del xs[a:b]
void Lowering::delete_item(const Subscript& place) {
  const auto* written = as<Name>(place.value);
  const auto* whole = written != nullptr ? as<Name>(name(*written)) : nullptr;
  if (whole == nullptr || whole->scope != Scope::Local || object_of(whole) != nullptr) {
    refuse(place, "`del` of what is inside of something else is not supported yet",
           "give the list or dict a name of its own", DiagnosticKind::WriteInPlace);
  }
  const Ranges ranges = at(place);
  if (is<Slice>(place.index)) {
    const Expr* target = expression(&place);
    emit(context_.assign(target, context_.make<ListDisplay>(ranges, Exprs()), ranges));
    return;
  }
  const Expr* key = plain_operand(expression(place.index), "key");
  const Expr* function =
      context_.make<Attribute>(ranges, static_cast<const Expr*>(whole), context_.symbol("pop"));
  const Expr* call = context_.make<Call>(ranges, function, Symbol(),
                                         context_.list<const Expr*>({key}), List<const Keyword*>());
  emit(context_.make<ExpressionStatement>(ranges, call));
}

}  // namespace tangent::lowering
