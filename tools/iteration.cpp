#include "tools/iteration.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "model/core/error.h"
#include "platform/config/run_config.h"
#include "platform/design/designs.h"
#include "platform/design/load.h"
#include "platform/run/simulate.h"
#include "platform/timeline/kernels.h"
#include "platform/training/trained_network.h"
#include "tools/cli.h"
#include "tools/result_dir.h"

namespace weft::tools {

namespace fs = std::filesystem;
using timeline::Part;
using timeline::TrainingIteration;

namespace {

training::TrainedNetwork trained_network(const config::RunConfig& run) {
  const std::vector<std::string> folders{(project_library().configs / "networks").string()};
  workloads::ImportOptions options;
  options.batch = run.batch;
  options.lower_fc = run.lower_fc;
  if (const auto* onnx = std::get_if<config::OnnxNetwork>(&run.workload)) {
    return training::load_trained(onnx->path.string(), folders, options);
  }
  const auto& named = std::get<config::NamedNetwork>(run.workload);
  try {
    return training::load_trained(named.name, folders, options);
  } catch (const InputError&) {
    throw;  // names the file and what is wrong in it
  } catch (const Error& error) {
    throw config::error_at(named.place, "network", error.what());
  }
}

// What cycles do not depend on.
const std::set<std::string> kNotOfCycles{"name",    "title",  "host",    "schedule",   "published", "output",
                                         "workers", "verify", "memo_mb", "strict_fit", "seed",      "dataset_images"};

// The first dotted key whose values differ; nothing if all are equal.
std::string difference(const config::Node& a, const config::Node& b, const std::string& key) {
  if (a.kind != b.kind || a.text != b.text || a.children.size() != b.children.size()) {
    if (a.kind != config::Node::Kind::Map || b.kind != config::Node::Kind::Map) return key.empty() ? "the file" : key;
  }
  if (a.kind == config::Node::Kind::Map) {
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      for (const config::Node& child : one->children) {
        std::string path = key.empty() ? child.key : key + "." + child.key;
        const config::Node* const same = other->find(child.key);
        if (!same) return path;
        std::string inner = difference(child, *same, path);
        if (!inner.empty()) return inner;
      }
    }
    return "";
  }
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    std::string inner = difference(a.children[i], b.children[i], fmt::format("{}[{}]", key, i));
    if (!inner.empty()) return inner;
  }
  return "";
}

config::Node cycles_node(const config::RunConfig& run) {
  config::Node node = config::write_run(run);
  for (const std::string& key : kNotOfCycles) node.erase(key);
  for (config::Node& child : node.children) {
    if (child.key == "board") {
      for (const char* key : {"title", "pcie", "network", "default_host", "assumed"}) child.erase(key);
    }
  }
  return node;
}

nlohmann::json read_json(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("cannot read '{}'", path.string()));
  nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw InputError(path.string(), 0, "", "is not a result of weft run");
  return json;
}

// The rows of the run with the cycles that stand in the result `from`.
std::vector<design::Row> rows_from(const config::RunConfig& run, const workloads::Network& network,
                                   const std::string& from) {
  const fs::path folder(from);
  if (!is_result(folder)) throw Error(fmt::format("--from: '{}' is not a directory of results of weft run", from));
  const config::RunConfig made = design::load_run((folder / kResultConfig).string(), {}, project_library());
  const std::string key = difference(cycles_node(run), cycles_node(made), "");
  if (!key.empty()) {
    throw Error(fmt::format("--from: the cycles in '{}' are of another run: '{}' differs (weft show {} --yaml)", from,
                            key, (folder / kResultConfig).string()));
  }
  const fs::path path = folder / kResultJson;
  const nlohmann::json json = read_json(path);
  std::vector<design::Row> rows = run::prepare(run, network).rows;
  try {
    std::map<std::tuple<std::string, std::string, bool>, const nlohmann::json*> known;
    for (const nlohmann::json& each : json.at("convolutions")) {
      known[{each.at("layer").get<std::string>(), each.at("kind").get<std::string>(),
             each.at("fully_connected").get<bool>()}] = &each;
    }
    for (design::Row& row : rows) {
      const auto found = known.find({row.layer.name, conv::to_string(row.kind), row.fully_connected});
      if (found == known.end()) {
        throw InputError(path.string(), 0, "convolutions",
                         fmt::format("has no '{}', {}", row.layer.name, conv::to_string(row.kind)));
      }
      const nlohmann::json& each = *found->second;
      row.cycles = each.at("cycles").get<Cycles>();
      row.drain_cycles = each.value("drain_cycles", Cycles{0});
      const auto cycles = each.contains("launch_cycles") ? each.at("launch_cycles").get<std::vector<Cycles>>()
                                                         : std::vector<Cycles>{row.cycles + row.drain_cycles};
      if (cycles.size() != row.units.size()) {
        throw InputError(path.string(), 0, "convolutions",
                         fmt::format("has {} launches of '{}', {}, not {}", cycles.size(), row.layer.name,
                                     conv::to_string(row.kind), row.units.size()));
      }
      for (std::size_t unit = 0; unit < cycles.size(); ++unit) row.units[unit].cycles = cycles[unit];
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path.string(), 0, "convolutions", fmt::format("is not as weft run writes it ({})", error.what()));
  }
  return rows;
}

void require_iteration(const config::RunConfig& run) {
  if (timeline::has_iteration(run)) return;
  const bool whole = std::holds_alternative<config::NamedNetwork>(run.workload) ||
                     std::holds_alternative<config::OnnxNetwork>(run.workload);
  throw Error(fmt::format("run '{}' has no training iteration: {}", run.name,
                          whole ? "'only' or 'kinds' leaves convolutions out"
                                : "layers given in a file have no graph; name a network or an ONNX file"));
}

std::shared_ptr<const timeline::TrainedGraph> trained_graph(const config::RunConfig& run,
                                                            const training::TrainedNetwork& network) {
  return std::make_shared<timeline::TrainedGraph>(timeline::training_graph_of(run, network.forward), network.notes);
}

// On the kernels that the schedule names, if it names any.
void simulate(std::vector<Part>& parts, const config::RunConfig& run, const run::Progress& progress) {
  parts = timeline::parts_on_kernels(run, std::move(parts), project_library(),
                                     [&](const std::string&, std::int64_t done, std::int64_t total) {
                                       if (progress) progress(done, total);
                                     });
  for (Part& part : parts) part.rows = run::simulate(part.run, part.network, progress).rows;
}

}  // namespace

TrainingIteration iteration(const config::RunConfig& run, const std::string& from, Progress& progress) {
  require_iteration(run);
  const training::TrainedNetwork network = trained_network(run);
  // Whatever is wrong with the graph is said before anything is simulated.
  const std::shared_ptr<const timeline::TrainedGraph> graph = trained_graph(run, network);
  std::vector<Part> parts = timeline::parts_of(run, network.network);
  if (from.empty()) {
    simulate(parts, run, [&](std::int64_t done, std::int64_t expected) {
      progress.set_total(expected);
      progress.update(done);
    });
  } else if (run.schedule.kernels.given()) {
    throw Error(
        fmt::format("--from: has no cycles of the kernels of '{}' (schedule.kernels)", run.schedule.kernels.dse));
  } else if (parts.size() != 1 || parts.front().im2col_on_host) {
    throw Error("--from: has no cycles of kernels that multiply what the host made by im2col (schedule.im2col: cpu)");
  } else {
    parts.front().rows = rows_from(run, network.network, from);
  }
  timeline::Links links;
  return timeline::iteration_of(run, graph, timeline::views(parts), links);
}

std::optional<TrainingIteration> Iterations::of(const run::Result& result) {
  const config::RunConfig& run = result.config;
  if (!timeline::has_iteration(run) || !run.host || !run.board.pcie) return std::nullopt;
  std::string name;
  if (const auto* named = std::get_if<config::NamedNetwork>(&run.workload)) name = named->name;
  if (const auto* onnx = std::get_if<config::OnnxNetwork>(&run.workload)) name = onnx->path.string();
  auto& graph = graphs_[{name, run.batch, run.lower_fc, run.gi_first, run.schedule.updates, run.schedule.loss}];
  if (!graph) graph = trained_graph(run, trained_network(run));
  if (run.schedule.im2col == config::Im2colPlace::Card && !run.schedule.kernels.given()) {
    return timeline::iteration_of(run, graph, {{&run, &result.network, &result.rows, false}}, links_);
  }
  std::vector<Part> parts = timeline::parts_of(run, result.network);
  simulate(parts, run, {});
  return timeline::iteration_of(run, graph, timeline::views(parts), links_);
}

}  // namespace weft::tools
