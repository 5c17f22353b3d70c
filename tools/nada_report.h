#pragma once

#include <string>

#include "platform/cluster/nada_timeline.h"
#include "platform/report/report.h"

namespace weft::tools {

// Of a plan with an implementation for each layer: the boards, the layers, what binds, and what is published.
report::Report nada_report(const cluster::NadaConfig& config, const cluster::NadaPlan& plan);

// Of a training by it: fill, steady state, drain, update; efficiency over the batch; stores and links.
report::Report nada_timeline_report(const cluster::NadaConfig& config, const cluster::NadaTimeline& timeline);

// What such a file of configs/clusters says.
std::string describe_nada(const cluster::NadaConfig& config);

}  // namespace weft::tools
