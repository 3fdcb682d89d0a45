// The turn found again, the tape laid out, returns put into the arms; see halves.h.
#include "emit/halves.h"

#include <algorithm>
#include <optional>

#include "analysis/dataflow.h"
#include "analysis/variables.h"
#include "base/diagnostics.h"

namespace tangent {

namespace {

constexpr std::string_view kTurn = "tangent.pair._turn";

using Statements = std::vector<const Stmt*>;

bool is_turn(const Stmt* statement) {
  const auto* alone = as<ExpressionStatement>(statement);
  const auto* call = alone != nullptr ? as<Call>(alone->value) : nullptr;
  return call != nullptr && call->callee.text() == kTurn;
}

// Liveness with tapes: what is popped from is read.
struct Reads {
  using State = VariableSet;
  Variables& variables;

  void read(const Node* node, State& state) const {
    for_each_read(node, [&](Symbol symbol) { state.add(variables.number(symbol)); });
    for_each_node(*node, [&](const Node& part) {
      if (const auto* pop = as<Pop>(&part)) state.add(variables.number(pop->tape));
      if (const auto* push = as<Push>(&part)) state.add(variables.number(push->tape));
    });
  }
  void simple(const Stmt* statement, State& state) const {
    if (const auto* assign = as<Assign>(statement)) {
      for (const Expr* target : assign->targets) {
        if (is<Subscript>(target)) {
          read(target, state);
        } else {
          for_each_target(target, [&](Symbol symbol) { state.remove(variables.number(symbol)); });
        }
      }
      return read(assign->value, state);
    }
    read(statement, state);
  }
  void test(const Stmt* statement, State& state) const {
    const auto* branch = as<If>(statement);
    read(branch != nullptr ? branch->test : static_cast<const While*>(statement)->test, state);
  }
  void enter(const For* loop, State& state) const {
    for_each_target(loop->target, [&](Symbol symbol) { state.remove(variables.number(symbol)); });
    read(loop->iterable, state);
  }
};

// The names that have a value on every path to a place, and on some path.
struct Assigned {
  std::unordered_set<Symbol> always;
  std::unordered_set<Symbol> sometimes;

  void add(Symbol symbol) {
    always.insert(symbol);
    sometimes.insert(symbol);
  }
};

class Splitter {
 public:
  Splitter(const PairHalves& halves, ReversedPair& pair, Symbol result, Symbol numpy,
           Context& context)
      : halves_(halves),
        reverse_(pair.reverse),
        result_(result),
        numpy_(numpy),
        context_(context),
        tape_(pair.names.fresh("tape")) {}

  Halves run(Block body) {
    const auto turn = std::ranges::find_if(body, is_turn);
    if (turn == body.end()) throw InternalError("the halves of a function run into each other");
    const Block forward = body.first(static_cast<std::size_t>(turn - body.begin()));
    const Block rest = body.subspan(forward.size() + 1);
    Statements backward(rest.begin(), rest.end() - 1);
    const auto* last = static_cast<const Return*>(rest.back());
    const Exprs all = static_cast<const TupleDisplay*>(last->value)->elements;
    const Exprs gradients = all.first(all.size() - reverse_.buffers.size() - 1);
    if (gradients.size() == 1) {
      exit_ = context_.make<Return>(ranges(), gradients[0]);
    } else if (!gradients.empty()) {
      exit_ = context_.make<Return>(
          ranges(), static_cast<const Expr*>(context_.make<TupleDisplay>({}, gradients)));
    } else {
      exit_ = context_.make<Return>(ranges(), static_cast<const Expr*>(nullptr));
    }
    backward.push_back(exit_);

    Assigned assigned;
    for (const Parameter* parameter : halves_.pair->core.parameters) {
      assigned.add(parameter->name);
      order_.push_back(parameter->name);
    }
    for (const Stmt* statement : forward) note_order(statement);
    given_.insert(reverse_.seeds.begin(), reverse_.seeds.end());
    given_.insert(reverse_.buffers.begin(), reverse_.buffers.end());

    const Split split = this->split(forward, context_.list(backward), assigned, true);
    Statements first;
    for (const Symbol symbol : unset_)
      first.push_back(context_.assign(context_.local(symbol), context_.none(), ranges()));
    first.insert(first.end(), split.forward.begin(), split.forward.end());
    Statements second = split.backward;
    // The last return says nothing where nothing is given back.
    if (gradients.empty() && !second.empty() && is<Return>(second.back())) second.pop_back();
    if (second.empty()) second.push_back(context_.make<Pass>(ranges()));

    std::vector<const Parameter*> parameters{parameter(tape_)};
    for (const Symbol seed : reverse_.seeds) parameters.push_back(parameter(seed));
    for (const Symbol buffer : reverse_.buffers) parameters.push_back(parameter(buffer));
    return {.forward = context_.list(first),
            .backward = context_.list(second),
            .backward_parameters = context_.list(parameters)};
  }

 private:
  struct Split {
    Statements forward;
    Statements backward;
    bool has_none = false;  // on some path the tape is None
  };

  // Of the function as a whole: its first line.
  [[nodiscard]] Ranges ranges() const { return halves_.pair->core.ranges; }

  const Parameter* parameter(Symbol symbol) {
    return context_.make<Parameter>({}, symbol, ParameterKind::Positional,
                                    static_cast<const Expr*>(nullptr),
                                    static_cast<const Expr*>(nullptr));
  }

  void note_order(const Stmt* statement) {
    for_each_definition(statement, [&](Symbol symbol) {
      if (std::ranges::find(order_, symbol) == order_.end()) order_.push_back(symbol);
    });
    for_each_node(*statement, [&](const Node& node) {
      const auto* push = as<Push>(&node);
      if (push != nullptr && std::ranges::find(order_, push->tape) == order_.end())
        order_.push_back(push->tape);
    });
  }

  bool gives_result(const Stmt* statement) const {
    bool found = false;
    for_each_definition(statement, [&](Symbol symbol) { found = found || symbol == result_; });
    return found;
  }

  // What a part of the backward half reads of the forward half, in the order of the forward half.
  std::vector<Symbol> needs(Block backward) {
    Variables variables;
    Reads reads{variables};
    const VariableSet live = BackwardSolver<Reads>(reads).run(backward, VariableSet());
    std::vector<Symbol> found;
    for (const Symbol symbol : order_) {
      if (live.has(variables.number(symbol)) && !given_.contains(symbol)) found.push_back(symbol);
    }
    return found;
  }

  static void note(const Stmt* statement, Assigned& assigned) {
    if (const auto* branch = as<If>(statement)) {
      Assigned first = assigned;
      Assigned second = assigned;
      const bool first_falls = note(branch->body, first);
      const bool second_falls = note(branch->orelse, second);
      assigned.sometimes = first.sometimes;
      assigned.sometimes.insert(second.sometimes.begin(), second.sometimes.end());
      if (!first_falls) {
        assigned.always = second.always;
      } else if (!second_falls) {
        assigned.always = first.always;
      } else {
        std::erase_if(first.always, [&](Symbol symbol) { return !second.always.contains(symbol); });
        assigned.always = first.always;
      }
      return;
    }
    const bool loop = is<For>(statement) || is<While>(statement);
    for_each_definition(statement, [&](Symbol symbol) {
      assigned.sometimes.insert(symbol);
      if (!loop) assigned.always.insert(symbol);
    });
  }
  static bool note(Block block, Assigned& assigned) {
    for (const Stmt* statement : block) {
      if (is<Raise>(statement) || is<Break>(statement)) return false;
      note(statement, assigned);
    }
    return true;
  }

  // --- the forward half

  const Expr* kept(Symbol symbol, const Assigned& assigned) {
    if (!assigned.sometimes.contains(symbol)) return context_.none();
    if (!assigned.always.contains(symbol) && std::ranges::find(unset_, symbol) == unset_.end())
      unset_.push_back(symbol);
    const Expr* value = context_.local(symbol);
    if (!halves_.keeps_copies) return value;
    const Type type = reverse_.typing->of(value);
    if (type.is_array()) {
      return context_.make<Call>(
          {}, context_.make<Attribute>({}, context_.global(numpy_), context_.symbol("copy")),
          context_.symbol("numpy.copy"), context_.list<const Expr*>({value}),
          List<const Keyword*>());
    }
    if (type.kind == TypeKind::Numeric)
      return context_.make<UnaryOperation>({}, UnaryOperator::Plus, value);
    if (type.kind == TypeKind::List) {
      return context_.make<Call>({}, context_.global(context_.symbol("list")),
                                 context_.symbol("builtins.list"),
                                 context_.list<const Expr*>({value}), List<const Keyword*>());
    }
    return value;
  }

  // A tape of one value is that value, if it cannot be taken for the None of another path.
  bool is_bare(const std::vector<Symbol>& kept, bool beside_none) {
    if (kept.size() != 1) return false;
    return !beside_none || reverse_.typing->of(context_.local(kept[0])).is_numeric();
  }

  const Expr* tape_of(const std::vector<Symbol>& symbols, const Assigned& assigned, bool bare) {
    if (symbols.empty()) return context_.none();
    std::vector<const Expr*> values;
    for (const Symbol symbol : symbols) values.push_back(kept(symbol, assigned));
    if (bare) return values[0];
    return context_.make<TupleDisplay>({}, Exprs(context_.list(values)));
  }

  // The results of a path, and its tape.
  const Stmt* leave(const Expr* value, const Expr* tape, Ranges ranges) {
    std::vector<const Expr*> values;
    const auto* tuple = as<TupleDisplay>(value);
    if (halves_.pair->results > 1 && tuple != nullptr) {
      values.assign(tuple->elements.begin(), tuple->elements.end());
    } else if (halves_.pair->results > 1) {
      for (std::size_t k = 0; k < halves_.pair->results; ++k) {
        values.push_back(context_.make<Subscript>(
            {}, value, static_cast<const Expr*>(context_.integer(static_cast<std::int64_t>(k)))));
      }
    } else if (halves_.pair->results == 1) {
      values.push_back(value);
    }
    values.push_back(tape);
    if (values.size() == 1) return context_.make<Return>(ranges, tape);
    return context_.make<Return>(ranges, static_cast<const Expr*>(context_.make<TupleDisplay>(
                                             {}, Exprs(context_.list(values)))));
  }

  // Statements in tail position, every path of which leaves with its results and these values.
  Statements finish(Block block, Assigned assigned, const std::vector<Symbol>& kept, bool bare) {
    Statements out;
    for (std::size_t k = 0; k < block.size(); ++k) {
      const Stmt* statement = block[k];
      const bool last = k + 1 == block.size();
      const auto* assign = as<Assign>(statement);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (last && target != nullptr && target->symbol == result_) {
        out.push_back(leave(assign->value, tape_of(kept, assigned, bare), assign->ranges));
        return out;
      }
      if (const auto* branch = as<If>(statement); last && branch != nullptr) {
        if (gives_result(branch)) {
          append_if(branch, finish(branch->body, assigned, kept, bare),
                    finish(branch->orelse, assigned, kept, bare), out);
          return out;
        }
      }
      out.push_back(statement);
      if (is<Raise>(statement)) return out;
      note(statement, assigned);
    }
    out.push_back(leave(context_.local(result_), tape_of(kept, assigned, bare),
                        block.empty() ? ranges() : block.back()->ranges));
    return out;
  }

  // Both arms leave: what is in the second stands behind the branch.
  void append_if(const If* branch, const Statements& body, const Statements& orelse,
                 Statements& out) {
    out.push_back(
        context_.make<If>(branch->ranges, branch->test, Block(context_.list(body)), Block()));
    out.insert(out.end(), orelse.begin(), orelse.end());
  }

  // --- the backward half

  // The statements of a backward part with its return in the arms of its last branch.
  Statements with_returns(Block block) {
    Statements out(block.begin(), block.end());
    if (out.size() < 2 || !is<Return>(out.back())) return out;
    const auto* branch = as<If>(out[out.size() - 2]);
    if (branch == nullptr || branch->body.empty() || branch->orelse.empty()) return out;
    out.resize(out.size() - 2);
    auto arm = [&](Block inner) {
      Statements statements(inner.begin(), inner.end());
      statements.push_back(exit_);
      return with_returns(context_.list(statements));
    };
    append_if(branch, arm(branch->body), arm(branch->orelse), out);
    return out;
  }

  Statements unpacked(const std::vector<Symbol>& kept, bool bare, Block backward) {
    Statements out;
    if (!kept.empty()) {
      std::vector<const Expr*> names;
      for (const Symbol symbol : kept) names.push_back(context_.local(symbol));
      const Expr* target =
          bare ? names[0] : context_.make<TupleDisplay>({}, Exprs(context_.list(names)));
      out.push_back(context_.assign(target, context_.local(tape_), ranges()));
    }
    const Statements rest = with_returns(backward);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }

  // The branch that a backward part begins with, if nothing but the return follows it.
  static const If* only_branch(Block backward) {
    const If* found = nullptr;
    for (const Stmt* statement : backward) {
      if (is<Comment>(statement) || is<Return>(statement)) continue;
      if (found != nullptr || !is<If>(statement)) return nullptr;
      found = static_cast<const If*>(statement);
    }
    return found;
  }

  Block with_exit(Block arm) {
    Statements statements(arm.begin(), arm.end());
    std::erase_if(statements, [](const Stmt* statement) { return is<Pass>(statement); });
    statements.push_back(exit_);
    return context_.list(statements);
  }

  Split split(Block forward, Block backward, const Assigned& assigned, bool outermost) {
    const If* second = only_branch(backward);
    const If* first = forward.empty() ? nullptr : as<If>(forward.back());
    if (first != nullptr && second != nullptr && gives_result(first)) {
      const bool same = equal(first->test, second->test);
      const auto* inverted = as<UnaryOperation>(second->test);
      const bool opposite = inverted != nullptr && inverted->op == UnaryOperator::Not &&
                            equal(first->test, inverted->operand);
      if (same || opposite) {
        const Block body = with_exit(same ? second->body : second->orelse);
        const Block orelse = with_exit(same ? second->orelse : second->body);
        Assigned before = assigned;
        note(forward.first(forward.size() - 1), before);
        std::optional<Split> found;
        if (needs(body).empty()) found = decided(forward, first, true, body, orelse, before);
        if (!found && needs(orelse).empty())
          found = decided(forward, first, false, orelse, body, before);
        if (found) return *found;
      }
    }
    const std::vector<Symbol> kept = needs(backward);
    Split result;
    const bool bare = is_bare(kept, !outermost);
    result.forward = finish(forward, assigned, kept, bare);
    result.backward = unpacked(kept, bare, backward);
    result.has_none = kept.empty();
    return result;
  }

  // One arm needs nothing: its tape is None, which is not that of the other.
  std::optional<Split> decided(Block forward, const If* branch, bool taken, Block nothing,
                               Block other, const Assigned& before) {
    const std::size_t mark = unset_.size();
    const Split rest = split(taken ? branch->orelse : branch->body, other, before, false);
    if (rest.has_none) {
      unset_.resize(mark);
      return std::nullopt;
    }
    const Statements alone = finish(taken ? branch->body : branch->orelse, before, {}, false);
    Split result;
    result.has_none = true;
    result.forward.assign(forward.begin(), forward.end() - 1);
    append_if(branch, taken ? alone : rest.forward, taken ? rest.forward : alone, result.forward);
    const Expr* test =
        context_.make<Comparison>({}, static_cast<const Expr*>(context_.local(tape_)),
                                  context_.list<ComparisonOperator>({ComparisonOperator::Is}),
                                  Exprs(context_.list<const Expr*>({context_.none()})));
    result.backward.push_back(context_.make<If>(
        branch->ranges, test, Block(context_.list(with_returns(nothing))), Block()));
    result.backward.insert(result.backward.end(), rest.backward.begin(), rest.backward.end());
    return result;
  }

  const PairHalves& halves_;
  ReverseResult& reverse_;
  Symbol result_;
  Symbol numpy_;
  Context& context_;
  Symbol tape_;
  const Return* exit_ = nullptr;
  std::vector<Symbol> order_;
  std::vector<Symbol> unset_;  // without a value on some path that keeps it
  std::unordered_set<Symbol> given_;
};

}  // namespace

Block join_halves(const ReversedPair& pair, const Assembled& parts, Symbol result,
                  Context& context) {
  Statements body = parts.tapes;
  body.insert(body.end(), parts.forward.begin(), parts.forward.end());
  const auto* turn =
      context.make<Call>({}, static_cast<const Expr*>(context.global(context.symbol("_turn"))),
                         context.symbol(kTurn), Exprs(), List<const Keyword*>());
  body.push_back(context.make<ExpressionStatement>({}, static_cast<const Expr*>(turn)));
  body.insert(body.end(), parts.backward.begin(), parts.backward.end());
  std::vector<const Expr*> given = pair.reverse.gradients;
  for (const Symbol buffer : pair.reverse.buffers) given.push_back(context.local(buffer));
  given.push_back(context.local(result));
  body.push_back(context.make<Return>(
      {}, static_cast<const Expr*>(context.make<TupleDisplay>({}, Exprs(context.list(given))))));
  return context.list(body);
}

Halves split_halves(Block body, const PairHalves& halves, ReversedPair& pair, Symbol result,
                    Symbol numpy, Context& context) {
  return Splitter(halves, pair, result, numpy, context).run(body);
}

}  // namespace tangent
