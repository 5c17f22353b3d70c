#pragma once

#include "platform/iteration/timeline/comparison.h"
#include "tools/cli/cli.h"

namespace weft::tools {

Report compare_timelines(const timeline::TimelineComparison& comparison, const TableView& view);

}  // namespace weft::tools
