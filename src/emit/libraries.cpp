// Whose arrays a program computes with; see libraries.h.
#include "emit/libraries.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/diagnostics.h"
#include "syntax/printer.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

std::string_view title_of(Library library) {
  switch (library) {
    case Library::Jax:
      return "JAX";
    case Library::Torch:
      return "torch";
    case Library::Tinygrad:
      return "tinygrad";
    case Library::NumPy:
      break;
  }
  return "NumPy";
}

// The module whose functions stand for NumPy's.
std::string_view module_of(Library library) {
  switch (library) {
    case Library::Jax:
      return "jax.numpy";
    case Library::Torch:
      return "torch";
    default:
      return "tinygrad";
  }
}

std::string_view own_module_of(Library library) {
  switch (library) {
    case Library::Jax:
      return "tangent._numpy_jax";
    case Library::Torch:
      return "tangent._numpy_torch";
    default:
      return "tangent._numpy_tinygrad";
  }
}

bool is_module_of(std::string_view module, Library library) {
  const std::string_view package = library == Library::Jax ? "jax" : module_of(library);
  return module == package || (module.starts_with(package) && module[package.size()] == '.');
}

class LibraryFinder {
 public:
  explicit LibraryFinder(const CoreFunction& core) : core_(core) {}

  void see(const Type& type) {
    if (type.is_array() && type.library != Library::NumPy) see(type.library);
    if (type.is_array() && type.library == Library::NumPy && type.rank > 0 &&
        is_floating(type.dtype))
      has_numpy_ = true;
    for (const Type& element : type.elements) see(element);
  }
  void see(Library library) {
    if (found_ == Library::NumPy) found_ = library;
    if (found_ != library) mixed(found_, library);
  }
  Library finish() {
    // JAX takes NumPy's arrays, the others do not.
    if (has_numpy_ && (found_ == Library::Torch || found_ == Library::Tinygrad))
      mixed(found_, Library::NumPy);
    return found_;
  }
  [[nodiscard]] bool is_found() const { return found_ != Library::NumPy; }
  [[nodiscard]] Library found() const { return found_; }

 private:
  [[noreturn]] void mixed(Library a, Library b) const {
    throw Diagnostic(DiagnosticKind::MixedLibraries,
                     "`" + std::string(core_.name.text()) + "` computes with arrays of " +
                         std::string(title_of(a)) + " and of " + std::string(title_of(b)),
                     core_.ranges, "make them arrays of one library first");
  }

  const CoreFunction& core_;
  Library found_ = Library::NumPy;
  bool has_numpy_ = false;
};

// The global name at the start of a chain of attributes, else null.
const Name* first_name(const Expr* expression) {
  while (const auto* attribute = as<Attribute>(expression)) expression = attribute->value;
  const auto* name = as<Name>(expression);
  return name != nullptr && name->scope == Scope::Global ? name : nullptr;
}

std::string_view module_called(const CoreFunction& core, const Call* call) {
  const Name* root = first_name(call->function);
  const GlobalBinding* binding = root != nullptr ? core.find_global(root->symbol) : nullptr;
  if (binding == nullptr || binding->thing.kind != ThingKind::Module) return {};
  return binding->thing.qualified_name.text();
}

// Whose function a call is of, if it is one of a library of arrays.
std::optional<Library> library_called(const CoreFunction& core, const Call* call) {
  const std::string_view module = module_called(core, call);
  if (module == "numpy") return Library::NumPy;
  for (const Library library : {Library::Jax, Library::Torch, Library::Tinygrad}) {
    if (is_module_of(module, library)) return library;
  }
  return std::nullopt;
}

// Which names hold arrays of the library, as far as assignments say.
class ForeignNames {
 public:
  ForeignNames(const CoreFunction& core, const TypedFunction& typed) : core_(core) {
    for (const Parameter* parameter : core.parameters) {
      const auto type = typed.variables.find(parameter->name);
      if (type != typed.variables.end() && type->second.library != Library::NumPy)
        names_.insert(parameter->name);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Stmt* statement : typed.body) {
        for_each_node(*statement, [&](const Node& node) {
          if (const auto* assign = as<Assign>(&node); assign && holds(assign->value)) {
            for (const Expr* target : assign->targets) changed = add(target) || changed;
          }
          if (const auto* update = as<AugmentedAssign>(&node); update && holds(update->value))
            changed = add(update->target) || changed;
          if (const auto* loop = as<For>(&node); loop && holds(loop->iterable))
            changed = add(loop->target) || changed;
        });
      }
    }
  }

  bool holds(const Expr* expression) const {
    return find_node(expression, [&](const Node* node) {
             if (const auto* name = as<Name>(node)) return names_.contains(name->symbol);
             const auto* call = as<Call>(node);
             return call != nullptr && is_module_of(module_called(core_, call), core_.library);
           }) != nullptr;
  }

 private:
  bool add(const Expr* target) {
    bool added = false;
    for_each_node(*target, [&](const Node& node) {
      if (const auto* name = as<Name>(&node)) added = names_.insert(name->symbol).second || added;
    });
    return added;
  }

  const CoreFunction& core_;
  std::unordered_set<Symbol> names_;
};

bool reads_module(Block body, Symbol name) {
  return std::ranges::any_of(body, [&](const Stmt* statement) {
    return find_node(statement, [&](const Node* node) {
             const auto* read = as<Name>(node);
             return read != nullptr && read->scope == Scope::Global && read->symbol == name;
           }) != nullptr;
  });
}

}  // namespace

Library find_library(const CoreFunction& core, const std::vector<Type>& arguments, Outside& outside,
                     Context& context) {
  LibraryFinder finder(core);
  for (const Type& type : arguments) finder.see(type);
  if (finder.is_found()) return finder.finish();
  const bool named = std::ranges::any_of(core.globals, [](const GlobalBinding& global) {
    const std::string_view name = global.thing.qualified_name.text();
    return std::ranges::any_of(
        std::initializer_list<Library>{Library::Jax, Library::Torch, Library::Tinygrad},
        [&](Library it) { return is_module_of(name, it); });
  });
  for (const GlobalBinding& global : core.globals) {
    if (global.thing.kind == ThingKind::Value)
      finder.see(outside.type_of(global.thing, context.arena()));
  }
  if (finder.is_found() || !named) return finder.finish();
  for (const GlobalBinding& global : core.globals) {
    const std::string_view name = global.thing.qualified_name.text();
    for (const Library library : {Library::Jax, Library::Torch, Library::Tinygrad}) {
      if (global.thing.kind != ThingKind::Value && is_module_of(name, library)) finder.see(library);
    }
  }
  return finder.finish();
}

void check_one_library(const CoreFunction& core, const TypedFunction& typed) {
  if (core.library == Library::NumPy) return;
  const ForeignNames foreign(core, typed);
  for (const Stmt* statement : typed.body) {
    for_each_node(*statement, [&](const Node& node) {
      const auto* call = as<Call>(&node);
      const auto owner = call != nullptr ? library_called(core, call) : std::nullopt;
      if (!owner || *owner == core.library) return;
      const std::string_view callee = call->callee.text();
      if (callee == "numpy.shape" || callee == "numpy.ndim" || callee == "numpy.size") return;
      for (const Expr* argument : call->arguments) {
        if (!foreign.holds(argument)) continue;
        throw Diagnostic(DiagnosticKind::MixedLibraries,
                         "`" + print(call->function) + "` of " + std::string(title_of(*owner)) +
                             " is given an array of " + std::string(title_of(core.library)),
                         call->ranges,
                         "call the function of `" + std::string(module_of(core.library)) + "`");
      }
    });
  }
}

void check_array_loops(const CoreFunction& core, const TypedFunction& typed) {
  if (core.array_loops.empty()) return;
  const auto check = [&](const Expr* walked, Ranges ranges) {
    const Type type = typed.type_of(walked);
    if (type.is_array()) return;
    // The place in the text of the loop itself means nothing to the user.
    throw Diagnostic(
        DiagnosticKind::UnsupportedType,
        "`" + print(walked) + "` is walked over as an array, and is " +
            std::string(type.kind == TypeKind::Unknown ? "not known to be one" : "none"),
        ranges.first(ranges.size() - 1),
        "pass arrays, or their tuple or dict written out: `(xs, ys)`, `{'x': xs}`");
  };
  for (const Stmt* statement : typed.body) {
    for_each_node(*statement, [&](const Node& node) {
      const auto* loop = as<For>(&node);
      if (loop == nullptr || loop->ranges.size() < 2 ||
          std::ranges::find(core.array_loops, loop->ranges.back().file) == core.array_loops.end())
        return;
      const auto* call = as<Call>(loop->iterable);
      const bool zips = call != nullptr && call->callee.text() == "builtins.zip";
      if (!zips) return check(loop->iterable, loop->ranges);
      for (const Expr* argument : call->arguments) check(argument, loop->ranges);
    });
  }
}

void check_sorting_methods(const CoreFunction& core, const TypedFunction& typed) {
  const bool has_tensors = core.library == Library::Torch || core.library == Library::Tinygrad;
  for (const Stmt* statement : typed.body) {
    for_each_node(*statement, [&](const Node& node) {
      const auto* call = as<Call>(&node);
      const auto* method = call != nullptr ? as<Attribute>(call->function) : nullptr;
      if (method == nullptr || method->attribute.text() != "sort" ||
          !module_called(core, call).empty())
        return;
      const Type type = typed.type_of(method->value);
      if (has_tensors && type.is_array()) return;
      throw Diagnostic(DiagnosticKind::WriteInPlace,
                       "`" + print(call->function) + "()` writes in place and gives None",
                       call->ranges, "sort into a new value: `np.sort(x)`, `sorted(xs)`");
    });
  }
}

DialectNames dialect_names(const CoreFunction& core, NamePool& names, Context& context) {
  DialectNames result;
  result.numpy = names.fresh("tnp");
  const std::string_view module = module_of(core.library);
  for (const GlobalBinding& global : core.globals) {
    if (global.thing.kind == ThingKind::Module && global.thing.qualified_name.text() == module)
      result.library = global.printed;
  }
  if (result.library.empty())
    result.library = names.fresh(core.library == Library::Jax ? "jnp" : module);
  names.take(context.symbol(result.library.text()));
  return result;
}

void finish_dialect(Emitted& emitted, Block body, const CoreFunction& core,
                    const DialectNames& names) {
  emitted.library = core.library;
  emitted.uses_numpy = false;
  if (reads_module(body, names.numpy))
    emitted.modules.emplace_back(own_module_of(core.library), std::string(names.numpy.text()));
  if (core.find_global(names.library) == nullptr && reads_module(body, names.library))
    emitted.modules.emplace_back(module_of(core.library), std::string(names.library.text()));
}

}  // namespace tangent
