#pragma once

#include <torch/nn/modules/conv.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "torch/layer_plan.h"

namespace weft::nn {

// Replacement for torch::nn::Conv2d with the same options, parameters, shapes and gradients. The forward convolution
// and those of both gradients run on an accelerator; bias, non-zero padding and everything else on LibTorch. Tensors
// are FP32, on the CPU. Second derivatives are not supported (create_graph is refused).
class Conv2dImpl : public torch::nn::ConvNdImpl<2, Conv2dImpl> {
 public:
  // `name`: of the layer, for messages and to find kernels made for it.
  Conv2dImpl(torch::nn::Conv2dOptions options, std::shared_ptr<Accelerator> card, std::string name = "Conv2d");

  // `input`: (N, C, H, W) or (C, H, W).
  torch::Tensor forward(const torch::Tensor& input);

 private:
  std::shared_ptr<LayerPlan> plan_of(const torch::Tensor& input, bool padded);

  std::shared_ptr<Accelerator> card_;
  std::string name_;
  std::map<std::array<std::int64_t, 3>, std::shared_ptr<LayerPlan>> plans_;  // by images, rows, columns
};
TORCH_MODULE(Conv2d);

// A transposed convolution of one shape, with the weights of torch::nn::ConvTranspose2d. Without an accelerator,
// LibTorch computes it.
class ConvTranspose2dImpl : public torch::nn::Module {
 public:
  ConvTranspose2dImpl(conv::Layer layer, bool bias, std::shared_ptr<Accelerator> card);

  torch::Tensor forward(const torch::Tensor& input);

  torch::Tensor weight, bias;

 private:
  torch::Tensor computed_by_libtorch(const torch::Tensor& input) const;

  conv::Layer layer_;
  std::shared_ptr<LayerPlan> plan_;
};
TORCH_MODULE(ConvTranspose2d);

}  // namespace weft::nn
