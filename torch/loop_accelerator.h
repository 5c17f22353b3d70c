#pragma once

#include <vector>

#include "torch/accelerator.h"

namespace weft::nn {

// Runs convolutions without a card, sample by sample and summed in double precision, in memory channels laid out as on
// the card: what Conv2d asks for is tested on it. Words that no tensor covers are NaN, so that a wrong address shows.
class LoopAccelerator : public Accelerator {
 public:
  using Accelerator::Accelerator;

  void run(const ConvolutionPlan& plan, const float* inp, const float* kern, float* out) override;

 private:
  std::vector<std::vector<float>> channels_;
};

}  // namespace weft::nn
