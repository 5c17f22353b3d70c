#pragma once

#include <optional>
#include <string>

#include "tools/cli/options.h"

namespace weft::tools {

struct TimelineOptions : ResultOptions {
  std::string perfetto;
  std::optional<std::string> from;
};

// Timeline of a cluster named by CONFIG.
int cluster_timeline_command(const TimelineOptions& options);

}  // namespace weft::tools
