#include "torch/loop_accelerator.h"

#include <algorithm>
#include <cstddef>
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

// Words of a channel in lane order; sets the position of the tensor in `view`.
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

namespace {

using Index = std::ptrdiff_t;
using Sums = std::vector<std::int64_t>;

// Outputs of an axis whose window has a sample at a tap, and the sample of the first of them; the next ones follow at
// distance `stride`.
struct Reach {
  Index first = 0, count = 0, sample = 0;
};
Reach reach(const conv::LayerAxis& axis, Index tap) {
  Reach reach;
  const Index offset = tap * axis.dilation - axis.pad_begin;  // sample = output * stride + offset
  while (reach.first * axis.stride + offset < 0) ++reach.first;
  reach.sample = reach.first * axis.stride + offset;
  while (reach.first + reach.count < axis.out() && reach.sample + reach.count * axis.stride < axis.size) ++reach.count;
  return reach;
}

// One multiply-accumulate for each pair of sample and weight that contribute to an output. `row` handles one weight and
// one row of the OFM: (IFM's first sample, weight, OFM's first output, count, stride), all as indices.
template <class Row>
void for_rows(const conv::Layer& layer, const Row& row) {
  const Index channels = layer.channels / layer.groups, filters = layer.filters / layer.groups;
  const Index rows = layer.h.out(), columns = layer.w.out();
  for (Index n = 0; n < layer.batch; ++n) {
    for (Index f = 0; f < layer.filters; ++f) {
      for (Index c = 0; c < channels; ++c) {
        const Index map = (n * layer.channels + f / filters * channels + c) * layer.h.size * layer.w.size;
        for (Index i = 0; i < layer.h.kernel; ++i) {
          const Reach down = reach(layer.h, i);
          for (Index j = 0; j < layer.w.kernel; ++j) {
            const Reach across = reach(layer.w, j);
            const Index weight = ((f * channels + c) * layer.h.kernel + i) * layer.w.kernel + j;
            for (Index y = 0; y < down.count; ++y) {
              row(map + (down.sample + y * layer.h.stride) * layer.w.size + across.sample, weight,
                  ((n * layer.filters + f) * rows + down.first + y) * columns + across.first, across.count,
                  Index{layer.w.stride});
            }
          }
        }
      }
    }
  }
}

void forward(const conv::Layer& layer, const std::int16_t* ifm, const std::int16_t* weights, Sums& ofm) {
  for_rows(layer, [&](Index in, Index weight, Index out, Index count, Index stride) {
    const std::int64_t factor = weights[weight];
    for (Index x = 0; x < count; ++x) ofm.data()[out + x] += factor * ifm[in + x * stride];
  });
}

void grad_ifm(const conv::Layer& layer, const std::int16_t* gradient, const std::int16_t* weights, Sums& ifm) {
  for_rows(layer, [&](Index in, Index weight, Index out, Index count, Index stride) {
    const std::int64_t factor = weights[weight];
    for (Index x = 0; x < count; ++x) ifm.data()[in + x * stride] += factor * gradient[out + x];
  });
}

void grad_weights(const conv::Layer& layer, const std::int16_t* ifm, const std::int16_t* gradient, Sums& weights) {
  for_rows(layer, [&](Index in, Index weight, Index out, Index count, Index stride) {
    std::int64_t sum = 0;
    for (Index x = 0; x < count; ++x) sum += std::int64_t{ifm[in + x * stride]} * gradient[out + x];
    weights.data()[weight] += sum;
  });
}

}  // namespace

std::vector<std::int32_t> plain_convolution(const conv::Layer& layer, conv::Kind kind,
                                            const std::vector<std::int16_t>& inp,
                                            const std::vector<std::int16_t>& kern) {
  kind = conv::computed_as(layer, kind);
  const Index ofm = Index{layer.batch} * layer.filters * layer.h.out() * layer.w.out(),
              ifm = Index{layer.batch} * layer.channels * layer.h.size * layer.w.size,
              weights = Index{layer.filters} * (layer.channels / layer.groups) * layer.h.kernel * layer.w.kernel;
  Sums sums(static_cast<std::size_t>(kind == conv::Kind::F ? ofm : kind == conv::Kind::GI ? ifm : weights));
  switch (kind) {
    case conv::Kind::F:
      forward(layer, inp.data(), kern.data(), sums);
      break;
    case conv::Kind::GI:
      grad_ifm(layer, inp.data(), kern.data(), sums);
      break;
    case conv::Kind::GW:
      grad_weights(layer, inp.data(), kern.data(), sums);
      break;
  }
  std::vector<std::int32_t> cut(sums.size());
  std::transform(sums.begin(), sums.end(), cut.begin(),
                 [](std::int64_t sum) { return static_cast<std::int32_t>(sum); });
  return cut;
}

}  // namespace weft::nn
