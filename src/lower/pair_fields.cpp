// Parts of arguments as parameters of pairs; see pair_fields.h.
#include "lower/pair_fields.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "lower/names.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

using Calls = std::function<void(const Call*)>;

void for_each_call(Block body, const Calls& f) {
  for (const Stmt* statement : body) {
    if (const Call* call = pair_call(statement)) f(call);
    for_each_child(*statement, [&](const Node* child) {
      if (!is_statement(child->kind)) return;
      const auto* inner = static_cast<const Stmt*>(child);
      for_each_call(Block(&inner, 1), f);
    });
  }
}

bool is_bound(Block body, Symbol symbol) {
  return std::ranges::any_of(body, [&](const Stmt* statement) {
    return find_node(statement, [&](const Node* node) {
             auto binds = [&](const Expr* target) {
               if (target == nullptr || is<Subscript>(target)) return false;
               return find_node(target, [&](const Node* part) {
                        const auto* name = as<Name>(part);
                        return name != nullptr && name->symbol == symbol;
                      }) != nullptr;
             };
             if (const auto* assign = as<Assign>(node)) return binds(assign->targets[0]);
             if (const auto* augmented = as<AugmentedAssign>(node)) return binds(augmented->target);
             if (const auto* loop = as<For>(node)) return binds(loop->target);
             return false;
           }) != nullptr;
  });
}

std::optional<std::size_t> position_of(List<const Parameter*> parameters, const Expr* argument) {
  const auto* name = as<Name>(argument);
  if (name == nullptr || name->scope != Scope::Local) return std::nullopt;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k]->name == name->symbol) return k;
  }
  return std::nullopt;
}

std::size_t index_of(const std::vector<CorePair>& pairs, const Call* call) {
  return static_cast<std::size_t>(std::ranges::find(pairs, call->callee, &CorePair::callee) -
                                  pairs.begin());
}

class Spreader {
 public:
  Spreader(CoreFunction& core, std::vector<CorePair>& pairs,
           const std::vector<Structure>& structures, const std::vector<NamedField>& fields,
           Context& context)
      : core_(core),
        pairs_(pairs),
        structures_(structures),
        fields_(fields),
        context_(context),
        parts_(pairs.size()) {}

  void run() {
    choose();
    for (std::size_t k = 0; k < pairs_.size(); ++k) name_parts(k);
    need_what_others_need();
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      pairs_[k].core.body =
          pass_parts(pairs_[k].core.body,
                     [&](const Call* call, const Part& part) { return passed_on(k, call, part); });
    }
    core_.body = pass_parts(
        core_.body, [&](const Call*, const Part& part) { return context_.local(part.field); });
    for (std::size_t k = 0; k < pairs_.size(); ++k) take_parts(k);
  }

 private:
  // A leaf of an argument in one pair.
  struct Part {
    std::size_t parameter;  // of the pair
    std::size_t leaf;       // among those of the argument
    Symbol field;           // as the differentiated function knows it: "p['rate']"
    Symbol name;            // as the pair does
    bool is_read = false;
  };

  [[nodiscard]] bool is_structured(std::size_t parameter) const {
    return parameter < structures_.size() && !structures_[parameter].is_leaf() &&
           !is_bound(core_.body, core_.parameters[parameter]->name);
  }

  // Which parameters of pairs stand for one argument each, on every call.
  void choose() {
    const auto origins = passed_through_of();
    origins_.resize(pairs_.size());
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      for (std::size_t i = 0; i < pairs_[k].core.parameters.size(); ++i) {
        const bool one = origins[k][i].size() == 1 && is_structured(origins[k][i][0]) &&
                         !is_bound(pairs_[k].core.body, pairs_[k].core.parameters[i]->name);
        origins_[k].push_back(one ? std::optional(origins[k][i][0]) : std::nullopt);
      }
    }
    for (bool again = true; again;) {
      again = false;
      auto look = [&](const CoreFunction& from,
                      const std::vector<std::optional<std::size_t>>* own) {
        for_each_call(from.body, [&](const Call* call) {
          const std::size_t k = index_of(pairs_, call);
          for (std::size_t i = 0; i < call->arguments.size(); ++i) {
            if (!origins_[k][i]) continue;
            const auto position = position_of(from.parameters, call->arguments[i]);
            const auto origin = !position ? std::nullopt
                                : own != nullptr
                                    ? (*position < own->size() ? (*own)[*position] : std::nullopt)
                                    : position;
            if (origin == origins_[k][i]) continue;
            origins_[k][i] = std::nullopt;
            again = true;
          }
        });
      };
      look(core_, nullptr);
      for (std::size_t k = 0; k < pairs_.size(); ++k) look(pairs_[k].core, &origins_[k]);
      for (std::size_t k = 0; k < pairs_.size(); ++k) again = drop_wholes(k) || again;
    }
  }

  // What a pair's arguments are made of, as far as it is their parts that it takes.
  [[nodiscard]] std::vector<Structure> structures_of(std::size_t k) const {
    std::vector<Structure> structures(pairs_[k].core.parameters.size());
    for (std::size_t i = 0; i < structures.size(); ++i) {
      if (origins_[k][i]) structures[i] = structures_[*origins_[k][i]];
    }
    return structures;
  }

  // A parameter that is used as a whole, but for passing it on, or read where nothing is, stays.
  bool drop_wholes(std::size_t k) {
    const CoreFunction& core = pairs_[k].core;
    std::vector<NamedField> named;
    const CoreFunction probe = name_fields(core, structures_of(k), named, context_);
    const bool misses = std::ranges::any_of(
        named, [](const NamedField& field) { return field.parameter == kNoParameter; });
    bool dropped = false;
    for (std::size_t i = 0; i < core.parameters.size(); ++i) {
      if (!origins_[k][i]) continue;
      std::size_t reads = 0;
      for (const Stmt* statement : probe.body) {
        for_each_node(*statement, [&](const Node& node) {
          const auto* name = as<Name>(&node);
          reads += name != nullptr && name->symbol == core.parameters[i]->name ? 1U : 0U;
        });
      }
      for_each_call(core.body, [&](const Call* call) {
        const std::size_t other = index_of(pairs_, call);
        for (std::size_t j = 0; j < call->arguments.size(); ++j) {
          if (origins_[other][j] && position_of(core.parameters, call->arguments[j]) == i) --reads;
        }
      });
      if (reads == 0 && !misses) continue;
      origins_[k][i] = std::nullopt;
      dropped = true;
    }
    return dropped;
  }

  [[nodiscard]] std::vector<std::vector<std::vector<std::size_t>>> passed_through_of() const {
    CoreFunction all = core_;
    all.pairs = pairs_;
    return passed_through(all);
  }

  // Reads of parts become names; which of them are there follows from the argument.
  void name_parts(std::size_t k) {
    CoreFunction& core = pairs_[k].core;
    if (std::ranges::none_of(origins_[k], [](const auto& it) { return it.has_value(); })) return;
    std::vector<NamedField> named;
    const List<const Parameter*> parameters = core.parameters;
    core = name_fields(core, structures_of(k), named, context_);
    core.parameters = parameters;
    lowering::FreshNames names(context_);
    for (const Parameter* parameter : parameters) names.take(parameter->name);
    for (const GlobalBinding& global : core.globals) names.take(global.printed);
    std::unordered_set<Symbol> read;
    for (const Stmt* statement : core.body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* name = as<Name>(&node);
        if (name == nullptr) return;
        names.take(name->symbol);
        read.insert(name->symbol);
      });
    }
    std::unordered_map<Symbol, Symbol> renamed;
    std::unordered_map<std::size_t, std::size_t> leaves;  // so far, by parameter
    for (const NamedField& field : named) {
      const std::size_t leaf = leaves[field.parameter]++;
      const Symbol name = names.fresh(identifier(field.name.text()));
      renamed.emplace(field.name, name);
      parts_[k].push_back({.parameter = field.parameter,
                           .leaf = leaf,
                           .field = leaf_of(*origins_[k][field.parameter], leaf),
                           .name = name,
                           .is_read = read.contains(field.name)});
    }
    const std::function<const Node*(const Node*)> rename = [&](const Node* node) -> const Node* {
      if (const auto* name = as<Name>(node)) {
        const auto found = renamed.find(name->symbol);
        return found == renamed.end() || name->scope != Scope::Local
                   ? node
                   : context_.local(found->second, name->ranges);
      }
      return rewrite_children(context_, *node, rename);
    };
    std::vector<const Stmt*> body;
    for (const Stmt* statement : core.body)
      body.push_back(static_cast<const Stmt*>(rename(statement)));
    core.body = context_.list(body);
  }

  // "p['rate']" is p_rate.
  static std::string identifier(std::string_view text) {
    std::string result;
    for (const char c : text) {
      const bool fits =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (fits) {
        result += c;
      } else if (!result.empty() && result.back() != '_') {
        result += '_';
      }
    }
    while (!result.empty() && result.back() == '_') result.pop_back();
    return result;
  }

  [[nodiscard]] Symbol leaf_of(std::size_t parameter, std::size_t leaf) const {
    for (const NamedField& field : fields_) {
      if (field.parameter == parameter && leaf-- == 0) return field.name;
    }
    return {};
  }

  void need_what_others_need() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t k = 0; k < pairs_.size(); ++k) {
        for_each_call(pairs_[k].core.body, [&](const Call* call) {
          for (const Part& part : parts_[index_of(pairs_, call)]) {
            if (!part.is_read) continue;
            const auto position =
                position_of(pairs_[k].core.parameters, call->arguments[part.parameter]);
            for (Part& own : parts_[k]) {
              if (own.parameter != *position || own.leaf != part.leaf || own.is_read) continue;
              own.is_read = true;
              again = true;
            }
          }
        });
      }
    }
  }

  const Expr* passed_on(std::size_t from, const Call* call, const Part& part) {
    const auto position =
        position_of(pairs_[from].core.parameters, call->arguments[part.parameter]);
    const auto own = std::ranges::find_if(parts_[from], [&](const Part& it) {
      return it.parameter == *position && it.leaf == part.leaf;
    });
    return context_.local(own->name);
  }

  // The calls with the parts behind the arguments.
  using Value = std::function<const Expr*(const Call*, const Part&)>;
  Block pass_parts(Block body, const Value& value) {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : body) {
      if (const Call* call = pair_call(statement)) {
        const std::size_t k = index_of(pairs_, call);
        std::vector<const Expr*> arguments;
        for (std::size_t i = 0; i < call->arguments.size(); ++i) {
          if (!origins_[k][i]) arguments.push_back(call->arguments[i]);
        }
        for (const Part& part : parts_[k]) {
          if (part.is_read) arguments.push_back(value(call, part));
        }
        // The function itself does not take the parts.
        const Expr* function = arguments.size() == call->arguments.size() && parts_[k].empty()
                                   ? call->function
                                   : context_.global(pairs_[k].forward, call->function->ranges);
        out.push_back(context_.assign(
            static_cast<const Assign*>(statement)->targets[0],
            context_.make<Call>(call->ranges, function, call->callee,
                                Exprs(context_.list(arguments)), List<const Keyword*>()),
            statement->ranges));
      } else {
        out.push_back(with_blocks(context_, statement,
                                  [&](Block inner) { return pass_parts(inner, value); }));
      }
    }
    return context_.list(out);
  }

  void take_parts(std::size_t k) {
    CoreFunction& core = pairs_[k].core;
    std::vector<const Parameter*> parameters;
    for (std::size_t i = 0; i < core.parameters.size(); ++i) {
      if (!origins_[k][i]) parameters.push_back(core.parameters[i]);
    }
    for (const Part& part : parts_[k]) {
      if (!part.is_read) continue;
      parameters.push_back(context_.make<Parameter>(
          core.parameters[part.parameter]->ranges, part.name, ParameterKind::Positional,
          static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr)));
    }
    core.parameters = context_.list(parameters);
  }

  CoreFunction& core_;
  std::vector<CorePair>& pairs_;
  const std::vector<Structure>& structures_;
  const std::vector<NamedField>& fields_;
  Context& context_;
  std::vector<std::vector<std::optional<std::size_t>>> origins_;
  std::vector<std::vector<Part>> parts_;
};

}  // namespace

std::vector<std::vector<std::vector<std::size_t>>> passed_through(const CoreFunction& core) {
  std::vector<std::vector<std::vector<std::size_t>>> origins(core.pairs.size());
  for (std::size_t k = 0; k < core.pairs.size(); ++k)
    origins[k].resize(core.pairs[k].core.parameters.size());
  bool again = true;
  auto look = [&](const CoreFunction& from, const auto& origins_of) {
    for_each_call(from.body, [&](const Call* call) {
      const std::size_t k = index_of(core.pairs, call);
      for (std::size_t i = 0; i < call->arguments.size(); ++i) {
        const auto position = position_of(from.parameters, call->arguments[i]);
        if (!position) continue;
        for (const std::size_t origin : origins_of(*position)) {
          std::vector<std::size_t>& known = origins[k][i];
          if (std::ranges::find(known, origin) != known.end()) continue;
          known.push_back(origin);
          again = true;
        }
      }
    });
  };
  while (again) {
    again = false;
    look(core, [](std::size_t position) { return std::vector<std::size_t>{position}; });
    for (std::size_t k = 0; k < core.pairs.size(); ++k) {
      look(core.pairs[k].core, [&](std::size_t position) { return origins[k][position]; });
    }
  }
  return origins;
}

void spread_fields(CoreFunction& core, std::vector<CorePair>& pairs,
                   const std::vector<Structure>& structures, const std::vector<NamedField>& fields,
                   Context& context) {
  if (pairs.empty() || fields.empty()) return;
  Spreader(core, pairs, structures, fields, context).run();
}

}  // namespace tangent
