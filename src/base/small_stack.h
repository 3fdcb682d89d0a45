// A stack that needs no memory of its own until it is deep.
//
// In: values that are copied like bytes. Out: the last one first. Walks of trees are many and most
// trees are small: a vector per walk is most of what a walk would cost.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace tangent {

template <class T, std::size_t Near = 32>
class SmallStack {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallStack() = default;
  explicit SmallStack(T first) { push(first); }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  void push(T value) {
    if (size_ < Near) {
      near_[size_] = value;
    } else {
      far_.push_back(value);
    }
    ++size_;
  }
  T pop() {
    --size_;
    if (size_ < Near) return near_[size_];
    const T value = far_.back();
    far_.pop_back();
    return value;
  }
  // Turns what was pushed since the stack had this size around: what was pushed first comes first.
  void reverse_from(std::size_t mark) {
    for (std::size_t low = mark, high = size_; low + 1 < high; ++low) {
      --high;
      std::swap(at(low), at(high));
    }
  }

 private:
  T& at(std::size_t index) { return index < Near ? near_[index] : far_[index - Near]; }

  std::array<T, Near> near_;  // NOLINT(cppcoreguidelines-pro-type-member-init): written first
  std::vector<T> far_;
  std::size_t size_ = 0;
};

}  // namespace tangent
