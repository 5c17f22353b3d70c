#include "model/fpgpt/placement.h"

#include <fmt/core.h>

#include "model/core/error.h"

namespace weft::fpgpt {

namespace {

constexpr Bytes kPage = 4096;

}  // namespace

Bytes tensor_bytes(const Alpha& alpha, Port port, Words words) {
  const stream::Lanes lanes = alpha.lanes(port);
  return lanes.word_bits == kSumBits ? words * kSumBytes : ceil_div(words, lanes.band) * lanes.beat_bytes;
}

Placement place(const Alpha& alpha, const TensorSizes& tensors, const std::array<int, kPorts>& channel_of_port,
                int channels, Bytes channel_capacity) {
  const auto read = [&](Port port, Words words, Words range) {
    return tensor_bytes(alpha, port, words) + (gamma_burst_beats(range, alpha.band(port)) + 1) * alpha.beat_bytes(port);
  };
  const std::array<Bytes, kPorts> sizes{read(Port::Inp, tensors.inp, alpha.z_channel),
                                        read(Port::Kern, tensors.kern, alpha.k_range),
                                        tensor_bytes(alpha, Port::Out, tensors.out) + alpha.beat_bytes(Port::Out)};
  Placement placement;
  placement.channel_bytes.assign(static_cast<std::size_t>(channels), 0);
  for (std::size_t port = 0; port < kPorts; ++port) {
    Bytes& used = placement.channel_bytes[static_cast<std::size_t>(channel_of_port[port])];
    placement.base[port] = used;
    used += align_up(sizes[port], kPage);
    if (used > channel_capacity) {
      throw Error(
          fmt::format("the tensors need {} bytes in memory channel {}, which holds {}; use a smaller batch or "
                      "another port map",
                      used, channel_of_port[port], channel_capacity));
    }
  }
  return placement;
}

conv::Convolution placed(conv::Convolution c, const Alpha& alpha, const Placement& placement) {
  c.inp.base += placement.base[static_cast<std::size_t>(Port::Inp)];
  c.kern.base += placement.base[static_cast<std::size_t>(Port::Kern)];
  c.out.base += placement.base[static_cast<std::size_t>(Port::Out)];
  return as_registers_hold(c, alpha.format);
}

conv::Convolution as_registers_hold(conv::Convolution c, NumberFormat format) {
  const auto fold = [](conv::TensorView& view) {
    view.base += view.first * kSumBytes;
    view.first = 0;
  };
  if (!format.is_fixed()) {
    fold(c.inp);
    fold(c.kern);
  }
  fold(c.out);
  return c;
}

}  // namespace weft::fpgpt
