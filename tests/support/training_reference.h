#pragma once

#include <vector>

#include "model/conv/layer.h"

// oneDNN's training convolutions of a layer: the reference that the lowering is held against.
namespace weft::test {

// All tensors are whole, with all groups, and dense: NCHW, the weights (D, C/groups, kh, kw).

std::vector<float> forward(const conv::Layer& layer, const std::vector<float>& ifm, const std::vector<float>& weights);
std::vector<float> grad_ifm(const conv::Layer& layer, const std::vector<float>& grad_ofm,
                            const std::vector<float>& weights);
std::vector<float> grad_weights(const conv::Layer& layer, const std::vector<float>& ifm,
                                const std::vector<float>& grad_ofm);

}  // namespace weft::test
