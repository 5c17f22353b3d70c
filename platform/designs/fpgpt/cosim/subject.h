#pragma once

#include "platform/hardware/cosim/subject.h"

namespace weft::fpgpt {

// FPGPT's campaigns and faults.
const cosim::Subject& cosim_subject();

}  // namespace weft::fpgpt
