#pragma once

#include "model/barista/kernel.h"
#include "model/systemc/virtual_platform.h"

namespace weft::barista::systemc {

// The process's one platform of this design.
weft::systemc::VirtualPlatform<Kernel>& virtual_platform();

}  // namespace weft::barista::systemc
