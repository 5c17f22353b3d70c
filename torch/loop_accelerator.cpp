#include "torch/loop_accelerator.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "model/conv/loop_nest.h"

namespace weft::nn {

using fpgpt::Port;

void LoopAccelerator::run(const ConvolutionPlan& plan, const float* inp, const float* kern, float* out) {
  channels_.resize(plan.placement.channel_bytes.size());
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    channels_[i].assign(static_cast<std::size_t>(plan.placement.channel_bytes[i] / 4),
                        std::numeric_limits<float>::quiet_NaN());
  }
  const auto channel = [&](Port port) -> std::vector<float>& {
    return channels_.at(static_cast<std::size_t>(kernels().channel_of_port.at(static_cast<std::size_t>(port))));
  };
  const auto base = [&](Port port) {
    return channel(port).data() + plan.placement.base.at(static_cast<std::size_t>(port)) / 4;
  };
  std::memcpy(base(Port::Inp), inp, static_cast<std::size_t>(plan.bytes.inp));
  std::memcpy(base(Port::Kern), kern, static_cast<std::size_t>(plan.bytes.kern));
  for (const conv::Convolution& launch : plan.launches) {
    const auto read = [&](Port port) {
      return conv::WordSpan<const float>{channel(port).data(), static_cast<Words>(channel(port).size())};
    };
    conv::run_loop_nest<conv::DoubleSum>(launch, read(Port::Inp), read(Port::Kern),
                                         {channel(Port::Out).data(), static_cast<Words>(channel(Port::Out).size())});
  }
  std::memcpy(out, base(Port::Out), static_cast<std::size_t>(plan.bytes.out));
}

}  // namespace weft::nn
