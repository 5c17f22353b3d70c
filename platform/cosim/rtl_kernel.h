#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/stream/ports.h"

namespace weft::cosim {

inline constexpr std::size_t kRtlBlocks = 11;
inline constexpr std::size_t kFifos = 10;

// What a FIFO did in one cycle.
struct FifoEvent {
  bool push = false, pop = false;
  std::vector<std::uint32_t> words;  // of the token pushed
};

// The handshake inputs of one cycle, beside the beats and responses that the harness holds.
struct AxiInputs {
  bool inp_arready = true, kern_arready = true, out_awready = true, out_wready = true;
  const float* inp_beat = nullptr;  // visible, or nullptr
  const float* kern_beat = nullptr;
  bool inp_last = false, kern_last = false;  // RLAST of the visible beats
  bool response = false;
};

// What crossed the ports in one cycle.
struct AxiOutputs {
  bool inp_address = false, kern_address = false, out_address = false;
  stream::BurstRequest inp_request, kern_request, out_request;
  bool inp_beat_taken = false, kern_beat_taken = false, response_taken = false;
  bool beat_sent = false;
  std::vector<std::uint32_t> beat;
  std::vector<bool> strobe;  // per word
  bool last = false;         // WLAST
  friend bool operator==(const AxiOutputs& a, const AxiOutputs& b) {
    const auto same = [](bool valid, const stream::BurstRequest& x, const stream::BurstRequest& y) {
      return !valid || (x.address == y.address && x.beats == y.beats);
    };
    return a.inp_address == b.inp_address && a.kern_address == b.kern_address && a.out_address == b.out_address &&
           same(a.inp_address, a.inp_request, b.inp_request) && same(a.kern_address, a.kern_request, b.kern_request) &&
           same(a.out_address, a.out_request, b.out_request) && a.inp_beat_taken == b.inp_beat_taken &&
           a.kern_beat_taken == b.kern_beat_taken && a.response_taken == b.response_taken &&
           a.beat_sent == b.beat_sent && a.beat == b.beat && a.strobe == b.strobe && a.last == b.last;
  }
};

// The kernel's registers CYCLES and ACTIVITY (REGISTERS.md).
struct RtlCounts {
  Cycles cycles = 0;
  std::array<std::array<std::uint32_t, 4>, kRtlBlocks> activity{};  // idle, starved, blocked, active
};

// The RTL kernel, cycle by cycle. One object runs several convolutions, as hardware does. Implemented by
// verilated_kernel.cpp, which is compiled with the RTL for one alpha into a shared library (build.h).
class RtlKernel {
 public:
  virtual ~RtlKernel() = default;

  // Writes beta and starts; returns before cycle 0, or false if the kernel refuses beta.
  virtual bool start(const conv::Convolution& beta) = 0;
  // Between convolutions: why the last was refused, 0 if it was not (STATUS in REGISTERS.md).
  virtual int status() = 0;
  // One cycle of the convolution.
  virtual AxiOutputs cycle(const AxiInputs& inputs, std::array<FifoEvent, kFifos>& fifos) = 0;
  // After the convolution: true if the kernel says done without an error.
  virtual bool finish() = 0;
  // After finish(): what its registers say of the convolution.
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
