#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <utility>

#include "model/core/error.h"
#include "platform/cluster/array_plan.h"
#include "platform/cluster/nada_timeline.h"
#include "platform/os/interrupt.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/nada_report.h"
#include "tools/plan_report.h"
#include "tools/progress.h"
#include "workloads/catalogue.h"

namespace weft::tools {

namespace {

workloads::ImportedGraph graph_of(const std::string& network, const config::Library& library) {
  return workloads::find_graph(network, {(library.configs / "networks").string()});
}

// Plans with an implementation for each layer, by `find`, and prints what came of it.
template <typename Find, typename Print>
int plan_layers(const cluster::NadaConfig& config, const config::Library& library, Find find, Print print_found) {
  os::watch_interrupts();
  Progress bar("planning " + config.network, 0);
  const auto found = find(config, graph_of(config.network, library), [&](std::int64_t done, std::int64_t all, Cycles) {
    bar.set_total(all);
    bar.update(done);
    return os::interrupt() == 0;
  });
  bar.clear();
  print_found(found);
  if (os::interrupt() == 0) return 0;
  fmt::print(stderr, "weft: interrupted: this is the best plan so far, not the best there is\n");
  return 128 + os::interrupt();
}

}  // namespace

int plan_command(const PlanOptions& options) {
  const Format format = parse_format(options.format, true);
  const config::Library library = project_library();
  if (cluster::is_nada(options.config, library)) {
    const cluster::NadaConfig config = cluster::load_nada(options.config, parse_overrides(options.sets), library);
    return plan_layers(config, library, cluster::plan_nada,
                       [&](const cluster::NadaPlan& plan) { print(nada_report(config, plan), format); });
  }
  const cluster::ArrayConfig config = cluster::load_array(options.config, parse_overrides(options.sets), library);
  print(plan_report(config, cluster::plan_array(config, graph_of(config.network, library))), format);
  return 0;
}

int cluster_timeline_command(const TimelineOptions& options) {
  const Format format = parse_format(options.format, true);
  const config::Library library = project_library();
  const std::array<std::pair<const char*, bool>, 6> refused{{{"--rung", !options.rung.empty()},
                                                             {"--workers", !options.workers.empty()},
                                                             {"--perfetto", !options.perfetto.empty()},
                                                             {"--columns", !options.columns.empty()},
                                                             {"--from", options.from.has_value()},
                                                             {"--out", !options.save.out.empty()}}};
  for (const auto& [name, given] : refused) {
    if (given) throw Error(fmt::format("{} is of a run's timeline; '{}' is a cluster", name, options.config));
  }
  if (!cluster::is_nada(options.config, library)) {
    throw Error(fmt::format(
        "'{}' has no timeline: of clusters, those with an implementation for each layer (nada) have", options.config));
  }
  const cluster::NadaConfig config = cluster::load_nada(options.config, parse_overrides(options.sets), library);
  return plan_layers(config, library, cluster::nada_timeline, [&](const cluster::NadaTimeline& timeline) {
    print(nada_timeline_report(config, timeline), format);
  });
}

}  // namespace weft::tools
