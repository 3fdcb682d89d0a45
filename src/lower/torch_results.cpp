// torch.max(x, 1).values as torch.max(x, 1)[0]; see torch_results.h.
#include "lower/torch_results.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "syntax/as_written.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

// Functions and methods whose results are values and indices.
constexpr std::array<std::string_view, 9> kPairFunctions = {
    "max", "min", "sort", "topk", "median", "nanmedian", "kthvalue", "cummax", "cummin"};

bool makes_pair(const Expr* value) {
  const auto* call = as<Call>(value);
  const auto* path = call != nullptr ? as<Attribute>(call->function) : nullptr;
  if (path == nullptr) return false;
  return std::ranges::find(kPairFunctions, path->attribute.text()) != kPairFunctions.end();
}

std::optional<std::int64_t> part_named(Symbol attribute) {
  if (attribute.text() == "values") return 0;
  if (attribute.text() == "indices") return 1;
  return std::nullopt;
}

class PartReader {
 public:
  PartReader(FunctionView<Symbol(std::string_view)> fresh, Context& context)
      : fresh_(fresh), context_(context) {}

  Block run(Block body) {
    for (const Stmt* statement : body)
      for_each_node(*statement, [&](const Node& node) { see(node); });
    std::erase_if(found_, [](const auto& entry) {
      const Seen& seen = entry.second;
      return !seen.pair || seen.bound != 1 || seen.reads != seen.parts || !seen.named;
    });
    return block(body);
  }

 private:
  // What becomes of a name: whether it is bound to a pair, and read for its parts alone.
  struct Seen {
    bool pair = false;
    int bound = 0;
    int reads = 0;  // all occurrences but the binding
    int parts = 0;
    bool named = false;  // by `.values` or `.indices`
    std::array<Symbol, 2> names = {};
  };

  void see(const Node& node) {
    if (const auto* assign = as<Assign>(&node)) {
      const auto* target = assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
      if (target != nullptr) {
        Seen& seen = found_[target->symbol];
        ++seen.bound;
        --seen.reads;  // it is met as a name as well
        seen.pair = makes_pair(assign->value);
      }
    }
    if (const auto* name = as<Name>(&node)) ++found_[name->symbol].reads;
    if (const auto* owner = owner_of_part(&node)) {
      Seen& seen = found_[owner->symbol];
      ++seen.parts;
      seen.named = seen.named || is<Attribute>(&node);
    }
  }

  // The name whose part a node reads: `r.values`, `r[0]`.
  static const Name* owner_of_part(const Node* node) {
    if (const auto* attribute = as<Attribute>(node); attribute && part_named(attribute->attribute))
      return as<Name>(attribute->value);
    const auto* read = as<Subscript>(node);
    const auto index = read != nullptr ? integer_literal(read->index) : std::nullopt;
    return index && (*index == 0 || *index == 1) ? as<Name>(read->value) : nullptr;
  }

  static std::size_t part_number(const Node* node) {
    const auto* attribute = as<Attribute>(node);
    const auto number = attribute != nullptr
                            ? part_named(attribute->attribute)
                            : integer_literal(static_cast<const Subscript*>(node)->index);
    return static_cast<std::size_t>(*number);
  }

  Block block(Block body) {
    std::vector<const Stmt*> out;
    out.reserve(body.size());
    for (const Stmt* statement : body) out.push_back(static_cast<const Stmt*>(rewrite(statement)));
    return context_.list(out);
  }

  const Node* rewrite(const Node* node) {
    if (const auto* assign = as<Assign>(node)) {
      const auto* target = assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
      const auto known = target != nullptr ? found_.find(target->symbol) : found_.end();
      if (known != found_.end()) {
        const Expr* parts = context_.make<TupleDisplay>(
            target->ranges, Exprs(context_.list<const Expr*>(
                                {context_.local(name_of(*known, 0), target->ranges),
                                 context_.local(name_of(*known, 1), target->ranges)})));
        return context_.assign(parts, static_cast<const Expr*>(rewrite(assign->value)),
                               assign->ranges);
      }
    }
    if (const Name* owner = owner_of_part(node)) {
      const auto known = found_.find(owner->symbol);
      if (known != found_.end())
        return context_.local(name_of(*known, part_number(node)), node->ranges);
    }
    if (const auto* attribute = as<Attribute>(node); attribute != nullptr) {
      const auto number = part_named(attribute->attribute);
      if (number && makes_pair(attribute->value))
        return context_.make<Subscript>(
            node->ranges, static_cast<const Expr*>(rewrite(attribute->value)),
            static_cast<const Expr*>(context_.integer(*number, node->ranges)));
    }
    return rewrite_children(context_, *node, [this](const Node* child) { return rewrite(child); });
  }

  Symbol name_of(std::pair<const Symbol, Seen>& known, std::size_t part) {
    Symbol& name = known.second.names[part];
    if (!name) {
      const std::string wish =
          std::string(known.first.text()) + (part == 0 ? "_values" : "_indices");
      name = fresh_(wish);
    }
    return name;
  }

  FunctionView<Symbol(std::string_view)> fresh_;
  Context& context_;
  std::unordered_map<Symbol, Seen> found_;
};

}  // namespace

Block with_parts_of_results(Block body, FunctionView<Symbol(std::string_view)> fresh,
                            Context& context) {
  const auto names_part = [](const Node* node) {
    const auto* attribute = as<Attribute>(node);
    return (attribute != nullptr && part_named(attribute->attribute)) || is<Subscript>(node);
  };
  const bool any = std::ranges::any_of(
      body, [&](const Stmt* statement) { return find_node(statement, names_part) != nullptr; });
  return any ? PartReader(fresh, context).run(body) : body;
}

}  // namespace tangent
