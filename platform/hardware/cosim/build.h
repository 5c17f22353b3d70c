#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "model/core/topology.h"
#include "platform/hardware/cosim/rtl_kernel.h"
#include "platform/hardware/rtl/rtl.h"

namespace weft::cosim {

using rtl::Workshop;

struct BuildOptions {
  std::filesystem::path rtl;      // the sources; empty: the project's
  std::filesystem::path wrapper;  // a module around the top that sets its parameters (rtl/package.h), named as its
                                  // file; empty: none
  bool strict = true;             // assertions are on, and what Verilator warns of is an error
  bool waves = false;             // RtlKernel::waves_on() works; slower
  bool states = false;            // RtlKernel::states() works; slower
  bool quick = false;             // compiled in half the time, runs at half the speed
  int jobs = 2;                   // of the compiler
};

// A kernel as it is built: the ports and FIFOs of its topology are what one sees of it.
struct Hardware {
  const Topology* topology = nullptr;
  rtl::Kernel rtl;
  int band = 0;                 // 32-bit words in a beat of each port
  std::vector<int> fifo_words;  // in a token of each FIFO
  // Bits of each of them: 32, or less of two's complement, which events have with their sign extended.
  std::vector<int> fifo_word_bits;
};

// The RTL compiled for one kernel. A build is kept under a digest of everything that goes into it (sources, parameters,
// compiler options), so the same kernel is compiled once; builds of other processes at the same time do no harm. Takes
// 10 to 60 seconds when it is new. Throws Error with the log of a build that fails.
class RtlBuild {
 public:
  RtlBuild(const Hardware& hardware, const Workshop& workshop, const BuildOptions& options = {});
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
