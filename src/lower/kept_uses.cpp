// Whether references to kept objects (kept_objects.cpp) are used for nothing but what objects are
// used for. To later steps they are numbers: adding two, or returning one, would be silently wrong.
//
// In: the core statements of a function as they were emitted. Out: nothing, or a diagnostic.
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// What may stand in a place: no object, what holds objects, or an object itself, too.
enum class Allowed : std::uint8_t { Plain, Containers, All };

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

class Lowering::ReferenceUses {
 public:
  explicit ReferenceUses(Lowering& lowering) : lowering_(lowering) {}

  void block(std::span<const Stmt* const> statements) {
    for (const Stmt* it : statements) statement(*it);
  }

 private:
  void statement(const Stmt& it) {
    place_ = it.ranges;
    if (const auto* assign = as<Assign>(&it)) {
      expression(assign->value, Allowed::All);
      for (const Expr* target : assign->targets) this->target(target);
    } else if (const auto* augmented = as<AugmentedAssign>(&it)) {
      const Holding added = lowering_.holding_of(augmented->value);
      const Holding before = lowering_.holding_of(augmented->target);
      if (added.has_reference() && augmented->op == BinaryOperator::Add)
        lowering_.put_into(augmented->target, item_of(added), it.ranges);
      const bool lists = before.form == Holding::Form::Items || !before.has_reference();
      if (!lists) refuse(augmented->target);
      expression(augmented->value, Allowed::Containers);
      target(augmented->target);
    } else if (const auto* loop = as<For>(&it)) {
      expression(loop->iterable, Allowed::Containers);
      block(loop->body);
      block(loop->orelse);
    } else if (const auto* branch = as<If>(&it)) {
      expression(branch->test, Allowed::Containers);
      block(branch->body);
      block(branch->orelse);
    } else if (const auto* repeat = as<While>(&it)) {
      expression(repeat->test, Allowed::Containers);
      block(repeat->body);
      block(repeat->orelse);
    } else if (const auto* alone = as<ExpressionStatement>(&it)) {
      expression(alone->value, Allowed::All);
    } else {
      for_each_child(it, [&](const Node* child) {
        if (is_expression(child->kind)) {
          expression(static_cast<const Expr*>(child), Allowed::Plain);
        } else if (is_statement(child->kind)) {
          statement(static_cast<const Stmt&>(*child));
        }
      });
    }
  }

  void target(const Expr* it) {
    if (const auto* subscript = as<Subscript>(it)) {
      expression(subscript->value, Allowed::Containers);
      index(subscript->index);
    }
  }

  // A reference as an index: its place in a column, or a key of a dict.
  void index(const Expr* it) {
    if (const auto* slice = as<Slice>(it)) {
      for (const Expr* bound : {slice->lower, slice->upper, slice->step})
        if (bound != nullptr) expression(bound, Allowed::Plain);
    } else {
      expression(it, Allowed::All);
    }
  }

  void all(Exprs elements, Allowed allowed) {
    for (const Expr* element : elements)
      if (element != nullptr) expression(element, allowed);
  }

  [[noreturn]] void refuse(const Expr* it) {
    throw Diagnostic(DiagnosticKind::UnsupportedSyntax,
                     "`" + std::string(print(it)) +
                         "`, an object or what holds objects, is used as a whole here, which is "
                         "not supported yet",
                     it->ranges.empty() ? place_ : it->ranges, "use its attributes");
  }

  void expression(const Expr* it, Allowed allowed) {
    if (allowed != Allowed::All) {
      const Holding holding = lowering_.holding_of(it);
      const bool fits = !holding.has_reference() || (allowed == Allowed::Containers &&
                                                     holding.form != Holding::Form::Reference);
      if (!fits) refuse(it);
    }
    switch (it->kind) {
      case Kind::Name:
      case Kind::Constant:
        return;
      case Kind::Subscript: {
        const auto* subscript = static_cast<const Subscript*>(it);
        expression(subscript->value, Allowed::Containers);
        return index(subscript->index);
      }
      case Kind::TupleDisplay:
        return all(static_cast<const TupleDisplay*>(it)->elements, Allowed::All);
      case Kind::ListDisplay:
        return all(static_cast<const ListDisplay*>(it)->elements, Allowed::All);
      case Kind::Dictionary:
        all(static_cast<const Dictionary*>(it)->keys, Allowed::All);
        return all(static_cast<const Dictionary*>(it)->values, Allowed::All);
      case Kind::Conditional: {
        const auto* choice = static_cast<const Conditional*>(it);
        expression(choice->test, Allowed::Containers);
        expression(choice->body, Allowed::All);
        return expression(choice->orelse, Allowed::All);
      }
      case Kind::BinaryOperation: {
        // A sum of many terms leans to the left.
        const Expr* left = it;
        while (const auto* operation = as<BinaryOperation>(left)) {
          expression(operation->right, Allowed::Containers);
          left = operation->left;
        }
        return expression(left, Allowed::Containers);
      }
      case Kind::BooleanOperation:
        return all(static_cast<const BooleanOperation*>(it)->values, Allowed::Containers);
      case Kind::UnaryOperation: {
        const auto* operation = static_cast<const UnaryOperation*>(it);
        return expression(operation->operand, operation->op == UnaryOperator::Not
                                                  ? Allowed::Containers
                                                  : Allowed::Plain);
      }
      case Kind::Comparison:
        return comparison(static_cast<const Comparison&>(*it));
      case Kind::Call:
        return call(static_cast<const Call&>(*it));
      default:
        for_each_child(*it, [&](const Node* child) {
          if (is_expression(child->kind))
            expression(static_cast<const Expr*>(child), Allowed::Plain);
        });
    }
  }

  // Those of references that lowering wrote: of two places, or of one among others.
  void comparison(const Comparison& it) {
    const bool one = it.ops.size() == 1;
    const bool equality = one && (it.ops[0] == ComparisonOperator::Equal ||
                                  it.ops[0] == ComparisonOperator::NotEqual);
    const bool among =
        one && (it.ops[0] == ComparisonOperator::In || it.ops[0] == ComparisonOperator::NotIn);
    const Holding left = lowering_.holding_of(it.left);
    const auto fits = [](const Holding& side) {
      return !side.has_reference() || side.form == Holding::Form::Reference;
    };
    expression(it.left, (equality || among) && fits(left) ? Allowed::All : Allowed::Plain);
    for (const Expr* right : it.comparators) {
      const bool good = equality && fits(lowering_.holding_of(right));
      expression(right, good ? Allowed::All : among ? Allowed::Containers : Allowed::Plain);
    }
  }

  void call(const Call& it) {
    Allowed arguments = Allowed::Plain;
    if (const auto* method = as<Attribute>(it.function); method != nullptr && it.callee.empty()) {
      const std::string_view name = method->attribute.text();
      const Holding whole = lowering_.holding_of(method->value);
      const bool reads = is_one_of(name, {"pop", "popleft", "copy", "get", "values", "items",
                                          "keys", "index", "count", "append"});
      // None for a key that is missing would be no place.
      if (name == "get" && whole.has_reference() &&
          (it.arguments.size() != 2 || !lowering_.holding_of(it.arguments[1]).has_reference()))
        refuse(&it);
      if (name == "get" && whole.has_reference()) arguments = Allowed::All;
      expression(method->value, reads ? Allowed::Containers : Allowed::Plain);
      if (is_one_of(name, {"append", "index", "count"}) && whole.has_reference())
        arguments = Allowed::All;
    } else if (it.callee.text().starts_with("builtins.")) {
      const std::string_view name = it.callee.text().substr(9);
      if (is_one_of(name, {"len", "list", "tuple", "enumerate", "zip", "reversed", "dict", "bool"}))
        arguments = Allowed::Containers;
    } else if (!is<Name>(it.function)) {
      for_each_child(*it.function, [&](const Node* child) {
        if (is_expression(child->kind)) expression(static_cast<const Expr*>(child), Allowed::Plain);
      });
    }
    all(it.arguments, arguments);
    for (const Keyword* keyword : it.keywords) expression(keyword->value, Allowed::Plain);
  }

  Lowering& lowering_;
  Ranges place_;
};

void Lowering::check_references(const Statements& statements) {
  ReferenceUses(*this).block(statements);
}

}  // namespace tangent::lowering
