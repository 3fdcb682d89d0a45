// One walk over the rest of a block for each extremum in it; see shifts.h.
//
// How a value v depends on the extremum m:
//
//     Free      not at all (its derivative is zero; its value may)
//     Shifted   v = w + c m        c a number times powers of variables that stay
//     Scaled    v = w exp(c m)
//
// and where: m is a number, or an array that took one axis out, which a value of this value's shape
// still has (Whole), has with length 1 (Kept) or has not (Reduced).
#include "analysis/shifts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "analysis/dataflow.h"
#include "analysis/variables.h"
#include "syntax/printer.h"

namespace tangent {

namespace {

struct Coefficient {
  double number = 0.0;
  std::map<std::string, int> powers;

  bool operator==(const Coefficient&) const = default;
  [[nodiscard]] Coefficient times(double factor) const {
    Coefficient result = *this;
    result.number *= factor;
    return result;
  }
  [[nodiscard]] Coefficient times(const std::string& variable, int power) const {
    Coefficient result = *this;
    result.powers[variable] += power;
    if (result.powers[variable] == 0) result.powers.erase(variable);
    return result;
  }
};

enum class Shape : std::uint8_t { Number, Whole, Kept, Reduced };

struct Dependence {
  enum class Form : std::uint8_t { Free, Shifted, Scaled };
  Form form = Form::Free;
  Coefficient coefficient = {};
  Shape shape = Shape::Number;
  [[nodiscard]] bool is_free() const { return form == Form::Free; }
};

// Nothing: a dependence of another kind.
using Found = std::optional<Dependence>;

bool among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_extremum(const Expr* value) {
  const auto* call = as<Call>(value);
  return call != nullptr && call->callee &&
         among(call->callee.text(),
               {"numpy.max", "numpy.amax", "numpy.min", "numpy.amin", "builtins.max",
                "builtins.min", "numpy.maximum", "numpy.minimum"});
}

std::optional<double> literal_of(const Expr* value) {
  if (const auto* unary = as<UnaryOperation>(value);
      unary != nullptr && unary->op == UnaryOperator::Minus) {
    const std::optional<double> found = literal_of(unary->operand);
    return found ? std::optional(-*found) : std::nullopt;
  }
  const auto* constant = as<Constant>(value);
  if (constant == nullptr) return std::nullopt;
  if (constant->value.kind == LiteralKind::Integer)
    return static_cast<double>(constant->value.integer);
  if (constant->value.kind == LiteralKind::Float) return constant->value.number;
  return std::nullopt;
}

// The names that are read before they are bound again, behind each simple statement.
struct LiveBehind {
  using State = VariableSet;
  Variables& variables;
  std::unordered_map<const Stmt*, VariableSet>& behind;

  void read(const Node* node, State& state) const {
    for_each_read(node, [&](Symbol symbol) { state.add(variables.number(symbol)); });
  }
  void bind(const Expr* target, State& state) const {
    if (is<Subscript>(target)) return read(target, state);
    for_each_target(target, [&](Symbol symbol) { state.remove(variables.number(symbol)); });
  }
  void simple(const Stmt* statement, State& state) const {
    behind[statement].join(state);
    if (const auto* assign = as<Assign>(statement)) {
      bind(assign->targets[0], state);
      return read(assign->value, state);
    }
    read(statement, state);
  }
  void test(const Stmt* statement, State& state) const {
    const auto* branch = as<If>(statement);
    read(branch != nullptr ? branch->test : static_cast<const While*>(statement)->test, state);
  }
  void enter(const For* loop, State& state) const {
    bind(loop->target, state);
    read(loop->iterable, state);
  }
};

// Follows one extremum through the rest of its block.
class Follower {
 public:
  Follower(const TypedFunction& function, RuleBook& rules, Block block, const Call* extremum)
      : function_(function), rules_(rules), block_(block), extremum_(extremum) {}

  // Whether nothing is left of it at the end of the block; `live_behind` says what a statement
  // leaves to others.
  bool cancels(std::size_t start, const std::function<bool(const Stmt*, Symbol)>& is_live_behind) {
    if (!describe()) return false;
    for (const Stmt* statement : block_.subspan(start)) {
      if (!follow(statement)) return false;
      for_each_definition(statement, [&](Symbol symbol) {
        if (mentions(extremum_, symbol)) is_same_ = false;
      });
      if (states_.empty() && !is_same_) break;
    }
    return std::ranges::none_of(
        states_, [&](const auto& state) { return is_live_behind(block_.back(), state.first); });
  }

  [[nodiscard]] const std::vector<const Expr*>& occurrences() const { return occurrences_; }

 private:
  // What shape the extremum has: a number, or one axis less.
  bool describe() {
    const Type type = function_.type_of(extremum_);
    if (type.is_number()) return true;
    const std::string_view callee = extremum_->callee.text();
    if (!callee.starts_with("numpy.") || callee.ends_with("imum") || !type.is_array()) return false;
    const Expr* receiver = receiver_of(extremum_);
    const std::size_t first = receiver != nullptr ? 0 : 1;
    if (receiver == nullptr) {
      if (extremum_->arguments.empty()) return false;
      receiver = extremum_->arguments[0];
    }
    const Type whole = function_.type_of(receiver);
    if (!whole.is_array()) return false;
    rank_ = std::int64_t{0} + whole.rank;
    const std::optional<Reduction> reduction = reduction_of(extremum_, first);
    if (!reduction || !reduction->axis) return false;
    axis_ = *reduction->axis;
    own_shape_ = reduction->keeps ? Shape::Kept : Shape::Reduced;
    return true;
  }

  // x of `x.max()`.
  const Expr* receiver_of(const Call* call) const {
    const auto* method = as<Attribute>(call->function);
    return method == nullptr || is_module(method->value) ? nullptr : method->value;
  }

  bool is_module(const Expr* value) const {
    while (const auto* path = as<Attribute>(value)) value = path->value;
    const auto* name = as<Name>(value);
    return name != nullptr && name->scope == Scope::Global;
  }

  struct Reduction {
    std::optional<std::int64_t> axis;  // counted from the front
    bool keeps = false;
  };
  // Nothing where the call says more than a literal axis and keepdims.
  std::optional<Reduction> reduction_of(const Call* call, std::size_t first) const {
    Reduction found;
    auto take_axis = [&](const Expr* value) {
      const auto* constant = as<Constant>(value);
      if (constant != nullptr && constant->value.kind == LiteralKind::None) return true;
      const std::optional<double> axis = literal_of(value);
      if (!axis || *axis != std::floor(*axis) || rank_ == 0) return false;
      found.axis = static_cast<std::int64_t>(*axis) + (*axis < 0 ? rank_ : 0);
      return true;
    };
    if (call->arguments.size() > first + 1) return std::nullopt;
    if (call->arguments.size() == first + 1 && !take_axis(call->arguments[first]))
      return std::nullopt;
    for (const Keyword* keyword : call->keywords) {
      const std::string_view name = keyword->name ? keyword->name.text() : std::string_view();
      const auto* constant = as<Constant>(keyword->value);
      if (name == "axis") {
        if (!take_axis(keyword->value)) return std::nullopt;
      } else if (name == "keepdims" && constant != nullptr &&
                 (constant->value.kind == LiteralKind::True ||
                  constant->value.kind == LiteralKind::False)) {
        found.keeps = constant->value.kind == LiteralKind::True;
      } else {
        return std::nullopt;
      }
    }
    return found;
  }

  [[nodiscard]] bool is_a_number() const { return own_shape_ == Shape::Number; }

  // --- statements

  bool follow(const Stmt* statement) {
    if (const auto* assign = as<Assign>(statement)) {
      const Expr* target = assign->targets[0];
      const Found value = dependence(assign->value);
      if (!value) return false;
      const auto* name = as<Name>(target);
      if (name == nullptr) {
        // What is stored, or taken apart, depends on it no more.
        if (!value->is_free() || mentions_any(is<Subscript>(target) ? target : nullptr))
          return false;
        for_each_target(target, [&](Symbol symbol) { states_.erase(symbol); });
        return true;
      }
      states_.erase(name->symbol);
      if (!value->is_free()) states_[name->symbol] = {*value, makes_new(assign->value)};
      return true;
    }
    if (const auto* augmented = as<AugmentedAssign>(statement)) {
      const auto* name = as<Name>(augmented->target);
      const Found other = dependence(augmented->value);
      if (!other) return false;
      if (name == nullptr) return other->is_free() && !mentions_any(augmented->target);
      const auto known = states_.find(name->symbol);
      const bool is_number = function_.type_of(name).is_number();
      // An array changes for all its names.
      const bool alone =
          known != states_.end() && known->second.is_new &&
          std::ranges::all_of(states_, [](const auto& state) { return state.second.is_new; });
      if (known == states_.end() && other->is_free()) return true;
      if (!is_number && !alone) return false;
      const Dependence own = known != states_.end() ? known->second.dependence : Dependence();
      const Found result =
          combined(augmented->op, augmented->target, own, augmented->value, *other);
      if (!result) return false;
      states_.erase(name->symbol);
      if (!result->is_free()) states_[name->symbol] = {*result, true};
      return true;
    }
    if (const auto* exit = as<Return>(statement)) {
      if (exit->value == nullptr) return true;
      const Found value = dependence(exit->value);
      return value && value->is_free();
    }
    if (const auto* alone = as<ExpressionStatement>(statement)) {
      const Found value = dependence(alone->value);
      return value && value->is_free();
    }
    // Blocks: they neither read nor bind what depends on it.
    bool touches = mentions_any(statement);
    for_each_definition(statement,
                        [&](Symbol symbol) { touches = touches || states_.contains(symbol); });
    return !touches;
  }

  // Whether no other name is bound to the value.
  static bool makes_new(const Expr* value) {
    return is<BinaryOperation>(value) || is<UnaryOperation>(value) ||
           (is<Call>(value) && !is<Attribute>(static_cast<const Call*>(value)->function)) ||
           (is<Call>(value) && among(static_cast<const Call*>(value)->callee.text(),
                                     {"numpy.exp", "numpy.log", "numpy.sum", "numpy.mean"}));
  }

  // --- expressions

  // Whether a name that depends on it is read in a node.
  bool mentions_any(const Node* node) const {
    if (node == nullptr || states_.empty()) return false;
    bool found = false;
    for_each_read(node, [&](Symbol symbol) { found = found || states_.contains(symbol); });
    return found;
  }

  bool is_it(const Expr* value) const {
    return value == extremum_ || (is_same_ && is<Call>(value) && equal(value, extremum_));
  }

  // Whether it stands in an expression, by itself or under a name.
  bool is_in(const Expr* value) const {
    return mentions_any(value) ||
           find_node(value, [&](const Node* node) {
             return is_expression(node->kind) && is_it(static_cast<const Expr*>(node));
           }) != nullptr;
  }

  Found dependence(const Expr* value) {
    if (is_it(value)) {
      occurrences_.push_back(value);
      // What it is the extremum of may depend on an earlier value of it.
      for (const Expr* argument : static_cast<const Call*>(value)->arguments) {
        if (mentions_any(argument)) return std::nullopt;
      }
      if (const Expr* receiver = receiver_of(static_cast<const Call*>(value));
          receiver != nullptr && mentions_any(receiver))
        return std::nullopt;
      return Dependence{.form = Dependence::Form::Shifted,
                        .coefficient = {.number = 1.0, .powers = {}},
                        .shape = own_shape_};
    }
    if (!is_in(value)) return Dependence();
    switch (value->kind) {
      case Kind::Name:
        return states_.at(static_cast<const Name*>(value)->symbol).dependence;
      case Kind::UnaryOperation: {
        const auto* operation = static_cast<const UnaryOperation*>(value);
        Found operand = dependence(operation->operand);
        if (!operand || operand->is_free()) return operand;
        if (operation->op == UnaryOperator::Plus) return operand;
        if (operation->op != UnaryOperator::Minus) return std::nullopt;
        if (operand->form == Dependence::Form::Shifted)
          operand->coefficient = operand->coefficient.times(-1.0);
        return operand;
      }
      case Kind::BinaryOperation: {
        const auto* operation = static_cast<const BinaryOperation*>(value);
        const Found left = dependence(operation->left);
        const Found right = left ? dependence(operation->right) : std::nullopt;
        if (!right) return std::nullopt;
        return combined(operation->op, operation->left, *left, operation->right, *right);
      }
      case Kind::Comparison: {
        // Which way it goes has no derivative.
        const auto* comparison = static_cast<const Comparison*>(value);
        if (!dependence(comparison->left)) return std::nullopt;
        for (const Expr* operand : comparison->comparators) {
          if (!dependence(operand)) return std::nullopt;
        }
        return Dependence();
      }
      case Kind::TupleDisplay:
        return all_free(static_cast<const TupleDisplay*>(value)->elements);
      case Kind::ListDisplay:
        return all_free(static_cast<const ListDisplay*>(value)->elements);
      case Kind::Subscript:
        return of_part(static_cast<const Subscript*>(value));
      case Kind::Call:
        return of_call(static_cast<const Call*>(value));
      default:
        return std::nullopt;
    }
  }

  Found all_free(Exprs values) {
    for (const Expr* value : values) {
      const Found found = dependence(value);
      if (!found || !found->is_free()) return std::nullopt;
    }
    return Dependence();
  }

  // The shape of an operation on a value that depends on it and one that does not.
  std::optional<Shape> beside(Shape shape, const Expr* free) const {
    if (shape == Shape::Number) return shape;
    const Type type = function_.type_of(free);
    if (type.is_number()) return shape;
    if (!type.is_array()) return std::nullopt;
    const auto rank = std::int64_t{0} + type.rank;
    if (rank > rank_) return std::nullopt;
    if (shape != Shape::Reduced) return Shape::Whole;
    if (rank < rank_) return shape;
    return axis_ == 0 ? std::optional(Shape::Whole) : std::nullopt;
  }

  // Of two values that both depend on it.
  std::optional<Shape> both(Shape a, Shape b) const {
    if (a == b) return a;
    if (a == Shape::Number || b == Shape::Number) return std::nullopt;
    if (a != Shape::Reduced && b != Shape::Reduced) return Shape::Whole;
    const Shape other = a == Shape::Reduced ? b : a;
    return axis_ == 0 && other == Shape::Whole ? std::optional(Shape::Whole) : std::nullopt;
  }

  Found combined(BinaryOperator op, const Expr* left_value, Dependence left,
                 const Expr* right_value, Dependence right) const {
    using enum BinaryOperator;
    using enum Dependence::Form;
    if (left.is_free() && right.is_free()) return Dependence();
    Dependence result;
    const std::optional<Shape> shape = left.is_free()    ? beside(right.shape, left_value)
                                       : right.is_free() ? beside(left.shape, right_value)
                                                         : both(left.shape, right.shape);
    if (!shape) return std::nullopt;
    result.shape = *shape;
    const bool one = left.is_free() || right.is_free();
    const auto added = [&](double sign, Dependence::Form form) -> Found {
      result.form = form;
      if (left.is_free()) {
        result.coefficient = right.coefficient.times(sign);
      } else if (right.is_free()) {
        result.coefficient = left.coefficient;
      } else {
        if (left.coefficient.powers != right.coefficient.powers) return std::nullopt;
        result.coefficient = left.coefficient;
        result.coefficient.number += sign * right.coefficient.number;
      }
      return result.coefficient.number == 0.0 ? Dependence() : result;
    };
    if (op == Add || op == Subtract) {
      const double sign = op == Add ? 1.0 : -1.0;
      if (left.form != Scaled && right.form != Scaled) return added(sign, Shifted);
      // exp(c m) (v + w)
      if (one || left.form != right.form || left.coefficient != right.coefficient)
        return std::nullopt;
      result.form = Scaled;
      result.coefficient = left.coefficient;
      return result;
    }
    if (op == MatrixMultiply && !is_a_number()) return std::nullopt;
    if (op != Multiply && op != Divide && op != MatrixMultiply) return std::nullopt;
    if (left.form != Shifted && right.form != Shifted)
      return added(op == Divide ? -1.0 : 1.0, Scaled);
    // A multiple of a sum.
    if (!one || (op == Divide && left.is_free()) || op == MatrixMultiply) return std::nullopt;
    const Dependence& sum = left.is_free() ? right : left;
    const Expr* factor = left.is_free() ? left_value : right_value;
    const int power = op == Divide ? -1 : 1;
    result.form = Shifted;
    if (const std::optional<double> number = literal_of(factor)) {
      if (*number == 0.0) return std::nullopt;
      result.coefficient = sum.coefficient.times(power < 0 ? 1.0 / *number : *number);
      return result;
    }
    if (!stays(factor)) return std::nullopt;
    result.coefficient =
        sum.coefficient.times(std::string(static_cast<const Name*>(factor)->symbol.text()), power);
    return result;
  }

  // A number under a name that the block does not bind.
  bool stays(const Expr* value) const {
    const auto* name = as<Name>(value);
    if (name == nullptr || name->scope != Scope::Local || !function_.type_of(name).is_number())
      return false;
    bool bound = false;
    for (const Stmt* statement : block_)
      for_each_definition(statement,
                          [&](Symbol symbol) { bound = bound || symbol == name->symbol; });
    return !bound;
  }

  // An element or slice; of what is no number only `m[:, None]` and its like, which bring the axis
  // back.
  Found of_part(const Subscript* part) {
    if (is_in(part->index)) {
      // Which element it is has no derivative.
      if (!dependence(part->index)) return std::nullopt;
    }
    Found whole = dependence(part->value);
    if (!whole || whole->is_free()) return whole;
    if (is_a_number()) return whole;
    if (whole->shape != Shape::Reduced) return std::nullopt;
    const auto* tuple = as<TupleDisplay>(part->index);
    if (tuple == nullptr) return std::nullopt;
    std::int64_t position = 0;
    bool found = false;
    for (const Expr* index : tuple->elements) {
      const auto* constant = as<Constant>(index);
      const auto* slice = as<Slice>(index);
      if (constant != nullptr && constant->value.kind == LiteralKind::None && !found) {
        found = true;
        if (position != axis_) return std::nullopt;
      } else if (constant != nullptr && constant->value.kind == LiteralKind::Ellipsis && !found) {
        position = rank_ - 1;
      } else if (slice == nullptr || slice->lower != nullptr || slice->upper != nullptr ||
                 slice->step != nullptr) {
        return std::nullopt;
      } else if (!found) {
        ++position;
      }
    }
    if (!found) return std::nullopt;
    Dependence result = *whole;
    result.shape = Shape::Kept;
    return result;
  }

  Found of_call(const Call* call) {
    const std::string_view callee = call->callee ? call->callee.text() : std::string_view();
    const Rule* rule = call->callee ? rules_.find(callee) : nullptr;
    const Expr* receiver = receiver_of(call);
    std::vector<const Expr*> operands;
    if (receiver != nullptr) operands.push_back(receiver);
    operands.insert(operands.end(), call->arguments.begin(), call->arguments.end());
    if ((rule != nullptr && rule->constant) || callee == "builtins.len") {
      // No derivative goes through it.
      for (const Expr* operand : operands) {
        if (!dependence(operand)) return std::nullopt;
      }
      return Dependence();
    }
    for (const Keyword* keyword : call->keywords) {
      if (is_in(keyword->value)) return std::nullopt;
    }
    if (operands.empty()) return std::nullopt;
    if (among(callee, {"numpy.where"}) && operands.size() == 3) {
      const Found first = dependence(operands[0]);
      Found left = dependence(operands[1]);
      const Found right = dependence(operands[2]);
      if (!first || !left || !right || !is_a_number()) return std::nullopt;
      if (left->form != right->form || left->coefficient != right->coefficient) return std::nullopt;
      return left;
    }
    for (std::size_t k = 1; k < operands.size(); ++k) {
      if (is_in(operands[k])) return std::nullopt;
    }
    Found operand = dependence(operands[0]);
    if (!operand || operand->is_free()) return operand;
    Dependence result = *operand;
    if (among(callee, {"numpy.exp", "math.exp"}) && operands.size() == 1 &&
        call->keywords.empty()) {
      if (operand->form != Dependence::Form::Shifted) return std::nullopt;
      result.form = Dependence::Form::Scaled;
      return result;
    }
    if (among(callee, {"numpy.log", "math.log"}) && operands.size() == 1 &&
        call->keywords.empty()) {
      if (operand->form != Dependence::Form::Scaled) return std::nullopt;
      result.form = Dependence::Form::Shifted;
      return result;
    }
    if (among(callee, {"builtins.float", "numpy.copy", "numpy.asarray"}) && operands.size() == 1 &&
        call->keywords.empty())
      return is_a_number() ? Found(result) : std::nullopt;
    if (among(callee, {"numpy.sum", "numpy.mean"})) {
      if (operand->form != Dependence::Form::Scaled) return std::nullopt;
      const std::optional<Reduction> reduction = reduction_of(call, receiver != nullptr ? 0 : 1);
      if (is_a_number()) return plain_reduction(call) ? Found(result) : std::nullopt;
      if (!reduction || !reduction->axis || *reduction->axis != axis_ ||
          operand->shape == Shape::Reduced)
        return std::nullopt;
      result.shape = reduction->keeps ? Shape::Kept : Shape::Reduced;
      return result;
    }
    return std::nullopt;
  }

  // A sum or mean over some axes, of all elements there.
  static bool plain_reduction(const Call* call) {
    return std::ranges::all_of(call->keywords, [](const Keyword* keyword) {
      return keyword->name && among(keyword->name.text(), {"axis", "keepdims"});
    });
  }

  struct State {
    Dependence dependence;
    bool is_new = false;  // an array that no other name is bound to
  };

  const TypedFunction& function_;
  RuleBook& rules_;
  Block block_;
  const Call* extremum_;
  Shape own_shape_ = Shape::Number;
  std::int64_t rank_ = 0;  // of what it is taken of, and the axis that it takes out
  std::int64_t axis_ = 0;
  bool is_same_ = true;  // an equal call has the same value here
  std::unordered_map<Symbol, State> states_;
  std::vector<const Expr*> occurrences_;
};

class Finder {
 public:
  Finder(const TypedFunction& function, RuleBook& rules) : function_(function), rules_(rules) {}

  std::unordered_set<const Expr*> run() {
    visit(function_.body);
    return std::move(found_);
  }

 private:
  void visit(Block block) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      const Stmt* statement = block[k];
      if (const auto* branch = as<If>(statement)) {
        visit(branch->body);
        visit(branch->orelse);
      } else if (const auto* loop = as<For>(statement)) {
        visit(loop->body);
      } else if (const auto* repeat = as<While>(statement)) {
        visit(repeat->body);
      } else {
        for_each_node(*statement, [&](const Node& node) {
          if (!is_expression(node.kind) || !is_extremum(static_cast<const Expr*>(&node))) return;
          try_out(block, k, static_cast<const Call*>(&node));
        });
      }
    }
  }

  void try_out(Block block, std::size_t start, const Call* extremum) {
    if (found_.contains(extremum)) return;
    Follower follower(function_, rules_, block, extremum);
    const bool cancels = follower.cancels(start, [&](const Stmt* statement, Symbol symbol) {
      return is_live_behind(statement, symbol);
    });
    if (cancels) found_.insert(follower.occurrences().begin(), follower.occurrences().end());
  }

  bool is_live_behind(const Stmt* statement, Symbol symbol) {
    if (!is_solved_) {
      LiveBehind client{variables_, behind_};
      BackwardSolver<LiveBehind>(client).run(function_.body, VariableSet());
      is_solved_ = true;
    }
    const auto state = behind_.find(statement);
    // Behind a block it is not known.
    return state == behind_.end() || state->second.has(variables_.number(symbol));
  }

  const TypedFunction& function_;
  RuleBook& rules_;
  Variables variables_;
  std::unordered_map<const Stmt*, VariableSet> behind_;
  bool is_solved_ = false;
  std::unordered_set<const Expr*> found_;
};

}  // namespace

std::unordered_set<const Expr*> cancelled_extrema(const TypedFunction& function, RuleBook& rules) {
  return Finder(function, rules).run();
}

}  // namespace tangent
