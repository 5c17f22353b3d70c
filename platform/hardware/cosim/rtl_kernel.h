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

// What a port is given in one cycle, beside the beats and responses that the harness holds.
struct PortInputs {
  PortReady ready;
  const Word* beat = nullptr;  // of a read port: visible, or nullptr
  bool last = false;           // RLAST of it
  bool response = false;       // of a write port
};

// What a master of the kernel's AXI4-Lite port offers and accepts in one cycle.
struct ControlInputs {
  bool write_address = false, write_data = false, response_ready = false, read_address = false, word_ready = false;
  std::uint32_t address_to_write = 0, data = 0, address_to_read = 0;
  unsigned strobes = 0;
};

// What crossed it: whether address and data of a write were taken, and so on.
struct ControlEvents {
  bool write_address = false, write_data = false, response = false, read_address = false, word = false;
  std::uint32_t data = 0;             // of the word
  int write_resp = 0, read_resp = 0;  // BRESP, RRESP
};

// What the kernel's registers say of a convolution: its cycles, and those of each block's states.
struct RtlCounts {
  Cycles cycles = 0;
  std::vector<std::array<std::uint32_t, kActivities>> activity;  // as kActivityRegisterOrder
};

// One beat that a kernel reads as a part of its launch, before cycle 0.
struct LaunchRead {
  std::size_t port = 0;
  Address address = 0;
  std::vector<std::uint32_t> words;  // of the beat
  Cycles latency = 0;                // visible latency + 1 cycles after its address
};

// A convolution as the kernel's registers take it.
struct RtlStart {
  std::vector<std::uint32_t> registers;  // from address 0x20 on
  // What the model says: cycles from the one that takes the start to cycle 0, or, of one that must be refused, to the
  // first in which done can be read.
  Cycles cycles = 0;
  std::optional<LaunchRead> read{};  // if the kernel makes one; another is not answered
};

// What came of a start: the convolution runs, or is refused, after so many cycles.
struct RtlStarted {
  bool runs = false;
  Cycles cycles = 0;
};

// The RTL of a kernel, cycle by cycle. One object runs several convolutions, as hardware does. Implemented by
// verilated_kernel.cpp, which is compiled with the RTL for one set of its parameters into a shared library (build.h).
class RtlKernel {
 public:
  virtual ~RtlKernel() = default;

  // Writes the registers and starts; returns before cycle 0, or when done can be read if the kernel refuses the
  // convolution. A kernel that does neither in several times the model's cycles counts as one that refuses.
  virtual RtlStarted start(const RtlStart& start) = 0;
  // A convolution was started, and done cannot be read yet.
  virtual bool busy() = 0;
  // Between convolutions: why the last was refused, 0 if it was not (STATUS in REGISTERS.md).
  virtual int status() = 0;
  // One cycle of the convolution. `ports` and what it leaves in `events` are in the order of the topology; blocks and
  // fills are there in a build with states.
  virtual void cycle(const std::vector<PortInputs>& ports, CycleEvents& events) = 0;
  // One cycle at any time, with the registers' port as `control` says: for software that is modelled cycle by cycle.
  virtual ControlEvents cycle(const std::vector<PortInputs>& ports, const ControlInputs& control,
                              CycleEvents& events) = 0;
  // After the convolution: true if the kernel says done without an error.
  virtual bool finish() = 0;
  // After finish().
  virtual RtlCounts counts() = 0;

  // The first assertion of the RTL that has failed, as Verilator words it; empty: none.
  virtual std::string failed_assertion() const = 0;

  // In a build with waves: from now on every clock edge is written to `file` (FST), until waves_off(). False if the
  // file cannot be written, or if the build has no waves.
  virtual bool waves_on(const std::string& file) = 0;
  virtual void waves_off() = 0;
};

// What the shared library exports.
inline constexpr const char* kMakeKernel = "weft_make_rtl_kernel";
using MakeKernel = RtlKernel* (*)();

}  // namespace weft::cosim
