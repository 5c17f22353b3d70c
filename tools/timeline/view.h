#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/document/table_view.h"
#include "platform/iteration/timeline/iteration.h"
#include "platform/iteration/timeline/result.h"
#include "tools/cli/cache.h"
#include "tools/cli/options.h"

namespace weft::tools {

// The steps of a training iteration as a trace for ui.perfetto.dev: a track for each resource, and one with the
// critical path. Slices begin and end at the nanosecond that the exact time, which is noted in them, lies in. Throws
// Error if it becomes too large.
std::string timeline_trace(const timeline::TrainingIteration& iteration);

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

// The first line of the CSV of its steps.
inline constexpr const char* kStepColumns =
    "operator,direction,class,activity,resource,what,start_ps,end_ps,bytes,kernel,priced_by,memory_channel\n";

report::Document view_of(const timeline::TimelineResult& result);
report::Report timeline_report(const timeline::TimelineResult& result, const report::TableView& view);

// A saved one. Throws InputError if weft timeline did not write it.
timeline::TimelineResult load_timeline(const std::filesystem::path& folder);

}  // namespace weft::tools
