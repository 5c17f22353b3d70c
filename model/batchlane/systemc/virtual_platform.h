#pragma once

#include "model/batchlane/kernel.h"
#include "model/systemc/virtual_platform.h"

namespace weft::batchlane::systemc {

// Returns the only platform of this design in the process.
weft::systemc::VirtualPlatform<Kernel>& virtual_platform();

}  // namespace weft::batchlane::systemc
