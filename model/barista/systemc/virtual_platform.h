#pragma once

#include "model/barista/kernel.h"
#include "model/systemc/virtual_platform.h"

namespace weft::barista::systemc {

// Returns the only platform of this design in the process.
weft::systemc::VirtualPlatform<Kernel>& virtual_platform();

}  // namespace weft::barista::systemc
