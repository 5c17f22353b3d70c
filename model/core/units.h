#pragma once

#include <cstdint>
#include <limits>

namespace weft {

// Bits of one number: FP32, or two's complement sign-extended to 32 bits. Blocks that move words do not interpret them;
// blocks that compute know the format.
struct Word {
  std::uint32_t bits = 0;

  friend constexpr bool operator==(Word a, Word b) { return a.bits == b.bits; }
  friend constexpr bool operator!=(Word a, Word b) { return a.bits != b.bits; }
};

using Cycles = std::int64_t;  // kernel clock cycles, counted from the start of a convolution
using Bytes = std::int64_t;
using Picoseconds = std::int64_t;  // simulated time; the range is 106 days
using Words = std::int64_t;        // elements of a tensor; four bytes each in FP32
using Address = std::int64_t;      // byte address in one memory channel

// "No event": returned by a block that waits for another block.
inline constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit;
}
constexpr std::int64_t align_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

}  // namespace weft
