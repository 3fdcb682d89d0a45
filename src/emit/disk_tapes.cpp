#include "emit/disk_tapes.h"

#include <unordered_map>
#include <vector>

#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

bool is_empty_list(const Expr* value) {
  const auto* display = as<ListDisplay>(value);
  return display != nullptr && display->elements.empty();
}

class DiskTapes {
 public:
  DiskTapes(const std::string& folder, bool of_gradient, FunctionView<bool(const Expr*)> is_number,
            Context& context)
      : of_gradient_(of_gradient), is_number_(is_number), context_(context) {
    folder_ = context.arena().copy_text(folder);
  }

  Block run(Block body) {
    for (const Stmt* statement : body)
      for_each_node(*statement, [&](const Node& node) { note(node); });
    return rewritten(body);
  }

 private:
  struct Uses {
    std::size_t mentions = 0;  // by name
    std::size_t of_tapes = 0;  // of these: what a tape is used for
    bool pushed = false;       // by this gradient itself
    bool arrays = false;       // holds what is no number
  };

  static const Name* emptied(const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    return name != nullptr && is_empty_list(assign->value) ? name : nullptr;
  }

  void note(const Node& node) {
    if (const auto* name = as<Name>(&node)) {
      ++uses_[name->symbol].mentions;
    } else if (const auto* push = as<Push>(&node)) {
      Uses& uses = uses_[push->tape];
      uses.pushed = true;
      uses.arrays = uses.arrays || !is_number_(push->value);
    } else if (const auto* repeat = as<While>(&node)) {
      if (const auto* test = as<Name>(repeat->test)) ++uses_[test->symbol].of_tapes;
    } else if (const auto* call = as<Call>(&node)) {
      const bool length = call->callee.text() == "builtins.len" && call->arguments.size() == 1;
      const auto* list = length ? as<Name>(call->arguments[0]) : nullptr;
      if (list != nullptr) ++uses_[list->symbol].of_tapes;
    } else if (is_statement(node.kind)) {
      const auto* statement = static_cast<const Stmt*>(&node);
      if (const ListChange change = list_change(statement)) {
        Uses& uses = uses_[change.list->symbol];
        if (change.is_direct() && change.key == nullptr) ++uses.of_tapes;
        if (change.appends) uses.arrays = uses.arrays || !is_number_(change.item);
      } else if (const Name* name = emptied(statement)) {
        ++uses_[name->symbol].of_tapes;
      } else if (const auto* assign = as<Assign>(statement)) {
        // `snapshots = snapshots[::2]`
        const auto* target = as<Name>(assign->targets[0]);
        const auto* part = as<Subscript>(assign->value);
        const auto* whole = part != nullptr ? as<Name>(part->value) : nullptr;
        if (target != nullptr && whole != nullptr && target->symbol == whole->symbol &&
            is<Slice>(part->index))
          uses_[target->symbol].of_tapes += 2;
      }
    }
  }

  bool is_tape(Symbol list) const {
    const Uses& uses = uses_.at(list);
    return uses.arrays && (uses.pushed || (of_gradient_ && uses.mentions == uses.of_tapes));
  }

  Block rewritten(Block body) {
    return with_statements(
        context_, body, [&](const Stmt* statement, std::vector<const Stmt*>&) -> const Stmt* {
          const Name* name = emptied(statement);
          if (name == nullptr)
            return with_blocks(context_, statement, [&](Block inner) { return rewritten(inner); });
          if (!is_tape(name->symbol)) return statement;
          const Expr* folder =
              context_.make<Constant>({}, Literal{.kind = LiteralKind::String, .text = folder_});
          const Expr* made =
              context_.make<Call>({}, context_.global(context_.symbol(kTapeOnDisk)),
                                  context_.symbol("tangent.runtime." + std::string(kTapeOnDisk)),
                                  context_.list<const Expr*>({folder}), List<const Keyword*>());
          return context_.assign(context_.local(name->symbol), made, statement->ranges);
        });
  }

  std::string_view folder_;
  bool of_gradient_;
  FunctionView<bool(const Expr*)> is_number_;
  Context& context_;
  std::unordered_map<Symbol, Uses> uses_;
};

}  // namespace

Block put_tapes_on_disk(Block body, const std::string& folder, bool of_gradient,
                        FunctionView<bool(const Expr*)> is_number, Context& context) {
  return DiskTapes(folder, of_gradient, is_number, context).run(body);
}

}  // namespace tangent
