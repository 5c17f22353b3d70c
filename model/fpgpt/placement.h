#pragma once

#include <array>

#include "model/fpgpt/result.h"

namespace weft::fpgpt {

// Placement of the three tensors of a convolution: 4 KB-aligned, one after the other in each channel, each followed by
// a guard for the excess reads of the `hls` profile (the host allocates it).
struct Placement {
  std::array<Address, kPorts> base{};  // in the channel of the port
  std::vector<Bytes> channel_bytes;    // used per channel, guards included
};

// Sizes of the whole tensors, in words.
struct TensorSizes {
  Words inp = 0, kern = 0, out = 0;
};

// Returns the bytes of `words` words of a port's tensor: whole beats if words are narrower than 32 bits.
Bytes tensor_bytes(const Alpha& alpha, Port port, Words words);

// `channel_of_port`: channel of each port, 0 .. channels-1. Throws Error if a channel is too small.
Placement place(const Alpha& alpha, const TensorSizes& tensors, const std::array<int, kPorts>& channel_of_port,
                int channels, Bytes channel_capacity);

// Returns the convolution with its views moved to their placement, as registers hold it (PCK-2).
conv::Convolution placed(conv::Convolution convolution, const Alpha& alpha, const Placement& placement);
// The same without moving: the first words of 32-bit tensors become part of their bases.
conv::Convolution as_registers_hold(conv::Convolution convolution, NumberFormat format);

}  // namespace weft::fpgpt
