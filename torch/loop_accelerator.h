#pragma once

#include <vector>

#include "torch/accelerator.h"

namespace weft::nn {

// Runs convolutions without a card, sample by sample and summed in double precision, of fixed point in 64 bits cut to
// 32, in memory channels laid out as on the card: what Conv2d asks for is tested on it. Bytes that no tensor covers are
// NaN, or words other than 0, so that a wrong address shows.
class LoopAccelerator : public Accelerator {
 public:
  using Accelerator::Accelerator;

  void run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) override;

 private:
  std::vector<std::vector<std::byte>> channels_;
};

}  // namespace weft::nn
