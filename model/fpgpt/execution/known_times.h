#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"

namespace weft::fpgpt {

// The bytes that a port touches, from the base of its tensor: whole beats, those that are read to be discarded
// included.
struct Extent {
  Bytes first = 0, end = 0;
};
using Extents = std::array<Extent, kPorts>;
Extents extents(const Plan& plan);

// What a convolution takes, whatever its values are.
struct KnownTime {
  ConvolutionResult result;
  Extents extents;
};

// What convolutions took, simulated by the exact rung when they are new and remembered. What decides it: alpha with its
// number format, the memory, beta but for the bases, and of the bases those of each channel's ports less the lowest of
// them rounded down to a row of the address map, 2^kRowBit bytes.
//
// That is enough, because nothing changes when all addresses in one channel are moved by a multiple of a row:
//   - the bits below the row stay, so every access keeps its bank, bank group, column and place in its beat, and every
//     burst the 4 KB boundaries at which it is cut;
//   - rows are only ever compared, one with another of the same channel, and keep their distances; no bank has a row
//     open when a convolution begins;
//   - channels share nothing, and a convolution begins with clocks, queues and refresh as the first one does (DESIGN
//     rule 5), so it does not matter what ran before, nor when.
// And less would not do: two ports in one channel meet in its rows, so the distance between their bases counts whole.
class KnownTimes {
 public:
  // Remembers at most so many (2 KB each or so); then it forgets all. Each group of a layer may have a time of its own:
  // MobileNetV2 has 21,515 launches an iteration.
  explicit KnownTimes(std::size_t most = 1 << 16) : most_(most) {}

  // Holds until the next call. Throws Error if the kernel does not hold beta, Deadlock as the exact rung does; such are
  // not remembered.
  const KnownTime& of(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory);

  std::int64_t simulated() const { return simulated_; }
  std::size_t size() const { return times_.size(); }

 private:
  using Key = std::vector<std::int64_t>;

  std::size_t most_;
  std::int64_t simulated_ = 0;
  std::map<Key, KnownTime> times_;
};

}  // namespace weft::fpgpt
