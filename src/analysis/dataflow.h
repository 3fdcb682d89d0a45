// The one solver: dataflow over the structured core program, forwards or backwards.
//
// A core program has no jumps but `break` and tail returns, so a block's state follows from its
// statements in order, and only a loop needs a fixpoint. The state at a loop's head only ever grows
// and is kept in a side table, so a nest of loops costs (number of facts) rounds per loop, never
// rounds to the power of the depth.
//
// In: a client that says what a simple statement does to a state. Out: the state at the other end;
// the client keeps what it wants to know per statement. A client has
//     using State = …;                                copyable, with bool join(const State&)
//     void simple(const Stmt*, State&);               assignments, asserts, expression statements,
//     returns void test(const Stmt*, State&);                 the test of an If or While, evaluated
//     once void enter(const For*, State&);                 the loop target takes the next item
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "syntax/visit.h"

namespace tangent {

template <class Client>
class ForwardSolver {
 public:
  using State = typename Client::State;
  explicit ForwardSolver(Client& client) : client_(client) {}

  // The state after the block; nothing if its end is never reached.
  std::optional<State> run(Block block, std::optional<State> state) {
    for (const Stmt* statement : block) {
      if (!state) return state;
      state = run(statement, std::move(state));
    }
    return state;
  }

 private:
  std::optional<State> run(const Stmt* statement, std::optional<State> state) {
    if (const auto* branch = as<If>(statement)) {
      client_.test(branch, *state);
      auto taken = run(branch->body, state);
      auto other = run(branch->orelse, std::move(state));
      if (!taken) return other;
      if (other) taken->join(*other);
      return taken;
    }
    if (is<For>(statement) || is<While>(statement)) return run_loop(statement, std::move(*state));
    if (is<Break>(statement)) {
      if (exits_.back()) {
        exits_.back()->join(*state);
      } else {
        exits_.back() = std::move(state);
      }
      return std::nullopt;
    }
    client_.simple(statement, *state);
    if (is<Return>(statement) || is<Raise>(statement)) return std::nullopt;
    return state;
  }

  std::optional<State> run_loop(const Stmt* loop, State entry) {
    const auto* counted = as<For>(loop);
    const auto* repeat = as<While>(loop);
    const auto [found, is_new] = heads_.try_emplace(loop, entry);
    if (!is_new) found->second.join(entry);
    while (true) {
      State head = found->second;  // a copy: the table may move while the body is run
      exits_.emplace_back();
      if (repeat != nullptr) client_.test(repeat, head);
      State inside = head;
      if (counted != nullptr) client_.enter(counted, inside);
      auto end = run(counted != nullptr ? counted->body : repeat->body, std::move(inside));
      auto exit = std::move(exits_.back());
      exits_.pop_back();
      if (end && heads_.at(loop).join(*end)) continue;
      if (!exit) return head;
      exit->join(head);
      return exit;
    }
  }

  Client& client_;
  std::unordered_map<const Stmt*, State> heads_;
  std::vector<std::optional<State>> exits_;
};

template <class Client>
class BackwardSolver {
 public:
  using State = typename Client::State;
  explicit BackwardSolver(Client& client) : client_(client) {}

  // The state before the block, from the state after it.
  State run(Block block, State state) {
    for (auto it = block.rbegin(); it != block.rend(); ++it) state = run(*it, std::move(state));
    return state;
  }

  // f(loop, state) for the state where an iteration of each loop ends.
  template <class F>
  void for_each_end(F&& f) const {
    for (const auto& [loop, state] : heads_) f(loop, state);
  }

 private:
  State run(const Stmt* statement, State state) {
    if (const auto* branch = as<If>(statement)) {
      State taken = run(branch->body, state);
      State other = run(branch->orelse, std::move(state));
      taken.join(other);
      client_.test(branch, taken);
      return taken;
    }
    if (is<For>(statement) || is<While>(statement)) return run_loop(statement, std::move(state));
    if (is<Break>(statement)) return exits_.back();
    if (is<Return>(statement) || is<Raise>(statement)) state = State();
    client_.simple(statement, state);
    return state;
  }

  State run_loop(const Stmt* loop, State exit) {
    const auto* counted = as<For>(loop);
    const auto* repeat = as<While>(loop);
    // The state where an iteration is over and the loop decides whether to go on.
    const auto [found, is_new] = heads_.try_emplace(loop, exit);
    if (!is_new) found->second.join(exit);
    while (true) {
      State end = found->second;
      if (repeat != nullptr) client_.test(repeat, end);
      exits_.push_back(exit);
      State start = run(counted != nullptr ? counted->body : repeat->body, end);
      exits_.pop_back();
      if (counted != nullptr) client_.enter(counted, start);
      if (heads_.at(loop).join(start)) continue;
      return end;
    }
  }

  Client& client_;
  std::unordered_map<const Stmt*, State> heads_;
  std::vector<State> exits_;
};

}  // namespace tangent
