#pragma once

#include <torch/nn/modules/conv.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "torch/layer_plan.h"

namespace weft::nn {

// In place of torch::nn::Conv2d: the same options, parameters, shapes and gradients, with the forward convolution and
// those of both gradients on an accelerator. Bias, padding by other values than zero, and everything else are
// LibTorch's. Tensors are of FP32, on the CPU. Gradients have no gradients of their own (create_graph is refused).
class Conv2dImpl : public torch::nn::ConvNdImpl<2, Conv2dImpl> {
 public:
  // `name`: of the layer, for messages, and for kernels that were made for it.
  Conv2dImpl(torch::nn::Conv2dOptions options, std::shared_ptr<Accelerator> card, std::string name = "Conv2d");

  // (N, C, H, W) or (C, H, W).
  torch::Tensor forward(const torch::Tensor& input);

 private:
  std::shared_ptr<LayerPlan> plan_of(const torch::Tensor& input, bool padded);

  std::shared_ptr<Accelerator> card_;
  std::string name_;
  std::map<std::array<std::int64_t, 3>, std::shared_ptr<LayerPlan>> plans_;  // by images, rows, columns
};
TORCH_MODULE(Conv2d);

}  // namespace weft::nn
