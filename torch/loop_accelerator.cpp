#include "torch/loop_accelerator.h"

#include <algorithm>
#include <cstring>

#include "model/conv/loop_nest.h"
#include "model/stream/lanes.h"

namespace weft::nn {

using fpgpt::Port;

namespace {

struct CutSum {
  std::int64_t sum = 0;
  void add(std::int32_t inp, std::int32_t kern) { sum += std::int64_t{inp} * kern; }
  void end_of_a() {}
  std::int32_t value() const { return static_cast<std::int32_t>(sum); }
};

template <class T>
conv::WordSpan<T> words_of(std::vector<std::byte>& channel) {
  return {reinterpret_cast<T*>(channel.data()), static_cast<Words>(channel.size() / sizeof(T))};
}

// A channel lane by lane, and where in it a tensor begins.
std::vector<std::int32_t> unpacked(const fpgpt::Alpha& alpha, Port port, const std::vector<std::byte>& channel,
                                   conv::TensorView& view) {
  const stream::Lanes lanes = alpha.lanes(port);
  std::vector<std::int32_t> words(channel.size() / static_cast<std::size_t>(lanes.beat_bytes) *
                                  static_cast<std::size_t>(lanes.band));
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::int32_t>(lanes.get(channel.data(), static_cast<Words>(i)).bits);
  }
  view.first = alpha.first_word(port, view);
  view.base = 0;
  return words;
}

void run_launch(const fpgpt::Alpha& alpha, conv::Convolution launch, std::vector<std::byte>& inp,
                std::vector<std::byte>& kern, std::vector<std::byte>& out) {
  if (!alpha.format.is_fixed()) {
    conv::run_loop_nest<conv::DoubleSum>(launch, words_of<const float>(inp), words_of<const float>(kern),
                                         words_of<float>(out));
    return;
  }
  const std::vector<std::int32_t> inp_words = unpacked(alpha, Port::Inp, inp, launch.inp),
                                  kern_words = unpacked(alpha, Port::Kern, kern, launch.kern);
  conv::run_loop_nest<CutSum, std::int32_t>(launch, {inp_words.data(), static_cast<Words>(inp_words.size())},
                                            {kern_words.data(), static_cast<Words>(kern_words.size())},
                                            words_of<std::int32_t>(out));
}

}  // namespace

void LoopAccelerator::run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) {
  channels_.resize(plan.placement.channel_bytes.size());
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    channels_[i].assign(static_cast<std::size_t>(plan.placement.channel_bytes[i]), std::byte{0xFF});
  }
  const auto channel = [&](Port port) -> std::vector<std::byte>& {
    return channels_.at(static_cast<std::size_t>(kernels().channel_of_port.at(static_cast<std::size_t>(port))));
  };
  const auto base = [&](Port port) {
    return channel(port).data() + plan.placement.base.at(static_cast<std::size_t>(port));
  };
  std::memcpy(base(Port::Inp), inp, static_cast<std::size_t>(plan.bytes.inp));
  std::memcpy(base(Port::Kern), kern, static_cast<std::size_t>(plan.bytes.kern));
  const fpgpt::Alpha& alpha = kernels().kernels.at(plan.kernel).alpha;
  for (const conv::Convolution& launch : plan.launches) {
    run_launch(alpha, launch, channel(Port::Inp), channel(Port::Kern), channel(Port::Out));
  }
  std::memcpy(out, base(Port::Out), static_cast<std::size_t>(plan.bytes.out));
}

}  // namespace weft::nn
