// A set of names that needs no memory of its own while it is small.
//
// In: names of one table. Out: whether one is there, and all of them in the order in which they
// came. Most sets of a program's names have a handful of members, which are compared faster than
// hashed; a large one has a bit for each name of the table.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/symbols.h"

namespace tangent {

class SymbolSet {
 public:
  using value_type = Symbol;
  using const_iterator = const Symbol*;

  SymbolSet() = default;
  SymbolSet(std::initializer_list<Symbol> members) { insert(members.begin(), members.end()); }

  [[nodiscard]] const Symbol* begin() const { return far_.empty() ? near_.data() : far_.data(); }
  [[nodiscard]] const Symbol* end() const { return begin() + size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] bool contains(Symbol symbol) const {
    if (far_.empty()) return std::find(begin(), end(), symbol) != end();
    const std::size_t number = symbol.number();
    return number / 64 < bits_.size() && (bits_[number / 64] >> (number % 64) & 1) != 0;
  }

  // Whether the name is new.
  bool insert(Symbol symbol) {
    if (contains(symbol)) return false;
    if (far_.empty() && size_ < near_.size()) {
      near_[size_++] = symbol;
      return true;
    }
    if (far_.empty()) {
      far_.assign(near_.begin(), near_.end());
      for (const Symbol member : far_) set_bit(member);
    }
    far_.push_back(symbol);
    set_bit(symbol);
    ++size_;
    return true;
  }
  template <class Iterator>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  // Whether it was there.
  bool erase(Symbol symbol) {
    const auto* found = std::find(begin(), end(), symbol);
    if (found == end()) return false;
    if (far_.empty()) {
      std::copy(found + 1, end(), near_.begin() + (found - begin()));
    } else {
      bits_[symbol.number() / 64] &= ~(std::uint64_t{1} << (symbol.number() % 64));
      far_.erase(far_.begin() + (found - begin()));
    }
    --size_;
    return true;
  }
  void clear() {
    far_.clear();
    bits_.clear();
    size_ = 0;
  }

 private:
  void set_bit(Symbol symbol) {
    const std::size_t word = symbol.number() / 64;
    if (word >= bits_.size()) bits_.resize(word + 1);
    bits_[word] |= std::uint64_t{1} << (symbol.number() % 64);
  }

  std::array<Symbol, 8> near_;
  std::vector<Symbol> far_;          // all members, once there are more than near ones
  std::vector<std::uint64_t> bits_;  // of the far ones, by number
  std::size_t size_ = 0;
};

}  // namespace tangent
