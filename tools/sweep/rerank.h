#pragma once

#include "platform/studies/sweep/store/rerank.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// The points that were run again on another rung, as `weft show FILE.db --rerank` prints them.
Report rerank_report(const sweep::Results& results);

}  // namespace weft::tools
