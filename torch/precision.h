#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/number_format.h"
#include "platform/iteration/quantiser/quantiser.h"

namespace weft::nn {

// A convolution that was computed, for those who watch.
struct Computed {
  const conv::Layer& layer;
  conv::Kind kind;
  NumberFormat format;
  // What it came to, in words of the whole tensor: in FP32, or in fixed point the raw sums of these words.
  const float* out = nullptr;
  std::size_t out_words = 0;
  const std::vector<std::int16_t>* inp = nullptr;
  const std::vector<std::int16_t>* kern = nullptr;
  const std::vector<std::int32_t>* sums = nullptr;
  int scale = 0;                     // of the sums: each is worth q * 2^-scale
  quantiser::Randomness randomness;  // of OUT, were it quantised

  std::string name() const;  // "layer1.0.conv1:GW"
};

// What convolutions are computed in, and what their host does to tensors that go to kernels of fixed point and come
// back (NUM-9 to NUM-11 of docs/train.md).
struct Precision {
  NumberFormat format;                                                 // of all ...
  std::function<NumberFormat(const std::string& convolution)> chosen;  // ... unless something chooses for each
  std::uint64_t seed = 1;
  std::uint32_t iteration = 0;
  int headroom = 0;  // bits of each operand that are left to sums
  std::vector<std::function<void(const Computed&)>> watchers;

  NumberFormat of(const std::string& convolution) const { return chosen ? chosen(convolution) : format; }
};

}  // namespace weft::nn
