#pragma once

#include <array>

#include "model/fpgpt/result.h"

namespace weft::fpgpt {

// Where the three tensors of a convolution lie: 4 KB-aligned, one after the other in each channel, each followed by a
// guard that the excess reads of the `hls` profile may run into (the host allocates it).
struct Placement {
  std::array<Address, kPorts> base{};  // in the channel of the port
  std::vector<Bytes> channel_bytes;    // used per channel, guards included
};

// Words of the whole tensors.
struct TensorSizes {
  Words inp = 0, kern = 0, out = 0;
};

// The bytes of so many words of a port's tensor, whole beats of words that are narrower than 32 bits.
Bytes tensor_bytes(const Alpha& alpha, Port port, Words words);

// `channel_of_port`: the channel of each port, 0 .. channels-1. Throws Error if a channel holds less than is needed.
Placement place(const Alpha& alpha, const TensorSizes& tensors, const std::array<int, kPorts>& channel_of_port,
                int channels, Bytes channel_capacity);

// The convolution with its views moved to their place, as registers hold it (PCK-2).
conv::Convolution placed(conv::Convolution convolution, const Alpha& alpha, const Placement& placement);
// The same where it is: the first words of 32-bit tensors are part of their bases.
conv::Convolution as_registers_hold(conv::Convolution convolution, NumberFormat format);

}  // namespace weft::fpgpt
