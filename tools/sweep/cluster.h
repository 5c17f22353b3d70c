#pragma once

#include <memory>

#include "platform/studies/sweep/cluster_planner.h"

namespace weft::tools {

// What plans the points of a sweep over clusters, with the project's networks and boards.
std::unique_ptr<sweep::ClusterPlanner> cluster_planner();

}  // namespace weft::tools
