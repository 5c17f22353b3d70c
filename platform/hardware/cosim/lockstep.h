#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/core/frequency.h"
#include "platform/hardware/cosim/case.h"

namespace weft::cosim {

// Cycles of the RTL to write as waveforms: [from, from + cycles), unconditionally.
struct Waves {
  std::string file;  // FST
  Cycles from = 0, cycles = 0;
};

// An observer of the RTL.
struct Shown {
  stream::Observed what;
  stream::Observer* observer = nullptr;
};

// First difference of RTL and model. Empty or missing: unknown, or not a part of this difference.
struct Difference {
  std::string what;             // all that is known, unless a signal differs
  std::optional<Cycles> cycle;  // of the convolution
  std::string block;            // that drives the signal
  RtlInstance in;
  std::string fifo, signal;  // the signal is of this FIFO or, if empty, of the block's AXI port: "push", "AR"
  std::optional<std::int64_t> token, lane;       // token: transfers of the signal before this one
  Place place;                                   // of the token
  std::string model, rtl;                        // values: "yes", a word in hexadecimal
  std::optional<double> model_value, rtl_value;  // of words that are numbers
  std::optional<std::int64_t> ulps;              // distance of these in units of the last place
  std::vector<std::string> before;               // the last transfers of the FIFO or port, up to three
};
std::string text(const Difference& difference);

struct Verdict {
  std::string difference;  // text of `first`; empty: none
  Difference first;
  Cycles cycles = 0;            // T; up to the difference if there is one
  Cycles done_cycles = 0;       // if equal: from T to the first cycle in which done can be read
  std::int64_t handshakes = 0;  // pushes, pops and AXI transfers that were compared
  int longest_burst = 0;        // beats
  std::vector<Activities> activities;
  bool equal() const { return difference.empty(); }
};

// Runs one convolution on the RTL and on the model in lockstep, each with its own memory of the same contents, and
// compares in every cycle: push, pop and words of every FIFO, every AXI handshake; at the end all memory, the number of
// cycles, each block's active, blocked, starved and idle cycles, and the cycles from the start to cycle 0 and from the
// end to done. A failed assertion of the RTL is a difference. `stores`: contents of the channels, afterwards those of
// the model. `shown`: observes the RTL (build with states); may be null. Throws Error if `waves` cannot be written,
// Deadlock if the model's convolution can make no progress.
Verdict run_lockstep(RtlKernel& rtl, const Case& convolution, std::vector<memory::Store>& stores,
                     const AxiEnvironment& environment, const Waves* waves = nullptr, const Shown* shown = nullptr);

// Waveforms that run_lockstep() wrote.
struct WrittenWaves {
  std::string file;                // relative to the save file
  std::vector<std::string> names;  // of all signals
  Cycles from = 0;                 // first cycle
  Frequency clock = 100;
};
// Returns a save file of GTKWave that opens at the first difference of the verdict. Signals: number of the cycle, then
// of each FIFO and port the RTL's, each followed by the model's; the FIFO or port of the difference is first.
std::string save_file(const WrittenWaves& waves, const Topology& topology, const Verdict& verdict);

// A convolution that the kernel must refuse, and the expected STATUS.
struct RefusedCase {
  std::string what;  // "F convolution"
  RtlStart start;
  int status = 0;
};

// Offers it to the kernel. Returns "" if the kernel refuses it with that STATUS, else the observed behaviour; a kernel
// that has accepted it cannot be used further.
std::string offer(RtlKernel& rtl, const RefusedCase& refused);

// Runs the convolution on the RTL alone, at full speed. Returns the cycles from the start to the last write response.
// Throws Error if the kernel refuses it, reports no end, or is not done after `limit` cycles.
Cycles run_rtl(RtlKernel& rtl, const Case& convolution, std::vector<memory::Store>& stores,
               const AxiEnvironment& environment, Cycles limit);

}  // namespace weft::cosim
