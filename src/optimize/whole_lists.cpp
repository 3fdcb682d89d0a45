// An adjoint that a loop fills for every item of a list is a comprehension:
//
//     bxs = [0.0] * len(xs)
//     for index in reversed(range(len(xs))):
//         x = xs[index]
//         bxs[index] += 2 * by * x             ->   bxs = [2 * by * x for x in xs]
//
// In: the adjoint program. Out: the same with such a pair of statements as one. The value reads
// neither the index nor what a tape holds, and nothing else reads the item's name or the index
// afterwards.
#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

class WholeLists {
 public:
  explicit WholeLists(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) ++mentions_[name->symbol];
      });
    }
    return block(body);
  }

 private:
  Block block(Block statements) {
    return with_statements(
        input_.context, statements,
        [&](const Stmt* statement, std::vector<const Stmt*>& out) -> const Stmt* {
          const Stmt* now =
              with_blocks(input_.context, statement, [&](Block inner) { return block(inner); });
          const Stmt* whole = out.empty() ? nullptr : filled(out.back(), now);
          if (whole == nullptr) return now;
          out.pop_back();
          for (const Stmt* inner : static_cast<const For*>(now)->body) {
            if (is<Comment>(inner)) out.push_back(inner);
          }
          return whole;
        });
  }

  static const Call* call_of(const Expr* value, std::string_view callee) {
    const auto* call = as<Call>(value);
    const bool fits = call != nullptr && call->callee.text() == callee &&
                      call->arguments.size() == 1 && call->keywords.empty();
    return fits ? call : nullptr;
  }

  // xs of `len(xs)`.
  static const Name* measured(const Expr* value) {
    const Call* length = call_of(value, "builtins.len");
    return length != nullptr ? as<Name>(length->arguments[0]) : nullptr;
  }

  const Stmt* filled(const Stmt* before, const Stmt* after) const {
    // bxs = [0.0] * len(xs)
    const auto* made = as<Assign>(before);
    const auto* list = made != nullptr ? as<Name>(made->targets[0]) : nullptr;
    const auto* product = made != nullptr ? as<BinaryOperation>(made->value) : nullptr;
    if (list == nullptr || product == nullptr || product->op != BinaryOperator::Multiply ||
        !input_.adjoints.contains(list->symbol))
      return nullptr;
    const auto* zeros = as<ListDisplay>(product->left);
    const Name* items = measured(product->right);
    if (zeros == nullptr || zeros->elements.size() != 1 || items == nullptr) return nullptr;
    const auto* zero = as<Constant>(zeros->elements[0]);
    if (zero == nullptr || zero->value.kind != LiteralKind::Float) return nullptr;
    // for index in reversed(range(len(xs))):
    const auto* loop = as<For>(after);
    const auto* index = loop != nullptr ? as<Name>(loop->target) : nullptr;
    const Call* reversed =
        index != nullptr ? call_of(loop->iterable, "builtins.reversed") : nullptr;
    const Call* range =
        reversed != nullptr ? call_of(reversed->arguments[0], "builtins.range") : nullptr;
    const Name* counted = range != nullptr ? measured(range->arguments[0]) : nullptr;
    if (counted == nullptr || counted->symbol != items->symbol) return nullptr;
    std::vector<const Stmt*> body;
    for (const Stmt* statement : loop->body) {
      if (!is<Comment>(statement)) body.push_back(statement);
    }
    if (body.size() != 2) return nullptr;
    //     x = xs[index]
    const auto* item = as<Assign>(body[0]);
    const auto* name = item != nullptr ? as<Name>(item->targets[0]) : nullptr;
    const auto* element = item != nullptr ? as<Subscript>(item->value) : nullptr;
    if (name == nullptr || element == nullptr || !is_at(element, items->symbol, index->symbol))
      return nullptr;
    //     bxs[index] += e
    const auto* update = as<AugmentedAssign>(body[1]);
    const auto* place = update != nullptr ? as<Subscript>(update->target) : nullptr;
    if (place == nullptr || update->op != BinaryOperator::Add ||
        !is_at(place, list->symbol, index->symbol))
      return nullptr;
    const Type type = input_.type_of(update->value);
    if (!type.is_number() || !is_floating(type.dtype) || holds(update->value, Kind::Pop) ||
        !input_.effects.is_pure(update->value) || mentions(update->value, list->symbol) ||
        mentions(update->value, index->symbol))
      return nullptr;
    // The names of the loop are its own.
    int inside = 0;
    int indices = 0;
    for_each_node(*loop, [&](const Node& node) {
      const auto* read = as<Name>(&node);
      inside += read != nullptr && read->symbol == name->symbol ? 1 : 0;
      indices += read != nullptr && read->symbol == index->symbol ? 1 : 0;
    });
    if (mentions_.at(index->symbol) != indices || mentions_.at(name->symbol) != inside)
      return nullptr;
    Context& context = input_.context;
    const auto* generator =
        context.make<Generator>(update->ranges, static_cast<const Expr*>(name),
                                static_cast<const Expr*>(items), Exprs(), false);
    const auto* whole = context.make<Comprehension>(
        update->ranges, ComprehensionKind::List, static_cast<const Expr*>(nullptr), update->value,
        context.list<const Generator*>({generator}));
    return context.assign(list, whole, update->ranges);
  }

  static bool is_at(const Subscript* place, Symbol list, Symbol index) {
    const auto* base = as<Name>(place->value);
    const auto* at = as<Name>(place->index);
    return base != nullptr && at != nullptr && base->symbol == list && at->symbol == index;
  }

  const PassInput& input_;
  std::unordered_map<Symbol, int> mentions_;
};

}  // namespace

Block make_whole_lists(Block body, const PassInput& input) {
  if (!input.context.has_made(Kind::Subscript)) return body;
  return WholeLists(input).run(body);
}

}  // namespace tangent
