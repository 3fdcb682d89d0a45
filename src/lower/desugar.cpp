#include "lower/desugar.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.h"
#include "lower/names.h"
#include "lower/try_statements.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

using Statements = std::vector<const Stmt*>;

[[noreturn]] void refuse_construct(const Node& node, std::string message, std::string remedy) {
  throw Diagnostic(DiagnosticKind::UnsupportedSyntax, std::move(message), node.ranges,
                   std::move(remedy));
}

bool has_star(const Expr* target) {
  const Exprs* elements = display_elements(target);
  return elements != nullptr && std::ranges::any_of(*elements, [](const Expr* e) {
           return is<Starred>(e) || has_star(e);
         });
}

class Desugar {
 public:
  Desugar(Block body, List<const Parameter*> parameters, Context& context)
      : context_(context), names_(context) {
    for (const Parameter* parameter : parameters) names_.take(parameter->name);
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        if (const auto* name = as<Name>(&node)) names_.take(name->symbol);
        if (const auto* parameter = as<Parameter>(&node)) names_.take(parameter->name);
        if (const auto* definition = as<FunctionDefinition>(&node)) names_.take(definition->name);
        if (const auto* handler = as<ExceptionHandler>(&node)) names_.take(handler->name);
        const auto* import = as<Import>(&node);
        found_ = found_ || is<With>(&node) || is<Try>(&node) || is<Match>(&node) ||
                 is<Starred>(&node) ||
                 (import != nullptr && std::ranges::any_of(import->names, [&](const auto* name) {
                    return is_dotted(*import, *name);
                  }));
      });
    }
  }

  Block run(Block body) { return found_ ? block(body) : body; }

 private:
  static bool is_dotted(const Import& it, const ImportedName& name) {
    return !it.from && !name.alias && name.name.text().find('.') != std::string_view::npos;
  }

  // `import a.b` loads `a.b`, and binds `a`.
  void import_statement(const Import* it, Statements& out) {
    std::vector<const ImportedName*> names;
    for (const ImportedName* name : it->names) {
      if (!is_dotted(*it, *name)) {
        names.push_back(name);
        continue;
      }
      const std::string_view whole = name->name.text();
      const Symbol hidden = context_.symbol("<module " + std::string(whole) + ">");
      names.push_back(context_.make<ImportedName>(name->ranges, name->name, hidden));
      names.push_back(context_.make<ImportedName>(
          name->ranges, context_.symbol(whole.substr(0, whole.find('.'))), Symbol()));
    }
    out.push_back(context_.make<Import>(it->ranges, it->from, it->module, it->level,
                                        List<const ImportedName*>(context_.list(names))));
  }

  Block block(Block body) {
    Statements out;
    for (const Stmt* it : body) statement(it, out);
    return context_.list(out);
  }

  void statement(const Stmt* it, Statements& out) {
    if (const auto* with = as<With>(it)) {
      for (const WithItem* item : with->items) {
        const auto* call = context_.make<Call>(
            item->context->ranges, name(context_.symbol(kEnter), item->context->ranges), Symbol(),
            context_.list<const Expr*>({item->context}), List<const Keyword*>());
        if (item->target != nullptr) {
          assign(item->target, call, it->ranges, out);
        } else {
          out.push_back(
              context_.make<ExpressionStatement>(it->ranges, static_cast<const Expr*>(call)));
        }
      }
      for (const Stmt* inner : with->body) statement(inner, out);
      return;
    }
    if (const auto* import = as<Import>(it)) return import_statement(import, out);
    if (const auto* match = as<Match>(it)) return match_statement(match, out);
    if (const auto* guarded = as<Try>(it))
      return spell_try(*guarded, context_, names_, [&](Block inner) { return block(inner); }, out);
    if (const auto* assigned = as<Assign>(it);
        assigned != nullptr && assigned->targets.size() == 1 && has_star(assigned->targets[0]))
      return unpack(assigned->targets[0], assigned->value, it->ranges, out);
    if (const auto* loop = as<For>(it); loop != nullptr && has_star(loop->target)) {
      const Symbol item = names_.fresh("item");
      Statements inner;
      unpack(loop->target, name(item, loop->target->ranges), it->ranges, inner);
      for (const Stmt* one : loop->body) statement(one, inner);
      out.push_back(context_.make<For>(it->ranges, name(item, loop->target->ranges), loop->iterable,
                                       Block(context_.list(inner)), block(loop->orelse), false));
      return;
    }
    if (const auto* branch = as<If>(it)) {
      out.push_back(
          context_.make<If>(it->ranges, branch->test, block(branch->body), block(branch->orelse)));
      return;
    }
    if (const auto* loop = as<For>(it)) {
      out.push_back(context_.make<For>(it->ranges, loop->target, loop->iterable, block(loop->body),
                                       block(loop->orelse), loop->is_async));
      return;
    }
    if (const auto* loop = as<While>(it)) {
      out.push_back(
          context_.make<While>(it->ranges, loop->test, block(loop->body), block(loop->orelse)));
      return;
    }
    if (const auto* definition = as<FunctionDefinition>(it)) {
      out.push_back(context_.make<FunctionDefinition>(
          it->ranges, definition->name, definition->parameters, block(definition->body),
          definition->decorators, definition->returns, definition->is_async));
      return;
    }
    out.push_back(it);
  }

  void assign(const Expr* target, const Expr* value, Ranges ranges, Statements& out) {
    out.push_back(context_.assign(target, value, ranges));
  }

  const Expr* name(Symbol symbol, Ranges ranges) {
    return context_.make<Name>(ranges, symbol, Scope::Unresolved);
  }

  const Expr* builtin(std::string_view function, const Expr* argument, Ranges ranges) {
    return context_.make<Call>(ranges, name(context_.symbol(function), ranges), Symbol(),
                               context_.list<const Expr*>({argument}), List<const Keyword*>());
  }
  const Expr* part(const Expr* whole, std::int64_t place, Ranges ranges) {
    return context_.make<Subscript>(ranges, whole, context_.signed_integer(place, ranges));
  }

  // --- a, *r, b = value

  void unpack(const Expr* target, const Expr* value, Ranges ranges, Statements& out) {
    const Exprs targets = *display_elements(target);
    const auto star = std::ranges::find_if(targets, [](const Expr* e) { return is<Starred>(e); });
    if (star == targets.end()) {
      refuse_construct(*target, "a `*` inside a nested pattern is not supported yet",
                       "unpack it in two statements");
    }
    const auto before = static_cast<std::size_t>(star - targets.begin());
    const std::size_t after = targets.size() - before - 1;
    const Expr* rest = static_cast<const Starred*>(*star)->value;
    const Exprs* values = display_elements(value);
    const bool written =
        values != nullptr && values->size() >= before + after &&
        std::ranges::none_of(*values, [](const Expr* e) { return is<Starred>(e); });
    const bool nested = std::ranges::any_of(targets, has_star);
    if (nested) {
      refuse_construct(*target, "a `*` inside a nested pattern is not supported yet",
                       "unpack it in two statements");
    }
    if (written) {
      std::vector<const Expr*> flat(values->begin(),
                                    values->begin() + static_cast<std::ptrdiff_t>(before));
      const std::vector<const Expr*> middle(values->begin() + static_cast<std::ptrdiff_t>(before),
                                            values->end() - static_cast<std::ptrdiff_t>(after));
      flat.push_back(context_.make<ListDisplay>(value->ranges, Exprs(context_.list(middle))));
      flat.insert(flat.end(), values->end() - static_cast<std::ptrdiff_t>(after), values->end());
      std::vector<const Expr*> names(targets.begin(), targets.end());
      names[before] = rest;
      return assign(context_.make<TupleDisplay>(target->ranges, Exprs(context_.list(names))),
                    context_.make<TupleDisplay>(value->ranges, Exprs(context_.list(flat))), ranges,
                    out);
    }
    // The value once, under a name that nothing else has.
    const Symbol whole = names_.fresh("items");
    assign(name(whole, value->ranges), value, ranges, out);
    const Ranges at = value->ranges;
    if (before > 0 && after > 0) {
      // Positions from both ends would meet.
      const Expr* test = context_.make<Comparison>(
          ranges, builtin("len", name(whole, at), at),
          context_.list<ComparisonOperator>({ComparisonOperator::Less}),
          context_.list<const Expr*>(
              {context_.integer(static_cast<std::int64_t>(before + after), at)}));
      const Expr* error = builtin(
          "ValueError",
          context_.make<Constant>(
              at, Literal{.kind = LiteralKind::String, .text = "not enough values to unpack"}),
          at);
      out.push_back(context_.make<If>(ranges, test,
                                      context_.list<const Stmt*>({context_.make<Raise>(
                                          ranges, error, static_cast<const Expr*>(nullptr))}),
                                      Block()));
    }
    std::vector<const Expr*> names;
    std::vector<const Expr*> parts;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      names.push_back(k == before ? rest : targets[k]);
      if (k < before) {
        parts.push_back(part(name(whole, at), static_cast<std::int64_t>(k), at));
      } else if (k > before) {
        parts.push_back(
            part(name(whole, at),
                 static_cast<std::int64_t>(k) - static_cast<std::int64_t>(targets.size()), at));
      } else {
        const Expr* upper =
            after > 0 ? context_.signed_integer(-static_cast<std::int64_t>(after), at) : nullptr;
        const Expr* lower =
            before > 0 ? context_.signed_integer(static_cast<std::int64_t>(before), at) : nullptr;
        const Expr* slice =
            context_.make<Slice>(at, lower, upper, static_cast<const Expr*>(nullptr));
        parts.push_back(builtin("list", context_.make<Subscript>(at, name(whole, at), slice), at));
      }
    }
    for (std::size_t k = 0; k < names.size(); ++k) assign(names[k], parts[k], ranges, out);
  }

  // --- match

  void match_statement(const Match* it, Statements& out) {
    const Expr* subject = it->subject;
    if (!is<Name>(subject) && display_elements(subject) == nullptr) {
      const Symbol matched = names_.fresh("matched");
      assign(name(matched, subject->ranges), subject, it->ranges, out);
      subject = name(matched, subject->ranges);
    } else if (const Exprs* elements = display_elements(subject)) {
      // Each element once.
      std::vector<const Expr*> names;
      for (const Expr* element : *elements) {
        if (is<Starred>(element))
          refuse_construct(*element, "`*` is not supported here", "write it out");
        if (is<Constant>(element) || is<Name>(element)) {
          names.push_back(element);
          continue;
        }
        const Symbol matched = names_.fresh("matched");
        assign(name(matched, element->ranges), element, it->ranges, out);
        names.push_back(name(matched, element->ranges));
      }
      subject = context_.make<TupleDisplay>(subject->ranges, Exprs(context_.list(names)));
    }
    for (const Stmt* statement : cases(it, subject, 0)) out.push_back(statement);
  }

  struct Test {
    std::vector<const Expr*> tests;  // all of them
    std::vector<std::pair<Symbol, const Expr*>> captures;
    bool never = false;
  };

  void test(const Pattern* pattern, const Expr* subject, Test& result) {
    switch (pattern->form) {
      case PatternKind::Value:
      case PatternKind::Singleton:
        result.tests.push_back(context_.make<Comparison>(
            pattern->ranges, subject,
            context_.list<ComparisonOperator>({pattern->form == PatternKind::Value
                                                   ? ComparisonOperator::Equal
                                                   : ComparisonOperator::Is}),
            context_.list<const Expr*>({pattern->value})));
        return;
      case PatternKind::As:
        if (!pattern->patterns.empty()) test(pattern->patterns[0], subject, result);
        if (pattern->name) result.captures.emplace_back(pattern->name, subject);
        return;
      case PatternKind::Or: {
        std::vector<const Expr*> any;
        for (const Pattern* one : pattern->patterns) {
          Test inner;
          test(one, subject, inner);
          if (!inner.captures.empty())
            refuse_construct(*pattern, "names in a `|` pattern are not supported yet",
                             "write two cases");
          if (inner.never) continue;
          if (inner.tests.empty()) return;  // always
          any.push_back(all(inner.tests, pattern->ranges));
        }
        if (any.empty()) {
          result.never = true;
        } else if (any.size() == 1) {
          result.tests.push_back(any[0]);
        } else {
          result.tests.push_back(context_.make<BooleanOperation>(
              pattern->ranges, BooleanOperator::Or, Exprs(context_.list(any))));
        }
        return;
      }
      case PatternKind::Sequence: {
        const Exprs* elements = display_elements(subject);
        const bool star = std::ranges::any_of(
            pattern->patterns, [](const Pattern* one) { return one->form == PatternKind::Star; });
        if (elements == nullptr || star) {
          refuse_construct(*pattern,
                           "this pattern is supported only for a tuple that `match` writes out",
                           "unpack the value first, and match `(a, b)`");
        }
        if (elements->size() != pattern->patterns.size()) {
          result.never = true;
          return;
        }
        for (std::size_t k = 0; k < elements->size(); ++k)
          test(pattern->patterns[k], (*elements)[k], result);
        return;
      }
      default:
        refuse_construct(*pattern, "this pattern is not supported yet",
                         "write `if` and `elif` instead");
    }
  }

  const Expr* all(const std::vector<const Expr*>& tests, Ranges ranges) {
    if (tests.size() == 1) return tests[0];
    return context_.make<BooleanOperation>(ranges, BooleanOperator::And,
                                           Exprs(context_.list(tests)));
  }

  // The cases from `first` on.
  Statements cases(const Match* it, const Expr* subject, std::size_t first) {
    if (first == it->cases.size()) return {};
    const MatchCase& one = *it->cases[first];
    Test found;
    test(one.pattern, subject, found);
    if (found.never) return cases(it, subject, first + 1);
    Statements body;
    for (const auto& [symbol, value] : found.captures)
      assign(name(symbol, value->ranges), value, one.pattern->ranges, body);
    if (one.guard != nullptr && !found.tests.empty() && !found.captures.empty()) {
      refuse_construct(*one.guard,
                       "a guard after a pattern that tests and names parts is not supported yet",
                       "test it in the body");
    }
    Statements rest = body;  // captures come before the guard
    for (const Stmt* statement : one.body) this->statement(statement, body);
    if (found.tests.empty() && one.guard == nullptr) return body;
    std::vector<const Expr*> tests = found.tests;
    if (one.guard != nullptr) tests.push_back(one.guard);
    if (found.captures.empty()) rest.clear();
    if (found.tests.empty() && !found.captures.empty())
      body.erase(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(found.captures.size()));
    if (!found.tests.empty()) rest.clear();
    const Statements other = cases(it, subject, first + 1);
    rest.push_back(context_.make<If>(one.pattern->ranges, all(tests, one.pattern->ranges),
                                     Block(context_.list(body)), Block(context_.list(other))));
    return rest;
  }

  Context& context_;
  FreshNames names_;
  bool found_ = false;
};

}  // namespace

Block desugared(Block body, List<const Parameter*> parameters, Context& context) {
  return Desugar(body, parameters, context).run(body);
}

}  // namespace tangent::lowering
