#include "platform/cluster/array_plan.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/plan_report.h"
#include "workloads/catalogue.h"

namespace weft::tools {

int plan_command(const PlanOptions& options) {
  const Format format = parse_format(options.format, true);
  const config::Library library = project_library();
  const cluster::ArrayConfig config = cluster::load_array(options.config, parse_overrides(options.sets), library);
  const workloads::ImportedGraph network =
      workloads::find_graph(config.network, {(library.configs / "networks").string()});
  print(plan_report(config, cluster::plan_array(config, network)), format);
  return 0;
}

}  // namespace weft::tools
