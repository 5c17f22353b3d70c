#pragma once

#include <cstdint>

namespace weft {

// One number as it moves: its bits. FP32's, or a two's complement number with its sign extended to 32 bits. What moves
// words does not look at them; what calculates knows what they stand for.
struct Word {
  std::uint32_t bits = 0;

  friend constexpr bool operator==(Word a, Word b) { return a.bits == b.bits; }
  friend constexpr bool operator!=(Word a, Word b) { return a.bits != b.bits; }
};

}  // namespace weft
