#pragma once

#include "model/copy/kernel.h"
#include "model/systemc/virtual_platform.h"

namespace weft::copy::systemc {

// Returns the only platform of this design in the process.
weft::systemc::VirtualPlatform<Kernel>& virtual_platform();

}  // namespace weft::copy::systemc
