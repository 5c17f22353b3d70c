#pragma once

#include <array>

#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"

namespace weft::fpgpt {

// Where the three tensors of a convolution lie: 4 KB-aligned, one after the other in each channel, each followed by a
// guard that the excess reads of the `hls` profile may run into (the host allocates it).
struct Placement {
  std::array<Address, kPorts> base{};  // in the channel of the port
  std::vector<Bytes> channel_bytes;    // used per channel, guards included
};

struct TensorBytes {
  Bytes inp = 0, kern = 0, out = 0;
};

// `channel_of_port`: the channel of each port, 0 .. channels-1. Throws Error if a channel holds less than is needed.
Placement place(const Alpha& alpha, const TensorBytes& tensors, const std::array<int, kPorts>& channel_of_port,
                int channels, Bytes channel_capacity);

// The convolution with its views moved to their place.
conv::Convolution placed(conv::Convolution convolution, const Placement& placement);

}  // namespace weft::fpgpt
