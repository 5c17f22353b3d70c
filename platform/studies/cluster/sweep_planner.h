#pragma once

#include <memory>

#include "platform/config/compose.h"
#include "platform/studies/sweep/cluster_planner.h"

namespace weft::cluster {

// Plans the clusters of a sweep, of any design, with the networks and boards of `library`; it keeps the networks that
// it has read.
std::unique_ptr<sweep::ClusterPlanner> sweep_planner(const config::Library& library);

}  // namespace weft::cluster
