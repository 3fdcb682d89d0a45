// SHA-256 (FIPS 180-4) and the keyed code made of it, HMAC (RFC 2104).
//
// In: bytes. Out: 32 bytes. Written here because `import hashlib` costs a process three
// milliseconds, most of which loads a cryptographic library: more than a gradient from the disk
// cache takes altogether.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tangent {

using Digest = std::array<unsigned char, 32>;

class Sha256 {
 public:
  void add(std::string_view bytes);
  // The digest of all that was added; nothing may be added behind it.
  Digest finish();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                         0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<unsigned char, 64> rest_{};  // what does not fill a block yet
  std::size_t held_ = 0;
  std::uint64_t size_ = 0;
};

Digest sha256(std::string_view bytes);
// The code of a message under a secret key.
Digest hmac_sha256(std::string_view key, std::string_view message);

std::string to_hex(const Digest& digest);
inline std::string_view as_text(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace tangent
