#pragma once

#include <memory>
#include <vector>

#include "model/fpgpt/alpha.h"
#include "platform/design/card_kernel.h"
#include "platform/design/row.h"

namespace weft::fpgpt {

// FPGPT on a card: the registers of REGISTERS.md, and what a start does.
std::unique_ptr<design::CardKernels> card_kernels(const design::CardOptions& options);
std::vector<design::KernelArgument> card_arguments(NumberFormat format);

}  // namespace weft::fpgpt
