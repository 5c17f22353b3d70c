#include "tools/run/iteration.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "model/core/error.h"
#include "platform/config/difference.h"
#include "platform/config/run_config.h"
#include "platform/iteration/timeline/kernels.h"
#include "platform/run/accounting.h"
#include "platform/run/row_cache.h"
#include "platform/run/simulate.h"
#include "tools/cli/cli.h"
#include "tools/results/result_dir.h"
#include "tools/run/load_result.h"
#include "tools/run/network.h"

namespace weft::tools {

namespace fs = std::filesystem;
using timeline::Part;
using timeline::TrainingIteration;

namespace {

// The rows of the run with the cycles that stand in the result `from`.
std::vector<design::Row> rows_from(const config::RunConfig& run, const workloads::Network& network,
                                   const std::string& from) {
  const run::Result result = [&] {
    try {
      return load_result(from).result;
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      throw Error(fmt::format("--from: {}", error.what()));
    }
  }();
  const std::vector<config::Difference> differences =
      config::differences(run::cycles_node(run), run::cycles_node(result.config));
  if (!differences.empty()) {
    throw Error(fmt::format("--from: the cycles in '{}' are of another run: '{}' differs (weft show {} --yaml)", from,
                            differences.front().key, (fs::path(from) / kResultConfig).string()));
  }
  std::vector<design::Row> rows = run::prepare(run, network).rows;
  const auto other = [&](const std::string& what) {
    return Error(
        fmt::format("--from: '{0}' {1}: its network or weft has changed since; make it again: weft run {2} "
                    "--out {0}",
                    from, what, (fs::path(from) / kResultConfig).string()));
  };
  if (rows.size() != result.rows.size()) {
    throw other(fmt::format("has {} convolutions, not {}", result.rows.size(), rows.size()));
  }
  for (design::Row& row : rows) {
    const std::string name = fmt::format("'{}', {}", row.layer.name, conv::to_string(row.kind));
    const auto found = std::find_if(result.rows.begin(), result.rows.end(), [&](const design::Row& each) {
      return each.layer.name == row.layer.name && each.kind == row.kind && each.fully_connected == row.fully_connected;
    });
    if (found == result.rows.end()) throw other(fmt::format("has no {}", name));
    if (run.rung == config::Rung::Analytical) {
      // Of a launch the equations' cycles are not saved.
      if (found->cycles != row.cycles)
        throw other(fmt::format("has {} cycles of {}, not {}", found->cycles, name, row.cycles));
    } else {
      if (found->units.size() != row.units.size()) throw other(fmt::format("has other launches of {}", name));
      run::take_simulated(row, *found);
    }
  }
  return rows;
}

void require_iteration(const config::RunConfig& run) {
  if (timeline::has_iteration(run)) return;
  const auto none = [&](const config::Place& place, const char* key, const char* why) {
    return config::error_at(place, key, fmt::format("run '{}' has no training iteration: {}", run.name, why));
  };
  if (!run.only.everything()) throw none(run.only.place(), "only", "it leaves convolutions out");
  if (run.kinds.size() != config::all_kinds().size()) {
    throw none(run.kinds_place, "kinds", "it leaves convolutions out; all of F, GI, GW are needed");
  }
  const bool one = std::holds_alternative<config::OneConvolution>(run.workload);
  throw none(run.workload_place, one ? "convolution" : "network",
             "layers given in a file have no graph; name a network or an ONNX file");
}

std::shared_ptr<const timeline::TrainedGraph> trained_graph(const config::RunConfig& run,
                                                            const training::TrainedNetwork& network) {
  return std::make_shared<timeline::TrainedGraph>(timeline::training_graph_of(run, network.forward), network.notes);
}

// On the kernels that the schedule names, if it names any.
std::vector<Part> parts_of(const config::RunConfig& run, const workloads::Network& network,
                           const run::Progress& progress) {
  return timeline::parts_on_kernels(run, timeline::parts_of(run, network), project_library(),
                                    [&](const std::string&, std::int64_t done, std::int64_t total) {
                                      if (progress) progress(done, total);
                                    });
}

// Whether the run itself is the only part.
bool is_one_part(const config::RunConfig& run) {
  return run.schedule.im2col == config::Im2colPlace::Card && !run.schedule.kernels.given();
}

std::vector<run::Planned> plan(std::vector<Part>& parts) {
  std::vector<run::Planned> planned;
  for (Part& part : parts) {
    planned.push_back(run::plan(part.run, part.network));
    part.rows = planned.back().result.rows;
  }
  return planned;
}

}  // namespace

IterationNetwork iteration_network(const config::RunConfig& run) {
  if (!timeline::has_iteration(run)) return {load_network(run, project_library()), nullptr};
  training::TrainedNetwork network = load_trained(run, project_library());
  const bool timed = run.host && run.board.pcie;
  auto graph = timed ? trained_graph(run, network) : nullptr;
  return {std::move(network.network), std::move(graph)};
}

TrainingIteration iteration(const config::RunConfig& run, const std::optional<std::string>& from, Progress& progress,
                            run::RowCache* cache) {
  require_iteration(run);
  const training::TrainedNetwork network = load_trained(run, project_library());
  const std::shared_ptr<const timeline::TrainedGraph> graph = trained_graph(run, network);
  timeline::check_iteration(run, graph->graph);
  std::vector<Part> parts;
  if (from) {
    if (run.schedule.kernels.given()) {
      throw Error(
          fmt::format("--from: has no cycles of the kernels of '{}' (schedule.kernels)", run.schedule.kernels.dse));
    }
    parts = timeline::parts_of(run, network.network);
    if (parts.size() != 1 || parts.front().im2col_on_host) {
      throw Error("--from: has no cycles of kernels that multiply what the host made by im2col (schedule.im2col: cpu)");
    }
    parts.front().rows = rows_from(run, network.network, *from);
  } else {
    const run::Progress report = [&](std::int64_t done, std::int64_t expected) {
      progress.set_total(expected);
      progress.update(done);
    };
    parts = parts_of(run, network.network, report);
    std::vector<run::Planned> planned = plan(parts);
    // Before anything is simulated; the equations take no longer than to ask.
    if (run.rung != config::Rung::Analytical) timeline::check_room(run, *graph, timeline::views(parts));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].rows = run::simulate(std::move(planned[i]), report, cache).rows;
    }
  }
  timeline::Links links;
  return timeline::iteration_of(run, graph, timeline::views(parts), links);
}

const training::TrainedNetwork& Iterations::trained(const config::RunConfig& run) {
  std::string name;
  if (const auto* named = std::get_if<config::NamedNetwork>(&run.workload)) name = named->name;
  if (const auto* onnx = std::get_if<config::OnnxNetwork>(&run.workload)) name = onnx->path.string();
  auto& network = networks_[{name, run.batch, run.lower_fc}];
  if (!network) network = load_trained(run, project_library());
  return *network;
}

std::shared_ptr<const timeline::TrainedGraph> Iterations::graph(const config::RunConfig& run) {
  const training::TrainedNetwork& network = trained(run);
  auto& graph = graphs_[{&network, run.gi_first, run.schedule.updates, run.schedule.loss}];
  if (!graph) graph = trained_graph(run, network);
  return graph;
}

workloads::Network Iterations::network(const config::RunConfig& run) {
  try {
    if (has(run)) return trained(run).network;
  } catch (const Error&) {
    // The network may be good all the same; of() and check() say what is wrong.
  }
  return load_network(run, project_library());
}

bool Iterations::has(const config::RunConfig& run) {
  return timeline::has_iteration(run) && run.host && run.board.pcie;
}

void Iterations::check(const run::Result& prepared) {
  const config::RunConfig& run = prepared.config;
  if (!has(run)) return;
  const auto graph = this->graph(run);
  timeline::check_iteration(run, graph->graph);
  if (run.schedule.kernels.given() && !run.schedule.kernels.is_result()) return;
  std::vector<Part> parts = parts_of(run, prepared.network, {});
  if (run.rung == config::Rung::Analytical) return;
  if (is_one_part(run)) {
    parts.front().rows = prepared.rows;
  } else {
    plan(parts);
  }
  timeline::check_room(run, *graph, timeline::views(parts));
}

std::optional<TrainingIteration> Iterations::of(const run::Result& result) {
  const config::RunConfig& run = result.config;
  if (!has(run)) return std::nullopt;
  const auto graph = this->graph(run);
  if (is_one_part(run)) {
    return timeline::iteration_of(run, graph, {{&run, &result.network, &result.rows, false}}, links_);
  }
  std::vector<Part> parts = parts_of(run, result.network, {});
  for (Part& part : parts) part.rows = run::simulate(part.run, part.network, {}).rows;
  return timeline::iteration_of(run, graph, timeline::views(parts), links_);
}

}  // namespace weft::tools
