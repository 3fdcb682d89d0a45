// A gradient in the words of its arrays' library; see dialect.h.
#include "emit/dialect.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

// Functions that torch has under NumPy's name and that take the same arguments.
constexpr auto kTorchFunctions = std::to_array<std::string_view>({
    "abs",    "arctan",      "broadcast_to", "cos",      "cosh",       "cumsum",    "exp",
    "exp2",   "expm1",       "flip",         "isfinite", "isnan",      "kron",      "log",
    "log1p",  "logical_not", "matmul",       "mean",     "moveaxis",   "negative",  "outer",
    "ravel",  "reshape",     "roll",         "sign",     "sin",        "sinh",      "sqrt",
    "square", "sum",         "swapaxes",     "tan",      "tanh",       "tensordot", "tile",
    "tril",   "triu",        "trunc",        "where",    "zeros_like",
});
// Methods that tinygrad's tensors have under NumPy's name.
constexpr auto kTinygradMethods = std::to_array<std::string_view>({
    "abs",         "cos",  "cosh",   "exp",     "exp2",  "isfinite",   "isnan", "log",
    "logical_not", "mean", "matmul", "reshape", "sign",  "sin",        "sinh",  "sqrt",
    "square",      "sum",  "tan",    "tanh",    "trunc", "zeros_like",
});
// Functions of `math` that are JAX's under another name, or the same where it is empty.
constexpr auto kMathFunctions = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"acos", "arccos"}, {"acosh", "arccosh"}, {"asin", "arcsin"},   {"asinh", "arcsinh"},
    {"atan", "arctan"}, {"atan2", "arctan2"}, {"atanh", "arctanh"}, {"cbrt", ""},
    {"copysign", ""},   {"cos", ""},          {"cosh", ""},         {"degrees", ""},
    {"exp", ""},        {"exp2", ""},         {"expm1", ""},        {"fabs", ""},
    {"fmod", ""},       {"hypot", ""},        {"isfinite", ""},     {"isinf", ""},
    {"isnan", ""},      {"log10", ""},        {"log1p", ""},        {"log2", ""},
    {"pow", "power"},   {"radians", ""},      {"sin", ""},          {"sinh", ""},
    {"sqrt", ""},       {"tan", ""},          {"tanh", ""},
});

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_store(const Node* node) {
  if (const auto* assign = as<Assign>(node)) return is<Subscript>(assign->targets[0]);
  if (const auto* update = as<AugmentedAssign>(node)) return is<Subscript>(update->target);
  const auto* call = as<Call>(node);
  return call != nullptr && call->callee.text() == "numpy.add.at";
}

// The global name that a chain of attributes starts at, and the chain as text; null if it does not.
const Name* root_of(const Expr* expression, std::string& path) {
  path.clear();
  while (const auto* attribute = as<Attribute>(expression)) {
    path = std::string(attribute->attribute.text()) + (path.empty() ? "" : "." + path);
    expression = attribute->value;
  }
  const auto* name = as<Name>(expression);
  return name != nullptr && name->scope == Scope::Global ? name : nullptr;
}

class Speller {
 public:
  Speller(Block body, const CoreFunction& core, const DialectNames& names, Typing& typing,
          Context& context)
      : core_(core), names_(names), typing_(typing), context_(context) {
    for (const Stmt* statement : body) {
      for_each_node(*statement, [&](const Node& node) {
        const auto* assign = as<Assign>(&node);
        const auto* name = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
        if (name != nullptr && makes_list(assign->value)) lists_.insert(name->symbol);
        if (const auto* loop = as<For>(&node)) {
          for_each_node(*loop->target, [&](const Node& part) {
            if (const auto* item = as<Name>(&part)) items_.insert(item->symbol);
          });
        }
        stores_ = stores_ || is_store(&node);
      });
    }
  }

  Block block(Block body) {
    std::vector<const Stmt*> out;
    for (const Stmt* statement : body) {
      spell_statement(statement, out);
    }
    return context_.list(out);
  }

 private:
  [[nodiscard]] Library library() const { return core_.library; }
  // JAX's and tinygrad's arrays are never changed.
  [[nodiscard]] bool is_functional() const { return library() != Library::Torch; }

  bool makes_list(const Expr* value) const {
    if (is<ListDisplay>(value) || is<Comprehension>(value)) return true;
    if (const auto* product = as<BinaryOperation>(value))
      return makes_list(product->left) || makes_list(product->right);
    const auto* call = as<Call>(value);
    if (call == nullptr) return false;
    const std::string_view callee = call->callee.text();
    return callee == "builtins.list" || callee == "builtins.sorted" || callee.ends_with("_items");
  }

  bool is_array(const Expr* value) { return typing_.of(value).is_array(); }

  // ---------------------------------------------------------------------------------------------
  // Statements

  void spell_statement(const Stmt* statement, std::vector<const Stmt*>& out) {
    if (const auto* function = as<FunctionDefinition>(statement)) {
      out.push_back(context_.make<FunctionDefinition>(
          function->ranges, function->name, function->parameters, block(function->body),
          function->decorators, function->returns, function->is_async));
      return;
    }
    if (const auto* assign = as<Assign>(statement)) {
      const auto* place = assign->targets.size() == 1 ? as<Subscript>(assign->targets[0]) : nullptr;
      if (place != nullptr && is_functional() && is_stored_array(place->value)) {
        put(store(place, "set", spell(assign->value), statement->ranges), out);
        return;
      }
    }
    if (const auto* augmented = as<AugmentedAssign>(statement)) {
      if (spell_update(augmented, out)) return;
    }
    if (const Stmt* copied = copy_of_element(statement)) {
      out.push_back(copied);
      return;
    }
    if (const auto* expression = as<ExpressionStatement>(statement)) {
      const auto* call = as<Call>(expression->value);
      if (call != nullptr && call->callee.text() == "numpy.add.at" && call->arguments.size() == 3) {
        const Expr* value = spell(call->arguments[2]);
        if (is_functional()) {
          const auto* place =
              context_.make<Subscript>(Ranges(), call->arguments[0], call->arguments[1]);
          put(store(place, "add", value, statement->ranges), out);
        } else {
          out.push_back(context_.make<ExpressionStatement>(
              statement->ranges,
              own("add_at", {spell(call->arguments[0]), spell(call->arguments[1]), value})));
        }
        return;
      }
    }
    const Stmt* now = with_blocks(context_, statement, [&](Block inner) { return block(inner); });
    const bool has_blocks = is<If>(now) || is<For>(now) || is<While>(now);
    if (!has_blocks) {
      out.push_back(static_cast<const Stmt*>(
          rewrite_children(context_, *now, [&](const Node* child) { return spell_node(child); })));
      return;
    }
    // The blocks are done: what is left are the test, the target, the iterable.
    if (const auto* branch = as<If>(now)) {
      out.push_back(
          context_.make<If>(now->ranges, spell(branch->test), branch->body, branch->orelse));
    } else if (const auto* loop = as<For>(now)) {
      out.push_back(context_.make<For>(now->ranges, loop->target, spell(loop->iterable), loop->body,
                                       loop->orelse, loop->is_async));
    } else {
      const auto* loop_while = static_cast<const While*>(now);
      out.push_back(context_.make<While>(now->ranges, spell(loop_while->test), loop_while->body,
                                         loop_while->orelse));
    }
  }

  // Whether a place holds an array, not a list or a dict.
  bool is_stored_array(const Expr* place) {
    const auto* name = as<Name>(place);
    if (name != nullptr && lists_.contains(name->symbol)) return false;
    const Type type = typing_.of(place);
    return type.kind != TypeKind::List && type.kind != TypeKind::Dict &&
           type.kind != TypeKind::Tuple;
  }

  bool spell_update(const AugmentedAssign* update, std::vector<const Stmt*>& out) {
    if (const auto* place = as<Subscript>(update->target)) {
      if (!is_functional() || !is_stored_array(place->value)) return false;
      const Expr* value = spell(update->value);
      switch (update->op) {
        case BinaryOperator::Add:
          put(store(place, "add", value, update->ranges), out);
          return true;
        case BinaryOperator::Subtract:
          put(store(place, "add", negative(value), update->ranges), out);
          return true;
        case BinaryOperator::Multiply:
          put(store(place, "multiply", value, update->ranges), out);
          return true;
        default:
          break;
      }
      const Expr* before =
          context_.make<Subscript>(Ranges(), spell(place->value), spell(place->index));
      put(store(place, "set", context_.make<BinaryOperation>(Ranges(), update->op, before, value),
                update->ranges),
          out);
      return true;
    }
    // `b *= 2` of a tensor without axes would change what other names stand for.
    const auto* name = as<Name>(update->target);
    const Type type = name != nullptr ? typing_.of(name) : Type();
    const bool may_share = library() == Library::Tinygrad ||
                           (library() == Library::Torch && !(type.is_array() && type.rank != 0));
    if (name == nullptr || !may_share || type.kind == TypeKind::List) return false;
    out.push_back(context_.assign(
        name,
        context_.make<BinaryOperation>(Ranges(), update->op, static_cast<const Expr*>(name),
                                       spell(update->value)),
        update->ranges));
    return true;
  }

  const Expr* negative(const Expr* value) {
    if (const auto* minus = as<UnaryOperation>(value);
        minus != nullptr && minus->op == UnaryOperator::Minus)
      return minus->operand;
    return context_.make<UnaryOperation>(Ranges(), UnaryOperator::Minus, value);
  }

  // What is kept of a tensor that is stored into is a copy: an element is a view there.
  const Stmt* copy_of_element(const Stmt* statement) {
    if (library() != Library::Torch || !stores_) return nullptr;
    const auto cloned = [&](const Expr* element) {
      return context_.make<Call>(Ranges(),
                                 static_cast<const Expr*>(context_.make<Attribute>(
                                     Ranges(), spell(element), context_.symbol("clone"))),
                                 context_.symbol("numpy.copy"), Exprs(), List<const Keyword*>());
    };
    if (const auto* assign = as<Assign>(statement)) {
      if (!is<Name>(assign->targets[0]) || !is_element(assign->value)) return nullptr;
      return context_.make<Assign>(statement->ranges, assign->targets, cloned(assign->value));
    }
    const auto* expression = as<ExpressionStatement>(statement);
    const auto* call = expression != nullptr ? as<Call>(expression->value) : nullptr;
    const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
    if (method == nullptr || method->attribute.text() != "append" || call->arguments.size() != 1)
      return nullptr;
    std::vector<const Expr*> kept;
    if (const auto* tuple = as<TupleDisplay>(call->arguments[0])) {
      std::vector<const Expr*> parts;
      for (const Expr* part : tuple->elements)
        parts.push_back(is_element(part) ? cloned(part) : spell(part));
      kept.push_back(context_.make<TupleDisplay>(Ranges(), Exprs(context_.list(parts))));
    } else if (is_element(call->arguments[0])) {
      kept.push_back(cloned(call->arguments[0]));
    } else {
      return nullptr;
    }
    return context_.make<ExpressionStatement>(
        statement->ranges,
        static_cast<const Expr*>(context_.make<Call>(call->ranges, call->function, call->callee,
                                                     context_.list(kept), call->keywords)));
  }

  // A read of an array's element; a list has its own.
  bool is_element(const Expr* value) {
    const auto* read = as<Subscript>(value);
    return read != nullptr && is_stored_array(read->value) &&
           typing_.of(read->value).kind != TypeKind::String;
  }

  // A store behind the copy that it is made in: `y = x.at[i].set(v)`.
  void put(const Stmt* stored, std::vector<const Stmt*>& out) {
    const auto* now = as<Assign>(stored);
    const auto* name = as<Name>(now->targets[0]);
    const auto* before = out.empty() ? nullptr : as<Assign>(out.back());
    const auto* copied = before != nullptr ? as<Call>(before->value) : nullptr;
    const auto* held = before != nullptr ? as<Name>(before->targets[0]) : nullptr;
    const auto* call = as<Call>(now->value);
    const bool copies = name != nullptr && held != nullptr && held->symbol == name->symbol &&
                        copied != nullptr && copied->callee.text() == "numpy.copy" &&
                        library() == Library::Jax && call != nullptr;
    int reads = 0;
    for_each_node(*now->value, [&](const Node& node) {
      const auto* read = as<Name>(&node);
      if (name != nullptr && read != nullptr && read->symbol == name->symbol) ++reads;
    });
    if (!copies || reads != 1) {
      out.push_back(stored);
      return;
    }
    const auto* method = as<Attribute>(copied->function);
    const Expr* base = copied->arguments.empty() ? method->value : copied->arguments[0];
    const auto* op = as<Attribute>(call->function);
    const auto* there = op != nullptr ? as<Subscript>(op->value) : nullptr;
    const auto* at = there != nullptr ? as<Attribute>(there->value) : nullptr;
    if (at == nullptr || !is<Name>(at->value) || mentions_name(base, name->symbol)) {
      out.push_back(stored);
      return;
    }
    const Expr* place = context_.make<Subscript>(
        Ranges(), static_cast<const Expr*>(context_.make<Attribute>(Ranges(), base, at->attribute)),
        there->index);
    out.back() = context_.assign(
        name,
        context_.make<Call>(
            call->ranges,
            static_cast<const Expr*>(context_.make<Attribute>(Ranges(), place, op->attribute)),
            Symbol(), call->arguments, call->keywords),
        stored->ranges);
  }

  static bool mentions_name(const Expr* expression, Symbol symbol) {
    return find_node(expression, [&](const Node* node) {
             const auto* name = as<Name>(node);
             return name != nullptr && name->symbol == symbol;
           }) != nullptr;
  }

  // b[i] op= v as an assignment of the whole: `b = b.at[i].op(v)`, from the inside out.
  const Stmt* store(const Subscript* place, std::string_view op, const Expr* value, Ranges ranges) {
    if (const auto* name = as<Name>(place->value);
        name != nullptr && items_.contains(name->symbol)) {
      throw Diagnostic(DiagnosticKind::WriteInPlace,
                       "`" + std::string(name->symbol.text()) +
                           "`, which a loop gives, is stored into: an array of this library "
                           "does not change with it",
                       ranges, "loop over indices, and store into the whole array");
    }
    const Expr* whole = spell(place->value);
    const Expr* index = names_.translates ? index_of(place->index) : spell(place->index);
    const Expr* made = nullptr;
    if (library() == Library::Jax) {
      const Expr* at = context_.make<Attribute>(Ranges(), whole, context_.symbol("at"));
      const Expr* there = context_.make<Subscript>(Ranges(), at, index);
      const Expr* method = context_.make<Attribute>(Ranges(), there, context_.symbol(op));
      made = context_.make<Call>(ranges, method, Symbol(), context_.list<const Expr*>({value}),
                                 List<const Keyword*>());
    } else {
      made = own(std::string(op) + "_at", {whole, as_value(index), value});
    }
    if (const auto* outer = as<Subscript>(place->value);
        outer != nullptr && is_stored_array(outer->value))
      return store(outer, "set", made, ranges);
    return context_.assign(place->value, made, ranges);
  }

  // An index as an argument: `slice(a, b)` for `a:b`.
  const Expr* as_value(const Expr* index) {
    if (const auto* slice = as<Slice>(index)) {
      std::vector<const Expr*> bounds;
      for (const Expr* bound : {slice->lower, slice->upper, slice->step})
        bounds.push_back(bound != nullptr ? bound : context_.none());
      return context_.make<Call>(Ranges(), context_.global(context_.symbol("slice")),
                                 context_.symbol("builtins.slice"), context_.list(bounds),
                                 List<const Keyword*>());
    }
    const auto* tuple = as<TupleDisplay>(index);
    if (tuple == nullptr) return index;
    std::vector<const Expr*> parts;
    for (const Expr* part : tuple->elements) parts.push_back(as_value(part));
    return context_.make<TupleDisplay>(Ranges(), Exprs(context_.list(parts)));
  }

  // ---------------------------------------------------------------------------------------------
  // Expressions

  const Expr* spell(const Expr* expression) {
    return static_cast<const Expr*>(spell_node(expression));
  }

  const Node* spell_node(const Node* node) {
    if (const auto* call = as<Call>(node)) return spell_call(call);
    if (const auto* attribute = as<Attribute>(node)) return spell_attribute(attribute);
    if (const auto* read = as<Subscript>(node); read != nullptr && names_.translates) {
      return context_.make<Subscript>(read->ranges, spell(read->value), index_of(read->index));
    }
    if (is<BinaryOperation>(node)) {
      // The left spine of a long sum is walked without recursion.
      std::vector<const BinaryOperation*> spine;
      const Expr* left = static_cast<const Expr*>(node);
      while (const auto* operation = as<BinaryOperation>(left)) {
        spine.push_back(operation);
        left = operation->left;
      }
      const Expr* made = spell(left);
      for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
        const Expr* right = spell((*it)->right);
        const bool same = made == (*it)->left && right == (*it)->right;
        made = same ? *it : context_.make<BinaryOperation>((*it)->ranges, (*it)->op, made, right);
      }
      return made;
    }
    return rewrite_children(context_, *node, [&](const Node* child) { return spell_node(child); });
  }

  // JAX takes no lists for indices.
  const Expr* index_of(const Expr* index) {
    const Expr* now = spell(index);
    const auto array = [&](const Expr* list) -> const Expr* {
      if (!is<ListDisplay>(list)) return list;
      return context_.make<Call>(list->ranges, library_path("array"),
                                 context_.symbol("numpy.array"), context_.list<const Expr*>({list}),
                                 List<const Keyword*>());
    };
    const auto* tuple = as<TupleDisplay>(now);
    if (tuple == nullptr) return array(now);
    std::vector<const Expr*> parts;
    for (const Expr* part : tuple->elements) parts.push_back(array(part));
    return context_.make<TupleDisplay>(now->ranges, Exprs(context_.list(parts)));
  }

  const Expr* library_path(std::string_view path, Ranges ranges = {}) {
    const Expr* expression = context_.global(names_.library, ranges);
    while (!path.empty()) {
      const std::size_t dot = path.find('.');
      expression =
          context_.make<Attribute>(ranges, expression, context_.symbol(path.substr(0, dot)));
      path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return expression;
  }

  // A function of Tangent's own with NumPy's name.
  const Expr* own(std::string_view name, const std::vector<const Expr*>& arguments,
                  List<const Keyword*> keywords = {}) {
    std::string flat(name);
    std::ranges::replace(flat, '.', '_');
    return context_.make<Call>(
        Ranges(),
        context_.make<Attribute>(Ranges(), static_cast<const Expr*>(context_.global(names_.numpy)),
                                 context_.symbol(flat)),
        context_.symbol("numpy." + std::string(name)), context_.list(arguments), keywords);
  }

  const Node* spell_attribute(const Attribute* attribute) {
    std::string path;
    const Name* root = root_of(attribute, path);
    if (root != nullptr && is_numpy(root)) {
      // A constant: np.pi.
      if (library() != Library::Tinygrad) return library_path(path, attribute->ranges);
      return own_constant(path);
    }
    const Expr* value = spell(attribute->value);
    const bool tensors = library() == Library::Torch || library() == Library::Tinygrad;
    if (tensors && attribute->attribute.text() == "size") {
      // The number of elements: `size` is a method there.
      return context_.make<Call>(
          attribute->ranges, context_.make<Attribute>(Ranges(), value, context_.symbol("numel")),
          Symbol(), Exprs(), List<const Keyword*>());
    }
    if (value == attribute->value) return attribute;
    return context_.make<Attribute>(attribute->ranges, value, attribute->attribute);
  }

  const Expr* own_constant(std::string_view name) {
    return context_.make<Attribute>(
        Ranges(), static_cast<const Expr*>(context_.global(names_.numpy)), context_.symbol(name));
  }

  // Whether a global name stands for NumPy in what is spelled anew.
  bool is_numpy(const Name* root) const {
    if (root->symbol == names_.numpy) return true;
    return names_.translates && module_of(root) == "numpy";
  }

  [[nodiscard]] std::string_view module_of(const Name* root) const {
    const GlobalBinding* binding = core_.find_global(root->symbol);
    if (binding == nullptr || binding->thing.kind != ThingKind::Module) return {};
    return binding->thing.qualified_name.text();
  }

  List<const Keyword*> spell_keywords(List<const Keyword*> keywords) {
    std::vector<const Keyword*> made;
    for (const Keyword* keyword : keywords)
      made.push_back(context_.make<Keyword>(keyword->ranges, keyword->name, spell(keyword->value)));
    return context_.list(made);
  }

  const Expr* spell_call(const Call* call) {
    std::vector<const Expr*> arguments;
    for (const Expr* argument : call->arguments) arguments.push_back(spell(argument));
    const List<const Keyword*> keywords = spell_keywords(call->keywords);
    const std::string_view callee = call->callee.text();
    std::string path;
    const Name* root = root_of(call->function, path);
    if (root != nullptr && is_numpy(root)) return numpy_call(call, path, arguments, keywords);
    if (callee == "tangent.runtime._take_stored" && is_functional()) {
      throw Diagnostic(DiagnosticKind::WriteInPlace,
                       "elements that an array of indices names are stored into, which is not "
                       "supported for arrays that do not change",
                       call->ranges, "store into one element or one slice at a time");
    }
    // SciPy's functions in rules: under a name that the user's program does not have.
    const bool bound = root != nullptr && core_.find_global(root->symbol) != nullptr;
    if (callee.starts_with("scipy.") && root != nullptr && (!bound || names_.translates))
      return own(callee.substr(callee.rfind('.') + 1), arguments, keywords);
    if (callee == "builtins.int" && call->ranges.empty() && arguments.size() == 1)
      return arguments[0];
    if (const auto* counted = call->arguments.size() == 2 ? as<Call>(call->arguments[0]) : nullptr;
        callee == "builtins.max" && call->ranges.empty() && counted != nullptr &&
        counted->callee.text() == "builtins.int") {
      // A count that may be traced.
      return library() == Library::Jax
                 ? context_.make<Call>(Ranges(), library_path("maximum"),
                                       context_.symbol("numpy.maximum"), context_.list(arguments),
                                       List<const Keyword*>())
                 : own("maximum", arguments);
    }
    if (names_.translates) {
      if (const Expr* made = translated(call, root, path, arguments, keywords)) return made;
    }
    if (callee == "builtins.float" && call->ranges.empty() && arguments.size() == 1) {
      // Of what may be traced no Python number can be made.
      return library() == Library::Jax
                 ? context_.make<Call>(
                       Ranges(), library_path("reshape"), context_.symbol("numpy.reshape"),
                       context_.list<const Expr*>(
                           {arguments[0], context_.make<TupleDisplay>(Ranges(), Exprs())}),
                       List<const Keyword*>())
                 : arguments[0];
    }
    const Expr* function = call->function;
    if (const auto* method = as<Attribute>(function); method != nullptr && root == nullptr) {
      Symbol name = method->attribute;
      if (call->ranges.empty() && name.text() == "astype") {
        if (library() == Library::Torch) name = context_.symbol("to");
        if (library() == Library::Tinygrad) name = context_.symbol("cast");
      }
      if (callee == "numpy.copy" && name.text() == "copy" && library() != Library::Jax)
        name = context_.symbol("clone");
      function = context_.make<Attribute>(method->ranges, spell(method->value), name);
    } else if (root == nullptr) {
      function = spell(function);
    }
    return context_.make<Call>(call->ranges, function, call->callee, context_.list(arguments),
                               keywords);
  }

  // What differentiation wrote (or, translated, the user) as a call of NumPy.
  const Expr* numpy_call(const Call* call, const std::string& path,
                         const std::vector<const Expr*>& arguments, List<const Keyword*> keywords) {
    const bool array = !call->arguments.empty() && is_array(call->arguments[0]);
    // `dtype=float`: of an array whose dtype is not known. The library's own float has another
    // width than NumPy's.
    const bool widens =
        std::ranges::any_of(keywords, [](const Keyword* it) { return it->name.text() == "dtype"; });
    switch (library()) {
      case Library::Jax:
        if (widens && call->ranges.empty()) break;
        // What JAX computes with arrays only, of axes and shifts.
        if (call->ranges.empty() && !array && (path == "argsort" || path == "negative")) break;
        return context_.make<Call>(call->ranges, library_path(path, call->function->ranges),
                                   call->callee, context_.list(arguments), keywords);
      case Library::Torch:
        if (widens || !array || !is_among(kTorchFunctions, path)) break;
        // Of two numbers torch makes single precision.
        if (path == "where" && !is_array(call->arguments[1]) && !is_array(call->arguments[2]))
          break;
        return context_.make<Call>(call->ranges, library_path(path), call->callee,
                                   context_.list(arguments), keywords);
      case Library::Tinygrad: {
        if (widens || !array || !is_among(kTinygradMethods, path)) break;
        const std::vector<const Expr*> rest(arguments.begin() + 1, arguments.end());
        std::vector<const Keyword*> renamed;
        for (const Keyword* keyword : keywords) {
          const bool keeps = keyword->name.text() == "keepdims";
          renamed.push_back(context_.make<Keyword>(
              keyword->ranges, keeps ? context_.symbol("keepdim") : keyword->name, keyword->value));
        }
        return context_.make<Call>(
            call->ranges, context_.make<Attribute>(Ranges(), arguments[0], context_.symbol(path)),
            call->callee, context_.list(rest), List<const Keyword*>(context_.list(renamed)));
      }
      case Library::NumPy:
        break;
    }
    return own(path, arguments, keywords);
  }

  // A call of the user's that NumPy's, SciPy's or Python's numbers take, for arrays of JAX; null
  // where it stays.
  const Expr* translated(const Call* call, const Name* root, const std::string& path,
                         const std::vector<const Expr*>& arguments, List<const Keyword*> keywords) {
    const std::string_view callee = call->callee.text();
    const auto made = [&](std::string_view name) {
      return context_.make<Call>(call->ranges, library_path(name, call->function->ranges),
                                 call->callee, context_.list(arguments), keywords);
    };
    if (root != nullptr && callee.starts_with("numpy.") && path.empty())
      return made(callee.substr(std::string_view("numpy.").size()));
    if (root != nullptr && callee.starts_with("math.")) {
      const std::string_view name = callee.substr(std::string_view("math.").size());
      const auto* const found = std::ranges::find(
          kMathFunctions, name, &std::pair<std::string_view, std::string_view>::first);
      if (found != kMathFunctions.end()) return made(found->second.empty() ? name : found->second);
      const bool plain = name == "log" && arguments.size() == 1;
      return plain ? made(name) : nullptr;
    }
    const auto is_integer = [&](const Expr* argument) {
      const Type type = typing_.of(argument);
      return type.is_number() && type.dtype == DType::Integer && !type.mixed;
    };
    const bool two = arguments.size() == 2 && keywords.empty() &&
                     !(is_integer(call->arguments[0]) && is_integer(call->arguments[1]));
    if (callee == "builtins.max" && two) return made("maximum");
    if (callee == "builtins.min" && two) return made("minimum");
    if (callee == "builtins.float" && arguments.size() == 1 && !is_integer(call->arguments[0])) {
      const std::vector<const Expr*> shaped{arguments[0],
                                            context_.make<TupleDisplay>(Ranges(), Exprs())};
      return context_.make<Call>(call->ranges, library_path("reshape"),
                                 context_.symbol("numpy.reshape"), context_.list(shaped),
                                 List<const Keyword*>());
    }
    return nullptr;
  }

  const CoreFunction& core_;
  const DialectNames& names_;
  Typing& typing_;
  Context& context_;
  std::unordered_set<Symbol> lists_;  // names that stand for lists
  std::unordered_set<Symbol> items_;  // names that loops give
  bool stores_ = false;               // something is stored into an element
};

}  // namespace

Block spell_for_library(Block body, const CoreFunction& core, const DialectNames& names,
                        Typing& typing, Context& context) {
  return Speller(body, core, names, typing, context).block(body);
}

void check_shared_scalars(const CoreFunction& core, const TypedFunction& typed) {
  if (core.library != Library::Torch && core.library != Library::Tinygrad) return;
  const auto is_array = [&](const Expr* expression) {
    const Type type = typed.type_of(expression);
    return type.is_array() && type.rank != 0;
  };
  // Names that another name is taken of, names of elements; whether elements are stored into.
  std::unordered_set<Symbol> shared;
  const Stmt* element = nullptr;
  bool stores = false;
  const auto see = [&](const Node& node) {
    stores = stores || is_store(&node);
    const auto* loop = as<For>(&node);
    if (loop != nullptr && is_array(loop->iterable) && !is_array(loop->target)) {
      if (const auto* target = as<Name>(loop->target)) shared.insert(target->symbol);
      element = loop;
    }
    const auto* assign = as<Assign>(&node);
    const auto* target = assign != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    if (target == nullptr) return;
    if (const auto* value = as<Name>(assign->value); value && value->scope != Scope::Global) {
      shared.insert(value->symbol);
      shared.insert(target->symbol);
    }
    const auto* read = as<Subscript>(assign->value);
    if (read == nullptr || !is_array(read->value) || is_array(assign->value)) return;
    shared.insert(target->symbol);
    element = assign;
  };
  for (const Stmt* statement : typed.body) for_each_node(*statement, see);
  if (stores && element != nullptr && core.library == Library::Torch) {
    throw Diagnostic(DiagnosticKind::WriteInPlace,
                     "an element of a tensor has a name here, which changes with what is stored "
                     "into tensors",
                     element->ranges, "write `.clone()` behind it");
  }
  for (const Stmt* statement : typed.body) {
    for_each_node(*statement, [&](const Node& node) {
      const auto* update = as<AugmentedAssign>(&node);
      const auto* name = update != nullptr ? as<Name>(update->target) : nullptr;
      if (name == nullptr || !shared.contains(name->symbol)) return;
      const auto known = typed.variables.find(name->symbol);
      if (known != typed.variables.end() && known->second.is_array() && known->second.rank != 0)
        return;
      throw Diagnostic(DiagnosticKind::WriteInPlace,
                       "`" + std::string(name->symbol.text()) +
                           "` may share a tensor without axes with another name, and is changed "
                           "in place",
                       update->ranges,
                       "write it out: `" + std::string(name->symbol.text()) + " = " +
                           std::string(name->symbol.text()) + " + …`");
    });
  }
}

}  // namespace tangent
