#include <fmt/core.h>

#include <cctype>

#include "platform/dse/config_fields.h"
#include "platform/dse/grid.h"

namespace weft::dse::grid {

namespace {

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

std::unique_ptr<Exploration> GridExplorer::load(const config::Study& study, const config::Library& library) const {
  return std::make_unique<GridFile>(space_, read_grid(space_, study, library));
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
