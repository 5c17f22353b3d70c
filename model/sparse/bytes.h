#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "model/core/error.h"

namespace weft::sparse {

inline void put32(std::string& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

// Reads a file from front to back; whatever is wrong is an Error with the offset of what is wrong.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::size_t offset() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::string_view take(std::size_t count, const char* what) {
    if (left() < count) {
      throw Error(fmt::format("byte {}: ends within {}, which has {} bytes of {}", at_, what, left(), count));
    }
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  std::uint32_t take32(const char* what, std::uint32_t low, std::uint32_t high) {
    const std::size_t at = at_;
    std::uint32_t value = 0;
    int shift = 0;
    for (const char c : take(4, what)) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << shift;
      shift += 8;
    }
    if (value < low || value > high) {
      throw Error(fmt::format("byte {}: {} is {}; allowed: {} to {}", at, what, value, low, high));
    }
    return value;
  }
  void expect(std::string_view word) {
    if (take(word.size(), "the file's first bytes") != word) {
      throw Error(fmt::format("byte 0: does not begin with '{}'", word));
    }
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace weft::sparse
