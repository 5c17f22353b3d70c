#pragma once

#include <vector>

#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"
#include "model/memory/store.h"
#include "platform/cosim/rtl_kernel.h"

namespace weft::cosim {

// Runs one convolution on the RTL alone, as fast as it goes. `stores` are the memory's channels; `channels` those of
// the ports. Returns the cycles from the start to the last write response. Throws Error if the kernel refuses beta,
// reports no end, or is not done after `limit` cycles.
Cycles run_rtl(RtlKernel& rtl, const fpgpt::Plan& plan, const memory::MemoryConfig& memory,
               const std::array<int, fpgpt::kPorts>& channels, std::vector<memory::Store>& stores, Cycles limit);

}  // namespace weft::cosim
