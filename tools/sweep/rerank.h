#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/studies/sweep/results.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// The `count` best points of a sweep, the best first: within its constraints, least or most of its first objective,
// then of the next, then by number. Decided by the recorded rows alone. Throws Error.
std::vector<std::int64_t> best_points(const sweep::Results& results, std::int64_t count);

// The points that were run again on another rung, beside their first ranks and cycles. A run again that failed, or that
// leaves the constraints, has no second rank. Throws Error if there is none.
Report rerank_report(const sweep::Results& results);

}  // namespace weft::tools
