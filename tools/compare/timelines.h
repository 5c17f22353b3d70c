#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "platform/config/run_config.h"
#include "tools/cli/cli.h"
#include "tools/timeline/report.h"

namespace weft::tools {

// What is compared of an iteration that `weft timeline` has saved.
struct SavedTimeline {
  config::RunConfig run;
  std::int64_t batch = 1;
  std::int64_t iteration_ps = 0;
  std::vector<std::int64_t> where_ps;  // of kTimelineParts, and idle behind them
  double conv_gops = 0, gops = 0;
  std::int64_t kernels = 0, loads = 0, launches = 0, calls = 0;
  Bytes to_card = 0, to_host = 0;
};
// Throws InputError if it is not as `weft timeline` writes it.
SavedTimeline load_timeline(const std::filesystem::path& folder);

// Two iterations side by side, image by image where their batches differ.
Report compare_timelines(const SavedTimeline& a, const SavedTimeline& b, const std::string& name_a,
                         const std::string& name_b, const TableView& view);

// (b - a) / a of the seconds an image.
double iteration_change(const SavedTimeline& a, const SavedTimeline& b);

}  // namespace weft::tools
