// The fence (fence.h).
#include "lower/fence.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "lower/checkpoints.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

[[noreturn]] void refuse(const Node& node, std::string message, std::string remedy,
                         DiagnosticKind kind = DiagnosticKind::UnsupportedSyntax) {
  throw Diagnostic(kind, std::move(message), node.ranges, std::move(remedy));
}

std::string in_quotes(const Node& node) { return "`" + print(&node) + "`"; }

// An element or slice that is stored into: of a variable of the function.
void check_place(const Expr* place) {
  const Expr* root = place;
  while (const auto* subscript = as<Subscript>(root)) root = subscript->value;
  if (is<Name>(root) || is<Attribute>(root)) return;
  const auto* call = as<Call>(root);
  const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
  if (method != nullptr && is<Name>(method->value) &&
      (method->attribute.text() == "reshape" || method->attribute.text() == "ravel"))
    return;
  refuse(*place, "writing the element " + in_quotes(*place) + " in place is not supported yet",
         "give the array a name of its own first", DiagnosticKind::WriteInPlace);
}

// A target of an assignment, loop or walrus.
void check_target(const Expr* target) {
  switch (target->kind) {
    case Kind::Name:
      return;
    case Kind::TupleDisplay:
      for (const Expr* e : static_cast<const TupleDisplay&>(*target).elements) check_target(e);
      return;
    case Kind::ListDisplay:
      for (const Expr* e : static_cast<const ListDisplay&>(*target).elements) check_target(e);
      return;
    case Kind::Starred:
      return check_target(static_cast<const Starred&>(*target).value);
    case Kind::Subscript:
      return check_place(target);
    case Kind::Attribute:  // of which object shows when it is lowered
      return;
    default:
      refuse(*target, "the target " + in_quotes(*target) + " is not supported", "assign to a name");
  }
}

// {**{'b': y}}: the entries may as well be written out.
bool spreads_displays(const Dictionary& it) {
  for (std::size_t k = 0; k < it.keys.size(); ++k) {
    if (it.keys[k] == nullptr && as<Dictionary>(it.values[k]) == nullptr) return false;
  }
  return true;
}

class Fence {
 public:
  void block(Block statements) {
    push_reversed(statements);
    while (!stack_.empty()) {
      const Node* node = stack_.back();
      stack_.pop_back();
      visit(*node);
    }
  }

 private:
  template <class T>
  void push_reversed(List<const T*> nodes) {
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
      if (*it != nullptr) stack_.push_back(*it);
    }
  }

  void push(std::initializer_list<const Node*> nodes) {
    for (auto it = std::rbegin(nodes); it != std::rend(nodes); ++it) {
      if (*it != nullptr) stack_.push_back(*it);
    }
  }

  void push_children(const Node& node) {
    const std::size_t start = stack_.size();
    for_each_child(node, [&](const Node* child) { stack_.push_back(child); });
    std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(start), stack_.end());
  }

  // The indices of the elements that are stored into are read.
  void push_indices(const Expr* target) {
    if (is<Subscript>(target)) return push({target});
    const auto* tuple = as<TupleDisplay>(target);
    const auto* list = as<ListDisplay>(target);
    if (tuple != nullptr) {
      for (const Expr* element : tuple->elements) push_indices(element);
    } else if (list != nullptr) {
      for (const Expr* element : list->elements) push_indices(element);
    }
  }

  void visit(const Node& node) {
    switch (node.kind) {
      case Kind::Await:
        refuse(node, "`await` is not supported", "differentiate a plain function");
      case Kind::Yield:
        refuse(node, "this `yield` is not supported: only `yield value` as a statement is",
               "add up or stack the values in a loop, and return the result");
      case Kind::ExpressionStatement: {
        const auto* yield = as<Yield>(static_cast<const ExpressionStatement&>(node).value);
        if (yield != nullptr && yield->value != nullptr && !yield->from)
          return push({yield->value});
        return push_children(node);
      }
      case Kind::Comprehension: {
        const auto& it = static_cast<const Comprehension&>(node);
        for (const Generator* generator : it.generators) check_target(generator->target);
        return push_children(node);
      }
      case Kind::Dictionary:
        for (const Expr* key : static_cast<const Dictionary&>(node).keys) {
          if (key != nullptr || spreads_displays(static_cast<const Dictionary&>(node))) continue;
          refuse(node, "`**` in a dict display is not supported yet", "write the entries out");
        }
        return push_children(node);
      case Kind::Starred:  // of a display; those of calls and targets are not come by here
        return push({static_cast<const Starred&>(node).value});
      case Kind::Call:
        return call(static_cast<const Call&>(node));
      case Kind::Assign:
        for (const Expr* target : static_cast<const Assign&>(node).targets) {
          check_target(target);
          push_indices(target);
        }
        return push({static_cast<const Assign&>(node).value});
      case Kind::AugmentedAssign: {
        const auto& assign = static_cast<const AugmentedAssign&>(node);
        check_target(assign.target);
        push_indices(assign.target);
        return push({assign.value});
      }
      case Kind::AnnotatedAssign: {
        const auto& assign = static_cast<const AnnotatedAssign&>(node);
        if (assign.value == nullptr) return;  // declares, does nothing
        check_target(assign.target);
        push_indices(assign.target);
        return push({assign.value});
      }
      case Kind::NamedExpression:
        check_target(static_cast<const NamedExpression&>(node).target);
        return push({static_cast<const NamedExpression&>(node).value});
      case Kind::For: {
        const auto& loop = static_cast<const For&>(node);
        if (loop.is_async) refuse_async(node, "`async for`");
        check_target(loop.target);
        push_indices(loop.target);
        push_reversed(loop.orelse);
        push_reversed(loop.body);
        return push({loop.iterable});
      }
      case Kind::FunctionDefinition:
        return nested(static_cast<const FunctionDefinition&>(node));
      case Kind::ClassDefinition:
        refuse(node, "a class inside a function is not supported yet",
               "use local names and functions instead");
      case Kind::Global:
        return;
      case Kind::Match: {  // its patterns are for desugar.h
        const auto& match = static_cast<const Match&>(node);
        for (auto it = match.cases.rbegin(); it != match.cases.rend(); ++it) {
          push_reversed((*it)->body);
          push({(*it)->guard});
        }
        return push({match.subject});
      }
      case Kind::Try:
        return guarded(static_cast<const Try&>(node));
      case Kind::With: {
        const auto& with = static_cast<const With&>(node);
        if (with.is_async) refuse_async(node, "`async with`");
        if (may_be_checkpoint(with)) return push_reversed(with.body);
        push_reversed(with.body);
        for (const WithItem* item : with.items) {
          if (item->target != nullptr) check_target(item->target);
          push({item->context});
        }
        return;
      }
      case Kind::Delete:
        for (const Expr* target : static_cast<const Delete&>(node).targets) {
          if (is<Name>(target)) continue;
          if (const auto* place = as<Subscript>(target)) {
            check_place(place);
            push_indices(place);
            continue;
          }
          refuse(*target, "`del " + print(target) + "` is not supported yet",
                 "build a new value without it instead", DiagnosticKind::WriteInPlace);
        }
        return;
      case Kind::Pop:
      case Kind::Push:
      case Kind::Comment:
        throw InternalError("a node of the core program in the user's tree");
      default:
        push_children(node);
    }
  }

  void guarded(const Try& it) {
    if (it.is_star)
      refuse(it, "`except*` is not supported", "catch the exceptions one by one with `except`");
    push_reversed(it.finalbody);
    push_reversed(it.orelse);
    for (auto handler = it.handlers.rbegin(); handler != it.handlers.rend(); ++handler)
      push_reversed((*handler)->body);
    push_reversed(it.body);
  }

  [[noreturn]] static void refuse_async(const Node& node, const std::string& what) {
    refuse(node, what + " is not supported", "differentiate a plain function");
  }

  // *(…) and **{…} in a call are settled when the call is lowered.
  void call(const Call& it) {
    for (auto keyword = it.keywords.rbegin(); keyword != it.keywords.rend(); ++keyword) {
      const auto* dictionary = as<Dictionary>((*keyword)->value);
      if ((*keyword)->name || dictionary == nullptr) {
        stack_.push_back((*keyword)->value);
      } else {
        push_reversed(dictionary->values);
      }
    }
    for (auto argument = it.arguments.rbegin(); argument != it.arguments.rend(); ++argument) {
      const auto* starred = as<Starred>(*argument);
      stack_.push_back(starred != nullptr ? starred->value : *argument);
    }
    stack_.push_back(it.function);
  }

  void nested(const FunctionDefinition& it) {
    if (it.is_async) refuse_async(it, "an `async` function");
    if (!it.decorators.empty()) {
      refuse(*it.decorators[0], "a decorator on a function inside a function is not supported yet",
             "define the function at the top of the module");
    }
    push_reversed(it.body);
    for (auto parameter = it.parameters.rbegin(); parameter != it.parameters.rend(); ++parameter) {
      if ((*parameter)->default_value != nullptr) stack_.push_back((*parameter)->default_value);
    }
  }

  std::vector<const Node*> stack_;
};

}  // namespace

const Expr* find_yield(Block body) {
  std::vector<const Node*> stack(body.rbegin(), body.rend());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (is<Yield>(node)) return static_cast<const Expr*>(node);
    if (is<FunctionDefinition>(node) || is<Lambda>(node) || is<ClassDefinition>(node)) continue;
    const std::size_t start = stack.size();
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(start), stack.end());
  }
  return nullptr;
}

void refuse_unsupported(const FunctionDefinition& definition, bool is_called) {
  if (definition.is_async) {
    refuse(definition, "an `async` function cannot be differentiated",
           "differentiate a plain function");
  }
  if (const Expr* yield = is_called ? nullptr : find_yield(definition.body)) {
    refuse(*yield, "`yield` is not supported: generators cannot be differentiated",
           "add up or stack the values in a loop, and return the result");
  }
  refuse_unsupported(definition.body);
}

void refuse_unsupported(Block body) { Fence().block(body); }

}  // namespace tangent::lowering
