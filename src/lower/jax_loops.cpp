// Functions of jax.lax that take functions, written out as the loops and branches that they mean.
//
//     carry, ys = jax.lax.scan(f, init, xs)     carry = init
//                                               ys = []
//                                               for x in xs:
//                                                   carry, y = f(carry, x)
//                                                   ys.append(y)
//                                               … jnp.stack(ys)
//
// In: a call of scan, map, fori_loop, while_loop, cond or switch, or of what gives back its
// function as it is (jit, checkpoint). Out: its value, or null if the call is none of these. What
// scan walks over and collects may be tuples and dicts, whose parts go by lists of their own: which
// there are is read off the displays that the user wrote, so what is no display counts as an array,
// and is checked to be one (emit/libraries.h).
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lower/lowering.h"
#include "syntax/as_written.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

// Of the outside they read builtins alone.
constexpr std::string_view kForiLoop = R"(
def fori_loop(lower, upper, body_fun, init_val):
    value = init_val
    for i in range(lower, upper):
        value = body_fun(i, value)
    return value
)";
constexpr std::string_view kWhileLoop = R"(
def while_loop(cond_fun, body_fun, init_val):
    value = init_val
    while cond_fun(value):
        value = body_fun(value)
    return value
)";
constexpr std::string_view kCond = R"(
def cond(pred, true_fun, false_fun, *operands):
    if pred:
        return true_fun(*operands)
    return false_fun(*operands)
)";
constexpr std::string_view kCondOfOne = R"(
def cond(pred, true_fun, false_fun, operand):
    if pred:
        return true_fun(operand)
    return false_fun(operand)
)";

// Functions that give back a function of the same values.
constexpr std::array<std::string_view, 5> kSameFunction = {
    "jax.jit", "jax.checkpoint", "jax.remat", "jax.named_call", "jax.ad_checkpoint.checkpoint"};
// Functions that make another function of one, and what to write instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTransforming = {
    {{"jax.vmap", "give the arrays an axis for the batch, or walk over it with `jax.lax.map`"},
     {"jax.pmap", "give the arrays an axis for the batch, or walk over it with `jax.lax.map`"},
     {"jax.numpy.vectorize", "write it for whole arrays, or walk over them with `jax.lax.map`"},
     {"jax.grad", "differentiate the outer function again instead"},
     {"jax.value_and_grad", "differentiate the outer function again instead"},
     {"jax.jvp", "differentiate the outer function again instead"},
     {"jax.vjp", "differentiate the outer function again instead"},
     {"jax.jacfwd", "differentiate the outer function again instead"},
     {"jax.jacrev", "differentiate the outer function again instead"},
     {"jax.hessian", "differentiate the outer function again instead"},
     {"jax.linearize", "differentiate the outer function again instead"},
     {"jax.lax.associative_scan", "write it as `jax.lax.scan`, or as a loop"}}};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// What a value is made of, as far as displays say: an array, nothing (None), or a tuple or dict.
struct Pattern {
  enum class Form : std::uint8_t { Leaf, Nothing, Tuple, Dict };
  Form form = Form::Leaf;
  std::vector<Pattern> parts;
  std::vector<std::string> keys;  // of a dict
  const Expr* value = nullptr;    // of a leaf: what stands there

  bool operator==(const Pattern& other) const {
    return form == other.form && keys == other.keys && parts == other.parts;
  }
};

// Keys that stand in texts as they are.
bool is_plain_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

const Expr* part_of(const Expr* whole, const Literal& key, Context& context) {
  return context.make<Subscript>(
      whole->ranges, whole, static_cast<const Expr*>(context.make<Constant>(whole->ranges, key)));
}

// The only value that statements bind to a name, if it is bound once.
const Expr* only_value(const Node* definition, Symbol name) {
  const Expr* value = nullptr;
  int bound = 0;
  for_each_node(*definition, [&](const Node& node) {
    if (const auto* assign = as<Assign>(&node)) {
      const auto* target = assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
      if (target != nullptr && target->symbol == name) value = assign->value;
    }
    const auto* written = as<Name>(&node);
    if (written != nullptr && written->symbol == name) ++bound;
  });
  return bound > 0 ? value : nullptr;
}

// Reads patterns off what a function's text says.
class PatternReader {
 public:
  PatternReader(const Node* definition, const ScopeFacts* facts, Context& context)
      : definition_(definition), facts_(facts), context_(context) {}

  // A parameter that is known to be of some pattern.
  void know(Symbol parameter, Pattern pattern) {
    parameter_ = parameter;
    pattern_ = std::move(pattern);
  }

  Pattern read(const Expr* written) const {
    if (const auto* name = as<Name>(written)) {
      const NameUse* use = facts_ != nullptr ? facts_->find(name->symbol) : nullptr;
      if (parameter_ && name->symbol == parameter_ && use != nullptr && use->writes == 0)
        return pattern_;
      const bool once = use != nullptr && use->writes == 1 && use->nested_writes == 0 &&
                        !use->is_parameter && !use->is_global && !use->is_nonlocal;
      const Expr* value = once ? only_value(definition_, name->symbol) : nullptr;
      if (value != nullptr && !is<Name>(value)) return with_paths(read(value), written);
      return {.form = Pattern::Form::Leaf, .parts = {}, .keys = {}, .value = written};
    }
    if (const auto* constant = as<Constant>(written);
        constant != nullptr && constant->value.kind == LiteralKind::None)
      return {.form = Pattern::Form::Nothing, .parts = {}, .keys = {}, .value = nullptr};
    if (const auto* elements = display_elements(written)) {
      Pattern made{.form = Pattern::Form::Tuple, .parts = {}, .keys = {}, .value = nullptr};
      for (const Expr* element : *elements) {
        if (is<Starred>(element)) return leaf(written);
        made.parts.push_back(read(element));
      }
      return made;
    }
    if (const auto* dict = as<Dictionary>(written)) {
      Pattern made{.form = Pattern::Form::Dict, .parts = {}, .keys = {}, .value = nullptr};
      for (std::size_t k = 0; k < dict->keys.size(); ++k) {
        const auto* key = as<Constant>(dict->keys[k]);
        if (key == nullptr || key->value.kind != LiteralKind::String ||
            !is_plain_key(key->value.text))
          return leaf(written);
        made.keys.emplace_back(key->value.text);
        made.parts.push_back(read(dict->values[k]));
      }
      return made;
    }
    return leaf(written);
  }

 private:
  static Pattern leaf(const Expr* written) {
    return {.form = Pattern::Form::Leaf, .parts = {}, .keys = {}, .value = written};
  }

  // The parts as they are reached through a name, which holds them when the call is made.
  Pattern with_paths(Pattern pattern, const Expr* whole) const {
    pattern.value = whole;
    for (std::size_t k = 0; k < pattern.parts.size(); ++k) {
      const Literal key =
          pattern.form == Pattern::Form::Dict
              ? Literal{.kind = LiteralKind::String,
                        .text = context_.symbol(pattern.keys[k]).text()}
              : Literal{.kind = LiteralKind::Integer, .integer = static_cast<std::int64_t>(k)};
      pattern.parts[k] = with_paths(std::move(pattern.parts[k]), part_of(whole, key, context_));
    }
    return pattern;
  }

  const Node* definition_;
  const ScopeFacts* facts_;
  Context& context_;
  Symbol parameter_;
  Pattern pattern_;
};

// The text of scan or map for what it walks over and what it collects.
class LoopText {
 public:
  // `x`, `x0`, `x_a`: the leaves of what it walks over, `y…` of what it collects.
  LoopText(const Pattern& over, const Pattern& collected) {
    number(over, "", over_);
    number(collected, "", collected_);
    item_ = text_of(over, "x", "", "");
    result_ = text_of(collected, "ys", "jnp.stack(", ")");
  }

  [[nodiscard]] std::string scan(bool reversed) const {
    std::string text = "def scan(f, init";
    for (const std::string& leaf : over_) text += ", xs" + leaf;
    if (over_.empty()) text += ", length";
    text += "):\n" + head() + "    carry = init\n" + loop(reversed);
    text += "        carry, " + std::string(collected_.empty() ? "_" : "y") + " = f(carry, " +
            item_ + ")\n";
    text += appended() + tail(reversed);
    text += "    return carry, " + result_ + "\n";
    return text;
  }

  [[nodiscard]] std::string map() const {
    std::string text = "def map(f";
    for (const std::string& leaf : over_) text += ", xs" + leaf;
    text += "):\n" + head() + loop(false);
    text += "        y = f(" + item_ + ")\n" + appended();
    text += "    return " + result_ + "\n";
    return text;
  }

 private:
  static void number(const Pattern& pattern, const std::string& prefix,
                     std::vector<std::string>& leaves) {
    if (pattern.form == Pattern::Form::Leaf) leaves.push_back(prefix);
    for (std::size_t k = 0; k < pattern.parts.size(); ++k)
      number(pattern.parts[k], prefix + suffix(pattern, k), leaves);
  }

  static std::string suffix(const Pattern& pattern, std::size_t k) {
    return "_" + (pattern.form == Pattern::Form::Dict ? pattern.keys[k] : std::to_string(k));
  }

  static std::string text_of(const Pattern& pattern, const std::string& name,
                             const std::string& before, const std::string& behind) {
    if (pattern.form == Pattern::Form::Leaf) return before + name + behind;
    if (pattern.form == Pattern::Form::Nothing) return "None";
    const bool dict = pattern.form == Pattern::Form::Dict;
    std::string text = dict ? "{" : "(";
    for (std::size_t k = 0; k < pattern.parts.size(); ++k) {
      if (dict) text += "'" + pattern.keys[k] + "': ";
      text += text_of(pattern.parts[k], name + suffix(pattern, k), before, behind) + ", ";
    }
    return text + (dict ? "}" : ")");
  }

  // ["a"][0] of `_a_0`
  static void paths(const Pattern& pattern, const std::string& path,
                    std::vector<std::string>& made) {
    if (pattern.form == Pattern::Form::Leaf) made.push_back(path);
    for (std::size_t k = 0; k < pattern.parts.size(); ++k) {
      const std::string key =
          pattern.form == Pattern::Form::Dict ? "'" + pattern.keys[k] + "'" : std::to_string(k);
      paths(pattern.parts[k], path + "[" + key + "]", made);
    }
  }

 public:
  void take_paths(const Pattern& collected) { paths(collected, "y", paths_); }

 private:
  [[nodiscard]] std::string head() const {
    std::string text;
    if (!collected_.empty()) text += "    import jax.numpy as jnp\n";
    for (const std::string& leaf : collected_) text += "    ys" + leaf + " = []\n";
    return text;
  }

  [[nodiscard]] std::string loop(bool reversed) const {
    const std::string turned = reversed ? "[::-1]" : "";
    if (over_.empty()) return "    for _ in range(length):\n";
    if (over_.size() == 1) return "    for x" + over_[0] + " in xs" + over_[0] + turned + ":\n";
    std::string items;
    std::string arrays;
    for (const std::string& leaf : over_) {
      items += (items.empty() ? "x" : ", x") + leaf;
      arrays += (arrays.empty() ? "xs" : ", xs") + leaf + turned;
    }
    return "    for " + items + " in zip(" + arrays + "):\n";
  }

  [[nodiscard]] std::string appended() const {
    std::string text;
    for (std::size_t k = 0; k < collected_.size(); ++k)
      text += "        ys" + collected_[k] + ".append(" + paths_[k] + ")\n";
    return text;
  }

  [[nodiscard]] std::string tail(bool reversed) const {
    std::string text;
    if (!reversed) return text;
    for (const std::string& leaf : collected_)
      text += "    ys" + leaf + " = ys" + leaf + "[::-1]\n";
    return text;
  }

  std::vector<std::string> over_;
  std::vector<std::string> collected_;
  std::vector<std::string> paths_;
  std::string item_;
  std::string result_;
};

void collect_leaves(const Pattern& pattern, std::vector<const Expr*>& leaves) {
  if (pattern.form == Pattern::Form::Leaf) leaves.push_back(pattern.value);
  for (const Pattern& part : pattern.parts) collect_leaves(part, leaves);
}

// What a function returns, as it is written; what functions inside it return is theirs.
void collect_returns(const Node* node, std::vector<const Expr*>& returned) {
  if (const auto* exit = as<Return>(node)) {
    returned.push_back(exit->value);
  } else if (!is<FunctionDefinition>(node)) {
    for_each_child(*node, [&](const Node* child) {
      if (is_statement(child->kind)) collect_returns(child, returned);
    });
  }
}

// What a function gives back for each item: the second part of what it returns, of map the whole.
Pattern returned_pattern(const Callee& callee, const PatternReader& reader, bool scans) {
  std::vector<const Expr*> returned;
  for (const Stmt* statement : callee.body) collect_returns(statement, returned);
  std::optional<Pattern> found;
  for (const Expr* value : returned) {
    if (value == nullptr) return {};
    Pattern pattern = reader.read(value);
    if (scans) {
      if (pattern.form != Pattern::Form::Tuple || pattern.parts.size() != 2) return {};
      Pattern second = std::move(pattern.parts[1]);
      pattern = std::move(second);
    }
    if (found && *found != pattern) return {};
    found = std::move(pattern);
  }
  return found.value_or(Pattern());
}

}  // namespace

// The value of an argument by position or name; null if it is not given.
const Expr* Lowering::argument_named(const Call& it, std::size_t position, std::string_view name) {
  if (position < it.arguments.size()) return it.arguments[position];
  for (const Keyword* keyword : it.keywords) {
    if (keyword->name.text() == name) return keyword->value;
  }
  return nullptr;
}

// The source of what is called for each item, where it is known before it is called.
const Callee* Lowering::callee_written(const Expr* function, const Call& it) {
  if (const Callee* local = function_value(function)) return local;
  if (!is<Name>(function) && !is<Attribute>(function)) return nullptr;
  if (const auto* name = as<Name>(function)) {
    const Binding* binding = find_binding(name->symbol);
    if (binding != nullptr && binding->form == Binding::Form::Variable) {
      const auto held = held_.find(binding->variable);
      const KnownFunction* known = held != held_.end() && held->second.form == Held::Form::Known
                                       ? known_function(held->second.value)
                                       : nullptr;
      if (known != nullptr && known->callee != nullptr) return known->callee;
      if (known != nullptr && known->base != nullptr) return callee_written(known->base, it);
    }
  }
  const std::optional<Thing> thing = thing_of(function);
  if (!thing || thing->kind != ThingKind::UserFunction) return nullptr;
  return &callee_of(*thing, it);
}

const Expr* Lowering::jax_loop(const Call& it, std::string_view name, Destination destination) {
  if (!name.starts_with("jax.")) return nullptr;
  for (const auto& [known, remedy] : kTransforming) {
    if (known == name)
      refuse(it, "`" + print(it.function) + "` inside a differentiated function is not supported",
             std::string(remedy));
  }
  const auto unpacks = [](const Expr* e) { return is<Starred>(e); };
  const auto with = [&](const std::vector<const Expr*>& arguments,
                        const std::vector<const Keyword*>& keywords) {
    return context_.make<Call>(it.ranges, it.function, it.callee, Exprs(context_.list(arguments)),
                               List<const Keyword*>(context_.list(keywords)));
  };
  if (is_among(kSameFunction, name) && !it.arguments.empty() && !unpacks(it.arguments[0]))
    return partial(*with({it.arguments[0]}, {}));
  if (!name.starts_with("jax.lax.")) return nullptr;
  const std::string_view last = name.substr(8);
  const bool scans = last == "scan";
  const bool maps = last == "map";
  const bool switches = last == "switch";
  const bool branches = last == "cond";
  if (!scans && !maps && !switches && !branches && last != "fori_loop" && last != "while_loop")
    return nullptr;
  if (!branches && !switches && std::ranges::any_of(it.arguments, unpacks))
    refuse(it, "unpacking the arguments of `" + print(it.function) + "` is not supported",
           "write the arguments out");
  // How the compiler goes about it is not what is computed.
  std::vector<const Keyword*> kept;
  for (const Keyword* keyword : it.keywords) {
    const std::string_view option = keyword->name.text();
    if (option != "unroll" && option != "batch_size" && option != "_split_transpose")
      kept.push_back(keyword);
  }
  const Call& call = *with({it.arguments.begin(), it.arguments.end()}, kept);
  if (last == "fori_loop") return inline_call(call, written_in_python(kForiLoop), destination);
  if (last == "while_loop") return inline_call(call, written_in_python(kWhileLoop), destination);
  if (branches) {
    const bool one = std::ranges::any_of(
        kept, [](const Keyword* keyword) { return keyword->name.text() == "operand"; });
    return inline_call(call, written_in_python(one ? kCondOfOne : kCond), destination);
  }
  if (switches) return jax_switch(call, destination);
  return jax_scan(call, scans, destination);
}

// switch(index, (f, g, h), x): the index is moved into the range.
const Expr* Lowering::jax_switch(const Call& it, Destination destination) {
  const Expr* index = argument_named(it, 0, "index");
  const Expr* written = argument_named(it, 1, "branches");
  if (index == nullptr || written == nullptr || is<Starred>(index) || is<Starred>(written))
    return nullptr;
  std::vector<const Expr*> functions;
  if (const auto* elements = display_elements(written)) {
    functions.assign(elements->begin(), elements->end());
  } else if (const auto items = known_items(expression(written))) {
    for (const Expr* item : *items) functions.push_back(copy(item, written->ranges));
  }
  if (functions.empty() ||
      std::ranges::any_of(functions, [](const Expr* e) { return is<Starred>(e); }))
    refuse(it, "`" + print(it.function) + "` needs its functions written out",
           "pass them as a list: `[f, g]`");
  std::string text = "def switch(index";
  for (std::size_t k = 0; k < functions.size(); ++k) text += ", branch" + std::to_string(k);
  text += ", *operands):\n";
  for (std::size_t k = 0; k + 1 < functions.size(); ++k) {
    text += "    if index " + std::string(k == 0 ? "<=" : "==") + " " + std::to_string(k) +
            ":\n        return branch" + std::to_string(k) + "(*operands)\n";
  }
  text += "    return branch" + std::to_string(functions.size() - 1) + "(*operands)\n";
  std::vector<const Expr*> arguments = {index};
  arguments.insert(arguments.end(), functions.begin(), functions.end());
  for (std::size_t k = 2; k < it.arguments.size(); ++k) arguments.push_back(it.arguments[k]);
  const Call& call = *context_.make<Call>(it.ranges, it.function, it.callee,
                                          Exprs(context_.list(arguments)), List<const Keyword*>());
  return inline_call(call, written_in_python(text), destination);
}

// scan(f, init, xs, length, reverse), and map(f, xs).
const Expr* Lowering::jax_scan(const Call& it, bool scans, Destination destination) {
  const Expr* function = argument_named(it, 0, "f");
  const Expr* init = scans ? argument_named(it, 1, "init") : nullptr;
  const Expr* xs = argument_named(it, scans ? 2 : 1, "xs");
  const Expr* length = scans ? argument_named(it, 3, "length") : nullptr;
  const Expr* reverse = scans ? argument_named(it, 4, "reverse") : nullptr;
  if (function == nullptr || (scans && init == nullptr) || (!scans && xs == nullptr))
    return nullptr;
  bool reversed = false;
  if (reverse != nullptr) {
    const auto* literal = as<Constant>(reverse);
    if (literal == nullptr ||
        (literal->value.kind != LiteralKind::True && literal->value.kind != LiteralKind::False))
      refuse(it, "`reverse` that is no literal is not supported", "write `reverse=True`");
    reversed = literal->value.kind == LiteralKind::True;
  }
  const PatternReader here(active_.back(), frame_->facts, context_);
  Pattern over{.form = Pattern::Form::Nothing, .parts = {}, .keys = {}, .value = nullptr};
  if (xs != nullptr) over = here.read(xs);
  Pattern collected;
  if (const Callee* callee = callee_written(function, it)) {
    PatternReader there(callee->identity, &facts_of(*callee), context_);
    if (scans && !callee->parameters.empty())
      there.know(callee->parameters[0]->name, here.read(init));
    collected = returned_pattern(*callee, there, scans);
  }
  LoopText text(over, collected);
  text.take_paths(collected);
  std::vector<const Expr*> arguments = {function};
  if (scans) arguments.push_back(init);
  collect_leaves(over, arguments);
  if (over.form == Pattern::Form::Nothing) {
    if (length == nullptr)
      refuse(it, "`" + print(it.function) + "` has neither `xs` nor `length`", "pass one of them");
    arguments.push_back(length);
  }
  const Call& call = *context_.make<Call>(it.ranges, it.function, it.callee,
                                          Exprs(context_.list(arguments)), List<const Keyword*>());
  const Callee& loop = written_in_python(scans ? text.scan(reversed) : text.map());
  if (over.form != Pattern::Form::Nothing) array_loops_.push_back(loop.identity->ranges[0].file);
  return inline_call(call, loop, destination);
}

}  // namespace tangent::lowering
