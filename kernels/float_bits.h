#pragma once

#include <cstdint>
#include <cstring>

namespace weft {

// The word that holds a number of 32 bits, and back.
inline std::uint32_t bits(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}
inline float from_bits(std::uint32_t word) {
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

}  // namespace weft
