#pragma once

#include <string>
#include <vector>

#include "platform/hardware/cosim/case.h"

namespace weft::cosim {

// Which cycles of the RTL are written as waveforms: [from, from + cycles), whatever happens in them.
struct Waves {
  std::string file;  // FST
  Cycles from = 0, cycles = 0;
};

// Who observes the RTL, as others do the model.
struct Shown {
  stream::Observed what;
  stream::Observer* observer = nullptr;
};

struct Verdict {
  // Empty: none; else the first, with cycle, FIFO or channel, both values and the events before it.
  std::string difference;
  Cycles cycles = 0;            // T; up to the difference if there is one
  Cycles done_cycles = 0;       // from T to the first cycle in which done can be read, if there is none
  std::int64_t handshakes = 0;  // pushes, pops and AXI transfers that were compared
  int longest_burst = 0;        // beats
  std::vector<Activities> activities;
  bool equal() const { return difference.empty(); }
};

// Runs one convolution on the RTL and on the model side by side, each with a memory of its own with the same contents,
// and compares in every cycle: push, pop and words of every FIFO, every AXI handshake; at the end all memory, the
// number of cycles, each block's active, blocked, starved and idle cycles, and the cycles from the start to cycle 0 and
// from the end to done. An assertion of the RTL that fails is a difference. `stores` are the channels' contents, and
// hold those of the model afterwards. Throws Error if `waves` cannot be written, and Deadlock if the model's
// convolution can make no progress.
// `shown`, if there is one, sees the cycles of the RTL, of a build with states.
Verdict run_lockstep(RtlKernel& rtl, const Case& convolution, std::vector<memory::Store>& stores,
                     const Surroundings& surroundings, const Waves* waves = nullptr, const Shown* shown = nullptr);

// A convolution that the kernel must refuse, and with which STATUS.
struct RefusedCase {
  std::string what;  // "F convolution"
  RtlStart start;
  int status = 0;
};

// Offers it to the kernel. Empty if the kernel refuses it so, else what it does instead; a kernel that has accepted it
// is of no more use.
std::string offer(RtlKernel& rtl, const RefusedCase& refused);

// Runs it on the RTL alone, as fast as it goes. Returns the cycles from the start to the last write response. Throws
// Error if the kernel refuses it, reports no end, or is not done after `limit` cycles.
Cycles run_rtl(RtlKernel& rtl, const Case& convolution, std::vector<memory::Store>& stores,
               const Surroundings& surroundings, Cycles limit);

}  // namespace weft::cosim
