// One walk through the printed program, the forward part first; see saved_values.h.
#include "emit/saved_values.h"

#include <algorithm>

#include "analysis/variables.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

bool is_blank(const Stmt* statement) {
  const auto* comment = as<Comment>(statement);
  return comment != nullptr && comment->text.empty();
}

class SavedValues {
 public:
  explicit SavedValues(const std::unordered_set<Symbol>& adjoints) : adjoints_(adjoints) {}

  void joint(const FunctionDefinition& function) {
    const Block body = function.body;
    for (const Parameter* parameter : function.parameters) given_.insert(parameter->name);
    const bool has_turn = std::ranges::any_of(body, is_blank);
    bool turned = !has_turn;
    for (const Stmt* statement : body) {
      turned = turned || is_blank(statement);
      walk(statement, turned);
    }
  }

  // A backward half begins with what its tape holds.
  void half(const FunctionDefinition& function) {
    for (const Stmt* statement : function.body) {
      const auto* assign = as<Assign>(statement);
      const auto* tape = assign != nullptr ? as<Name>(assign->value) : nullptr;
      if (tape == nullptr || function.parameters.empty() ||
          tape->symbol != function.parameters.front()->name)
        continue;
      for_each_target(assign->targets[0], [&](Symbol symbol) {
        SavedValue& value = found(symbol, SavedValue::Form::Tuple);
        value.value = std::string(symbol.text());
        value.function = std::string(function.name.text());
        add(value.made, statement->ranges);
        for (const Stmt* reader : function.body) {
          if (reader != statement) note_half(reader, symbol, value);
        }
      });
    }
    values_by_name_.clear();
  }

  std::vector<SavedValue> take() {
    std::erase_if(values_, [](const SavedValue& value) { return value.read_by.empty(); });
    return std::move(values_);
  }

 private:
  static void add(std::vector<SourceRange>& into, Ranges ranges) {
    for (const SourceRange& range : ranges) {
      if (std::ranges::find(into, range) == into.end()) into.push_back(range);
    }
  }

  SavedValue& found(Symbol name, SavedValue::Form form) {
    const auto [entry, is_new] = values_by_name_.try_emplace(name, values_.size());
    if (is_new) {
      values_.emplace_back();
      values_.back().name = std::string(name.text());
      values_.back().form = form;
    }
    return values_[entry->second];
  }

  static void note_half(const Stmt* reader, Symbol symbol, SavedValue& value) {
    if (const auto* branch = as<If>(reader)) {
      if (mentions(branch->test, symbol)) add(value.read_by, reader->ranges);
      for (const Stmt* inner : branch->body) note_half(inner, symbol, value);
      for (const Stmt* inner : branch->orelse) note_half(inner, symbol, value);
    } else if (mentions(reader, symbol)) {
      add(value.read_by, reader->ranges);
    }
  }

  bool is_backward(const Stmt* statement) const {
    return find_node(statement, [&](const Node* node) {
             const auto* name = as<Name>(node);
             return is<Pop>(node) || (name != nullptr && adjoints_.contains(name->symbol));
           }) != nullptr;
  }

  // In a branch that the forward and the backward part share, the forward part stands first.
  void arm(Block block, bool backward) {
    bool turned = false;
    for (const Stmt* statement : block) {
      turned = turned || is_backward(statement);
      walk(statement, backward && turned);
    }
  }

  void all(Block block, bool backward) {
    for (const Stmt* statement : block) walk(statement, backward);
  }

  void walk(const Stmt* statement, bool backward) {
    if (const auto* branch = as<If>(statement)) {
      if (backward) read(branch->test, statement->ranges);
      arm(branch->body, backward);
      arm(branch->orelse, backward);
    } else if (const auto* loop = as<For>(statement)) {
      if (backward) read(loop->iterable, statement->ranges);
      define(statement, loop->target, backward);
      all(loop->body, backward);
    } else if (const auto* repeat = as<While>(statement)) {
      if (backward) read(repeat->test, statement->ranges);
      all(repeat->body, backward);
    } else if (const auto* push = as<Push>(statement)) {
      SavedValue& value = found(push->tape, SavedValue::Form::Tape);
      value.value = print(push->value);
      add(value.made, statement->ranges);
    } else if (!is<Comment>(statement)) {
      simple(statement, backward);
    }
  }

  void simple(const Stmt* statement, bool backward) {
    const auto* assign = as<Assign>(statement);
    const Pop* pop = assign != nullptr ? as<Pop>(assign->value) : nullptr;
    if (backward && pop != nullptr && is<Name>(assign->targets[0])) {
      taken_[static_cast<const Name*>(assign->targets[0])->symbol] = pop->tape;
      return;
    }
    if (backward) {
      if (assign != nullptr) {
        read(assign->value, statement->ranges);
        if (is<Subscript>(assign->targets[0])) read(assign->targets[0], statement->ranges);
      } else {
        for_each_child(*statement, [&](const Node* child) { read(child, statement->ranges); });
      }
    }
    if (assign != nullptr) {
      if (!is<ListDisplay>(assign->value) ||
          !static_cast<const ListDisplay*>(assign->value)->elements.empty())
        define(statement, assign->targets[0], backward);
    }
  }

  void define(const Stmt* statement, const Expr* target, bool backward) {
    for_each_target(target, [&](Symbol symbol) {
      if (is<Subscript>(target)) return;
      if (backward) {
        taken_.erase(symbol);
        again_.insert(symbol);
      } else {
        made_[symbol] = statement;
      }
    });
  }

  void read(const Node* node, Ranges ranges) {
    for_each_node(*node, [&](const Node& part) {
      if (const auto* pop = as<Pop>(&part))
        add(found(pop->tape, SavedValue::Form::Tape).read_by, ranges);
    });
    for_each_read(node, [&](Symbol symbol) {
      if (adjoints_.contains(symbol)) return;
      if (const auto taken = taken_.find(symbol); taken != taken_.end())
        return add(found(taken->second, SavedValue::Form::Tape).read_by, ranges);
      const auto made = made_.find(symbol);
      if (made == made_.end() || again_.contains(symbol) || given_.contains(symbol)) return;
      SavedValue& value = found(symbol, SavedValue::Form::Name);
      if (const auto* assign = as<Assign>(made->second)) value.value = print(assign->value);
      add(value.made, made->second->ranges);
      add(value.read_by, ranges);
    });
  }

  const std::unordered_set<Symbol>& adjoints_;
  std::vector<SavedValue> values_;
  std::unordered_map<Symbol, std::size_t> values_by_name_;
  std::unordered_set<Symbol> given_;              // arguments are there anyhow
  std::unordered_map<Symbol, const Stmt*> made_;  // by the forward part, last
  std::unordered_map<Symbol, Symbol> taken_;      // variable -> the tape that it came from
  std::unordered_set<Symbol> again_;              // the backward part gives it a value itself
};

}  // namespace

std::vector<SavedValue> saved_values(Block definitions,
                                     const std::unordered_set<Symbol>& adjoints) {
  SavedValues values(adjoints);
  for (std::size_t k = 0; k < definitions.size(); ++k) {
    const auto* function = as<FunctionDefinition>(definitions[k]);
    if (function == nullptr) continue;
    if (k == 0) {
      values.joint(*function);
    } else if (function->name.text().ends_with("_backward")) {
      values.half(*function);
    }
  }
  return values.take();
}

}  // namespace tangent
