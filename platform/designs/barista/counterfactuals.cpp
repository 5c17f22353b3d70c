#include <algorithm>

#include "platform/design/kernel_changes.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/barista/kernel_config.h"

namespace weft::barista {

using design::Changed;
using design::Counterfactual;

namespace {

constexpr int kMostSide = 4096;  // what a file may say

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

}  // namespace

std::vector<Counterfactual> counterfactuals() {
  return {{"channels_apart", "each port on a memory channel of its own", "", "", false, with_channels_apart},
          design::wider_ports<KernelConfig>(),
          design::more_bursts<KernelConfig>(),
          design::deeper_fifos<KernelConfig>(),
          design::larger("larger_r", "twice the rows of the mesh", "DSP", &KernelConfig::tr, kMostSide),
          design::larger("larger_c", "twice the columns of the mesh", "DSP", &KernelConfig::tc, kMostSide),
          design::larger("deeper_tiles", "twice the products of a tile", "BRAM18", &KernelConfig::tp, kMostSide),
          design::faster_ddr(),
          design::ideal_memory(),
          design::faster_clock()};
}

}  // namespace weft::barista
