#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "model/core/topology.h"
#include "platform/hardware/cosim/rtl_kernel.h"
#include "platform/hardware/rtl/rtl.h"

namespace weft::cosim {

using rtl::BuildContext;

struct BuildOptions {
  std::filesystem::path rtl;      // folder of the sources; empty: the project's
  std::filesystem::path wrapper;  // module around the top that sets its parameters (rtl/package.h); its file has
                                  // the module's name; empty: none
  bool strict = true;             // assertions are on, and warnings of Verilator are errors
  bool waves = false;             // RtlKernel::waves_on() works; slower
  bool states = false;            // RtlKernel::states() works; slower
  bool quick = false;             // compiled in half the time, runs at half the speed
  int jobs = 2;                   // of the compiler
};

// A kernel to build; its ports and FIFOs in the topology are the observable signals.
struct Hardware {
  const Topology* topology = nullptr;
  rtl::Kernel rtl;
  int band = 0;                 // 32-bit words in a beat of each port
  std::vector<int> fifo_words;  // words in a token of each FIFO
  // Bits of each FIFO's words: 32, or fewer in two's complement; events hold such words sign-extended.
  std::vector<int> fifo_word_bits;
};

// The RTL compiled for one kernel. The cache key is a digest of all inputs (sources, parameters, compiler options), so
// equal kernels are compiled once; concurrent builds of other processes are safe. A new build takes 10 to 60 seconds.
// Throws Error with the log of a build that fails.
class RtlBuild {
 public:
  RtlBuild(const Hardware& hardware, const BuildContext& build_context, const BuildOptions& options = {});
  ~RtlBuild();
  RtlBuild(const RtlBuild&) = delete;
  RtlBuild& operator=(const RtlBuild&) = delete;

  std::unique_ptr<RtlKernel> make() const;
  bool was_cached() const { return was_cached_; }

 private:
  void* library_ = nullptr;
  bool was_cached_ = false;
};

}  // namespace weft::cosim
