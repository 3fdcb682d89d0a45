#include "analysis/live_loops.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>

#include "analysis/aliases.h"
#include "base/diagnostics.h"
#include "syntax/places.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

class LiveLoops {
 public:
  LiveLoops(const TypedFunction& typed, Context& context,
            const std::unordered_set<const Stmt*>* wanted = nullptr)
      : typed_(typed), context_(context), wanted_(wanted) {}

  Block block(Block statements) {
    return with_statements(context_, statements, [this](const Stmt* statement, Statements& out) {
      return renewed(statement, out);
    });
  }

 private:
  using Statements = std::vector<const Stmt*>;

  const Stmt* renewed(const Stmt* it, Statements& out) {
    const auto* loop = as<For>(it);
    if (loop != nullptr && is_live(loop)) return counted(loop, block(loop->body), out);
    return with_blocks(context_, it, [&](Block inner) { return block(inner); });
  }

  bool is_live(const For* loop) {
    if (is_call(loop->iterable, "range")) return false;
    if (wanted_ != nullptr) return wanted_->contains(loop);
    std::vector<Symbol> read;
    for_each_read(loop->iterable, [&](Symbol symbol) { read.push_back(symbol); });
    bool live = false;
    const auto look = [&](const auto& self, const Node* node) -> void {
      if (!is_statement(node->kind)) return;
      const auto* statement = static_cast<const Stmt*>(node);
      if (const Symbol stored = stored_array(statement)) {
        live = live || std::ranges::any_of(read, [&](Symbol symbol) {
                 return symbol == stored || aliases().may_ever_share(symbol, stored);
               });
      }
      for_each_child(*node, [&](const Node* child) { self(self, child); });
    };
    for (const Stmt* statement : loop->body) look(look, statement);
    return live;
  }

  // Most functions have no loop that asks for them.
  const Aliases& aliases() {
    if (!aliases_) aliases_.emplace(typed_);
    return *aliases_;
  }

  // The name of what a statement changes in place: by an element, or as a whole.
  Symbol stored_array(const Stmt* statement) const {
    if (const Subscript* place = stored_place(statement)) {
      const Name* root = root_of(place);
      return root != nullptr ? root->symbol : Symbol();
    }
    const auto* augmented = as<AugmentedAssign>(statement);
    const auto* name = augmented != nullptr ? as<Name>(augmented->target) : nullptr;
    if (name == nullptr || typed_.type_of(name).is_number()) return {};
    return name->symbol;
  }

  static bool is_call(const Expr* value, std::string_view builtin) {
    const auto* call = as<Call>(value);
    return call != nullptr && call->callee.text() == "builtins." + std::string(builtin) &&
           call->keywords.empty();
  }

  Symbol fresh(const std::string& wish) {
    if (taken_.empty()) {
      for (const Stmt* statement : typed_.body) {
        for_each_node(*statement, [&](const Node& node) {
          if (const auto* name = as<Name>(&node)) taken_.insert(name->symbol);
        });
      }
      for (const Parameter* parameter : typed_.core->parameters) taken_.insert(parameter->name);
      for (const GlobalBinding& global : typed_.core->globals) taken_.insert(global.printed);
    }
    Symbol symbol = context_.symbol(wish);
    for (int number = 2; taken_.contains(symbol); ++number)
      symbol = context_.symbol(wish + std::to_string(number));
    taken_.insert(symbol);
    return symbol;
  }

  const Expr* call(std::string_view builtin, const std::vector<const Expr*>& arguments,
                   Ranges ranges) {
    return context_.make<Call>(ranges, context_.global(context_.symbol(builtin)),
                               context_.symbol("builtins." + std::string(builtin)),
                               Exprs(context_.list(arguments)), List<const Keyword*>());
  }

  [[noreturn]] static void refuse(const For* loop) {
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "the loop over `" + print(static_cast<const Node*>(loop->iterable)) +
                         "` stores into what it runs over",
                     loop->iterable->ranges, "loop over a copy, or by index");
  }

  // What a loop runs over, evaluated once: a name that the body leaves alone, or a new one.
  const Expr* held(const Expr* sequence, const For* loop, Statements& out) {
    if (is_call(sequence, "range")) return sequence;
    if (is<Call>(sequence) && !is_call(sequence, "reversed") &&
        static_cast<const Call*>(sequence)->callee.text().starts_with("builtins."))
      refuse(loop);
    if (is_call(sequence, "reversed")) {
      const Expr* minus = context_.make<UnaryOperation>(
          Ranges(), UnaryOperator::Minus, static_cast<const Expr*>(context_.integer(1)));
      const Expr* none = nullptr;
      sequence = context_.make<Subscript>(
          sequence->ranges, static_cast<const Call*>(sequence)->arguments[0],
          static_cast<const Expr*>(context_.make<Slice>(Ranges(), none, none, minus)));
    }
    if (const auto* name = as<Name>(sequence)) {
      bool bound = false;
      for (const Stmt* statement : loop->body) {
        const auto look = [&](const auto& self, const Stmt* it) -> void {
          // `x += e` of an array leaves the name with it.
          const auto* augmented = as<AugmentedAssign>(it);
          if (augmented == nullptr || !is<Name>(augmented->target) ||
              !typed_.type_of(augmented->target).is_array()) {
            const bool nests = is<If>(it) || is<For>(it) || is<While>(it);
            if (const auto* inner = as<For>(it))
              for_each_target(inner->target, [&](Symbol s) { bound = bound || s == name->symbol; });
            if (!nests) for_each_binding(it, [&](Symbol s) { bound = bound || s == name->symbol; });
          }
          for_each_child(*it, [&](const Node* child) {
            if (is_statement(child->kind)) self(self, static_cast<const Stmt*>(child));
          });
        };
        look(look, statement);
      }
      if (!bound) return sequence;
    }
    const Symbol items = fresh("items");
    out.push_back(
        context_.assign(context_.local(items, sequence->ranges), sequence, sequence->ranges));
    return context_.local(items, sequence->ranges);
  }

  const Stmt* counted(const For* loop, Block body, Statements& out) {
    const Ranges ranges = loop->ranges;
    const Expr* iterable = loop->iterable;
    const Expr* target = loop->target;
    Statements inner;
    Symbol index;
    // enumerate(…, start)
    if (is_call(iterable, "enumerate")) {
      const auto* pair = as<TupleDisplay>(target);
      const Exprs arguments = static_cast<const Call*>(iterable)->arguments;
      if (pair == nullptr || pair->elements.size() != 2 || arguments.empty()) refuse(loop);
      index = fresh("index");
      const Expr* count = context_.local(index, ranges);
      if (arguments.size() == 2) {
        const Expr* start = arguments[1];
        if (!is<Constant>(start)) {
          const Symbol first = fresh("start");
          out.push_back(context_.assign(context_.local(first, ranges), start, ranges));
          start = context_.local(first, ranges);
        }
        count = context_.make<BinaryOperation>(ranges, BinaryOperator::Add, count, start);
      }
      inner.push_back(context_.assign(pair->elements[0], count, ranges));
      target = pair->elements[1];
      iterable = arguments[0];
    }
    if (!index) index = fresh("index");
    std::vector<const Expr*> sequences;
    std::vector<const Expr*> targets;
    const bool zips = is_call(iterable, "zip");
    if (zips) {
      const Exprs arguments = static_cast<const Call*>(iterable)->arguments;
      const auto* parts = as<TupleDisplay>(target);
      if (parts == nullptr) {
        // `pair` of a nested pattern, which the body unpacks first.
        const auto* first = body.empty() ? nullptr : as<Assign>(body[0]);
        const auto* unpacked = first != nullptr ? as<TupleDisplay>(first->targets[0]) : nullptr;
        const auto* pair = as<Name>(target);
        const auto* value = first != nullptr ? as<Name>(first->value) : nullptr;
        if (unpacked == nullptr || pair == nullptr || value == nullptr ||
            value->symbol != pair->symbol || reads(body.subspan(1), pair->symbol))
          refuse(loop);
        parts = unpacked;
        body = body.subspan(1);
      }
      if (parts->elements.size() != arguments.size()) refuse(loop);
      targets.assign(parts->elements.begin(), parts->elements.end());
      for (const Expr* argument : arguments) sequences.push_back(held(argument, loop, out));
    } else {
      targets.push_back(target);
      sequences.push_back(held(iterable, loop, out));
    }
    std::vector<const Expr*> lengths;
    for (std::size_t k = 0; k < sequences.size(); ++k) {
      inner.push_back(context_.assign(
          targets[k],
          context_.make<Subscript>(ranges, sequences[k],
                                   static_cast<const Expr*>(context_.local(index, ranges))),
          ranges));
      lengths.push_back(call("len", {again(sequences[k])}, ranges));
    }
    const Expr* length = lengths.size() == 1 ? lengths[0] : call("min", lengths, ranges);
    inner.insert(inner.end(), body.begin(), body.end());
    return context_.make<For>(ranges, static_cast<const Expr*>(context_.local(index, ranges)),
                              call("range", {length}, ranges), Block(context_.list(inner)),
                              loop->orelse, loop->is_async);
  }

  static bool reads(Block body, Symbol symbol) {
    return std::ranges::any_of(body, [&](const Stmt* statement) {
      return find_node(statement, [&](const Node* node) {
               const auto* name = as<Name>(node);
               return name != nullptr && name->symbol == symbol;
             }) != nullptr;
    });
  }

  // A second place for a name, or for a range.
  const Expr* again(const Expr* sequence) {
    if (const auto* name = as<Name>(sequence)) return context_.local(name->symbol, name->ranges);
    const auto* range = static_cast<const Call*>(sequence);
    return context_.make<Call>(range->ranges, range->function, range->callee, range->arguments,
                               range->keywords);
  }

  const TypedFunction& typed_;
  std::optional<Aliases> aliases_;
  Context& context_;
  const std::unordered_set<const Stmt*>* wanted_;  // these; null: those that are live
  std::unordered_set<Symbol> taken_;
};

}  // namespace

Block count_live_loops(Block body, const TypedFunction& typed, Context& context) {
  return LiveLoops(typed, context).block(body);
}

Block count_loops(Block body, const std::unordered_set<const Stmt*>& wanted,
                  const TypedFunction& typed, Context& context) {
  return LiveLoops(typed, context, &wanted).block(body);
}

}  // namespace tangent
