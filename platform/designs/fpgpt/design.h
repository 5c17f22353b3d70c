#pragma once

#include "platform/design/design.h"

namespace weft::fpgpt {

// FPGPT in the table of designs.
const design::Design& design();

}  // namespace weft::fpgpt
