// A variable that a loop saves where an iteration begins and again where it ends is saved once:
// what it is at the end of an iteration it is at the beginning of the next, which has been put
// back.
//
//     for i in range(n):                   for i in range(n):
//         x_tape.append(x)                     x_tape.append(x)
//         x = x * x                            x = x * x
//         x_tape2.append(x)
//     for i in reversed(range(n)):    ->   for i in reversed(range(n)):
//         x = x_tape2.pop()
//         by += x                              by += x
//         x = x_tape.pop()                     x = x_tape.pop()
//
// In: the adjoint program; every loop and the one that runs it backwards stand in one block, what
// is taken from tapes is assigned to the variable. Out: the same without the second tape. Behind
// the loop the variable keeps its value up to the loop that runs backwards.
#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

class CarriedValues {
 public:
  explicit CarriedValues(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    whole_ = body;
    look(body);
    return removed_.empty() ? body : rewrite(body);
  }

 private:
  int mentions_of(Symbol tape) const {
    int found = 0;
    for (const Stmt* statement : whole_) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* name = as<Name>(&node);
        const auto* push = as<Push>(&node);
        const auto* pop = as<Pop>(&node);
        found += (name != nullptr && name->symbol == tape) ||
                         (push != nullptr && push->tape == tape) ||
                         (pop != nullptr && pop->tape == tape)
                     ? 1
                     : 0;
      });
    }
    return found;
  }

  static Block body_of(const Stmt* loop) {
    if (const auto* counted = as<For>(loop)) return counted->body;
    const auto* repeat = as<While>(loop);
    return repeat != nullptr ? repeat->body : Block();
  }

  static bool defines(const Stmt* statement, Symbol variable) {
    bool found = false;
    for_each_definition(statement, [&](Symbol symbol) { found = found || symbol == variable; });
    return found;
  }
  static bool any_defines(Block block, Symbol variable) {
    return std::ranges::any_of(block,
                               [&](const Stmt* statement) { return defines(statement, variable); });
  }

  void look(Block block) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      if (const auto* branch = as<If>(block[k])) {
        look(branch->body);
        look(branch->orelse);
      }
      const Block body = body_of(block[k]);
      if (body.empty()) continue;
      look(body);
      if (holds(block[k], Kind::Break)) continue;
      for (std::size_t last = body.size(); last-- > 0;) {
        const auto* end = as<Push>(body[last]);
        if (end != nullptr) settle(block, k, body, last, end);
      }
    }
  }

  // Whether the value that is pushed at `last`, where the iteration ends, follows from another
  // tape.
  void settle(Block block, std::size_t k, Block body, std::size_t last, const Push* end) {
    const auto* name = as<Name>(end->value);
    if (name == nullptr || any_defines(body.subspan(last), name->symbol)) return;
    const Symbol variable = name->symbol;
    if (const auto* loop = as<For>(block[k]); loop != nullptr) {
      bool is_target = false;
      for_each_target(loop->target, [&](Symbol symbol) { is_target |= symbol == variable; });
      if (is_target) return;
    }
    const Push* begin = nullptr;
    for (std::size_t j = 0; j < last && begin == nullptr; ++j) {
      const auto* push = as<Push>(body[j]);
      const auto* value = push != nullptr ? as<Name>(push->value) : nullptr;
      if (value != nullptr && value->symbol == variable) begin = push;
      if (defines(body[j], variable)) return;
    }
    if (begin == nullptr || begin->tape == end->tape) return;
    for (std::size_t j = k + 1; j < block.size(); ++j) {
      const Block back = body_of(block[j]);
      const Stmt* taken = taken_in(back, end->tape);
      if (taken == nullptr) {
        if (defines(block[j], variable)) return;
        continue;
      }
      // Backwards: the end of the iteration, then its beginning, and nothing else.
      const Stmt* put_back = taken_in(back, begin->tape);
      if (put_back == nullptr || !comes_from(taken, end, variable) ||
          !comes_from(put_back, begin, variable))
        return;
      bool reached_end = false;
      bool reached_begin = false;
      for (const Stmt* statement : back) {
        if (statement == put_back && !reached_end) return;
        if (statement == taken) reached_end = true;
        if (statement == put_back) reached_begin = true;
        if (statement != taken && statement != put_back && defines(statement, variable)) return;
      }
      if (!reached_end || !reached_begin || defines_target(block[j], variable)) return;
      // The tape is made empty, pushed, taken from, and may drive the loop.
      const auto* repeat = as<While>(block[j]);
      const auto* driver = repeat != nullptr ? as<Name>(repeat->test) : nullptr;
      const bool drives = driver != nullptr && driver->symbol == end->tape;
      if (mentions_of(end->tape) != (drives ? 4 : 3)) return;
      if (drives) drivers_.emplace(block[j], begin->tape);
      removed_.insert(taken);
      removed_.insert(end);
      tapes_.insert(end->tape);
      return;
    }
  }

  static bool defines_target(const Stmt* loop, Symbol variable) {
    const auto* counted = as<For>(loop);
    bool found = false;
    if (counted != nullptr)
      for_each_target(counted->target, [&](Symbol symbol) { found = found || symbol == variable; });
    return found;
  }

  // The statement of a block itself that takes from a tape.
  static const Stmt* taken_in(Block block, Symbol tape) {
    for (const Stmt* statement : block) {
      const auto* assign = as<Assign>(statement);
      const auto* pop = assign != nullptr ? as<Pop>(assign->value) : nullptr;
      if (pop != nullptr && pop->tape == tape) return statement;
    }
    return nullptr;
  }

  static bool comes_from(const Stmt* statement, const Push* push, Symbol variable) {
    const auto* assign = static_cast<const Assign*>(statement);
    const auto* target = as<Name>(assign->targets[0]);
    return target != nullptr && target->symbol == variable &&
           static_cast<const Pop*>(assign->value)->pair == push->pair;
  }

  Block rewrite(Block block) {
    std::vector<const Stmt*> out;
    bool is_changed = false;
    for (const Stmt* statement : block) {
      const auto* assign = as<Assign>(statement);
      const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
      if (removed_.contains(statement) || (target != nullptr && tapes_.contains(target->symbol))) {
        is_changed = true;
        continue;
      }
      const Stmt* now =
          with_blocks(input_.context, statement, [&](Block inner) { return rewrite(inner); });
      if (const auto driver = drivers_.find(statement); driver != drivers_.end()) {
        now = input_.context.make<While>(
            statement->ranges, static_cast<const Expr*>(input_.context.local(driver->second)),
            body_of(now), Block());
      }
      is_changed = is_changed || now != statement;
      out.push_back(made_anew(statement, now, input_));
    }
    return is_changed ? input_.context.list(out) : block;
  }

  const PassInput& input_;
  Block whole_;
  std::unordered_set<const Stmt*> removed_;
  std::unordered_set<Symbol> tapes_;
  std::unordered_map<const Stmt*, Symbol> drivers_;
};

}  // namespace

Block remove_carried_values(Block body, const PassInput& input) {
  return input.has_halves ? body : CarriedValues(input).run(body);
}

}  // namespace tangent
