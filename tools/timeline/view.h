#pragma once

#include <optional>
#include <string>

#include "platform/document/document.h"
#include "platform/iteration/timeline/iteration.h"
#include "platform/iteration/timeline/result.h"
#include "tools/cli/options.h"

namespace weft::tools {

// The steps of a training iteration as a trace for ui.perfetto.dev: a track for each resource, and one with the
// critical path. Slices begin and end at the nanosecond that the exact time, which is noted in them, lies in. Throws
// Error if it becomes too large.
std::string timeline_trace(const timeline::TrainingIteration& iteration);

struct TimelineOptions : ResultOptions {
  std::string perfetto;
  std::optional<std::string> from;
};

// The same of a cluster, which CONFIG is.
int cluster_timeline_command(const TimelineOptions& options);

// The first line of the CSV of its steps.
inline constexpr const char* kStepColumns =
    "operator,direction,class,activity,resource,what,start_ps,end_ps,bytes,kernel,priced_by,memory_channel\n";

report::Document view_of(const timeline::TimelineResult& result);
std::string csv_of(const timeline::TimelineResult& result);

}  // namespace weft::tools
