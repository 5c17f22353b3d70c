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

// How the AXI side treats the kernel.
struct Surroundings {
  memory::MemoryConfig memory;
  std::vector<int> channels;  // memory channel of each port
  int refuse_percent = 0;     // how often an address or a write beat is not accepted in a cycle
  std::uint64_t seed = 1;     // of the refusals
  Stall stall{};
};
// Three ports, each with a channel of its own, on which nothing is refused.
Surroundings three_channels(memory::MemoryKind kind, Bytes beat_bytes);

// What the model took: cycles, and what each block did in them; and cycles from their end to the first in which done
// can be read.
struct ModelCounts {
  Cycles cycles = 0;
  Cycles done_cycles = 0;
  std::vector<Activities> activities;
};

// One convolution as the model and the RTL run it: what a design gives to be compared.
class Case {
 public:
  virtual ~Case() = default;

  virtual const Topology& topology() const = 0;
  virtual int band() const = 0;  // words in a beat
  virtual RtlStart start() const = 0;
  virtual Words result_words() const = 0;  // that it writes
  // Runs the model from cycle 0 on `stores`, the memory's channels. Throws Deadlock if it can make no progress.
  virtual ModelCounts run_model(const Surroundings& surroundings, std::vector<memory::Store>& stores,
                                stream::Observer& observer) const = 0;
};

}  // namespace weft::cosim
