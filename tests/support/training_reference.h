#pragma once

#include <cstdint>
#include <vector>

#include "model/conv/convolution.h"

// oneDNN's training convolutions of a layer: the reference for the lowering.
namespace weft::test {

// All tensors are whole, with all groups, and dense: NCHW; the weights are (D, C/groups, kh, kw).

std::vector<float> forward(const conv::Layer& layer, const std::vector<float>& ifm, const std::vector<float>& weights);
// forward() of 8-bit integers, exact in 32 bits as long as two neighbouring products fit 16.
std::vector<std::int32_t> forward_s8(const conv::Layer& layer, const std::vector<std::int8_t>& ifm,
                                     const std::vector<std::int8_t>& weights);
std::vector<float> grad_ifm(const conv::Layer& layer, const std::vector<float>& grad_ofm,
                            const std::vector<float>& weights);
std::vector<float> grad_weights(const conv::Layer& layer, const std::vector<float>& ifm,
                                const std::vector<float>& grad_ofm);

}  // namespace weft::test
