// Numbers and texts as bytes, and back: what stored gradients are written in.
//
// In: numbers and texts. Out: one string of bytes that says where each of them ends. Reading takes
// any bytes: what does not fit sets a mark, and everything from there on is zero or empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tangent {

class ByteWriter {
 public:
  // Seven bits to a byte, the lowest first; all but the last have the eighth bit set.
  void number(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>(0x80U | (value & 0x7fU));
    bytes_ += static_cast<char>(value);
  }
  void flag(bool value) { bytes_ += value ? '\1' : '\0'; }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U) return value;
    }
    fail();
    return 0;
  }
  // A number below a bound.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t value = number();
    if (value < bound) return value;
    fail();
    return 0;
  }
  // How many items follow, of which each takes a byte at least.
  std::size_t count() {
    const std::uint64_t value = number();  // before the rest is asked, which it shortens
    if (value <= rest_.size()) return static_cast<std::size_t>(value);
    fail();
    return 0;
  }
  bool flag() { return below(2) == 1; }
  std::string_view text() {
    const std::size_t size = count();
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(found.size());
    return found;
  }

  void fail() {
    failed_ = true;
    rest_ = {};
  }
  [[nodiscard]] bool failed() const { return failed_; }
  // Whether all was read, and fitted.
  [[nodiscard]] bool is_done() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace tangent
