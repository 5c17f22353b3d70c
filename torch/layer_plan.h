#pragma once

#include <map>
#include <memory>
#include <utility>

#include "torch/accelerator.h"

namespace weft::nn {

// Convolutions of one layer at one input size, planned on first use and cached: beta is computed once. The host side is
// FP32, the accelerator uses its Precision with one scale per tensor.
class LayerPlan {
 public:
  LayerPlan(std::shared_ptr<Accelerator> card, conv::Layer layer);

  const conv::Layer& layer() const { return layer_; }
  // `inp`, `kern`, `out`: whole tensors of `kind`, NCHW. Throws Error; in fixed point also for a NaN or an infinity.
  void run(conv::Kind kind, const float* inp, const float* kern, float* out);

 private:
  const ConvolutionPlan& plan(conv::Kind kind, NumberFormat format);
  quantiser::Randomness randomness(std::uint32_t tensor) const;
  void run_fixed(conv::Kind kind, const ConvolutionPlan& plan, const float* inp, const float* kern, float* out);

  std::shared_ptr<Accelerator> card_;
  conv::Layer layer_;
  std::uint32_t number_;
  std::map<std::pair<conv::Kind, int>, ConvolutionPlan> plans_;  // by kind and bits of the format
};

}  // namespace weft::nn
