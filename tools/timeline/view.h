#pragma once

#include <optional>
#include <string>

#include "platform/document/document.h"
#include "platform/iteration/timeline/iteration.h"
#include "platform/iteration/timeline/result.h"
#include "tools/cli/options.h"

namespace weft::tools {

// Steps of a training iteration as a trace for ui.perfetto.dev: a track per resource, and one for the critical path.
// Slices are rounded down to nanoseconds; their exact times are in the annotations. Throws Error if the trace becomes
// too large.
std::string timeline_trace(const timeline::TrainingIteration& iteration);

struct TimelineOptions : ResultOptions {
  std::string perfetto;
  std::optional<std::string> from;
};

// Timeline of a cluster named by CONFIG.
int cluster_timeline_command(const TimelineOptions& options);

// First line of the CSV of the steps.
inline constexpr const char* kStepColumns =
    "operator,direction,class,activity,resource,what,start_ps,end_ps,bytes,kernel,priced_by,memory_channel\n";

report::Document view_of(const timeline::TimelineResult& result);
std::string csv_of(const timeline::TimelineResult& result);

}  // namespace weft::tools
