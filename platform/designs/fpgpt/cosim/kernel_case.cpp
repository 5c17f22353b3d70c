#include "platform/designs/fpgpt/cosim/kernel_case.h"

#include <algorithm>

#include "model/fpgpt/launch.h"
#include "model/fpgpt/registers.h"
#include "model/fpgpt/sizing.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/designs/fpgpt/design.h"

namespace weft::fpgpt {

namespace {

std::array<int, kPorts> channel_of_port(const std::vector<int>& channels) {
  std::array<int, kPorts> result{};
  std::copy_n(channels.begin(), kPorts, result.begin());
  return result;
}

}  // namespace

cosim::Hardware hardware(const Alpha& alpha, std::int64_t max_sets) {
  cosim::Hardware hardware{&topology(), rtl_kernel(alpha, max_sets), alpha.bus_words(), {}, {}};
  for (std::size_t i = 0; i < kFifos; ++i) {
    const auto fifo = static_cast<FifoId>(i);
    const bool of_sums = fifo == FifoId::OutRow || fifo == FifoId::OutGroup || fifo == FifoId::OutBeat;
    hardware.fifo_words.push_back(widest_token(alpha, fifo));
    hardware.fifo_word_bits.push_back(of_sums ? kSumBits : alpha.format.bits);
  }
  return hardware;
}

cosim::RtlStart rtl_start(const conv::Convolution& beta, NumberFormat format) {
  const BetaWords words = encode(beta, format);
  return {{words.begin(), words.end()}, launch_cycles(beta)};
}

cosim::ModelCounts KernelCase::run_model(const cosim::Surroundings& surroundings, std::vector<memory::Store>& stores,
                                         stream::Observer& observer) const {
  const std::unique_ptr<memory::Memory> memory = memory::make_memory(surroundings.memory);
  const ConvolutionResult result =
      systemc::virtual_platform().run(plan_, *memory, channel_of_port(surroundings.channels), &stores, &observer);
  return {result.cycles, result.drain_cycles + kDoneCycles, {result.activities.begin(), result.activities.end()}};
}

}  // namespace weft::fpgpt
