#pragma once

#include "platform/design/design.h"

namespace weft::copy_design {

const design::Design& design();

}  // namespace weft::copy_design
