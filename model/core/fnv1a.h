#pragma once

#include <cstdint>
#include <string>

namespace weft {

// FNV-1a hash of 64 or 32 bits. Not cryptographic.
template <class Word, Word kOffset, Word kFactor>
class Fnv1a {
 public:
  static constexpr Word kPrime = kFactor;

  explicit Fnv1a(Word start = kOffset) : value_(start) {}

  void add(Word symbol) { value_ = (value_ ^ symbol) * kPrime; }
  void add_bytes(const std::string& text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  Word value() const { return value_; }

 private:
  Word value_;
};

using Fnv1a64 = Fnv1a<std::uint64_t, 0xCBF29CE484222325U, 0x100000001B3U>;
using Fnv1a32 = Fnv1a<std::uint32_t, 0x811C9DC5U, 0x01000193U>;

}  // namespace weft
