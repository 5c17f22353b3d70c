#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "platform/run/result.h"
#include "tools/bench/cost.h"

namespace weft::tools {

inline constexpr int kRuns = 3;

// The run of median processor time.
Cost median_cost(const std::function<void()>& work, int runs = kRuns);

inline constexpr const char* kHeadline = "googlenet-u250";

// What some convolutions of a run cost on one core.
struct Rate {
  Cycles cycles = 0;
  engine::ExactAccount account;
  double seconds = 0;  // of processor time
  std::int64_t peak_bytes = 0;

  double cycles_per_second() const { return static_cast<double>(cycles) / seconds; }
};
// `config`: a run's; `only`: as a run has it, mostly LAYER:KIND; `rung` and `batch` as in a run; the median of `runs`.
Rate rate_of(const std::string& config, const std::string& only, const std::string& rung, int batch, int runs,
             const std::vector<config::Override>& extra = {});

}  // namespace weft::tools
