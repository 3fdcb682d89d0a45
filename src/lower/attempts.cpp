// Attempts: where an exception may leave a `try` (attempts.h).
#include "lower/attempts.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "lower/exits.h"
#include "lower/lowering.h"
#include "lower/raises.h"
#include "syntax/attempts.h"
#include "syntax/places.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// A `try` as it was lowered.
struct Guarded {
  const Call* call = nullptr;
  const If* branch = nullptr;
  Symbol flag = {};
  Statements body;
  Statements rest;  // behind the body, where nothing was raised
  Statements handled;
  std::int64_t mask = 0;
  std::size_t handlers = 1;
  Symbol error;  // the exception, where a handler needs it and does not follow it
};

class Attempts {
 public:
  Attempts(Context& context, FreshNames& names, Block body,
           const std::function<bool(Symbol)>& outlives)
      : context_(context), names_(names), outlives_(outlives) {
    for (const Stmt* statement : body) count_reads(statement, reads_);
  }

  Block block(Block statements) {
    Statements out;
    for (std::size_t k = 0; k < statements.size(); ++k) {
      const Stmt* statement = statements[k];
      const Call* call = call_of(statement, kRawAttempt);
      if (call == nullptr) {
        out.push_back(with_every_block(statement, [&](Block inner) { return block(inner); }));
        continue;
      }
      const auto* branch = k + 1 < statements.size() ? as<If>(statements[k + 1]) : nullptr;
      if (branch == nullptr) {
        throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                         "this `try` decides which function or object a name stands for, which is "
                         "not supported yet",
                         statement->ranges, "use a name of its own in each branch");
      }
      refine(static_cast<const Assign&>(*statement), call, branch, out);
      ++k;
    }
    return context_.list(out);
  }

 private:
  using Reads = std::unordered_map<Symbol, int>;

  static void count_reads(const Node* root, Reads& reads) {
    for_each_node(*root, [&](const Node& node) {
      if (const auto* name = as<Name>(&node); name != nullptr && name->scope == Scope::Local)
        ++reads[name->symbol];
    });
    // What is only assigned is not read.
    for_each_node(*root, [&](const Node& node) {
      const Expr* target = target_of(node);
      if (target == nullptr) return;
      for (const Expr* element : parts_of_target(target)) {
        if (const auto* name = as<Name>(element)) --reads[name->symbol];
      }
    });
  }

  static int reads_in(std::span<const Stmt* const> statements, Symbol name) {
    Reads reads;
    for (const Stmt* statement : statements) count_reads(statement, reads);
    return reads[name];
  }

  static bool binds(const Stmt* statement, Symbol name) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr || tangent::lowering::mentions(assign->value, name)) return false;
    return std::ranges::any_of(parts_of_target(assign->targets[0]), [&](const Expr* element) {
      const auto* it = as<Name>(element);
      return it != nullptr && it->symbol == name;
    });
  }

  // Whether a block gives a name a value, or leaves the function, before it could be read.
  static bool covers(std::span<const Stmt* const> statements, Symbol name) {
    for (const Stmt* statement : statements) {
      if (binds(statement, name)) return true;
      if (tangent::lowering::mentions(statement, name)) return false;
      if (is<Return>(statement) || is<Raise>(statement)) return true;
      if (is<Break>(statement) || is<Continue>(statement)) return false;
      if (const auto* branch = as<If>(statement);
          branch != nullptr && covers(branch->body, name) && covers(branch->orelse, name))
        return true;
    }
    return false;
  }

  static bool all_handlers_cover(std::span<const Stmt* const> handled, std::size_t handlers,
                                 Symbol name) {
    if (handlers > 1 && handled.size() == 1) {
      if (const auto* chain = as<If>(handled[0]))
        return covers(chain->body, name) && all_handlers_cover(chain->orelse, handlers - 1, name);
    }
    return covers(handled, name);
  }

  // Whether nobody reads the value that a statement of the body gives a name, if the body fails.
  bool is_lost(Symbol name, const Guarded& it) {
    if (outlives_(name)) return false;
    for (const Stmt* statement : it.body) {
      if (binds(statement, name)) break;
      if (tangent::lowering::mentions(statement, name)) return false;
    }
    const auto known = reads_.find(name);
    if (known == reads_.end()) return true;  // made here
    if (known->second == reads_in(it.branch->body, name)) return true;
    return all_handlers_cover(it.branch->orelse, it.handlers, name);
  }

  bool is_simple_statement(const Stmt* statement) const {
    return is<Assign>(statement) || is<AugmentedAssign>(statement) ||
           is<ExpressionStatement>(statement) || is<Assert>(statement) || is<Raise>(statement) ||
           is<Pass>(statement);
  }

  // Whether what a statement has done is seen where a later one fails.
  bool commits(const Stmt* statement, const Guarded& it) {
    if (stored_place(statement) != nullptr || list_change(statement)) return true;
    if (!only_computes(statement)) return true;
    bool seen = false;
    const auto look = [&](const Expr* target) {
      const auto* name = as<Name>(target);
      seen = seen || name == nullptr || !is_lost(name->symbol, it);
    };
    if (const auto* assign = as<Assign>(statement)) {
      const auto* tuple = as<TupleDisplay>(assign->targets[0]);
      for (const Expr* e : tuple != nullptr ? tuple->elements : Exprs(&assign->targets[0], 1))
        look(e);
    }
    if (const auto* augmented = as<AugmentedAssign>(statement)) look(augmented->target);
    return seen;
  }

  // The end of the longest run of statements from `first` on that are one attempt: behind the last
  // that may raise. `first` if there is none.
  std::size_t end_of_attempt(const Statements& list, std::size_t first, const Guarded& it) {
    std::size_t end = first;
    for (std::size_t k = first; k < list.size() && is_simple_statement(list[k]); ++k) {
      if (call_of(list[k], kAttempt) != nullptr) break;
      if (fails_directly(list[k], it)) break;
      if (may_raise_in(list[k], it.mask)) end = k + 1;
      if (is<Raise>(list[k]) || commits(list[k], it)) break;
    }
    return end;
  }

  // `raise ValueError('…')` where the first handler takes ValueError, and asks for no more.
  bool fails_directly(const Stmt* statement, const Guarded& it) const {
    const auto* raise = as<Raise>(statement);
    if (raise == nullptr || raise->cause != nullptr || it.error) return false;
    const auto* made = as<Call>(raise->exception);
    const Expr* raised = made != nullptr ? made->function : raise->exception;
    if (made != nullptr) {
      const bool plain = std::ranges::all_of(made->arguments, [](const Expr* argument) {
        return is<Constant>(argument) || is<Name>(argument) || is<FormattedString>(argument);
      });
      if (!plain || !made->keywords.empty()) return false;
    }
    const auto* name = as<Name>(raised);
    if (name == nullptr || name->scope != Scope::Global) return false;
    const Expr* taken = it.call->arguments[kAttemptClasses];
    const auto* tuple = as<TupleDisplay>(taken);
    return std::ranges::any_of(tuple != nullptr ? tuple->elements : Exprs(&taken, 1),
                               [&](const Expr* e) { return equal(e, raised); });
  }

  bool holds_direct(std::span<const Stmt* const> statements, const Guarded& it) const {
    return std::ranges::any_of(statements, [&](const Stmt* statement) {
      return find_node(statement, [&](const Node* node) {
               return is<Raise>(node) && fails_directly(static_cast<const Stmt*>(node), it);
             }) != nullptr;
    });
  }

  bool any_raises(std::span<const Stmt* const> statements, std::int64_t mask) const {
    return std::ranges::any_of(statements,
                               [&](const Stmt* one) { return may_raise_in(one, mask); });
  }

  const Expr* read(Symbol symbol, Ranges ranges) { return context_.local(symbol, ranges); }

  const Call* marker(std::string_view callee, const std::vector<const Expr*>& arguments,
                     Ranges ranges) {
    const Expr* function =
        context_.global(context_.symbol("<" + std::string(callee.substr(8)) + ">"), ranges);
    return context_.make<Call>(ranges, function, context_.symbol(callee),
                               List<const Expr*>(context_.list(arguments)), List<const Keyword*>());
  }

  const Expr* succeeded(Symbol flag, std::size_t handlers, Ranges ranges) {
    if (handlers == 1)
      return context_.make<UnaryOperation>(ranges, UnaryOperator::Not, read(flag, ranges));
    return is_code(flag, 0, ranges);
  }

  const Expr* is_code(Symbol flag, std::size_t code, Ranges ranges) {
    return context_.make<Comparison>(
        ranges, read(flag, ranges), context_.list<ComparisonOperator>({ComparisonOperator::Equal}),
        context_.list<const Expr*>({context_.integer(static_cast<std::int64_t>(code), ranges)}));
  }

  void assign(Symbol symbol, const Expr* value, Ranges ranges, Statements& out) {
    out.push_back(context_.assign(context_.local(symbol, ranges), value, ranges));
  }

  // flag = attempt(…); if not flag: statements, completed(), then; else: failed
  void append_attempt(const Guarded& it, Symbol flag, std::span<const Stmt* const> statements,
                      const Statements& then, const std::function<Statements(std::int64_t)>& failed,
                      Statements& out) {
    const Ranges ranges = it.branch->ranges;
    const auto number = static_cast<std::int64_t>(context_.id_bound());
    std::vector<const Expr*> arguments = {context_.integer(number, ranges)};
    arguments.insert(arguments.end(), it.call->arguments.begin() + 1, it.call->arguments.end());
    assign(flag, marker(kAttempt, arguments, ranges), ranges, out);
    Statements inside(statements.begin(), statements.end());
    inside.push_back(context_.make<ExpressionStatement>(
        ranges,
        static_cast<const Expr*>(marker(kCompleted, {context_.integer(number, ranges)}, ranges))));
    inside.insert(inside.end(), then.begin(), then.end());
    const Statements other = failed(number);
    out.push_back(context_.make<If>(ranges, succeeded(flag, it.handlers, ranges),
                                    Block(context_.list(inside)), Block(context_.list(other))));
  }

  // Values that are returned get names, so that a return does not raise.
  void append_named(const Return* result, std::int64_t mask, Statements& out) {
    const auto named = [&](const Expr* value) -> const Expr* {
      if (is<Name>(value) || is<Constant>(value)) return value;
      const Symbol name = names_.fresh("result");
      assign(name, value, result->ranges, out);
      return read(name, result->ranges);
    };
    const auto* tuple = as<TupleDisplay>(result->value);
    if (!raises_in(result->value, mask)) {
      out.push_back(result);
    } else if (tuple == nullptr) {
      const Expr* value = named(result->value);
      out.push_back(context_.make<Return>(result->ranges, value));
    } else {
      std::vector<const Expr*> elements;
      for (const Expr* element : tuple->elements) elements.push_back(named(element));
      const auto* all = context_.make<TupleDisplay>(tuple->ranges, Exprs(context_.list(elements)));
      out.push_back(context_.make<Return>(result->ranges, static_cast<const Expr*>(all)));
    }
  }

  Statements with_named_results(std::span<const Stmt* const> list, std::int64_t mask) {
    Statements out;
    for (const Stmt* statement : list) {
      if (const auto* result = as<Return>(statement)) {
        append_named(result, mask, out);
      } else {
        out.push_back(with_every_block(statement, [&](Block inner) {
          return Block(context_.list(with_named_results(inner, mask)));
        }));
      }
    }
    return out;
  }

  // Also the `else` of loops, which the core has not.
  const Stmt* with_every_block(const Stmt* statement, FunctionView<Block(Block)> f) {
    if (const auto* loop = as<For>(statement); loop != nullptr && !loop->orelse.empty()) {
      return context_.make<For>(loop->ranges, loop->target, loop->iterable, f(loop->body),
                                f(loop->orelse), false);
    }
    if (const auto* loop = as<While>(statement); loop != nullptr && !loop->orelse.empty())
      return context_.make<While>(loop->ranges, loop->test, f(loop->body), f(loop->orelse));
    return with_blocks(context_, statement, f);
  }

  void refine(const Assign& flagged, const Call* call, const If* branch, Statements& out) {
    Guarded it;
    it.call = call;
    it.branch = branch;
    it.flag = static_cast<const Name*>(flagged.targets[0])->symbol;
    it.mask = static_cast<const Constant*>(call->arguments[1])->value.integer;
    it.handlers = call->arguments.size() - kAttemptClasses;
    bool completed = false;
    const Block body = block(branch->body);
    for (const Stmt* statement : body) {
      const Call* end = call_of(statement, kCompleted);
      if (end != nullptr && attempt_number(end) == 0) {
        completed = true;
      } else {
        (completed ? it.rest : it.body).push_back(statement);
      }
    }
    it.body = with_named_results(it.body, it.mask);
    const Block handled = block(branch->orelse);
    it.handled.assign(handled.begin(), handled.end());
    if (!append_single(it, out)) append_several(it, out);
  }

  // A `try` with one place where it may be left.
  bool append_single(const Guarded& it, Statements& out) {
    if (holds_direct(it.body, it)) return false;
    std::size_t first = 0;
    std::size_t end = end_of_attempt(it.body, 0, it);
    while (end == first && first < it.body.size() && !may_raise_in(it.body[first], it.mask)) {
      ++first;
      end = end_of_attempt(it.body, first, it);
    }
    const std::span<const Stmt* const> body(it.body);
    if (end == first || any_raises(body.subspan(end), it.mask)) {
      if (first < it.body.size()) return false;
      // Nothing in it may raise.
      out.insert(out.end(), it.body.begin(), it.body.end());
      out.insert(out.end(), it.rest.begin(), it.rest.end());
      return true;
    }
    out.insert(out.end(), it.body.begin(), it.body.begin() + static_cast<std::ptrdiff_t>(first));
    Statements then(it.body.begin() + static_cast<std::ptrdiff_t>(end), it.body.end());
    then.insert(then.end(), it.rest.begin(), it.rest.end());
    append_attempt(
        it, it.flag, body.subspan(first, end - first), then,
        [&](std::int64_t number) { return with_caught(it.handled, number); }, out);
    return true;
  }

  // Names what is caught by the attempt that catches it.
  Statements with_caught(const Statements& list, std::int64_t number) {
    Statements out;
    for (const Stmt* statement : list) {
      const Call* caught = call_of(statement, kCaught);
      const auto* target = as<Assign>(statement);
      if (caught != nullptr && target != nullptr && attempt_number(caught) == 0) {
        out.push_back(context_.assign(
            target->targets[0],
            marker(kCaught, {context_.integer(number, caught->ranges)}, caught->ranges),
            statement->ranges));
      } else {
        out.push_back(with_every_block(statement, [&](Block inner) {
          return Block(context_.list(with_caught(Statements(inner.begin(), inner.end()), number)));
        }));
      }
    }
    return out;
  }

  // The exception under a name that every attempt of the `try` gives it.
  Statements with_error(const Statements& list, Symbol& error) {
    Statements out;
    for (const Stmt* statement : list) {
      const Call* caught = call_of(statement, kCaught);
      if (caught != nullptr && attempt_number(caught) == 0) {
        if (!error) error = names_.fresh("error");
        out.push_back(context_.assign(static_cast<const Assign*>(statement)->targets[0],
                                      read(error, statement->ranges), statement->ranges));
      } else {
        out.push_back(with_every_block(statement, [&](Block inner) {
          return Block(context_.list(with_error(Statements(inner.begin(), inner.end()), error)));
        }));
      }
    }
    return out;
  }

  void append_several(Guarded& it, Statements& out) {
    const Ranges ranges = it.branch->ranges;
    it.handled = with_error(it.handled, it.error);
    assign(it.flag,
           it.handlers == 1 ? static_cast<const Expr*>(context_.boolean(false, ranges))
                            : context_.integer(0, ranges),
           ranges, out);
    if (it.error) assign(it.error, context_.none(ranges), ranges, out);
    sequence(it.body, it, false, out);
    if (it.rest.empty() && it.handled.empty()) return;
    append_if(context_, succeeded(it.flag, it.handlers, ranges), context_.list(it.rest),
              context_.list(it.handled), ranges, out);
  }

  // What is done where an attempt fails: `code` is the number of the handler.
  Statements failure(const Guarded& it, const Expr* code, std::optional<std::int64_t> number,
                     bool in_loop) {
    const Ranges ranges = it.branch->ranges;
    Statements out;
    assign(it.flag, code, ranges, out);
    if (it.error && number) {
      assign(it.error, marker(kCaught, {context_.integer(*number, ranges)}, ranges), ranges, out);
    }
    if (in_loop) out.push_back(context_.make<Break>(ranges));
    return out;
  }

  // The rest of a list, done only where nothing has failed so far.
  void append_guarded(const Statements& rest, const Guarded& it, bool in_loop, Statements& out) {
    if (rest.empty()) return;
    Statements inner;
    sequence(rest, it, in_loop, inner);
    if (in_loop) {
      out.insert(out.end(), inner.begin(), inner.end());
    } else {
      append_if(context_, succeeded(it.flag, it.handlers, it.branch->ranges), context_.list(inner),
                Block(), it.branch->ranges, out);
    }
  }

  Block inner_sequence(Block body, const Guarded& it, bool in_loop) {
    Statements out;
    sequence(Statements(body.begin(), body.end()), it, in_loop, out);
    return context_.list(out);
  }

  // The statements of a body, each attempt followed by the rest where it succeeds. In a loop what
  // fails breaks.
  void sequence(const Statements& list, const Guarded& it, bool in_loop, Statements& out) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Stmt* statement = list[k];
      const Statements rest(list.begin() + static_cast<std::ptrdiff_t>(k + 1), list.end());
      if (fails_directly(statement, it)) {
        const Expr* code = it.handlers == 1
                               ? static_cast<const Expr*>(context_.boolean(true, statement->ranges))
                               : context_.integer(1, statement->ranges);
        const Statements failed = failure(it, code, std::nullopt, in_loop);
        out.insert(out.end(), failed.begin(), failed.end());
        return;
      }
      if (call_of(statement, kAttempt) != nullptr) {
        const auto* branch = static_cast<const If*>(list[k + 1]);
        if (!may_raise_in(branch, it.mask) && !holds_direct({&list[k + 1], 1}, it)) {
          out.push_back(statement);
          out.push_back(branch);
          ++k;
          continue;
        }
        join_attempts(static_cast<const Assign&>(*statement), branch, it, in_loop, out);
        return append_guarded(Statements(rest.begin() + 1, rest.end()), it, in_loop, out);
      }
      if (is_simple_statement(statement)) {
        const std::size_t end = end_of_attempt(list, k, it);
        if (end == k) {
          out.push_back(statement);
          continue;
        }
        const Statements after(list.begin() + static_cast<std::ptrdiff_t>(end), list.end());
        const Symbol flag = names_.fresh(it.handlers == 1 ? "failed" : "handler");
        Statements then;
        if (!in_loop) sequence(after, it, in_loop, then);
        append_attempt(
            it, flag, std::span<const Stmt* const>(list).subspan(k, end - k), then,
            [&](std::int64_t number) {
              const Ranges ranges = it.branch->ranges;
              return failure(it,
                             it.handlers == 1
                                 ? static_cast<const Expr*>(context_.boolean(true, ranges))
                                 : read(flag, ranges),
                             number, in_loop);
            },
            out);
        if (in_loop) sequence(after, it, in_loop, out);
        return;
      }
      if (!may_raise_in(statement, it.mask) && !holds_direct({&list[k], 1}, it)) {
        out.push_back(statement);
        continue;
      }
      if (const auto* branch = as<If>(statement)) {
        if (raises_in(branch->test, it.mask)) {
          const Symbol test = names_.fresh("test");
          Statements again = {context_.assign(context_.local(test, branch->test->ranges),
                                              branch->test, branch->ranges),
                              context_.make<If>(branch->ranges, read(test, branch->test->ranges),
                                                branch->body, branch->orelse)};
          again.insert(again.end(), rest.begin(), rest.end());
          return sequence(again, it, in_loop, out);
        }
        // The rest follows the arm that does not fail for certain.
        const auto with_rest = [&](Block arm) {
          Statements all(arm.begin(), arm.end());
          all.insert(all.end(), rest.begin(), rest.end());
          return Block(context_.list(all));
        };
        const bool first_fails = !branch->body.empty() && fails_directly(branch->body.back(), it);
        const bool second_fails =
            !branch->orelse.empty() && fails_directly(branch->orelse.back(), it);
        if (first_fails != second_fails && !in_loop) {
          append_if(
              context_, branch->test,
              inner_sequence(first_fails ? branch->body : with_rest(branch->body), it, false),
              inner_sequence(second_fails ? branch->orelse : with_rest(branch->orelse), it, false),
              branch->ranges, out);
          return;
        }
        append_if(context_, branch->test, inner_sequence(branch->body, it, in_loop),
                  inner_sequence(branch->orelse, it, in_loop), branch->ranges, out);
        return append_guarded(rest, it, in_loop, out);
      }
      if (const auto* loop = as<For>(statement)) {
        if (raises_in(loop->iterable, it.mask)) {
          Statements again;
          const Expr* iterable = named_iterable(loop->iterable, it.mask, again);
          again.push_back(context_.make<For>(loop->ranges, loop->target, iterable, loop->body,
                                             loop->orelse, false));
          again.insert(again.end(), rest.begin(), rest.end());
          return sequence(again, it, in_loop, out);
        }
        out.push_back(context_.make<For>(loop->ranges, loop->target, loop->iterable,
                                         inner_sequence(loop->body, it, true),
                                         inner_sequence(loop->orelse, it, in_loop), false));
      } else if (const auto* repeat = as<While>(statement)) {
        append_while(*repeat, it, in_loop, out);
      } else {
        throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                         "this statement cannot stand in a `try` yet", statement->ranges,
                         "put it in front of the `try`");
      }
      if (in_loop) {
        const Stmt* leave = context_.make<Break>(it.branch->ranges);
        append_if(context_, succeeded(it.flag, it.handlers, it.branch->ranges), Block(),
                  context_.list<const Stmt*>({leave}), it.branch->ranges, out);
      }
      return append_guarded(rest, it, in_loop, out);
    }
  }

  // What a loop runs over, evaluated in front of it: of `enumerate(xs[k])` what it counts.
  const Expr* named_iterable(const Expr* iterable, std::int64_t mask, Statements& out) {
    if (!raises_in(iterable, mask)) return iterable;
    const auto* call = as<Call>(iterable);
    const std::string_view callee = call != nullptr ? call->callee.text() : std::string_view();
    const bool counts = callee == "builtins.enumerate" || callee == "builtins.zip" ||
                        callee == "builtins.reversed" || callee == "builtins.range";
    if (counts && call->keywords.empty()) {
      std::vector<const Expr*> arguments;
      for (const Expr* argument : call->arguments)
        arguments.push_back(named_iterable(argument, mask, out));
      const auto* changed = context_.make<Call>(call->ranges, call->function, call->callee,
                                                Exprs(context_.list(arguments)), call->keywords);
      if (!raises_in(changed, mask)) return changed;
    }
    const Symbol items = names_.fresh("items");
    assign(items, iterable, iterable->ranges, out);
    return read(items, iterable->ranges);
  }

  void append_while(const While& loop, const Guarded& it, bool in_loop, Statements& out) {
    if (!raises_in(loop.test, it.mask)) {
      out.push_back(context_.make<While>(loop.ranges, loop.test,
                                         inner_sequence(loop.body, it, true),
                                         inner_sequence(loop.orelse, it, in_loop)));
      return;
    }
    if (!loop.orelse.empty()) {
      throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                       "a `while` with `else` whose test may raise is not supported in a `try` yet",
                       loop.ranges, "test inside the loop, and break");
    }
    const Symbol test = names_.fresh("test");
    Statements body = {context_.assign(context_.local(test, loop.ranges), loop.test, loop.ranges)};
    const Stmt* leave = context_.make<Break>(loop.ranges);
    append_if(context_, read(test, loop.ranges), Block(), context_.list<const Stmt*>({leave}),
              loop.ranges, body);
    body.insert(body.end(), loop.body.begin(), loop.body.end());
    out.push_back(context_.make<While>(
        loop.ranges, static_cast<const Expr*>(context_.boolean(true, loop.ranges)),
        inner_sequence(context_.list(body), it, true), Block()));
  }

  // An attempt of a `try` inside this one: it knows the handlers of both, its own first.
  void join_attempts(const Assign& flagged, const If* branch, const Guarded& it, bool in_loop,
                     Statements& out) {
    const auto* inner = static_cast<const Call*>(flagged.value);
    const std::int64_t number = attempt_number(inner);
    const Symbol flag = static_cast<const Name*>(flagged.targets[0])->symbol;
    const std::size_t own = inner->arguments.size() - kAttemptClasses;
    const Ranges ranges = branch->ranges;
    Statements attempted;
    Statements rest;
    bool completed = false;
    for (const Stmt* statement : branch->body) {
      const Call* end = call_of(statement, kCompleted);
      if (end != nullptr && attempt_number(end) == number) completed = true;
      (completed ? rest : attempted).push_back(statement);
    }
    for (std::size_t k = 0; k + 1 < attempted.size(); ++k) {
      if (!commits(attempted[k], it)) continue;
      throw Diagnostic(
          DiagnosticKind::UnsupportedSyntax,
          "a `try` inside a `try` whose handlers see its parts done is not supported yet",
          attempted[k]->ranges, "assign other names inside than outside");
    }
    std::vector<const Expr*> arguments(inner->arguments.begin(), inner->arguments.end());
    arguments[1] = context_.integer(
        static_cast<const Constant*>(arguments[1])->value.integer | it.mask, ranges);
    arguments.insert(arguments.end(), it.call->arguments.begin() + kAttemptClasses,
                     it.call->arguments.end());
    assign(flag, marker(kAttempt, arguments, ranges), flagged.ranges, out);
    // The marker of the inner attempt stays where it is.
    Statements inside = attempted;
    inside.push_back(rest.front());
    sequence(Statements(rest.begin() + 1, rest.end()), it, in_loop, inside);
    Block handled = inner_sequence(branch->orelse, it, in_loop);
    for (std::size_t k = it.handlers; k-- > 0;) {
      const Expr* code = it.handlers == 1
                             ? static_cast<const Expr*>(context_.boolean(true, ranges))
                             : context_.integer(static_cast<std::int64_t>(k + 1), ranges);
      const Statements failed = failure(it, code, number, in_loop);
      const Stmt* chosen = context_.make<If>(ranges, is_code(flag, own + k + 1, ranges),
                                             Block(context_.list(failed)), handled);
      handled = context_.list<const Stmt*>({chosen});
    }
    out.push_back(
        context_.make<If>(ranges, is_code(flag, 0, ranges), Block(context_.list(inside)), handled));
  }

  Context& context_;
  FreshNames& names_;
  const std::function<bool(Symbol)>& outlives_;
  Reads reads_;
};

}  // namespace

Block with_attempts(Context& context, FreshNames& names, Block body,
                    const std::function<bool(Symbol)>& outlives) {
  return Attempts(context, names, body, outlives).block(body);
}

}  // namespace tangent::lowering
