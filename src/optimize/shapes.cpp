// Tape liveness: a tape of arrays of which only the shape is read keeps shapes.
//
//     x_tape.append(x)                               x_tape.append(x.size)
//     …                                       ->     …
//     x = x_tape.pop()                               x_size = x_tape.pop()
//     bx += bs / x.size                              bx += bs / x_size
//
// Where all that is read is the size, that is kept. Where it is more (`np.zeros_like(x)`,
// `_unbroadcast(b, x)`), an array of the same shape is kept that is one number in memory:
// `np.broadcast_to(0.0, x.shape)`.
//
// Where an array of the same shape is at hand, its shape is read, and nothing is kept.
//
// A tape may keep shapes if at every pop the variable is not live: it is on no path read again
// before it is written, but for its shape.
#include <algorithm>

#include "analysis/dataflow.h"
#include "analysis/variables.h"
#include "optimize/passes.h"

namespace tangent {

namespace {

// Variables whose value, not only their shape, may be read after a statement.
struct ValueLiveness {
  using State = VariableSet;
  Variables& variables;
  std::unordered_map<const Stmt*, VariableSet>& after;
  // Where this is given, shapes count as well, but not what these statements read.
  const std::unordered_set<const Stmt*>* known = nullptr;

  void read(const Node* node, State& state) const;
  void read(const Stmt* statement, const Node* node, State& state) const {
    if (known == nullptr) return read(node, state);
    if (known->contains(statement)) return;
    for_each_read(node, [&](Symbol symbol) { state.add(variables.number(symbol)); });
  }
  void simple(const Stmt* statement, State& state) const {
    after[statement].join(state);
    if (const auto* assign = as<Assign>(statement)) {
      for (const Expr* target : assign->targets) {
        if (is<Subscript>(target)) {
          read(statement, target, state);
        } else {
          for_each_target(target, [&](Symbol symbol) { state.remove(variables.number(symbol)); });
        }
      }
      read(statement, assign->value, state);
      return;
    }
    for_each_child(*statement, [&](const Node* child) { read(statement, child, state); });
  }
  void test(const Stmt* statement, State& state) const {
    const auto* branch = as<If>(statement);
    read(statement, branch != nullptr ? branch->test : static_cast<const While*>(statement)->test,
         state);
  }
  void enter(const For* loop, State& state) const {
    for_each_target(loop->target, [&](Symbol symbol) { state.remove(variables.number(symbol)); });
    read(loop, loop->iterable, state);
  }
};

// f(Symbol, bool shape_only) for every read of a local. A second operand of `_unbroadcast` and its
// like is there for its shape.
template <class F>
void for_each_value_read(const Node* node, F&& f) {
  if (const auto* call = as<Call>(node); call != nullptr && call->arguments.size() == 2 &&
                                         call->callee.text() == "tangent.runtime._unbroadcast") {
    for_each_value_read(call->arguments[0], f);
    for_each_shaped_read(call->arguments[1], [&](Symbol read, bool shape) {
      f(read, shape || is<Name>(call->arguments[1]));
    });
    return;
  }
  bool nested = false;
  if (!is_statement(node->kind)) {
    nested = find_node(node, [&](const Node* part) {
               const auto* call = as<Call>(part);
               return call != nullptr && part != node &&
                      call->callee.text() == "tangent.runtime._unbroadcast";
             }) != nullptr;
  }
  if (!nested) return for_each_shaped_read(node, f);
  for_each_child(*node, [&](const Node* child) { for_each_value_read(child, f); });
}

void ValueLiveness::read(const Node* node, State& state) const {
  for_each_value_read(node, [&](Symbol symbol, bool shape_only) {
    if (!shape_only) state.add(variables.number(symbol));
  });
}

class ShapeKeeper {
 public:
  explicit ShapeKeeper(const PassInput& input) : input_(input) {}

  Block run(Block body) {
    find_pops(body);
    if (tapes_.empty()) return body;
    find_pushes(body);
    std::erase_if(tapes_, [this](const Facts& facts) { return !is_of_arrays(facts); });
    if (tapes_.empty()) return body;
    ValueLiveness liveness{variables_, after_};
    BackwardSolver<ValueLiveness>(liveness).run(body, VariableSet());
    bool any = false;
    for (Facts& facts : tapes_) {
      facts.keeps = is_shape_alone(facts);
      if (!facts.keeps) continue;
      any = true;
      facts.is_needless = reads_another(body, facts);
      if (facts.is_needless) continue;
      facts.only_size = input_.fresh && reads_only_size(body, facts);
      if (facts.only_size) {
        facts.name = input_.fresh(std::string(facts.variable.text()) + "_size",
                                  Type::number(DType::Integer));
      }
    }
    return any ? rewrite(body) : body;
  }

 private:
  struct Facts {
    Symbol tape;
    Symbol variable = {};
    std::vector<const Stmt*> pops = {};
    std::vector<const Expr*> pushed = {};
    bool plain = true;  // one variable takes all that is on it
    bool keeps = false;
    bool only_size = false;    // nothing else is read
    bool is_needless = false;  // another array has the shape
    Symbol name = {};          // of its value
  };

  Facts* facts_of(Symbol tape) {
    const auto found = std::ranges::find(tapes_, tape, &Facts::tape);
    return found != tapes_.end() ? &*found : nullptr;
  }

  void find_pops(Block block) {
    for (const Stmt* statement : block) {
      if (const auto* assign = as<Assign>(statement); assign != nullptr && is<Pop>(assign->value)) {
        const auto* name = as<Name>(assign->targets[0]);
        const Symbol tape = static_cast<const Pop*>(assign->value)->tape;
        if (facts_of(tape) == nullptr) tapes_.push_back({.tape = tape});
        Facts& facts = *facts_of(tape);
        if (name == nullptr || (!facts.pops.empty() && facts.variable != name->symbol))
          facts.plain = false;
        if (name != nullptr) facts.variable = name->symbol;
        facts.pops.push_back(statement);
      }
      for_each_child(*statement, [&](const Node* child) {
        if (is_statement(child->kind)) {
          const auto* inner = static_cast<const Stmt*>(child);
          find_pops(Block(&inner, 1));
        }
      });
    }
  }

  void find_pushes(Block block) {
    for (const Stmt* statement : block) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* push = as<Push>(&node);
        if (push == nullptr) return;
        if (Facts* facts = facts_of(push->tape)) facts->pushed.push_back(push->value);
      });
    }
  }

  // What is pushed, without the copy that keeps it from being stored into.
  static const Expr* source_of(const Expr* pushed) {
    const auto* call = as<Call>(pushed);
    const bool copies =
        call != nullptr && call->callee.text() == "numpy.copy" && call->arguments.size() == 1;
    return copies ? call->arguments[0] : pushed;
  }

  // Whether all that is pushed are arrays, and one variable takes them again.
  bool is_of_arrays(const Facts& facts) const {
    if (!facts.plain || facts.variable.empty()) return false;
    return std::ranges::all_of(facts.pushed, [&](const Expr* pushed) {
      const Expr* source = source_of(pushed);
      const Type type = input_.type_of(source);
      return is<Name>(source) && type.is_array() && !type.mixed && type.dtype == DType::Float64;
    });
  }

  bool is_shape_alone(const Facts& facts) {
    return std::ranges::all_of(facts.pops, [&](const Stmt* pop) {
      return !after_[pop].has(variables_.number(facts.variable));
    });
  }

  // Whether all reads of what is taken from the tape are of its size, and stand behind the pops.
  bool reads_only_size(Block body, const Facts& facts) {
    bool found = false;
    bool other = false;
    std::unordered_set<const Stmt*> behind;
    const auto look = [&](const Node* node) {
      std::vector<const Node*> open{node};
      while (!open.empty()) {
        const Node* top = open.back();
        open.pop_back();
        if (is_statement(top->kind)) behind.insert(static_cast<const Stmt*>(top));
        if (const auto* attribute = as<Attribute>(top)) {
          const auto* name = as<Name>(attribute->value);
          if (name != nullptr && name->symbol == facts.variable) {
            other = other || attribute->attribute.text() != "size";
            found = true;
            continue;
          }
        }
        if (const auto* name = as<Name>(top); name != nullptr && name->symbol == facts.variable)
          other = true;
        for_each_child(*top, [&](const Node* child) { open.push_back(child); });
      }
    };
    behind_pops(body, facts, look);
    if (other || !found) return false;
    std::unordered_map<const Stmt*, VariableSet> after;
    ValueLiveness liveness{variables_, after, &behind};
    BackwardSolver<ValueLiveness>(liveness).run(body, VariableSet());
    const std::size_t number = variables_.number(facts.variable);
    return std::ranges::none_of(facts.pops,
                                [&](const Stmt* pop) { return after[pop].has(number); });
  }

  // Whether every read of what is taken from the tape stands in the block of the pop, behind an
  // array of the same shape that was made there; notes the reads and the arrays.
  bool reads_another(Block body, const Facts& facts) {
    const Type type = input_.type_of(input_.context.local(facts.variable));
    if (!type.is_array() || counts_rounds(body, facts.tape)) return false;
    std::unordered_map<const Stmt*, Symbol> reads;
    std::unordered_set<const Stmt*> known;
    std::size_t found = 0;
    bool fits = true;
    const auto visit = [&](const auto& self, Block block) -> void {
      Symbol other;
      bool open = false;
      for (const Stmt* statement : block) {
        if (std::ranges::find(facts.pops, statement) != facts.pops.end()) {
          open = true;
          other = {};
          ++found;
          continue;
        }
        if (open && reads_name(statement, facts.variable)) {
          const auto* assign = as<Assign>(statement);
          fits = fits && !other.empty() && assign != nullptr && !reads_name(assign, other);
          reads.emplace(statement, other);
          known.insert(statement);
        }
        for_each_binding(statement, [&](Symbol symbol) {  // a store leaves the shape
          if (symbol == facts.variable) open = false;
          if (symbol == other) other = {};
        });
        const auto* assign = as<Assign>(statement);
        const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
        if (open && name != nullptr && name->symbol != facts.variable &&
            makes_array(assign->value)) {
          const Type made = input_.type_of(name);
          if (made.is_array() && !made.mixed && made.dtype == DType::Float64 &&
              same_shape(made, type))
            other = name->symbol;
        }
        if (const auto* branch = as<If>(statement)) {
          self(self, branch->body);
          self(self, branch->orelse);
        } else if (const auto* loop = as<For>(statement)) {
          self(self, loop->body);
        } else if (const auto* repeat = as<While>(statement)) {
          self(self, repeat->body);
        }
      }
    };
    visit(visit, body);
    if (!fits || found != facts.pops.size() || reads.empty()) return false;
    std::unordered_map<const Stmt*, VariableSet> after;
    ValueLiveness liveness{variables_, after, &known};
    BackwardSolver<ValueLiveness>(liveness).run(body, VariableSet());
    const std::size_t number = variables_.number(facts.variable);
    if (std::ranges::any_of(facts.pops, [&](const Stmt* pop) { return after[pop].has(number); }))
      return false;
    for (const auto& [statement, other] : reads)
      others_[statement].emplace_back(facts.variable, other);
    return true;
  }

  // Whether the length of a tape is read, or drives a loop.
  static bool counts_rounds(Block body, Symbol tape) {
    return std::ranges::any_of(body, [tape](const Stmt* top) {
      std::size_t mentions = 0;
      std::size_t made = 0;
      for_each_node(*top, [&](const Node& node) {
        const auto* name = as<Name>(&node);
        const auto* assign = as<Assign>(&node);
        const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
        mentions += name != nullptr && name->symbol == tape ? 1 : 0;
        made += target != nullptr && target->symbol == tape ? 1 : 0;
      });
      return mentions > made;
    });
  }

  // Whether a value is an array, whatever it is made of: an adjoint that is zero may be a number.
  static bool makes_array(const Expr* value) {
    const auto* call = as<Call>(value);
    if (call == nullptr) return false;
    const std::string_view callee = call->callee.text();
    return callee == "numpy.full_like" || callee == "numpy.zeros_like" ||
           callee == "numpy.ones_like";
  }

  static bool reads_name(const Stmt* statement, Symbol symbol) {
    bool found = false;
    for_each_node(*statement, [&](const Node& node) {
      const auto* name = as<Name>(&node);
      found = found || (name != nullptr && name->symbol == symbol);
    });
    return found;
  }

  // f(statement) for what stands behind a pop, up to where the variable is written next.
  template <class F>
  static void behind_pops(Block block, const Facts& facts, F&& f) {
    bool open = false;
    for (const Stmt* statement : block) {
      bool writes = false;
      for_each_definition(statement,
                          [&](Symbol symbol) { writes = writes || symbol == facts.variable; });
      if (std::ranges::find(facts.pops, statement) != facts.pops.end()) {
        open = true;
        continue;
      }
      if (writes) open = false;
      if (open) {
        f(statement);
        continue;
      }
      if (const auto* branch = as<If>(statement)) {
        behind_pops(branch->body, facts, f);
        behind_pops(branch->orelse, facts, f);
      } else if (const auto* loop = as<For>(statement)) {
        behind_pops(loop->body, facts, f);
      } else if (const auto* repeat = as<While>(statement)) {
        behind_pops(repeat->body, facts, f);
      }
    }
  }

  Block rewrite(Block block) {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : block)
      out.push_back(is_dropped(statement) ? nullptr : rewrite(statement));
    // Reads behind a pop are of what it takes now.
    for (const Facts& facts : tapes_) {
      if (!facts.keeps || !facts.only_size) continue;
      bool open = false;
      for (std::size_t k = 0; k < block.size(); ++k) {
        bool writes = false;
        for_each_definition(block[k],
                            [&](Symbol symbol) { writes = writes || symbol == facts.variable; });
        const bool pops = std::ranges::find(facts.pops, block[k]) != facts.pops.end();
        if (pops || writes) {
          open = pops;
          continue;
        }
        if (open && out[k] != nullptr) out[k] = static_cast<const Stmt*>(renamed(out[k], facts));
      }
    }
    std::erase(out, nullptr);
    if (out.empty() && !block.empty()) out.push_back(input_.context.make<Pass>(block[0]->ranges));
    return input_.context.list(out);
  }

  // What fills, empties or makes a tape that nothing is kept on.
  bool is_dropped(const Stmt* statement) {
    const auto* push = as<Push>(statement);
    const auto* assign = as<Assign>(statement);
    const auto* pop = assign != nullptr ? as<Pop>(assign->value) : nullptr;
    const auto* made = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    const Facts* facts = push != nullptr  ? facts_of(push->tape)
                         : pop != nullptr ? facts_of(pop->tape)
                         : made != nullptr && is<ListDisplay>(assign->value)
                             ? facts_of(made->symbol)
                             : nullptr;
    return facts != nullptr && facts->is_needless;
  }

  const Stmt* rewrite(const Stmt* statement) {
    Context& context = input_.context;
    if (const auto found = others_.find(statement); found != others_.end()) {
      const auto* assign = static_cast<const Assign*>(statement);
      const Node* value = assign->value;
      for (const auto& [variable, other] : found->second) value = named(value, variable, other);
      return context.make<Assign>(assign->ranges, assign->targets, static_cast<const Expr*>(value));
    }
    if (const auto* push = as<Push>(statement)) {
      const Facts* facts = facts_of(push->tape);
      if (facts == nullptr || !facts->keeps) return statement;
      return context.make<Push>(push->ranges, push->tape, kept(source_of(push->value), *facts),
                                push->pair);
    }
    if (const auto* assign = as<Assign>(statement); assign != nullptr && is<Pop>(assign->value)) {
      const Facts* facts = facts_of(static_cast<const Pop*>(assign->value)->tape);
      if (facts == nullptr || !facts->keeps || !facts->only_size) return statement;
      return context.assign(context.local(facts->name), assign->value, assign->ranges);
    }
    return with_blocks(context, statement, [&](Block inner) { return rewrite(inner); });
  }

  const Expr* kept(const Expr* value, const Facts& facts) const {
    Context& context = input_.context;
    if (facts.only_size) return context.make<Attribute>({}, value, context.symbol("size"));
    const Expr* shape = context.make<Attribute>({}, value, context.symbol("shape"));
    return context.make<Call>(
        {},
        context.make<Attribute>({}, context.global(input_.numpy), context.symbol("broadcast_to")),
        context.symbol("numpy.broadcast_to"),
        context.list<const Expr*>({context.number(0.0), shape}), List<const Keyword*>());
  }

  const Node* named(const Node* node, Symbol variable, Symbol other) const {
    if (const auto* name = as<Name>(node); name != nullptr && name->symbol == variable)
      return input_.context.local(other, node->ranges);
    return rewrite_children(input_.context, *node,
                            [&](const Node* child) { return named(child, variable, other); });
  }

  const Node* renamed(const Node* node, const Facts& facts) const {
    if (const auto* attribute = as<Attribute>(node)) {
      const auto* name = as<Name>(attribute->value);
      if (name != nullptr && name->symbol == facts.variable)
        return input_.context.local(facts.name, node->ranges);
    }
    return rewrite_children(input_.context, *node,
                            [&](const Node* child) { return renamed(child, facts); });
  }

  const PassInput& input_;
  Variables variables_;
  std::unordered_map<const Stmt*, VariableSet> after_;
  std::vector<Facts> tapes_;  // in the order of their first pops
  // Statements that read the shapes of other arrays now: which variable, and which array.
  std::unordered_map<const Stmt*, std::vector<std::pair<Symbol, Symbol>>> others_;
};

}  // namespace

Block keep_shapes(Block body, const PassInput& input) { return ShapeKeeper(input).run(body); }

}  // namespace tangent
