#pragma once

#include <memory>

#include "torch/accelerator.h"

namespace weft::nn {

// Card driven through XRT, real or simulated. A convolution sends its inputs, starts the kernel once per group, waits,
// and fetches its output. Kernels are loaded on demand.
class XrtAccelerator : public Accelerator {
 public:
  // The xclbins must be files. Throws Error if there is no card.
  explicit XrtAccelerator(KernelSet kernels);
  ~XrtAccelerator() override;

  void run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) override;

  // Completes the card's status: a simulated card cannot know that a transfer of whole messages has ended. Sends it a
  // call without costs, after which the status is complete.
  void settle();

 private:
  class Card;
  std::unique_ptr<Card> card_;
};

}  // namespace weft::nn
