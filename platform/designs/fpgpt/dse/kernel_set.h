#pragma once

#include <string>

#include "platform/config/schedule.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/dse/kernel_set.h"

namespace weft::fpgpt::exploration {

// See dse::Explorer::kernel_set. `kernel`: of the run.
weft::dse::KernelSet kernel_set(const std::string& json, const std::string& file, const config::KernelsOfDse& wanted,
                                const KernelConfig& kernel);

}  // namespace weft::fpgpt::exploration
