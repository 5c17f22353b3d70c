#pragma once

#include "model/batchlane/kernel.h"
#include "model/systemc/virtual_platform.h"

namespace weft::batchlane::systemc {

// The process's one platform of this design.
weft::systemc::VirtualPlatform<Kernel>& virtual_platform();

}  // namespace weft::batchlane::systemc
