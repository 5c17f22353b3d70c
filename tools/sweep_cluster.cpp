#include "tools/sweep_cluster.h"

#include "platform/cluster/sweep_planner.h"
#include "tools/cli.h"

namespace weft::tools {

std::unique_ptr<sweep::ClusterPlanner> cluster_planner() {
  return cluster::sweep_planner(project_library());
}

}  // namespace weft::tools
