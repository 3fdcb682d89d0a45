#include "autodiff/stored_reshapes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "analysis/aliases.h"
#include "analysis/variables.h"
#include "autodiff/rule_names.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class StoredReshapes {
 public:
  StoredReshapes(const CoreFunction& core, const TypedFunction& typed,
                 const std::unordered_set<Symbol>& names, Context& context)
      : core_(core), typed_(typed), names_(names), context_(context), aliases_(typed) {
    for (const Stmt* statement : core.body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node); name != nullptr && name->scope == Scope::Local)
          ++mentions_[name->symbol];
      });
    }
  }

  Block run() { return block(core_.body, true); }

 private:
  using Statements = std::vector<const Stmt*>;

  struct Pair {
    Symbol view;
    Symbol base;
    const Expr* value;
  };

  enum class Newer : std::uint8_t { Both, View, Base };

  Block block(Block body, bool outermost) {
    for (std::size_t k = 0; k < body.size(); ++k) {
      const std::optional<Pair> pair = pair_of(body[k]);
      if (!pair) continue;
      if (const auto now = parted(body, k, *pair, outermost)) return *now;
    }
    return with_statements(context_, body, [&](const Stmt* it, Statements&) {
      return with_blocks(context_, it, [&](Block inner) { return block(inner, false); });
    });
  }

  // `z = y.reshape(…)`, in C order.
  std::optional<Pair> pair_of(const Stmt* statement) const {
    const auto* assign = as<Assign>(statement);
    const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    const auto* call = assign != nullptr ? as<Call>(assign->value) : nullptr;
    if (target == nullptr || call == nullptr || !call->keywords.empty()) return std::nullopt;
    const std::string_view callee = call->callee.text();
    const auto* method = as<Attribute>(call->function);
    if (method == nullptr ||
        (method->attribute.text() != "reshape" && method->attribute.text() != "ravel"))
      return std::nullopt;
    if (call->callee && callee != "numpy.reshape" && callee != "numpy.ravel") return std::nullopt;
    const auto* base = as<Name>(method->value);
    if (base == nullptr || base->scope != Scope::Local || !typed_.type_of(base).is_array())
      base = call->arguments.empty() ? nullptr : as<Name>(call->arguments[0]);
    if (base == nullptr || base->scope != Scope::Local || base->symbol == target->symbol ||
        !typed_.type_of(base).is_array() || !names_.contains(target->symbol) ||
        !names_.contains(base->symbol))
      return std::nullopt;
    return Pair{target->symbol, base->symbol, assign->value};
  }

  bool mentions_it(const Node* node, Symbol symbol) const {
    return find_node(node, [&](const Node* part) {
             const auto* name = as<Name>(part);
             return name != nullptr && name->symbol == symbol && name->scope == Scope::Local;
           }) != nullptr;
  }

  // Whether a statement writes into the array of a name.
  bool writes(const Stmt* statement, Symbol symbol) const {
    return find_node(statement, [&](const Node* node) {
             if (!is_statement(node->kind)) return false;
             const auto* it = static_cast<const Stmt*>(node);
             const Subscript* place = stored_place(it);
             if (place != nullptr && root_of(place) != nullptr)
               return root_of(place)->symbol == symbol;
             const auto* augmented = as<AugmentedAssign>(it);
             const auto* name = augmented != nullptr ? as<Name>(augmented->target) : nullptr;
             return name != nullptr && name->symbol == symbol;
           }) != nullptr;
  }

  // Whether a statement gives a name another array.
  bool binds(const Stmt* statement, Symbol symbol) const {
    return find_node(statement, [&](const Node* node) {
             bool found = false;
             const auto look = [&](const Expr* target) {
               for_each_target(target, [&](Symbol bound) { found = found || bound == symbol; });
             };
             const auto* assign = as<Assign>(node);
             if (assign != nullptr && !is<Subscript>(assign->targets[0])) look(assign->targets[0]);
             if (const auto* loop = as<For>(node)) look(loop->target);
             return found;
           }) != nullptr;
  }

  static bool leaves(const Stmt* statement) {
    return find_node(statement, [](const Node* node) {
             return is<Break>(node) || is<Return>(node) || is<Raise>(node);
           }) != nullptr;
  }

  const Expr* numpy(std::string_view word, const std::vector<const Expr*>& arguments,
                    Ranges ranges) {
    const Expr* function = context_.make<Attribute>(
        ranges, static_cast<const Expr*>(context_.global(*numpy_, ranges)), context_.symbol(word));
    return context_.make<Call>(ranges, function, context_.symbol("numpy." + std::string(word)),
                               context_.list(arguments), List<const Keyword*>());
  }

  // if shares: to[...] = np.reshape(from, np.shape(to))
  const Stmt* handed(Symbol shares, Symbol from, Symbol to, Ranges ranges) {
    const Expr* all = context_.make<Constant>(ranges, Literal{.kind = LiteralKind::Ellipsis});
    const Expr* place =
        context_.make<Subscript>(ranges, static_cast<const Expr*>(context_.local(to)), all);
    const Expr* value = numpy(
        "reshape", {context_.local(from), numpy("shape", {context_.local(to)}, ranges)}, ranges);
    const Stmt* store = context_.assign(place, value, ranges);
    return context_.make<If>(ranges, static_cast<const Expr*>(context_.local(shares)),
                             Block(context_.list<const Stmt*>({store})), Block());
  }

  std::optional<Block> parted(Block body, std::size_t k, const Pair& pair, bool outermost) {
    numpy_ = numpy_name();
    if (!numpy_) return std::nullopt;
    // All of the view is in this block, and the base stays the same array meanwhile.
    std::size_t here = 0;
    for (std::size_t j = k; j < body.size(); ++j) {
      for_each_node(*body[j], [&](const Node& node) {
        const auto* name = as<Name>(&node);
        here += name != nullptr && name->symbol == pair.view ? 1 : 0;
      });
      if (j > k && (binds(body[j], pair.view) || binds(body[j], pair.base))) return std::nullopt;
    }
    if (here != mentions_.at(pair.view)) return std::nullopt;
    for (const auto& [other, count] : mentions_) {
      if (other != pair.view && other != pair.base && aliases_.may_ever_share(other, pair.base))
        return std::nullopt;
    }
    if (!names_pool_) names_pool_.emplace(context_, core_);
    const Ranges ranges = body[k]->ranges;
    const Symbol shares = names_pool_->fresh("shares");
    Statements out(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(k));
    out.push_back(context_.assign(
        context_.local(shares, ranges),
        numpy("may_share_memory", {copied(pair.value), context_.local(pair.base)}, ranges),
        ranges));
    const Expr* copy =
        context_.make<Attribute>(ranges, copied(pair.value), context_.symbol("copy"));
    out.push_back(context_.assign(
        context_.local(pair.view, ranges),
        context_.make<Call>(ranges, copy, Symbol(), Exprs(), List<const Keyword*>()), ranges));
    Newer newer = Newer::Both;
    const auto settle = [&](Ranges at) {
      if (newer == Newer::View) out.push_back(handed(shares, pair.view, pair.base, at));
      if (newer == Newer::Base) out.push_back(handed(shares, pair.base, pair.view, at));
      newer = Newer::Both;
    };
    const bool outside = aliases_.is_outside(pair.base);
    for (std::size_t j = k + 1; j < body.size(); ++j) {
      const Stmt* statement = body[j];
      const bool view = mentions_it(statement, pair.view);
      const bool base = mentions_it(statement, pair.base);
      const bool writes_view = writes(statement, pair.view);
      const bool writes_base = writes(statement, pair.base);
      const bool plain = is<Assign>(statement) || is<AugmentedAssign>(statement);
      if (writes_view && writes_base) return std::nullopt;
      if ((writes_view || writes_base) && !plain && ((view && base) || leaves(statement)))
        return std::nullopt;
      const bool ends = leaves(statement) && newer == Newer::View && (outside || !outermost);
      if ((base && newer == Newer::View) || (view && newer == Newer::Base) || ends)
        settle(statement->ranges);
      out.push_back(statement);
      if (writes_view) newer = Newer::View;
      if (writes_base) newer = Newer::Base;
      // The caller sees the store even if the next statement raises.
      if (outside && newer == Newer::View) settle(statement->ranges);
    }
    if (newer == Newer::View && (outside || !outermost)) settle(ranges);
    return context_.list(out);
  }

  std::optional<Symbol> numpy_name() const {
    for (const GlobalBinding& global : core_.globals) {
      if (global.thing.kind == ThingKind::Module && global.thing.qualified_name.text() == "numpy")
        return global.printed;
    }
    return std::nullopt;
  }

  // Nodes of its own: side tables go by node.
  const Expr* copied(const Expr* value) {
    const auto again = [&](const auto& self, const Node* node) -> const Node* {
      if (const auto* name = as<Name>(node))
        return context_.make<Name>(name->ranges, name->symbol, name->scope);
      if (const auto* constant = as<Constant>(node))
        return context_.make<Constant>(constant->ranges, constant->value);
      return rewrite_children(context_, *node,
                              [&](const Node* child) { return self(self, child); });
    };
    return static_cast<const Expr*>(again(again, value));
  }

  const CoreFunction& core_;
  const TypedFunction& typed_;
  const std::unordered_set<Symbol>& names_;
  Context& context_;
  Aliases aliases_;
  std::unordered_map<Symbol, std::size_t> mentions_;
  std::optional<NamePool> names_pool_;
  std::optional<Symbol> numpy_;
};

}  // namespace

Block part_stored_reshapes(const CoreFunction& core, const TypedFunction& typed, Context& context) {
  const std::unordered_set<Symbol> names = Aliases(typed).in_conflict();
  if (names.empty() || core.library != Library::NumPy) return core.body;
  return StoredReshapes(core, typed, names, context).run();
}

}  // namespace tangent
