#pragma once

#include <memory>

#include "torch/accelerator.h"

namespace weft::nn {

// The card, through XRT: real or simulated, that is not seen from here. A convolution sends its inputs, starts the
// kernel once a group, waits, and fetches its output. Another kernel is loaded when a convolution needs one.
class XrtAccelerator : public Accelerator {
 public:
  // The kernels' xclbins must be files. Throws Error if there is no card.
  explicit XrtAccelerator(KernelSet kernels);
  ~XrtAccelerator() override;

  void run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) override;

  // A transfer of whole messages may go on, for all that the simulated card knows: sends it a call that costs nothing,
  // behind which its status is complete.
  void settle();

 private:
  class Card;
  std::unique_ptr<Card> card_;
};

}  // namespace weft::nn
