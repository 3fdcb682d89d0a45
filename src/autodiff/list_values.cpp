// Lists that are made of lists, backwards: slices, sums, repeats, copies, sorted ones; see
// reverse.h.
//
// In: a list-valued expression of the primal and the adjoint of its value, a list of the same
// length. Out: contributions to the lists in it. Each operation makes a new list, so that its
// adjoint is a list of its own, too.
#include "autodiff/reverse.h"

namespace tangent {

namespace {

bool is_method(const Call* call, std::string_view name) {
  const auto* method = as<Attribute>(call->function);
  return !call->callee && method != nullptr && method->attribute.text() == name;
}

}  // namespace

const Expr* Reverse::length_of(const Expr* list) {
  if (const auto* display = as<ListDisplay>(list))
    return context_.integer(static_cast<std::int64_t>(display->elements.size()));
  const Expr* length = context_.make<Call>(
      {}, context_.global(context_.symbol("len")), context_.symbol("builtins.len"),
      context_.list<const Expr*>({primal(list)}), List<const Keyword*>());
  typing_.set(length, Type::python_number(DType::Integer));
  return length;
}

// A number as the seed stands for one for each item.
Linear Reverse::seed_of_list(const Expr* list, const Expr* seed) {
  const Expr* items =
      context_.make<Call>({}, helper("_seed_items"), context_.symbol("tangent.runtime._seed_items"),
                          context_.list<const Expr*>({seed, list}), List<const Keyword*>());
  typing_.set(items, typing_.of(list));
  return algebra_.of(items);
}

// The adjoint of a list under a name.
Linear Reverse::list_name(const Expr* node, const Linear& adjoint) {
  if (adjoint.as_name()) return adjoint;
  return named("b" + name_for(node), adjoint, typing_.of(node));
}

void Reverse::push_list_value(const Expr* node, const Linear& adjoint) {
  if (typing_.of(algebra_.build(adjoint)).kind == TypeKind::List) {
    if (const auto* display = as<ListDisplay>(node)) return push_list_display(display, adjoint);
    if (const auto* operation = as<BinaryOperation>(node)) {
      if (operation->op == BinaryOperator::Add) return push_list_sum(operation, adjoint);
      if (operation->op == BinaryOperator::Multiply) return push_list_repeat(operation, adjoint);
    }
    if (const auto* subscript = as<Subscript>(node); subscript && is<Slice>(subscript->index))
      return push_list_slice(subscript, adjoint);
    if (const auto* call = as<Call>(node); call != nullptr && call->keywords.empty()) {
      if (is_method(call, "copy")) return push(as<Attribute>(call->function)->value, adjoint);
      const bool one = call->arguments.size() == 1 && is_list(call->arguments[0]);
      if (call->callee.text() == "builtins.list" && one) return push(call->arguments[0], adjoint);
      if (call->callee.text() == "tangent.runtime._distinct" && one) {
        const Expr* list = call->arguments[0];
        require_numeric_items(list);
        const Expr* back = context_.make<Call>(
            {}, helper("_undistinct"), context_.symbol("tangent.runtime._undistinct"),
            context_.list<const Expr*>({algebra_.build(adjoint), primal(list)}),
            List<const Keyword*>());
        typing_.set(back, typing_.of(list));
        return push(list, algebra_.of(back));
      }
      if (call->callee.text() == "builtins.sorted" && one) {
        const Expr* list = call->arguments[0];
        require_numeric_items(list);
        const Expr* back = context_.make<Call>(
            {}, helper("_unsort_items"), context_.symbol("tangent.runtime._unsort_items"),
            context_.list<const Expr*>({algebra_.build(adjoint), primal(list)}),
            List<const Keyword*>());
        typing_.set(back, typing_.of(list));
        return push(list, algebra_.of(back));
      }
    }
  }
  refuse(DiagnosticKind::UnsupportedType, node,
         "a list that is made in this way, and depends on the differentiated arguments",
         "append to a list in a loop, or use a NumPy array");
}

// Only numbers have an order that a helper finds again.
void Reverse::require_numeric_items(const Expr* list) {
  const Type type = typing_.of(list);
  if (!type.elements.empty() && std::ranges::all_of(type.elements, &Type::is_number)) return;
  refuse(DiagnosticKind::UnsupportedType, list, "sorting a list of what are no numbers",
         "use np.sort of an array");
}

// xs + ys: the first len(xs) adjoints are those of xs.
void Reverse::push_list_sum(const BinaryOperation* node, const Linear& adjoint) {
  Linear whole = list_name(node, adjoint);
  const InFlight waiting(*this, whole);
  const Expr* const middle = length_of(node->left);
  const auto part = [&](const Expr* from, const Expr* to, const Expr* list) {
    const Expr* slice = context_.make<Subscript>(
        {}, algebra_.build(whole),
        context_.make<Slice>({}, from, to, static_cast<const Expr*>(nullptr)));
    typing_.set(slice, typing_.of(list));
    return algebra_.of(slice);
  };
  Linear right = part(middle, nullptr, node->right);
  const InFlight second(*this, right);
  if (active(node->left)) push(node->left, part(nullptr, middle, node->left));
  if (active(node->right)) push(node->right, right);
}

// xs * n: item k of xs stands at k, k + len(xs), …
void Reverse::push_list_repeat(const BinaryOperation* node, const Linear& adjoint) {
  const Expr* list = is_list(node->left) ? node->left : node->right;
  // The same row stands in it several times.
  if (is_list_of_lists(list)) refuse_place(list);
  const Expr* folded =
      context_.make<Call>({}, helper("_fold_items"), context_.symbol("tangent.runtime._fold_items"),
                          context_.list<const Expr*>({algebra_.build(adjoint), length_of(list)}),
                          List<const Keyword*>());
  typing_.set(folded, typing_.of(list));
  push(list, algebra_.of(folded));
}

// xs[i:j]: added to the same slice of the list's adjoint.
void Reverse::push_list_slice(const Subscript* node, const Linear& adjoint) {
  const auto* base = as<Name>(node->value);
  if (base == nullptr || base->scope != Scope::Local) {
    refuse(DiagnosticKind::UnsupportedType, node, "a slice of a list that has no name",
           "give the list a name of its own first");
  }
  Linear held = adjoint;
  const InFlight waiting(*this, held);
  const Expr* place = as_value(primal(node->index));
  const Symbol name = list_buffer(base->symbol);
  emit(context_.make<ExpressionStatement>(
      {}, context_.make<Call>(
              {}, helper("_add_to_items"), context_.symbol("tangent.runtime._add_to_items"),
              context_.list<const Expr*>({context_.local(name), algebra_.build(held), place}),
              List<const Keyword*>())));
}

}  // namespace tangent
