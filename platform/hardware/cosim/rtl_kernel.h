#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/stream/cycle_events.h"

namespace weft::cosim {

using stream::CycleEvents;
using stream::FifoEvent;
using stream::PortEvents;
using stream::PortReady;

// Inputs of a port in one cycle: the handshakes that it accepts, and the beat or response offered by the harness.
struct PortInputs {
  PortReady ready;
  const Word* beat = nullptr;  // read port: visible beat, or nullptr
  bool last = false;           // RLAST of the beat
  bool response = false;       // write port: a response is visible
};

// Signals that a master of the kernel's AXI4-Lite port offers and accepts in one cycle.
struct ControlInputs {
  bool write_address = false, write_data = false, response_ready = false, read_address = false, word_ready = false;
  std::uint32_t address_to_write = 0, data = 0, address_to_read = 0;
  unsigned strobes = 0;
};

// Handshakes of the AXI4-Lite port in one cycle: true if the address or data of a write was taken, and so on.
struct ControlEvents {
  bool write_address = false, write_data = false, response = false, read_address = false, word = false;
  std::uint32_t data = 0;             // of the word read
  int write_resp = 0, read_resp = 0;  // BRESP, RRESP
};

// Counts of a convolution as read from the kernel's registers: its cycles, and those of each block's states.
struct RtlCounts {
  Cycles cycles = 0;
  std::vector<std::array<std::uint32_t, kActivities>> activity;  // ordered as kActivityRegisterOrder
};

// One beat that a kernel reads as a part of its launch, before cycle 0.
struct LaunchRead {
  std::size_t port = 0;
  Address address = 0;
  std::vector<std::uint32_t> words;  // of the beat
  Cycles latency = 0;                // the beat is visible latency + 1 cycles after its address
};

// A convolution as register values of the kernel.
struct RtlStart {
  std::vector<std::uint32_t> registers;  // from address 0x20 on
  // Expected cycles by the model: from the cycle that takes the start to cycle 0 or, if it must be refused, to the
  // first in which done can be read.
  Cycles cycles = 0;
  std::optional<LaunchRead> read{};  // the kernel's launch read, if any; other reads are not answered
};

// Outcome of a start: the convolution runs or is refused, after `cycles` cycles.
struct RtlStarted {
  bool runs = false;
  Cycles cycles = 0;
};

// Times of waveforms: cycle k begins at floor(k * numerator / denominator) ps.
struct WaveTimes {
  Cycles cycle = 0;  // the first one
  std::int64_t numerator = 1, denominator = 1;
};

// The RTL of a kernel, cycle by cycle. One object runs several convolutions, as hardware does. Implemented by
// verilated_kernel.cpp, which is compiled with the RTL for one set of parameters into a shared library (build.h).
class RtlKernel {
 public:
  virtual ~RtlKernel() = default;

  // Writes the registers and starts. Returns before cycle 0, or when done can be read if the kernel refuses the
  // convolution. A kernel that does neither in several times the model's cycles counts as refusing.
  virtual RtlStarted start(const RtlStart& start) = 0;
  // True from the start of a convolution until done can be read.
  virtual bool busy() = 0;
  // STATUS of the last convolution (REGISTERS.md): why it was refused, or 0. Only between convolutions.
  virtual int status() = 0;
  // Steps one cycle of the convolution. `ports` and `events` are in the order of the topology; blocks and fill levels
  // are set only in a build with states.
  virtual void cycle(const std::vector<PortInputs>& ports, CycleEvents& events) = 0;
  // Steps one cycle at any time, with `control` at the registers' port: for software modelled cycle by cycle.
  virtual ControlEvents cycle(const std::vector<PortInputs>& ports, const ControlInputs& control,
                              CycleEvents& events) = 0;
  // Returns true if the kernel reports done without an error. Only after the convolution.
  virtual bool finish() = 0;
  // Reads the counters. Only after finish().
  virtual RtlCounts counts() = 0;

  // Returns the first failed assertion of the RTL, in Verilator's words; empty: none.
  virtual std::string failed_assertion() const = 0;

  // Starts writing every clock edge to `file` (FST), until waves_off(), before the next cycle, whose number is
  // `times.cycle`. Returns false if the file cannot be written or the build has no waves.
  virtual bool waves_on(const std::string& file, const WaveTimes& times) = 0;
  // Sets the model's values of the next cycle, which waveforms show next to the RTL's: instance u_model of the kernel.
  virtual void show_model(const CycleEvents& model) = 0;
  virtual void waves_off() = 0;
};

// The function exported by the shared library.
inline constexpr const char* kMakeKernel = "weft_make_rtl_kernel";
using MakeKernel = RtlKernel* (*)();

}  // namespace weft::cosim
