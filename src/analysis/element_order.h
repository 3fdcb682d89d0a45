// Which accesses to the elements of an array can meet, told from loops that count:
//
//     for i in range(1, n):                x[i - 1] is read before x[i] is stored: what an
//         x[i] = x[i - 1] * r[i]           iteration reads is stored into by none that follows
//
// In: a block of statements in which the array is not bound anew, and the array's name. Out: for
// two accesses, whether the second can be to a place of the first and run after it. Indices are
// sums of the variables of loops over `range`, of names that the block leaves alone and of numbers;
// bounds follow from the loops and from the tests around an access. What is not of that form may
// meet everything. An index that may be negative counts from the end, so that it has to be shown
// that the smaller of two is not.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/places.h"
#include "syntax/visit.h"
#include "types/type.h"

namespace tangent {

class ElementOrder {
 public:
  ElementOrder(Block region, Symbol array, std::function<Type(const Expr*)> type_of);

  // No place is stored into after it has been read. (A store that adds to a place does not count
  // as a read of it.)
  [[nodiscard]] bool reads_stay() const;
  // Whether a later store can be to a place of this one.
  [[nodiscard]] bool is_stored_after(const Stmt* store) const;
  // Whether the place of a store can be read or stored into after it, also under another name.
  [[nodiscard]] bool is_touched_after(const Stmt* store) const;
  // Whether the place of a store can be read or stored into before it, by itself as well.
  [[nodiscard]] bool is_touched_before(const Stmt* store) const;

 private:
  struct Access {
    const Subscript* place = nullptr;  // null: the array as a whole
    const Stmt* statement = nullptr;
    bool reads = false;
    bool stores = false;
    bool escapes = false;  // it gets another name, or may get one
    int order = 0;
    std::vector<const Stmt*> loops;                   // around it, outermost first
    std::vector<std::pair<const If*, bool>> arms;     // of branches around it
    std::vector<std::pair<const Expr*, bool>> tests;  // that are known to be true or false
  };
  // A value that differs: of a loop's variable, or a name. `side` tells the two accesses apart.
  struct Unknown {
    const void* what;
    int side;
    auto operator<=>(const Unknown&) const = default;
  };
  struct Sum {
    std::map<Unknown, std::int64_t> terms;
    std::int64_t constant = 0;
  };
  struct Bounds {
    std::optional<Sum> low;
    std::optional<Sum> high;
    int depth = 0;
  };
  // What is known where two accesses are compared.
  struct Scene {
    std::unordered_map<Symbol, Sum>
        values[2];  // of loop variables, of the first and of the second access
    std::map<Unknown, Bounds> bounds;
    std::vector<Sum> positive;  // known to be zero or more
    std::vector<Sum> zero;
    std::vector<Sum> other;  // known not to be zero
  };
  // The numbers that an index names along an axis.
  struct Span {
    Sum low;
    std::optional<Sum> high;  // the last one; none: open
  };

  void collect(Block block);
  void collect(const Stmt* statement);
  void read(const Node* node, bool is_kept_apart);
  void add(const Subscript* place, bool reads, bool stores, bool escapes, int order);
  [[nodiscard]] bool is_integer(const Expr* value) const;

  [[nodiscard]] bool may_meet(const Access& first, const Access& second) const;
  [[nodiscard]] bool may_meet(const Access& first, const Access& second, std::size_t common,
                              std::size_t later) const;
  void enter(const Access& access, int side, std::size_t common, std::size_t later,
             Scene& scene) const;
  void assume(const Expr* test, bool holds, int side, Scene& scene) const;
  [[nodiscard]] std::optional<Sum> sum_of(const Expr* value, int side, const Scene& scene) const;
  [[nodiscard]] std::vector<std::optional<Span>> spans(const Access& access, int side,
                                                       const Scene& scene) const;
  [[nodiscard]] static bool are_apart(const Span& below, const Span& above, const Scene& scene);
  [[nodiscard]] static bool at_least(const Sum& sum, std::int64_t bound, const Scene& scene);
  [[nodiscard]] static std::optional<std::int64_t> lowest(Sum sum, const Scene& scene);
  static Sum plus(Sum a, const Sum& b, std::int64_t factor = 1);

  Symbol array_;
  std::function<Type(const Expr*)> type_of_;
  std::unordered_set<Symbol> defined_;  // names that the region gives values
  std::vector<Access> accesses_;
  Access here_;  // the loops, arms and tests around the statement that is collected
  int order_ = 0;
};

}  // namespace tangent
