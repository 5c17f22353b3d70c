#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/hardware/cosim/events.h"

namespace weft::cosim {

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
