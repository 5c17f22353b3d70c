#pragma once

#include "model/fpgpt/exact/cycle.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/memory.h"

namespace weft::fpgpt::exact {

// Steps the blocks of one convolution cycle by cycle without the SystemC kernel: the reference that every faster way of
// driving the same objects must equal. `data` holds the tensors in data mode and is nullptr in timing mode.
// Throws Deadlock if nothing can ever move again.
ConvolutionResult run_clocked(const Plan& plan, memory::Memory& memory, DataMemory* data);

}  // namespace weft::fpgpt::exact
