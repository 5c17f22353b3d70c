#pragma once

#include <cstdint>
#include <vector>

#include "model/core/activity.h"
#include "model/core/topology.h"
#include "model/memory/config.h"
#include "model/memory/store.h"
#include "model/stream/observer.h"
#include "platform/hardware/cosim/rtl_kernel.h"

namespace weft::cosim {

// Cycles in which the AXI side accepts no address and no write beat: [from, from + cycles).
struct Stall {
  Cycles from = 0, cycles = 0;
};

inline constexpr Cycles kLongStall = (Cycles{1} << 20) + 100;  // makes a convolution longer than 2^20 cycles

// Environment of the kernel: memory, and behaviour of the AXI side.
struct AxiEnvironment {
  memory::MemoryConfig memory;
  std::vector<int> channels;  // memory channel of each port
  int refuse_percent = 0;     // probability that an address or a write beat is not accepted in a cycle
  std::uint64_t seed = 1;     // of the refusals
  Stall stall{};
};
// Returns an environment of three ports, each with its own channel, without refusals.
AxiEnvironment three_channels(memory::MemoryKind kind, Bytes beat_bytes);

// Counts of the model: `cycles`; `done_cycles` from their end to the first in which done can be read; states of each
// block.
struct ModelCounts {
  Cycles cycles = 0;
  Cycles done_cycles = 0;
  std::vector<Activities> activities;
};

// One convolution to run on the model and on the RTL, supplied by a design.
class Case {
 public:
  virtual ~Case() = default;

  virtual const Topology& topology() const = 0;
  virtual int band() const = 0;  // words in a beat
  virtual RtlStart start() const = 0;
  virtual Words result_words() const = 0;  // words that it writes
  // Runs the model from cycle 0 on `stores`, the memory's channels. Throws Deadlock if it can make no progress.
  virtual ModelCounts run_model(const AxiEnvironment& environment, std::vector<memory::Store>& stores,
                                stream::Observer& observer) const = 0;
};

}  // namespace weft::cosim
