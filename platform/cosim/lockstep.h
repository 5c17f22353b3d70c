#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"
#include "model/memory/store.h"
#include "platform/cosim/rtl_kernel.h"

namespace weft::cosim {

using Channels = std::array<int, fpgpt::kPorts>;  // memory channel of each port

// Cycles in which the AXI side accepts no address and no write beat: [from, from + cycles).
struct Stall {
  Cycles from = 0, cycles = 0;
};

inline constexpr Cycles kLongStall = (Cycles{1} << 20) + 100;  // makes a convolution longer than 2^20 cycles

// How the AXI side treats the kernel.
struct Surroundings {
  memory::MemoryConfig memory;
  Channels channels{0, 1, 2};
  int refuse_percent = 0;  // how often an address or a write beat is not accepted in a cycle
  std::uint64_t seed = 1;  // of the refusals
  Stall stall{};
};

// Which cycles of the RTL are written as waveforms: [from, from + cycles), whatever happens in them.
struct Waves {
  std::string file;  // FST
  Cycles from = 0, cycles = 0;
};

struct Verdict {
  // Empty: none; else the first, with cycle, FIFO or channel, both values and the events before it.
  std::string difference;
  Cycles cycles = 0;            // T; up to the difference if there is one
  std::int64_t handshakes = 0;  // pushes, pops and AXI transfers that were compared
  int longest_burst = 0;        // beats
  fpgpt::BlockActivities activities{};
  bool equal() const { return difference.empty(); }
};

// Runs one convolution on the RTL and on the SystemC virtual platform side by side, each with a memory of its own with
// the same contents, and compares in every cycle: push, pop and words of every FIFO, every AXI handshake; at the end
// OUT (with all other memory), the number of cycles, and each block's active, blocked, starved and idle cycles. An
// assertion of the RTL that fails is a difference. `plan` is in data mode; `stores` are the channels' contents, and
// hold OUT of the model afterwards. Uses the process's one platform. Throws Error if `waves` cannot be written, and
// Deadlock if the model's convolution can make no progress.
Verdict run_lockstep(RtlKernel& rtl, const fpgpt::Plan& plan, std::vector<memory::Store>& stores,
                     const Surroundings& surroundings, const Waves* waves = nullptr);

}  // namespace weft::cosim
