#include "tools/sweep/cluster.h"

#include "platform/studies/cluster/sweep_planner.h"
#include "tools/cli/cli.h"

namespace weft::tools {

std::unique_ptr<sweep::ClusterPlanner> cluster_planner() {
  return cluster::sweep_planner(project_library());
}

}  // namespace weft::tools
