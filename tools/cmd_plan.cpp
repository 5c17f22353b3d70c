#include <fmt/core.h>

#include <cstdio>

#include "platform/cluster/array_plan.h"
#include "platform/cluster/nada_plan.h"
#include "platform/os/interrupt.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/nada_report.h"
#include "tools/plan_report.h"
#include "tools/progress.h"
#include "workloads/catalogue.h"

namespace weft::tools {

namespace {

int plan_layers(const PlanOptions& options, Format format, const config::Library& library) {
  const cluster::NadaConfig config = cluster::load_nada(options.config, parse_overrides(options.sets), library);
  const workloads::ImportedGraph network =
      workloads::find_graph(config.network, {(library.configs / "networks").string()});
  os::watch_interrupts();
  Progress bar("planning " + config.network, 0);
  const cluster::NadaPlan plan = cluster::plan_nada(config, network, [&](std::int64_t done, std::int64_t all, Cycles) {
    bar.set_total(all);
    bar.update(done);
    return os::interrupt() == 0;
  });
  bar.clear();
  print(nada_report(config, plan), format);
  if (os::interrupt() == 0) return 0;
  fmt::print(stderr, "weft: interrupted: this is the best plan so far, not the best there is\n");
  return 128 + os::interrupt();
}

}  // namespace

int plan_command(const PlanOptions& options) {
  const Format format = parse_format(options.format, true);
  const config::Library library = project_library();
  if (cluster::is_nada(options.config, library)) return plan_layers(options, format, library);
  const cluster::ArrayConfig config = cluster::load_array(options.config, parse_overrides(options.sets), library);
  const workloads::ImportedGraph network =
      workloads::find_graph(config.network, {(library.configs / "networks").string()});
  print(plan_report(config, cluster::plan_array(config, network)), format);
  return 0;
}

}  // namespace weft::tools
