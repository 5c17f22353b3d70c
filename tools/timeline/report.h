#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "platform/document/report.h"
#include "platform/document/table_view.h"
#include "platform/iteration/timeline/iteration.h"

namespace weft::tools {

// What a report calls an activity. What runs at once counts as the first of these, in this order.
struct TimelinePart {
  timeline::Activity activity;
  const char* name;
  const char* meaning;
};
inline constexpr std::array<TimelinePart, 12> kTimelineParts{
    {{timeline::Activity::Kernel, "kernels", "convolutions on the card"},
     {timeline::Activity::Precompute, "precompute", "kernels deriving what they need from their registers"},
     {timeline::Activity::Reconfiguration, "reconfiguration", "loads of bitstreams"},
     {timeline::Activity::ToCard, "H2C", "data on the link to the card"},
     {timeline::Activity::ToHost, "C2H", "data on the link to the host"},
     {timeline::Activity::Call, "calls", "software around transfers and launches"},
     {timeline::Activity::HostOperator, "host layers", "operators of the host"},
     {timeline::Activity::Im2col, "im2col", "im2col on the host"},
     {timeline::Activity::Tiling, "tiling", "matrices into tiles, on the host"},
     {timeline::Activity::Untiling, "untiling", "matrices out of tiles and back into maps, on the host"},
     {timeline::Activity::Quantise, "quantise", "FP32 into fixed point, on the host"},
     {timeline::Activity::Dequantise, "dequantise", "sums of fixed point into FP32, on the host"}}};

// Of hosts that prepare each launch, or of kernels of fixed point; other timelines have no word of them.
constexpr bool of_prepared_launches(timeline::Activity activity) {
  return activity == timeline::Activity::Tiling || activity == timeline::Activity::Untiling;
}
constexpr bool of_fixed_point(timeline::Activity activity) {
  return activity == timeline::Activity::Quantise || activity == timeline::Activity::Dequantise;
}
constexpr bool of_some_kernels(timeline::Activity activity) {
  return of_prepared_launches(activity) || of_fixed_point(activity);
}

// The version of the JSON of a timeline; it grows when a key changes its meaning or goes.
inline constexpr int kTimelineSchema = 2;

// The first line of its CSV.
inline constexpr const char* kStepColumns =
    "operator,direction,class,activity,resource,what,start_ps,end_ps,bytes,kernel,priced_by,memory_channel\n";

report::Report timeline_report(const timeline::TrainingIteration& iteration, const report::TableView& view);

// The tables of a saved one: what weft timeline printed. Throws InputError if it did not write it.
std::string saved_timeline_tables(const std::filesystem::path& folder, const report::TableView& view);

// One line of it: "690.1 s an iteration of 256 images, 959 h an epoch: kernels 85%, ...".
std::string timeline_line(const timeline::TrainingIteration& iteration);

}  // namespace weft::tools
