#include "lower/default_dicts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.h"
#include "syntax/as_written.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

[[noreturn]] void refuse_default_dict(const Node& node, std::string message, std::string remedy) {
  throw Diagnostic(DiagnosticKind::UnsupportedSyntax, std::move(message), node.ranges,
                   std::move(remedy));
}

bool is_plain_key(const Expr* key) { return is<Name>(key) || is<Constant>(key); }

class WithoutDefaultDicts {
 public:
  WithoutDefaultDicts(Context& context, FunctionView<DefaultDict(const Expr*)> kind_of)
      : context_(context), kind_of_(kind_of) {}

  Block run(Block body) {
    for (const Stmt* statement : body) find(statement);
    if (dicts_.empty()) return body;
    for (const Stmt* statement : body) {
      check(statement);
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) taken_.insert(name->symbol);
        if (const auto* parameter = as<Parameter>(&node)) taken_.insert(parameter->name);
      });
    }
    return block(body);
  }

 private:
  using Statements = std::vector<const Stmt*>;

  struct Dict {
    DefaultDict kind = DefaultDict::None;
    const Expr* missing = nullptr;  // what an entry begins with; null: there is nothing such
    bool is_number = false;
    bool is_observed = false;  // which keys it has is seen: a loop, `in`, `len`
  };

  // --- which names they have

  const Call* made(const Expr* value) const {
    const auto* call = as<Call>(value);
    return call != nullptr && kind_of_(call->function) != DefaultDict::None ? call : nullptr;
  }

  void find(const Node* node) {
    if (is<FunctionDefinition>(node) || is<ClassDefinition>(node)) return;
    const Expr* target = nullptr;
    const Expr* value = nullptr;
    if (const auto* assign = as<Assign>(node); assign != nullptr && assign->targets.size() == 1)
      target = assign->targets[0], value = assign->value;
    if (const auto* annotated = as<AnnotatedAssign>(node))
      target = annotated->target, value = annotated->value;
    const auto* name = target != nullptr ? as<Name>(target) : nullptr;
    if (const Call* call = name != nullptr ? made(value) : nullptr) {
      const Dict one = dict_made(*call);
      const auto [found, is_new] = dicts_.emplace(name->symbol, one);
      const Dict& known = found->second;
      const bool same =
          known.kind == one.kind &&
          (known.missing == nullptr ? one.missing == nullptr
                                    : one.missing != nullptr && equal(known.missing, one.missing));
      if (!is_new && !same) {
        refuse_default_dict(*call, "a name that stands for dicts with several defaults",
                            "use a name of its own for each");
      }
    }
    if (is_statement(node->kind)) for_each_child(*node, [&](const Node* child) { find(child); });
  }

  Dict dict_made(const Call& call) const {
    Dict dict{.kind = kind_of_(call.function)};
    if (!call.keywords.empty() || call.arguments.size() > 1) {
      refuse_default_dict(call, "these arguments of such a dict are not supported yet",
                          "make it empty, and store the entries one by one");
    }
    if (dict.kind == DefaultDict::Counter) {
      dict.missing = context_.integer(0, call.ranges);
      dict.is_number = true;
    }
    if (dict.kind != DefaultDict::Default || call.arguments.empty()) {
      if (dict.kind == DefaultDict::Ordered && !call.arguments.empty()) {
        refuse_default_dict(call, "an `OrderedDict` of given entries is not supported yet",
                            "use a dict, which keeps its order");
      }
      return dict;
    }
    const Expr* factory = call.arguments[0];
    const auto* name = as<Name>(factory);
    const auto* lambda = as<Lambda>(factory);
    if (name != nullptr) {
      const std::string_view word = name->symbol.text();
      if (word == "float") dict.missing = context_.number(0.0, call.ranges);
      if (word == "int") dict.missing = context_.integer(0, call.ranges);
      if (word == "list") dict.missing = context_.make<ListDisplay>(call.ranges, Exprs());
      if (word == "dict") dict.missing = context_.make<Dictionary>(call.ranges, Exprs(), Exprs());
    } else if (lambda != nullptr && lambda->parameters.empty() && made(lambda->body) == nullptr) {
      dict.missing = lambda->body;
    }
    if (dict.missing == nullptr) {
      refuse_default_dict(*factory, "this default of a `defaultdict` is not supported yet",
                          "use `float`, `int`, `list`, `dict`, or a lambda without parameters");
    }
    const auto* constant = as<Constant>(dict.missing);
    dict.is_number = constant != nullptr && (constant->value.kind == LiteralKind::Integer ||
                                             constant->value.kind == LiteralKind::Float);
    return dict;
  }

  Dict* dict_of(const Node* node) {
    const auto* name = as<Name>(node);
    if (name == nullptr) return nullptr;
    const auto found = dicts_.find(name->symbol);
    return found != dicts_.end() ? &found->second : nullptr;
  }

  bool mentions_one(const Node* node) {
    return find_node(node, [&](const Node* part) { return dict_of(part) != nullptr; }) != nullptr;
  }

  // --- what is done with them

  void check(const Node* node) {
    if (is<FunctionDefinition>(node) || is<ClassDefinition>(node) || is<Lambda>(node)) {
      if (mentions_one(node)) {
        refuse_default_dict(*node, "a `defaultdict` of the function around is not supported here",
                            "give the function what it needs");
      }
      return;
    }
    const auto observe = [&](const Node* part) {
      Dict* dict = dict_of(part);
      if (dict != nullptr) dict->is_observed = true;
      return dict != nullptr;
    };
    const auto rest = [&](std::initializer_list<const Node*> except) {
      for_each_child(*node, [&](const Node* child) {
        if (std::ranges::find(except, child) == except.end()) check(child);
      });
    };
    if (const auto* assign = as<Assign>(node); assign != nullptr && assign->targets.size() == 1 &&
                                               dict_of(assign->targets[0]) != nullptr &&
                                               made(assign->value) != nullptr) {
      for (const Expr* argument : static_cast<const Call*>(assign->value)->arguments)
        if (!is<Lambda>(argument)) check(argument);
      return;
    }
    if (const auto* annotated = as<AnnotatedAssign>(node); annotated != nullptr &&
                                                           dict_of(annotated->target) != nullptr &&
                                                           made(annotated->value) != nullptr)
      return;
    if (const auto* subscript = as<Subscript>(node); subscript && dict_of(subscript->value))
      return check(subscript->index);
    if (const auto* comparison = as<Comparison>(node)) {
      if (comparison->ops.size() == 1 &&
          (comparison->ops[0] == ComparisonOperator::In ||
           comparison->ops[0] == ComparisonOperator::NotIn) &&
          observe(comparison->comparators[0]))
        return check(comparison->left);
    }
    if (const auto* loop = as<For>(node); loop != nullptr && observe(loop->iterable))
      return rest({loop->iterable});
    if (const auto* generator = as<Generator>(node); generator && observe(generator->iterable))
      return rest({generator->iterable});
    if (const auto* call = as<Call>(node)) {
      const auto* method = as<Attribute>(call->function);
      if (method != nullptr && dict_of(method->value) != nullptr) {
        static constexpr std::string_view kKnown[] = {"get",    "items", "keys",
                                                      "values", "pop",   "setdefault"};
        const std::string_view word = method->attribute.text();
        if (std::ranges::find(kKnown, word) == std::end(kKnown)) {
          refuse_default_dict(*call,
                              "`." + std::string(word) + "()` of such a dict is not supported yet",
                              "use a plain dict, and store the entries one by one");
        }
        if (word != "get") observe(method->value);
        return rest({call->function});
      }
      const auto* function = as<Name>(call->function);
      const std::string_view word = function != nullptr ? function->symbol.text() : "";
      if (call->arguments.size() == 1 && call->keywords.size() <= 1 &&
          (word == "len" || word == "sorted" || word == "list" || word == "min" || word == "max" ||
           word == "tuple") &&
          observe(call->arguments[0]))
        return rest({call->arguments[0]});
    }
    if (dict_of(node) != nullptr) {
      refuse_default_dict(*node, "a `defaultdict` or `Counter` that is used as a whole",
                          "use a plain dict, and `d.get(k, 0.0)`");
    }
    for_each_child(*node, [&](const Node* child) { check(child); });
  }

  // --- the dicts in their place

  Symbol fresh(const std::string& wish) {
    Symbol symbol = context_.symbol(wish);
    for (int number = 2; taken_.contains(symbol); ++number)
      symbol = context_.symbol(wish + std::to_string(number));
    taken_.insert(symbol);
    return symbol;
  }
  const Expr* name_of(Symbol symbol, Ranges ranges) {
    return context_.make<Name>(ranges, symbol, Scope::Unresolved);
  }
  const Expr* get(const Expr* dict, const Expr* key, const Expr* missing, Ranges ranges) {
    const Expr* path = context_.make<Attribute>(ranges, dict, context_.symbol("get"));
    return context_.make<Call>(ranges, path, Symbol(), context_.list<const Expr*>({key, missing}),
                               List<const Keyword*>());
  }

  // if k not in d: d[k] = missing
  const Stmt* filled(const Expr* dict, const Expr* key, const Expr* missing, Ranges ranges) {
    const Expr* test = context_.make<Comparison>(
        ranges, key, context_.list<ComparisonOperator>({ComparisonOperator::NotIn}),
        context_.list<const Expr*>({dict}));
    const Expr* place = context_.make<Subscript>(ranges, dict, key);
    const Stmt* store = context_.make<Assign>(ranges, context_.list<const Expr*>({place}), missing);
    return context_.make<If>(ranges, test, Block(context_.list<const Stmt*>({store})), Block());
  }

  Block block(Block body) {
    Statements out;
    for (const Stmt* statement : body) this->statement(statement, out);
    return context_.list(out);
  }

  void statement(const Stmt* it, Statements& out) {
    if (is<FunctionDefinition>(it) || is<ClassDefinition>(it) || !mentions_one(it)) {
      out.push_back(it);
      return;
    }
    if (const auto* loop = as<For>(it)) {
      const Expr* iterable = expression(loop->iterable, &out);
      const std::size_t mark = present_.size();
      note_keys(loop->target, loop->iterable, loop);
      const Block body = block(loop->body);
      present_.resize(mark);
      const Block orelse = loop->orelse.empty() ? Block() : block(loop->orelse);
      out.push_back(
          context_.make<For>(loop->ranges, loop->target, iterable, body, orelse, loop->is_async));
      return;
    }
    if (const auto* branch = as<If>(it)) {
      const Expr* test = expression(branch->test, &out);
      const Block first = block(branch->body);
      out.push_back(context_.make<If>(branch->ranges, test, first,
                                      branch->orelse.empty() ? Block() : block(branch->orelse)));
      return;
    }
    if (const auto* repeat = as<While>(it)) {
      const Expr* test = expression(repeat->test, nullptr);
      const Block body = block(repeat->body);
      out.push_back(context_.make<While>(repeat->ranges, test, body,
                                         repeat->orelse.empty() ? Block() : block(repeat->orelse)));
      return;
    }
    if (const auto* assign = as<Assign>(it); assign != nullptr && assign->targets.size() == 1) {
      const Expr* target = assign->targets[0];
      if (const Call* call = made(assign->value); call != nullptr && dict_of(target) != nullptr)
        return make(target, *call, assign->ranges, out);
      const Expr* value = expression(assign->value, &out);
      out.push_back(context_.make<Assign>(
          assign->ranges, context_.list<const Expr*>({this->target(target, &out)}), value));
      return;
    }
    if (const auto* annotated = as<AnnotatedAssign>(it)) {
      if (const Call* call = made(annotated->value); call && dict_of(annotated->target))
        return make(annotated->target, *call, annotated->ranges, out);
    }
    if (const auto* augmented = as<AugmentedAssign>(it)) {
      if (const auto* place = as<Subscript>(augmented->target);
          place != nullptr && dict_of(place->value) != nullptr &&
          dict_of(place->value)->is_number && !mentions_one(augmented->value)) {
        const Dict& dict = *dict_of(place->value);
        const Expr* key = plain_key(place->index, out);
        const Expr* old = is_present(place) ? static_cast<const Expr*>(place)
                                            : get(place->value, key, dict.missing, place->ranges);
        const Expr* sum =
            context_.make<BinaryOperation>(augmented->ranges, augmented->op, old, augmented->value);
        const Expr* now = context_.make<Subscript>(place->ranges, place->value, key);
        out.push_back(
            context_.make<Assign>(augmented->ranges, context_.list<const Expr*>({now}), sum));
        return;
      }
      const Expr* target = expression(augmented->target, &out);
      out.push_back(context_.make<AugmentedAssign>(augmented->ranges, target, augmented->op,
                                                   expression(augmented->value, &out)));
      return;
    }
    // Blocks of other statements are blocks again.
    bool nested = false;
    for_each_child(*it, [&](const Node* child) { nested = nested || is_statement(child->kind); });
    out.push_back(static_cast<const Stmt*>(
        rewrite_children(context_, *it, [&](const Node* child) -> const Node* {
          if (is_statement(child->kind)) {
            Statements inner;
            statement(static_cast<const Stmt*>(child), inner);
            if (inner.size() != 1) {
              refuse_default_dict(*child, "a `defaultdict` in this statement is not supported yet",
                                  "use a plain dict, and `d.get(k, 0.0)`");
            }
            return inner[0];
          }
          return is_expression(child->kind)
                     ? expression(static_cast<const Expr*>(child), nested ? nullptr : &out)
                     : rewritten(child, nullptr);
        })));
  }

  // d[k] = e stores an entry; what is inside of another target is read.
  const Expr* target(const Expr* it, Statements* out) {
    const auto* place = as<Subscript>(it);
    if (place == nullptr || dict_of(place->value) == nullptr) return expression(it, out);
    return context_.make<Subscript>(place->ranges, place->value, expression(place->index, out));
  }

  void make(const Expr* target, const Call& call, Ranges ranges, Statements& out) {
    const Expr* empty = context_.make<Dictionary>(ranges, Exprs(), Exprs());
    out.push_back(context_.make<Assign>(ranges, context_.list<const Expr*>({target}), empty));
    if (kind_of_(call.function) != DefaultDict::Counter || call.arguments.empty()) return;
    const Symbol item = fresh("item");
    const Expr* place = context_.make<Subscript>(ranges, target, name_of(item, ranges));
    const Expr* sum = context_.make<BinaryOperation>(
        ranges, BinaryOperator::Add,
        get(target, name_of(item, ranges), context_.integer(0, ranges), ranges),
        static_cast<const Expr*>(context_.integer(1, ranges)));
    const Stmt* count = context_.make<Assign>(ranges, context_.list<const Expr*>({place}), sum);
    out.push_back(context_.make<For>(ranges, name_of(item, ranges), call.arguments[0],
                                     Block(context_.list<const Stmt*>({count})), Block(), false));
  }

  const Expr* plain_key(const Expr* key, Statements& out) {
    key = expression(key, &out);
    if (is_plain_key(key)) return key;
    const Symbol name = fresh("key");
    out.push_back(context_.make<Assign>(
        key->ranges, context_.list<const Expr*>({name_of(name, key->ranges)}), key));
    return name_of(name, key->ranges);
  }

  // --- reads

  // The variables that walk the keys of a dict, while they do.
  struct Present {
    Symbol dict;
    Symbol key;
  };

  void note_keys(const Expr* target, const Expr* iterable, const Node* body) {
    const Expr* dict = iterable;
    bool pairs = false;
    if (const auto* call = as<Call>(iterable)) {
      const auto* method = as<Attribute>(call->function);
      const auto* function = as<Name>(call->function);
      if (method != nullptr && call->arguments.empty()) {
        dict = method->value;
        pairs = method->attribute.text() == "items";
        if (!pairs && method->attribute.text() != "keys") return;
      } else if (function != nullptr && call->arguments.size() == 1 &&
                 (function->symbol.text() == "sorted" || function->symbol.text() == "list")) {
        dict = call->arguments[0];
      }
    }
    if (dict_of(dict) == nullptr) return;
    const auto* tuple = as<TupleDisplay>(target);
    const auto* key = as<Name>(pairs && tuple != nullptr ? tuple->elements[0] : target);
    if (key == nullptr) return;
    // The body binds neither, and takes nothing out.
    const Symbol symbol = static_cast<const Name*>(dict)->symbol;
    const bool changes =
        find_node(body, [&](const Node* node) {
          const auto* statement =
              is_statement(node->kind) ? static_cast<const Stmt*>(node) : nullptr;
          const auto* call = as<Call>(node);
          const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
          if (method != nullptr && method->attribute.text() == "pop" && dict_of(method->value))
            return true;
          if (statement == nullptr) return false;
          if (is<Delete>(statement)) return true;
          const auto* assign = as<Assign>(statement);
          const auto* augmented = as<AugmentedAssign>(statement);
          const auto* loop = as<For>(statement);
          const auto binds = [&](const Expr* one) {
            return one != nullptr &&
                   find_node(one,
                             [&](const Node* part) {
                               const auto* name = as<Name>(part);
                               return name != nullptr &&
                                      (name->symbol == key->symbol || name->symbol == symbol);
                             }) != nullptr &&
                   !is<Subscript>(one);
          };
          if (augmented != nullptr) return binds(augmented->target);
          if (loop != nullptr) return loop != body && binds(loop->target);
          return assign != nullptr && std::ranges::any_of(assign->targets, binds);
        }) != nullptr;
    if (!changes) present_.push_back({symbol, key->symbol});
  }

  bool is_present(const Subscript* place) const {
    const auto* dict = as<Name>(place->value);
    const auto* key = as<Name>(place->index);
    return dict != nullptr && key != nullptr &&
           std::ranges::any_of(present_, [&](const Present& one) {
             return one.dict == dict->symbol && one.key == key->symbol;
           });
  }

  // `out`: where statements may be put in front; null where the expression is not evaluated once.
  const Expr* expression(const Expr* it, Statements* out) {
    return static_cast<const Expr*>(rewritten(it, out));
  }

  const Node* rewritten(const Node* node, Statements* out) {
    if (!mentions_one(node)) return node;
    if (const auto* place = as<Subscript>(node); place != nullptr && dict_of(place->value))
      return entry(place, out);
    Statements* inside = out;
    if (is<Conditional>(node) || is<BooleanOperation>(node)) inside = nullptr;
    if (const auto* comprehension = as<Comprehension>(node)) {
      const std::size_t mark = present_.size();
      for (const Generator* generator : comprehension->generators)
        note_keys(generator->target, generator->iterable, comprehension->element);
      const Node* now = rewrite_children(
          context_, *node, [&](const Node* child) { return rewritten(child, nullptr); });
      present_.resize(mark);
      return now;
    }
    return rewrite_children(context_, *node,
                            [&](const Node* child) { return rewritten(child, inside); });
  }

  // d[k]
  const Expr* entry(const Subscript* place, Statements* out) {
    const Dict& dict = *dict_of(place->value);
    if (dict.missing == nullptr || is_present(place)) return place;
    const bool counts = dict.kind == DefaultDict::Counter;
    if (dict.is_number && (counts || !dict.is_observed))
      return get(place->value, expression(place->index, out), dict.missing, place->ranges);
    if (out == nullptr) {
      refuse_default_dict(*place,
                          "reading a `defaultdict` here may put an entry into it, which is not "
                          "supported yet",
                          "read it in a statement of its own first, or use `d.get(k, 0.0)`");
    }
    const Expr* key = plain_key(place->index, *out);
    out->push_back(filled(place->value, key, dict.missing, place->ranges));
    return context_.make<Subscript>(place->ranges, place->value, key);
  }

  Context& context_;
  FunctionView<DefaultDict(const Expr*)> kind_of_;
  std::unordered_map<Symbol, Dict> dicts_;
  std::unordered_set<Symbol> taken_;
  std::vector<Present> present_;
};

}  // namespace

Block without_default_dicts(Context& context, Block body,
                            FunctionView<DefaultDict(const Expr*)> kind_of) {
  return WithoutDefaultDicts(context, kind_of).run(body);
}

}  // namespace tangent::lowering
