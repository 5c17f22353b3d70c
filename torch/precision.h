#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/number_format.h"
#include "platform/iteration/quantiser/quantiser.h"

namespace weft::nn {

// Computed convolution, passed to observers.
struct Computed {
  const conv::Layer& layer;
  conv::Kind kind;
  NumberFormat format;
  // Result of the whole tensor: in FP32, or in fixed point the raw sums as words of it.
  const float* out = nullptr;
  std::size_t out_words = 0;
  const std::vector<std::int16_t>* inp = nullptr;
  const std::vector<std::int16_t>* kern = nullptr;
  const std::vector<std::int32_t>* sums = nullptr;
  int scale = 0;                     // of the sums: a sum q has the value q * 2^-scale
  quantiser::Randomness randomness;  // to quantise OUT

  std::string name() const;  // "layer1.0.conv1:GW"
};

// Number format of the convolutions, and the host's conversions of tensors for kernels of fixed point (NUM-9 to NUM-11
// of docs/how-to/train.md).
struct Precision {
  NumberFormat format;                                                 // of all convolutions ...
  std::function<NumberFormat(const std::string& convolution)> chosen;  // ... or chosen per convolution, if set
  std::uint64_t seed = 1;
  std::uint32_t iteration = 0;
  int headroom = 0;  // bits of each operand reserved for sums
  std::vector<std::function<void(const Computed&)>> watchers;

  NumberFormat of(const std::string& convolution) const { return chosen ? chosen(convolution) : format; }
};

}  // namespace weft::nn
