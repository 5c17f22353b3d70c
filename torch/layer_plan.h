#pragma once

#include <map>
#include <memory>
#include <utility>

#include "torch/accelerator.h"

namespace weft::nn {

// The convolutions of one layer at one size of its input, planned when they are first needed and then kept: beta is
// computed once. FP32 on this side; on the accelerator's what its Precision says, with one scale for each tensor.
class LayerPlan {
 public:
  LayerPlan(std::shared_ptr<Accelerator> card, conv::Layer layer);

  const conv::Layer& layer() const { return layer_; }
  // Whole tensors of `kind`, NCHW. Throws Error; of fixed point also for a NaN or an infinity.
  void run(conv::Kind kind, const float* inp, const float* kern, float* out);

 private:
  const ConvolutionPlan& plan(conv::Kind kind, NumberFormat format);
  quantiser::Randomness randomness(std::uint32_t tensor) const;
  void run_fixed(conv::Kind kind, const ConvolutionPlan& plan, const float* inp, const float* kern, float* out);

  std::shared_ptr<Accelerator> card_;
  conv::Layer layer_;
  std::uint32_t number_;
  std::map<std::pair<conv::Kind, int>, ConvolutionPlan> plans_;  // by the format's bits, too
};

}  // namespace weft::nn
