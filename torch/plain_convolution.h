#pragma once

#include <cstdint>
#include <vector>

#include "model/conv/convolution.h"
#include "model/conv/layer.h"

namespace weft::nn {

// The convolutions of training a layer in fixed point from the layer's definition, none of it the card's or the
// model's: every product in 64 bits, every sum in 64 bits, cut to 32 at the end (NUM-6, NUM-7 of FPGPT's contract).
// F: IFM and weights, GI: gradient of the OFM and weights, GW: IFM and gradient of the OFM; whole tensors, NCHW.
std::vector<std::int32_t> plain_convolution(const conv::Layer& layer, conv::Kind kind,
                                            const std::vector<std::int16_t>& inp,
                                            const std::vector<std::int16_t>& kern);

}  // namespace weft::nn
