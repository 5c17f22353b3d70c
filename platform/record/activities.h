#pragma once

#include "model/core/activity.h"
#include "platform/record/record.h"

namespace weft {

// The four counts of a block, in cycles, by the names of kActivityNames.
void fields(record::Visitor& io, Activities& activities);

}  // namespace weft
