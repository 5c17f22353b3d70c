#include <fmt/core.h>

#include <algorithm>

#include "model/memory/config.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/barista/kernel_config.h"

namespace weft::barista {

using design::Changed;
using design::Counterfactual;

namespace {

// More bursts and deeper FIFOs by so much at once: to see whether they limit at all.
constexpr int kMore = 4;
constexpr int kMostOutstanding = 256, kDeepest = 65536, kMostSide = 4096;  // what a file may say

Changed with_channels_apart(const config::RunConfig& run) {
  KernelConfig kernel = KernelConfig::of(run);
  const int channels = config::channels(run.board.memory);
  if (channels == 1) return Changed::impossible("the board has one channel");
  for (std::size_t i = 0; i < kPorts; ++i) {
    kernel.channel.at(i) = channels == 0 ? static_cast<int>(i) : std::min(static_cast<int>(i), channels - 1);
  }
  if (kernel.channel == KernelConfig::of(run).channel) return Changed::impossible("they are apart");
  return Changed::to(with_kernel(run, kernel));
}

Changed with_wider_ports(const config::RunConfig& run) {
  KernelConfig kernel = KernelConfig::of(run);
  if (2 * kernel.beat_bytes() > memory::kWidestBeat) {
    return Changed::impossible(fmt::format("the widest AXI4 bus has {} bits", memory::kWidestBeat * 8));
  }
  kernel.band *= 2;
  return Changed::to(with_kernel(run, kernel));
}

Changed with_more_bursts(const config::RunConfig& run) {
  KernelConfig kernel = KernelConfig::of(run);
  bool more = false;
  for (stream::PortConfig& port : kernel.port_configs) {
    const int before = port.outstanding;
    port.outstanding = std::min(kMore * before, kMostOutstanding);
    more = more || port.outstanding > before;
  }
  if (!more) return Changed::impossible(fmt::format("every port has {} outstanding", kMostOutstanding));
  return Changed::to(with_kernel(run, kernel));
}

Changed with_deeper_fifos(const config::RunConfig& run) {
  KernelConfig kernel = KernelConfig::of(run);
  bool deeper = false;
  for (const FifoId fifo : kFreeFifos) {
    const int before = kernel.fifo[fifo];
    kernel.fifo[fifo] = std::min(kMore * before, kDeepest);
    deeper = deeper || kernel.fifo[fifo] > before;
  }
  if (!deeper) return Changed::impossible(fmt::format("every FIFO is {} deep", kDeepest));
  return Changed::to(with_kernel(run, kernel));
}

Counterfactual larger(const char* name, const char* meaning, const char* within, int KernelConfig::*side) {
  return {name, meaning, "", within, true, [side](const config::RunConfig& run) {
            KernelConfig kernel = KernelConfig::of(run);
            if (2 * (kernel.*side) > kMostSide) return Changed::impossible(fmt::format("at most {}", kMostSide));
            kernel.*side *= 2;
            return Changed::to(with_kernel(run, kernel));
          }};
}

}  // namespace

std::vector<Counterfactual> counterfactuals() {
  return {{"channels_apart", "each port on a memory channel of its own", "", "", false, with_channels_apart},
          {"wider_ports", "twice the bits of every port (kernel.band)", "", "", false, with_wider_ports},
          {"more_bursts", "four times the outstanding bursts of every port", "", "", false, with_more_bursts},
          {"deeper_fifos", "four times the depth of every FIFO", "", "", false, with_deeper_fifos},
          larger("larger_r", "twice the rows of the mesh", "DSP", &KernelConfig::tr),
          larger("larger_c", "twice the columns of the mesh", "DSP", &KernelConfig::tc),
          larger("deeper_tiles", "twice the products of a tile", "BRAM18", &KernelConfig::tp),
          design::faster_ddr(),
          design::ideal_memory(),
          design::faster_clock()};
}

}  // namespace weft::barista
