#pragma once

#include <cstdint>
#include <vector>

#include "model/conv/convolution.h"
#include "torch/accelerator.h"

namespace weft::nn {

// Fixed-point reference for a layer's convolutions, independent of the card and the model: products and sums in 64
// bits, cut to 32 at the end (NUM-6, NUM-7 of FPGPT's contract). F: IFM and weights, GI: gradient of the OFM and
// weights, GW: IFM and gradient of the OFM; whole tensors, NCHW.
std::vector<std::int32_t> plain_convolution(const conv::Layer& layer, conv::Kind kind,
                                            const std::vector<std::int16_t>& inp,
                                            const std::vector<std::int16_t>& kern);

// Accelerator without a card, to test Conv2d: sample by sample, summed in double precision (fixed point: in 64 bits,
// cut to 32), in memory channels laid out as on the card. Bytes outside of the tensors are NaN, or words other than 0,
// so that a wrong address is noticed.
class LoopAccelerator : public Accelerator {
 public:
  using Accelerator::Accelerator;

  void run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) override;

 private:
  std::vector<std::vector<std::byte>> channels_;
};

}  // namespace weft::nn
