#pragma once

#include <cstdint>
#include <limits>

namespace weft {

// One number as it moves: its bits. FP32's, or a two's complement number with its sign extended to 32 bits. What moves
// words does not look at them; what calculates knows what they stand for.
struct Word {
  std::uint32_t bits = 0;

  friend constexpr bool operator==(Word a, Word b) { return a.bits == b.bits; }
  friend constexpr bool operator!=(Word a, Word b) { return a.bits != b.bits; }
};

using Cycles = std::int64_t;  // kernel clock cycles, counted from the start of a convolution
using Bytes = std::int64_t;
using Picoseconds = std::int64_t;  // of simulated time: 106 days
using Words = std::int64_t;        // elements of a tensor; four bytes each in FP32
using Address = std::int64_t;      // byte address in one memory channel

// "Not before anything else happens": the answer of a block that waits for another block.
inline constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit;
}
constexpr std::int64_t align_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

}  // namespace weft
