#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/cache.h"
#include "tools/cli/options.h"

namespace weft::tools {

struct TimelineOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, workers, perfetto, columns;
  std::optional<std::string> from;
  std::string format = "table";
  SaveOptions save;
  CacheOptions cache;
};

// The same of a cluster, which CONFIG is.
int cluster_timeline_command(const TimelineOptions& options);

}  // namespace weft::tools
