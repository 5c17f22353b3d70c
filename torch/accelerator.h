#pragma once

#include <cstddef>
#include <cstdint>

#include "torch/kernel_set.h"
#include "torch/precision.h"

namespace weft::nn {

// Whatever runs convolutions of training for weft::nn::Conv2d.
class Accelerator {
 public:
  explicit Accelerator(KernelSet kernels) : kernels_(std::move(kernels)) {
    if (!kernels_.kernels.empty()) precision.format = kernels_.kernels.front().alpha.format;
  }
  virtual ~Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  const KernelSet& kernels() const { return kernels_; }

  // INP and KERN in, OUT back: `plan.bytes` of each as the card's memory has them, NCHW, as a workloads::ConvolutionOp
  // has its tensors. `plan`: of kernels(). Throws Error.
  virtual void run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) = 0;

  // What convolutions are computed in, and what stands between their FP32 tensors and the card's words.
  Precision precision;
  // A number for each layer, in the order in which they are first computed.
  std::uint32_t next_layer() { return layers_++; }

 private:
  KernelSet kernels_;
  std::uint32_t layers_ = 0;
};

}  // namespace weft::nn
