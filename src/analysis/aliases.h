// References: which names may share memory, and which arrays are written in place.
//
// In: a typed core program. Out: per store the names that see it as well, and whether one of those
// is read later; the names whose memory is ever stored into. Two parameters are taken to be apart;
// the guard of the gradient checks it. What may share is a relation between
// pairs of names, so that `u, v = v, u` keeps two arrays apart. A class of names that are ever
// bound to each other's memory is what decides whether a saved array has to be a copy.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/variables.h"
#include "types/infer.h"

namespace tangent {

// Whether a library function may give back memory of its arguments: a view, or the array itself.
bool may_give_view(std::string_view function);

class Aliases {
 public:
  // Without a store nothing is looked at, but for `always`.
  explicit Aliases(const TypedFunction& function, bool always = false);

  // Whether the memory behind a name is stored into, through any name.
  [[nodiscard]] bool is_written(Symbol variable) const;
  // Whether a name stands for a list whose elements or length change.
  [[nodiscard]] bool is_changed_list(Symbol variable) const;
  // The names that a store changes beside that of its place.
  [[nodiscard]] const std::vector<Symbol>& seen_by(const Stmt* store) const;
  template <class F>
  void for_each_store(F&& f) const {
    for (const Stmt* statement : stores_) f(statement);
  }
  // The names through which a statement stores: one, but of a call that stores into its arguments.
  [[nodiscard]] std::vector<Symbol> stored_into(const Stmt* store) const;
  // Whether two names are ever bound to memory that may be the same.
  [[nodiscard]] bool may_ever_share(Symbol a, Symbol b) const;
  // Whether the memory behind a name may be that of a parameter, or of something outside.
  [[nodiscard]] bool is_outside(Symbol variable) const;
  // Refuses a store that another name sees which is read later: the values of both would have to
  // be followed through one array. Throws Diagnostic (WriteInPlace). `follows(a, b)` says that what
  // two names of the function's own share is followed.
  void check(const std::function<bool(Symbol, Symbol)>& follows = {}) const;
  [[nodiscard]] bool is_global(Symbol variable) const { return globals_.contains(variable); }
  // Whether another name sees what a statement stores, and is read later.
  [[nodiscard]] bool is_seen_later(const Stmt* statement) const;
  // The names of the stores that would be refused: those of their places, and those that see them.
  [[nodiscard]] std::unordered_set<Symbol> in_conflict() const;

  // Whether the value of an expression may be the memory that a part of it makes.
  [[nodiscard]] bool passes_on(const Expr* expression, const Expr* part) const;
  // f(Symbol) for the names whose memory the value of an expression may share.
  template <class F>
  void for_each_reference(const Expr* expression, F&& f) const {
    for (const Symbol symbol : references(expression)) f(symbol);
  }

 private:
  struct Sharing;
  struct Live;
  void check_items(const Stmt* statement) const;
  [[nodiscard]] bool writes_array(const Stmt* statement) const;
  [[nodiscard]] bool is_new_list_of_numbers(const Expr* expression) const;
  [[nodiscard]] std::vector<Symbol> references(const Expr* expression, const Expr* part = nullptr,
                                               bool* reached = nullptr) const;
  // The name whose array a statement stores into; empty if it does not.
  [[nodiscard]] Symbol stored(const Stmt* statement) const;
  [[nodiscard]] bool is_read_later(const Stmt* store, Symbol other) const;
  [[nodiscard]] bool is_list(Symbol variable) const;
  [[nodiscard]] bool may_share(const Type& type) const;
  [[nodiscard]] bool may_share(Symbol variable) const;
  // np, or np.linalg.
  [[nodiscard]] bool is_module(const Expr* expression) const;
  std::size_t leader(std::size_t number) const;
  void unite(Symbol a, Symbol b);
  void bind_classes(const Expr* target, const Expr* value);

  const TypedFunction& function_;
  std::unordered_set<Symbol> own_lists_;
  mutable Variables variables_;
  mutable std::vector<std::size_t> leaders_;       // union-find over names
  std::unordered_set<std::size_t> written_;        // leaders of classes that are stored into
  std::unordered_set<std::size_t> changed_lists_;  // leaders of classes of lists that change
  std::unordered_set<std::size_t> outside_;        // leaders of classes with parameters or globals
  std::unordered_set<Symbol> globals_;             // names of values outside
  std::unordered_map<const Stmt*, std::vector<Symbol>> seen_by_;
  std::unordered_map<const Stmt*, VariableSet> live_after_;
  std::vector<const Stmt*> stores_;  // in the order of the program
};

}  // namespace tangent
