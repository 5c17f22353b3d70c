#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "platform/config/model_config.h"
#include "platform/config/reader.h"
#include "platform/dse/config_fields.h"
#include "platform/dse/grid.h"

namespace weft::dse::grid {

namespace {

using config::Need;
using config::Node;

constexpr std::int64_t kMostCombinations = 10'000;
constexpr std::int64_t kMostTiles = 10'000'000;  // some minutes for a large network
constexpr int kMostSimulated = 1000;

const config::Names<bool>& minimized() {
  static const config::Names<bool> names{{"overall", true}, {"kernel", false}};
  return names;
}

void fields(config::MapIo& io, PublishedTile& published, const Space& space) {
  io.text("layer", published.layer);
  published.values.resize(space.axes.size());
  io.map(space.tile.c_str(), Need::Required, [&](config::MapIo& sub) {
    for (std::size_t i = 0; i < space.axes.size(); ++i) {
      sub.integer(space.axes[i].key, published.values[i], 1, space.axes[i].largest, Need::Required);
    }
  });
  io.value("gops_per_watt", published.gops_per_watt, config::form::real(0, 1e6));
  io.value("cpu_gops_per_watt", published.cpu_gops_per_watt, config::form::real(0, 1e6));
  io.value("mix_gops_per_watt", published.mix_gops_per_watt, config::form::real(0, 1e6));
}

void published_field(config::MapIo& io, std::vector<PublishedTile>& published, const Space& space) {
  io.map_list("published", Need::Optional, published,
              [&](config::MapIo& sub, PublishedTile& tile) { fields(sub, tile, space); });
}

void fields(config::MapIo& io, GridConfig& grid, const Space& space) {
  config::experiment_fields(io);
  io.text("name", grid.name);
  io.text("title", grid.title);
  budget_fields(io, grid.budget, !space.tiles());
  io.map("space", space.tiles() ? Need::Optional : Need::Required, [&](config::MapIo& sub) {
    for (Tried& each : grid.tried) {
      sub.map(each.axis.key, Need::Optional,
              [&](config::MapIo& of) { range_fields(of, each.range, each.axis.largest); });
    }
  });
  if (!space.tiles()) {
    io.map("rerank", Need::Optional, [&](config::MapIo& sub) { sub.integer("count", grid.rerank, 0, kMostSimulated); });
    return;
  }
  io.choice("minimize", grid.overall, minimized());
  io.real("watts", grid.watts, 0.001, 1e6);
  published_field(io, grid.published, space);
  io.text("source", grid.source);
}

void check_space(const GridConfig& grid, const Space& space, const config::MapReader& reader) {
  if (grid.tried.empty()) {
    std::vector<std::string> keys;
    keys.reserve(space.axes.size());
    for (const Axis& axis : space.axes) keys.emplace_back(axis.key);
    throw reader.error("space", fmt::format("names nothing to try; allowed: {}", config::join(keys)));
  }
  const std::int64_t most = space.tiles() ? kMostTiles : kMostCombinations;
  std::int64_t combinations = 1;
  for (const Tried& each : grid.tried) {
    combinations *= each.range.count();
    if (combinations > most) {
      throw reader.error("space", fmt::format("has more than {} combinations; use smaller ranges", most));
    }
    if (each.axis.unknown && each.range.count() > 1 && grid.rerank == 0) {
      throw reader.error("space", fmt::format("the equations do not depend on {}; allowed: one value of it, or "
                                              "rerank.count 1 or more, to simulate",
                                              each.axis.key));
    }
  }
}

GridConfig read_grid(const Space& space, const config::Experiment& experiment, const config::Library& library) {
  // Reads the experiment's own keys before its run, so that a misspelt one is reported first.
  GridConfig grid;
  grid.budget = kBudgetOfBoard;
  for (const Axis& axis : space.axes) grid.tried.push_back({axis, axis.usual});
  config::MapReader reader(experiment.file, "");
  fields(reader, grid, space);
  reader.finish();
  const auto untried = [](const Tried& each) { return each.range.from == 0; };
  grid.tried.erase(std::remove_if(grid.tried.begin(), grid.tried.end(), untried), grid.tried.end());
  check_space(grid, space, reader);
  if (experiment.another_network()) {
    grid.published.clear();
    grid.source.clear();
  }
  grid.run = config::read_run(experiment.composed_run(library), [&](const Node& node, const std::string& key) {
    return space.design->read_kernel(node, key);
  });
  if (grid.run.kernel->number_format().is_fixed()) {  // published tiles are of FP32
    grid.published.clear();
    grid.source.clear();
  }
  if (grid.rerank > 0) config::require_simulated_memory(grid.run);
  grid.budget = completed(grid.budget, grid.run.board);
  const std::string refused = space.refused ? space.refused(grid.run) : "";
  if (!refused.empty()) throw reader.error("run", refused);
  return grid;
}

std::string resolved_yaml(const Space& space, const GridConfig& config) {
  GridConfig copy = config;
  config::MapWriter writer;
  fields(writer, copy, space);
  Node node = writer.take();
  node.set("run", config::write_run(config.run));
  return config::to_yaml(node);
}

class GridFile : public Exploration {
 public:
  GridFile(const Space& space, GridConfig config) : space_(space), config_(std::move(config)) {
    title = config_.title;
    run = config_.run;
    settings = settings_of(config_.name, run, space.design->equations_note(run), config_.budget);
    std::vector<std::pair<std::string, std::string>> ranges;
    const std::string label = space.tiles() ? std::string(1, static_cast<char>(std::toupper(space.tile[0]))) : "";
    for (const Tried& each : config_.tried) {
      ranges.emplace_back(label + each.axis.key, range_text(each.range));
      settings.searched.push_back(space.parameter(each.axis));
      settings.space_text +=
          fmt::format("{}{} {}", settings.space_text.empty() ? "" : ", ", ranges.back().first, ranges.back().second);
    }
    const Budget& budget = config_.budget;
    lines = {{"budget", fmt::format("DSP {}, BRAM18 {}", budget.dsp, budget.bram18)}};
    if (space.tiles()) {
      settings.budget.uram.reset();
      settings.minimize = config_.overall ? "overall" : "kernel";
      settings.watts = config_.watts;
      settings.tiles = 0;
      if (!config_.source.empty()) settings.source = config_.source;
      lines.emplace_back("space", settings.space_text);
      lines.emplace_back("minimize", config_.overall ? "transfers over PCIe and kernel" : "the kernel");
      return;
    }
    settings.space.emplace();
    settings.combinations = 1;
    for (const Tried& each : config_.tried) {
      settings.space->ranges.emplace_back(each.axis.key, each.range);
      *settings.combinations *= each.range.count();
    }
    lines.front().second += fmt::format(", URAM {}", budget.uram);
    lines.insert(lines.end(), ranges.begin(), ranges.end());
    lines.emplace_back("rerank", fmt::format("{} simulated", config_.rerank));
  }

  std::string resolved_yaml(bool with_workers) const override {
    GridConfig config = config_;
    if (!with_workers) config.run.workers.reset();
    return grid::resolved_yaml(space_, config);
  }
  Result explore(const workloads::Network& network, const SimulatedCycles& simulate,
                 const Progress& progress) const override {
    if (space_.tiles()) return explore_tiles(space_, config_, settings, network, progress);
    return grid::explore(space_, config_, settings, network, simulate, progress);
  }

 private:
  const Space& space_;
  GridConfig config_;
};

}  // namespace

std::unique_ptr<Exploration> GridExplorer::load(const config::Experiment& experiment,
                                                const config::Library& library) const {
  return std::make_unique<GridFile>(space_, read_grid(space_, experiment, library));
}

Node GridExplorer::describe() const {
  GridConfig grid;
  grid.budget = kBudgetOfBoard;
  for (const Axis& axis : space_.axes) grid.tried.push_back({axis, axis.usual});
  return config::describe_map(std::move(grid), [&](config::MapIo& io, GridConfig& each) { fields(io, each, space_); });
}

void GridExplorer::keep_only(config::Node& file, const config::KernelsOfDse& wanted) const {
  require_own(wanted, *space_.design);
  file.erase("rerank");
}

config::KernelPtr GridExplorer::kernel_of(const Values& found, const config::RunConfig& run) const {
  Values values = found;
  if (space_.tiles()) {
    for (auto& each : values) each.first[space_.tile.size()] = '.';  // "tile_r" is tile.r of the file
  }
  return kernel_with(*space_.design, *run.kernel, values);
}

}  // namespace weft::dse::grid
