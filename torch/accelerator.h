#pragma once

#include <cstddef>
#include <cstdint>

#include "torch/kernel_set.h"
#include "torch/precision.h"

namespace weft::nn {

// Device that runs the convolutions of training for weft::nn::Conv2d.
class Accelerator {
 public:
  explicit Accelerator(KernelSet kernels) : kernels_(std::move(kernels)) {
    if (!kernels_.kernels.empty()) precision.format = kernels_.kernels.front().alpha.format;
  }
  virtual ~Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  const KernelSet& kernels() const { return kernels_; }

  // Sends INP and KERN, runs the convolution and fetches OUT: `plan.bytes` of each in the layout of the card's memory,
  // NCHW, tensors in the order of workloads::ConvolutionOp. `plan`: made for kernels(). Throws Error.
  virtual void run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) = 0;

  // Number format of the convolutions, and the conversion between FP32 tensors and the card's words.
  Precision precision;
  // Returns a number for each layer, in the order of their first computation.
  std::uint32_t next_layer() { return layers_++; }

 private:
  KernelSet kernels_;
  std::uint32_t layers_ = 0;
};

}  // namespace weft::nn
