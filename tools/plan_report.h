#pragma once

#include <string>

#include "platform/cluster/array_plan.h"
#include "platform/report/report.h"

namespace weft::tools {

// The version of the JSON of a plan; it grows when a key changes its meaning or goes.
inline constexpr int kPlanSchema = 1;

report::Report plan_report(const cluster::ArrayConfig& config, const cluster::ArrayPlan& plan);

// What a file of configs/clusters says.
std::string describe_array(const cluster::ArrayConfig& config);

}  // namespace weft::tools
