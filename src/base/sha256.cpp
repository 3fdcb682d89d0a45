#include "base/sha256.h"

#include <algorithm>
#include <bit>

namespace tangent {

namespace {

// The fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U};

std::uint32_t word_at(const unsigned char* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24U | static_cast<std::uint32_t>(bytes[1]) << 16U |
         static_cast<std::uint32_t>(bytes[2]) << 8U | static_cast<std::uint32_t>(bytes[3]);
}

}  // namespace

void Sha256::compress(const unsigned char* block) {
  std::array<std::uint32_t, 64> words;
  for (std::size_t i = 0; i < 16; ++i) words[i] = word_at(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t early = words[i - 15];
    const std::uint32_t late = words[i - 2];
    const std::uint32_t mixed = std::rotr(early, 7) ^ std::rotr(early, 18) ^ (early >> 3U);
    words[i] = words[i - 16] + mixed + words[i - 7] +
               (std::rotr(late, 17) ^ std::rotr(late, 19) ^ (late >> 10U));
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                choice + kRounds[i] + words[i];
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::add(std::string_view bytes) {
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  size_ += left;
  if (held_ > 0) {
    const std::size_t taken = std::min(left, rest_.size() - held_);
    std::copy_n(next, taken, rest_.begin() + static_cast<std::ptrdiff_t>(held_));
    held_ += taken;
    next += taken;
    left -= taken;
    if (held_ < rest_.size()) return;
    compress(rest_.data());
    held_ = 0;
  }
  for (; left >= rest_.size(); left -= rest_.size(), next += rest_.size()) compress(next);
  std::copy_n(next, left, rest_.begin());
  held_ = left;
}

Digest Sha256::finish() {
  const std::uint64_t bits = size_ * 8;
  rest_[held_++] = 0x80;
  if (held_ > rest_.size() - 8) {
    std::fill(rest_.begin() + static_cast<std::ptrdiff_t>(held_), rest_.end(), 0);
    compress(rest_.data());
    held_ = 0;
  }
  std::fill(rest_.begin() + static_cast<std::ptrdiff_t>(held_), rest_.end(), 0);
  for (std::size_t i = 0; i < 8; ++i)
    rest_[56 + i] = static_cast<unsigned char>(bits >> (8 * (7 - i)));
  compress(rest_.data());
  Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<unsigned char>(state_[i / 4] >> (8 * (3 - i % 4)));
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

Digest hmac_sha256(std::string_view key, std::string_view message) {
  std::string block(64, '\0');
  const Digest hashed = sha256(key);
  const std::string_view shortened = key.size() > block.size() ? as_text(hashed) : key;
  std::copy(shortened.begin(), shortened.end(), block.begin());
  const auto padded = [&](unsigned char pad) {
    std::string result = block;
    for (char& byte : result) byte = static_cast<char>(static_cast<unsigned char>(byte) ^ pad);
    return result;
  };
  Sha256 inner;
  inner.add(padded(0x36));
  inner.add(message);
  const Digest code = inner.finish();
  Sha256 outer;
  outer.add(padded(0x5c));
  outer.add(as_text(code));
  return outer.finish();
}

std::string to_hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

}  // namespace tangent
