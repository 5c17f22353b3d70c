#pragma once

#include "platform/design/design.h"

namespace weft::batchlane {

const design::Design& design();

}  // namespace weft::batchlane
