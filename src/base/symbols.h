// Interned names: equal text is the same `Symbol`, so names compare and hash as pointers.
//
// In: text. Out: a `Symbol` valid as long as the table. A table belongs to one captured function
// and is shared by all of its variants; there is no global table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tangent {

class Symbol {
 public:
  constexpr Symbol() = default;
  [[nodiscard]] std::string_view text() const { return text_ ? std::string_view(*text_) : ""; }
  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  explicit operator bool() const { return text_ != nullptr; }
  bool operator==(const Symbol&) const = default;

 private:
  friend class Symbols;
  friend struct std::hash<Symbol>;
  explicit constexpr Symbol(const std::string* text) : text_(text) {}
  const std::string* text_ = nullptr;
};

class Symbols {
 public:
  Symbol intern(std::string_view text) {
    auto found = table_.find(text);
    if (found == table_.end()) found = table_.emplace(text).first;
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
  std::unordered_set<std::string, Hash, std::equal_to<>> table_;
};

}  // namespace tangent

template <>
struct std::hash<tangent::Symbol> {
  std::size_t operator()(tangent::Symbol symbol) const noexcept {
    return std::hash<const void*>()(symbol.text_);
  }
};
