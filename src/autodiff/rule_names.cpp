// Spelling of what rule bodies call; fresh names; see rule_names.h.
#include "autodiff/rule_names.h"

#include <algorithm>

#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {

NamePool::NamePool(Context& context, const CoreFunction& core) : context_(context) {
  for (const Parameter* parameter : core.parameters) taken_.insert(parameter->name);
  for (const GlobalBinding& global : core.globals) taken_.insert(global.printed);
  std::vector<const Node*> stack(core.body.begin(), core.body.end());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (const auto* name = as<Name>(node)) taken_.insert(name->symbol);
    for_each_child(*node, [&](const Node* child) { stack.push_back(child); });
  }
}

namespace {

// "params['R']" is a variable, but no name: "params_R".
std::string as_identifier(std::string_view text) {
  std::string result;
  bool gap = false;
  for (const char c : text) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
    if (fits && gap && c != '_' && !result.empty() && result.back() != '_') result += '_';
    if (fits) result += c;
    gap = !fits;
  }
  return result;
}

}  // namespace

std::string_view last_step(std::string_view text) {
  if (text.ends_with("']")) {
    const std::size_t start = text.rfind("['");
    return text.substr(start + 2, text.size() - start - 4);
  }
  const std::size_t dot = text.rfind('.');
  return dot == std::string_view::npos || text.ends_with("]") ? text : text.substr(dot + 1);
}

Symbol NamePool::fresh(std::string_view wanted) {
  const std::string wish = as_identifier(wanted);
  static constexpr std::string_view kKeywords[] = {
      "and",    "as",   "assert", "async",  "await",  "break",   "class",    "continue",
      "def",    "del",  "elif",   "else",   "except", "finally", "for",      "from",
      "global", "if",   "import", "in",     "is",     "lambda",  "nonlocal", "not",
      "or",     "pass", "raise",  "return", "try",    "while",   "with",     "yield"};
  const Symbol plain = context_.symbol(wish);
  Symbol symbol = plain;
  const bool keyword =
      std::find(std::begin(kKeywords), std::end(kKeywords), wish) != std::end(kKeywords);
  if (keyword || taken_.contains(symbol)) {
    int& number = next_number_.try_emplace(plain, 2).first->second;
    do {
      symbol = context_.symbol(wish + std::to_string(number++));
    } while (taken_.contains(symbol));
  }
  taken_.insert(symbol);
  return symbol;
}

// np.linalg.solve as the emitted text spells NumPy; other modules under a name of the emitted
// namespace.
const Expr* RuleNames::function(const Expr* function) {
  if (const auto* attribute = as<Attribute>(function)) {
    const std::string path = print(attribute);
    if (path.starts_with("scipy.") && std::ranges::count(path, '.') == 1) return module(path);
    return context_.make<Attribute>({}, this->function(attribute->value),
                                    context_.symbol(attribute->attribute.text()));
  }
  const auto* name = as<Name>(function);
  if (name == nullptr) throw InternalError("a rule calls what is no function");
  const std::string_view text = name->symbol.text();
  if (text == "np" || text == "numpy") return context_.global(numpy_);
  if (text.starts_with('_')) return helper(text);
  if (text == "math" || text == "scipy") return module(std::string(text));
  return context_.global(context_.symbol(text));  // a builtin
}

// A module as the user's function spells it; else under a name of its own, which the emitted
// namespace binds: "scipy.special" as `special`.
const Expr* RuleNames::module(const std::string& path) {
  if (const auto known = modules_.find(path); known != modules_.end()) {
    return context_.global(known->second);
  }
  Symbol printed;
  for (const GlobalBinding& global : core_.globals) {
    if (global.thing.kind != ThingKind::Module) continue;
    const std::string_view name = global.thing.qualified_name.text();
    if (name == path) printed = global.printed;
    // `scipy.special` of the user's own `scipy`: the function that the rule replaces was found
    // there.
    if (path.starts_with(std::string(name) + ".") && printed.empty()) {
      return context_.make<Attribute>(
          {}, context_.global(global.printed),
          context_.symbol(std::string_view(path).substr(path.rfind('.') + 1)));
    }
  }
  if (printed.empty()) printed = names_.fresh(std::string_view(path).substr(path.rfind('.') + 1));
  modules_.emplace(path, printed);
  return context_.global(printed);
}

const Expr* RuleNames::helper(std::string_view name) {
  helpers_.insert(std::string(name));
  const Symbol symbol = context_.symbol(name);
  names_.take(symbol);
  return context_.global(symbol);
}

bool RuleNames::reaches_module(const Attribute* attribute) {
  const Expr* root = attribute;
  while (const auto* inner = as<Attribute>(root)) root = inner->value;
  const auto* name = as<Name>(root);
  return name != nullptr && name->scope == Scope::Global;
}

std::vector<std::string> RuleNames::helpers() const { return {helpers_.begin(), helpers_.end()}; }

std::vector<std::pair<std::string, Symbol>> RuleNames::modules() const {
  return {modules_.begin(), modules_.end()};
}

}  // namespace tangent
