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

// Bytes that a port touches, relative to the base of its tensor: whole beats, including those that are discarded.
struct Extent {
  Bytes first = 0, end = 0;
};
using Extents = std::array<Extent, kPorts>;
Extents extents(const Plan& plan);

// Time and extents of a convolution, independent of its values.
struct KnownTime {
  ConvolutionResult result;
  Extents extents;
};

// Cache of the times of convolutions, which the exact rung simulates on a miss. The key holds alpha with its number
// format, the memory, beta without its bases, and each base less the lowest base in its channel rounded down to a row
// of the address map, 2^kRowBit bytes.
//
// The key is sufficient, because nothing changes when all addresses in one channel move by a multiple of a row:
//   - the bits below the row stay, so every access keeps its bank, bank group, column and place in its beat, and every
//     burst the 4 KB boundaries at which it is cut;
//   - rows are compared only within their channel, and keep their distances; no bank has a row open when a convolution
//     begins;
//   - channels share nothing, and every convolution begins with the clocks, queues and refresh of the first one (DESIGN
//     rule 5), so neither earlier work nor the time of the start matters.
// The key is necessary: two ports in one channel meet in its rows, so the whole distance between their bases matters.
class KnownTimes {
 public:
  // Holds at most `most` times of about 2 KB, then clears all. Each group of a layer may have a time of its own:
  // MobileNetV2 has 21,515 launches per iteration.
  explicit KnownTimes(std::size_t most = 1 << 16) : most_(most) {}

  // Returns a reference that is valid until the next call. Throws Error if beta does not fit the kernel, Deadlock as
  // the exact rung does; failures are not cached.
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
