// Interned names: equal text is the same `Symbol`, so names compare and hash as pointers, and have
// small numbers for tables.
//
// In: text. Out: a `Symbol` valid as long as the table. A table belongs to one captured function
// and is shared by all of its variants; there is no global table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tangent {

class Symbol {
 public:
  constexpr Symbol() = default;
  [[nodiscard]] std::string_view text() const {
    return entry_ != nullptr ? std::string_view(entry_->first) : "";
  }
  // The place among the names of its table, in the order in which they came.
  [[nodiscard]] std::size_t number() const { return entry_->second; }
  [[nodiscard]] bool empty() const { return entry_ == nullptr; }
  explicit operator bool() const { return entry_ != nullptr; }
  bool operator==(const Symbol&) const = default;

 private:
  friend class Symbols;
  friend struct std::hash<Symbol>;
  using Entry = std::pair<const std::string, std::uint32_t>;
  explicit constexpr Symbol(const Entry* entry) : entry_(entry) {}
  const Entry* entry_ = nullptr;
};

class Symbols {
 public:
  Symbol intern(std::string_view text) {
    auto found = table_.find(text);
    if (found == table_.end())
      found = table_.emplace(text, static_cast<std::uint32_t>(table_.size())).first;
    return Symbol(&*found);
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  // Node based: the address of a text never changes.
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> table_;
};

}  // namespace tangent

template <>
struct std::hash<tangent::Symbol> {
  std::size_t operator()(tangent::Symbol symbol) const noexcept {
    return std::hash<const void*>()(symbol.entry_);
  }
};
