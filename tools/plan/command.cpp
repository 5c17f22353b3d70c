#include <fmt/core.h>

#include <array>
#include <utility>

#include "model/core/error.h"
#include "platform/os/process.h"
#include "platform/os/standard_streams.h"
#include "platform/studies/cluster/cluster.h"
#include "tools/cli/commands.h"
#include "tools/cli/views.h"

namespace weft::tools {

namespace {

struct PlanOptions : ResultOptions {};

void declare(Arguments& command, PlanOptions& options) {
  command.add_argument("CONFIG", options.config, "Cluster: a file, or a name in configs/clusters").required();
  command.add_set(options.sets, "a key of the cluster");
  command.add_format(options.format);
  command.add_save(options.save, "plan-NAME");
}

// Prints and saves a result. A plan after an interrupt is printed only, since it need not be the best one.
class PlanOutput {
 public:
  // `kind`: "plan" or "timeline".
  PlanOutput(const ResultOptions& options, const std::string& kind, const cluster::Cluster& cluster,
             config::Library library)
      : output_(options), config_(cluster.resolved_yaml()), library_(std::move(library)) {
    output_.place(changed_name(kind + "-" + cluster.name, changes_of(options), config_));
  }

  template <class Result>
  int finish(Result result, const char* csv) const {
    result.head.inputs = *library_.inputs;
    const Report report = output_.report(view_of(result), result, csv_of(result));
    if (os::interrupt() == 0) {
      output_.save(report, config_, library_, false, csv);
      output_.print(report);
      return 0;
    }
    print(report, output_.format());
    os::say(fmt::format("weft: interrupted: this plan is the best found so far and is not saved\n"));
    return 128 + os::interrupt();
  }

 private:
  Output output_;
  std::string config_;
  config::Library library_;
};

// `find`: takes a network and a progress callback, which returns false to stop. An interrupt only ends the search.
template <typename Find>
auto planned(const cluster::Cluster& cluster, const config::Library& library, Find find) {
  Progress bar("planning " + cluster.network, 0);
  bool watched = false;
  auto found = find(cluster::network_of(cluster, library), [&](std::int64_t done, std::int64_t all, Cycles) {
    if (!watched) os::watch_interrupts();
    watched = true;
    bar.set_total(all);
    bar.update(done);
    return os::interrupt() == 0;
  });
  bar.clear();
  return found;
}

int execute(const PlanOptions& options) {
  const config::Library library = project_library();
  const auto cluster =
      cluster::read_cluster(cluster::cluster_file(options.config, changes_of(options), library), library);
  const PlanOutput output(options, "plan", *cluster, library);
  const cluster::Cluster::Plan plan =
      planned(*cluster, library, [&](const auto& network, const auto& go_on) { return cluster->plan(network, go_on); });
  return std::visit([&](const auto& result) { return output.finish(result, record::kPlanCsv); }, plan);
}

}  // namespace

Command plan_command() {
  return command<PlanOptions>("plan", "Distribute a network over a cluster of boards and find the bottleneck", declare,
                              execute);
}

int cluster_timeline_command(const TimelineOptions& options) {
  const config::Library library = project_library();
  const std::array<std::pair<const char*, bool>, 5> refused{{{"--rung", !options.rung.empty()},
                                                             {"--workers", !options.workers.empty()},
                                                             {"--perfetto", !options.perfetto.empty()},
                                                             {"--columns", !options.columns.empty()},
                                                             {"--from", options.from.has_value()}}};
  for (const auto& [name, given] : refused) {
    if (given) throw Error(fmt::format("'{}' is a cluster: remove {}, an option for runs", options.config, name));
  }
  const auto cluster =
      cluster::read_cluster(cluster::cluster_file(options.config, changes_of(options), library), library);
  const PlanOutput output(options, "timeline", *cluster, library);
  const std::optional<cluster::BatchResult> timeline = planned(
      *cluster, library, [&](const auto& network, const auto& go_on) { return cluster->timeline(network, go_on); });
  if (timeline) return output.finish(*timeline, record::kStepsCsv);
  throw Error(fmt::format("'{}' has no timeline: only clusters with an implementation for each layer (nada) have one",
                          options.config));
}

}  // namespace weft::tools
