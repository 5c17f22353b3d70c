#pragma once

#include "torch/kernel_set.h"

namespace weft::nn {

// Whatever runs convolutions of training for weft::nn::Conv2d.
class Accelerator {
 public:
  explicit Accelerator(KernelSet kernels) : kernels_(std::move(kernels)) {}
  virtual ~Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  const KernelSet& kernels() const { return kernels_; }

  // INP and KERN in, OUT back: `plan.bytes` of each, NCHW, as a workloads::ConvolutionOp has its tensors. `plan`: of
  // kernels(). Throws Error.
  virtual void run(const ConvolutionPlan& plan, const float* inp, const float* kern, float* out) = 0;

 private:
  KernelSet kernels_;
};

}  // namespace weft::nn
