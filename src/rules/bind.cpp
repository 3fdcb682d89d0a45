#include "rules/bind.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "syntax/visit.h"

namespace tangent {
namespace {

// The words of rules/README.md that are no functions: tests and forms.
constexpr std::array<std::string_view, 13> kWords = {
    "each",   "full",     "integer", "known", "layers", "literal", "mask",
    "pieces", "positive", "rank",    "ranks", "refuse", "spread",
};

bool is_word(std::string_view name) { return std::ranges::binary_search(kWords, name); }

// "linalg.inv" for the attribute chain np.linalg.inv; nothing if the chain does not start at a
// name. `root` receives the name.
std::optional<std::string> path_of(const Attribute& attribute, Symbol& root) {
  std::string path(attribute.attribute.text());
  const Expr* value = attribute.value;
  while (const auto* inner = as<Attribute>(value)) {
    path.insert(0, ".").insert(0, inner->attribute.text());
    value = inner->value;
  }
  const auto* name = as<Name>(value);
  if (name == nullptr) return std::nullopt;
  root = name->symbol;
  return path;
}

bool has_record(std::string_view name) {
  const auto index = rule_index();
  const auto found = std::ranges::lower_bound(index, name, {}, &RuleSource::name);
  return found != index.end() && found->name == name;
}

std::string_view module_of(std::string_view qualified_name) {
  const std::size_t dot = qualified_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : qualified_name.substr(0, dot);
}

std::string_view last_step_of(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0
}

}  // namespace

BodyBinder::BodyBinder(Context& context, const Rule& rule, std::string_view called)
    : context_(context), module_(module_of(called)) {
  // The builtins' sum or abs is not NumPy's: these two modules replace nothing.
  if (module_ == "numpy" || module_ == "builtins" || module_ == "operator") module_ = {};
  // Of other libraries' arrays all is said in NumPy's words; emit/dialect.h finds theirs.
  for (const std::string_view library : {"jax.", "torch", "tinygrad."}) {
    if (module_.starts_with(library)) module_ = {};
  }
  locals_.insert(context_.symbol("d"));
  locals_.insert(rule.result);
  for (const RuleParameter& parameter : rule.parameters) locals_.insert(parameter.name);
}

Block BodyBinder::block(Block body) {
  std::vector<const Stmt*> statements;
  statements.reserve(body.size());
  for (const Stmt* it : body) statements.push_back(statement(it));
  return context_.list(statements);
}

const Expr* BodyBinder::expression(const Expr* expression) {
  return static_cast<const Expr*>(node(expression));
}

const Stmt* BodyBinder::statement(const Stmt* statement) {
  if (const auto* assign = as<Assign>(statement)) {
    const Expr* value = expression(assign->value);
    if (assign->targets.size() == 1) {
      if (const auto* name = as<Name>(assign->targets[0])) locals_.insert(name->symbol);
      return context_.assign(expression(assign->targets[0]), value, assign->ranges);
    }
  } else if (const auto* branch = as<If>(statement)) {
    const Expr* test = expression(branch->test);
    const Block body = block(branch->body);
    return context_.make<If>(branch->ranges, test, body, block(branch->orelse));
  } else if (is<Pass>(statement)) {
    return statement;
  }
  throw Diagnostic(DiagnosticKind::BadRule,
                   "a rule's body holds assignments to d[…] or a name, and if statements",
                   statement->ranges);
}

const Node* BodyBinder::node(const Node* node) {
  if (const auto* name = as<Name>(node)) {
    return locals_.contains(name->symbol) ? context_.local(name->symbol, name->ranges)
                                          : context_.global(name->symbol, name->ranges);
  }
  if (const auto* attribute = as<Attribute>(node)) {
    if (const Expr* member = module_member(*attribute)) return member;
  } else if (const auto* called = as<Call>(node)) {
    return call(*called);
  }
  return rewrite_children(context_, *node, [&](const Node* child) { return this->node(child); });
}

// `np.cos`, spelled for the module that the record was found in; null if the attribute is not of a
// module. The callee of a call of it is the qualified name that the chain spells.
const Expr* BodyBinder::module_member(const Attribute& attribute) {
  Symbol root;
  const auto path = path_of(attribute, root);
  if (!path || locals_.contains(root)) return nullptr;
  std::string module(root.text());
  std::string_view tail = *path;
  if (!module_.empty() && module == "np") {
    const std::string_view member = last_step_of(tail);
    const std::string_view submodule = module_of(tail);
    const bool fits = submodule.empty() || submodule == last_step_of(module_);
    const bool constant = module_ == "math" && (tail == "pi" || tail == "inf" || tail == "nan");
    if (constant || (fits && has_record(std::string(module_) + "." + std::string(member)))) {
      module = module_;
      tail = member;
    }
  }
  // The chain anew, module part by module part: "scipy.special" is two names.
  const std::string chain = module + "." + std::string(tail);
  const Expr* result = nullptr;
  for (std::size_t start = 0; start < chain.size();) {
    const std::size_t end = std::min(chain.find('.', start), chain.size());
    const Symbol part = context_.symbol(std::string_view(chain).substr(start, end - start));
    result = result == nullptr ? static_cast<const Expr*>(context_.global(part, attribute.ranges))
                               : context_.make<Attribute>(attribute.ranges, result, part);
    start = end + 1;
  }
  return result;
}

const Expr* BodyBinder::call(const Call& call) {
  std::string callee;
  const Expr* function = nullptr;
  if (const auto* name = as<Name>(call.function)) {
    const std::string_view text = name->symbol.text();
    const std::string_view module = is_word(text)           ? "rule."
                                    : text.starts_with('_') ? "tangent.runtime."
                                                            : "builtins.";
    callee = std::string(module) + std::string(text);
    function = context_.global(name->symbol, name->ranges);
  } else if (const auto* attribute = as<Attribute>(call.function)) {
    function = module_member(*attribute);
    if (const auto* member = as<Attribute>(function)) {
      Symbol root;
      const std::string path = *path_of(*member, root);
      callee = (root.text() == "np" ? std::string("numpy") : std::string(root.text())) + "." + path;
    }
  }
  if (function == nullptr) {
    throw Diagnostic(DiagnosticKind::BadRule,
                     "a rule's body calls functions of modules, builtins and helpers only",
                     call.ranges);
  }
  std::vector<const Expr*> arguments;
  for (const Expr* argument : call.arguments) arguments.push_back(expression(argument));
  std::vector<const Keyword*> keywords;
  for (const Keyword* keyword : call.keywords) {
    keywords.push_back(
        context_.make<Keyword>(keyword->ranges, keyword->name, expression(keyword->value)));
  }
  return context_.make<Call>(call.ranges, function, context_.symbol(callee),
                             context_.list(arguments), context_.list(keywords));
}

// ---------------------------------------------------------------------------------------------------

Symbol derivative_of(const Expr* expression) {
  const auto* subscript = as<Subscript>(expression);
  if (subscript == nullptr) return {};
  const auto* table = as<Name>(subscript->value);
  const auto* name = as<Name>(subscript->index);
  return table != nullptr && name != nullptr && table->symbol.text() == "d" ? name->symbol
                                                                            : Symbol();
}

namespace {

bool reads_derivative(const Node* node) {
  return find_node(node, [](const Node* part) {
           const auto* subscript = as<Subscript>(part);
           return subscript != nullptr && derivative_of(subscript);
         }) != nullptr;
}

// d[y], times or divided by what holds no d.
bool is_partial(const Expr* expression, Symbol result) {
  if (derivative_of(expression) == result) return true;
  if (const auto* binary = as<BinaryOperation>(expression)) {
    const bool left = reads_derivative(binary->left);
    const bool right = reads_derivative(binary->right);
    if (left && right) return false;
    if (binary->op == BinaryOperator::Multiply) {
      return is_partial(left ? binary->left : binary->right, result);
    }
    return binary->op == BinaryOperator::Divide && left && is_partial(binary->left, result);
  }
  if (const auto* unary = as<UnaryOperation>(expression)) {
    return unary->op == UnaryOperator::Minus && is_partial(unary->operand, result);
  }
  if (const auto* call = as<Call>(expression)) {
    return call->callee.text() == "rule.mask" && call->arguments.size() == 2 &&
           !reads_derivative(call->arguments[0]) && is_partial(call->arguments[1], result);
  }
  const auto* zero = as<Constant>(expression);
  return zero != nullptr && zero->value.kind == LiteralKind::Integer && zero->value.integer == 0;
}

}  // namespace

bool is_elementwise_body(Block body, Symbol result) {
  return std::ranges::all_of(body, [&](const Stmt* statement) {
    if (const auto* assign = as<Assign>(statement)) {
      return derivative_of(assign->targets[0]) ? is_partial(assign->value, result)
                                               : !reads_derivative(assign->value);
    }
    const auto* branch = as<If>(statement);
    return branch == nullptr || (is_elementwise_body(branch->body, result) &&
                                 is_elementwise_body(branch->orelse, result));
  });
}

bool reads_parts(Block body, Symbol result) {
  bool found = false;
  const std::function<void(const Node*)> look = [&](const Node* node) {
    const auto* subscript = as<Subscript>(node);
    found = found || (subscript != nullptr && derivative_of(subscript->value) == result);
    if (!found) for_each_child(*node, look);
  };
  for (const Stmt* statement : body) look(statement);
  return found;
}

void for_each_target(Block body, const std::function<void(Symbol)>& f) {
  for (const Stmt* statement : body) {
    if (const auto* assign = as<Assign>(statement)) {
      if (const Symbol target = derivative_of(assign->targets[0])) f(target);
    } else if (const auto* branch = as<If>(statement)) {
      for_each_target(branch->body, f);
      for_each_target(branch->orelse, f);
    }
  }
}

}  // namespace tangent
