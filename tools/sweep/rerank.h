#pragma once

#include <vector>

#include "platform/document/document.h"
#include "platform/studies/sweep/store/rerank.h"
#include "tools/cli/cli.h"

namespace weft::tools {

std::vector<report::Section> rerank_sections(const sweep::Results& results);  // of each rung

// The points that were run again on another rung, as `weft show FILE.db --rerank` prints them. Throws Error if
// there is none.
Report rerank_report(const sweep::Results& results);

}  // namespace weft::tools
