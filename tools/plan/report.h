#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/studies/cluster/array_pipeline.h"

namespace weft::tools {

// The version of the JSON of a plan, and of a cluster's timeline; it grows when a key changes its meaning or goes.
inline constexpr int kPlanSchema = 1;

// A plan of FPDeep's array; tools/plan/tables.h prints it.
nlohmann::ordered_json array_plan_json(const cluster::ArrayConfig& config, const cluster::ArrayPlan& plan,
                                       const cluster::SimulatedArray& simulated);

// What a file of configs/clusters says.
std::string describe_array(const cluster::ArrayConfig& config);

}  // namespace weft::tools
