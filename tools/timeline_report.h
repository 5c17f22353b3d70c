#pragma once

#include <array>
#include <string>

#include "platform/report/report.h"
#include "platform/timeline/iteration.h"

namespace weft::tools {

// What a report calls an activity. What runs at once counts as the first of these, in this order.
struct TimelinePart {
  timeline::Activity activity;
  const char* name;
  const char* meaning;
};
inline constexpr std::array<TimelinePart, 8> kTimelineParts{
    {{timeline::Activity::Kernel, "kernels", "convolutions on the card"},
     {timeline::Activity::Precompute, "precompute", "kernels deriving what they need from their registers"},
     {timeline::Activity::Reconfiguration, "reconfiguration", "loads of bitstreams"},
     {timeline::Activity::ToCard, "H2C", "data on the link to the card"},
     {timeline::Activity::ToHost, "C2H", "data on the link to the host"},
     {timeline::Activity::Call, "calls", "software around transfers and launches"},
     {timeline::Activity::HostOperator, "host layers", "operators of the host"},
     {timeline::Activity::Im2col, "im2col", "im2col on the host"}}};

report::Report timeline_report(const timeline::TrainingIteration& iteration);

// One line of it: "690.1 s an iteration of 256 images, 959 h an epoch: kernels 85%, ...".
std::string timeline_line(const timeline::TrainingIteration& iteration);

}  // namespace weft::tools
