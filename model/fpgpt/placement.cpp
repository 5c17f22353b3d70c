#include "model/fpgpt/placement.h"

#include <fmt/core.h>

#include "model/core/error.h"
#include "model/fpgpt/burst.h"

namespace weft::fpgpt {

namespace {

constexpr Bytes kPage = 4096;

}  // namespace

Placement place(const Alpha& alpha, const TensorBytes& tensors, const std::array<int, kPorts>& channel_of_port,
                int channels, Bytes channel_capacity) {
  const auto guard = [&](Words words) { return (gamma_burst_beats(words, alpha.band) + 1) * alpha.beat_bytes(); };
  const std::array<Bytes, kPorts> sizes{tensors.inp + guard(alpha.z_channel), tensors.kern + guard(alpha.k_range),
                                        tensors.out + alpha.beat_bytes()};
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

conv::Convolution placed(conv::Convolution c, const Placement& placement) {
  c.inp.base += placement.base[static_cast<std::size_t>(Port::Inp)];
  c.kern.base += placement.base[static_cast<std::size_t>(Port::Kern)];
  c.out.base += placement.base[static_cast<std::size_t>(Port::Out)];
  return c;
}

}  // namespace weft::fpgpt
