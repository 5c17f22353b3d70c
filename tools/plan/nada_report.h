#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/studies/cluster/nada_timeline.h"

// Results of clusters with an implementation for each layer, as JSON; tools/plan/tables.h prints them.
namespace weft::tools {

// Of a plan: the boards, the layers, what binds, and what is published.
nlohmann::ordered_json nada_plan_json(const cluster::NadaConfig& config, const cluster::NadaPlan& plan);

// Of a training by it: fill, steady state, drain, update; efficiency over the batch; stores and links.
nlohmann::ordered_json nada_timeline_json(const cluster::NadaConfig& config, const cluster::NadaTimeline& timeline);

// What such a file of configs/clusters says.
std::string describe_nada(const cluster::NadaConfig& config);

}  // namespace weft::tools
