// A bump allocator for everything one differentiation makes, and the lists that live in it.
//
// In: sizes, or values to copy. Out: pointers and spans that stay valid as long as the arena. Nodes
// are trivially destructible, so freeing a whole program is freeing a few blocks; nobody owns a
// single node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tangent {

// An immutable list in an arena.
template <class T>
using List = std::span<const T>;

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  void* allocate(std::size_t size, std::size_t alignment) {
    std::size_t start = (used_ + alignment - 1) / alignment * alignment;
    if (blocks_.empty() || start + size > capacity_) {
      grow(size + alignment);
      start = 0;
    }
    used_ = start + size;
    return blocks_.back().get() + start;
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena never runs destructors");
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the arena is the owner
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  List<T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    auto* start = static_cast<T*>(allocate(items.size() * sizeof(T), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), start);
    return {start, items.size()};
  }
  template <class T>
  List<T> copy(const std::vector<T>& items) {
    return copy(std::span<const T>(items));
  }

  std::string_view copy_text(std::string_view text) {
    const List<char> kept = copy(std::span<const char>(text.data(), text.size()));
    return {kept.data(), kept.size()};
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void grow(std::size_t least) {
    capacity_ = least > kBlock ? least : kBlock;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(capacity_));
    bytes_ += capacity_;
    used_ = 0;
  }

  static constexpr std::size_t kBlock = std::size_t{32} * 1024;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace tangent
