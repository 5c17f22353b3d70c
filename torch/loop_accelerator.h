#pragma once

#include <cstdint>
#include <vector>

#include "model/conv/convolution.h"
#include "torch/accelerator.h"

namespace weft::nn {

// The convolutions of training a layer in fixed point from the layer's definition, none of it the card's or the
// model's: every product in 64 bits, every sum in 64 bits, cut to 32 at the end (NUM-6, NUM-7 of FPGPT's contract).
// F: IFM and weights, GI: gradient of the OFM and weights, GW: IFM and gradient of the OFM; whole tensors, NCHW.
std::vector<std::int32_t> plain_convolution(const conv::Layer& layer, conv::Kind kind,
                                            const std::vector<std::int16_t>& inp,
                                            const std::vector<std::int16_t>& kern);

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
