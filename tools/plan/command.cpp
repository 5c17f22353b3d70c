#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "model/core/error.h"
#include "platform/os/process.h"
#include "platform/os/progress.h"
#include "platform/os/standard_streams.h"
#include "platform/record/json.h"
#include "platform/studies/cluster/cluster.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/plan/view.h"
#include "tools/timeline/view.h"

namespace weft::tools {

namespace {

struct PlanOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string format = "table";
  SaveOptions save;
};

void declare(Arguments& command, PlanOptions& options) {
  command.add_option("CONFIG", options.config, "A cluster: a file, or a name in configs/clusters").required();
  command.add_set(options.sets, "a value of the cluster, by its dotted key");
  command.add_format(options.format);
  command.add_save(options.save, "plan-NAME", "cluster");
  command.footer(R"(Examples:
  weft plan fpdeep-alexnet
      layers and parts of layers over 15 boards: balance, memory, and how far each reading of the links scales
  weft plan fpdeep-vgg19 --set fpdeep.gradients=shared
      another reading of what is stored
  weft plan fpdeep-alexnet --format csv
      the speed of 1 to 150 boards under each reading, for a plot
  weft plan nada-mobilenetv2 --set boards=3
      an implementation for each layer, over boards in a row: the best rate, what binds, what each layer takes

Keys: configs/clusters/fpdeep-alexnet.yaml explains every key; docs/clusters.md says what is computed.)");
}

// Prints a result and keeps it, unless it is what an interrupt left: that need not be the best there is.
class Output {
 public:
  // `kind`: "plan" or "timeline".
  Output(const SaveOptions& options, const std::string& kind, const cluster::Cluster& cluster,
         const std::vector<config::Override>& changes, const std::string& format, config::Library library)
      : format_(parse_format(format, true)), config_(cluster.resolved_yaml()), library_(std::move(library)) {
    check(options);
    if (options.no_save) return;
    const std::string name = kind + "-" + cluster.name;
    saved_.emplace(options.out, changes.empty() ? name : changed_name(name, changes, config_));
  }

  template <class Result>
  int finish(Result result, const char* csv) const {
    result.head.inputs = *library_.inputs;
    const Report report{report::text(view_of(result), table_view("", format_), ""), record::json_text(result),
                        csv_of(result)};
    const bool whole = os::interrupt() == 0;
    if (whole && saved_) saved_->write(report, config_, {{}, std::make_shared<config::Inputs>()}, false, csv);
    print(report, format_);
    if (whole && saved_ && format_ == Format::Table) print(saved_->line());
    if (whole) return 0;
    os::say(fmt::format("weft: interrupted: this is the best plan so far, not the best there is; it is not saved\n"));
    return 128 + os::interrupt();
  }

 private:
  Format format_;
  std::string config_;
  config::Library library_;
  std::optional<SavedResult> saved_;
};

// `find`: of a network and of whom to ask whether to go on. From the first time on an interrupt ends the search, not
// the process.
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
  const std::vector<config::Override> changes = parse_overrides(options.sets);
  const auto cluster = cluster::read_cluster(cluster::cluster_file(options.config, changes, library), library);
  const Output output(options.save, "plan", *cluster, changes, options.format, library);
  const cluster::Cluster::Plan plan =
      planned(*cluster, library, [&](const auto& network, const auto& go_on) { return cluster->plan(network, go_on); });
  return std::visit([&](const auto& result) { return output.finish(result, record::kPlanCsv); }, plan);
}

}  // namespace

Command plan_command() {
  return command("plan", "A network over a cluster of boards: what each computes, what binds", declare, execute);
}

int cluster_timeline_command(const TimelineOptions& options) {
  const config::Library library = project_library();
  const std::array<std::pair<const char*, bool>, 5> refused{{{"--rung", !options.rung.empty()},
                                                             {"--workers", !options.workers.empty()},
                                                             {"--perfetto", !options.perfetto.empty()},
                                                             {"--columns", !options.columns.empty()},
                                                             {"--from", options.from.has_value()}}};
  for (const auto& [name, given] : refused) {
    if (given) throw Error(fmt::format("{} is of a run's timeline; '{}' is a cluster", name, options.config));
  }
  const std::vector<config::Override> changes = parse_overrides(options.sets);
  const auto cluster = cluster::read_cluster(cluster::cluster_file(options.config, changes, library), library);
  const Output output(options.save, "timeline", *cluster, changes, options.format, library);
  const std::optional<cluster::BatchResult> timeline = planned(
      *cluster, library, [&](const auto& network, const auto& go_on) { return cluster->timeline(network, go_on); });
  if (timeline) return output.finish(*timeline, record::kStepsCsv);
  throw Error(fmt::format("'{}' has no timeline: of clusters, those with an implementation for each layer (nada) have",
                          options.config));
}

}  // namespace weft::tools
