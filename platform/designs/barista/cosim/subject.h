#pragma once

#include "platform/hardware/cosim/subject.h"

namespace weft::barista {

// Barista's campaigns and faults.
const cosim::Subject& cosim_subject();

}  // namespace weft::barista
